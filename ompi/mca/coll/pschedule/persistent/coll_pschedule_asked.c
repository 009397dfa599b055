/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a call of MPI to ours (see coll_pschedule_asked.h).
 */
#include "persistent/coll_pschedule_asked.h"

#include "call/coll_pschedule_neighbors.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"

#include <stdlib.h>

typedef mca_coll_pschedule_asked_t asked_t;
typedef mca_coll_pschedule_lists_t lists_t;
typedef mca_coll_pschedule_side_t side_t;

/* A persistent collective has no partitions of the user's. One is enough: plans cut blocks in
 * transfers of coll_pschedule_chunk bytes anyway, and all is marked ready at once. */
#define PARTITIONS 1

/* ---- beginning and end ---- */

/* Blocks of both buffers of a neighbourhood collective. */
static int count_neighbors(asked_t *asked)
{
    mca_coll_pschedule_neighbors_t neighbors;
    int error = mca_coll_pschedule_neighbors_find(asked->call.comm, &neighbors);

    if (MPI_SUCCESS == error) {
        asked->send.blocks = (int) neighbors.destinations;
        asked->recv.blocks = (int) neighbors.sources;
    }
    mca_coll_pschedule_neighbors_free(&neighbors);
    return error;
}

void mca_coll_pschedule_asked_begin(asked_t *asked, mca_coll_pschedule_collective_t collective,
                                    MPI_Comm comm, MPI_Info info, int root)
{
    const mca_coll_pschedule_shape_t *shape = &mca_coll_pschedule_shapes[collective];
    bool is_root = ompi_comm_rank(comm) == root;
    int size = ompi_comm_size(comm);

    *asked = (asked_t) {.call = {.collective = collective, .comm = comm, .info = info,
                                 .root = root}};
    if (shape->neighbors) {
        asked->call.error = count_neighbors(asked);
        return;
    }
    asked->send.blocks = mca_coll_pschedule_is_among(shape->senders, is_root) ? size : 0;
    asked->recv.blocks = mca_coll_pschedule_is_among(shape->receivers, is_root) ? size : 0;
}

static void free_lists(lists_t *lists)
{
    free(lists->partitions);
    free(lists->counts);
    free(lists->displacements);
}

void mca_coll_pschedule_asked_free(asked_t *asked)
{
    free_lists(&asked->send);
    free_lists(&asked->recv);
}

/* ---- blocks that are all alike ---- */

side_t mca_coll_pschedule_asked_even(const void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    return (side_t) {.buffer = buffer, .partitions = PARTITIONS, .count = count,
                     .datatype = datatype};
}

/* ---- blocks that differ ---- */

static void list_counts(asked_t *asked, lists_t *lists, side_t *side,
                        mca_coll_pschedule_counts_t counts)
{
    size_t room = (size_t) lists->blocks + 1;

    for (int i = 0; i < lists->blocks; ++i) {
        MPI_Count count = COLL_PSCHEDULE_COUNT(counts, i);

        lists->total += count;
        lists->most = count > lists->most ? count : lists->most;
    }
    lists->partitions = calloc(room, sizeof(*lists->partitions));
    lists->counts = calloc(room, sizeof(*lists->counts));
    lists->displacements = calloc(room, sizeof(*lists->displacements));
    if (NULL == lists->partitions || NULL == lists->counts || NULL == lists->displacements) {
        asked->call.error = MPI_ERR_NO_MEM;
        return;
    }
    for (int i = 0; i < lists->blocks; ++i) {
        lists->partitions[i] = PARTITIONS;
        lists->counts[i] = COLL_PSCHEDULE_COUNT(counts, i);
    }
    side->partition_list = lists->partitions;
    side->count_list = lists->counts;
}

/* MPI_IN_PLACE stands for the buffer and its lists. */
static bool has_lists(const lists_t *lists, const side_t *side)
{
    return NULL != lists->displacements && MPI_IN_PLACE != side->buffer;
}

void mca_coll_pschedule_asked_list(asked_t *asked, lists_t *lists, side_t *side, const void *buffer,
                                   mca_coll_pschedule_counts_t counts, MPI_Datatype datatype)
{
    *side = mca_coll_pschedule_asked_even(buffer, 0, datatype);
    /* The counts of a reduction are those of the result, in place, too. */
    if (MPI_IN_PLACE == buffer && !mca_coll_pschedule_shapes[asked->call.collective].reduces) {
        lists->blocks = 0;
    }
    list_counts(asked, lists, side, counts);
}

