# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The data of a comparison: contenders, cases and claims read from a file, and what the numbers of
a case say about its claims. Nothing here runs anything."""

import math
import statistics
import tomllib

FEW = 3  # runs; fewer do not tell how much they scatter
CLEAR = 0.98  # an interval from here on says that nothing was lost
FIXED_CSV_COLUMNS = 7  # program, mode, partitions, ... before the columns of the program


class DataError(Exception):
    """The file of cases contradicts itself."""


def parse_size(text):
    """'64K' -> 65536."""
    units = {"K": 10, "M": 20, "G": 30}
    text = text.strip()
    if text and text[-1].upper() in units:
        return int(text[:-1]) << units[text[-1].upper()]
    return int(text)


def size_text(size):
    """65536 -> '64 KiB'."""
    size = int(size)
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"


class Cluster:
    """The virtual cluster that a file of cases is for."""

    def __init__(self, table, rate_mbit=None):
        self.hosts = table.get("hosts", 2)
        self.paths = table.get("paths", 4)
        self.rate_mbit = rate_mbit or table.get("rate_mbit", 250)
        self.slow_mbit = table.get("slow_mbit")  # of the last path, where it differs

    def words(self):
        """What titles and arguments of cases may name in braces."""
        return {"hosts": self.hosts, "paths": self.paths, "rate": f"{self.rate_mbit:g}",
                "host_rate": f"{self.paths * self.rate_mbit:g}"}

    def wire_ms(self, operation, size, paths=None):
        """The least time of an operation, by what a host must send and receive."""
        share = {"allreduce": 2.0 * (self.hosts - 1) / self.hosts, "bcast": 1.0}[operation]
        return share * size * 8e-3 / ((paths or self.paths) * self.rate_mbit)


def cluster_of(data, case, rate_mbit=None):
    """The cluster of a case: that of its file, but for what the case says itself."""
    return Cluster({**data.get("cluster", {}), **case.get("cluster", {})}, rate_mbit)


def load_cluster(path, rate_mbit=None):
    with open(path, "rb") as file:
        return Cluster(tomllib.load(file).get("cluster", {}), rate_mbit)


def rivals(claim):
    """Who is on the right side of a claim: one, or several of whom the best counts at each size."""
    return claim["right"] if isinstance(claim["right"], list) else [claim["right"]]


def sides(claim):
    """All contenders that a claim names."""
    return ([claim["left"]] if "left" in claim else []) + rivals(claim)


def load(path, rate_mbit=None):
    """Returns (contenders by name, cases in the order of the file)."""
    with open(path, "rb") as file:
        data = tomllib.load(file)
    contenders = data.get("contender", {})
    for name, contender in contenders.items():
        contender["name"] = name
    for case in data.get("case", []):
        everyone = case["contenders"] + case.get("info", [])
        case.setdefault("np", 2)
        case["shape"] = cluster_of(data, case, rate_mbit)
        for key in ("title", "args", "quick_args"):
            if key in case:
                case[key] = case[key].format(**case["shape"].words())
        for name in everyone:
            if name not in contenders:
                raise DataError(f"case {case['name']}: no contender {name}")
        for claim in case.setdefault("claim", []):
            claim["pairs"] = "apart" in case
            if claim.get("rule") == "least":
                claim.setdefault("right", case["contenders"])
            if claim.get("rule") == "steady":
                claim["right"] = []
            for name in sides(claim):
                if name not in everyone:
                    raise DataError(f"case {case['name']}: {name} does not run in it")
    return contenders, data.get("case", [])


class Results:
    """The numbers of one case: values[contender][size][column] is a list, one value per run."""

    def __init__(self, case_name):
        self.case_name = case_name
        self.values = {}
        self.failures = {}
        self.title = None
        self.rate_mbit = None  # of a path of the cluster that it ran on

    def add(self, contender, rows, wall):
        for row in rows:
            columns = self.values.setdefault(contender, {}).setdefault(row["_size"], {})
            for name, value in row.items():
                if not name.startswith("_"):
                    columns.setdefault(name, []).append(value)
            columns.setdefault("wall", []).append(wall)

    def fail(self, contender, reason):
        self.failures.setdefault(contender, reason)

    def runs(self, contender, size, column):
        return self.values.get(contender, {}).get(size, {}).get(column, [])

    def median(self, contender, size, column):
        runs = self.runs(contender, size, column)
        return statistics.median(runs) if runs else None

    def sizes(self):
        found = set()
        for by_size in self.values.values():
            found.update(by_size)
        return sorted(found)

    def to_json(self):
        plain = {c: {str(s): cols for s, cols in by.items()} for c, by in self.values.items()}
        return {"case": self.case_name, "title": self.title, "rate_mbit": self.rate_mbit,
                "values": plain, "failures": self.failures}

    @staticmethod
    def from_json(data):
        results = Results(data["case"])
        results.values = {c: {int(s): cols for s, cols in by.items()}
                          for c, by in data["values"].items()}
        results.failures = data["failures"]
        results.title = data.get("title")
        results.rate_mbit = data.get("rate_mbit")
        return results


def size_range(text):
    """(low, high) of "low:high", or of "low" alone."""
    low, _, high = text.partition(":")
    return parse_size(low), parse_size(high or low)


def doubled_sizes(text):
    """The sizes of "low:high", each twice the one before."""
    low, high = size_range(text)
    sizes = [low]
    while 2 * sizes[-1] <= high:
        sizes.append(2 * sizes[-1])
    return sizes


def sizes_apart(sizes):
    """Those of a case whose sizes are runs of their own: "low:high", or a list."""
    if isinstance(sizes, str):
        return doubled_sizes(sizes)
    return [parse_size(size) for size in sizes]


def claim_sizes(claim, results):
    """The sizes of the case that the claim is about."""
    sizes = results.sizes()
    if "sizes" not in claim:
        return sizes
    low, high = size_range(claim["sizes"])
    return [size for size in sizes if low <= size <= high]


def needed_at(claim, size):
    raised = claim.get("needed_to")
    if raised and size <= raised["size"]:
        return raised["ratio"]
    return claim.get("needed", 1.0)


def advantage(claim, left, right):
    """How many times better left is."""
    if claim.get("better", "higher") == "lower":
        left, right = right, left
    if right == 0:
        return math.inf if left > 0 else 1.0
    return left / right


def values_for_interval(outside):
    """How many values it takes until their range holds the true median but for this probability:
    that all of n values lie on the same side of it has the probability 2 / 2^n."""
    return math.ceil(1.0 - math.log2(outside))


def median_interval(values, outside=0.05):
    """An interval that holds the true median but for this probability, about, from order
    statistics; the whole range where the values are too few for that."""
    ordered = sorted(values)
    count = len(ordered)
    skip = 0
    # P(median lies outside [k+1-th smallest, k+1-th largest]) = 2 * P(Binomial(n, 1/2) <= k);
    # the first of these has index k.
    tail = 0.0
    for k in range(count // 2):
        tail += math.comb(count, k) / 2.0**count
        if 2.0 * tail > outside:
            break
        skip = k
    return ordered[skip], ordered[count - 1 - skip]


class Verdict:
    """What one claim came to."""

    def __init__(self, case, claim):
        self.case = case["name"]
        self.says = claim["says"]
        self.needed = ""
        self.measured = ""
        self.ok = None  # True, False, or None when there are no numbers


def best_rival(claim, results, size, column):
    """The best of the right side at a size, among those that ran."""
    values = [results.median(name, size, column) for name in rivals(claim)]
    values = [value for value in values if value is not None]
    if not values:
        return None
    return min(values) if claim.get("better", "higher") == "lower" else max(values)


def ratio_of_medians(claim, results, size, column):
    """The advantage of the left side at a size, or None."""
    left = results.median(claim["left"], size, column)
    right = best_rival(claim, results, size, column)
    return None if left is None or right is None else advantage(claim, left, right)


def paired_ratios(claim, results, name, size, column):
    """The advantage of the left side over one on the right, in runs that followed each other."""
    return [advantage(claim, left, right)
            for left, right in zip(results.runs(claim["left"], size, column),
                                   results.runs(name, size, column))]


def median_of_ratios(claim, results, size, column):
    """The same from pairs of runs that followed each other: what changes the machine's speed now
    and then changes that of both. With several rivals, the one that does best counts."""
    pairs = [paired_ratios(claim, results, name, size, column) for name in rivals(claim)]
    return min((statistics.median(ratios) for ratios in pairs if ratios), default=None)


def judge_ratio(claim, results, column, verdict):
    ratio_at = median_of_ratios if claim.get("pairs") else ratio_of_medians
    worst = None
    for size in claim_sizes(claim, results):
        ratio = ratio_at(claim, results, size, column)
        if ratio is None:
            return
        margin = ratio / needed_at(claim, size)
        if worst is None or margin < worst[0]:
            worst = (margin, ratio, size, needed_at(claim, size))
    if worst is None:
        return
    verdict.ok = worst[0] >= 1.0
    verdict.needed = f">= {worst[3]:g}"
    verdict.measured = f"{worst[1]:.3g}" if worst[1] >= 100 else f"{worst[1]:.3f}"
    if len(claim_sizes(claim, results)) > 1:
        verdict.measured += f" (worst, {size_text(worst[2])})"


def judge_least(claim, results, column, verdict):
    """A program that runs both sides itself, and reports their ratio: the least, of all rivals."""
    values = [(value, size) for size in claim_sizes(claim, results) for name in rivals(claim)
              if (value := results.median(name, size, column)) is not None]
    if not values:
        return
    value, size = min(values)
    verdict.ok = value >= claim["needed"]
    verdict.needed = f">= {claim['needed']:g}"
    verdict.measured = f"{value:.3f} (worst, {size_text(size)})"


def judge_steady(claim, results, column, verdict):
    """No run is much worse than the median of all. Of one run that would be the run itself."""
    worst = None
    for size in claim_sizes(claim, results):
        runs = results.runs(claim["left"], size, column)
        if not runs:
            return
        if len(runs) < FEW:
            verdict.measured = f"{len(runs)} runs are too few to tell"
            return
        share = min(advantage(claim, run, statistics.median(runs)) for run in runs)
        if worst is None or share < worst[0]:
            worst = (share, size)
    if worst is None:
        return
    verdict.ok = worst[0] >= claim["needed"]
    verdict.needed = f">= {claim['needed']:g}"
    verdict.measured = f"{worst[0]:.3f} (worst, {size_text(worst[1])})"


def judge_noise(claim, results, column, verdict):
    """Passes unless left is worse with some certainty: pairs of runs of one round are compared. What
    such a pass does not exclude is said, too."""
    worst = None
    for size in claim_sizes(claim, results):
        pairs = paired_ratios(claim, results, claim["right"], size, column)
        if not pairs:
            return
        low, high = median_interval(pairs)
        if worst is None or high < worst[1]:
            worst = (low, high, statistics.median(pairs))
    if worst is None:
        return
    verdict.ok = worst[1] >= 1.0
    verdict.needed = "1 within noise"
    verdict.measured = f"{worst[2]:.3f} [{worst[0]:.3f}, {worst[1]:.3f}]"
    if worst[0] < CLEAR:
        verdict.measured += f", {100 * (1 - worst[0]):.0f} % worse is not excluded"


def judge_no_more(claim, results, column, verdict):
    most = []
    for side in ("left", "right"):
        runs = [value for size in claim_sizes(claim, results)
                for value in results.runs(claim[side], size, column)]
        if not runs:
            return
        most.append(max(runs))
    verdict.ok = most[0] <= most[1]
    verdict.needed = f"<= {most[1]:g}"
    verdict.measured = f"{most[0]:g}"


def judge(case, claim, results):
    """The verdict on one claim; results may be None."""
    verdict = Verdict(case, claim)
    column = claim.get("column", case["column"])
    rules = {"ratio": judge_ratio, "least": judge_least, "noise": judge_noise,
             "no more": judge_no_more, "steady": judge_steady}
    if results is None:
        verdict.measured = "not run"
        return verdict
    failed = [name for name in sides(claim) if name in results.failures]
    # Of several rivals, some may fail.
    reasons = [results.failures[name] for name in failed]
    if claim.get("left") in failed or (rivals(claim) and set(rivals(claim)) <= set(failed)):
        verdict.measured = reasons[0]
        verdict.needed = f">= {claim['needed']:g}" if "needed" in claim else ""
        verdict.ok = False
        return verdict
    rules[claim.get("rule", "ratio")](claim, results, column, verdict)
    if verdict.ok is None and not verdict.measured:
        verdict.measured = "no numbers"
        verdict.ok = False
    return verdict
