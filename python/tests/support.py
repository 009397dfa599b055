# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: running an iteration with marks in a random order."""

import random

from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK = COMM.Get_rank()
SIZE = COMM.Get_size()


def iterate(request, marks, arrives):
    """Start, mark `marks` partitions in a random order, see `arrives` come, and complete."""
    request.Start()
    order = list(range(marks))
    random.Random(RANK).shuffle(order)
    for partition in order:
        request.Pready(partition)
    for partition in range(arrives):
        while not request.Parrived(partition):
            pass
    request.Wait()
