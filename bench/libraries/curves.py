# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Curves of an operation: time against size, every contender and form."""

import os

import style
from matplotlib import pyplot
from results import COMPARED

LINES = {"blocking": "-", "persistent": "--", "partitioned": ":"}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]


def draw(folder, results, place, operation, names):
    """Returns the file's name, or None where there is nothing."""
    figure, (axes,) = style.panels(1)
    all_sizes = set()
    for i, name in enumerate(names):
        table = results.of(place.key, name)
        for form, line in LINES.items():
            sizes = sorted(size for op, f, size in table if op == operation and f == form)
            if not sizes:
                continue
            all_sizes.update(sizes)
            sums = [table[(operation, form, size)].summary() for size in sizes]
            middle = [one[COMPARED] * 1e3 for one in sums]
            spread = [[max(0.0, one[COMPARED] - one["p5"]) * 1e3 for one in sums],
                      [max(0.0, one["p95"] - one[COMPARED]) * 1e3 for one in sums]]
            axes.errorbar(sizes, middle, yerr=spread, linestyle=line, linewidth=1.5, marker="o",
                          markersize=3.5, capsize=2, elinewidth=0.8,
                          color=COLOURS[i % len(COLOURS)],
                          label=f"{results.labels[name]}, {form}")
    if not all_sizes:
        pyplot.close(figure)
        return None
    axes.set_yscale("log")
    style.size_axis(axes, sorted(all_sizes))
    axes.set_title(f"time of {operation}, {place.text()}")
    axes.set_ylabel("ms per message" if operation in ("bandwidth", "bidirectional") else "ms")
    style.legend(figure, axes, columns=2)
    name = f"{operation}-{place.key}.png"
    style.save(figure, os.path.join(folder, name))
    return name
