# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Other MPI libraries in the comparison: where their compiler and launcher are, which of the
benchmark programs they can compile, and how their jobs are started on the virtual hosts."""

import glob
import hashlib
import os
import re
import subprocess

import compare
import runner

# Launches on another virtual host; test/vcluster puts it there.
AGENT = "/dev/shm/.vcluster/rsh"
# What begins like this is meant for our own Open MPI.
SELECTING = ("OMPI_", "PMIX_", "PRTE_", "OPAL_")
FLAGS = ["-std=gnu11", "-O2", "-fopenmp"]
COLLECTIVES = [f"coll/{name}.c" for name in ("collective", "measure", "neighborhood",
                                            "operations", "operations_persistent", "values")]
KERNELS = ["kernels/kernel.c"]
EXTRA_SOURCES = {"coll/allreduce_models": ["coll/ring.c"], "coll/pcoll_rows": COLLECTIVES,
                 "kernels/fft": KERNELS, "kernels/matvec": KERNELS, "kernels/paths": KERNELS,
                 "libraries/mpi_compare": [f"libraries/{name}.c"
                                           for name in ("buffers", "collectives", "cuda", "pairs",
                                                        "trial")]}


class LibraryError(Exception):
    """What was named with --mpi is not an MPI library that can take part."""


def make_variables(makefile, *names):
    """The words of variables of a Makefile that configure has written."""
    words = []
    with open(makefile, encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition(" = ")
            if name in names:
                words += value.split()
    return words


def _output(words, environment):
    try:
        return subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def hydra_hosts(case, hosts):
    """The hosts, with how many ranks of each follow one another; else ranks go round them."""
    together = case.listed or case.per_host
    return ",".join(f"h{host}:{count}" if together else f"h{host}"
                    for host, count in enumerate(case.host_ranks(hosts)))


class Library:
    """One of them: NAME=PREFIX of the command line."""

    def __init__(self, text, bench, built, out):
        self.name, _, prefix = text.partition("=")
        if not re.fullmatch(r"[A-Za-z0-9_.+-]+", self.name) or not prefix:
            raise LibraryError(f"--mpi wants NAME=PREFIX, not \"{text}\"")
        self.prefix = os.path.abspath(os.path.expanduser(prefix))
        self.bench = bench
        self.makefile = os.path.join(built, "Makefile")
        self.folder = os.path.join(out, "mpi", self.name)
        self.mpicc = self._tool("mpicc")
        self.mpiexec = self._tool("mpiexec")
        self._compiled = {}
        self._identify()

    def _tool(self, tool):
        """Debian calls them mpicc.NAME where several libraries are installed."""
        for name in (f"{tool}.{self.name}", tool):
            path = os.path.join(self.prefix, "bin", name)
            if os.access(path, os.X_OK):
                return path
        raise LibraryError(f"--mpi {self.name}: there is no {tool} in {self.prefix}/bin")

    def _identify(self):
        said = _output([self.mpiexec, "--version"], self.environment({}))
        if "HYDRA" in said:
            self.hydra = True
            match = re.search(r"Version:\s*(\S+)", said)
            self.device = self._mpich_device()
        elif "Open MPI" in said:
            self.hydra = False
            match = re.search(r"\(Open MPI\) (\S+)", said)
            self.device = "ucx"
        else:
            raise LibraryError(f"--mpi {self.name}: {self.mpiexec} is neither MPICH's nor Open "
                               f"MPI's: {said.strip()[:200]}")
        self.version = f"{'MPICH' if self.hydra else 'Open MPI'} {match[1] if match else '?'}"
        if self.device and self.hydra:
            self.version += f" ({self.device})"
        # What its numbers depend on: the version says nothing of how it was built.
        self.state = f"{self.version}, {self.prefix}, {os.stat(self.mpiexec).st_mtime_ns}"

    def _mpich_device(self):
        tool = os.path.join(os.path.dirname(self.mpiexec), "mpichversion")
        match = re.search(r"Device:\s*(.*)", _output([tool], self.environment({})))
        return match[1].strip() if match else ""

    def unfit(self, needed_device):
        """Why a contender cannot be run with this library, or None."""
        if needed_device and self.hydra and needed_device not in self.device:
            return f"its device is \"{self.device}\", not {needed_device}"
        return None

    def environment(self, own):
        """The surrounding one, without what selects our own Open MPI."""
        full = {name: value for name, value in compare.Runner.environment({}).items()
                if "ALLOW_RUN_AS_ROOT" in name or not name.startswith(SELECTING)}
        full["LD_LIBRARY_PATH"] = os.path.join(self.prefix, "lib")
        full["PATH"] = os.path.dirname(self.mpiexec) + ":" + os.environ["PATH"]
        full.update(own)
        return full

    def sources(self, program):
        folder, name = os.path.split(program)
        sources = sorted(glob.glob(os.path.join(self.bench, "common", "*.c")))
        if folder == "gpt2":
            return sources + sorted(glob.glob(os.path.join(self.bench, "gpt2", "*.c")))
        own = [os.path.join(self.bench, folder, name + ".c")]
        return sources + own + [os.path.join(self.bench, extra)
                                for extra in EXTRA_SOURCES.get(program, [])]

    def compile(self, program):
        """Returns (path of the program, None) or (None, what the compiler said)."""
        if program not in self._compiled:
            self._compiled[program] = self._compile(program)
        return self._compiled[program]

    def _compile(self, program):
        target = os.path.join(self.folder, os.path.basename(program))
        flags, needed = [], ["-lm"]
        if os.path.dirname(program) == "gpt2":
            # The same arithmetic as in our own build.
            flags = make_variables(self.makefile, "GPT2_CFLAGS", "CBLAS_CFLAGS")
            needed = make_variables(self.makefile, "CBLAS_LIBS") + needed
        if program == "libraries/mpi_compare":
            needed.append("-ldl")
        if program == "kernels/fft":
            needed = make_variables(self.makefile, "FFTW_LIBS") + needed
        words = [self.mpicc, *FLAGS, *flags, *self.sources(program), *needed]
        stamp = self._stamp(words)
        try:
            with open(target + ".made", encoding="utf-8") as file:
                if file.read() == stamp and os.access(target, os.X_OK):
                    return target, None
        except OSError:
            pass
        os.makedirs(self.folder, exist_ok=True)
        run = subprocess.run(words + ["-o", target], env=self.environment({}), check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            return None, " ".join(words) + "\n" + run.stdout
        with open(target + ".made", "w", encoding="utf-8") as file:
            file.write(stamp)
        return target, None

    def _stamp(self, words):
        """Of this compiler and these sources, so that neither an old program runs nor is every one
        made again."""
        digest = hashlib.sha256("\0".join(words + [self.state]).encode())
        for path in words:
            for found in sorted(glob.glob(os.path.join(os.path.dirname(path), "*.[ch]"))):
                if path.endswith(".c"):
                    with open(found, "rb") as file:
                        digest.update(file.read())
        return digest.hexdigest()

    def command(self, vcluster, case, hosts, mca, words):
        """What starts the words on so many hosts, or, with none, here."""
        ranks = str(case.np)
        if not self.hydra:
            settings = [word for name, value in mca.items() for word in ("--mca", name, value)]
            if hosts:
                return [vcluster, "run", *runner.placement(case), *settings, "--", *words]
            return [self.mpiexec, "-n", ranks, "--map-by", ":OVERSUBSCRIBE", "--bind-to",
                    "none", *settings, *words]
        if not hosts:
            return [self.mpiexec, "-n", ranks, *words]
        return [vcluster, "on", "h0", "--", self.mpiexec, "-launcher", "ssh", "-launcher-exec",
                AGENT, "-iface", "eth0", "-hosts", hydra_hosts(case, hosts), "-n", ranks, *words]
