# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts with several ranks: who is where, how many bytes the busiest host must send or receive,
whatever the algorithm, and what must come out for the rows of a table. Nothing here runs anything."""

import contest

MBIT = 0.125e6  # bytes per second


def host_ranks(table, hosts):
    """How many ranks each host has: listed, the same on all, or as ranks go round the hosts."""
    if "host_ranks" in table:
        return list(table["host_ranks"])
    if "per_host" in table:
        return [table["per_host"]] * hosts
    ranks = table.get("np", 2)
    return [(ranks + hosts - 1 - host) // hosts for host in range(min(hosts, ranks))]


def busiest_bytes(operation, block, ranks):
    """Bytes that some host must send or receive. block: what a rank gives, in alltoall to each
    other rank, in a reduction all that it gives; of reduce_scatter_block what a rank gets."""
    total, hosts = sum(ranks), len(ranks)
    if hosts < 2:
        return 0.0
    if operation == "allgather":
        return float((total - min(ranks)) * block)
    if operation == "alltoall":
        return float(max(here * (total - here) for here in ranks) * block)
    if operation == "reduce_scatter_block":
        return float((total - min(ranks)) * block)
    if operation == "allreduce":
        return 2.0 * (hosts - 1) / hosts * block
    if operation == "bcast":
        return float(block)
    raise contest.DataError(f"nobody has said what {operation} must move")


class Row:
    """One row of the tables: an operation at a size. Where `of` is "all", the size is what all
    blocks have together."""

    def __init__(self, name, table):
        self.name = name
        self.says = table["says"]
        self.operation = table["operation"]
        self.size = contest.parse_size(table["size"])
        self.of_all = table.get("of") == "all"

    def block(self, ranks):
        """Bytes of a block with so many ranks."""
        return self.size // ranks if self.of_all else self.size

    def bound_ms(self, ranks, paths, rate_mbit):
        """The least time: the bytes of the busiest host, over the rate of all its paths."""
        return busiest_bytes(self.operation, self.block(sum(ranks)), ranks) * 1e3 / (
            paths * rate_mbit * MBIT)


class Need:
    """A claim about a row: what is needed, and what contest.py says of the numbers."""

    def __init__(self, says, needed, verdict):
        self.says = says
        self.paper = needed
        self.here = verdict.measured.partition(" (worst")[0]
        self.holds = {True: "yes", False: "no", None: "-"}[verdict.ok]
        if verdict.measured in ("not run", "no numbers"):
            self.holds = "-"

    def row(self):
        return [self.says, self.paper, self.here, self.holds]


def results_of(numbers):
    """All groups of a figure as contest.py wants them: contenders are "group/name"."""
    results = contest.Results("rows")
    for key, group in numbers.items():
        for name, places in group.values.items():
            for x, columns in places.items():
                for column, runs in columns.items():
                    found = results.values.setdefault(f"{key}/{name}", {}).setdefault(x, {})
                    found[column] = [runs[rep] for rep in sorted(runs)]
        for name, (reason, _) in group.failures.items():
            if name not in group.values:
                results.fail(f"{key}/{name}", reason)
    return results


class Judge:
    """Makes the claims of a figure whose plot is "rows". numbers: {key of the group: Numbers};
    ours: the contender that is judged; others: who may be better."""

    def __init__(self, rows, numbers, titles, contenders):
        self.rows = rows
        self.numbers = numbers
        self.titles = titles
        self.contenders = contenders
        self.results = results_of(numbers)

    def _rivals(self, key, want):
        return [f"{key}/{name}" for name in self.numbers[key].values if want(self.contenders[name])]

    def _judge(self, row, claim, column):
        place = str(list(self.rows).index(row))
        case = {"name": "rows", "column": column}
        claim = {"says": row, "sizes": place, "better": "lower", **claim}
        return contest.judge(case, claim, self.results)

    def _against(self, row, key, ours, needed, want, whom):
        rivals = self._rivals(key, want)
        if not rivals:
            return None
        verdict = self._judge(row, {"left": f"{key}/{ours}", "right": rivals, "needed": needed},
                              "time")
        return Need(f"{self._says(row, key, ours)}: against {whom}", f">= {needed:g} times", verdict)

    def _says(self, row, key, ours):
        return f"{self.rows[row].says}, {self.titles[key]}, {self.contenders[ours]['label']}"

    def _share(self, row, key, ours, needed):
        verdict = self._judge(row, {"right": [f"{key}/{ours}"], "rule": "least",
                                    "needed": needed}, "share")
        return Need(f"{self._says(row, key, ours)}: share of the bound", f">= {needed:g}", verdict)

    def _steady(self, row, key, ours, needed):
        verdict = self._judge(row, {"left": f"{key}/{ours}", "right": [], "rule": "steady",
                                    "needed": 1.0 / needed}, "time")
        return Need(f"{self._says(row, key, ours)}: median over the longest run",
                    f">= 1/{needed:g}", verdict)

    def _placed(self, row, key, base, ours, needed):
        """Where ranks are placed in another way, as near to that way's bound."""
        verdict = self._judge(row, {"left": f"{key}/{ours}", "right": f"{base}/{ours}",
                                    "better": "higher", "needed": 1.0 / needed}, "share")
        return Need(f"{self._says(row, key, ours)}: against {self.titles[base]}, both scaled by "
                    "their bounds", f">= 1/{needed:g}", verdict)

    def needs(self, row, table):
        """All that the table [figure.N.need.ROW] asks for."""
        ours = table.get("ours", ["ours-4"])
        found = []
        for one in ours if isinstance(ours, list) else [ours]:
            found += self._needs_of(row, table, one)
        return [need for need in found if need is not None]

    def _needs_of(self, row, table, ours):
        found = []
        against = table.get("against_of", {}).get(ours) or table.get("against", {})
        for key, needed in against.items():
            mpich = table.get("against_mpich")
            found.append(self._against(
                row, key, ours, needed,
                lambda c, all_of=mpich is None: not c.get("ours") and (all_of or "library" not in c),
                "the best other" if mpich is None else "the best of Open MPI"))
            if mpich is not None:
                found.append(self._against(row, key, ours, mpich, lambda c: "library" in c,
                                           "MPICH"))
        if "bound" in table:
            found += [self._share(row, key, ours, table["bound"]) for key in table["bound_at"]]
        if "placed" in table:
            found += [self._placed(row, key, table["placed_base"], ours, table["placed"])
                      for key in table["placed_at"]]
        if "steady" in table:
            found += [self._steady(row, key, ours, table["steady"]) for key in self.numbers]
        return found
