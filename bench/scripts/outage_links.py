# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Cables of a virtual cluster that are pulled and plugged in by a timetable while a program runs on
it. VCLUSTER_NAME names the cluster."""

import collections
import itertools
import subprocess
import threading
import time

import compare

# Cables of these paths, each of one host (None: of all), from second `at` to second `back`.
Outage = collections.namedtuple("Outage", "at back cables says")
Step = collections.namedtuple("Step", "at state cables")

LOOK_SECONDS = 0.02  # from one look for the program's beginning to the next


def steps_of(outages):
    """One outage after another."""
    for outage in outages:
        yield Step(outage.at, "down", outage.cables)
        yield Step(outage.back, "up", outage.cables)


def every(period, first, length, paths, hosts):
    """Without end, one cable at a time. Path 0 has MPI's own messages, and stays."""
    for turn in itertools.count():
        at = first + turn * period
        cable = (1 + turn % (paths - 1), f"h{(1 + turn) % hosts}")
        yield Outage(at, at + length, [cable], "one cable")


def link(path, host, state):
    where = ["--host", host] if host else []
    subprocess.run([compare.VCLUSTER, "link", "--path", str(path), *where, state], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Timetable(threading.Thread):
    """For a `with` around the program. `begin` returns when the program's time began, by
    time.monotonic(), or None as long as it has not. `done` says when each step was done: a cut when
    the first cable of it was about to be pulled, its end when the last one was plugged in."""

    def __init__(self, begin, outages):
        super().__init__(daemon=True)
        self.begin = begin
        self.steps = steps_of(outages)
        self.ended = threading.Event()
        self.out = set()
        self.done = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        for path, host in self.out:
            link(path, host, "up")

    def run(self):
        zero = self.begin()
        while zero is None:
            if self.ended.wait(LOOK_SECONDS):
                return
            zero = self.begin()
        for step in self.steps:
            if self.ended.wait(max(0.0, zero + step.at - time.monotonic())):
                return
            self.take(step, zero)

    def take(self, step, zero):
        began = time.monotonic() - zero
        for path, host in step.cables:
            (self.out.add if step.state == "down" else self.out.discard)((path, host))
            link(path, host, step.state)
        self.done.append(began if step.state == "down" else time.monotonic() - zero)

    def spans(self):
        """(cut, back) of each outage that was over before the program was."""
        return list(zip(self.done[::2], self.done[1::2]))
