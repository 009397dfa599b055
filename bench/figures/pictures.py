# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures from their numbers. Whiskers span all runs, the marks are the medians."""

from matplotlib.ticker import MaxNLocator

import style

# MB/s of a path of 1 Mbit/s.
MBIT = 0.125


class Sheet:
    """What a figure is drawn from."""

    def __init__(self, description, figure, numbers):
        self.contenders = description.contenders
        self.figure = figure
        self.numbers = numbers  # of each group
        names = []
        for group in numbers:
            names += [name for name in group.values if name not in names]
        order = [name for case in figure["cases"] for name in description.cases[case].contenders]
        order += [name for name in names if name not in order]  # simulated
        self.names = sorted(names, key=order.index)
        self.look = style.Look(self.contenders, self.names)
        self.rows = list(description.rows.values())
        self.paths = None
        case = description.cases[figure["cases"][0]]
        if case.cluster is not None:
            self.paths = description.clusters[case.cluster]["paths"]

    def label(self, name):
        return self.contenders[name]["label"]

    def row_says(self, x):
        return self.rows[x].says


def _whiskers(numbers, name, places, column, factor=None):
    """Medians and the distances to the smallest and largest run, as errorbar() wants them."""
    factors = [factor(x) if factor else 1.0 for x in places]
    middle = [numbers.median(name, x, column) * f for x, f in zip(places, factors)]
    ends = [numbers.spread(name, x, column) for x in places]
    below = [m - low * f for m, (low, _), f in zip(middle, ends, factors)]
    above = [high * f - m for m, (_, high), f in zip(middle, ends, factors)]
    return middle, [below, above]


def _ratio_curve(axes, sheet, name, numbers, places, column, better):
    def ratio(left, right):
        return right / left if better == "lower" else left / right

    found = [(x, numbers.paired(ratio, name, sheet.figure["baseline"], x, column))
             for x in places]
    found = [(x, value) for x, value in found if value is not None]
    if found:
        middle = [value[0] for _, value in found]
        error = [[value[0] - value[1] for _, value in found],
                 [value[2] - value[0] for _, value in found]]
        axes.errorbar([x for x, _ in found], middle, yerr=error, **sheet.look.line(name))


def _ratio_panel(axes, sheet, numbers, places, column, better):
    for name in sheet.names:
        if name != sheet.figure["baseline"]:
            _ratio_curve(axes, sheet, name, numbers, places, column, better)
    style.level(axes, 1.0, linestyle="-")
    for mark in sheet.figure.get("paper_levels", []):
        style.level(axes, mark["value"], mark["text"], linestyle=":")
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"times that of {sheet.label(sheet.figure['baseline'])}")


def _wire(axes, sheet, numbers):
    one = numbers.rate_mbit * MBIT
    style.level(axes, one * sheet.paths, f"wire, {sheet.paths} paths:\n{one * sheet.paths:g} MB/s")
    style.level(axes, one, f"wire, 1 path:\n{one:g} MB/s")
    axes.set_ylim(0, max(one * sheet.paths * 1.12, axes.get_ylim()[1]))


def draw_curves(sheet):
    """Bandwidth against size, and the same as multiples of one contender's."""
    numbers, column = sheet.numbers[0], sheet.figure["column"]
    sizes = numbers.places()
    figure, (left, right) = style.panels(2, [1.25, 1], levels=True)
    for name in sheet.names:
        places = numbers.places(name)
        middle, error = _whiskers(numbers, name, places, column)
        left.errorbar(places, middle, yerr=error, label=sheet.label(name), **sheet.look.line(name))
    _wire(left, sheet, numbers)
    left.set_ylabel(sheet.figure["ylabel"])
    if sheet.figure["baseline"] in numbers.values:
        _ratio_panel(right, sheet, numbers, sizes, column, "higher")
    for axes in (left, right):
        style.size_axis(axes, sizes)
        axes.set_xlabel("message size")
    style.legend(figure, left)
    return figure


