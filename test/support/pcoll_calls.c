/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls: MPIX_P<kind>_init of a pc_t.
 */

#include "pcoll_internal.h"

#include <mpix_partitioned.h>

/* Arguments of one block: zeros where MPI does not look. */
typedef struct {
    const void *buffer;
    int cut;
    MPI_Count count;
    MPI_Datatype type;
} even_t;

static even_t even_side(const pc_side_t *side, bool in_place)
{
    if (0 == side->blocks) {
        return (even_t){.buffer = in_place ? MPI_IN_PLACE : NULL, .type = MPI_DATATYPE_NULL};
    }
    return (even_t){side->origin, side->cuts[0], side->counts[0], side->types[0]};
}

static bool in_place_here(const pc_t *pc)
{
    return pc->spec.in_place && pc->trait->in_place
           && (!pc->trait->rooted || pc->rank == pc->spec.root);
}

static int init_movement(pc_t *pc, MPI_Request *request)
{
    bool in_place = in_place_here(pc);
    const pc_side_t *s = &pc->send;
    const pc_side_t *r = &pc->recv;
    even_t send = even_side(s, in_place);
    even_t recv = even_side(r, in_place);
    void *to = (void *) recv.buffer;
    MPI_Comm comm = pc->spec.comm;
    int root = pc->spec.root;

    switch (pc->spec.kind) {
    case PC_BCAST:
        if (pc->rank == root) {
            recv = send;
        }
        return MPIX_Pbcast_init((void *) recv.buffer, recv.cut, recv.count, recv.type, root, comm,
                                MPI_INFO_NULL, request);
    case PC_GATHER:
        return MPIX_Pgather_init(send.buffer, send.cut, send.count, send.type, to, recv.cut,
                                 recv.count, recv.type, root, comm, MPI_INFO_NULL, request);
    case PC_GATHERV:
        return MPIX_Pgatherv_init(send.buffer, send.cut, send.count, send.type, to, r->cuts,
                                  r->counts, r->displs, recv.type, root, comm, MPI_INFO_NULL,
                                  request);
    case PC_SCATTER:
        return MPIX_Pscatter_init(send.buffer, send.cut, send.count, send.type, to, recv.cut,
                                  recv.count, recv.type, root, comm, MPI_INFO_NULL, request);
    case PC_SCATTERV:
        return MPIX_Pscatterv_init(send.buffer, s->cuts, s->counts, s->displs, send.type, to,
                                   recv.cut, recv.count, recv.type, root, comm, MPI_INFO_NULL,
                                   request);
    case PC_ALLGATHER:
        return MPIX_Pallgather_init(send.buffer, send.cut, send.count, send.type, to, recv.cut,
                                    recv.count, recv.type, comm, MPI_INFO_NULL, request);
    case PC_ALLGATHERV:
        return MPIX_Pallgatherv_init(send.buffer, send.cut, send.count, send.type, to, r->cuts,
                                     r->counts, r->displs, recv.type, comm, MPI_INFO_NULL,
                                     request);
    case PC_ALLTOALL:
        return MPIX_Palltoall_init(send.buffer, send.cut, send.count, send.type, to, recv.cut,
                                   recv.count, recv.type, comm, MPI_INFO_NULL, request);
    case PC_ALLTOALLV:
        return MPIX_Palltoallv_init(send.buffer, s->cuts, s->counts, s->displs, send.type, to,
                                    r->cuts, r->counts, r->displs, recv.type, comm, MPI_INFO_NULL,
                                    request);
    default:
        return MPIX_Palltoallw_init(send.buffer, s->cuts, s->counts, s->displs, s->types, to,
                                    r->cuts, r->counts, r->displs, r->types, comm, MPI_INFO_NULL,
                                    request);
    }
}

