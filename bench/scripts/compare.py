#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cases of claims.toml: all contenders of a case take turns, so that whatever disturbs the
machine disturbs all of them; medians and ratios are formed from one run of this program."""

import argparse
import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import clusters
import contest
import tables
from turn import WrongUse, interruptible, lock

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
VCLUSTER = os.path.join(REPOSITORY, "test", "vcluster")
RUN_LIMIT = 300  # seconds for one mpirun
WITHOUT_MODE = ("part_idle", "pcoll", "pcoll_persistent")
CLUSTER_LIMIT = 120  # for what is at work on a virtual cluster, and the cluster, to end
LAUNCHES = 3  # of an mpirun that does not start the program


def say(text=""):
    print(text, file=sys.stderr, flush=True)


class Runner:
    """Starts one contender of one case and reads its numbers."""

    def __init__(self, options):
        self.options = options
        self.scratch = tempfile.mkdtemp(prefix="compare.", dir=options.out)
        self.csv_path = os.path.join(self.scratch, "run.csv")

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def command(self, case, contender, size):
        program = os.path.join(contender.get("bin", self.options.bin), case["program"])
        bind = case.get("bind", "none")
        words = [] if bind != "none" else ["--mca", "mpi_yield_when_idle", "1"]
        for name, value in contender.get("mca", {}).items():
            words += ["--mca", name, value]
        for name in self.environment(contender, only_own=True):
            words += ["-x", name]
        tail = [program] + self.arguments(case)
        if size:
            tail += ["-m", str(size)]
        if os.path.basename(case["program"]) not in WITHOUT_MODE:
            tail += ["--mode", contender["mode"]]
        tail += ["--csv", self.csv_path]
        for wrap in (contender.get("wrap"), case.get("wrap")):
            if wrap:
                script, *more = wrap.split()
                tail = [os.path.join(HERE, script)] + more + tail
        ranks = str(case["np"])
        if case["where"] == "cluster":
            count = ["--ppn", str(case["per_host"])] if "per_host" in case else ["--np", ranks]
            return [VCLUSTER, "run", *count, *words, "--", *tail]
        return ["mpirun", "-n", ranks, "--map-by", ":OVERSUBSCRIBE", "--bind-to", bind, *words,
                *tail]

    def arguments(self, case):
        key = "quick_args" if self.options.quick and "quick_args" in case else "args"
        return case[key].split()

    @staticmethod
    def environment(contender, only_own=False):
        """Threads that wait for one another sleep: the ranks share few cores."""
        own = {"OMP_WAIT_POLICY": "passive", "UCX_WARN_UNUSED_ENV_VARS": "n"}
        own.update(contender.get("env", {}))
        if only_own:
            # mpirun hands on its own MCA variables by itself.
            return {k: v for k, v in own.items() if not k.startswith("OMPI_MCA_")}
        full = dict(contender.get("environ", os.environ))
        full.update(own)
        if os.geteuid() == 0:
            for tool in ("OMPI", "PRTE"):
                full[f"{tool}_ALLOW_RUN_AS_ROOT"] = "1"
                full[f"{tool}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        return full

    def run(self, case, contender, size):
        """`size`: the only one, or None. Returns (rows, wall seconds, reason of failure or None);
        of a run that failed, the rows until then."""
        if os.path.exists(self.csv_path):
            os.unlink(self.csv_path)
        command = self.command(case, contender, size)
        heading = f"# {os.path.basename(case['program'])}:"
        if self.options.verbose:
            say("  " + " ".join(command))
        for attempt in range(LAUNCHES):
            begin = time.monotonic()
            output, reason = execute(command, self.environment(contender),
                                     case.get("limit", RUN_LIMIT))
            wall = time.monotonic() - begin
            with open(os.path.join(self.options.out, "runs.log"), "a", encoding="utf-8") as log:
                log.write(f"$ {' '.join(command)}\n{output}\n")
            # On a busy machine mpirun may lose its own daemons before it has started anything.
            if reason is None or heading in output or "hung" in reason:
                break
            if attempt + 1 < LAUNCHES:
                say("  mpirun did not start it: once more")
        if reason is None:
            reason = missing_proof(contender, output)
        rows = read_rows(self.csv_path)
        return rows, wall, reason or (None if rows else "no rows")


def end(process, limit=20):
    """Ends it, by force where it does not: mpirun may wait for ever after two signals. Returns what
    it printed."""
    process.terminate()
    try:
        return process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        process.kill()
    try:
        return process.communicate(timeout=limit / 2)[0]
    except subprocess.TimeoutExpired as error:
        if process.stdout:  # of which something that it has started still has the other end
            process.stdout.close()
        return (error.output or b"").decode(errors="replace")


def execute(command, environment, limit=RUN_LIMIT):
    """Returns (what it printed, reason of failure or None)."""
    try:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as error:
        return str(error), f"cannot run {command[0]}"
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return end(process), f"hung ({limit:g} s)"
    except BaseException:
        end(process)
        raise
    if process.returncode != 0:
        return output, f"failed (exit {process.returncode})"
    return output, None


def missing_proof(contender, output):
    """A run that fell back to another component must not count for part/ucx."""
    if contender.get("needs") != "ucx-bytes":
        return None
    for line in output.splitlines():
        if line.startswith("# path-bytes rank"):
            if any(int(word) > 0 for word in line.split(":", 1)[1].split()):
                return None
    return "part/ucx carried nothing"


def read_rows(path):
    """The rows of a program's CSV file; _size is the first column of the program's own, and
    _program what it calls itself: the collective, where it has several."""
    rows = []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file)
            heads = [head.split(" [")[0] for head in next(reader)[contest.FIXED_CSV_COLUMNS:]]
            for line in reader:
                values = [float(value) for value in line[contest.FIXED_CSV_COLUMNS:]]
                row = dict(zip(heads, values))
                row["_size"] = int(values[0])
                row["_program"] = line[0]
                rows.append(row)
    except (OSError, StopIteration, ValueError):
        return []
    return rows


def rounds_of(options, case):
    return options.reps or case["quick_reps" if options.quick else "reps"]


def turns(options, case, first=0, last=None):
    """What is run in these rounds (by default all), in this order: (contender, size), where the
    size is None if a run has all sizes of the case. Every other round goes backwards through the
    contenders."""
    rivals = {name for claim in case.get("claim", []) for name in contest.sides(claim)}
    names = case["contenders"] + [name for name in case.get("info", [])
                                  if name in rivals or not options.claims_only]
    names = [n for n in names if not options.only or n in options.only]
    sizes = contest.sizes_apart(case["apart"]) if "apart" in case else [None]
    order = []
    for rep in range(first, rounds_of(options, case) if last is None else last):
        for size in sizes:
            order += [(name, size) for name in (names if rep % 2 == 0 else reversed(names))]
    return order


class Clock:
    """How long all that is to be run will take: the guesses of the data file, corrected by how well
    they have fitted so far."""

    def __init__(self, options, contenders, cases):
        self.options = options
        self.contenders = contenders
        self.ahead = options.later + sum(self.guess(case, name)
                                         for case in cases for name, _ in turns(options, case))
        self.guessed = 0.0
        self.spent = 0.0

    def guess(self, case, name):
        key = "quick_seconds" if self.options.quick else "seconds"
        seconds = case.get(key, 10.0)
        if self.options.rate and case["where"] == "cluster":
            seconds *= self.options.file_rate / self.options.rate
        return seconds * self.contenders[name].get("slow", 1.0)

    def passed(self, case, name, wall):
        self.ahead -= self.guess(case, name)
        self.guessed += self.guess(case, name)
        self.spent += wall

    def left(self):
        factor = self.spent / self.guessed if self.guessed else 1.0
        seconds = factor * self.ahead
        return f"{seconds / 60.0:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def run_case(runner, contenders, case, clock):
    """All contenders in turn. The results are saved after every run, so that an end in between
    leaves what there is."""
    options = runner.options
    results = contest.Results(case["name"])
    results.title = case["title"]
    results.rate_mbit = case["shape"].rate_mbit
    run_turns(runner, contenders, case, clock, results, turns(options, case))
    return results


def run_turns(runner, contenders, case, clock, results, order):
    """Adds to the results of a case."""
    options = runner.options
    for done, (name, size) in enumerate(order):
        if name not in results.failures:
            say(f"[{case['name']} {done + 1}/{len(order)}, about {clock.left()} left] "
                f"{contenders[name]['label']}" + (f", {contest.size_text(size)}" if size else ""))
            rows, wall, reason = runner.run(case, contenders[name], size)
            if reason is None:
                results.add(name, rows, wall)
            else:
                results.fail(name, reason)
                say(f"  {reason}: see runs.log in {options.out}")
            save(options, results)
            clock.passed(case, name, wall)
        else:
            clock.passed(case, name, 0.0)


def save(options, results):
    path = os.path.join(options.out, f"{results.case_name}.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(results.to_json(), file, indent=1)
    os.replace(path + ".new", path)


def load_results(options, name):
    try:
        with open(os.path.join(options.out, f"{name}.json"), encoding="utf-8") as file:
            return contest.Results.from_json(json.load(file))
    except OSError:
        return None


def run_here(options, contenders, cases):
    runner = Runner(options)
    clock = Clock(options, contenders, cases)
    try:
        for case in cases:
            run_case(runner, contenders, case, clock)
    finally:
        runner.close()


def run_on_cluster(options, cluster, cases, later):
    """This program again, inside a virtual cluster; `later` seconds of other runs will follow."""
    inner = [sys.executable, os.path.abspath(__file__), "--inside", "--no-table", "--out",
             options.out, "--bin", options.bin, "--data", options.data, "--later", f"{later:.0f}"]
    for flag in ("quick", "verbose", "claims_only"):
        if getattr(options, flag):
            inner.append("--" + flag.replace("_", "-"))
    if options.rate:
        inner += ["--rate", f"{options.rate:g}"]
    if options.reps:
        inner += ["--reps", str(options.reps)]
    for name in options.only:
        inner += ["--only", name]
    inner += [case["name"] for case in cases]
    if cluster.slow_mbit:
        slow = (f"{shlex.quote(VCLUSTER)} rate --path {cluster.paths - 1} "
                f"{clusters.rate(cluster.slow_mbit)}")
        inner = ["sh", "-c", slow + ' >/dev/null && exec "$@"', "sh"] + inner
    command = [VCLUSTER, "with", "--hosts", str(cluster.hosts), "--paths", str(cluster.paths),
               "--rate", clusters.rate(cluster.rate_mbit), "--"] + inner
    process = subprocess.Popen(command)
    try:
        return process.wait()
    except BaseException:
        end(process, CLUSTER_LIMIT)
        raise


def report(options, contenders, cases):
    """Prints all tables; returns how many claims do not hold, or 1 if there are no numbers."""
    all_results = {case["name"]: load_results(options, case["name"]) for case in cases}
    verdicts = []
    for case in cases:
        results = all_results[case["name"]]
        if results is not None:
            cluster = contest.load_cluster(options.data, results.rate_mbit)
            tables.print_case(contenders, case, results, cluster)
        if not options.only and not options.no_verdicts:
            verdicts += [contest.judge(case, claim, results) for claim in case["claim"]]
    if verdicts:
        print()
        tables.print_grid(["claim", "needed", "measured", "ok"],
                   [[v.says, v.needed, v.measured, tables.verdict_text(v)] for v in verdicts])
    tables.write_csv(options, cases, contenders, all_results, verdicts)
    print(f"\nnumbers and claims as CSV, and the output of every run: {options.out}")
    if not any(results and results.values for results in all_results.values()):
        say("compare.py: there are no numbers")
        return 1
    return sum(1 for v in verdicts if v.ok is not True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", help="cases of the data file (default: all)")
    parser.add_argument("--list", action="store_true", help="print the cases and their claims")
    parser.add_argument("--table", action="store_true",
                        help="run nothing, print the results that are in --out")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--claims-only", action="store_true",
                        help="leave out the contenders that judge nothing")
    parser.add_argument("--only", action="append", default=[], metavar="CONTENDER",
                        help="run this contender only (may be repeated); no claims are judged")
    parser.add_argument("--rate", type=float, default=0, metavar="MBIT",
                        help="Mbit/s of every path of the cluster (default: the data file's)")
    parser.add_argument("--reps", type=int, default=0, help="rounds of every case")
    parser.add_argument("--no-verdicts", action="store_true", help="judge no claims")
    parser.add_argument("--verbose", action="store_true", help="print every command")
    parser.add_argument("--bin", default=os.environ.get("BENCH_BIN",
                                                        os.path.join(REPOSITORY, "bench", "p2p")),
                        help="folder of the programs")
    parser.add_argument("--out", default=os.path.join(REPOSITORY, "bench", "results", "claims"),
                        help="folder for the results")
    parser.add_argument("--data", default=os.path.join(HERE, "claims.toml"))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--later", type=float, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--no-table", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    options.bin = os.path.abspath(options.bin)
    options.file_rate = contest.load_cluster(options.data).rate_mbit
    return options


def choose(cases, wanted):
    known = {case["name"] for case in cases}
    for name in wanted:
        if name not in known:
            sys.exit(f"compare.py: no case '{name}'; there are: {' '.join(sorted(known))}")
    return [case for case in cases if not wanted or case["name"] in wanted]


def print_list(cases):
    for case in cases:
        print(f"{case['name']:14} {case['where']:8} {case['title']}")
        for claim in case["claim"]:
            rule = claim.get("rule", "ratio")
            needed = f">= {claim['needed']:g}" if rule in ("ratio", "least", "steady") else rule
            print(f"{'':23} - {claim['says']}: {needed}")


def warn_if_busy():
    """The contenders take turns, so a busy machine slows all of them, but the runs scatter."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > 0.5 * cores:
        say(f"compare.py: the machine is busy (load {load:.1f} on {cores} cores): "
            "expect scattered numbers")


