/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The exchange of cuts (see coll_pschedule_cuts.h).
 */
#include "call/coll_pschedule_cuts.h"

#include <limits.h>
#include <stdlib.h>

#include "call/coll_pschedule_help.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/errhandler/errcode.h"

typedef mca_coll_pschedule_arguments_t arguments_t;
typedef mca_coll_pschedule_cuts_t cuts_t;

/* Over an edge the sender's rank and the key travel, too. */
enum { CUT = COLL_PSCHEDULE_CUT_NUMBERS, EDGE = CUT + 2 };

void mca_coll_pschedule_cuts_write(uint64_t *number, mca_coll_pschedule_cut_t cut)
{
    number[0] = cut.bytes;
    number[1] = cut.partitions;
}

bool mca_coll_pschedule_cuts_read(const uint64_t *number, size_t count,
                                  mca_coll_pschedule_cut_t cut[])
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t bytes = number[CUT * i], partitions = number[CUT * i + 1];

        if (0 == partitions || partitions > INT_MAX || 0 != bytes % partitions) {
            return false;
        }
        cut[i] = (mca_coll_pschedule_cut_t) {.bytes = bytes, .partitions = (uint32_t) partitions};
    }
    return true;
}

/* ---- to whom ---- */

static int send_to_all(MPI_Comm comm, const cuts_t *cuts)
{
    return comm->c_coll->coll_allgather(cuts->out, CUT, &ompi_mpi_uint64_t.dt, cuts->in, CUT,
                                        &ompi_mpi_uint64_t.dt, comm,
                                        comm->c_coll->coll_allgather_module);
}

/* They come where they left. */
static int send_from_root(const arguments_t *arguments, const cuts_t *cuts)
{
    MPI_Comm comm = arguments->call->comm;

    return comm->c_coll->coll_bcast(cuts->out, CUT * arguments->size, &ompi_mpi_uint64_t.dt,
                                    arguments->call->root, comm, comm->c_coll->coll_bcast_module);
}

static int send_to_each(MPI_Comm comm, const cuts_t *cuts)
{
    return comm->c_coll->coll_alltoall(cuts->out, CUT, &ompi_mpi_uint64_t.dt, cuts->in, CUT,
                                       &ompi_mpi_uint64_t.dt, comm,
                                       comm->c_coll->coll_alltoall_module);
}

/* What came over an edge must have left over the same one, as our keys have it. */
static bool get_edges(const mca_coll_pschedule_neighbors_t *neighbors, cuts_t *cuts)
{
    for (uint32_t i = 0; i < cuts->count; ++i) {
        const mca_coll_pschedule_edge_t *source = &neighbors->source[i];
        const uint64_t *number = cuts->in + EDGE * i;

        if (COLL_PSCHEDULE_NOBODY == source->rank) {
            cuts->cut[i] = (mca_coll_pschedule_cut_t) {.bytes = 0, .partitions = 1};
            continue;
        }
        if (number[2] != (uint64_t) source->rank || number[3] != source->key
            || !mca_coll_pschedule_cuts_read(number, 1, &cuts->cut[i])) {
            return false;
        }
    }
    return true;
}

static int send_to_neighbors(const arguments_t *arguments, cuts_t *cuts)
{
    const mca_coll_pschedule_neighbors_t *neighbors = &arguments->neighbors;
    bool one = COLL_PSCHEDULE_ONE == arguments->shape->send_blocks;
    MPI_Comm comm = arguments->call->comm;

    for (uint32_t i = 0; i < neighbors->destinations; ++i) {
        const mca_coll_pschedule_area_t *area = &arguments->send.area[one ? 0 : i];
        uint64_t *number = cuts->out + EDGE * i;

        mca_coll_pschedule_cuts_write(number, mca_coll_pschedule_arguments_cut(arguments, area));
        number[2] = (uint64_t) arguments->rank;
        number[3] = neighbors->destination[i].key;
    }
    return comm->c_coll->coll_neighbor_alltoall(cuts->out, EDGE, &ompi_mpi_uint64_t.dt, cuts->in,
                                                EDGE, &ompi_mpi_uint64_t.dt, comm,
                                                comm->c_coll->coll_neighbor_alltoall_module);
}

/* ---- does it fit? ---- */

/* The contribution that belongs to a receive block, and its rank. */
static uint32_t contribution_of(const arguments_t *arguments, uint32_t block, int32_t *rank)
{
    switch (arguments->shape->cuts) {
    case COLL_PSCHEDULE_CUTS_FROM_ROOT:
        *rank = arguments->call->root;
        return (uint32_t) arguments->rank;
    case COLL_PSCHEDULE_CUTS_TO_NEIGHBORS:
        *rank = arguments->neighbors.source[block].rank;
        return block;
    default:
        *rank = (int32_t) block;
        return block;
    }
}

