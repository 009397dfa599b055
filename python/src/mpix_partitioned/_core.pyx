# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cython: language_level=3, embedsignature=True
"""Calls of libmpix_partitioned. A call gets its buffers as messages (see _message.py), divides
their blocks in partitions, and wraps the request that it gets."""

from cpython.ref cimport Py_INCREF
from libc.stdlib cimport malloc, free
from mpi4py cimport MPI
from mpi4py.libmpi cimport (
    MPI_Aint, MPI_BYTE, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_INFO_NULL, MPI_IN_PLACE,
    MPI_Op, MPI_Parrived, MPI_Pready, MPI_Pready_list, MPI_Pready_range, MPI_Request,
    MPI_REQUEST_NULL, MPI_SUCCESS, MPI_UNDEFINED,
)

from functools import wraps
from operator import index

from mpi4py import MPI as _MPI

from mpix_partitioned import _message

ctypedef int (*even_t)(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                       MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *) noexcept nogil
ctypedef int (*rooted_t)(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                         MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *) noexcept nogil
ctypedef int (*gatherv_t)(const void *, int, MPI_Count, MPI_Datatype, void *, const int *,
                          const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Info,
                          MPI_Request *) noexcept nogil
ctypedef int (*alltoallv_t)(const void *, const int *, const MPI_Count *, const MPI_Aint *,
                            MPI_Datatype, void *, const int *, const MPI_Count *,
                            const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Info,
                            MPI_Request *) noexcept nogil
ctypedef int (*alltoallw_t)(const void *, const int *, const MPI_Count *, const MPI_Aint *,
                            const MPI_Datatype *, void *, const int *, const MPI_Count *,
                            const MPI_Aint *, const MPI_Datatype *, MPI_Comm, MPI_Info,
                            MPI_Request *) noexcept nogil
ctypedef int (*reduction_t)(const void *, void *, int, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                            MPI_Info, MPI_Request *) noexcept nogil

