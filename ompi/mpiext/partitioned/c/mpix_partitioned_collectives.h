/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned collectives: initialisation. Included by mpix_partitioned.h.
 *
 * Each function makes a persistent request for one collective operation whose buffers are cut in
 * partitions. All processes of the communicator call it, in the same order as other collectives;
 * it may synchronise them. Then, any number of times:
 *
 *     MPI_Start, MPI_Startall     begin an iteration
 *     MPIX_Pbuf_prepare           optional; synchronises all processes of the collective
 *     MPI_Pready(i)               partition i of what this rank contributes may be sent; once for
 *                                 each, in any order, by any thread
 *     MPI_Parrived(i)             has partition i of this rank's result arrived?
 *     MPIX_Parrived_any, _some    which partitions have?
 *     MPI_Wait, MPI_Test, ...     complete the iteration; the status has neither source nor tag
 *
 * and MPI_Request_free at the end.
 *
 * Buffers. `partitions` and `count` go together: a block is `partitions` partitions of `count`
 * elements of the datatype each, one after another without space between. Where a buffer has
 * several blocks (one per rank or neighbour) they lie one after another, too, unless displacements
 * say otherwise; displacements count extents of the datatype, or bytes where each block has a
 * datatype of its own. Partitions are numbered over the whole buffer, block after block in the
 * order of ranks: partition p of block b has the number (partitions of blocks 0 to b-1) + p.
 *
 * Contributor and receiver may cut a block differently, if its bytes are the same in total; a
 * partition has arrived when all of its bytes have. In bcast and in reductions there is only one
 * cut: partition i of the result depends on partition i of the contributions, and on nothing else.
 * The exception is reduce_scatter(_block) in place: where its result goes there are contributions,
 * so it also waits for these to be marked, on any rank that they go through.
 *
 * Arguments that are significant only at the root in MPI are so here. MPI_IN_PLACE is allowed as in
 * the blocking collective, except for alltoall(v,w). Operators that do not commute are applied in
 * the order of ranks. `info` may be MPI_INFO_NULL; unknown keys are ignored.
 *
 * Errors go to the error handler of `comm`, and are returned. If the arguments of one rank are
 * wrong, all ranks return an error, those whose own arguments are right MPI_ERR_OTHER.
 *
 *     MPI_ERR_ARG        NULL pointer; partitions not positive, or more than 2^24 in a buffer whose
 *                        algorithm has no numbers for them; MPI_IN_PLACE where it is not allowed;
 *                        arguments that must be equal on all ranks are not
 *     MPI_ERR_COUNT      negative count; buffer larger than the address space
 *     MPI_ERR_TYPE       null or uncommitted datatype
 *     MPI_ERR_OP         null operator, or one that does not fit the datatype
 *     MPI_ERR_ROOT       root out of range
 *     MPI_ERR_COMM       null communicator, an intercommunicator, or one with the assertion
 *                        mpi_assert_no_any_source
 *     MPI_ERR_BUFFER     NULL buffer with elements to move, buffers that are one range each and
 *                        overlap, memory of an accelerator, or a section of a Fortran array with
 *                        gaps
 *     MPI_ERR_TRUNCATE   a block has not the same number of bytes on both ends (on both)
 *     MPI_ERR_INFO       not a valid info object
 *     MPI_ERR_NO_MEM     memory is short, or the file descriptors that `ulimit -n` leaves
 *     MPI_ERR_UNSUPPORTED_OPERATION   coll/pschedule or part/ucx is not in use; in one job all
 *                        ranks get it if one does, so a program can go on without
 *     MPI_ERR_OTHER      a rank has no path, two ranks cannot be connected, or one has not answered
 *                        for 120 s; a tuning file that cannot be used
 *     MPI_ERR_PROC_FAILED, MPI_ERR_REVOKED   with fault tolerance (MPIX_ERR_... in <mpi-ext.h>)
 *     MPI_ERR_INTERN     an algorithm has made a plan that cannot work: a defect of this package
 *
 * After an error `request` is MPI_REQUEST_NULL.
 *
 * Origin. Names and arguments of bcast, gather, alltoall, alltoallv and reduce follow the Bull Open
 * MPI extension pcoll_part, with the types of MPI_Psend_init. Allreduce is named in the literature;
 * its arguments and all others are this project's, by the same rules.
 */
#ifndef MPIX_PARTITIONED_COLLECTIVES_H
#define MPIX_PARTITIONED_COLLECTIVES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data movement ---- */

/**
 * Broadcast. Every rank has one block in `buffer`, cut alike on all.
 * MPI_Pready: on the root. MPI_Parrived: on the others.
 */
int MPIX_Pbcast_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);