def draw_polling(sheet):
    """Time of all polls against the number of threads, and how many times less ours takes."""
    numbers, column = sheet.numbers[0], sheet.figure["column"]
    polls = sheet.figure["polls"]
    counts = numbers.places()
    figure, (left, right) = style.panels(2, [1.25, 1], levels=True)
    for name in sheet.names:
        places = numbers.places(name)
        # ns of a poll to us of all polls of all threads.
        middle, error = _whiskers(numbers, name, places, column, lambda n: n * polls * 1e-3)
        left.errorbar(places, middle, yerr=error, label=sheet.label(name), **sheet.look.line(name))
    left.set_yscale("log")
    left.set_ylabel(f"time of all polls, {polls} per thread (\u00b5s)")
    ours = sheet.figure["ours"]
    for name in sheet.names:
        found = [(x, value) for x in counts if name != ours and ours in numbers.values and
                 (value := numbers.paired(lambda a, b: b / a, ours, name, x, column))]
        if found:
            error = [[v[0] - v[1] for _, v in found], [v[2] - v[0] for _, v in found]]
            right.errorbar([x for x, _ in found], [v[0] for _, v in found], yerr=error,
                           **sheet.look.line(name))
    for mark in sheet.figure.get("paper_points", []):
        right.plot([mark["x"]], [mark["value"]], "x", color=style.GREY, markersize=8,
                   markeredgewidth=1.8)
        # Right of the mark; of the last one that is outside the axes, where no curve can be.
        right.annotate(mark["text"], (mark["x"], mark["value"]),
                       xytext=(16 if mark["x"] == counts[-1] else 7, 0), fontsize=8,
                       textcoords="offset points", color=style.GREY, va="center",
                       annotation_clip=False)
    style.level(right, 1.0, linestyle="-")
    right.set_yscale("log")
    right.set_ylabel(f"times that of {sheet.label(ours)}")
    for axes in (left, right):
        style.count_axis(axes, counts)
        axes.set_xlabel("threads, each polling a partition of its own")
    style.legend(figure, left)
    return figure


def _bars(axes, sheet, group, numbers):
    column, relative = sheet.figure["column"], sheet.figure.get("baseline")
    places = numbers.places()
    names = [name for name in sheet.names if name in numbers.values]
    width = 0.8 / max(1, len(names))
    for k, name in enumerate(names):
        there = [x for x in numbers.places(name)
                 if not relative or numbers.median(relative, x, column)]

        def share(x):
            return 100.0 / numbers.median(relative, x, column) if relative else 1.0

        if not there:
            continue
        middle, error = _whiskers(numbers, name, there, column, share)
        spots = [places.index(x) + (k - (len(names) - 1) / 2) * width for x in there]
        axes.bar(spots, middle, width * 0.92, label=sheet.label(name), **sheet.look.bar(name))
        axes.errorbar(spots, middle, yerr=error, fmt="none", ecolor="black", elinewidth=0.9,
                      capsize=2.5)
        for spot, height in zip(spots, middle):  # at the foot, where no whisker ends
            axes.annotate(f"{height:.0f}", (spot, 0), xytext=(0, 2), fontsize=7.5,
                          textcoords="offset points", ha="center", va="bottom",
                          bbox={"boxstyle": "square,pad=0.1", "facecolor": "white",
                                "edgecolor": "none", "alpha": 0.75})
    axes.set_xlim(-0.5, max(0.5, len(places) - 0.5))
    axes.set_xticks(range(len(places)))
    axes.set_xticklabels([f"{x} hosts" for x in places])
    axes.grid(axis="x", visible=False)
    axes.set_title(group["title"])


def draw_bars(sheet):
    """Bars for each number of hosts, a panel for each group of cases."""
    figure, axes = style.panels(len(sheet.numbers))
    for panel, group, numbers in zip(axes, sheet.figure["groups"], sheet.numbers):
        _bars(panel, sheet, group, numbers)
    axes[0].set_ylabel(sheet.figure["ylabel"])
    style.legend(figure, axes[-1] if axes[-1].get_legend_handles_labels()[0] else axes[0])
    return figure


