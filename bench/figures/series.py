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
        self.algorithms = {}  # (contender, x): which one it has chosen, where it tells
        self.bounds = {}  # x: the least time that the network allows, in ms, where it is known

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
                if not column.startswith("_"):
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


def table(description, cases, runner, outcome):
    """By row: what was measured, and "share", the bound over the time. The bound itself is
    numbers.bounds[x], in ms."""
    numbers = Numbers()
    order = list(description.rows)
    for case in cases:
        for name, record in _records(case, runner, outcome, numbers):
            chosen = record.get("algorithms", [])
            for row in record["rows"]:
                kind = case.rows[row["_size"]]
                if len(chosen) == len(case.rows):
                    numbers.algorithms[(name, order.index(kind))] = chosen[row["_size"]]
                x, bound = order.index(kind), bound_of(description, case, kind, runner)
                numbers.bounds[x] = bound
                numbers.add(name, x, "time", record["rep"], row["time"])
                numbers.add(name, x, "share", record["rep"], bound / row["time"])
    return numbers


def bound_of(description, case, kind, runner):
    """The least time of a row on the network of a case, in ms."""
    shape = runner.shape(case)
    return description.rows[kind].bound_ms(case.host_ranks(shape.hosts), shape.paths,
                                           shape.rate_mbit)


def by_size(description, cases, runner, outcome):
    """Against the bytes of a block; of cases whose rows are one operation at several sizes."""
    return _by(description, cases, runner, outcome,
               lambda case, kind: description.rows[kind].block(case.np))


def by_hosts(description, cases, runner, outcome):
    """Against the number of hosts; of cases with one row each."""
    return _by(description, cases, runner, outcome,
               lambda case, kind: description.clusters[case.cluster]["hosts"])


def _by(description, cases, runner, outcome, place):
    numbers = Numbers()
    for case in cases:
        for name, record in _records(case, runner, outcome, numbers):
            for row in record["rows"]:
                kind = case.rows[row["_size"]]
                x = place(case, kind)
                numbers.bounds[x] = bound_of(description, case, kind, runner)
                numbers.add(name, x, "time", record["rep"], row["time"])
    return numbers


def of_group(description, figure, group, runner, outcome):
    """The numbers of one group of cases of a figure."""
    cases = [description.cases[name] for name in group["cases"]]
    if "simulated" in group:
        return runner.simulator.read(Numbers(), description, group)
    if figure["plot"] == "bars":
        return training(cases, runner, outcome)
    if figure["plot"] == "rows":
        return table(description, cases, runner, outcome)
    if figure["plot"] == "lines":
        return (by_hosts if group.get("x") == "hosts" else by_size)(description, cases, runner,
                                                                    outcome)
    return rows(cases[0], runner, outcome)
