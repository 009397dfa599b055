# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Requests, buffers and errors."""

import array
import ctypes
import gc
import importlib.metadata
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from mpi4py import MPI
from support import COMM, RANK, SIZE, iterate

import mpix_partitioned as mpix


def allreduce(partitions=4):
    send, recv = np.ones(8), np.zeros(8)
    return mpix.Pallreduce_init(COMM, send, recv, partitions), recv


def test_it_is_a_prequest():
    request, _ = allreduce()
    assert isinstance(request, MPI.Prequest)
    request.Free()


def test_threads_mark():
    request, recv = allreduce(8)
    for _ in range(5):
        request.Start()
        threads = [threading.Thread(target=request.Pready, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        request.Wait()
        assert (recv == SIZE).all()
    request.Free()


def test_buffers_live_as_long_as_the_request():
    request = mpix.Pallreduce_init(COMM, np.ones(1 << 16), np.zeros(1 << 16), 4)
    gc.collect()
    others = [np.full(1 << 16, -1.0) for _ in range(4)]
    iterate(request, 4, 4)
    request.Free()
    assert all((other == -1).all() for other in others)


@pytest.mark.parametrize("buffer", [bytearray(64), array.array("d", [0] * 8)])
def test_buffers_stay_where_they_are(buffer):
    request = mpix.Pbcast_init(COMM, buffer, 4)
    with pytest.raises(BufferError):
        buffer.extend(buffer)
    request.Free()
    del request
    buffer.extend(buffer)


@pytest.mark.parametrize("cycle", [False, True])
def test_buffers_of_a_dropped_request(cycle):
    """What has not been freed is still written to: also when an exception has dropped it, say."""
    send, recv = np.ones(8), np.zeros(8)
    request = mpix.Pallreduce_init(COMM, send, recv, 4)
    request.Start()
    handle = request.handle
    alive = weakref.ref(recv)
    frame = [request]
    if cycle:
        frame.append(frame)
    del send, recv, request, frame
    gc.collect()
    assert alive() is not None
    again = MPI.Prequest.fromhandle(handle)
    again.Pready_range(0, 3)
    again.Wait()
    assert (alive() == SIZE).all()
    again.Free()


def test_buffers_of_a_freed_request():
    recv = np.zeros(8)
    request = mpix.Pbcast_init(COMM, recv, 4)
    alive = weakref.ref(recv)
    request.Free()
    del recv, request
    gc.collect()
    assert alive() is None


def test_a_freed_buffer_may_grow():
    buffer = bytearray(64)
    request = mpix.Pbcast_init(COMM, buffer, 4)
    request.Free()
    buffer.extend(b"more") # also while the object of the request is there
    assert len(buffer) == 68 and request == MPI.REQUEST_NULL


def test_every_way_to_mark():
    request, recv = allreduce(8)
    request.Start()
    request.Pready(7)
    request.Pready_range(0, 2)
    request.Pready_list([5, 3])
    request.Pready_list(np.array([4, 6]))
    while not request.Parrived(0):
        pass
    request.Wait()
    assert request.Parrived(7) is True and np.all(recv == SIZE)
    with pytest.raises(MPI.Exception):
        request.Pready(0) # not started
    with pytest.raises(TypeError):
        request.Pready("0")
    request.Free()


def test_ctypes_array():
    """Their formats begin with the byte order."""
    send, recv = (ctypes.c_double * 4)(1, 2, 3, 4), (ctypes.c_double * 4)()
    request = mpix.Pallreduce_init(COMM, send, recv, 2)
    iterate(request, 2, 2)
    assert list(recv) == [SIZE * value for value in (1, 2, 3, 4)]
    request.Free()


def test_version():
    assert mpix.__version__ == importlib.metadata.version("mpix-partitioned")


def test_startall_and_prepareall():
    (first, a), (second, b) = allreduce(), allreduce(2)
    MPI.Prequest.Startall([first, second])
    mpix.Pbuf_prepareall([first, second])
    first.Pready_range(0, 3)
    second.Pready_list([1, 0])
    MPI.Request.Waitall([first, second])
    assert (a == SIZE).all() and (b == SIZE).all()
    first.Free()
    second.Free()


def test_prepare():
    request, recv = allreduce()
    request.Start()
    mpix.Pbuf_prepare(request)
    request.Pready_range(0, 3)
    request.Wait()
    assert (recv == SIZE).all()
    request.Free()


def test_parrived_any_and_some():
    request, _ = allreduce()
    request.Start()
    request.Pready_range(0, 3)
    seen = []
    while (partition := mpix.Parrived_any(request)) != -1:
        if partition is not None:
            seen.append(partition)
    assert sorted(seen) == [0, 1, 2, 3]
    assert mpix.Parrived_some(request, 4) is None
    request.Wait()
    request.Free()


def test_bytes_and_bytearray():
    recv = bytearray(4)
    request = mpix.Pallreduce_init(COMM, bytes([1, 2, 3, 4]), recv, 2, MPI.MAX)
    iterate(request, 2, 2)
    assert recv == bytes([1, 2, 3, 4])
    request.Free()


def test_given_datatype():
    """Pairs of ints with a gap between, contributed in three partitions and received in one."""
    pair = MPI.INT.Create_vector(2, 1, 2).Commit()
    send, recv = np.arange(12, dtype="i4"), np.full(12, -1, "i4")
    request = mpix.Pallgather_init(MPI.COMM_SELF, [send, 3, pair], 3, [recv, 3, pair], 1)
    pair.Free()
    iterate(request, 3, 1)
    moved = [0, 2, 3, 5, 6, 8]
    assert (recv[moved] == send[moved]).all()
    assert (np.delete(recv, moved) == -1).all()
    request.Free()


BACKWARDS = MPI.INT.Create_resized(0, -4).Commit()


@pytest.mark.parametrize("make, what", [
    (lambda: mpix.Pbcast_init(COMM, [np.zeros(3, "i4"), 3, BACKWARDS], 1), "from -8 to 4"),
    (lambda: mpix.Pbcast_init(COMM, [np.zeros(3, "i4"), 3, 2, BACKWARDS], 1), "before the buffer"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(10), np.zeros(10), 3), "multiple of 3"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(4), 2), "differ"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8, "f4"), 2), "differ"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), bytes(64), 2), "read-only"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros((4, 4))[:, 1], np.zeros(4), 2), "contiguous"),
    (lambda: mpix.Pallreduce_init(COMM, [np.zeros(4), 8, MPI.DOUBLE], np.zeros(8), 2), "has 32"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(4, ">f8"), np.zeros(4, ">f8"), 2), "format"),
    (lambda: mpix.Pbcast_init(COMM, [np.zeros(9)[4:], 4, -2, MPI.DOUBLE], 2), "negative disp"),
    (lambda: mpix.Preduce_scatter_init(COMM, np.zeros(4 * SIZE), np.zeros(4, "f4"), 2,
                                       [4] * SIZE), "datatype"),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(4, "i4,f8"), np.zeros(4), 2), "format"),
    (lambda: mpix.Pallgatherv_init(COMM, np.zeros(2), 1, [np.zeros(9), [1] * (SIZE + 1)], 1),
     "counts for"),
    (lambda: mpix.Palltoallw_init(COMM, np.zeros(2), 1, np.zeros(9), 1), "expecting"),
    (lambda: mpix.Pneighbor_allgather_init(COMM, np.zeros(2), 1, np.zeros(9), 1), "topology"),
])
def test_wrong_before_the_call(make, what):
    with pytest.raises(ValueError, match=what):
        make()


