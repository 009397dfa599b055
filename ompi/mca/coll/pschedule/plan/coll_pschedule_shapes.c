/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The shapes of the 21 collectives (see coll_pschedule_shapes.h).
 */
#include "plan/coll_pschedule_shapes.h"

#include "plan/coll_pschedule_each.h"

#define NAME(collective, name, type) [COLL_PSCHEDULE_##collective] = #name,
const char *const mca_coll_pschedule_names[COLL_PSCHEDULE_COLLECTIVES] = {
    COLL_PSCHEDULE_EACH(NAME)};
#undef NAME

/* What each rank contributes: form, blocks, and who; what it gets: likewise. Where MPI_IN_PLACE may
 * stand; the exchange of cuts. */
#define SHAPE(collective, form, blocks, who, r_form, r_blocks, r_who, place, exchange, ...) \
    [COLL_PSCHEDULE_##collective] = {                                                       \
        .send_form = COLL_PSCHEDULE_FORM_##form,                                            \
        .send_blocks = COLL_PSCHEDULE_##blocks,                                             \
        .senders = COLL_PSCHEDULE_##who,                                                    \
        .recv_form = COLL_PSCHEDULE_FORM_##r_form,                                          \
        .recv_blocks = COLL_PSCHEDULE_##r_blocks,                                           \
        .receivers = COLL_PSCHEDULE_##r_who,                                                \
        .in_place = COLL_PSCHEDULE_##place,                                                 \
        .cuts = COLL_PSCHEDULE_CUTS_##exchange,                                             \
        .rooted = COLL_PSCHEDULE_ALL != COLL_PSCHEDULE_##who                                \
                  || COLL_PSCHEDULE_ALL != COLL_PSCHEDULE_##r_who,                          \
        .neighbors = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS == COLL_PSCHEDULE_CUTS_##exchange,    \
        __VA_ARGS__},
#define MOVE(...) SHAPE(__VA_ARGS__, .reduces = false)
#define REDUCTION(collective, form, blocks, r_who, place)                                 \
    SHAPE(collective, form, blocks, ALL, EVEN, ONE, r_who, place, KNOWN, .reduces = true)
#define NEIGHBOR(name, form, blocks, r_form)                                                 \
    MOVE(NEIGHBOR_##name, form, blocks, ALL, r_form, PER_SOURCE, ALL, NOWHERE, TO_NEIGHBORS)

const mca_coll_pschedule_shape_t mca_coll_pschedule_shapes[COLL_PSCHEDULE_COLLECTIVES] = {
    MOVE(BCAST, EVEN, ONE, ROOT, EVEN, ONE, NOT_ROOT, NOWHERE, KNOWN)
    MOVE(GATHER, EVEN, ONE, ALL, EVEN, PER_RANK, ROOT, FOR_SEND_AT_ROOT, TO_ALL)
    MOVE(GATHERV, EVEN, ONE, ALL, SPREAD, PER_RANK, ROOT, FOR_SEND_AT_ROOT, TO_ALL)
    MOVE(SCATTER, EVEN, PER_RANK, ROOT, EVEN, ONE, ALL, FOR_RECV_AT_ROOT, FROM_ROOT)
    MOVE(SCATTERV, SPREAD, PER_RANK, ROOT, EVEN, ONE, ALL, FOR_RECV_AT_ROOT, FROM_ROOT)
    MOVE(ALLGATHER, EVEN, ONE, ALL, EVEN, PER_RANK, ALL, FOR_SEND, TO_ALL)
    MOVE(ALLGATHERV, EVEN, ONE, ALL, SPREAD, PER_RANK, ALL, FOR_SEND, TO_ALL)
    MOVE(ALLTOALL, EVEN, PER_RANK, ALL, EVEN, PER_RANK, ALL, NOWHERE, TO_ALL)
    MOVE(ALLTOALLV, SPREAD, PER_RANK, ALL, SPREAD, PER_RANK, ALL, NOWHERE, TO_EACH)
    MOVE(ALLTOALLW, TYPED, PER_RANK, ALL, TYPED, PER_RANK, ALL, NOWHERE, TO_EACH)
    REDUCTION(REDUCE, EVEN, ONE, ROOT, FOR_SEND_AT_ROOT)
    REDUCTION(ALLREDUCE, EVEN, ONE, ALL, FOR_SEND)
    REDUCTION(REDUCE_SCATTER_BLOCK, EVEN, PER_RANK, ALL, FOR_SEND)
    REDUCTION(REDUCE_SCATTER, STACKED, PER_RANK, ALL, FOR_SEND)
    REDUCTION(SCAN, EVEN, ONE, ALL, FOR_SEND)
    REDUCTION(EXSCAN, EVEN, ONE, ALL, FOR_SEND)
    NEIGHBOR(ALLGATHER, EVEN, ONE, EVEN)
    NEIGHBOR(ALLGATHERV, EVEN, ONE, SPREAD)
    NEIGHBOR(ALLTOALL, EVEN, PER_DESTINATION, EVEN)
    NEIGHBOR(ALLTOALLV, SPREAD, PER_DESTINATION, SPREAD)
    NEIGHBOR(ALLTOALLW, TYPED, PER_DESTINATION, TYPED)
};
