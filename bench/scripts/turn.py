# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""One at a time in a folder of results; and how it is interrupted."""

import fcntl
import os
import signal


class WrongUse(Exception):
    """A command line that means nothing, or comes while another one is at work."""


def lock(out, program):
    """Two at a time would measure each other. Held as long as what is returned is open."""
    os.makedirs(out, exist_ok=True)
    file = open(os.path.join(out, ".lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WrongUse(f"another {program} is at work in {out}") from None
    return file


def interruptible(*more):
    """These signals, SIGINT and SIGTERM raise KeyboardInterrupt, also where a script has started
    this in the background with interrupts ignored. Once: the report of what there is takes seconds,
    and whoever ends a group of processes, as timeout does, may signal twice."""
    numbers = (signal.SIGINT, signal.SIGTERM, *more)

    def interrupt(_number, _frame):
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in numbers:
        signal.signal(number, interrupt)