def draw_loss(sheet):
    """Loss against steps, where all must be the same, and against time, where they are not."""
    numbers = sheet.numbers[0]
    figure, (left, right) = style.panels(2)
    for name in sheet.names:
        steps = numbers.places(name)
        loss = [numbers.median(name, step, "loss") for step in steps]
        look = sheet.look.line(name) | {"markevery": max(1, len(steps) // 8)}
        times = [numbers.median(name, step, "time") for step in steps]
        for key in ("capsize", "elinewidth"):
            look.pop(key)
        left.plot(steps, loss, label=sheet.label(name), **look)
        right.plot(times, loss, **look)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.set_xlabel("iteration")
    right.set_xlabel("time of all iterations until then (s)")
    left.set_ylabel("loss, mean of all ranks (nats per byte)")
    style.legend(figure, left)
    return figure


def _best_other(sheet, numbers, x):
    values = [numbers.median(name, x, "time") for name in numbers.values
              if not sheet.contenders[name].get("ours")]
    return min((value for value in values if value is not None), default=None)


def _row_bars(axes, sheet, group, numbers, rows):
    """How many times the best other's time every contender takes, row by row."""
    places = [x for x in numbers.places() if _best_other(sheet, numbers, x)]
    names = [name for name in sheet.names if name in numbers.values]
    width = 0.8 / max(1, len(names))
    for k, name in enumerate(names):
        there = [x for x in places if numbers.median(name, x, "time") is not None]
        if there:
            middle, error = _whiskers(numbers, name, there, "time",
                                      lambda x: 1.0 / _best_other(sheet, numbers, x))
            spots = [rows.index(x) + (k - (len(names) - 1) / 2) * width for x in there]
            axes.barh(spots, middle, width * 0.92, xerr=error, label=sheet.label(name),
                      error_kw={"elinewidth": 0.7}, **sheet.look.bar(name))
    axes.axvline(1.0, color=style.GREY, linewidth=1.0)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([sheet.row_says(x) for x in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params("y", labelleft=axes.get_subplotspec().is_first_col())
    axes.grid(axis="y", visible=False)
    axes.set_title(group["title"], fontsize=9)


def draw_rows(sheet):
    """A panel of bars for each placement that has numbers; the same rows in all."""
    there = [(group, numbers) for group, numbers in zip(sheet.figure["groups"], sheet.numbers)
             if numbers.values]
    rows = sorted({x for _, numbers in there for x in numbers.places()})
    figure, axes = style.tall_panels(len(there), len(rows))
    for panel, (group, numbers) in zip(axes, there):
        _row_bars(panel, sheet, group, numbers, rows)
        panel.set_xlabel("times the best other's")
    style.legend(figure, max(axes, key=lambda panel: len(panel.get_legend_handles_labels()[0])))
    return figure


def _lines(axes, sheet, group, numbers):
    for name in sheet.names:
        places = numbers.places(name) if name in numbers.values else []
        if places:
            middle, error = _whiskers(numbers, name, places, "time")
            axes.errorbar(places, middle, yerr=error, label=sheet.label(name),
                          **sheet.look.line(name))
    bounds = sorted(numbers.bounds.items())
    if bounds:
        axes.plot([x for x, _ in bounds], [value for _, value in bounds], color=style.GREY,
                  linestyle="--", linewidth=1.0, label="bound")
    axes.set_yscale("log")
    axes.set_title(group["title"], fontsize=9)
    if not numbers.places():
        axes.set_axis_off()
        axes.annotate("no numbers yet", (0.5, 0.5), xycoords="axes fraction", ha="center")
    elif group.get("x") == "hosts":
        style.count_axis(axes, numbers.places())
        axes.set_xlabel("hosts")
    else:
        style.size_axis(axes, numbers.places())
        axes.set_xlabel("size")


def draw_lines(sheet):
    """Time against size or hosts, a panel for each group."""
    figure, axes = style.panels(len(sheet.numbers))
    for panel, group, numbers in zip(axes, sheet.figure["groups"], sheet.numbers):
        _lines(panel, sheet, group, numbers)
    axes[0].set_ylabel("time (ms)")
    style.legend(figure, max(axes, key=lambda panel: len(panel.get_legend_handles_labels()[0])))
    return figure


def _kernel_bars(axes, sheet, group, numbers):
    """The time of a round; the black mark is what computing alone takes."""
    names = [name for name in sheet.names if name in numbers.values]
    for k, name in enumerate(names):
        x = numbers.places(name)[-1]
        middle, error = _whiskers(numbers, name, [x], "time")
        axes.bar([k], middle, 0.8, yerr=error, label=sheet.label(name), **sheet.look.bar(name))
        axes.hlines(numbers.median(name, x, "compute"), k - 0.4, k + 0.4, color="black")
        axes.annotate(f"{middle[0]:.3g}", (k, middle[0]), xytext=(0, 4), ha="center",
                      textcoords="offset points", fontsize=8)
    axes.set_xticks([])
    axes.set_title(group["title"], fontsize=9)


def draw_kernels(sheet):
    """A panel of bars for each kernel."""
    figure, axes = style.panels(len(sheet.numbers))
    for panel, group, numbers in zip(axes, sheet.figure["groups"], sheet.numbers):
        _kernel_bars(panel, sheet, group, numbers)
    axes[0].set_ylabel("time of a round (ms)")
    style.legend(figure, max(axes, key=lambda panel: len(panel.get_legend_handles_labels()[0])))
    return figure


KINDS = {"rows": draw_rows, "lines": draw_lines, "kernels": draw_kernels,
         "curves": draw_curves, "polling": draw_polling, "bars": draw_bars, "loss": draw_loss}


def draw(description, figure, numbers, path):
    """Writes the picture; False when there are no numbers to draw."""
    if not any(group.values for group in numbers):
        return False
    style.save(KINDS[figure["plot"]](Sheet(description, figure, numbers)), path)
    return True
