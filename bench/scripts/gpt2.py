#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains GPT-2 on virtual clusters, with gradients exchanged in different ways side by side: all
contenders take turns, several times, in alternating order. gpt2.toml says which; bench/gpt2.sh
builds what is needed first."""

import argparse
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import clusters
import compare
import contest
import gpt2_results
from turn import WrongUse, interruptible, lock

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = os.path.join(os.path.dirname(HERE), "gpt2", "data", "tinyshakespeare.txt")
LAUNCH_SECONDS = 3.0  # of a run, before and after its steps
CALIBRATION_STEPS = 7


def say(text=""):
    print(text, file=sys.stderr, flush=True)


class RunFailed(Exception):
    """A run that gave no numbers; says why."""


class Trainer:
    """Runs gpt2_train on the cluster that VCLUSTER_NAME names."""

    def __init__(self, options, plan):
        self.options = options
        self.plan = plan
        self.scratch = tempfile.mkdtemp(prefix="gpt2.", dir=options.out)
        self.csv_path = os.path.join(self.scratch, "run.csv")
        self.output = ""  # of the last run

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def command(self, contender, hosts, steps):
        words = ["--mca", "mpi_yield_when_idle", "1"]
        for name, value in contender["mca"].items():
            words += ["--mca", name, value]
        for name in compare.Runner.environment(contender, only_own=True):
            words += ["-x", name]
        program = [os.path.join(self.options.bin, "gpt2_train"), "--data", TEXT, "--exchange",
                   contender["exchange"], "--steps", str(steps), "--csv", self.csv_path]
        program += self.plan.args.split() + contender.get("args", "").split()
        return [compare.VCLUSTER, "run", "--np", str(hosts), *words, "--", *program]

    def run(self, contender, hosts, steps):
        """The numbers of a run: a list for each column of the CSV; how many gradients there are,
        how long the set-up of their exchange took, and the hash of the parameters at the end."""
        if os.path.exists(self.csv_path):
            os.unlink(self.csv_path)
        command = self.command(contender, hosts, steps)
        for _ in range(compare.LAUNCHES):
            output, reason = compare.execute(command, compare.Runner.environment(contender))
            self.output = output
            with open(os.path.join(self.options.out, "runs.log"), "a", encoding="utf-8") as log:
                log.write(f"$ {' '.join(command)}\n{output}\n")
            # On a busy machine mpirun may lose its own daemons before it has started anything.
            if reason is None or "# gpt2_train:" in output or "hung" in reason:
                break
        reason = reason or compare.missing_proof(contender, output)
        if reason is None:
            found = re.search(r"^# exchange .* of ([0-9]+) gradients,.*; set up in ([0-9.]+) ms$",
                              output, re.MULTILINE)
            hashed = re.search(r"^# after step .* hash ([0-9a-f]+)$", output, re.MULTILINE)
            numbers = read_columns(self.csv_path)
            if found and hashed and len(numbers.get("ms", [])) == steps:
                numbers["gradients"] = int(found.group(1))
                numbers["set_up_ms"] = float(found.group(2))
                numbers["hash"] = hashed.group(1)
                return numbers
            reason = "no numbers"
        raise RunFailed(reason)


def read_columns(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError:
        return {}
    return {name: [float(row[name]) for row in rows] for name in (rows[0] if rows else {})}


class Plan:
    """What is to be run: the file of contenders, and what the command line makes of it."""

    def __init__(self, data, options):
        training = data["training"]
        prefix = "quick_" if options.quick else ""
        self.args = training[prefix + "args"]
        self.steps = options.steps or training[prefix + "steps"]
        self.reps = options.reps or training[prefix + "reps"]
        self.warmup = training["warmup"]
        self.paths = data["cluster"]["paths"]
        self.hosts = options.hosts or data["cluster"]["hosts"]
        self.limits = data["cluster"]
        self.contenders = {name: contender for name, contender in data["contender"].items()
                           if not (options.quick and contender.get("info"))}
        for name, contender in self.contenders.items():
            contender["name"] = name

    def order(self):
        """Every other round backwards."""
        names = list(self.contenders)
        return [name for rep in range(self.reps) for name in names[::1 if rep % 2 == 0 else -1]]

    def seconds(self, compute_ms):
        return sum(LAUNCH_SECONDS + self.steps * compute_ms * 1e-3 * self.contenders[name]["slow"]
                   for name in self.order())


def set_rate(plan, mbit):
    for path in range(plan.paths):
        subprocess.run([compare.VCLUSTER, "rate", "--path", str(path), clusters.rate(mbit)], check=True,
                       stdout=subprocess.DEVNULL)


def measure_computing(trainer, results):
    """How long a step computes on this machine with so many hosts, whatever the exchange, and what
    every host must send, whatever the algorithm."""
    plan, hosts = trainer.plan, results.hosts
    numbers = trainer.run(plan.contenders["ring-4"], hosts, CALIBRATION_STEPS)
    results.compute_ms = statistics.median(numbers["compute_ms"][plan.warmup:])
    results.wire_bytes = 2.0 * (hosts - 1) / hosts * 4.0 * numbers["gradients"]


def choose_rate(plan, results):
    """Mbit/s of a path with which the wire needs as long as a step computes."""
    exact = results.wire_bytes * 8e-3 / (plan.paths * results.compute_ms)
    return max(plan.limits["least_mbit"], min(plan.limits["most_mbit"], round(exact)))


def run_inside(options, plan):
    """On the cluster that has been made for it: calibrate, then all contenders in turn."""
    hosts = options.inside
    trainer = Trainer(options, plan)
    results = gpt2_results.Results(hosts)
    try:
        say(f"{hosts} hosts: how long does a step compute?")
        measure_computing(trainer, results)
        results.rate_mbit = options.rate or choose_rate(plan, results)
        set_rate(plan, results.rate_mbit)
        results.wire_ms = results.wire_bytes * 8e-3 / (plan.paths * results.rate_mbit)
        say(f"{hosts} hosts: {results.compute_ms:.0f} ms; so {plan.paths} paths of "
            f"{results.rate_mbit:g} Mbit/s, which need {results.wire_ms:.0f} ms for "
            f"{results.wire_bytes * 1e-6:.2f} MB per host")
        run_turns(trainer, results, options)
    finally:
        trainer.close()


def run_turns(trainer, results, options):
    plan = trainer.plan
    order = plan.order()
    ahead = plan.seconds(results.compute_ms)
    later = sum(plan.seconds(results.compute_ms * hosts / results.hosts)
                for hosts in plan.hosts if hosts > results.hosts)
    for done, name in enumerate(order):
        contender = plan.contenders[name]
        left = ahead + later
        say(f"[{results.hosts} hosts, {done + 1}/{len(order)}, about "
            f"{f'{left / 60.0:.0f} min' if left >= 90 else f'{left:.0f} s'} left] "
            f"{contender['label']}")
        ahead -= (LAUNCH_SECONDS
                  + plan.steps * results.compute_ms * 1e-3 * contender["slow"])
        if name in results.failures:
            continue
        try:
            results.add(name, trainer.run(contender, results.hosts, plan.steps))
        except RunFailed as error:
            results.failures[name] = str(error)
            say(f"  {error}: see runs.log in {options.out}")
        results.save(options.out)


def run_cluster(options, plan, hosts):
    """This program again, inside a virtual cluster of so many hosts. Returns whether all ran."""
    inner = [sys.executable, os.path.abspath(__file__), "--inside", str(hosts), "--out",
             options.out, "--bin", options.bin, "--data", options.data, "--reps", str(plan.reps),
             "--steps", str(plan.steps)]
    inner += ["--quick"] if options.quick else []
    inner += ["--rate", f"{options.rate:g}"] if options.rate else []
    for number in plan.hosts:
        inner += ["--hosts", str(number)]
    command = [compare.VCLUSTER, "with", "--hosts", str(hosts), "--paths", str(plan.paths),
               "--rate", f"{plan.limits['first_mbit']}mbit", "--", *inner]
    process = subprocess.Popen(command)
    try:
        if process.wait() != 0:
            say(f"gpt2.py: not everything ran on {hosts} hosts")
        return process.returncode == 0
    except BaseException:
        compare.end(process, compare.CLUSTER_LIMIT)
        raise


def run_all(options, plan):
    """Returns whether all ran."""
    os.makedirs(options.out, exist_ok=True)
    compare.warn_if_busy()
    for name in os.listdir(options.out):
        if re.fullmatch(r"hosts-\d+\.json|runs\.log", name):
            os.unlink(os.path.join(options.out, name))
    return all([run_cluster(options, plan, hosts) for hosts in plan.hosts])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--table", action="store_true", help="run nothing, print what is in --out")
    parser.add_argument("--hosts", type=int, action="append", metavar="N",
                        help="this number of hosts only (may be repeated)")
    parser.add_argument("--rate", type=float, default=0, metavar="MBIT",
                        help="Mbit/s of every path, instead of choosing it")
    parser.add_argument("--reps", type=int, default=0, help="runs of every contender")
    parser.add_argument("--steps", type=int, default=0, help="steps of every run")
    parser.add_argument("--bin", required=True, help="folder of gpt2_train")
    parser.add_argument("--out", required=True, help="folder for the results")
    parser.add_argument("--data", default=os.path.join(HERE, "gpt2.toml"))
    parser.add_argument("--inside", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    options.bin = os.path.abspath(options.bin)
    if min(options.hosts or [2]) < 2:
        parser.error("--hosts: at least 2, or nothing is exchanged")
    return options


def main():
    # However it is ended: the processes it has started are ended first, what was measured is shown.
    interruptible()
    options = parse_arguments()
    data = gpt2_results.load_data(options.data)
    plan = Plan(data, options)
    if plan.steps <= plan.warmup + 1:
        say(f"gpt2.py: --steps: at least {plan.warmup + 2}; the first {plan.warmup} do not count")
        return 2
    if options.inside:
        run_inside(options, plan)
        return 0
    interrupted, all_ran = False, True
    if not options.table:
        held = lock(options.out, "gpt2.py")  # to the end
        try:
            all_ran = run_all(options, plan)
        except KeyboardInterrupt:
            interrupted = True
            say("\ngpt2.py: interrupted; what there is until now:")
    failures = gpt2_results.report(options.out, data, plan.warmup)
    return 130 if interrupted else 0 if all_ran and not failures else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("gpt2.py: interrupted")
        sys.exit(130)
    except (RunFailed, WrongUse, contest.DataError) as failure:
        sys.exit(f"gpt2.py: {failure}")
