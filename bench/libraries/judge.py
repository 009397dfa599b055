# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the numbers say: who wins, which default is slow, what has become slower. A difference counts
when all runs agree on it, and there are enough of them."""

import statistics

from results import COMPARED

FEWEST = 3           # runs that have to agree
CONFIRMING = 5       # runs in which a default and what seemed to beat it take turns
SLOW_DEFAULT = 1.15  # times slower than something else: worth a setting
SLOWER = 1.10        # times slower than in an older comparison
VARIES = 0.20        # runs that are farther apart


def ratios(slow, fast):
    """How many times slower, in runs that belong together: the same turns. By position where an
    older file does not tell the turns."""
    turns = [{run.get("turn"): run[COMPARED] for run in series.runs} for series in (slow, fast)]
    if any(None in times for times in turns):
        return [a / b for a, b in zip(slow.times(), fast.times())]
    return [time / turns[1][turn] for turn, time in turns[0].items() if turn in turns[1]]


def surely_slower(slow, fast, limit):
    """The ratio if all runs agree that it is over the limit, else None."""
    found = ratios(slow, fast)
    if len(found) < FEWEST or min(found) <= 1.0 or statistics.median(found) < limit:
        return None
    return statistics.median(found)


class Winner:
    """Of an operation and a size: the contender and form that take least, and how much longer the
    best of the other contenders takes. sure: all runs agree."""

    def __init__(self, contender, form, seconds, factor, sure):
        self.contender, self.form, self.seconds = contender, form, seconds
        self.factor, self.sure = factor, sure


def winner(results, place, names, operation, size, forms):
    """None where nobody has numbers."""
    best = {}  # contender: (seconds, form, series)
    for name in names:
        for form in forms:
            series = results.of(place, name).get((operation, form, size))
            if series is not None and (name not in best or series.time < best[name][0]):
                best[name] = (series.time, form, series)
    order = sorted(best, key=lambda name: best[name][0])
    if not order:
        return None
    first = best[order[0]]
    if len(order) == 1:
        return Winner(order[0], first[1], first[0], None, False)
    sure = all(surely_slower(best[name][2], first[2], 1.0) is not None for name in order[1:])
    return Winner(order[0], first[1], first[0], best[order[1]][0] / first[0], sure)


def varying(results, place, name):
    """Rows whose runs are far apart, the worst first: [(spread, key)]."""
    found = [(series.spread(), key) for key, series in results.of(place, name).items()
             if len(series.runs) > 1 and series.spread() > VARIES]
    return sorted(found, reverse=True)


class Finding:
    """A default that something else beats, at neighbouring sizes."""

    def __init__(self, attempt, place, operation, form):
        self.attempt, self.place = attempt, place
        self.operation, self.form = operation, form
        self.ratios = {}  # size: times slower

    @property
    def most(self):
        return max(self.ratios.values())

    def sizes(self):
        return min(self.ratios), max(self.ratios)


def _findings(results, place, pairs, factor_of):
    """Findings, worst first. factor_of(slow, fast): of two series, None where it is not enough."""
    findings = []
    for pair in pairs:
        open_ones = {}
        table = results.of(place, pair.fast.name)
        for key in sorted(table):
            operation, form, size = key
            base = results.of(place, pair.slow.name).get(key)
            factor = base and factor_of(base, table[key])
            if factor:
                if (operation, form) not in open_ones:
                    open_ones[(operation, form)] = Finding(pair.attempt, place, operation, form)
                    findings.append(open_ones[(operation, form)])
                open_ones[(operation, form)].ratios[size] = factor
            else:
                open_ones.pop((operation, form), None)
    return sorted(findings, key=lambda finding: -finding.most)


def suspects(results, place, pairs):
    """What the runs in the middle say, however few there are."""
    def factor_of(slow, fast):
        factor = slow.time / fast.time
        return factor if factor >= SLOW_DEFAULT else None
    return _findings(results, place, pairs, factor_of)


def slow_defaults(results, place, pairs):
    """What all runs agree on."""
    return _findings(results, place, pairs,
                     lambda slow, fast: surely_slower(slow, fast, SLOW_DEFAULT))


def agree_so_far(results, place, pair):
    """Is there a row where every turn says that the default is slower?"""
    def factor_of(slow, fast):
        found = ratios(slow, fast)
        return min(found) if found and min(found) > 1.0 else None
    return bool(_findings(results, place, [pair], factor_of))


def became_slower(old, new):
    """([(factor, place, contender, key)], worst first: rows of both whose runs do not overlap; how
    many rows there were to compare)."""
    found, compared = [], 0
    for place, of in new.series.items():
        for name, table in of.items():
            for key, series in table.items():
                before = old.of(place, name).get(key)
                if before is None or min(len(before.runs), len(series.runs)) < FEWEST:
                    continue
                compared += 1
                apart = min(series.times()) > max(before.times())
                factor = series.time / before.time
                if apart and factor >= SLOWER:
                    found.append((factor, place, name, key))
    return sorted(found, reverse=True), compared
