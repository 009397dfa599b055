# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Each of the 21 collectives gives what mpi4py's blocking one gives, more than once.

    mpirun -n 3 --mca part ucx python -m pytest python/tests
"""

import numpy as np
import pytest
from mpi4py import MPI
from support import COMM, RANK, SIZE, iterate

import mpix_partitioned as mpix

PARTITIONS = [1, 2, 6]
EPOCHS = 3


def data(count, epoch, salt=0):
    return (np.arange(count) + 1000 * RANK + 17 * epoch + salt).astype("i8")


def check(request, marks, arrives, fill, expected, result):
    """Some iterations: `fill(epoch)` before, `expected(epoch)` is what `result` must hold."""
    for epoch in range(EPOCHS):
        fill(epoch)
        iterate(request, marks, arrives)
        reference = expected(epoch) # collective: on all ranks
        if result is not None:
            np.testing.assert_array_equal(result, reference)
        COMM.Barrier()
    request.Free()
    assert request == MPI.REQUEST_NULL


def setter(array):
    def fill(epoch):
        array[:] = data(array.size, epoch).reshape(array.shape)
    return fill


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("root", [0, SIZE - 1])
def test_bcast(partitions, root):
    buffer = np.zeros(24, "i8")

    def fill(epoch):
        buffer[:] = data(24, epoch) if RANK == root else -1

    def expected(epoch):
        return np.arange(24) + 1000 * root + 17 * epoch

    request = mpix.Pbcast_init(COMM, buffer, partitions, root)
    check(request, partitions if RANK == root else 0, 0 if RANK == root else partitions, fill,
          expected, buffer)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("root", [0, SIZE - 1])
def test_gather(partitions, root):
    send = np.zeros(12, "i8")
    recv = np.zeros((SIZE, 12), "i8") if RANK == root else None

    def expected(epoch):
        reference = None if recv is None else np.zeros_like(recv)
        COMM.Gather(send, reference, root)
        return reference

    request = mpix.Pgather_init(COMM, send, partitions, recv, 3, root)
    check(request, partitions, 0 if recv is None else 3 * SIZE, setter(send), expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_gather_in_place(partitions):
    own = np.zeros(12, "i8")
    recv = np.zeros((SIZE, 12), "i8") if RANK == 0 else None

    def fill(epoch):
        own[:] = data(12, epoch)
        if recv is not None:
            recv[:] = -1
            recv[0] = own

    def expected(epoch):
        return COMM.gather(own.copy(), 0)

    send = MPI.IN_PLACE if RANK == 0 else own
    request = mpix.Pgather_init(COMM, send, partitions, recv, partitions, 0)
    check(request, partitions, 0 if recv is None else partitions * SIZE, fill, expected, recv)


def some_counts():
    return [2 * (k % 3) for k in range(SIZE)]


@pytest.mark.parametrize("root", [0, SIZE - 1])
def test_gatherv(root):
    counts = some_counts()
    displs = [5 * k for k in range(SIZE)]
    send = np.zeros(counts[RANK], "i8")
    recv = np.full(5 * SIZE, -1, "i8") if RANK == root else None

    def expected(epoch):
        reference = None if recv is None else np.full_like(recv, -1)
        COMM.Gatherv(send, None if recv is None else [reference, counts, displs, MPI.INT64_T],
                     root)
        return reference

    request = mpix.Pgatherv_init(
        COMM, send, 2, None if recv is None else [recv, counts, displs, MPI.INT64_T], 1, root)
    check(request, 2, 0 if recv is None else SIZE, setter(send), expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("root", [0, SIZE - 1])
def test_scatter(partitions, root):
    send = np.zeros((SIZE, 12), "i8") if RANK == root else None
    recv = np.zeros(12, "i8")

    def fill(epoch):
        if send is not None:
            setter(send)(epoch)

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Scatter(send, reference, root)
        return reference

    request = mpix.Pscatter_init(COMM, send, partitions, recv, 4, root)
    check(request, 0 if send is None else partitions * SIZE, 4, fill, expected, recv)


def test_scatterv():
    counts = some_counts()
    send = np.zeros(sum(counts), "i8") if RANK == 0 else None
    recv = np.zeros(counts[RANK], "i8")

    def fill(epoch):
        if send is not None:
            setter(send)(epoch)

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Scatterv(None if send is None else [send, counts], reference, 0)
        return reference

    request = mpix.Pscatterv_init(COMM, None if send is None else [send, counts], [2] * SIZE,
                                  recv, 1, 0)
    check(request, 0 if send is None else 2 * SIZE, 1, fill, expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("in_place", [False, True])
def test_allgather(partitions, in_place):
    own = np.zeros(12, "i8")
    recv = np.zeros((SIZE, 12), "i8")

    def fill(epoch):
        own[:] = data(12, epoch)
        recv[:] = -1
        if in_place:
            recv[RANK] = own

    def expected(epoch):
        return COMM.allgather(own.copy())

    request = mpix.Pallgather_init(COMM, MPI.IN_PLACE if in_place else own, partitions, recv,
                                   partitions)
    check(request, partitions, partitions * SIZE, fill, expected, recv)


def test_allgatherv():
    counts = some_counts()
    send = np.zeros(counts[RANK], "i8")
    recv = np.zeros(sum(counts), "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Allgatherv(send, [reference, counts])
        return reference

    request = mpix.Pallgatherv_init(COMM, send, 1, [recv, counts], [2] * SIZE)
    check(request, 1, 2 * SIZE, setter(send), expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_alltoall(partitions):
    send, recv = np.zeros((SIZE, 12), "i8"), np.zeros((SIZE, 12), "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Alltoall(send, reference)
        return reference

    request = mpix.Palltoall_init(COMM, send, partitions, recv, 2)
    check(request, partitions * SIZE, 2 * SIZE, setter(send), expected, recv)


def test_alltoallv():
    counts = [2 * ((RANK + k) % 3) for k in range(SIZE)]
    send, recv = np.zeros(sum(counts), "i8"), np.zeros(sum(counts), "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Alltoallv([send, counts], [reference, counts])
        return reference

    request = mpix.Palltoallv_init(COMM, [send, counts], 2, [recv, counts], 1)
    check(request, 2 * SIZE, SIZE, setter(send), expected, recv)


def test_alltoallw():
    counts, displs = [4] * SIZE, [32 * k for k in range(SIZE)]
    types = [MPI.INT64_T] * SIZE
    send, recv = np.zeros(4 * SIZE, "i8"), np.zeros(4 * SIZE, "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Alltoallw([send, counts, displs, types], [reference, counts, displs, types])
        return reference

    request = mpix.Palltoallw_init(COMM, [send, counts, displs, types], 2,
                                   [recv, counts, displs, types], 4)
    check(request, 2 * SIZE, 4 * SIZE, setter(send), expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("op", [MPI.SUM, MPI.MAX])
@pytest.mark.parametrize("in_place", [False, True])
def test_allreduce(partitions, op, in_place):
    own, recv = np.zeros(24, "i8"), np.zeros(24, "i8")

    def fill(epoch):
        own[:] = data(24, epoch)
        recv[:] = own if in_place else -1

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Allreduce(own, reference, op)
        return reference

    request = mpix.Pallreduce_init(COMM, MPI.IN_PLACE if in_place else own, recv, partitions, op)
    check(request, partitions, partitions, fill, expected, recv)


@pytest.mark.parametrize("root", [0, SIZE - 1])
def test_reduce(root):
    send = np.zeros(24, "i8")
    recv = np.zeros(24, "i8") if RANK == root else None

    def expected(epoch):
        reference = None if recv is None else np.zeros_like(recv)
        COMM.Reduce(send, reference, MPI.SUM, root)
        return reference

    request = mpix.Preduce_init(COMM, send, recv, 4, MPI.SUM, root)
    check(request, 4, 0 if recv is None else 4, setter(send), expected, recv)


@pytest.mark.parametrize("name", ["scan", "exscan"])
def test_scans(name):
    send, recv = np.zeros(24, "i8"), np.zeros(24, "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        getattr(COMM, name.capitalize())(send, reference, MPI.SUM)
        return reference

    def fill(epoch):
        send[:] = data(24, epoch)
        recv[:] = 0 # exscan leaves it alone on the first rank

    request = getattr(mpix, f"P{name}_init")(COMM, send, recv, 4)
    check(request, 4, 0 if name == "exscan" and RANK == 0 else 4, fill, expected, recv)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_reduce_scatter_block(partitions):
    send, recv = np.zeros(12 * SIZE, "i8"), np.zeros(12, "i8")

    def expected(epoch):
        reference = np.zeros_like(recv)
        COMM.Reduce_scatter_block(send, reference)
        return reference

    request = mpix.Preduce_scatter_block_init(COMM, send, recv, partitions)
    check(request, partitions * SIZE, partitions, setter(send), expected, recv)


@pytest.mark.parametrize("in_place", [False, True])
def test_reduce_scatter(in_place):
    counts = [2 * (k + 1) for k in range(SIZE)]
    send = np.zeros(sum(counts), "i8")
    recv = np.zeros(sum(counts) if in_place else counts[RANK], "i8")

    def fill(epoch):
        setter(send)(epoch)
        if in_place:
            recv[:] = send

    def expected(epoch):
        reference = np.zeros(counts[RANK], "i8")
        COMM.Reduce_scatter(send, reference, counts)
        return reference

    request = mpix.Preduce_scatter_init(COMM, MPI.IN_PLACE if in_place else send, recv, 2, counts)
    check(request, 2 * SIZE, 2, fill, expected, recv[:counts[RANK]])


def ring():
    beside = [(RANK - 1) % SIZE, (RANK + 1) % SIZE]
    return COMM.Create_dist_graph_adjacent(beside, beside)


@pytest.mark.parametrize("name", ["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"])
@pytest.mark.parametrize("cartesian", [False, True])
def test_neighbors(name, cartesian):
    comm = COMM.Create_cart([SIZE], periods=[True]) if cartesian else ring()
    gathers = name.startswith("allgather")
    send, recv = np.zeros(4 if gathers else 8, "i8"), np.zeros(8, "i8")
    counts, displs, types = [4, 4], [0, 4], [MPI.INT64_T] * 2

    def spec(array, blocks):
        if name.endswith("w"):
            return [array, counts, [0, 32], types]
        return [array, counts, displs, MPI.INT64_T] if name.endswith("v") and blocks else array

    def expected(epoch):
        reference = np.zeros_like(recv)
        getattr(comm, "Neighbor_" + name)(spec(send, not gathers), spec(reference, True))
        return reference

    init = getattr(mpix, f"Pneighbor_{name}_init")
    request = init(comm, spec(send, not gathers), 2, spec(recv, True), 4)
    check(request, 2 if gathers else 4, 8, setter(send), expected, recv)
    comm.Free()


@pytest.mark.parametrize("name", ["allgatherv", "alltoallw"])
def test_without_neighbors(name):
    last = RANK + 1 == SIZE
    comm = COMM.Create_dist_graph_adjacent([RANK - 1] if RANK > 0 else [],
                                           [] if last else [RANK + 1])
    send, recv = np.full(4, RANK, "i8"), np.full(4, -1, "i8")
    if name == "allgatherv": # of the first rank nothing says how many come
        request = mpix.Pneighbor_allgatherv_init(comm, send, 2, [recv, [4]] if RANK > 0 else recv, 2)
    else:
        one = [[4], [0], [MPI.INT64_T]]
        request = mpix.Pneighbor_alltoallw_init(comm, None if last else [send, *one], 2,
                                                [recv, *one] if RANK > 0 else None, 2)
    request.Start()
    for partition in range(0 if last and name == "alltoallw" else 2):
        request.Pready(partition)
    request.Wait()
    assert (recv == RANK - 1).all()
    request.Free()
    comm.Free()
