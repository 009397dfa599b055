# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where jobs run: some ranks on each of some hosts, virtual or real, and how each library's launcher
is told so."""

import os

import compare
import libraries as others

LAUNCHERS = ("mpirun", "srun")


class PlaceError(Exception):
    """The hosts that were named cannot be used."""


class Place:
    """hosts x ppn ranks. shape: of a virtual cluster, else None. names: of real hosts."""

    def __init__(self, hosts, ppn, shape=None, names=(), launcher="mpirun"):
        self.hosts, self.ppn = hosts, ppn
        self.shape = shape
        self.names = list(names)[:hosts]
        self.launcher = launcher

    @property
    def key(self):
        return f"{self.hosts}x{self.ppn}"

    @property
    def ranks(self):
        return self.hosts * self.ppn

    def text(self):
        ranks = (f"{self.hosts} host{'s' if self.hosts > 1 else ''} x "
                 f"{self.ppn} rank{'s' if self.ppn > 1 else ''}")
        if self.shape is None:
            return ranks
        return f"{ranks}, {self.shape.paths} paths of {self.shape.rate_mbit:g} Mbit/s"

    def environment(self, contender, cluster):
        if contender.library is not None:
            full = contender.library.environment(contender.env)
        else:
            full = compare.Runner.environment({"env": contender.env})
        if self.launcher == "srun":
            # It hands on the environment, and takes no settings.
            full.update((f"OMPI_MCA_{name}", value) for name, value in contender.mca.items())
        if cluster is not None:
            full["VCLUSTER_NAME"] = cluster
            # The hosts share a kernel: part/ucx knows that they are several, other users of UCX
            # would talk through shared memory.
            transports = "tcp,sm,self" if contender.library is None else "tcp,self"
            full.setdefault("UCX_TLS", transports)
        return full

    def command(self, contender, program):
        """Words that start the words `program` on all ranks of this place."""
        hydra = contender.library is not None and contender.library.hydra
        if self.launcher == "srun":
            return ["srun", "-N", str(self.hosts), "-n", str(self.ranks),
                    f"--ntasks-per-node={self.ppn}", f"--nodelist={','.join(self.names)}",
                    *self._srun_mpi(hydra), *program]
        return self._hydra(contender, program) if hydra else self._mpirun(contender, program)

    @staticmethod
    def _srun_mpi(hydra):
        return ["--mpi=pmi2"] if hydra else ["--mpi=pmix"]

    def _mpirun(self, contender, program):
        settings = ["--mca", "mpi_yield_when_idle", "1"] if self.shape else []
        for name, value in contender.mca.items():
            settings += ["--mca", name, value]
        for name in contender.env:
            settings += ["-x", name]
        if self.shape is not None:
            return [compare.VCLUSTER, "run", "--ppn", str(self.ppn), *settings, "--", *program]
        mpirun = contender.library.mpiexec if contender.library else "mpirun"
        names = ",".join(f"{name}:{self.ppn}" for name in self.names)
        return [mpirun, "--host", names, "--map-by", f"ppr:{self.ppn}:node:OVERSUBSCRIBE",
                *settings, *program]

    def _hydra(self, contender, program):
        names = [f"h{i}" for i in range(self.hosts)] if self.shape else self.names
        hosts = ["-hosts", ",".join(f"{name}:{self.ppn}" for name in names), "-n",
                 str(self.ranks)]
        mpiexec = contender.library.mpiexec
        if self.shape is None:
            return [mpiexec, *hosts, *program]
        return [compare.VCLUSTER, "on", "h0", "--", mpiexec, "-launcher", "ssh",
                "-launcher-exec", others.AGENT, "-iface", "eth0", *hosts, *program]


def to_try(where):
    """Where defaults are compared with other settings: of virtual hosts only where they are most,
    as that takes as long as all the rest."""
    most = max((place.hosts for place in where), default=0)
    return [place for place in where if place.shape is None or place.hosts == most]


def read_hosts(path):
    """Names of a host file: the first word of every line that has one."""
    try:
        with open(path, encoding="utf-8") as file:
            names = [line.split("#")[0].split()[0] for line in file if line.split("#")[0].strip()]
    except OSError as error:
        raise PlaceError(f"--hosts: {path} cannot be read: {error.strerror}") from None
    if not names:
        raise PlaceError(f"--hosts: {path} names no host")
    return names


def counts_up_to(most):
    """1, 2, 4 ... and the last."""
    counts = [2 ** i for i in range(most.bit_length()) if 2 ** i < most]
    return counts + [most]


def in_environment(launcher):
    """Is there such a command?"""
    return any(os.access(os.path.join(folder, launcher), os.X_OK)
               for folder in os.environ.get("PATH", "").split(os.pathsep))
