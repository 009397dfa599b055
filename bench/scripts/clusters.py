# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Virtual clusters that live as long as this process: each is a `vcluster with` that reads from a
pipe of ours, so that it ends whatever ends us."""

import contextlib
import os
import subprocess


class ClusterError(Exception):
    """A virtual cluster could not be made."""


def rate(mbit):
    """As vcluster takes it: a whole number, also of a fraction."""
    return f"{mbit * 1e3:.0f}kbit"


class Shape:
    """How many hosts and paths, and how fast each path is."""

    def __init__(self, hosts, paths, rate_mbit):
        self.hosts = hosts
        self.paths = paths
        self.rate_mbit = rate_mbit

    def words(self):
        return ["--hosts", str(self.hosts), "--paths", str(self.paths), "--rate",
                rate(self.rate_mbit)]

    def text(self):
        return f"{self.hosts} hosts, {self.paths} paths of {self.rate_mbit:g} Mbit/s"


class Clusters:
    """Those that have been asked for; one at a time lives, so that no other one disturbs it."""

    def __init__(self, vcluster):
        self.vcluster = vcluster
        self.process = None
        self.shape = None
        self.made = 0
        self.refusal = None

    def unavailable(self):
        """Why this machine or user cannot have any, or None."""
        if self.refusal is None:
            run = subprocess.run([self.vcluster, "check"], stdin=subprocess.DEVNULL, check=False,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.refusal = run.stdout.strip() or "vcluster check failed" if run.returncode else ""
        return self.refusal or None

    def use(self, shape):
        """Returns the name of a cluster of this shape."""
        if self.shape == shape.words():
            return self.name
        self.close()
        self.made += 1
        self.name = f"bench-{os.getpid()}-{self.made}"
        # A session of its own: an interrupt from the terminal is for us to handle.
        self.process = subprocess.Popen(
            [self.vcluster, "with", *shape.words(), "--name", self.name, "--", "sh", "-c",
             "echo up; exec cat >/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        if self.process.stdout.readline().strip() != "up":
            said = ""
            with contextlib.suppress(subprocess.TimeoutExpired):
                said = self.process.communicate(timeout=10)[1].strip()
            self.process = None
            raise ClusterError(said or "vcluster did not start")
        self.shape = shape.words()
        return self.name

    def close(self):
        if self.process is None:
            return
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=20)
        self.process = None
        self.shape = None
