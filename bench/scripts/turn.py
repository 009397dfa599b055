# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""One at a time in a folder of results."""

import fcntl
import os


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
