# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the report says: the summary, the machine, each figure with its claims and numbers, and
every command line."""

import csv
import os

import claims
import pictures
import report
import series
import tables
from runner import NotRun, ring_bytes


class Shown:
    """A figure with its numbers, verdicts and picture."""

    def __init__(self, context, figure):
        self.figure = figure
        self.title = f"Figure {figure['number']}: {figure['title']}"
        self.numbers = [series.of_group(context.description, figure, group, context.runner,
                                        context.outcome) for group in figure["groups"]]
        self.verdicts = [self._judge(context, claim) for claim in figure["claim"]]
        self.picture = f"fig{figure['number']}.png"
        path = os.path.join(context.out, self.picture)
        if not pictures.draw(context.description, figure, self.numbers, path):
            self.picture = None
            if os.path.exists(path):
                os.unlink(path)

    def _judge(self, context, claim):
        numbers = self.numbers[claim["group"]]
        case = context.description.cases[self.figure["groups"][claim["group"]]["cases"][0]]
        paths = context.description.clusters[case.cluster]["paths"] if case.cluster else 0
        wire = (numbers.rate_mbit or 0.0) * pictures.MBIT * paths
        return claims.judge(self.figure, claim, numbers, wire)

    def records(self):
        """{contender: its records}, over all groups."""
        merged = {}
        for numbers in self.numbers:
            for name, found in numbers.records.items():
                merged.setdefault(name, []).extend(found)
        return merged


class Context:
    """Everything that the report is made from. outcome: {(case, contender): (reason, log)}."""

    def __init__(self, description, runner, machine, out, outcome, notes):
        self.description = description
        self.runner = runner
        self.machine = machine
        self.out = out
        self.outcome = outcome
        self.notes = notes  # sentences about this run of figures.sh as a whole

    def label(self, name):
        return self.description.contenders[name]["label"]


def _summary(page, shown):
    page.heading(2, "Summary")
    rows = [[str(one.figure["number"]), *verdict.row()] for one in shown
            for verdict in one.verdicts]
    page.table(["figure", "claim", "paper", "here", "holds"], rows)
    page.paragraph(
        "\"holds\" compares the number here with the paper's: \"within spread\" means that the "
        "median does not reach it and some of the runs do; \"-\" that there is nothing to compare. "
        "In brackets: the smallest and the largest of the runs. Networks and processors are not "
        "the paper's: `docs/benchmarks.md` tells which numbers can be compared and which cannot.")


def _machine(page, context, records):
    page.heading(2, "Machine and versions")
    facts = {**context.machine.hardware, **context.machine.software,
             "this project": context.machine.commit}
    commits = sorted({record["commit"] for record in records} - {context.machine.commit})
    if commits:
        facts["measured at"] = ", ".join(commits) + " (the sources that matter are the same)"
    if records:
        times = sorted(record["when"] for record in records)
        facts["measured from"] = f"{times[0]} to {times[-1]}"
        loads = sorted(record["load"] for record in records)
        facts["load before a run"] = f"median {loads[len(loads) // 2]:.1f}, at most {loads[-1]:.1f}"
    page.table(["", ""], [[name, value] for name, value in facts.items()])


def _method(page, context):
    page.heading(2, "How it was measured")
    page.paragraph(
        "The contenders of a case take turns, in alternating order (A B B A ...), so that whatever "
        "else the machine does hits all alike. All numbers are medians over these turns; each turn "
        "is itself a median of several samples, as `bench/README.md` describes. Whiskers in the "
        "pictures and brackets in the tables span the smallest and the largest turn. Ratios are "
        "those of the medians; their spread is that of the ratios of turns.")
    for note in context.notes:
        page.paragraph(note)


def _networks(page, context, one):
    """How fast the networks were made that follow the time of computing."""
    rows = []
    for group in one.figure["groups"]:
        for name in group["cases"]:
            rows += _network(context, context.description.cases[name])
    if rows:
        page.table(["network", "computing", "exchange at the wire's rate, 1 path",
                    "all paths", "rate of a path"], rows)


def _network(context, case):
    table = context.description.clusters.get(case.cluster, {})
    if "balance" not in table or not case.contenders:
        return []
    try:
        seconds, size = context.runner.computing(table["balance"]["case"])
        rate = context.runner.shape(case).rate_mbit
    except NotRun:
        return []
    one = ring_bytes(table["hosts"], size) * 8e-6 / rate
    return [[f"{case.name}, {table['hosts']} hosts", f"{seconds * 1e3:.0f} ms",
             f"{one * 1e3:.0f} ms", f"{one / table['paths'] * 1e3:.0f} ms", f"{rate:g} Mbit/s"]]


def _numbers(page, context, one):
    for group, numbers in zip(one.figure["groups"], one.numbers):
        places = numbers.places()
        for column, unit in one.figure["tables"].items():
            names = [name for name in numbers.values if any(
                numbers.median(name, x, column) is not None for x in places)]
            if not names or len(places) > 30:
                continue
            rows = [[claims.place_text(one.figure, x)] +
                    [_cell(numbers, name, x, column) for name in names] for x in places]
            title = f"{group['title']}: {unit}" if group["title"] else unit
            page.table([title] + [context.label(name) for name in names], rows)


def _cell(numbers, name, x, column):
    median = numbers.median(name, x, column)
    if median is None:
        return "-"
    low, high = numbers.spread(name, x, column)
    text = tables.number_text(median)
    if len(numbers.runs(name, x, column)) < 2:
        return text
    return f"{text} [{tables.number_text(low)} to {tables.number_text(high)}]"


def _commands(page, context, one):
    lines = []
    for name, found in one.records().items():
        seen = set()
        lines.append(f"# {context.label(name)}: {len(found)} runs")
        for record in found:
            command = tuple(record["command"])
            if command in seen:
                continue
            seen.add(command)
            lines.append(f"# on {record['network']}")
            for remark in record["remarks"]:
                lines += ["#   " + text for text in _folded(remark)]
            lines += report.command_lines(record["command"])
        lines.append("")
    if lines:
        page.code("Every command line, and the settings that the programs saw; networks are those "
                  "of `test/vcluster with`", lines[:-1])


def _folded(text, width=92):
    words, line = text.split(), ""
    for word in words:
        if line and len(line) + len(word) + 1 > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _failures(page, context, one):
    texts = []
    for numbers in one.numbers:
        for name, (reason, log) in numbers.failures.items():
            where = f" (`{log}`)" if log else ""
            texts.append(f"{context.label(name)}: {reason}{where}")
    if texts:
        page.paragraph("Without numbers, or with fewer:")
        page.items(sorted(set(texts)))


def _figure(page, context, one):
    figure = one.figure
    page.heading(2, one.title)
    page.paragraph("The paper: " + figure["paper"])
    page.paragraph("Here: " + figure["here"])
    if one.picture:
        page.picture(one.picture, one.title)
    else:
        page.paragraph("There are no numbers to draw yet.")
    page.table(["claim", "paper", "here", "holds"], [verdict.row() for verdict in one.verdicts])
    if "note" in figure:
        page.paragraph(figure["note"])
    _failures(page, context, one)
    _networks(page, context, one)
    _numbers(page, context, one)
    _commands(page, context, one)


def _columns(figure):
    """What the figure shows or claims of what the programs have written."""
    columns = set(figure["tables"]) | {claim["column"] for claim in figure["claim"]
                                       if "column" in claim}
    return columns | {figure["column"]} if "column" in figure else columns | {"loss", "ms", "time"}


def _write_csv(context, shown):
    for one in shown:
        path = os.path.join(context.out, f"fig{one.figure['number']}.csv")
        if not one.picture:
            if os.path.exists(path):
                os.unlink(path)
            continue
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["group", "contender", "label", "x", "column", "median", "smallest",
                             "largest", "runs"])
            for group, numbers in zip(one.figure["groups"], one.numbers):
                for name in numbers.values:
                    for x, columns in sorted(numbers.values[name].items()):
                        for column in sorted(_columns(one.figure) & set(columns)):
                            runs = columns[column]
                            low, high = numbers.spread(name, x, column)
                            writer.writerow([group["title"], name, context.label(name), x, column,
                                             f"{numbers.median(name, x, column):g}", f"{low:g}",
                                             f"{high:g}", " ".join(f"{value:g}" for value
                                                                   in runs.values())])


def write(context, title):
    """Pictures, CSV files, report.md and report.html. Returns the figures as shown."""
    shown = [Shown(context, figure) for figure in context.description.figures]
    records = [record for one in shown for found in one.records().values() for record in found]
    page = report.Report(context.out)
    page.heading(1, title)
    page.paragraph("Figures of Y. H. Temu\u00e7in et al., \"Utilizing Network Hardware Parallelism "
                   "for MPI Partitioned Collective Communication\", measured again with part/ucx "
                   "and coll/pschedule on a cluster of virtual hosts inside one machine.")
    _summary(page, shown)
    _machine(page, context, records)
    _method(page, context)
    for one in shown:
        _figure(page, context, one)
    page.write(title)
    _write_csv(context, shown)
    return shown


def print_summary(shown, chosen):
    """The claims of the chosen figures, as a table on the terminal."""
    rows = [[f"{one.figure['number']:2} {verdict.says}", *verdict.row()[1:]] for one in shown
            if one.figure in chosen for verdict in one.verdicts]
    print()
    tables.print_grid(["figure and claim", "paper", "here", "holds"], rows)