static int compare_sizes(const arguments_t *arguments, const cuts_t *cuts)
{
    for (uint32_t i = 0; i < arguments->recv.blocks; ++i) {
        int32_t from;
        const mca_coll_pschedule_cut_t *cut = &cuts->cut[contribution_of(arguments, i, &from)];

        if (COLL_PSCHEDULE_NOBODY == from || cut->bytes == arguments->recv.area[i].bytes) {
            continue;
        }
        if (NULL == arguments->call->front) {
            mca_coll_pschedule_help("sizes",
                                    mca_coll_pschedule_names[arguments->call->collective],
                                    (int) from, (unsigned long long) cut->bytes,
                                    (int) arguments->rank,
                                    (unsigned long long) arguments->recv.area[i].bytes);
        }
        return MPI_ERR_TRUNCATE;
    }
    return MPI_SUCCESS;
}

/* ---- all ---- */

/* Nothing is sent: all know bcast's cut, its root's, and reduce_scatter's blocks already. */
static void know(const arguments_t *arguments, const mca_coll_pschedule_common_t *common,
                 cuts_t *cuts)
{
    if (COLL_PSCHEDULE_BCAST == arguments->call->collective) {
        cuts->cut[0] = (mca_coll_pschedule_cut_t) {.bytes = common->bytes,
                                                   .partitions = common->partitions};
        return;
    }
    for (uint32_t i = 0; i < cuts->count; ++i) {
        cuts->cut[i] = mca_coll_pschedule_arguments_cut(arguments, &arguments->send.area[i]);
    }
}

static uint32_t number_of_cuts(const arguments_t *arguments)
{
    const mca_coll_pschedule_shape_t *shape = arguments->shape;

    if (COLL_PSCHEDULE_CUTS_TO_NEIGHBORS == shape->cuts) {
        return arguments->neighbors.sources;
    }
    if (COLL_PSCHEDULE_CUTS_KNOWN != shape->cuts
        || COLL_PSCHEDULE_PER_RANK == shape->send_blocks) {
        return (uint32_t) arguments->size;
    }
    return COLL_PSCHEDULE_BCAST == arguments->call->collective ? 1 : 0;
}

int mca_coll_pschedule_cuts_prepare(const arguments_t *arguments, cuts_t *cuts)
{
    size_t in = number_of_cuts(arguments);
    size_t out = arguments->neighbors.destinations + (size_t) arguments->size;

    *cuts = (cuts_t) {.count = (uint32_t) in};
    cuts->cut = calloc(in + 1, sizeof(*cuts->cut));
    cuts->out = calloc(out + 1, EDGE * sizeof(*cuts->out));
    cuts->in = calloc(in + 1, EDGE * sizeof(*cuts->in));
    return NULL == cuts->cut || NULL == cuts->out || NULL == cuts->in ? MPI_ERR_NO_MEM
                                                                      : MPI_SUCCESS;
}

static int exchange(const arguments_t *arguments, cuts_t *cuts)
{
    bool from_root = COLL_PSCHEDULE_CUTS_FROM_ROOT == arguments->shape->cuts;
    bool to_all = COLL_PSCHEDULE_CUTS_TO_ALL == arguments->shape->cuts;
    MPI_Comm comm = arguments->call->comm;

    for (uint32_t i = 0; i < arguments->send.blocks; ++i) {
        mca_coll_pschedule_cuts_write(
            cuts->out + CUT * i,
            mca_coll_pschedule_arguments_cut(arguments, &arguments->send.area[i]));
    }
    return from_root ? send_from_root(arguments, cuts)
           : to_all  ? send_to_all(comm, cuts)
                     : send_to_each(comm, cuts);
}

static bool read_cuts(const arguments_t *arguments, cuts_t *cuts)
{
    bool from_root = COLL_PSCHEDULE_CUTS_FROM_ROOT == arguments->shape->cuts;

    return arguments->shape->neighbors
               ? get_edges(&arguments->neighbors, cuts)
               : mca_coll_pschedule_cuts_read(from_root ? cuts->out : cuts->in, cuts->count,
                                              cuts->cut);
}

int mca_coll_pschedule_cuts_exchange(const arguments_t *arguments,
                                     const mca_coll_pschedule_common_t *common, cuts_t *cuts,
                                     bool *broken)
{
    int rc;

    *broken = false;
    if (COLL_PSCHEDULE_CUTS_KNOWN == arguments->shape->cuts) {
        know(arguments, common, cuts);
        return MPI_SUCCESS;
    }
    if (arguments->shape->neighbors
        && NULL == arguments->call->comm->c_coll->coll_neighbor_alltoall) {
        return MPI_ERR_UNSUPPORTED_OPERATION; /* the user has excluded who offers it */
    }
    rc = arguments->shape->neighbors ? send_to_neighbors(arguments, cuts)
                                     : exchange(arguments, cuts);
    *broken = OMPI_SUCCESS != rc;
    if (*broken) {
        return ompi_errcode_get_mpi_code(rc);
    }
    return read_cuts(arguments, cuts) ? compare_sizes(arguments, cuts) : MPI_ERR_INTERN;
}

void mca_coll_pschedule_cuts_free(cuts_t *cuts)
{
    free(cuts->cut);
    free(cuts->out);
    free(cuts->in);
}
