# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the report says: the summary, the machine, each figure with its claims and numbers, and
every command line."""

import csv
import os

import claims
import nodes
import pictures
import report
import series
import simulation
import tables
from runner import NotRun, ring_bytes


class Shown:
    """A figure with its numbers, verdicts and picture."""

    def __init__(self, context, figure):
        self.figure = figure
        self.title = f"{context.report['noun']} {figure['number']}: {figure['title']}"
        self.numbers = [series.of_group(context.description, figure, group, context.runner,
                                        context.outcome) for group in figure["groups"]]
        self.verdicts = self._needs(context) + [self._judge(context, claim)
                                                for claim in figure["claim"]]
        self.picture = f"fig{figure['number']}.png"
        path = os.path.join(context.out, self.picture)
        if not pictures.draw(context.description, figure, self.numbers, path):
            self.picture = None
            if os.path.exists(path):
                os.unlink(path)

    def _needs(self, context):
        """What must come out for the rows of the figure, if its groups are placements of them."""
        if not self.figure["need"]:
            return []
        groups = self.figure["groups"]
        judge = nodes.Judge(context.description.rows,
                            {group["key"]: numbers for group, numbers in zip(groups, self.numbers)},
                            {group["key"]: group["title"] for group in groups},
                            context.description.contenders)
        return [need for row, table in self.figure["need"].items()
                for need in judge.needs(row, table)]

    def _judge(self, context, claim):
        numbers = self.numbers[claim["group"]]
        cases = self.figure["groups"][claim["group"]]["cases"]
        cluster = context.description.cases[cases[0]].cluster if cases else None
        paths = context.description.clusters[cluster]["paths"] if cluster else 0
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
        self.report = description.report
        self.notes = notes  # sentences about this run of figures.sh as a whole

    def label(self, name):
        return self.description.contenders[name]["label"]


def _summary(page, context, shown):
    page.heading(2, "Summary")
    rows = [[str(one.figure["number"]), *verdict.row()] for one in shown
            for verdict in one.verdicts]
    page.table([context.report["noun"].lower(), "claim", context.report["wanted"], "here", "holds"],
               rows)
    page.paragraph(
        f"\"holds\" compares the number here with the {context.report['wanted']} one: \"within "
        "spread\" means that the median does not reach it and some of the runs do; \"-\" that there "
        "is nothing to compare. In brackets: the smallest and the largest of the runs. "
        + context.report["compare"])


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
            rows = [[_place_text(context, one.figure, group, x)] +
                    [_cell(numbers, name, x, column) for name in names] for x in places]
            title = f"{group['title']}: {unit}" if group["title"] else unit
            heads = [title] + [context.label(name) for name in names]
            if numbers.bounds and column == "time":
                heads.append("bound")
                rows = [row + [tables.number_text(numbers.bounds[x])] for row, x
                        in zip(rows, places)]
            page.table(heads, rows)


def _algorithms(page, context, one):
    """Which algorithms were chosen, of contenders that tell."""
    groups = [(group, numbers) for group, numbers in zip(one.figure["groups"], one.numbers)
              if numbers.algorithms]
    names = sorted({name for _, numbers in groups for name, _ in numbers.algorithms})
    for name in names:
        places = sorted({x for _, numbers in groups for who, x in numbers.algorithms if who == name})
        rows = [[_place_text(context, one.figure, {}, x)] +
                [numbers.algorithms.get((name, x), "-") for _, numbers in groups] for x in places]
        page.table([f"{context.label(name)}: algorithm"] + [group["title"] for group, _ in groups],
                   rows)


def _place_text(context, figure, group, x):
    if figure["plot"] == "rows":
        return list(context.description.rows.values())[x].says
    return claims.place_text({**figure, **group}, x)


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
    lines = [f"# simulated: test/unit/plan_time --csv {call}" for group in one.figure["groups"]
             for call in simulation.calls(group, context.description.quick)]
    lines += [""] if lines else []
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
    missing = context.runner.simulator.missing()
    if missing and any("simulated" in group for group in one.figure["groups"]):
        texts.append("simulated: " + missing)
    if texts:
        page.paragraph("Without numbers, or with fewer:")
        page.items(sorted(set(texts)))


def _figure(page, context, one):
    figure = one.figure
    page.heading(2, one.title)
    if "paper" in figure:
        page.paragraph("The paper: " + figure["paper"])
    page.paragraph("Here: " + figure["here"])
    if one.picture:
        page.picture(one.picture, one.title)
    else:
        page.paragraph("There are no numbers to draw yet.")
    if one.verdicts:
        page.table(["claim", context.report["wanted"], "here", "holds"],
                   [verdict.row() for verdict in one.verdicts])
    if "note" in figure:
        page.paragraph(figure["note"])
    _failures(page, context, one)
    _networks(page, context, one)
    _numbers(page, context, one)
    _algorithms(page, context, one)
    _commands(page, context, one)


def _columns(figure):
    """What the figure shows or claims of what the programs have written."""
    columns = set(figure["tables"]) | {claim["column"] for claim in figure["claim"]
                                       if "column" in claim}
    if figure["plot"] in ("rows", "lines", "kernels"):
        return columns
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
    page.paragraph(context.report["about"])
    _summary(page, context, shown)
    _machine(page, context, records)
    _method(page, context)
    for one in shown:
        _figure(page, context, one)
    page.write(title)
    _write_csv(context, shown)
    return shown


def print_summary(context, shown, chosen):
    """The claims of the chosen figures, as a table on the terminal."""
    rows = [[f"{one.figure['number']:2} {verdict.says}", *verdict.row()[1:]] for one in shown
            if one.figure in chosen for verdict in one.verdicts]
    print()
    tables.print_grid([f"{context.report['noun'].lower()} and claim", context.report["wanted"],
                       "here", "holds"], rows)
