# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of a figure: what the runs of its cases have measured, medians and their spread."""

import statistics


class Numbers:
    """values[contender][x][column][rep]; x is a size, a number of threads, of hosts, or a step."""

    def __init__(self):
        self.values = {}
        self.failures = {}  # contender: (reason, name of the log or None)
        self.records = {}  # contender: its records
        self.rate_mbit = None

    def add(self, contender, x, column, rep, value):
        columns = self.values.setdefault(contender, {}).setdefault(x, {})
        columns.setdefault(column, {})[rep] = value

    def runs(self, contender, x, column):
        """{rep: value}"""
        return self.values.get(contender, {}).get(x, {}).get(column, {})

    def median(self, contender, x, column):
        runs = self.runs(contender, x, column)
        return statistics.median(runs.values()) if runs else None

    def spread(self, contender, x, column):
        """The smallest and the largest value."""
        runs = self.runs(contender, x, column).values()
        return min(runs), max(runs)

    def places(self, *contenders):
        """All x at which all of these have numbers; without any, at which some contender has."""
        sets = [set(self.values.get(name, {})) for name in contenders]
        if not contenders:
            return sorted(set().union(*self.values.values())) if self.values else []
        return sorted(set.intersection(*sets))

    def paired(self, function, left, right, x, column):
        """function(left, right) of the medians, and its smallest and largest value over the runs
        that had the same turn; None without numbers."""
        runs = [self.runs(name, x, column) for name in (left, right)]
        middle = [self.median(name, x, column) for name in (left, right)]
        if None in middle:
            return None
        pairs = [function(runs[0][rep], runs[1][rep]) for rep in runs[0] if rep in runs[1]]
        value = function(*middle)
        return value, min(pairs + [value]), max(pairs + [value])


def _records(case, runner, outcome, numbers):
    """Yields (contender, record) of all runs of a case, and notes what failed."""
    for rep, name in case.order():
        record = runner.find(case, name, rep)
        failure = outcome.get((case.name, name))
        if record is not None:
            numbers.records.setdefault(name, []).append(record)
            numbers.rate_mbit = record["rate_mbit"]
            yield name, record
        elif failure:
            numbers.failures[name] = failure
    for name, reason in case.skipped.items():
        numbers.failures[name] = (reason, None)


def rows(case, runner, outcome):
    """The rows that the programs wrote; of the trainer's also "time", the seconds until then."""
    numbers = Numbers()
    for name, record in _records(case, runner, outcome, numbers):
        seconds = record.get("setup_ms", 0.0) * 1e-3
        for row in record["rows"]:
            if case.steps:
                seconds += row["ms"] * 1e-3
                numbers.add(name, row["_size"], "time", record["rep"], seconds)
            for column, value in row.items():
                if column != "_size":
                    numbers.add(name, row["_size"], column, record["rep"], value)
    return numbers


def training(cases, runner, outcome):
    """Of the trainer, by number of ranks: the median iteration, the first one with what was set up
    before it, and what that took longer."""
    numbers = Numbers()
    for case in cases:
        for name, record in _records(case, runner, outcome, numbers):
            later = [row["ms"] for row in record["rows"][1:]]
            if not later:
                continue
            iteration = statistics.median(later)
            first = record["rows"][0]["ms"] + record.get("setup_ms", 0.0)
            for column, value in (("iteration", iteration), ("first", first),
                                  ("extra", first - iteration),
                                  ("first_share", first / iteration)):
                numbers.add(name, case.np, column, record["rep"], value)
    return numbers


def of_group(description, figure, group, runner, outcome):
    """The numbers of one group of cases of a figure."""
    cases = [description.cases[name] for name in group["cases"]]
    if figure["plot"] == "bars":
        return training(cases, runner, outcome)
    return rows(cases[0], runner, outcome)
