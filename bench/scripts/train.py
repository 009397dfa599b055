#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs python/examples/train.py in the virtual cluster of $VCLUSTER_NAME, with each way of exchanging
gradients in turn, and ends with a table, a CSV file and a picture. bench/python.sh is how it is
called."""

import argparse
import csv
import pathlib
import re
import statistics
import subprocess
import sys

from turn import interruptible

TOP = pathlib.Path(__file__).parents[2]
BATCHES = [16, 32, 64, 128, 256, 512]
RING = ["--mca", "coll_tuned_use_dynamic_rules", "1",
        "--mca", "coll_tuned_allreduce_algorithm", "4"]
# Settings of mpirun, --exchange, label, colour, marker.
WAYS = {
    "partitioned": (["--mca", "part", "ucx"], "partitioned", "layer by layer, Pallreduce_init",
                    "#0072B2", "D"),
    "allreduce": ([], "allreduce", "after the backward pass, Allreduce", "#D55E00", "v"),
    "ring": (RING, "allreduce", "after it, Allreduce by the ring", "#E69F00", "^"),
    "none": ([], "none", "no exchange", "#999999", "."),
}
LAYERS, WIDTH = 8, 512


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(options, way, batch):
    """Milliseconds per step, or None."""
    mca, exchange = WAYS[way][:2]
    command = [TOP / "test/vcluster", "run", "--np", "2", *mca, "--", sys.executable,
               TOP / "python/examples/train.py", "--exchange", exchange, "--batch", batch,
               "--layers", LAYERS, "--width", WIDTH, "--steps", options.steps]
    try:
        result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=300, check=False)
        status, said = result.returncode, result.stdout
    except subprocess.TimeoutExpired:
        status, said = 1, "hung"
    with open(options.out / "runs.log", "a", encoding="utf-8") as log:
        print(*command, said, sep="\n", file=log)
    found = re.search(r"([0-9.]+) ms per step", said)
    return float(found[1]) if status == 0 and found else None


def measure(options):
    """(the times of all turns, by batch and way, the exit status); every other turn backwards."""
    times = {(batch, way): [] for batch in options.batches for way in WAYS}
    failed = set()
    try:
        for turn in range(options.turns):
            for batch, way in list(times)[:: 1 if turn % 2 == 0 else -1]:
                milliseconds = None if (batch, way) in failed else run(options, way, batch)
                if milliseconds is not None:
                    times[batch, way].append(milliseconds)
                elif (batch, way) not in failed:
                    failed.add((batch, way))
                    say(f"python.sh: {way}, batch {batch} failed: see runs.log in {options.out}")
            say(f"[turn {turn + 1} of {options.turns}]")
    except KeyboardInterrupt:
        say("\npython.sh: interrupted; what there is until now:")
        return times, 130
    return times, 1 if failed else 0


def print_table(options, times):
    """Markdown, and the same as CSV; medians of all turns."""
    heads = ["batch"] + [f"{way} (ms)" for way in WAYS] + ["partitioned / best of the others"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    with open(options.out / "python.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["batch", "way", "milliseconds", "least", "most"])
        for batch in options.batches:
            medians = {way: statistics.median(times[batch, way]) for way in WAYS
                       if times[batch, way]}
            for way in medians:
                turns = times[batch, way]
                table.writerow([batch, way, medians[way], min(turns), max(turns)])
            others = [medians[way] for way in ("allreduce", "ring") if way in medians]
            ratio = (f"{medians['partitioned'] / min(others):.2f}"
                     if others and "partitioned" in medians else "-")
            print(f"| {batch} | " + " | ".join(f"{medians[way]:.1f}" if way in medians else "-"
                                               for way in WAYS) + f" | {ratio} |")


def draw(options, times):
    """Time of a step against the size of the batch, with all turns as a range."""
    import style  # needs matplotlib, which the environment has

    figure, (axes,) = style.panels(1)
    figure.set_size_inches(6.4, 4.0)
    for way, (_, _, label, colour, marker) in WAYS.items():
        batches = [batch for batch in options.batches if times[batch, way]]
        turns = [times[batch, way] for batch in batches]
        medians = [statistics.median(some) for some in turns]
        reach = [[middle - min(some) for middle, some in zip(medians, turns)],
                 [max(some) - middle for middle, some in zip(medians, turns)]]
        axes.errorbar(batches, medians, yerr=reach, label=label, color=colour, marker=marker,
                      linestyle="-" if way == "partitioned" else "--", capsize=2.5)
    style.count_axis(axes, options.batches)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("examples per rank and step")
    axes.set_ylabel("time of a step (ms)")
    axes.set_title(f"numpy, {LAYERS} layers of {WIDTH} x {WIDTH}: {LAYERS * WIDTH**2 * 4 >> 20} MiB "
                   "of gradients, two hosts, 4 x 250 Mbit/s")
    style.legend(figure, axes)
    style.save(figure, options.out / "python.png")


def main():
    interruptible()
    parser = argparse.ArgumentParser(prog="python.sh", description=__doc__, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    options.batches = BATCHES[1::2] if options.quick else BATCHES
    options.steps = 12 if options.quick else 24
    if options.quick:
        options.turns = min(options.turns, 2)
    (options.out / "runs.log").write_text("", encoding="utf-8")
    times, status = measure(options)
    print_table(options, times)
    draw(options, times)
    say(f"\nthe table as CSV, the picture and the output of every run: {options.out}")
    return status


if __name__ == "__main__":
    sys.exit(main())
