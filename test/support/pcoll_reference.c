/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the blocking collectives of MPI make of the same contributions. Reductions of MPI's own
 * datatypes work on the buffers of the test. All others work on the streams of bytes that MPI_Pack
 * would give, because Open MPI (5.0.7) may choose different algorithms on ranks whose datatypes
 * differ, and hang; and because some of its reductions damage the heap when a datatype has gaps.
 */

#include "pcoll_internal.h"

#include <stdlib.h>
#include <string.h>

/* A buffer of bytes, one block after another. */
typedef struct {
    unsigned char *bytes;
    int blocks;
    int *counts;
    int *displs;
} stream_t;

static stream_t make_stream(const pc_part_t *parts, int count, const int *cuts, int blocks,
                            unsigned char gap)
{
    stream_t stream = {.blocks = blocks};
    size_t total = 0;
    int part = 0;

    for (int p = 0; p < count; p++) {
        total += parts[p].bytes;
    }
    stream.bytes = mt_alloc(total);
    memset(stream.bytes, gap, total); /* where nothing comes */
    stream.counts = mt_alloc((size_t) blocks * sizeof(int));
    stream.displs = mt_alloc((size_t) blocks * sizeof(int));
    for (int b = 0, at = 0; b < blocks; b++) {
        stream.counts[b] = 0;
        stream.displs[b] = at;
        for (int p = 0; p < cuts[b]; p++, part++) {
            stream.counts[b] += (int) parts[part].bytes;
        }
        at += stream.counts[b];
    }
    return stream;
}

static void free_stream(stream_t *stream)
{
    free(stream->bytes);
    free(stream->counts);
    free(stream->displs);
}

/* In place, the contribution is one block that has no side of its own. */
static stream_t given(const pc_t *pc, int version)
{
    const int *cuts = pc->send.blocks > 0 ? pc->send.cuts : &pc->gives;
    stream_t stream = make_stream(pc->give, pc->gives, cuts,
                                  pc->send.blocks > 0 || 0 == pc->gives ? pc->send.blocks : 1,
                                  pc->send.gap);

    for (int p = 0; p < pc->gives; p++) {
        pc_stream(pc, &pc->give[p], version, stream.bytes + pc->give[p].offset);
    }
    return stream;
}

static int count_of(const stream_t *stream)
{
    return stream->blocks > 0 ? stream->counts[0] : 0;
}

static int move(const pc_t *pc, stream_t *s, stream_t *r)
{
    const MPI_Datatype byte = MPI_BYTE;
    bool in_place = 0 == r->blocks; /* of a root that scatters */
    MPI_Comm comm = pc->spec.comm;
    int root = pc->spec.root;

    switch (pc->spec.kind) {
    case PC_BCAST:
        return pc->rank == root ? MPI_Bcast(s->bytes, count_of(s), byte, root, comm)
                                : MPI_Bcast(r->bytes, count_of(r), byte, root, comm);
    case PC_GATHER:
    case PC_GATHERV:
        return MPI_Gatherv(s->bytes, count_of(s), byte, r->bytes, r->counts, r->displs, byte, root,
                           comm);
    case PC_SCATTER:
    case PC_SCATTERV:
        return MPI_Scatterv(s->bytes, s->counts, s->displs, byte,
                            in_place ? MPI_IN_PLACE : r->bytes, count_of(r), byte, root, comm);
    case PC_ALLGATHER:
    case PC_ALLGATHERV:
        return MPI_Allgatherv(s->bytes, count_of(s), byte, r->bytes, r->counts, r->displs, byte,
                              comm);
    case PC_ALLTOALL:
    case PC_ALLTOALLV:
    case PC_ALLTOALLW:
        return MPI_Alltoallv(s->bytes, s->counts, s->displs, byte, r->bytes, r->counts, r->displs,
                             byte, comm);
    case PC_NEIGHBOR_ALLGATHER:
    case PC_NEIGHBOR_ALLGATHERV:
        return MPI_Neighbor_allgatherv(s->bytes, count_of(s), byte, r->bytes, r->counts, r->displs,
                                       byte, comm);
    default:
        return MPI_Neighbor_alltoallv(s->bytes, s->counts, s->displs, byte, r->bytes, r->counts,
                                      r->displs, byte, comm);
    }
}

static void movement(const pc_t *pc, int version, unsigned char *result)
{
    stream_t send = given(pc, version);
    stream_t recv = make_stream(pc->take, pc->takes, pc->recv.cuts, pc->recv.blocks, pc->recv.gap);

    mt_success(move(pc, &send, &recv), "the blocking collective");
    memcpy(result, recv.bytes, pc->take_bytes);
    free_stream(&send);
    free_stream(&recv);
}

/* Elements in a block of a reduction. */
static int block_of(const pc_side_t *side, int block)
{
    return side->cuts[block] * (int) side->counts[block];
}

static int reduce(const pc_t *pc, MPI_Datatype type, const void *from, void *to)
{
    const pc_side_t *side = pc->send.blocks > 0 ? &pc->send : &pc->recv;
    MPI_Op op = pc_op(pc->spec.op);
    MPI_Comm comm = pc->spec.comm;
    int count = block_of(side, 0);
    int counts[128];

    for (int b = 0; b < side->blocks; b++) {
        counts[b] = block_of(side, b);
    }
    switch (pc->spec.kind) {
    case PC_REDUCE:
        return MPI_Reduce(from, to, count, type, op, pc->spec.root, comm);
    case PC_ALLREDUCE:
        return MPI_Allreduce(from, to, count, type, op, comm);
    case PC_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(from, to, count, type, op, comm);
    case PC_REDUCE_SCATTER:
        return MPI_Reduce_scatter(from, to, counts, type, op, comm);
    case PC_SCAN:
        return MPI_Scan(from, to, count, type, op, comm);
    default:
        return MPI_Exscan(from, to, count, type, op, comm);
    }
}

/* Pairs without gaps; the operators are the same. */
static void reduction_of_pairs(const pc_t *pc, int version, unsigned char *result)
{
    stream_t send = given(pc, version);

    mt_success(reduce(pc, pc_number(PC_NUMBER_PAIR), send.bytes, result),
               "the blocking collective");
    free_stream(&send);
}

static void reduction(pc_t *pc, int version, unsigned char *result)
{
    bool in_place = 0 == pc->send.blocks;
    MPI_Datatype type = pc_number(pc->spec.number);

    pc_wipe(pc, version);
    for (int p = 0; p < pc->gives; p++) {
        pc_fill(pc, p);
    }
    mt_success(reduce(pc, type, in_place ? MPI_IN_PLACE : pc->send.origin, pc->recv.origin),
               "the blocking collective");
    for (int p = 0; p < pc->takes; p++) {
        pc_pack(&pc->take[p], result + pc->take[p].offset);
    }
}

void pc_reference(pc_t *pc, int version, unsigned char *result)
{
    if (pc->trait->reduces && pc->spec.number >= PC_NUMBER_PAIR) {
        reduction_of_pairs(pc, version, result);
    } else if (pc->trait->reduces) {
        reduction(pc, version, result);
    } else {
        movement(pc, version, result);
    }
}
