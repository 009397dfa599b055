# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bandwidth over time says about outages: shares of the bandwidth before, how soon they are
reached, claims, tables. Nothing here runs anything."""

import statistics

import contest
import tables

SETTLED = 1.0  # seconds of the stream that do not count
CUT_WITHIN = 4.0  # seconds after a cut, from which on the paths that are left carry all
BACK_WITHIN = 2.0  # the same after the last cable is plugged in
SLACK = 0.01  # of the bandwidth before, that may be missing during an outage
BACK_NEEDED = 0.98
LOOK = 1.0  # seconds whose median counts for how soon a share is reached


class Course:
    """The bandwidth of one run over time, and when cables were out."""

    def __init__(self, run):
        self.rows = run["rows"]  # (end of the row in seconds, MB/s)
        self.spans = run["spans"]  # (cut, back)
        self.width = self.rows[0][0] if self.rows else 0.1

    def between(self, begin, end):
        """MB/s of each row. Where there are none, because the program hung, nothing came."""
        inside = [rate for time, rate in self.rows if begin <= time - self.width / 2 < end]
        return inside + [0.0] * (max(1, round((end - begin) / self.width)) - len(inside))

    def share(self, begin, end, middle=statistics.median):
        """Of the bandwidth before the first cut; of the rows their median, or their mean."""
        before = middle(self.between(SETTLED, self.spans[0][0]))
        return middle(self.between(begin, end)) / before if before > 0 else 0.0

    def before(self):
        return statistics.median(self.between(SETTLED, self.spans[0][0]))

    def soon(self, share, begin, end):
        """How many seconds after `begin` so much is reached, and not for a moment only; None: not
        until `end`."""
        for row in range(round(begin / self.width), round((end - LOOK) / self.width) + 1):
            since = max(begin, row * self.width)
            if min(self.share(since, since + look) for look in (self.width, LOOK)) >= share:
                return since - begin
        return None

    def until(self, nth):
        """When the time after an outage ends: with the next cut, or with the stream."""
        if nth + 1 < len(self.spans):
            return self.spans[nth + 1][0]
        return max(self.stream_end(), self.spans[nth][1] + BACK_WITHIN + LOOK)

    def stream_end(self):
        """Without the last messages, which fewer and fewer of follow."""
        return self.rows[-1][0] - SETTLED if self.rows else 0.0


def needed_during(outage, paths):
    """The share that the paths that are left have, less some slack."""
    out = {path for path, _ in outage.cables}
    return (paths - len(out)) / paths - SLACK


class Seen:
    """An outage in all runs of a contender: one number of each run in every list."""

    def __init__(self, runs, nth, outage, paths):
        courses = [Course(run) for run in runs if len(run["spans"]) > nth]
        self.needed = needed_during(outage, paths)
        self.before, self.during, self.after, self.cut_soon, self.back_soon = [], [], [], [], []
        self.during_mean, self.after_mean = [], []
        for course in courses:
            cut, back = course.spans[nth]
            end = course.until(nth)
            self.before.append(course.before())
            self.during.append(course.share(cut + CUT_WITHIN, back))
            self.during_mean.append(course.share(cut + CUT_WITHIN, back, statistics.fmean))
            self.after.append(course.share(back + BACK_WITHIN, end))
            self.after_mean.append(course.share(back + BACK_WITHIN, end, statistics.fmean))
            self.cut_soon.append(course.soon(self.needed, cut, back))
            self.back_soon.append(course.soon(BACK_NEEDED, back, end))


def shares_text(shares):
    """Median, and the worst."""
    if not shares:
        return "-"
    worst = f" ({min(shares):.3f})" if len(shares) > 1 else ""
    return f"{statistics.median(shares):.3f}{worst}"


def seconds_text(seconds):
    """Median, and the worst; None is later than any."""
    if not seconds:
        return "-"
    texts = ["never" if value is None else f"{value:.1f}"
             for value in sorted(seconds, key=lambda value: float("inf") if value is None else value)]
    return texts[len(texts) // 2] + (f" ({texts[-1]})" if len(texts) > 1 else "")


def print_outages(everything, contenders, outages, paths):
    rows = []
    for name, runs in everything.items():
        for nth, outage in enumerate(outages):
            seen = Seen(runs, nth, outage, paths)
            if seen.before:
                rows.append([contenders[name]["label"], outage.says,
                             f"{statistics.median(seen.before):.1f}",
                             seconds_text(seen.cut_soon), shares_text(seen.during),
                             shares_text(seen.during_mean), seconds_text(seen.back_soon),
                             shares_text(seen.after), shares_text(seen.after_mean)])
    print("\nBandwidth as a share of that before the first cut: medians of all runs (worst)")
    tables.print_grid(["", "", "before\nMB/s", "out: the share of\nothers after s",
                       f"from {CUT_WITHIN:g} s\non, median", "\nmean",
                       f"back: {BACK_NEEDED:g}\nafter s", f"from {BACK_WITHIN:g} s\non, median",
                       "\nmean"], rows)
    for name, runs in everything.items():
        reasons = [run["reason"] for run in runs if run["reason"]]
        if reasons:
            print(f"  {contenders[name]['label']}: {len(reasons)} of {len(runs)} runs: "
                  f"{reasons[0]}")


def verdict(says, needed, measured, ok):
    made = contest.Verdict({"name": "outages"}, {"says": says})
    made.needed, made.measured, made.ok = needed, measured, ok
    return made


def judge_share(says, needed, shares):
    """The worst of all runs."""
    if not shares:
        return verdict(says, f">= {needed:g}", "no numbers", False)
    return verdict(says, f">= {needed:g}", f"{min(shares):.3f}", min(shares) >= needed)


def judge_bandwidth(runs, outages, paths):
    """The claims about part/ucx."""
    verdicts = []
    for nth, outage in enumerate(outages):
        seen = Seen(runs, nth, outage, paths)
        verdicts.append(judge_share(f"{outage.says}: share of the bandwidth, from "
                                    f"{CUT_WITHIN:g} s after the cut on", seen.needed, seen.during))
        verdicts.append(judge_share(f"{outage.says}: the same, from {BACK_WITHIN:g} s after it is "
                                    "plugged in again on", BACK_NEEDED, seen.after))
    right = sum(1 for run in runs if run["reason"] is None)
    verdicts.append(verdict("every byte of every message is right, to the end",
                            f"{len(runs)} runs", f"{right} runs", right == len(runs) > 0))
    return verdicts


def same(plain, cut):
    """Whether two trainings are the same to the last bit."""
    return plain["loss"] == cut["loss"] and plain["hash"] == cut["hash"]


def judge_training(training):
    """Of the training with cables pulled beside that without."""
    plain, cut = training.get("plain"), training.get("cut")
    if plain is None or cut is None:
        return [verdict("GPT-2: the same training", "equal", training.get("reason", "not run"),
                        False)]
    steps = len(plain["loss"])
    return [verdict(f"GPT-2: losses of {steps} steps, and the parameters", "equal",
                    "equal" if same(plain, cut) else "differ", same(plain, cut)),
            verdict("GPT-2: cables pulled while it trained, paths given up for it", ">= 1 each",
                    f"{cut['pulled']}, {cut['lost']}", cut["lost"] >= cut["pulled"] > 0)]


def print_training(training):
    print("\nTraining of GPT-2")
    rows = []
    for name, label in (("plain", "all cables in"), ("cut", "a cable pulled now and then")):
        if name in training:
            run = training[name]
            rows.append([label, str(len(run["ms"])), f"{sum(run['ms']) * 1e-3:.1f}",
                         f"{statistics.median(run['ms']):.0f}", f"{max(run['ms'][1:]):.0f}",
                         f"{run['loss'][-1]:.9g}", run["hash"]])
    tables.print_grid(["", "steps", "seconds", "step, ms", "slowest", "last loss",
                       "hash of the parameters"], rows)
