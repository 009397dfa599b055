/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The 21 collectives: a row each.
 *
 *   DO(COLLECTIVE, name, type)  its number; its name, also in slots of Open MPI's modules; there,
 * the name of the type of its function
 */
#ifndef COLL_PSCHEDULE_EACH_H
#define COLL_PSCHEDULE_EACH_H

#define COLL_PSCHEDULE_EACH(DO)                                          \
    DO(BCAST, bcast, bcast)                                              \
    DO(GATHER, gather, gather)                                           \
    DO(GATHERV, gatherv, gatherv)                                        \
    DO(SCATTER, scatter, scatter)                                        \
    DO(SCATTERV, scatterv, scatterv)                                     \
    DO(ALLGATHER, allgather, allgather)                                  \
    DO(ALLGATHERV, allgatherv, allgatherv)                               \
    DO(ALLTOALL, alltoall, alltoall)                                     \
    DO(ALLTOALLV, alltoallv, alltoallv)                                  \
    DO(ALLTOALLW, alltoallw, alltoallw)                                  \
    DO(REDUCE, reduce, reduce)                                           \
    DO(ALLREDUCE, allreduce, allreduce)                                  \
    DO(REDUCE_SCATTER_BLOCK, reduce_scatter_block, reduce_scatter_block) \
    DO(REDUCE_SCATTER, reduce_scatter, reduce_scatter)                   \
    DO(SCAN, scan, scan)                                                 \
    DO(EXSCAN, exscan, exscan)                                           \
    DO(NEIGHBOR_ALLGATHER, neighbor_allgather, allgather)                \
    DO(NEIGHBOR_ALLGATHERV, neighbor_allgatherv, allgatherv)             \
    DO(NEIGHBOR_ALLTOALL, neighbor_alltoall, alltoall)                   \
    DO(NEIGHBOR_ALLTOALLV, neighbor_alltoallv, alltoallv)                \
    DO(NEIGHBOR_ALLTOALLW, neighbor_alltoallw, neighbor_alltoallw)

#endif /* COLL_PSCHEDULE_EACH_H */