#define PLACE(lists, side, displs)                                           \
    do {                                                                     \
        if (has_lists(lists, side)) {                                        \
            for (int i = 0; i < (lists)->blocks; ++i) {                      \
                (lists)->displacements[i] = COLL_PSCHEDULE_DISPL(displs, i); \
            }                                                                \
            (side)->displacements = (lists)->displacements;                  \
        }                                                                    \
    } while (0)

void mca_coll_pschedule_asked_at(lists_t *lists, side_t *side, mca_coll_pschedule_displs_t displs)
{
    PLACE(lists, side, displs);
}

void mca_coll_pschedule_asked_wide(lists_t *lists, side_t *side,
                                   mca_coll_pschedule_wide_displs_t displs)
{
    PLACE(lists, side, displs);
}

/* ---- bytes ---- */

static uint64_t bytes_of(MPI_Count count, MPI_Datatype datatype)
{
    size_t size;

    ompi_datatype_type_size(datatype, &size);
    return (uint64_t) count * size;
}

bool mca_coll_pschedule_asked_bytes(const asked_t *asked, uint64_t *bytes)
{
    const mca_coll_pschedule_call_t *call = &asked->call;
    const side_t *side = &call->send;

    switch (call->collective) {
    case COLL_PSCHEDULE_ALLGATHERV:
        *bytes = bytes_of(asked->recv.most, call->recv.datatype);
        return true;
    case COLL_PSCHEDULE_REDUCE_SCATTER:
        *bytes = bytes_of(asked->send.total, call->send.datatype);
        return true;
    case COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK:
        *bytes = bytes_of(side->count * ompi_comm_size(call->comm), side->datatype);
        return true;
    case COLL_PSCHEDULE_ALLGATHER:
    case COLL_PSCHEDULE_ALLTOALL:
        side = &call->recv;
        break;
    case COLL_PSCHEDULE_GATHER:
        side = MPI_IN_PLACE == side->buffer ? &call->recv : side;
        break;
    case COLL_PSCHEDULE_SCATTER:
        side = ompi_comm_rank(call->comm) == call->root ? side : &call->recv;
        break;
    case COLL_PSCHEDULE_BCAST:
    case COLL_PSCHEDULE_REDUCE:
    case COLL_PSCHEDULE_ALLREDUCE:
    case COLL_PSCHEDULE_SCAN:
    case COLL_PSCHEDULE_EXSCAN:
        break;
    default:
        return false; /* of one pair of ranks */
    }
    *bytes = bytes_of(side->count, side->datatype);
    return true;
}

/* ---- results ---- */

/* Integers that overflow wrap in any order, too. Those of 8 and 16 bits do not: op/avx adds vectors
 * of them with saturation, and what is left over without, and which are left over depends on how a
 * buffer is cut. */
static bool saturates(MPI_Op op, MPI_Datatype datatype)
{
    return MPI_SUM == op && datatype->super.size < 4;
}

static bool is_integer(MPI_Datatype datatype)
{
    return ompi_datatype_is_predefined(datatype)
           && OMPI_DATATYPE_FLAG_DATA_INT
                  == (datatype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE);
}

bool mca_coll_pschedule_asked_is_exact(const asked_t *asked)
{
    const mca_coll_pschedule_call_t *call = &asked->call;

    return !mca_coll_pschedule_shapes[call->collective].reduces
           || (ompi_op_is_intrinsic(call->op) && is_integer(call->send.datatype)
               && !saturates(call->op, call->send.datatype));
}

/* ---- datatypes ---- */

static bool is_looked_at(const asked_t *asked, const lists_t *lists, const side_t *side)
{
    if (COLL_PSCHEDULE_BCAST == asked->call.collective) {
        return &asked->send == lists; /* the one buffer, on all ranks */
    }
    return MPI_IN_PLACE != side->buffer && 0 != lists->blocks;
}

static size_t list_datatypes(const lists_t *lists, const side_t *side, MPI_Datatype *list)
{
    size_t count = NULL == side->datatype_list ? 1 : (size_t) lists->blocks;

    for (size_t i = 0; NULL != list && i < count; ++i) {
        list[i] = NULL == side->datatype_list ? side->datatype : side->datatype_list[i];
    }
    return count;
}

size_t mca_coll_pschedule_asked_datatypes(const asked_t *asked, MPI_Datatype *list)
{
    const mca_coll_pschedule_call_t *call = &asked->call;
    size_t count = 0;

    if (mca_coll_pschedule_shapes[call->collective].reduces) {
        return 0;
    }
    if (is_looked_at(asked, &asked->send, &call->send)) {
        count += list_datatypes(&asked->send, &call->send, list);
    }
    if (is_looked_at(asked, &asked->recv, &call->recv)) {
        count += list_datatypes(&asked->recv, &call->recv, NULL == list ? NULL : list + count);
    }
    return count;
}
