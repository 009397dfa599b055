#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The first rounds of a channel: runs part_warm with part/ucx and part/persist in turn, on this
host and on two virtual hosts, and ends with a table, a CSV file and a picture. bench/warm.sh is how
it is called."""

import argparse
import csv
import os
import statistics
import sys

import compare
import contest
from clusters import ClusterError, Clusters, Shape
from turn import WrongUse, interruptible, lock

SIZES = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20]
CASES = [
    {"name": "one host", "where": "host", "program": "part_warm", "args": "", "np": 2,
     "bind": "core", "contenders": ["ucx-host", "persist-sm"], "reps": 9, "quick_reps": 3},
    {"name": "two hosts", "where": "cluster", "program": "part_warm", "args": "-r 300", "np": 2,
     "contenders": ["ucx-4", "persist-tcp4"], "reps": 5, "quick_reps": 2},
]
NETWORK = Shape(2, 4, 250)
FIRST_ROUNDS = 40
# What is asked of the first rounds, and of the first init call of a process (microseconds).
WARM = 1.25
INIT_US = 5000
INIT = (0, 0)
say = compare.say


class Course:
    """What one run has measured of one channel: the time of each group of rounds."""

    def __init__(self, rows):
        self.times = {(int(row["first"]), int(row["last"])): row["time"] for row in rows}

    def mean(self, low, high):
        """The mean of rounds low to high, which groups do not span."""
        inside = [(last - first + 1, time) for (first, last), time in self.times.items()
                  if low <= first and last <= high]
        return sum(count * time for count, time in inside) / sum(count for count, _ in inside)

    def numbers(self):
        """What the table shows."""
        later = self.times[max(self.times)]
        first = self.mean(3, FIRST_ROUNDS)
        rounds = FIRST_ROUNDS * self.mean(1, FIRST_ROUNDS)
        return {"init": self.times[INIT], "round 1": self.mean(1, 1), "round 2": self.mean(2, 2),
                "3 to 40": first, "41 to 200": self.mean(41, 200), "later": later,
                "3 to 40 / later": first / later, "sum of 40": rounds,
                "init and 40": self.times[INIT] + rounds}


class Measured:
    """The courses of all runs, by case, size, contender and channel."""

    def __init__(self):
        self.courses = {}
        self.status = 0  # 1: not all of it ran; 130: interrupted

    def add(self, case, size, contender, rows):
        for channel in sorted({row["_size"] for row in rows}):
            key = (case["name"], size, contender, channel)
            mine = [row for row in rows if row["_size"] == channel]
            self.courses.setdefault(key, []).append(Course(mine))

    def median(self, key, name):
        return statistics.median(course.numbers()[name] for course in self.courses[key])

    def curve(self, key):
        """(middle of each group of rounds, median time), without the init call."""
        groups = sorted(group for group in self.courses[key][0].times if group != INIT)
        return ([(first * last) ** 0.5 for first, last in groups],
                [statistics.median(course.times[group] for course in self.courses[key])
                 for group in groups])


def run(options, contenders, cases):
    measured = Measured()
    runner, clusters = compare.Runner(options), Clusters(compare.VCLUSTER)
    try:
        for case in cases:
            if case["where"] == "cluster":
                try:
                    os.environ["VCLUSTER_NAME"] = clusters.use(NETWORK)
                except ClusterError as error:
                    say(f"warm.sh: {case['name']}: {error}")
                    measured.status = 1
                    continue
            for turn in range(compare.rounds_of(options, case)):
                for size in SIZES:
                    for name in case["contenders"][::1 if turn % 2 == 0 else -1]:
                        rows, _, reason = runner.run(case, contenders[name], size)
                        if reason is not None:
                            say(f"  {case['name']}, {name}, {contest.size_text(size)}: {reason}: "
                                f"see runs.log in {options.out}")
                            measured.status = 1
                            continue
                        measured.add(case, size, name, rows)
                say(f"[{case['name']}, turn {turn + 1} of {compare.rounds_of(options, case)}]")
    except KeyboardInterrupt:
        say("\nwarm.sh: interrupted; what there is until now:")
        measured.status = 130
    finally:
        clusters.close()
        runner.close()
    return measured


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def print_table(options, contenders, measured):
    """Markdown, and the same as CSV; medians of all runs."""
    heads = None
    with open(os.path.join(options.out, "warm.csv"), "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        for key in measured.courses:
            where, size, name, channel = key
            names = list(measured.courses[key][0].numbers())
            if heads is None:
                heads = ["where", "bytes", "component", "channel"] + names
                table.writerow(heads)
                print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
            cells = [where, contest.size_text(size), contenders[name]["label"], str(channel)]
            values = [measured.median(key, name) for name in names]
            table.writerow([where, size, name, channel] + [f"{value:.3f}" for value in values])
            print("| " + " | ".join(cells + [number(value) for value in values]) + " |")


def claims(measured, case):
    """What is claimed of a case, one line each: (text, needed, measured by size, holds)."""
    ours, theirs = case["contenders"]
    for channel in (1, 2, 10):
        keys = [(case["name"], size, ours, channel) for size in SIZES]
        others = [(case["name"], size, theirs, channel) for size in SIZES]
        if not all(key in measured.courses for key in keys + others):
            continue
        where = f"{case['name']}, channel {channel}"
        shares = [measured.median(key, "3 to 40 / later") for key in keys]
        yield (f"{where}: rounds 3 to 40 against later ones", f"at most {WARM}",
               ", ".join(f"{share:.2f}" for share in shares), max(shares) <= WARM)
        for name in ("sum of 40", "init and 40"):
            pairs = [(measured.median(key, name), measured.median(other, name))
                     for key, other in zip(keys, others)]
            yield (f"{where}: {name}, us, part/ucx; part/persist", "no more",
                   ", ".join(f"{number(mine)}; {number(other)}" for mine, other in pairs),
                   all(mine <= other for mine, other in pairs))
        if channel == 1:
            inits = [measured.median(key, "init") for key in keys]
            yield (f"{case['name']}: first partitioned init of a process, us", f"at most {INIT_US}",
                   ", ".join(number(init) for init in inits), max(inits) <= INIT_US)


def print_claims(measured, cases):
    print("\n| claim, " + ", ".join(contest.size_text(size) for size in SIZES)
          + " | needed | measured | holds |\n|---|---|---|---|")
    for case in cases:
        for text, needed, found, holds in claims(measured, case):
            print(f"| {text} | {needed} | {found} | {'yes' if holds else '**no**'} |")


def label_1_2_5(value, _position):
    """Of a logarithmic axis, which may span little more than a decade."""
    text = f"{value:g}"
    return text if text.strip("0.") in ("1", "2", "5") else ""


def draw(options, contenders, measured, cases):
    """A row of panels for each case, one for each size: a curve per component and channel."""
    try:
        import matplotlib.pyplot as plt  # not everyone has it
        import style
    except ImportError:
        say("warm.sh: no matplotlib, so no picture")
        return
    figure, axes = plt.subplots(len(cases), len(SIZES), figsize=(13, 3.1 * len(cases)),
                                dpi=style.PICTURE_DPI, squeeze=False, sharex=True)
    figure.subplots_adjust(hspace=0.28, wspace=0.26)
    for case, row in zip(cases, axes):
        look = style.Look(contenders, case["contenders"])
        for size, panel in zip(SIZES, row):
            for name in case["contenders"]:
                for channel, kind in ((1, "-"), (2, "--"), (10, ":")):
                    key = (case["name"], size, name, channel)
                    if key in measured.courses:
                        ours = contenders[name].get("needs") == "ucx-bytes"
                        panel.plot(*measured.curve(key), linestyle=kind, linewidth=1.5,
                                   color=look.colour(name), marker="o" if ours else "v",
                                   markersize=3,
                                   label=f"{'part/ucx' if ours else 'part/persist'}, channel "
                                         f"{channel}")
            panel.set_xscale("log")
            panel.xaxis.set_major_formatter("{x:g}")
            low, high = panel.get_ylim()
            if low > 0 and high < 3 * low:
                panel.set_ylim(bottom=0)
            else:
                panel.set_yscale("log")
                for ticks in (panel.yaxis.set_major_formatter, panel.yaxis.set_minor_formatter):
                    ticks(label_1_2_5)
            panel.set_title(f"{case['name']}, {contest.size_text(size)}")
        row[0].set_ylabel("time of a round (us)")
    for panel in axes[-1]:
        panel.set_xlabel("round")
    style.legend(figure, axes[0][0], columns=6)
    style.save(figure, os.path.join(options.out, "warm.png"))


def parse_arguments():
    parser = argparse.ArgumentParser(prog="warm.sh", description=__doc__, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["host", "cluster"])
    parser.add_argument("--rounds", type=int, default=0, metavar="N", dest="reps")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True, metavar="DIR")
    options = parser.parse_args()
    options.verbose = False
    return options


def possible(cases):
    reason = Clusters(compare.VCLUSTER).unavailable()
    if reason is None:
        return cases
    say(f"warm.sh: no virtual cluster, so this host only: {reason.splitlines()[0]}")
    return [case for case in cases if case["where"] == "host"]


def main():
    interruptible()
    options = parse_arguments()
    contenders = contest.load(os.path.join(compare.HERE, "claims.toml"))[0]
    held = lock(options.out, "warm.sh")  # to the end
    cases = possible([case for case in CASES if options.only in (None, case["where"])])
    open(os.path.join(options.out, "runs.log"), "w", encoding="utf-8").close()
    compare.warn_if_busy()
    measured = run(options, contenders, cases)
    if not measured.courses:
        say("warm.sh: nothing was measured")
        return measured.status or 1
    print_table(options, contenders, measured)
    print_claims(measured, cases)
    draw(options, contenders, measured, cases)
    say(f"\nthe table as CSV, the picture, and the output of every run: {options.out}")
    return measured.status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WrongUse as error:
        sys.exit(f"warm.sh: {error}")
