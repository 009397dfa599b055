#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what gpt2.py has measured: the time of a step, what the first one costs, and the loss."""

import argparse
import itertools
import os
import sys

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

import gpt2_results
import style


class Drawing:
    """What all plots need."""

    def __init__(self, out, data, everything):
        self.out = out
        self.contenders = data["contender"]
        self.warmup = data["training"]["warmup"]
        self.paths = data["cluster"]["paths"]
        self.everything = everything
        self.look = style.Look(self.contenders, list(self.contenders))

    def names(self, results):
        return [name for name in self.contenders if name in results.runs]

    def panels(self, height, rows=1):
        """A column of panels for each number of hosts."""
        count = len(self.everything)
        figure, axes = plt.subplots(rows, count, figsize=(2.6 + 3.2 * count, height),
                                    dpi=style.PICTURE_DPI, squeeze=False)
        for panel, results in zip(axes[0], self.everything):
            panel.set_title(f"{results.hosts} hosts, {self.paths} paths of "
                            f"{results.rate_mbit:g} Mbit/s", fontsize=10)
        return figure, axes

    def save(self, figure, name):
        path = os.path.join(self.out, name)
        style.save(figure, path)
        print(f"Plot: {path}", file=sys.stderr)


def draw_step_bars(panel, drawing, results):
    """Computing and the exchange that was not hidden, stacked."""
    names = drawing.names(results)[::-1]
    for row, name in enumerate(names):
        colour = drawing.look.colour(name)
        total = results.median(name, "ms", drawing.warmup)
        compute = min(total, results.median(name, "compute_ms", drawing.warmup))
        panel.barh(row, compute, color=colour, height=0.62)
        panel.barh(row, total - compute, left=compute, color="white", edgecolor=colour, hatch="///",
                   height=0.62, linewidth=1.0)
        low, high = results.spread(name, drawing.warmup) or (total, total)
        panel.plot([low, high], [row, row], color="black", linewidth=1.2, marker="|", markersize=6)
        panel.annotate(f"{total:.0f}", xy=(max(total, high), row), xytext=(4, 0),
                       textcoords="offset points", va="center", fontsize=8.5)
    panel.set_yticks(range(len(names)), [drawing.contenders[name]["label"] for name in names],
                     fontsize=8.5)
    panel.axvline(results.compute_ms, color=style.GREY, linestyle="--", linewidth=1.1)
    panel.annotate("computing\nalone", xy=(results.compute_ms, len(names) - 0.45), xytext=(3, 0),
                   textcoords="offset points", fontsize=7.5, color=style.GREY, va="bottom")
    panel.set_ylim(-0.6, len(names) + 0.35)
    panel.set_xlim(0, panel.get_xlim()[1] * 1.12)
    panel.set_xlabel("time of a step (ms)")
    panel.grid(False, axis="y")


def draw_steps(drawing):
    figure, axes = drawing.panels(0.9 + 0.42 * len(drawing.contenders))
    for panel, results in zip(axes[0], drawing.everything):
        draw_step_bars(panel, drawing, results)
        if panel is not axes[0][0]:
            panel.tick_params(labelleft=False)
    figure.suptitle("GPT-2, a training step: computing (filled), exchange that was not hidden "
                    "(hatched); median, 5 % to 95 %", fontsize=11, y=1.02)
    figure.subplots_adjust(wspace=0.14)
    drawing.save(figure, "steps.png")


def draw_ahead(panel, drawing, results, rivals):
    """Time ahead of the best rival after each iteration: a debt at first, if set-up costs more."""
    ours, _, _ = gpt2_results.ours_and_rivals(drawing.contenders)
    ours = [name for name in ours if name in results.runs]
    rival = results.best(rivals, drawing.warmup)
    if rival is None:
        return
    paid = [results.paid_back(name, rival, drawing.warmup) for name in ours]
    last = max([10] + [2 * count for count in paid if count < 60])
    for name in ours:
        debt = results.first_ms(name) - results.first_ms(rival)
        gain = (results.median(rival, "ms", drawing.warmup)
                - results.median(name, "ms", drawing.warmup))
        iterations = range(1, last + 1)
        panel.plot(iterations, [(-debt + gain * (i - 1)) * 1e-3 for i in iterations],
                   markevery=max(1, last // 10), label=drawing.contenders[name]["label"],
                   **drawing.look.curve(name))
    panel.axhline(0, color=style.GREY, linewidth=1.0)
    panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def draw_first(drawing):
    _, single, four = gpt2_results.ours_and_rivals(drawing.contenders)
    figure, axes = drawing.panels(6.0, rows=2)
    for row, rivals, legend in ((0, single, "one path"), (1, four, "four paths")):
        for panel, results in zip(axes[row], drawing.everything):
            draw_ahead(panel, drawing, results, rivals)
        axes[row][0].set_ylabel(f"ahead of the best\nMPI_Allreduce on {legend} (s)")
    for panel in axes[1]:
        panel.set_xlabel("iterations, the first one included")
    axes[0][-1].legend(fontsize=8.5, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    figure.suptitle("What the first iteration costs (set-up of the exchange and connections "
                    "included), and when it is paid back", fontsize=11, y=0.97)
    drawing.save(figure, "first.png")


def largest_difference(results):
    """Between the losses of any two runs at the same step."""
    losses = [run["loss"] for runs in results.runs.values() for run in runs]
    return max(max(step) - min(step) for step in zip(*losses))


def draw_loss(drawing):
    results = drawing.everything[-1]
    figure, (by_step, by_time) = plt.subplots(1, 2, figsize=(10.5, 4.2), dpi=style.PICTURE_DPI,
                                              sharey=True)
    for name in drawing.names(results):
        run = results.runs[name][0]
        seconds = [1e-3 * (run["set_up_ms"] + total)
                   for total in itertools.accumulate(run["ms"])]
        kind = drawing.look.curve(name) | {"label": drawing.contenders[name]["label"]}
        by_step.plot(run["step"], run["loss"], **kind)
        by_time.plot(seconds, run["loss"], **kind)
    by_step.set_xlabel(f"step (curves differ by {largest_difference(results):.0e} at most)")
    by_time.set_xlabel("time (s), the set-up of the exchange included")
    by_step.set_ylabel("loss (mean over the ranks)")
    by_time.legend(fontsize=8.5, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    figure.suptitle(f"GPT-2, loss of the training on {results.hosts} hosts, {drawing.paths} paths "
                    f"of {results.rate_mbit:g} Mbit/s", fontsize=11)
    drawing.save(figure, "loss.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="folder with the results of gpt2.py")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--data", default=os.path.join(here, "gpt2.toml"))
    options = parser.parse_args()
    everything = [r for r in gpt2_results.load_all(options.out) if r.runs]
    if not everything:
        sys.exit(f"gpt2_plot.py: there are no results in {options.out}")
    drawing = Drawing(options.out, gpt2_results.load_data(options.data), everything)
    draw_steps(drawing)
    draw_first(drawing)
    draw_loss(drawing)


if __name__ == "__main__":
    main()
