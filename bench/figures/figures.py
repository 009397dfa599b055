#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what a file of figures describes (figures.toml: the paper's, nodes.toml: hosts with
several ranks), draws it, and writes a report. What has been measured is kept, so that it may be
interrupted and run again."""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "scripts"))

import compare  # noqa: E402
import contest  # noqa: E402
import contents  # noqa: E402
from clusters import ClusterError, Clusters  # noqa: E402
from description import Description  # noqa: E402
from libraries import Library, LibraryError  # noqa: E402
from machine import Machine, algorithms  # noqa: E402
from progress import Clock, duration, say  # noqa: E402
from records import Records  # noqa: E402
from runner import NotRun, Runner  # noqa: E402
from turn import WrongUse, interruptible, lock  # noqa: E402


class Program:
    """How users call this program; set by the description."""

    name = "figures.sh"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/figures.sh, bench/nodes.sh", description=__doc__)
    parser.add_argument("--quick", action="store_true",
                        help="smaller sizes, fewer and shorter runs: a few minutes")
    parser.add_argument("--only", metavar="N[,N...]", default="",
                        help="run only what these figures need")
    parser.add_argument("--mpi", action="append", default=[], metavar="NAME=PREFIX",
                        help="let the MPI library installed in PREFIX take part, as NAME; again "
                             "for more")
    parser.add_argument("--fresh", action="store_true", help="discard what was measured before")
    parser.add_argument("--report", action="store_true",
                        help="run nothing, write the report of what has been measured")
    parser.add_argument("--list", action="store_true", help="print what would be run, and end")
    parser.add_argument("--out", metavar="DIR",
                        help="folder of the results (default: bench/results/NAME, with --quick "
                             "bench/results/NAME-quick)")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--data", default="figures.toml", help=argparse.SUPPRESS)
    options = parser.parse_args()
    name = os.path.splitext(os.path.basename(options.data))[0]
    Program.name = f"{name}.sh"
    options.out = os.path.abspath(options.out or os.path.join(
        compare.REPOSITORY, "bench", "results", f"{name}-quick" if options.quick else name))
    options.bin = os.path.abspath(options.bin)
    return options


def choose(description, text):
    """The figures that --only names, or all."""
    known = {figure["number"]: figure for figure in description.figures}
    chosen = []
    for word in filter(None, text.split(",")):
        if not word.isdigit() or int(word) not in known:
            numbers = ", ".join(str(number) for number in known)
            raise WrongUse(f"--only: there is no figure \"{word}\"; there are {numbers}")
        chosen.append(known[int(word)])
    return chosen or description.figures


class Measuring:
    """Runs what is not there yet. outcome: {(case, contender): (reason, log)} of what gave no
    numbers; failures: those of them that nobody expected."""

    def __init__(self, description, runner, cases):
        self.description = description
        self.runner = runner
        self.cases = cases
        self.plan = [(case, rep, name) for case in cases for rep, name in case.order()]
        self.clock = Clock(description.contenders, [(case, name) for case, _, name in self.plan])
        self.outcome = {}
        self.failures = []
        self.reused = 0

    def _leave_out_clusters(self):
        """Where there can be no virtual hosts, that is said once."""
        there = [case for case in self.cases if case.cluster is not None]
        reason = self.runner.clusters.unavailable() if there else None
        if reason:
            say(f"{Program.name}: no virtual hosts here, so only what runs on one host:")
            say("   " + reason.replace("\n", "\n   "))
            self.failures.append("the cases that need virtual hosts: " + reason.partition("\n")[0])
            for case in there:
                for name in case.contenders:
                    self.outcome[(case.name, name)] = ("no virtual hosts here", None)

    def run(self):
        self._leave_out_clusters()
        for done, (case, rep, name) in enumerate(self.plan, 1):
            record = None if (case.name, name) in self.outcome else self.runner.find(case, name,
                                                                                    rep)
            if record is not None:
                self.reused += 1
                self.clock.learn(case, name, record["wall"])
                self.clock.passed(case, name, 0.0)
            elif (case.name, name) in self.outcome:
                self.clock.passed(case, name, 0.0)
            else:
                self._run_one(case, rep, name, done)
        if self.reused:
            say(f"{self.reused} of {len(self.plan)} runs had been measured before and were not "
                "repeated (--fresh measures all again)")

    def _run_one(self, case, rep, name, done):
        say(f"[{done}/{len(self.plan)}, about {self.clock.left()} left] {case.name}, turn "
            f"{rep + 1} of {case.reps}: {self.description.contenders[name]['label']}")
        wall = 0.0
        try:
            _, reason, wall, log = self.runner.run(case, name, rep)
        except (NotRun, ClusterError) as error:
            reason, log = str(error), None
        self.clock.passed(case, name, wall)
        if reason is not None:
            failed = reason if reason.startswith("failed") or not log else f"failed: {reason}"
            self.outcome[(case.name, name)] = (failed, log)
            say(f"  {reason}" + (f": see {os.path.join(self.runner.out, log)}" if log else ""))
            if name not in case.may_fail:
                self.failures.append(f"{case.name}, {name}: {reason}")


def list_plan(description, figures):
    for figure in figures:
        print(f"{description.report['noun'].lower()} {figure['number']}: {figure['title']}")
        for case in description.cases_of([figure]):
            seconds = sum(case.seconds * description.contenders[name].get("slow", 1.0)
                          for _, name in case.order())
            if not case.contenders:
                continue
            words = case.args.replace(compare.REPOSITORY + os.sep, "")
            print(f"    {case.name}: {case.program} {words}; {case.reps} turns, about "
                  f"{duration(seconds)}")
            for name in case.contenders:
                print(f"        {description.contenders[name]['label']}")
            for name, reason in case.skipped.items():
                print(f"        without {description.contenders[name]['label']}: {reason}")


def notes(options, measuring, interrupted):
    """What a reader must know of this run as a whole."""
    texts = []
    if options.quick:
        texts.append("This is the quick version (`--quick`): smaller sizes, fewer and shorter "
                     "runs. Its numbers scatter more, and do not reach the largest messages.")
    if interrupted:
        texts.append("It was interrupted: what is missing has not been run yet. The same command "
                     "goes on where it ended.")
    if measuring.failures:
        texts.append("Runs that failed although they should not have: "
                     + "; ".join(measuring.failures) + ".")
    return texts


def warn_if_busy():
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > 0.5 * cores:
        say(f"{Program.name}: the machine is busy (load {load:.1f} on {cores} cores): expect scattered "
            "numbers")


def simulate(options, runner, chosen):
    """What the chosen figures show of clusters that need not exist."""
    groups = [group for figure in chosen for group in figure["groups"] if "simulated" in group]
    if groups and runner.simulator.missing():
        say(f"{Program.name}: {runner.simulator.missing()}")
    for group in [] if options.report else groups:
        runner.simulator.run(group, say)


def work(options, description, machine, clusters):
    """Returns the exit status."""
    store = Records(options.out)
    runner = Runner(description, store, clusters, machine, options.bin, options.out)
    chosen = choose(description, options.only)
    cases = [] if options.report else description.cases_of(chosen)
    if options.fresh:
        store.discard(cases)
    measuring = Measuring(description, runner, cases)
    interrupted = False
    try:
        measuring.run()
        simulate(options, runner, chosen)
    except KeyboardInterrupt:
        interrupted = True
        say(f"\n{Program.name}: interrupted; the report shows what there is until now, and the same "
            "command goes on")
    clusters.close()
    context = contents.Context(description, runner, machine, options.out, measuring.outcome,
                               notes(options, measuring, interrupted))
    shown = contents.write(context, description.report["title"])
    contents.print_summary(context, shown, chosen)
    print(f"\nreport: {os.path.join(options.out, 'report.html')} (and report.md, *.png, *.csv)")
    for failure in measuring.failures:
        say(f"{Program.name}: failed: {failure}")
    return 130 if interrupted else 1 if measuring.failures else 0


def main():
    options = parse_arguments()
    interruptible()
    libraries = [Library(text, os.path.dirname(HERE), options.bin, options.out)
                 for text in options.mpi]
    description = Description(os.path.join(HERE, options.data), options.quick, libraries,
                              algorithms())
    description.leave_out_unbuilt(options.bin)
    if options.list:
        list_plan(description, choose(description, options.only))
        return 0
    choose(description, options.only)
    clusters = Clusters(compare.VCLUSTER)
    with lock(options.out, Program.name):
        warn_if_busy()
        try:
            machine = Machine(compare.REPOSITORY, libraries, options.bin)
            return work(options, description, machine, clusters)
        finally:
            clusters.close()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say(f"{Program.name}: interrupted")
        sys.exit(130)
    except (contest.DataError, LibraryError, WrongUse) as error:
        say(f"{Program.name}: {error}")
        sys.exit(2)
