# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one contender of one case once, or finds that this has been done already."""

import contextlib
import csv
import os
import re
import shlex
import time

import compare
import records
import simulation
from clusters import Shape
from machine import hashes_of

REPOSITORY = compare.REPOSITORY
# Of every Open MPI here: ranks share few cores.
SETTINGS = {"mpi_yield_when_idle": "1"}
LEAST_MBIT = 16.0  # below, the queue of a path holds too few packets for TCP
ATTEMPTS = 2  # what fails by chance, on a busy machine, does not fail twice
LAUNCHES = 3  # and mpirun may lose its own daemons before it has started anything


class NotRun(Exception):
    """There can be no numbers, for a reason that is not a failure of this run."""


def read_steps(path):
    """The trainer's CSV file: a row per step."""
    rows = []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                row = {name: float(value) for name, value in line.items()}
                row["_size"] = int(row.pop("step"))
                rows.append(row)
    except (OSError, ValueError, TypeError):
        return []
    return rows


def ring_bytes(hosts, size):
    """What a host must send in an allreduce of so many bytes, whatever the algorithm."""
    return 2.0 * (hosts - 1) / hosts * size


def remarks(text):
    """The comment lines of a program's heading: what ran, with which settings, on which hosts."""
    lines = [line for line in text.splitlines() if line.startswith("# ")]
    kept = [line[2:] for line in lines if "; rank 0 on" in line or " ranks on " in line
            or line.startswith(("# settings:", "# exchange ", "# configuration "))]
    return kept


def placement(case):
    """Where `vcluster run` puts the ranks of a case."""
    words = ["--np", str(case.np)]
    if case.listed:
        words = ["--host-ranks", ",".join(str(count) for count in case.listed)]
    elif case.per_host:
        words = ["--ppn", str(case.per_host)]
    return words + (["--shared"] if case.shared else [])


def arguments(case, contender):
    """What the program of a case is told."""
    mode = ["--mode", contender["mode"]] if "mode" in contender else []
    return [*shlex.split(case.args), *mode, *contender.get("args", "").split()]


def algorithms(text):
    """What coll_pschedule_verbose has told of the choices, in the order of the requests."""
    return re.findall(r"coll/pschedule: \w+ of \d+ bytes in \d+ partitions? on \d+ ranks: (\w+)",
                      text)


