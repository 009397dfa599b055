#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares MPI libraries and their settings: who is faster where, and which defaults are slow.
bench/libraries.sh says how it is called."""

import argparse
import itertools
import os
import statistics
import sys
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(BENCH, "figures"), os.path.join(BENCH, "scripts")]

import compare  # noqa: E402
import contenders  # noqa: E402
import contest  # noqa: E402
import judge  # noqa: E402
import libraries as others  # noqa: E402
import places  # noqa: E402
import results as numbers  # noqa: E402
import rules  # noqa: E402
from clusters import ClusterError, Clusters, Shape  # noqa: E402
from machine import Machine, hash_of, hashes_of  # noqa: E402
from pages import Pages  # noqa: E402
from patience import Patience  # noqa: E402
from progress import duration, say  # noqa: E402
from records import Records, key_of  # noqa: E402
from turn import WrongUse, interruptible, lock  # noqa: E402

PROGRAM = "libraries/mpi_compare"
OPERATIONS = ("latency", "bandwidth", "bidirectional", "scatter", "gather", "bcast", "allgather",
              "alltoall", "allreduce", "reduce_scatter", "barrier")
QUICK = {"runs": 3, "step": 16, "iterations": 100, "large_iterations": 10, "warmup": 3,
         "budget": 0.02, "sizes": (1, 1 << 20), "virtual_hosts": 2}
FULL = {"runs": 3, "step": 8, "iterations": 1000, "large_iterations": 100, "warmup": 10,
        "budget": 0.1, "sizes": (1, 64 << 20), "virtual_hosts": 4, "ppn": (1, 4)}
# Over 50 MB/s, and with more ranks than processors, more would take hours, and show nothing new.
VIRTUAL = {"sizes": (1, 16 << 20), "memory": 128 << 20, "longest": 0.1, "step": 16, "budget": 0.03}
MEMORY = 512 << 20


def few_ranks(hosts):
    """Ranks per host, for a first look: no more than processors, as some libraries do not yield."""
    processors = len(os.sched_getaffinity(0))
    return tuple(ppn for ppn in (1, 2) if hosts * ppn <= processors) or (1,)


def listed(known):
    def parse(text):
        words = tuple(text.split(","))
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"no \"{word}\"; there are {', '.join(known)}")
        return words
    return parse


def counts(text):
    try:
        values = tuple(int(word) for word in text.split(","))
    except ValueError:
        values = ()
    if not values or min(values) < 1:
        raise argparse.ArgumentTypeError(f"\"{text}\" is no list of numbers")
    return values


def size_range(text):
    try:
        low, high = contest.size_range(text)
    except ValueError:
        low, high = 0, 0
    if not 0 < low <= high:
        raise argparse.ArgumentTypeError(f"\"{text}\" is no range of sizes such as 1:64M")
    return low, high


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="libraries.sh", allow_abbrev=False)
    parser.add_argument("--mpi", action="append", default=[])
    parser.add_argument("--hosts")
    parser.add_argument("--counts", type=counts)
    parser.add_argument("--ppn", type=counts)
    parser.add_argument("--launcher", choices=places.LAUNCHERS, default="mpirun")
    parser.add_argument("--operations", type=listed(OPERATIONS), default=OPERATIONS)
    parser.add_argument("--forms", type=listed(contenders.FORMS), default=contenders.FORMS)
    parser.add_argument("--sizes", type=size_range)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--buffers", choices=("host", "cuda"), default="host")
    parser.add_argument("--no-defaults", action="store_true")
    parser.add_argument("--against")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--bin", required=True)
    options = parser.parse_args(words)
    usual = {"memory": MEMORY, "longest": 0.0, **FULL, **({} if options.hosts else VIRTUAL),
             **(QUICK if options.quick else {}),
             **({"ppn": few_ranks(max(options.counts or (QUICK["virtual_hosts"],)))}
                if options.quick and not options.hosts else {})}
    for name, value in usual.items():
        if getattr(options, name, None) is None:
            setattr(options, name, value)
    if options.runs < 1 or options.partitions < 1:
        raise WrongUse("--runs and --partitions are at least 1")
    if options.launcher == "srun" and not options.hosts:
        raise WrongUse("--launcher srun needs --hosts")
    if options.fresh and options.report:
        raise WrongUse("--fresh and --report: there would be nothing to report")
    folder = "libraries" + ("-quick" if options.quick else "") + (
        "-" + options.buffers if options.buffers != "host" else "")
    options.out = os.path.abspath(options.out or os.path.join(BENCH, "results", folder))
    options.bin = os.path.abspath(options.bin)
    if options.against and os.path.realpath(numbers.Results.file_of(options.against)) == \
            os.path.realpath(numbers.Results.file_of(options.out)):
        raise WrongUse(f"--against {options.against}: that is where results go; name another --out")
    return options


def places_of(options, clusters):
    """Where to run: the virtual cluster, or the hosts of a file."""
    found = []
    if options.hosts is None:
        reason = clusters.unavailable()
        if reason:
            raise WrongUse("no --hosts, and no virtual hosts here: " + reason.partition("\n")[0])
        for hosts in options.counts or places.counts_up_to(options.virtual_hosts):
            found += [places.Place(hosts, ppn, Shape(hosts, 4, 100)) for ppn in options.ppn
                      if hosts > 1]
        return some(found)
    names = places.read_hosts(options.hosts)
    if not places.in_environment("srun") and options.launcher == "srun":
        raise WrongUse("--launcher srun: there is no srun on PATH")
    for hosts in options.counts or places.counts_up_to(len(names)):
        if hosts > len(names):
            raise WrongUse(f"--counts {hosts}: {options.hosts} names {len(names)} hosts")
        found += [places.Place(hosts, ppn, None, names, options.launcher)
                  for ppn in options.ppn if hosts * ppn > 1]
    return some(found)


def some(found):
    if not found:
        raise WrongUse("nothing can be run: --counts and --ppn leave no two ranks, or no two "
                       "virtual hosts")
    return found


class Facts(Machine):
    """Of this machine, and why numbers may vary on it."""

    def why_it_varies(self, where):
        cores = os.cpu_count() or 1
        reasons = []
        ranks = max((place.ranks for place in where if place.shape), default=0)
        if ranks > cores:
            reasons.append(f"up to {ranks} ranks share {cores} processors here")
        if os.getloadavg()[0] > max(ranks, 1) + 0.5 * cores:
            reasons.append("other programs are running")
        governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
        if os.path.exists(governor):
            with open(governor, encoding="utf-8") as file:
                word = file.read().strip()
            if word != "performance":
                reasons.append(f"the processors' frequency is governed by \"{word}\"")
        return ("Reasons that this machine shows: " + "; ".join(reasons) + "." if reasons
                else "This machine shows no reason.")


class Measuring:
    """Runs contenders in turn; what was measured before is not repeated."""

    def __init__(self, options, clusters, machine):
        self.options, self.clusters, self.machine = options, clusters, machine
        self.store = Records(options.out)
        self.results = numbers.Results({**machine.hardware, **machine.software,
                                        "buffers": options.buffers, "sources": machine.commit})
        # What is compared with older numbers is measured for that.
        self.against = hash_of(numbers.Results.file_of(options.against)) \
            if options.against else None
        self.commands = {}
        self.failed = set()
        self.broken = {}  # of a place and a contender: the (operation, form) that failed there
        self.patience = Patience()

    def _program(self, contender):
        if contender.library is None:
            return os.path.join(self.options.bin, PROGRAM)
        path, said = contender.library.compile(PROGRAM)
        if path is None:
            log = self.store.log(f"compile--{contender.library.name}")
            with open(log, "w", encoding="utf-8") as file:
                file.write(said)
            raise others.LibraryError(f"{PROGRAM} does not compile with it: see {log}")
        return path

    def _stem(self, place, contender, words, rep):
        facts = {"words": words, "place": place.text(), "hosts": place.names,
                 "launcher": place.launcher, "contender": contender.facts(),
                 "files": hashes_of(contender.mca.values()),
                 "versions": self.machine.versions(),
                 "sources": self.machine.source_state(PROGRAM), "against": self.against}
        return Records.stem(place.key, contender.name.replace("/", "_"), rep, key_of(facts))

    def plan(self, jobs):
        """jobs: of a place, contenders that take turns there, and the numbers of these turns."""
        return [(place, rep, contender, words) for place, everyone, turns in jobs
                for rep in turns
                for contender in (everyone if rep % 2 == 0 else everyone[::-1])
                if (words := contender.words(self.options)) is not None]

    def run(self, jobs, why):
        """why: a word for the lines that show progress."""
        plan, walls = self.plan(jobs), []
        for done, (place, rep, contender, words) in enumerate(plan, 1):
            stem = self._stem(place, contender, words, rep)
            record = self.store.find(stem)
            if record is None and not self.options.report:
                left = statistics.fmean(walls) * (len(plan) - done + 1) if walls else None
                say(f"[{why} {done}/{len(plan)}"
                    + (f", about {duration(left)} left" if left else "")
                    + f"] {place.key}, turn {rep + 1}: {contender.label}")
                record = self._measure(place, contender, words, stem)
                walls += [record["wall"]] if record else []
            if record is not None:
                if self._is_sound(place, contender):
                    self.patience.learn(place.key, contender.library, words, record["wall"])
                self._keep(place, contender, record, rep)

    def has_failed(self, place, some):
        return any((place.key, contender.name) in self.failed for contender in some)

    def _keep(self, place, contender, record, turn):
        rows = {tuple(key): row for key, row in record["rows"]}
        self.results.labels[contender.name] = contender.label
        self.results.add(place.key, contender.name, rows, turn)
        self.commands.setdefault(f"{place.key}, {contender.label}", [" ".join(record["command"])])

    def _measure(self, place, contender, words, stem):
        if (place.key, contender.name) in self.failed:
            return None
        try:
            program = self._program(contender)
            cluster = self.clusters.use(place.shape) if place.shape else None
            rows, wall = self._parts(place, contender, program, words, cluster, stem)
        except (others.LibraryError, ClusterError) as error:
            self._fail(place, contender, str(error), stem)
            return None
        if not rows:
            if self._is_sound(place, contender):
                self._fail(place, contender, "no numbers", stem)
            self.failed.add((place.key, contender.name))
            return None
        shown = [self._without_places(word, contender)
                 for word in place.command(contender, [program, *words])]
        record = {"rows": [[list(key), row] for key, row in rows.items()], "command": shown,
                  "wall": wall, "when": time.strftime("%Y-%m-%d %H:%M:%S")}
        if self._is_sound(place, contender):
            self.store.keep(stem, record)
        return record

    def _is_sound(self, place, contender):
        """Has nothing of it failed there?"""
        key = (place.key, contender.name)
        return key not in self.failed and key not in self.broken

    def _fail(self, place, contender, reason, stem, trial=None):
        """trial: (operation, form), or None where nothing else can be run either."""
        if trial is None:
            self.failed.add((place.key, contender.name))
        else:
            self.broken.setdefault((place.key, contender.name), set()).add(trial)
            reason = f"{' '.join(trial)}: {reason}"
        self.results.failures.append((place.key, contender.label, reason))
        say(f"  {reason}: see {self.store.log(stem)}")

    def _parts(self, place, contender, program, words, cluster, stem):
        """(rows, seconds) of a run. Where it fails at a trial, the rest is run without that one,
        and so in later turns."""
        gone = set(self.broken.get((place.key, contender.name), ()))
        parts = list(contenders.rest(words, gone)) if gone else [words]
        rows, wall, log = {}, 0.0, "w"
        while parts:
            part = parts.pop(0)
            command = place.command(contender, [program, *part])
            output, reason, took = self._execute(place, contender, part, command, cluster, stem,
                                                 log)
            found, log = numbers.parse(output), "a"
            rows.update(found)
            wall += took
            if reason is None or (part != words and "# no such operation" in output):
                continue
            began = [trial for trial in numbers.trials(output)
                     if trial in contenders.pairs_of(part) - gone]
            # One that hangs at once would be followed by others.
            if numbers.refusal(output) or not began or (not found and "hung" in reason):
                self._fail(place, contender, reason, stem)
                return (rows if gone else {}), wall
            self._fail(place, contender, reason, stem, began[-1])
            gone.update(began)
            parts = [*contenders.rest(part, gone), *parts]
        return rows, wall

    def _without_places(self, word, contender):
        """A word of a command, as it is shown: where things lie on this machine is nobody's
        business."""
        if contender.library is not None:
            word = word.replace(contender.library.prefix, "PREFIX")
        return (word.replace(self.options.bin, "bench").replace(compare.REPOSITORY + os.sep, "")
                .replace(self.options.out, "OUT"))

    def _execute(self, place, contender, words, command, cluster, stem, log):
        begin = time.monotonic()
        limit = self.patience.limit(place.key, contender.library, words)
        output, reason = compare.execute(command, place.environment(contender, cluster), limit)
        with open(self.store.log(stem), log, encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{output}\n")
        reason = numbers.refusal(output) or reason
        if reason is None and "# done" not in output:
            reason = "it did not come to its end"
        wall = time.monotonic() - begin
        return output, reason, wall


def beside(measuring, pairs):
    """Findings where the two of a pair have taken turns, until they do not agree. pairs: (place,
    pair)."""
    for turn in range(judge.CONFIRMING):
        measuring.run([(place, pair.both, [turn]) for place, pair in pairs],
                      f"look again, {turn + 1} of {judge.CONFIRMING}:")
        pairs = [(place, pair) for place, pair in pairs
                 if not measuring.has_failed(place, pair.both)
                 and judge.agree_so_far(measuring.results, place.key, pair)]
    return [finding for place, pair in pairs
            for finding in judge.slow_defaults(measuring.results, place.key, [pair])]


def confirmed(measuring, where, tries):
    """Defaults that something beats. What one run of it says is looked at again: both take turns."""
    measuring.run([(place, tries, [0]) for place in where], "other settings:")
    again = []
    for place, attempt in itertools.product(where, tries):
        seen = judge.suspects(measuring.results, place.key, [contenders.Pair(attempt)])
        if seen:
            again.append((place, contenders.Pair(attempt, seen)))
    return beside(measuring, again)


def repairs(measuring, where, everyone, findings):
    """Files that repair what was found; returns what they repair, measured."""
    options, pairs = measuring.options, []
    for place, base, kind in itertools.product(where, everyone, rules.KINDS):
        made = rules.repair(kind, rules.of_base(findings, place, base), measuring.results, place,
                            options.out, base.name, options.step)
        if made is None:
            continue
        path, settings, covered = made
        table = {"mca": settings, "set": os.path.basename(path)}
        attempt = contenders.Contender(f"{base.name}+{kind.name}-{place.key}", table,
                                       f"{base.label}, {table['set']}", base.library, base)
        pairs.append((place, contenders.Pair(attempt, covered)))
    return beside(measuring, pairs)


def tell_slower(old, new):
    """Prints what became slower; returns whether something did, or nothing can be said."""
    found, compared = judge.became_slower(old, new)
    if not compared:
        print("nothing could be compared: no row has three runs here and in the older comparison")
        return True
    for factor, place, name, (operation, form, size) in found:
        print(f"slower: {factor:.2f} times, {place}, {new.labels.get(name, name)}: {operation} "
              f"{form}, {contest.size_text(size)}")
    print(f"{len(found) or 'no'} of {compared} rows {'are' if len(found) > 1 else 'is'} slower "
          "than in the older comparison")
    return bool(found)


def pictures():
    """What draws, or None without matplotlib, which not every python3 has."""
    try:
        import curves
        import heat
    except ImportError:
        return None
    return types.SimpleNamespace(curves=curves.draw, heat=heat.draw)


def work(options, clusters, libraries):
    everyone, tries = contenders.load(os.path.join(HERE, "libraries.toml"), libraries)
    where = places_of(options, clusters)
    trying = [] if options.no_defaults else places.to_try(where)
    old = numbers.Results.read(options.against) if options.against else None
    measuring = Measuring(options, clusters, Facts(compare.REPOSITORY, libraries, options.bin))
    if options.list:
        for place, _, contender, words in measuring.plan(
                [(place, everyone + (tries if place in trying else []), [0])
                 for place in where]):
            print(f"{place.key}: {contender.label}: {' '.join(words)}")
        return 0
    if options.fresh:
        measuring.store.discard_all()
    measuring.results.labels = {one.name: one.label for one in everyone}
    interrupted, findings = False, None
    try:
        measuring.run([(place, everyone, range(options.runs)) for place in where], "libraries:")
        findings = confirmed(measuring, trying, tries)
        findings += repairs(measuring, trying, everyone, findings)
    except KeyboardInterrupt:
        interrupted = True
        say("\nlibraries.sh: interrupted; the report has what there is, and the same command goes "
            "on")
    clusters.close()
    measuring.results.write(os.path.join(options.out, "results.json"))
    Pages(options, measuring.results, measuring.machine, where, everyone, findings, trying).write(
        pictures(), measuring.commands)
    print(f"report: {os.path.join(options.out, 'report.html')} (and report.md, numbers.csv)")
    slower = tell_slower(old, measuring.results) if old else 0
    for place, contender, reason in measuring.results.failures:
        say(f"libraries.sh: failed: {contender} at {place}: {reason}")
    return 130 if interrupted else 1 if slower or measuring.results.failures else 0


def main(words):
    options = parse_arguments(words)
    interruptible()
    libraries = [others.Library(text, BENCH, options.bin, options.out) for text in options.mpi]
    clusters = Clusters(compare.VCLUSTER)
    with lock(options.out, "libraries.sh"):
        compare.warn_if_busy()
        try:
            return work(options, clusters, libraries)
        finally:
            clusters.close()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except (WrongUse, places.PlaceError, others.LibraryError, numbers.ResultsError) as error:
        say(f"libraries.sh: {error}")
        sys.exit(2)
