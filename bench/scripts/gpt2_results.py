# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the runs of gpt2.py came to: medians, the first iteration and what pays for it, claims,
tables and CSV. Nothing here runs anything."""

import csv
import glob
import json
import math
import os
import statistics
import tomllib

import contest
import tables


def load_data(path):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    for claim in data["claim"]:
        for name in [claim["left"], *claim["right"]]:
            if name not in data["contender"]:
                raise contest.DataError(f"{path}: no contender {name}")
    return data


class Results:
    """All runs with one number of hosts. runs[contender] is a list of runs; a run has a list for
    each column of the program's CSV, one value per step, gradients and set_up_ms."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.compute_ms = None  # of a step, before the rate of the paths was chosen
        self.rate_mbit = None
        self.wire_bytes = None  # that every host must send
        self.wire_ms = None  # that the gradients need on all paths together
        self.runs = {}
        self.failures = {}

    def add(self, contender, run):
        self.runs.setdefault(contender, []).append(run)

    def save(self, folder):
        path = os.path.join(folder, f"hosts-{self.hosts}.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(vars(self), file, indent=1)
        os.replace(path + ".new", path)

    @staticmethod
    def load(path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        results = Results(data["hosts"])
        vars(results).update(data)
        return results

    def column(self, contender, name, warmup):
        """The median of each run, without its first steps."""
        return [statistics.median(run[name][warmup:]) for run in self.runs.get(contender, [])]

    def median(self, contender, name, warmup):
        runs = self.column(contender, name, warmup)
        return statistics.median(runs) if runs else None

    def spread(self, contender, warmup):
        """5 % and 95 % quantiles of the time of a step, over all runs."""
        steps = sorted(ms for run in self.runs.get(contender, []) for ms in run["ms"][warmup:])
        if len(steps) < 2:
            return None
        cuts = statistics.quantiles(steps, n=20, method="inclusive")
        return cuts[0], cuts[-1]

    def first_ms(self, contender):
        """The set-up of the exchange and the first step."""
        runs = [run["set_up_ms"] + run["ms"][0] for run in self.runs.get(contender, [])]
        return statistics.median(runs) if runs else None

    def overhead(self, contender, warmup):
        """By how much the first iteration is longer than the others."""
        first, step = self.first_ms(contender), self.median(contender, "ms", warmup)
        return None if first is None or step is None else first - step

    def best(self, names, warmup):
        """The fastest of those that ran, or None."""
        known = [name for name in names if self.median(name, "ms", warmup) is not None]
        return min(known, key=lambda name: self.median(name, "ms", warmup)) if known else None

    def paid_back(self, contender, rival, warmup):
        """After how many iterations contender is ahead of rival in total, the first included; inf
        if it never is."""
        own, other = (self.median(name, "ms", warmup) for name in (contender, rival))
        debt = self.first_ms(contender) - self.first_ms(rival)
        if debt <= 0:
            return 1
        return math.inf if own >= other else 1 + math.ceil(debt / (other - own))


def load_all(folder):
    results = [Results.load(path) for path in glob.glob(os.path.join(folder, "hosts-*.json"))]
    return sorted(results, key=lambda r: r.hosts)


def judge(claim, everything, warmup):
    """The worst ratio over all numbers of hosts."""
    verdict = contest.Verdict({"name": "gpt2"}, claim)
    verdict.needed = f">= {claim['needed']:g}"
    ratios = []
    for results in everything:
        own = results.median(claim["left"], "ms", warmup)
        rival = results.best(claim["right"], warmup)
        if own is None or rival is None:
            verdict.measured = results.failures.get(claim["left"], "not run")
            verdict.ok = False
            return verdict
        ratios.append((results.median(rival, "ms", warmup) / own, results.hosts))
    if ratios:
        worst = min(ratios)
        verdict.measured = ", ".join(f"{ratio:.3f}" for ratio, _ in ratios)
        verdict.ok = worst[0] >= claim["needed"]
    return verdict


def text(value, digits=0):
    return "-" if value is None else f"{value:.{digits}f}"


def steps_row(results, name, label, warmup):
    spread = results.spread(name, warmup)
    hidden = results.median(name, "hidden_share", warmup)
    return [label, text(results.median(name, "ms", warmup)),
            "-" if spread is None else f"{spread[0]:.0f} - {spread[1]:.0f}",
            text(results.median(name, "compute_ms", warmup)),
            text(results.median(name, "exchange_ms", warmup)),
            text(None if hidden is None else 100.0 * hidden),
            text(results.median(name, "tokens_per_s", warmup)),
            text(results.median(name, "gradient_mb_per_s", warmup), 1)]


def print_steps(results, contenders, warmup):
    print(f"\nA step on {results.hosts} hosts; paths of {results.rate_mbit:g} Mbit/s, all four "
          f"need {results.wire_ms:.0f} ms for the gradients; computing alone takes "
          f"{results.compute_ms:.0f} ms")
    heads = ["", "ms", "5 % - 95 %", "compute", "exchange", "hidden %", "tokens/s", "MB/s"]
    tables.print_grid(heads, [steps_row(results, name, contender["label"], warmup)
                              for name, contender in contenders.items() if name in results.runs])
    for name, reason in results.failures.items():
        print(f"  {contenders[name]['label']}: {reason}")


def ours_and_rivals(contenders):
    """Contenders over part/ucx on all paths, and what they are measured by."""
    return [[name for name, contender in contenders.items() if contender.get("group") == group]
            for group in ("ours", "single", "four")]


def payback_text(results, name, rival, warmup):
    if rival is None or results.median(name, "ms", warmup) is None:
        return "-"
    iterations = results.paid_back(name, rival, warmup)
    return "never" if iterations == math.inf else str(iterations)


def print_first(everything, contenders, warmup):
    ours, single, four = ours_and_rivals(contenders)
    rows = []
    for results in everything:
        for name, contender in contenders.items():
            if name not in results.runs:
                continue
            own = name in ours
            set_up = statistics.median(run["set_up_ms"] for run in results.runs[name])
            rows.append([f"{results.hosts} hosts: {contender['label']}", text(set_up),
                         text(results.first_ms(name)), text(results.overhead(name, warmup)),
                         payback_text(results, name, results.best(single, warmup), warmup)
                         if own else "",
                         payback_text(results, name, results.best(four, warmup), warmup)
                         if own else ""])
    print("\nThe first iteration (ms, the set-up of the exchange included), by how much it is"
          "\nlonger than the others, and after how many iterations in all it is paid back: ahead of"
          "\nthe best MPI_Allreduce on one path, and on four")
    tables.print_grid(["", "set-up", "first", "longer by", "1 path", "4 paths"], rows)


def write_csv(folder, everything, contenders):
    with open(os.path.join(folder, "numbers.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        columns = ["step", "loss", "ms", "compute_ms", "exchange_ms", "tokens_per_s",
                   "gradient_mb_per_s", "hidden_share"]
        writer.writerow(["hosts", "rate_mbit", "contender", "label", "run", "set_up_ms", *columns])
        for results in everything:
            for name, runs in results.runs.items():
                for number, run in enumerate(runs):
                    for values in zip(*(run[column] for column in columns)):
                        writer.writerow([results.hosts, results.rate_mbit, name,
                                         contenders[name]["label"], number, run["set_up_ms"],
                                         *(f"{value:g}" for value in values)])


def write_claims(folder, verdicts):
    with open(os.path.join(folder, "claims.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["claim", "needed", "measured", "ok"])
        for v in verdicts:
            writer.writerow([v.says, v.needed, v.measured, tables.verdict_text(v)])


def report(folder, data, warmup):
    """Prints all tables and writes the CSV files; returns how many claims do not hold."""
    everything = load_all(folder)
    contenders = data["contender"]
    if not everything:
        print("gpt2: there are no results")
        return 1
    for results in everything:
        print_steps(results, contenders, warmup)
    print_first(everything, contenders, warmup)
    verdicts = [judge(claim, everything, warmup) for claim in data["claim"]]
    hosts = ", ".join(str(results.hosts) for results in everything)
    print()
    tables.print_grid(["claim", "needed", f"measured ({hosts} hosts)", "ok"],
                      [[v.says, v.needed, v.measured, tables.verdict_text(v)] for v in verdicts])
    write_csv(folder, everything, contenders)
    write_claims(folder, verdicts)
    return sum(1 for v in verdicts if v.ok is not True)