class Runner:
    """Options: bench (folder of our built programs), out, and what the others here are given."""

    def __init__(self, description, store, clusters, machine, bench, out):
        self.description = description
        self.store = store
        self.clusters = clusters
        self.machine = machine
        self.bench = bench
        self.out = out
        self.simulator = simulation.Simulator(bench, out, description.quick)
        self.rates = {}

    # ------------------------------------------------------------ what is to be run

    def shape(self, case):
        """The network of a case, or None on this host."""
        if case.cluster is None:
            return None
        table = self.description.clusters[case.cluster]
        rate = table.get("rate_mbit") or self._balanced_rate(case.cluster, table)
        return Shape(table["hosts"], table["paths"], rate)

    def _balanced_rate(self, name, table):
        if name not in self.rates:
            balance = table["balance"]
            seconds, size = self.computing(balance["case"])
            megabits = ring_bytes(table["hosts"], size) * 8e-6
            rate = megabits / (balance["exchange"] * seconds * balance["links"])
            self.rates[name] = max(LEAST_MBIT, float(f"{rate:.2g}"))
        return self.rates[name]

    def computing(self, name):
        """Seconds that computing a step takes, and the bytes of the gradients, in a case whose
        exchange takes next to no time."""
        case = self.description.cases[name]
        found = [self.find(case, contender, rep) for rep, contender in case.order()]
        found = [record for record in found if record is not None]
        if not found:
            raise NotRun(f"case {name}, which decides the rate of the network, has no numbers")
        times = [row["ms"] for record in found for row in record["rows"]
                 if row["_size"] > 1]
        sizes = [int(match[1]) for record in found for line in record["remarks"]
                 if (match := re.search(r"of (\d+) gradients", line))]
        if not times or not sizes:
            raise NotRun(f"case {name} does not tell how long computing takes")
        # Whatever disturbs a step makes it longer, never shorter.
        return sorted(times)[len(times) // 4] * 1e-3, sizes[0] * 4

    def program(self, case, contender):
        """The path of the program; a NotRun when another library cannot compile it."""
        if "library" not in contender:
            return os.path.join(self.bench, case.program)
        path, said = contender["library"].compile(case.program)
        if path is None:
            log = self.store.log(f"compile--{contender['library'].name}")
            with open(log, "w", encoding="utf-8") as file:
                file.write(said)
            raise NotRun(f"{case.program} does not compile: see {self.relative(log)}")
        return path

    def words(self, case, contender, shape, csv_path):
        """The command line."""
        tail = [self.program(case, contender), *arguments(case, contender), "--csv", csv_path]
        if "wrap" in contender:
            tail.insert(0, os.path.join(compare.HERE, contender["wrap"]))
        mca = {**SETTINGS, **contender.get("mca", {})}
        hosts = shape.hosts if shape else 0
        if "library" in contender:
            return contender["library"].command(compare.VCLUSTER, case, hosts, mca, tail)
        words = [word for name, value in mca.items() for word in ("--mca", name, value)]
        for name in self.own_environment(case, contender):
            words += ["-x", name]
        if shape:
            return [compare.VCLUSTER, "run", *placement(case), *words, "--", *tail]
        return ["mpirun", "-n", str(case.np), "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none",
                *words, *tail]

    @staticmethod
    def own_environment(case, contender):
        own = compare.Runner.environment(contender, only_own=True)
        if "library" in contender and case.cluster is not None:
            own["UCX_TLS"] = "tcp,self"  # the hosts share a kernel; vcluster run does it for ours
        return own

    def environment(self, case, contender, cluster):
        own = self.own_environment(case, contender)
        if "library" in contender:
            full = contender["library"].environment(own)
        else:
            full = compare.Runner.environment(contender)
        if cluster:
            full["VCLUSTER_NAME"] = cluster
        return full

    # ------------------------------------------------------------ what it is called

    def relative(self, path):
        return os.path.relpath(path, self.out) if path.startswith(self.out + os.sep) else path

    def shown(self, case, contender, words, csv_path):
        """The command as a user would type it in the repository, without this machine's paths."""
        places = [(csv_path, "FILE"), (self.bench, "build/bench"), (REPOSITORY + os.sep, "")]
        if "library" in contender:
            library = contender["library"]
            places = [(library.folder, f"mpi/{library.name}"),
                      (library.prefix, library.name)] + places
        text = []
        for word in words:
            for path, short in places:
                word = word.replace(path, short)
            text.append(word)
        settings = [f"{name}={value}" for name, value in self.own_environment(case, contender)
                    .items()]
        return settings + text

    def _prepare(self, case, name, rep):
        """Returns (stem of the record, shape, words, words to show, path of the CSV file)."""
        contender = self.description.contenders[name]
        shape = self.shape(case)
        csv_path = os.path.join(self.out, "run.csv")
        words = self.words(case, contender, shape, csv_path)
        shown = self.shown(case, contender, words, csv_path)
        facts = {"command": shown, "network": shape.text() if shape else "", "rep": rep,
                 "files": hashes_of(contender.get("mca", {}).values()),
                 "versions": self.machine.versions(),
                 "sources": self.machine.source_state(case.program)}
        if "library" in contender:
            facts["library"] = contender["library"].state
        stem = records.Records.stem(case.name, name, rep, records.key_of(facts))
        return stem, shape, words, shown, csv_path

    # ------------------------------------------------------------ running

    def find(self, case, name, rep):
        """The record of this run, or None."""
        try:
            return self.store.find(self._prepare(case, name, rep)[0])
        except NotRun:
            return None

    def run(self, case, name, rep):
        """Returns (record or None, reason of failure or None, seconds, name of the log)."""
        contender = self.description.contenders[name]
        stem, shape, words, shown, csv_path = self._prepare(case, name, rep)
        cluster = self.clusters.use(shape) if shape else None
        log = self.store.log(stem)
        begin = time.monotonic()
        load = os.getloadavg()[0]
        try:
            output, reason = self._launch(case, contender, words, csv_path, cluster, log, shown)
            rows = (read_steps if case.steps else compare.read_rows)(csv_path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(csv_path)
        wall = time.monotonic() - begin
        if reason is None and not rows:
            reason = "no numbers"
        if reason is not None:
            return None, reason, wall, self.relative(log)
        record = {"case": case.name, "contender": name, "rep": rep, "command": shown,
                  "network": shape.text() if shape else "this host",
                  "rate_mbit": shape.rate_mbit if shape else None, "remarks": remarks(output),
                  "rows": rows, "wall": wall, "load": load, "commit": self.machine.commit,
                  "when": time.strftime("%Y-%m-%d %H:%M:%S"), "log": self.relative(log),
                  "algorithms": algorithms(output), **setup_time(output)}
        self.store.keep(stem, record)
        return record, None, wall, self.relative(log)

    def _launch(self, case, contender, words, csv_path, cluster, log, shown):
        """Returns (output, reason of failure or None)."""
        environment = self.environment(case, contender, cluster)
        limit = case.limit * max(1.0, contender.get("slow", 1.0))
        output, reason = "", None
        heading = f"# {os.path.basename(case.program)}:"
        attempts = 1 if contender["name"] in case.may_fail else ATTEMPTS
        for attempt in range(LAUNCHES):
            if os.path.exists(csv_path):
                os.unlink(csv_path)
            output, reason = compare.execute(words, environment, limit)
            reason = reason or compare.missing_proof(contender, output)
            with open(log, "a" if attempt else "w", encoding="utf-8") as file:
                file.write(f"$ {' '.join(shown)}\n{output}\n")
                if reason is not None:
                    file.write(f"figures: {reason}\n")
            if reason is None or (heading in output and attempt + 1 >= attempts):
                break
        return output, reason


def setup_time(output):
    """What the trainer says its exchange took to be set up: part of the first iteration."""
    match = re.search(r"^# exchange .*set up in ([0-9.]+) ms", output, re.MULTILINE)
    return {"setup_ms": float(match[1])} if match else {}