cdef extern from "mpix_partitioned.h" nogil:
    int MPIX_Pbcast_init(void *, int, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info,
                         MPI_Request *)
    int MPIX_Pgather_init(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                          MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pscatter_init(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                           MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pgatherv_init(const void *, int, MPI_Count, MPI_Datatype, void *, const int *,
                           const MPI_Count *, const MPI_Aint *, MPI_Datatype, int, MPI_Comm,
                           MPI_Info, MPI_Request *)
    int MPIX_Pscatterv_init(const void *, const int *, const MPI_Count *, const MPI_Aint *,
                            MPI_Datatype, void *, int, MPI_Count, MPI_Datatype, int, MPI_Comm,
                            MPI_Info, MPI_Request *)
    int MPIX_Pallgather_init(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                             MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Palltoall_init(const void *, int, MPI_Count, MPI_Datatype, void *, int, MPI_Count,
                            MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pneighbor_allgather_init(const void *, int, MPI_Count, MPI_Datatype, void *, int,
                                      MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pneighbor_alltoall_init(const void *, int, MPI_Count, MPI_Datatype, void *, int,
                                     MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pallgatherv_init(const void *, int, MPI_Count, MPI_Datatype, void *, const int *,
                              const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm,
                              MPI_Info, MPI_Request *)
    int MPIX_Pneighbor_allgatherv_init(const void *, int, MPI_Count, MPI_Datatype, void *,
                                       const int *, const MPI_Count *, const MPI_Aint *,
                                       MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Palltoallv_init(const void *, const int *, const MPI_Count *, const MPI_Aint *,
                             MPI_Datatype, void *, const int *, const MPI_Count *,
                             const MPI_Aint *, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pneighbor_alltoallv_init(const void *, const int *, const MPI_Count *,
                                      const MPI_Aint *, MPI_Datatype, void *, const int *,
                                      const MPI_Count *, const MPI_Aint *, MPI_Datatype, MPI_Comm,
                                      MPI_Info, MPI_Request *)
    int MPIX_Palltoallw_init(const void *, const int *, const MPI_Count *, const MPI_Aint *,
                             const MPI_Datatype *, void *, const int *, const MPI_Count *,
                             const MPI_Aint *, const MPI_Datatype *, MPI_Comm, MPI_Info,
                             MPI_Request *)
    int MPIX_Pneighbor_alltoallw_init(const void *, const int *, const MPI_Count *,
                                      const MPI_Aint *, const MPI_Datatype *, void *, const int *,
                                      const MPI_Count *, const MPI_Aint *, const MPI_Datatype *,
                                      MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Preduce_init(const void *, void *, int, MPI_Count, MPI_Datatype, MPI_Op, int,
                          MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pallreduce_init(const void *, void *, int, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                             MPI_Info, MPI_Request *)
    int MPIX_Preduce_scatter_block_init(const void *, void *, int, MPI_Count, MPI_Datatype,
                                        MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Preduce_scatter_init(const void *, void *, const int *, const MPI_Count *,
                                  MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)
    int MPIX_Pscan_init(const void *, void *, int, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                        MPI_Info, MPI_Request *)
    int MPIX_Pexscan_init(const void *, void *, int, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm,
                          MPI_Info, MPI_Request *)
    int MPIX_Pbuf_prepare(MPI_Request *)
    int MPIX_Pbuf_prepareall(int, MPI_Request *)
    int MPIX_Parrived_any(MPI_Request, int *, int *)
    int MPIX_Parrived_some(MPI_Request, int, int *, int *)


# ---- what goes in ----

cdef class Side:
    """A buffer of a call: its blocks in arrays as C wants them, divided in partitions."""
    cdef void *address
    cdef Py_ssize_t blocks
    cdef int *partitions
    cdef MPI_Count *counts
    cdef MPI_Aint *displs
    cdef MPI_Datatype *types
    cdef object keep

    def __cinit__(self):
        self.address = NULL
        self.partitions = NULL
        self.counts = NULL
        self.displs = NULL
        self.types = NULL

    def __dealloc__(self):
        free(self.partitions)
        free(self.counts)
        free(self.displs)
        free(self.types)

    cdef int reserve(self, Py_ssize_t blocks) except -1:
        cdef size_t room = <size_t> blocks + 1
        self.blocks = blocks
        self.partitions = <int *> malloc(room * sizeof(int))
        self.counts = <MPI_Count *> malloc(room * sizeof(MPI_Count))
        self.displs = <MPI_Aint *> malloc(room * sizeof(MPI_Aint))
        self.types = <MPI_Datatype *> malloc(room * sizeof(MPI_Datatype))
        if (self.partitions == NULL or self.counts == NULL or self.displs == NULL
                or self.types == NULL):
            raise MemoryError
        return 0


cdef MPI_Datatype handle_of(object datatype):
    return (<MPI.Datatype?> datatype).ob_mpi


cdef Side side(object message, object partitions, str name):
    """A message whose blocks are divided."""
    cdef Side it = Side()
    parts, counts = _message.divide(message.counts, partitions, name)
    it.reserve(len(counts))
    for i in range(len(counts)):
        it.partitions[i] = parts[i]
        it.counts[i] = counts[i]
        it.displs[i] = message.displs[i]
        it.types[i] = handle_of(message.types[i])
    it.address = <void *> <size_t> message.address
    it.keep = (message.owner, message.types)
    return it


cdef Side stand_in(void *address, Py_ssize_t blocks):
    """A buffer that the call does not look at, and MPI_IN_PLACE."""
    cdef Side it = Side()
    it.reserve(blocks if blocks > 0 else 1)
    for i in range(it.blocks):
        it.partitions[i] = 1
        it.counts[i] = 0
        it.displs[i] = 0
        it.types[i] = handle_of(_MPI.BYTE)
    it.address = address
    return it


cdef bint is_in_place(object spec):
    return spec is _MPI.IN_PLACE


cdef Side plain(object spec, Py_ssize_t blocks, object partitions, bint writes, str name):
    """Blocks alike: the first one stands for all, and there is one even if there are none."""
    cdef Side it
    partitions = index(partitions) # of each; a list would cut them differently
    if is_in_place(spec):
        return stand_in(MPI_IN_PLACE, 1)
    if blocks == 0:
        it = stand_in(NULL, 1)
        it.partitions[0] = partitions
        return it
    return side(_message.even(spec, blocks, writes, name), partitions, name)


cdef Side listed(object spec, Py_ssize_t blocks, object partitions, bint writes, str name):
    if is_in_place(spec):
        return stand_in(MPI_IN_PLACE, blocks)
    if blocks == 0: # a rank without neighbours: nothing of the buffer is looked at
        return stand_in(NULL, 0)
    return side(_message.uneven(spec, blocks, writes, name), partitions, name)


cdef Side typed(object spec, Py_ssize_t blocks, object partitions, bint writes, str name):
    if is_in_place(spec):
        return stand_in(MPI_IN_PLACE, blocks)
    if blocks == 0:
        return stand_in(NULL, 0)
    return side(_message.typed(spec, blocks, writes, name), partitions, name)


# ---- what comes out ----

cdef int check(int code) except -1:
    if code != MPI_SUCCESS:
        error = _MPI.Exception(code)
        error.by_library = True
        raise error
    return 0


cdef int refuse(object comm) except -1:
    """A call without room for a request: an error here, and so on all ranks, whatever they call."""
    cdef MPI_Comm c = comm_of(comm)
    handler = comm.Get_errhandler()
    comm.Set_errhandler(_MPI.ERRORS_RETURN)
    with nogil:
        MPIX_Pbcast_init(NULL, 1, 0, MPI_BYTE, 0, c, MPI_INFO_NULL, NULL)
    comm.Set_errhandler(handler)
    return 0


def tells_others(function):
    """What goes wrong before the library is called, the others hear, too: they are in their call."""
    @wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            comm = args[0] if args else kwargs.get("comm")
            if (isinstance(comm, _MPI.Intracomm) and comm != _MPI.COMM_NULL
                    and not hasattr(error, "by_library")):
                refuse(comm)
            raise
    return call


cdef class Prequest(MPI.Prequest):
    """A request whose buffers stay as long as MPI has it. mpi4py's Pready and Parrived keep the
    interpreter's lock; here they may copy or reduce, so other threads go on meanwhile."""

    def Pready(self, partition):
        """Mark a partition."""
        cdef int code, number = partition
        with nogil:
            code = MPI_Pready(number, self.ob_mpi)
        check(code)

    def Pready_range(self, partition_low, partition_high):
        """Mark partitions, the last one included."""
        cdef int code, low = partition_low, high = partition_high
        with nogil:
            code = MPI_Pready_range(low, high, self.ob_mpi)
        check(code)

    def Pready_list(self, partitions):
        """Mark the partitions of a list."""
        cdef int code, count = len(partitions)
        cdef int *number = <int *> malloc((<size_t> count + 1) * sizeof(int))
        if number == NULL:
            raise MemoryError
        try:
            for i in range(count):
                number[i] = partitions[i]
            with nogil:
                code = MPI_Pready_list(count, number, self.ob_mpi)
            check(code)
        finally:
            free(number)

    def Parrived(self, partition):
        """Has a partition arrived?"""
        cdef int code, number = partition, flag = 0
        with nogil:
            code = MPI_Parrived(self.ob_mpi, number, &flag)
        check(code)
        return flag != 0

    def Free(self):
        """Free it; the buffers are the program's again."""
        MPI.Prequest.Free(self)
        if self.ob_mpi == MPI_REQUEST_NULL:
            self.ob_buf = None

    def __del__(self):
        if self.ob_mpi != MPI_REQUEST_NULL and self.ob_buf is not None:
            Py_INCREF(self.ob_buf) # dropped, not freed: what arrives is still written there


cdef object wrap(MPI_Request handle, object keep):
    cdef Prequest request = <Prequest> Prequest.__new__(Prequest)
    request.ob_mpi = handle
    request.ob_buf = keep # as long as the request
    return request


cdef MPI_Comm comm_of(object comm) except *:
    return (<MPI.Comm?> comm).ob_mpi


cdef MPI_Info info_of(object info) except *:
    return (<MPI.Info?> info).ob_mpi


cdef MPI_Op op_of(object op) except *:
    return (<MPI.Op?> op).ob_mpi


cdef bint at_root(object comm, int root):
    return comm.Get_rank() == root


cdef object degrees(object comm):
    """Sources and destinations of this process in the topology of a communicator."""
    if isinstance(comm, _MPI.Cartcomm):
        return 2 * comm.Get_dim(), 2 * comm.Get_dim()
    if isinstance(comm, _MPI.Graphcomm):
        neighbors = comm.Get_neighbors_count(comm.Get_rank())
        return neighbors, neighbors
    if isinstance(comm, _MPI.Distgraphcomm):
        return comm.Get_dist_neighbors_count()[:2]
    raise ValueError("the communicator has no topology")


# ---- families ----

cdef object do_even(even_t call, object comm, Side send, Side recv, object info):
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int code
    with nogil:
        code = call(send.address, send.partitions[0], send.counts[0], send.types[0], recv.address,
                    recv.partitions[0], recv.counts[0], recv.types[0], c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


cdef object do_rooted(rooted_t call, object comm, Side send, Side recv, int root, object info):
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int code
    with nogil:
        code = call(send.address, send.partitions[0], send.counts[0], send.types[0], recv.address,
                    recv.partitions[0], recv.counts[0], recv.types[0], root, c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


cdef object do_gatherv(gatherv_t call, object comm, Side send, Side recv, object info):
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int code
    with nogil:
        code = call(send.address, send.partitions[0], send.counts[0], send.types[0], recv.address,
                    recv.partitions, recv.counts, recv.displs, recv.types[0], c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


cdef object do_alltoallv(alltoallv_t call, object comm, Side send, Side recv, object info):
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int code
    with nogil:
        code = call(send.address, send.partitions, send.counts, send.displs, send.types[0],
                    recv.address, recv.partitions, recv.counts, recv.displs, recv.types[0], c, i,
                    &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


cdef object do_alltoallw(alltoallw_t call, object comm, Side send, Side recv, object info):
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int code
    with nogil:
        code = call(send.address, send.partitions, send.counts, send.displs, send.types,
                    recv.address, recv.partitions, recv.counts, recv.displs, recv.types, c, i,
                    &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


cdef int same(Side send, Side recv) except -1:
    """Both buffers of a reduction hold the same."""
    if send.counts[0] != recv.counts[0] or send.types[0] != recv.types[0]:
        raise ValueError("sendbuf and recvbuf differ in elements or datatype")
    return 0


cdef object do_reduction(reduction_t call, object comm, Side send, Side recv, object op,
                         object info):
    """`recv` says how much, unless the result is not here."""
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef MPI_Op o = op_of(op)
    cdef int code
    with nogil:
        code = call(send.address, recv.address, recv.partitions[0], recv.counts[0], recv.types[0],
                    o, c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep, op))


# ---- data movement ----

@tells_others
def Pbcast_init(comm, buf, partitions, root=0, info=_MPI.INFO_NULL):
    """Broadcast: every rank has one block, cut in `partitions` on all.

    Pready on the root, Parrived on the others.
    """
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int r = root, code
    cdef Side it = plain(buf, 1, partitions, comm.Get_rank() != r, "buf")
    with nogil:
        code = MPIX_Pbcast_init(it.address, it.partitions[0], it.counts[0], it.types[0], r, c, i,
                                &handle)
    check(code)
    return wrap(handle, it.keep)


@tells_others
def Pgather_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, root=0,
                 info=_MPI.INFO_NULL):
    """Gather: one block in `sendbuf`, a block per rank in the root's `recvbuf`.

    Pready: `sendpartitions` on all ranks (in place: `recvpartitions`). Parrived: size *
    recvpartitions on the root. `sendbuf` may be IN_PLACE at the root; `recvbuf` is None elsewhere.
    """
    blocks = comm.Get_size() if at_root(comm, root) else 0
    return do_rooted(MPIX_Pgather_init, comm, plain(sendbuf, 1, sendpartitions, False, "sendbuf"),
                     plain(recvbuf, blocks, recvpartitions, True, "recvbuf"), root, info)


@tells_others
def Pscatter_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, root=0,
                  info=_MPI.INFO_NULL):
    """Scatter: a block per rank in the root's `sendbuf`, one block in `recvbuf`.

    Pready: size * sendpartitions on the root. Parrived: `recvpartitions`. `recvbuf` may be IN_PLACE
    at the root; `sendbuf` is None elsewhere.
    """
    blocks = comm.Get_size() if at_root(comm, root) else 0
    return do_rooted(MPIX_Pscatter_init, comm,
                     plain(sendbuf, blocks, sendpartitions, False, "sendbuf"),
                     plain(recvbuf, 1, recvpartitions, True, "recvbuf"), root, info)


@tells_others
def Pgatherv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, root=0,
                  info=_MPI.INFO_NULL):
    """Gather with blocks of different sizes: `recvbuf` has counts, and may have displacements;
    `recvpartitions` is a number, or a list of one per rank."""
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int r = root, code
    cdef Side send = plain(sendbuf, 1, sendpartitions, False, "sendbuf")
    cdef Side recv
    if at_root(comm, root):
        recv = listed(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf")
    else:
        recv = stand_in(NULL, 1)
    with nogil:
        code = MPIX_Pgatherv_init(send.address, send.partitions[0], send.counts[0], send.types[0],
                                  recv.address, recv.partitions, recv.counts, recv.displs,
                                  recv.types[0], r, c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


@tells_others
def Pscatterv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, root=0,
                   info=_MPI.INFO_NULL):
    """Scatter with blocks of different sizes: `sendbuf` has counts, and may have displacements;
    `sendpartitions` is a number, or a list of one per rank."""
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef int r = root, code
    cdef Side recv = plain(recvbuf, 1, recvpartitions, True, "recvbuf")
    cdef Side send
    if at_root(comm, root):
        send = listed(sendbuf, comm.Get_size(), sendpartitions, False, "sendbuf")
    else:
        send = stand_in(NULL, 1)
    with nogil:
        code = MPIX_Pscatterv_init(send.address, send.partitions, send.counts, send.displs,
                                   send.types[0], recv.address, recv.partitions[0],
                                   recv.counts[0], recv.types[0], r, c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep))


@tells_others
def Pallgather_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, info=_MPI.INFO_NULL):
    """Gather to all: one block in `sendbuf`, a block per rank in `recvbuf`.

    Pready: `sendpartitions` (in place: `recvpartitions`). Parrived: size * recvpartitions. `sendbuf`
    may be IN_PLACE on all.
    """
    return do_even(MPIX_Pallgather_init, comm,
                   plain(sendbuf, 1, sendpartitions, False, "sendbuf"),
                   plain(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf"), info)


@tells_others
def Pallgatherv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                     info=_MPI.INFO_NULL):
    """Gather to all with blocks of different sizes: `recvbuf` has counts, and may have
    displacements; `recvpartitions` is a number, or a list of one per rank."""
    return do_gatherv(MPIX_Pallgatherv_init, comm,
                      plain(sendbuf, 1, sendpartitions, False, "sendbuf"),
                      listed(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf"), info)


@tells_others
def Palltoall_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, info=_MPI.INFO_NULL):
    """All to all: a block per rank in each buffer.

    Pready: size * sendpartitions. Parrived: size * recvpartitions. Not in place.
    """
    return do_even(MPIX_Palltoall_init, comm,
                   plain(sendbuf, comm.Get_size(), sendpartitions, False, "sendbuf"),
                   plain(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf"), info)


@tells_others
def Palltoallv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, info=_MPI.INFO_NULL):
    """All to all with blocks of different sizes: counts, and displacements if not one after
    another; partitions are a number, or a list of one per rank."""
    return do_alltoallv(MPIX_Palltoallv_init, comm,
                        listed(sendbuf, comm.Get_size(), sendpartitions, False, "sendbuf"),
                        listed(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf"), info)


@tells_others
def Palltoallw_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions, info=_MPI.INFO_NULL):
    """All to all with blocks of different datatypes: [data, counts, displs, datatypes],
    displacements in bytes."""
    return do_alltoallw(MPIX_Palltoallw_init, comm,
                        typed(sendbuf, comm.Get_size(), sendpartitions, False, "sendbuf"),
                        typed(recvbuf, comm.Get_size(), recvpartitions, True, "recvbuf"), info)


# ---- reductions ----

@tells_others
def Preduce_init(comm, sendbuf, recvbuf, partitions, op=_MPI.SUM, root=0, info=_MPI.INFO_NULL):
    """Reduce to the root. `sendbuf` may be IN_PLACE there; `recvbuf` is None elsewhere.

    Pready: `partitions` on all ranks. Parrived: `partitions` on the root.
    """
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef MPI_Op o = op_of(op)
    cdef int r = root, code
    cdef Side send = plain(sendbuf, 1, partitions, False, "sendbuf")
    cdef Side recv = (plain(recvbuf, 1, partitions, True, "recvbuf") if at_root(comm, root)
                      else stand_in(NULL, 1))
    cdef Side cut = recv if is_in_place(sendbuf) else send
    if at_root(comm, root) and not is_in_place(sendbuf):
        same(send, recv)
    with nogil:
        code = MPIX_Preduce_init(send.address, recv.address, cut.partitions[0], cut.counts[0],
                                 cut.types[0], o, r, c, i, &handle)
    check(code)
    return wrap(handle, (send.keep, recv.keep, op))


cdef object reduce_alike(reduction_t call, object comm, object sendbuf, object recvbuf,
                         object partitions, object op, object info):
    cdef Side send = plain(sendbuf, 1, partitions, False, "sendbuf")
    cdef Side recv = plain(recvbuf, 1, partitions, True, "recvbuf")
    if not is_in_place(sendbuf):
        same(send, recv)
    return do_reduction(call, comm, send, recv, op, info)


@tells_others
def Pallreduce_init(comm, sendbuf, recvbuf, partitions, op=_MPI.SUM, info=_MPI.INFO_NULL):
    """Reduce to all: partition i of the result depends on partition i of all contributions.

    Pready and Parrived: `partitions`. `sendbuf` may be IN_PLACE on all ranks.
    """
    return reduce_alike(MPIX_Pallreduce_init, comm, sendbuf, recvbuf, partitions, op, info)


@tells_others
def Pscan_init(comm, sendbuf, recvbuf, partitions, op=_MPI.SUM, info=_MPI.INFO_NULL):
    """Reduce the contributions of this rank and those before."""
    return reduce_alike(MPIX_Pscan_init, comm, sendbuf, recvbuf, partitions, op, info)


@tells_others
def Pexscan_init(comm, sendbuf, recvbuf, partitions, op=_MPI.SUM, info=_MPI.INFO_NULL):
    """Reduce the contributions of the ranks before this one."""
    return reduce_alike(MPIX_Pexscan_init, comm, sendbuf, recvbuf, partitions, op, info)


@tells_others
def Preduce_scatter_block_init(comm, sendbuf, recvbuf, partitions, op=_MPI.SUM,
                               info=_MPI.INFO_NULL):
    """Reduce and scatter: a block per rank in `sendbuf`, each cut in `partitions`; the result is
    one block. In place, `recvbuf` has all blocks, and the result comes to its beginning.

    Pready: size * partitions. Parrived: `partitions`.
    """
    cdef Py_ssize_t size = comm.Get_size()
    cdef Side send = plain(sendbuf, size, partitions, False, "sendbuf")
    cdef Side recv = plain(recvbuf, size if is_in_place(sendbuf) else 1, partitions, True,
                           "recvbuf")
    if not is_in_place(sendbuf):
        same(send, recv)
    return do_reduction(MPIX_Preduce_scatter_block_init, comm, send, recv, op, info)


@tells_others
def Preduce_scatter_init(comm, sendbuf, recvbuf, partitions, recvcounts, op=_MPI.SUM,
                         info=_MPI.INFO_NULL):
    """Reduce and scatter in blocks of different sizes: rank k gets `recvcounts[k]` elements;
    `partitions` is a number, or a list of one per rank."""
    cdef MPI_Request handle = MPI_REQUEST_NULL
    cdef MPI_Comm c = comm_of(comm)
    cdef MPI_Info i = info_of(info)
    cdef MPI_Op o = op_of(op)
    cdef int code
    cdef bint in_place = is_in_place(sendbuf)
    whole = _message.even(recvbuf if in_place else sendbuf, 1, in_place,
                          "recvbuf" if in_place else "sendbuf")
    if sum(recvcounts) != whole.counts[0]:
        raise ValueError(f"recvcounts are {sum(recvcounts)} elements, the buffer has "
                         f"{whole.counts[0]}")
    cdef Side cut = side(whole._replace(
        counts=_message._per_block(recvcounts, comm.Get_size(), "counts", "recvcounts"),
        displs=[0] * comm.Get_size(), types=whole.types * comm.Get_size()), partitions,
        "recvcounts")
    cdef Side recv = plain(recvbuf, 1, 1, True, "recvbuf")
    cdef void *address = MPI_IN_PLACE if in_place else cut.address
    if not in_place and recv.counts[0] != recvcounts[comm.Get_rank()]:
        raise ValueError(f"recvbuf has {recv.counts[0]} elements, its count is "
                         f"{recvcounts[comm.Get_rank()]}")
    if not in_place and recv.counts[0] > 0 and recv.types[0] != cut.types[0]:
        raise ValueError("sendbuf and recvbuf differ in datatype")
    with nogil:
        code = MPIX_Preduce_scatter_init(address, recv.address, cut.partitions, cut.counts,
                                         cut.types[0], o, c, i, &handle)
    check(code)
    return wrap(handle, (cut.keep, recv.keep, op))


# ---- neighbours ----

@tells_others
def Pneighbor_allgather_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                             info=_MPI.INFO_NULL):
    """The block in `sendbuf` goes to every destination; one comes from each source.

    Pready: `sendpartitions`. Parrived: sources * recvpartitions.
    """
    return do_even(MPIX_Pneighbor_allgather_init, comm,
                   plain(sendbuf, 1, sendpartitions, False, "sendbuf"),
                   plain(recvbuf, degrees(comm)[0], recvpartitions, True, "recvbuf"), info)


@tells_others
def Pneighbor_allgatherv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                              info=_MPI.INFO_NULL):
    """The same with blocks of different sizes: one entry per source."""
    return do_gatherv(MPIX_Pneighbor_allgatherv_init, comm,
                      plain(sendbuf, 1, sendpartitions, False, "sendbuf"),
                      listed(recvbuf, degrees(comm)[0], recvpartitions, True, "recvbuf"), info)


@tells_others
def Pneighbor_alltoall_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                            info=_MPI.INFO_NULL):
    """A block goes to each destination, one comes from each source.

    Pready: destinations * sendpartitions. Parrived: sources * recvpartitions.
    """
    sources, destinations = degrees(comm)
    return do_even(MPIX_Pneighbor_alltoall_init, comm,
                   plain(sendbuf, destinations, sendpartitions, False, "sendbuf"),
                   plain(recvbuf, sources, recvpartitions, True, "recvbuf"), info)


@tells_others
def Pneighbor_alltoallv_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                             info=_MPI.INFO_NULL):
    """The same with blocks of different sizes: one entry per neighbour."""
    sources, destinations = degrees(comm)
    return do_alltoallv(MPIX_Pneighbor_alltoallv_init, comm,
                        listed(sendbuf, destinations, sendpartitions, False, "sendbuf"),
                        listed(recvbuf, sources, recvpartitions, True, "recvbuf"), info)


@tells_others
def Pneighbor_alltoallw_init(comm, sendbuf, sendpartitions, recvbuf, recvpartitions,
                             info=_MPI.INFO_NULL):
    """The same with blocks of different datatypes; displacements in bytes."""
    sources, destinations = degrees(comm)
    return do_alltoallw(MPIX_Pneighbor_alltoallw_init, comm,
                        typed(sendbuf, destinations, sendpartitions, False, "sendbuf"),
                        typed(recvbuf, sources, recvpartitions, True, "recvbuf"), info)


# ---- requests ----

def Pbuf_prepare(request):
    """Wait until the receive buffers of this iteration are known to be ready."""
    cdef MPI.Request it = <MPI.Request?> request
    cdef int code
    with nogil:
        code = MPIX_Pbuf_prepare(&it.ob_mpi)
    check(code)


def Pbuf_prepareall(requests):
    """Pbuf_prepare for several requests, in any order."""
    cdef int count = len(requests), code
    cdef MPI_Request *handle = <MPI_Request *> malloc((<size_t> count + 1) * sizeof(MPI_Request))
    if handle == NULL:
        raise MemoryError
    try:
        for i in range(count):
            handle[i] = (<MPI.Request?> requests[i]).ob_mpi
        with nogil:
            code = MPIX_Pbuf_prepareall(count, handle)
        check(code)
    finally:
        free(handle)


def Parrived_any(request):
    """Take one partition that has arrived and that no call has reported in this iteration.

    Its number; None when there is none now, but there will be; -1 when all have been reported.
    """
    cdef MPI_Request it = (<MPI.Request?> request).ob_mpi
    cdef int code, partition = 0, flag = 0
    with nogil:
        code = MPIX_Parrived_any(it, &partition, &flag)
    check(code)
    if partition != MPI_UNDEFINED:
        return partition
    return -1 if flag else None


def Parrived_some(request, most):
    """Take up to `most` partitions that have arrived and were not reported in this iteration.

    A list, which may be empty; None when all have been reported.
    """
    cdef MPI_Request it = (<MPI.Request?> request).ob_mpi
    cdef int code, count = 0, room = most
    cdef int *partition = <int *> malloc((<size_t> (room if room > 0 else 0) + 1) * sizeof(int))
    if partition == NULL:
        raise MemoryError
    try:
        with nogil:
            code = MPIX_Parrived_some(it, room, &count, partition)
        check(code)
        return None if count == MPI_UNDEFINED else [partition[i] for i in range(count)]
    finally:
        free(partition)
