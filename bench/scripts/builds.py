#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two builds of this package: both run every case of builds.toml in turn (before, after,
after, before, ...), and a row is worse when the ratio of runs that followed each other surely is.
bench/builds.sh is how it is called."""

import argparse
import os
import subprocess
import sys
import tomllib

import compare
import contest
import rows
from clusters import ClusterError, Clusters, Shape
from turn import WrongUse, interruptible, lock

HERE = compare.HERE
say = compare.say
# Lists of folders that env.sh puts its own in front of.
LISTS = ("PATH", "LD_LIBRARY_PATH", "OMPI_MCA_mca_base_component_path")


def lies_in(path, folder):
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def without(environment, folders):
    """An environment in which no list names something in one of the folders: env.sh leaves a
    folder where it is when it is in the list already, and another build may be before it."""
    clean = dict(environment)
    for name in LISTS:
        if name in clean:
            clean[name] = os.pathsep.join(
                entry for entry in clean[name].split(os.pathsep)
                if not any(entry and lies_in(entry, folder) for folder in folders))
            if not clean[name]:
                del clean[name]
    return clean


def build_environment(side, folder, clean):
    """What env.sh of a build makes of an environment."""
    if not os.path.isfile(os.path.join(folder, "env.sh")):
        raise WrongUse(f"--{side}: {folder} is no build folder, it has no env.sh")
    run = subprocess.run(["bash", "-c", '. "$1/env.sh" >&2 && env -0', "bash", folder], env=clean,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    words = [word.partition("=") for word in os.fsdecode(run.stdout).split("\0") if "=" in word]
    made = {name: value for name, _, value in words if not name.startswith("BASH_FUNC_")}
    component = made.get("OMPI_MCA_mca_base_component_path", "").split(os.pathsep)[0]
    if run.returncode != 0 or not lies_in(component, folder):
        raise WrongUse(f"--{side}: {folder}/env.sh takes the component from \"{component}\"; a "
                       "build that was copied or moved must be configured anew")
    return made


def load(path):
    """(contenders by name, cases, shapes of the networks by name)."""
    with open(path, "rb") as file:
        data = tomllib.load(file)
    contenders = {}
    for other in data["include"]:
        contenders.update(contest.load(os.path.join(os.path.dirname(path), other))[0])
    shapes = {name: Shape(table["hosts"], table["paths"], table["rate_mbit"])
              for name, table in data["network"].items()}
    for case in data["case"]:
        if case["contender"] not in contenders:
            raise contest.DataError(f"case {case['name']}: no contender {case['contender']}")
        case.setdefault("np", 2)
        case.setdefault("sizes", case.get("apart"))
        case["shape"] = None if case["where"] == "host" else shapes[case["where"]]
        case["where"] = "host" if case["shape"] is None else "cluster"
        case["before"], case["after"] = (f"{case['contender']} {side}"
                                         for side in ("before", "after"))
        case["contenders"] = [case["before"], case["after"]]
    return contenders, data["case"]


def choose(cases, wanted):
    """By name, program or place."""
    def words(case):
        return {case["name"], os.path.basename(case["program"]), case["where"]}

    known = sorted(set().union(*(words(case) for case in cases)))
    for word in wanted:
        if word not in known:
            raise WrongUse(f"--only: no \"{word}\"; there are: {' '.join(known)}")
    return [case for case in cases if not wanted or words(case) & set(wanted)]


def sides_of(settings, cases, options):
    """Both builds with the settings of each case."""
    folders = [options.before, options.after]
    clean = without(os.environ, folders)
    contenders = {}
    for side, folder in zip(("before", "after"), folders):
        environ = build_environment(side, folder, clean)
        for case in cases:
            contenders[case[side]] = {**settings[case["contender"]], "name": case[side],
                                      "label": side, "environ": environ,
                                      "bin": os.path.join(folder, "bench")}
    return contenders


class Comparison:
    """All of it: what is run, and what has been measured."""

    def __init__(self, options, contenders, cases):
        self.options = options
        self.contenders = contenders
        self.cases = cases
        self.rows = {case["name"]: rows.rows_of(case) for case in cases}
        self.outside = rows.outside_of(sum(self.rows.values(), []))
        self.results = {}

    def run(self):
        clusters = Clusters(compare.VCLUSTER)
        runner = compare.Runner(self.options)
        clock = compare.Clock(self.options, self.contenders, self.cases)
        try:
            for case in self.cases:
                if case["shape"] is not None:
                    try:
                        name = clusters.use(case["shape"])
                    except ClusterError as error:
                        self.fail(case, str(error))
                        continue
                    for side in case["contenders"]:
                        self.contenders[side]["environ"]["VCLUSTER_NAME"] = name
                self.run_case(runner, case, clock)
        finally:
            clusters.close()
            runner.close()

    def fail(self, case, reason):
        """A case that cannot be run; the others can."""
        say(f"builds.sh: {case['name']}: {reason}")
        self.results[case["name"]] = results = contest.Results(case["name"])
        for side in case["contenders"]:
            results.fail(side, reason.partition("\n")[0])

    def run_case(self, runner, case, clock):
        """As many rounds as planned, and more while a row looks worse and there are too few of them
        to be sure."""
        name = case["name"]
        self.results[name] = results = contest.Results(name)
        rounds = compare.rounds_of(self.options, case)
        compare.run_turns(runner, self.contenders, case, clock, results,
                          compare.turns(self.options, case))
        while rows.is_undecided(self.rows[name], results, self.outside):
            say(f"  {case['title']}: looks worse, so another round")
            clock.ahead += 2 * clock.guess(case, case["before"]) * len(case.get("apart", [0]))
            compare.run_turns(runner, self.contenders, case, clock, results,
                              compare.turns(self.options, case, rounds, rounds + 1))
            rounds += 1

    def report(self):
        """Prints the table; returns how many rows are bad."""
        judged = [rows.judge(row, self.results.get(name), self.outside)
                  for name, case_rows in self.rows.items() for row in case_rows]
        text = rows.markdown(judged)
        with open(os.path.join(self.options.out, "table.md"), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        print(text)
        bad = sum(1 for _, word in judged if rows.is_bad(word))
        say(f"\n{len(judged)} rows, {bad} surely worse or failed; the output of every run: "
            f"{self.options.out}")
        return bad


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def parse_arguments():
    parser = argparse.ArgumentParser(prog="builds.sh", description=__doc__, allow_abbrev=False)
    parser.add_argument("--before", required=True, metavar="DIR", help="a build folder")
    parser.add_argument("--after", required=True, metavar="DIR", help="the other one")
    parser.add_argument("--rounds", type=positive, default=0, metavar="N", dest="reps")
    parser.add_argument("--only", action="append", default=[], metavar="WHAT", dest="wanted")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", metavar="DIR",
                        default=os.path.join(compare.REPOSITORY, "bench", "results", "builds"))
    options = parser.parse_args()
    for name in ("before", "after", "out"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    # What compare.py asks for besides.
    vars(options).update(bin=None, later=0, rate=None, claims_only=False, only=[],
                         verbose=False)
    return options


def on_this_machine(cases):
    """The cases that can run here."""
    reason = Clusters(compare.VCLUSTER).unavailable() \
        if any(case["shape"] is not None for case in cases) else None
    if reason is None:
        return cases
    say(f"builds.sh: no virtual cluster, so its rows are left out: {reason.splitlines()[0]}")
    return [case for case in cases if case["shape"] is None]


def main():
    # However it is ended: the processes it has started are ended first, what was measured is shown.
    interruptible()
    options = parse_arguments()
    settings, cases = load(os.path.join(HERE, "builds.toml"))
    cases = on_this_machine(choose(cases, options.wanted))
    comparison = Comparison(options, sides_of(settings, cases, options), cases)
    held = lock(options.out, "builds.sh")  # to the end
    open(os.path.join(options.out, "runs.log"), "w", encoding="utf-8").close()
    compare.warn_if_busy()
    try:
        comparison.run()
    except KeyboardInterrupt:
        say("\nbuilds.sh: interrupted; what there is until now:")
        comparison.report()
        return 130
    return 1 if comparison.report() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except WrongUse as error:
        say(f"builds.sh: {error}")
        sys.exit(2)
    except contest.DataError as error:
        sys.exit(f"builds.sh: {error}")
