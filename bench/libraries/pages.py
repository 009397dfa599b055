# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The report of a comparison: who wins where, slow defaults, curves, what varies, every command."""

import os

import contest
import judge
from report import Report

TITLE = "MPI libraries, compared"
MOST_VARYING = 8
MOST_DEFAULTS = 40
CURVES = ("bandwidth", "bcast", "allgather", "alltoall", "allreduce", "reduce_scatter")


def seconds_text(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.2g} us"


def sizes_of(results, place, operation):
    return sorted({size for table in results.series.get(place, {}).values()
                   for name, _, size in table if name == operation})


def operations_of(results, place):
    found = []
    for table in results.series.get(place, {}).values():
        for name, _, _ in table:
            if name not in found:
                found.append(name)
    return found


def size_word(size):
    return contest.size_text(size) if size else "-"


class Pages:
    """options: out. machine: facts. contenders: in their order. findings: slow defaults, None
    if that was interrupted. tried: the places where they were looked for."""

    def __init__(self, options, results, machine, places, contenders, findings, tried=()):
        self.options, self.results, self.machine = options, results, machine
        self.places = [place for place in places if place.key in results.series]
        self.names = [contender.name for contender in contenders]
        self.report, self.drawing = Report(options.out), None
        self.short = {name: chr(ord("A") + i) for i, name in enumerate(self.names)}
        self.tried = tried
        self.unfinished = findings is None
        self.findings = sorted(findings or [], key=lambda finding: -finding.most)

    # ------------------------------------------------------------ who wins

    def _winner(self, place, operation, size, forms):
        """(judge.Winner, what a table says of it), or None."""
        won = judge.winner(self.results, place.key, self.names, operation, size, forms)
        if won is None:
            return None
        form = f" {won.form}" if len(forms) > 1 else ""
        factor = "" if won.factor is None else f" {won.factor:.2f}"
        return won, f"{self.short[won.contender]}{form}{factor}{'' if won.sure else ' ?'}"

    def _map(self, place, forms):
        operations = operations_of(self.results, place.key)
        sizes = sorted({size for name in operations
                        for size in sizes_of(self.results, place.key, name)})
        cells = {(name, size): found for name in operations for size in sizes
                 if (found := self._winner(place, name, size, forms)) is not None}
        if self.drawing is not None:
            name = f"winners-{place.key}-{'all' if len(forms) > 1 else forms[0]}.png"
            title = f"{place.text()}, {'every form' if len(forms) > 1 else forms[0]}"
            self.report.picture(self.drawing.heat(
                self.options.out, name, title, operations,
                [(size, size_word(size)) for size in sizes],
                {key: (won, self._short_text(won, forms)) for key, (won, _) in cells.items()},
                {one: self.results.labels[one] for one in self.names}), title)
        self.report.table(["operation"] + [size_word(size) for size in sizes],
                          [[name] + [cells[(name, size)][1] if (name, size) in cells else ""
                                     for size in sizes] for name in operations])

    @staticmethod
    def _short_text(won, forms):
        form = {"blocking": "b ", "persistent": "ps ", "partitioned": "pt "}[won.form]
        return (form if len(forms) > 1 else "") + ("" if won.factor is None
                                                   else f"{won.factor:.2f}")

    def _winners(self):
        self.report.heading(2, "Who wins where")
        self.report.paragraph(
            "A cell has the contender that takes least, as a mean of rounds, and how many times as "
            "long the best of the others takes. A question mark: not all runs agree, or there are fewer than "
            f"{judge.FEWEST}. In pictures the colour says who, and b, ps and pt are the forms "
            "blocking, persistent, partitioned.")
        self.report.items([f"{self.short[name]}: {self.results.labels[name]}"
                           for name in self.names])
        for place in self.places:
            self.report.heading(3, place.text())
            self.report.paragraph("Blocking calls (point-to-point with a window: non-blocking):")
            self._map(place, ("blocking",))
            self.report.paragraph("Each contender with the form that is best for it:")
            self._map(place, ("blocking", "persistent", "partitioned"))

    # ------------------------------------------------------------ defaults

    def _finding_row(self, finding):
        low, high = finding.sizes()
        sizes = size_word(low) if low == high else f"{size_word(low)} to {size_word(high)}"
        return [self.results.labels[finding.attempt.base.name], finding.place,
                f"{finding.operation}, {finding.form}", sizes, f"{finding.most:.2f}",
                f"`{finding.attempt.set}`"]

    def _defaults(self):
        self.report.heading(2, "Defaults that something else beats")
        self.report.paragraph(
            f"The default takes at least {judge.SLOW_DEFAULT} times as long: one run said so, and "
            f"then all of {judge.CONFIRMING} in which it took turns with the other setting. Only "
            "what libraries.toml lists was tried"
            + (f", at {', '.join(place.key for place in self.tried)}." if self.tried else "."))
        if not self.findings:
            self.report.paragraph("This was interrupted: nothing is known."
                                  if self.unfinished else "None was found.")
            return
        self.report.table(["default of", "hosts x ranks", "operation", "bytes", "times slower",
                           "than with"],
                          [self._finding_row(finding) for finding in
                           self.findings[:MOST_DEFAULTS]])

    # ------------------------------------------------------------ numbers

    def _varies(self):
        lines = []
        for place in self.places:
            for name in self.names:
                found = judge.varying(self.results, place.key, name)
                if found:
                    worst = ", ".join(f"{key[0]} {key[1]} {size_word(key[2])} ({spread:.0%})"
                                      for spread, key in found[:MOST_VARYING])
                    lines.append(f"{place.key}, {self.results.labels[name]}: {len(found)} rows; "
                                 f"worst: {worst}")
        self.report.heading(2, "What varies")
        self.report.paragraph(f"Rows whose runs are more than {judge.VARIES:.0%} apart. "
                              + self.machine.why_it_varies(self.places))
        self.report.items(lines or ["none"])

    def _curves(self):
        if self.drawing is None:
            return
        self.report.heading(2, "Time against size")
        self.report.paragraph("Means of the run in the middle; bars from the 5th to the 95th percentile.")
        for place in self.places:
            for operation in CURVES:
                name = self.drawing.curves(self.options.out, self.results, place, operation,
                                           self.names)
                if name:
                    self.report.picture(name, f"{operation}, {place.text()}")

    def _summary_csv(self):
        path = os.path.join(self.options.out, "numbers.csv")
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("hosts_x_ranks,contender,operation,form,bytes,runs,iterations,mean_s,"
                       "median_s,p5_s,p95_s,worst_s\n")
            for place, of in self.results.series.items():
                for contender, table in of.items():
                    for (operation, form, size), series in sorted(table.items()):
                        s = series.summary()
                        file.write(f"{place},{contender},{operation},{form},{size},"
                                   f"{len(series.runs)},{s['iterations']:.0f},{s['mean']:.9g},"
                                   f"{s['median']:.9g},{s['p5']:.9g},{s['p95']:.9g},"
                                   f"{s['worst']:.9g}\n")
        os.replace(path + ".new", path)

    def write(self, drawing, commands):
        """drawing: has `heat` and `curves`, or None."""
        report, self.drawing = self.report, drawing
        report.heading(1, TITLE)
        report.paragraph("Written by `bench/libraries.sh`. Times of a round on the rank where it "
                         "took longest; of bandwidths divided by the messages of a window. What "
                         "the first round left, and one more after those that were timed, was "
                         "compared with what it must be.")
        if self.options.longest:
            report.paragraph(f"After one that takes more than {self.options.longest:g} s larger "
                             "sizes of an operation are left out.")
        for place, contender, reason in self.results.failures:
            report.paragraph(f"**Failed**: {contender} at {place}: {reason}")
        self._winners()
        self._defaults()
        self._curves()
        self._varies()
        report.heading(2, "Machine, versions, commands")
        report.table(["", ""], [[name, value] for name, value in self.results.facts.items()])
        for name, lines in commands.items():
            report.code(name, lines)
        report.write(TITLE)
        self._summary_csv()
