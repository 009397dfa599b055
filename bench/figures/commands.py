#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints each program of figures.toml and nodes.toml with its arguments, once: for bench/check.sh,
which asks the programs whether they understand them."""

import os
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "scripts"))

from description import Description  # noqa: E402
from runner import arguments  # noqa: E402


def commands():
    for name in ("figures.toml", "nodes.toml"):
        for quick in (False, True):
            described = Description(os.path.join(HERE, name), quick, [])
            for case in described.cases.values():
                for contender in case.contenders:
                    yield shlex.join([case.program,
                                      *arguments(case, described.contenders[contender])])


if __name__ == "__main__":
    print("\n".join(dict.fromkeys(commands())))
