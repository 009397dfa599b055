#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bandwidth against size from the results of one case of compare.py. For a collective that is
the bytes that some rank must send or receive, over the time; so the wire is a straight line."""

import argparse
import json
import os
import sys

import matplotlib.ticker
import matplotlib.pyplot as plt

import contest
import style


def draw_curves(axes, results, contenders, names, column):
    look = style.Look(contenders, names)
    for name in names:
        sizes = sorted(results.values[name])
        rates = [results.median(name, size, column) for size in sizes]
        axes.plot(sizes, rates, label=contenders[name]["label"], **look.curve(name))


def draw_rates(axes, options):
    """From 0 to the wire; shared memory, which has none, spans three orders of magnitude."""
    if not options.wire_mbit:
        axes.set_yscale("log", base=10)
        axes.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        return
    # 1 Mbit/s is 0.125 MB/s.
    one, paths = options.wire_mbit / 8.0, options.wire_paths
    style.level(axes, one * paths, f"wire, {paths} paths:\n{one * paths:g} MB/s")
    style.level(axes, one, f"wire, 1 path:\n{one:g} MB/s")
    axes.set_ylim(0, max(one * paths * 1.1, axes.get_ylim()[1]))


def draw_gains(axes):
    """How many times faster: what matters is 1."""
    style.level(axes, 1, "as fast")
    axes.set_ylim(0, axes.get_ylim()[1])


def draw(options, results, contenders, case):
    figure, axes = plt.subplots(figsize=(8.5, 4.8), dpi=style.PICTURE_DPI)
    names = [name for name in case["contenders"] + case.get("info", []) if results.values.get(name)]
    draw_curves(axes, results, contenders, names, case.get("plot", "median"))
    style.size_axis(axes, results.sizes())
    axes.set_xlabel("message size, all partitions together")
    if case.get("plot") == "gain":
        draw_gains(axes)
        axes.set_ylabel("times faster")
    else:
        draw_rates(axes, options)
        axes.set_ylabel("bandwidth of each rank (MB/s, 10\u2076 bytes per second)" if "plot" in case
                        else "bandwidth (MB/s, 10\u2076 bytes per second)")
    title = options.title or results.title or case["title"]
    axes.set_title(title.replace(" (ms)", ""))  # the unit of the table
    style.legend(figure, axes)
    style.save(figure, options.png)


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