/**
 * Gather. One block in `sendbuf`, one block per rank in the root's `recvbuf`, each cut as
 * recvpartitions and recvcount say. At the root, sendbuf may be MPI_IN_PLACE.
 * MPI_Pready: sendpartitions on all ranks (in place: recvpartitions). MPI_Parrived: on the root,
 * size * recvpartitions.
 */
int MPIX_Pgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request *request);

/**
 * Gather with blocks of different sizes: for each rank's block its partitions, elements per
 * partition, and displacement in extents of recvtype.
 */
int MPIX_Pgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                       const MPI_Count recvcounts[], const MPI_Aint displs[],
                       MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request *request);

/**
 * Scatter. One block per rank in the root's `sendbuf`, one block in `recvbuf`. At the root, recvbuf
 * may be MPI_IN_PLACE: its block stays in sendbuf, and nothing arrives there.
 * MPI_Pready: on the root, size * sendpartitions. MPI_Parrived: recvpartitions on all ranks.
 */
int MPIX_Pscatter_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request);

/** Scatter with blocks of different sizes; displacements in extents of sendtype. */
int MPIX_Pscatterv_init(const void *sendbuf, const int sendpartitions[],
                        const MPI_Count sendcounts[], const MPI_Aint displs[],
                        MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request);

/**
 * Gather to all. One block in `sendbuf`, one block per rank in `recvbuf`. With MPI_IN_PLACE as
 * sendbuf on all ranks, the contribution is this rank's block of recvbuf, cut like it.
 * MPI_Pready: sendpartitions (in place: recvpartitions). MPI_Parrived: size * recvpartitions.
 */
int MPIX_Pallgather_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                         MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info info, MPI_Request *request);

/** Gather to all with blocks of different sizes; displacements in extents of recvtype. */
int MPIX_Pallgatherv_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                          MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPI_Request *request);

/**
 * All to all. One block per rank in each buffer. MPI_IN_PLACE is not supported: blocks of others
 * would overwrite what is not marked ready yet.
 * MPI_Pready: size * sendpartitions. MPI_Parrived: size * recvpartitions.
 */
int MPIX_Palltoall_init(const void *sendbuf, int sendpartitions, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, int recvpartitions,
                        MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info info, MPI_Request *request);

/** All to all with blocks of different sizes; displacements in extents. */
int MPIX_Palltoallv_init(const void *sendbuf, const int sendpartitions[],
                         const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         MPI_Datatype sendtype, void *recvbuf, const int recvpartitions[],
                         const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request);

/** All to all with blocks of different sizes and datatypes; displacements in bytes. */
int MPIX_Palltoallw_init(const void *sendbuf, const int sendpartitions[],
                         const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void *recvbuf,
                         const int recvpartitions[], const MPI_Count recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                         MPI_Info info, MPI_Request *request);

/* ---- reductions: one cut for both buffers, the same on all ranks ---- */

/**
 * Reduce to the root. One block in `sendbuf`, one in the root's `recvbuf`. At the root, sendbuf may
 * be MPI_IN_PLACE: its contribution is in recvbuf.
 * MPI_Pready: partitions on all ranks. MPI_Parrived: partitions on the root.
 */
int MPIX_Preduce_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request);

/**
 * Reduce to all. One block in each buffer, or all contributions in recvbuf (MPI_IN_PLACE). Results
 * are bit-identical on all ranks. MPI_Pready, MPI_Parrived: partitions.
 */
int MPIX_Pallreduce_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                         MPI_Request *request);

/**
 * Reduce, and scatter equal blocks. One block per rank in `sendbuf`; the sum of block r comes to
 * rank r, to the beginning of recvbuf. With MPI_IN_PLACE, all blocks are in recvbuf.
 * MPI_Pready: size * partitions. MPI_Parrived: partitions.
 */
int MPIX_Preduce_scatter_block_init(const void *sendbuf, void *recvbuf, int partitions,
                                    MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                    MPI_Comm comm, MPI_Info info, MPI_Request *request);

/**
 * The same with blocks of different sizes: for each rank's block its partitions and elements per
 * partition, the same on all ranks. MPI_Pready: their sum. MPI_Parrived: partitions[rank].
 */
int MPIX_Preduce_scatter_init(const void *sendbuf, void *recvbuf, const int partitions[],
                              const MPI_Count counts[], MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request);

/**
 * Prefix reduction over ranks 0 to this one. MPI_Pready, MPI_Parrived: partitions. A partition of
 * the result may wait for the same partition of all ranks: mark it before waiting for it.
 */
int MPIX_Pscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                    MPI_Request *request);

/**
 * Prefix reduction over ranks 0 to the one before this. Rank 0 gets nothing: its partitions have
 * arrived at once and its recvbuf is not written. MPI_Pready, MPI_Parrived: partitions.
 */
int MPIX_Pexscan_init(const void *sendbuf, void *recvbuf, int partitions, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif /* MPIX_PARTITIONED_COLLECTIVES_H */