static int init_neighbors(pc_t *pc, MPI_Request *request)
{
    const pc_side_t *s = &pc->send;
    const pc_side_t *r = &pc->recv;
    even_t send = even_side(s, false);
    even_t recv = even_side(r, false);
    void *to = (void *) recv.buffer;
    MPI_Comm comm = pc->spec.comm;

    /* Without neighbours the numbers must still be numbers. */
    send.cut = 0 == send.cut ? 1 : send.cut;
    recv.cut = 0 == recv.cut ? 1 : recv.cut;
    send.type = MPI_DATATYPE_NULL == send.type ? MPI_INT : send.type;
    recv.type = MPI_DATATYPE_NULL == recv.type ? MPI_INT : recv.type;
    switch (pc->spec.kind) {
    case PC_NEIGHBOR_ALLGATHER:
        return MPIX_Pneighbor_allgather_init(send.buffer, send.cut, send.count, send.type, to,
                                             recv.cut, recv.count, recv.type, comm, MPI_INFO_NULL,
                                             request);
    case PC_NEIGHBOR_ALLGATHERV:
        return MPIX_Pneighbor_allgatherv_init(send.buffer, send.cut, send.count, send.type, to,
                                              r->cuts, r->counts, r->displs, recv.type, comm,
                                              MPI_INFO_NULL, request);
    case PC_NEIGHBOR_ALLTOALL:
        return MPIX_Pneighbor_alltoall_init(send.buffer, send.cut, send.count, send.type, to,
                                            recv.cut, recv.count, recv.type, comm, MPI_INFO_NULL,
                                            request);
    case PC_NEIGHBOR_ALLTOALLV:
        return MPIX_Pneighbor_alltoallv_init(send.buffer, s->cuts, s->counts, s->displs, send.type,
                                             to, r->cuts, r->counts, r->displs, recv.type, comm,
                                             MPI_INFO_NULL, request);
    default:
        return MPIX_Pneighbor_alltoallw_init(send.buffer, s->cuts, s->counts, s->displs, s->types,
                                             to, r->cuts, r->counts, r->displs, r->types, comm,
                                             MPI_INFO_NULL, request);
    }
}

/* The cut of a reduction, also where this rank has only one of the buffers. */
static even_t reduction_cut(const pc_t *pc)
{
    return even_side(pc->send.blocks > 0 ? &pc->send : &pc->recv, false);
}

static int init_reduction(pc_t *pc, MPI_Request *request)
{
    even_t cut = reduction_cut(pc);
    const pc_side_t *blocks = pc->send.blocks > 0 ? &pc->send : &pc->recv;
    const void *from = even_side(&pc->send, in_place_here(pc)).buffer;
    void *to = (void *) even_side(&pc->recv, false).buffer;
    MPI_Op op = pc_op(pc->spec.op);
    MPI_Comm comm = pc->spec.comm;

    switch (pc->spec.kind) {
    case PC_REDUCE:
        return MPIX_Preduce_init(from, to, cut.cut, cut.count, cut.type, op, pc->spec.root, comm,
                                 MPI_INFO_NULL, request);
    case PC_ALLREDUCE:
        return MPIX_Pallreduce_init(from, to, cut.cut, cut.count, cut.type, op, comm,
                                    MPI_INFO_NULL, request);
    case PC_REDUCE_SCATTER_BLOCK:
        return MPIX_Preduce_scatter_block_init(from, to, cut.cut, cut.count, cut.type, op, comm,
                                               MPI_INFO_NULL, request);
    case PC_REDUCE_SCATTER:
        return MPIX_Preduce_scatter_init(from, to, blocks->cuts, blocks->counts, cut.type, op,
                                         comm, MPI_INFO_NULL, request);
    case PC_SCAN:
        return MPIX_Pscan_init(from, to, cut.cut, cut.count, cut.type, op, comm, MPI_INFO_NULL,
                               request);
    default:
        return MPIX_Pexscan_init(from, to, cut.cut, cut.count, cut.type, op, comm, MPI_INFO_NULL,
                                 request);
    }
}

int pc_init(pc_t *pc, MPI_Request *request)
{
    if (pc_is_persistent()) {
        return pc_init_persistent(pc, request);
    }
    if (pc->trait->neighbors) {
        return init_neighbors(pc, request);
    }
    return pc->trait->reduces ? init_reduction(pc, request) : init_movement(pc, request);
}