@pytest.mark.parametrize("make", [
    lambda: mpix.Pallreduce_init("world", np.zeros(8), np.zeros(8), 2),
    lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8), 2, "sum"),
    lambda: mpix.Pallreduce_init(COMM, object(), np.zeros(8), 2),
    lambda: mpix.Pbuf_prepare(None),
    lambda: mpix.Palltoall_init(COMM, np.zeros(4 * SIZE), [1] * SIZE, np.zeros(4 * SIZE), 1),
])
def test_wrong_types(make):
    with pytest.raises((TypeError, AttributeError)):
        make()


@pytest.mark.parametrize("make, error", [
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8), 0), MPI.ERR_ARG),
    (lambda: mpix.Pbcast_init(COMM, np.zeros(8), 2, SIZE), MPI.ERR_ROOT),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8), 2, MPI.BAND), MPI.ERR_OP),
    (lambda: mpix.Palltoall_init(COMM, MPI.IN_PLACE, 1, np.zeros(8 * SIZE), 1), MPI.ERR_ARG),
    (lambda: mpix.Pbuf_prepare(MPI.REQUEST_NULL), MPI.ERR_REQUEST),
])
def test_refused_by_the_library(make, error):
    with pytest.raises(MPI.Exception) as caught:
        make()
    assert caught.value.Get_error_class() == error


def test_refused_by_one_rank():
    with pytest.raises(MPI.Exception):
        mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8), 0 if RANK == 0 else 2)


@pytest.mark.parametrize("make, error", [
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8), 3), ValueError),
    (lambda: mpix.Pallreduce_init(COMM, np.zeros(8), np.zeros(8)), TypeError),
    (lambda: mpix.Pallreduce_init(COMM, [np.zeros(8), 8, MPI.DATATYPE_NULL], np.zeros(8), 2),
     MPI.Exception),
])
def test_wrong_before_the_call_of_one_rank(make, error):
    """The others do not wait for it, and the communicator is as it was."""
    with pytest.raises(error if RANK == 0 else MPI.Exception):
        make() if RANK == 0 else allreduce(2)
    request, recv = allreduce()
    iterate(request, 4, 4)
    assert (recv == SIZE).all()
    request.Free()


@pytest.mark.skipif(RANK != 0, reason="one process is enough")
def test_without_the_component():
    """Importing says what is missing, in one sentence."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("PMIX_", "OMPI_COMM", "OMPI_UNIVERSE", "PRTE_"))}
    environment["OMPI_MCA_part"] = "persist"
    result = subprocess.run([sys.executable, "-c", "import mpix_partitioned"], text=True,
                            capture_output=True, env=environment, timeout=60)
    assert result.returncode != 0
    assert "ImportError: mpix_partitioned: " in result.stderr