def same_shape(cases):
    """The cases in groups that can run on one cluster."""
    groups = {}
    for case in cases:
        shape = case["shape"]
        groups.setdefault((shape.hosts, shape.paths, shape.rate_mbit, shape.slow_mbit),
                          []).append(case)
    return list(groups.values())


def run_all(options, contenders, cases):
    """Returns whether all began; what failed then is in the results."""
    if not options.inside:
        warn_if_busy()
    remote = [case for case in cases if case["where"] == "cluster" and not options.inside]
    local = [case for case in cases if case not in remote]
    for case in cases:
        stale = os.path.join(options.out, f"{case['name']}.json")
        if os.path.exists(stale):
            os.unlink(stale)
    if not options.inside:
        open(os.path.join(options.out, "runs.log"), "w", encoding="utf-8").close()
    all_began = True
    for index, group in enumerate(same_shape(remote)):
        later = [case for others in same_shape(remote)[index + 1:] for case in others] + local
        if run_on_cluster(options, group[0]["shape"], group,
                          Clock(options, contenders, later).ahead) != 0:
            say("compare.py: the cases on the cluster did not all run")
            all_began = False
    run_here(options, contenders, local)
    return all_began


def main():
    # However it is ended: the processes it has started are ended first, what was measured is shown.
    interruptible()
    options = parse_arguments()
    contenders, cases = contest.load(options.data, options.rate or None)
    cases = choose(cases, options.case)
    if options.list:
        print_list(cases)
        return 0
    for name in [] if options.inside else options.only:
        if not any(name in case["contenders"] + case.get("info", []) for case in cases):
            sys.exit(f"compare.py: no contender '{name}' in these cases")
    os.makedirs(options.out, exist_ok=True)
    interrupted, all_began = False, True
    if not options.table:
        held = None if options.inside else lock(options.out, "compare.py")  # to the end
        try:
            all_began = run_all(options, contenders, cases)
        except KeyboardInterrupt:
            if options.inside:
                raise
            interrupted = True
            say("\ncompare.py: interrupted; what there is until now:")
    if options.no_table:
        return 0
    failures = report(options, contenders, cases)
    return 130 if interrupted else 0 if all_began and not failures else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("compare.py: interrupted")
        sys.exit(130)
    except (WrongUse, contest.DataError) as error:
        sys.exit(f"compare.py: {error}")
