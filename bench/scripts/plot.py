#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bandwidth against size from the results of one case of compare.py. For a collective that is
the bytes that some rank must send or receive, over the time; so the wire is a straight line."""

import argparse
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.ticker  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)

import contest  # noqa: E402

# The colours of Okabe and Ito, which stay apart for colour-blind readers; markers and line styles
# keep the curves apart in grey as well. Ours are drawn solid, the others dotted or dash-dotted.
STYLES = {
    "ucx-1": ("#56B4E9", "o", "-"),
    "ucx-2": ("#009E73", "s", "-"),
    "ucx-4": ("#0072B2", "D", "-"),
    "ucx-8": ("#CC79A7", "^", "-"),
    "persist-tcp1": ("#999999", "v", ":"),
    "persist-tcp4": ("#E69F00", "P", ":"),
    "isend-rails4": ("#F0E442", "X", "-."),
    "isend-rails4-tuned": ("#D55E00", "X", "-."),
    "isend-tcp4": ("#000000", "*", "-."),
    "ucx-host": ("#0072B2", "D", "-"),
    "persist-sm": ("#E69F00", "P", ":"),
    "isend-sm": ("#D55E00", "X", "-."),
    "pcoll-1": ("#56B4E9", "o", "-"),
    "pcoll-2": ("#009E73", "s", "-"),
    "pcoll-4": ("#0072B2", "D", "-"),
    "pcoll-8": ("#CC79A7", "^", "-"),
    "ring-tcp1": ("#999999", "v", ":"),
    "allreduce-tcp4": ("#E69F00", "P", ":"),
    "ring-tcp4": ("#D55E00", "X", "-."),
    "segring-tcp4": ("#F0E442", "*", "-."),
    "rabenseifner-tcp4": ("#000000", "+", ":"),
    "bcast-tcp4": ("#E69F00", "P", ":"),
    "pipeline-tcp4": ("#D55E00", "X", "-."),
    "scatter-ring-tcp4": ("#000000", "+", ":"),
    "pcoll-host": ("#0072B2", "D", "-"),
    "default-sm": ("#E69F00", "P", ":"),
    "linear-sm": ("#56B4E9", "v", ":"),
    "nonoverlapping-sm": ("#009E73", "s", ":"),
    "doubling-sm": ("#CC79A7", "^", ":"),
    "ring-sm": ("#D55E00", "X", "-."),
    "segring-sm": ("#F0E442", "*", "-."),
    "rabenseifner-sm": ("#000000", "+", "-."),
    "han-sm": ("#999999", "o", ":"),
    "coll-sm": ("#999999", "x", ":"),
    "basic-sm": ("#999999", "d", "-."),
    "rabenseifner-ucx": ("#000000", "o", ":"),
}


def short_size(size):
    return contest.size_text(size).replace(" ", "\u202f").replace("iB", "")


def draw_curves(axes, results, contenders, names, column):
    for name in names:
        by_size = results.values.get(name)
        if not by_size:
            continue
        sizes = sorted(by_size)
        rates = [results.median(name, size, column) for size in sizes]
        colour, marker, line = STYLES.get(name, ("#000000", ".", "-"))
        axes.plot(sizes, rates, line, color=colour, marker=marker, markersize=6, linewidth=1.8,
                  markerfacecolor="white", markeredgewidth=1.5, label=contenders[name]["label"])


def draw_limit(axes, rate, text, right):
    axes.axhline(rate, color="#444444", linestyle="--", linewidth=1.1, zorder=1)
    axes.annotate(text, xy=(right, rate), xytext=(0, 3), textcoords="offset points", ha="right",
                  va="bottom", fontsize=8.5, color="#444444")


def draw(options, results, contenders, case):
    figure, axes = plt.subplots(figsize=(9, 5.6), dpi=130)
    draw_curves(axes, results, contenders, case["contenders"] + case.get("info", []),
                case.get("plot", "median"))
    sizes = results.sizes()
    axes.set_xscale("log", base=2)
    # Every other size where there are many, and always the largest.
    ticks = sizes[::-1][:: 1 if len(sizes) <= 10 else 2][::-1]
    axes.set_xticks(ticks, [short_size(size) for size in ticks])
    axes.minorticks_off()
    axes.set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
    if not options.wire_mbit:
        # Shared memory spans three orders of magnitude.
        axes.set_yscale("log", base=10)
        axes.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    else:
        axes.set_ylim(bottom=0)
        right = sizes[-1] * 1.2
        # 1 Mbit/s is 0.125 MB/s.
        one, paths = options.wire_mbit / 8.0, options.wire_paths
        draw_limit(axes, one * paths, f"wire, {paths} paths: {one * paths:g} MB/s", right)
        draw_limit(axes, one, f"wire, 1 path: {one:g} MB/s", right)
        axes.set_ylim(0, max(one * paths * 1.1, axes.get_ylim()[1]))
    axes.set_xlabel("message size, all partitions together (bytes)")
    axes.set_ylabel("bandwidth of each rank (MB/s, 10\u2076 bytes per second)" if "plot" in case
                    else "bandwidth (MB/s, 10\u2076 bytes per second)")
    title = options.title or results.title or case["title"]
    axes.set_title(title.replace(" (ms)", ""), fontsize=11)  # the unit of the table
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8.5, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    figure.savefig(options.png, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="folder with the results of compare.py")
    parser.add_argument("--case", default="bandwidth")
    parser.add_argument("--png", required=True)
    parser.add_argument("--title")
    parser.add_argument("--wire-mbit", type=float, default=0, help="rate of a path; 0 = no wire")
    parser.add_argument("--wire-paths", type=int, default=4)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--data", default=os.path.join(here, "claims.toml"))
    options = parser.parse_args()
    contenders, cases = contest.load(options.data)
    case = next(case for case in cases if case["name"] == options.case)
    path = os.path.join(options.out, f"{options.case}.json")
    try:
        with open(path, encoding="utf-8") as file:
            results = contest.Results.from_json(json.load(file))
    except OSError as error:
        sys.exit(f"plot.py: {error}")
    if "wire" in case:
        cluster = contest.load_cluster(options.data, results.rate_mbit)
        options.wire_mbit, options.wire_paths = cluster.rate_mbit, cluster.paths
    if not results.sizes():
        sys.exit(f"plot.py: no numbers in {path}")
    draw(options, results, contenders, case)


if __name__ == "__main__":
    main()
