/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The shapes of the 21 collectives (see coll_pschedule_shapes.h). What is not said is the first
 * value of its enumeration: even, one block, all ranks, MPI_IN_PLACE nowhere, cuts known.
 */
#include "plan/coll_pschedule_shapes.h"

#include "plan/coll_pschedule_each.h"

#define NAME(collective, name, type) [COLL_PSCHEDULE_##collective] = #name,
const char *const mca_coll_pschedule_names[COLL_PSCHEDULE_COLLECTIVES] = {
    COLL_PSCHEDULE_EACH(NAME)};
#undef NAME

const mca_coll_pschedule_shape_t mca_coll_pschedule_shapes[COLL_PSCHEDULE_COLLECTIVES] = {
    [COLL_PSCHEDULE_BCAST] = {
        .senders = COLL_PSCHEDULE_ROOT, .receivers = COLL_PSCHEDULE_NOT_ROOT, .rooted = true
    },
    [COLL_PSCHEDULE_GATHER] = {
        .recv_blocks = COLL_PSCHEDULE_PER_RANK, .receivers = COLL_PSCHEDULE_ROOT,
        .in_place = COLL_PSCHEDULE_FOR_SEND_AT_ROOT, .cuts = COLL_PSCHEDULE_CUTS_TO_ALL,
        .rooted = true
    },
    [COLL_PSCHEDULE_GATHERV] = {
        .recv_form = COLL_PSCHEDULE_FORM_SPREAD, .recv_blocks = COLL_PSCHEDULE_PER_RANK,
        .receivers = COLL_PSCHEDULE_ROOT, .in_place = COLL_PSCHEDULE_FOR_SEND_AT_ROOT,
        .cuts = COLL_PSCHEDULE_CUTS_TO_ALL, .rooted = true
    },
    [COLL_PSCHEDULE_SCATTER] = {
        .send_blocks = COLL_PSCHEDULE_PER_RANK, .senders = COLL_PSCHEDULE_ROOT,
        .in_place = COLL_PSCHEDULE_FOR_RECV_AT_ROOT, .cuts = COLL_PSCHEDULE_CUTS_FROM_ROOT,
        .rooted = true
    },
    [COLL_PSCHEDULE_SCATTERV] = {
        .send_form = COLL_PSCHEDULE_FORM_SPREAD, .send_blocks = COLL_PSCHEDULE_PER_RANK,
        .senders = COLL_PSCHEDULE_ROOT, .in_place = COLL_PSCHEDULE_FOR_RECV_AT_ROOT,
        .cuts = COLL_PSCHEDULE_CUTS_FROM_ROOT, .rooted = true
    },
    [COLL_PSCHEDULE_ALLGATHER] = {
        .recv_blocks = COLL_PSCHEDULE_PER_RANK, .in_place = COLL_PSCHEDULE_FOR_SEND,
        .cuts = COLL_PSCHEDULE_CUTS_TO_ALL
    },
    [COLL_PSCHEDULE_ALLGATHERV] = {
        .recv_form = COLL_PSCHEDULE_FORM_SPREAD, .recv_blocks = COLL_PSCHEDULE_PER_RANK,
        .in_place = COLL_PSCHEDULE_FOR_SEND, .cuts = COLL_PSCHEDULE_CUTS_TO_ALL
    },
    [COLL_PSCHEDULE_ALLTOALL] = {
        .send_blocks = COLL_PSCHEDULE_PER_RANK, .recv_blocks = COLL_PSCHEDULE_PER_RANK,
        .cuts = COLL_PSCHEDULE_CUTS_TO_ALL
    },
    [COLL_PSCHEDULE_ALLTOALLV] = {
        .send_form = COLL_PSCHEDULE_FORM_SPREAD, .send_blocks = COLL_PSCHEDULE_PER_RANK,
        .recv_form = COLL_PSCHEDULE_FORM_SPREAD, .recv_blocks = COLL_PSCHEDULE_PER_RANK,
        .cuts = COLL_PSCHEDULE_CUTS_TO_EACH
    },
    [COLL_PSCHEDULE_ALLTOALLW] = {
        .send_form = COLL_PSCHEDULE_FORM_TYPED, .send_blocks = COLL_PSCHEDULE_PER_RANK,
        .recv_form = COLL_PSCHEDULE_FORM_TYPED, .recv_blocks = COLL_PSCHEDULE_PER_RANK,
        .cuts = COLL_PSCHEDULE_CUTS_TO_EACH
    },
    [COLL_PSCHEDULE_REDUCE] = {
        .receivers = COLL_PSCHEDULE_ROOT, .in_place = COLL_PSCHEDULE_FOR_SEND_AT_ROOT,
        .rooted = true, .reduces = true
    },
    [COLL_PSCHEDULE_ALLREDUCE] = {
        .in_place = COLL_PSCHEDULE_FOR_SEND, .reduces = true
    },
    [COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK] = {
        .send_blocks = COLL_PSCHEDULE_PER_RANK, .in_place = COLL_PSCHEDULE_FOR_SEND, .reduces = true
    },
    [COLL_PSCHEDULE_REDUCE_SCATTER] = {
        .send_form = COLL_PSCHEDULE_FORM_STACKED, .send_blocks = COLL_PSCHEDULE_PER_RANK,
        .in_place = COLL_PSCHEDULE_FOR_SEND, .reduces = true
    },
    [COLL_PSCHEDULE_SCAN] = {
        .in_place = COLL_PSCHEDULE_FOR_SEND, .reduces = true
    },
    [COLL_PSCHEDULE_EXSCAN] = {
        .in_place = COLL_PSCHEDULE_FOR_SEND, .reduces = true
    },
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHER] = {
        .recv_blocks = COLL_PSCHEDULE_PER_SOURCE, .cuts = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS,
        .neighbors = true
    },
    [COLL_PSCHEDULE_NEIGHBOR_ALLGATHERV] = {
        .recv_form = COLL_PSCHEDULE_FORM_SPREAD, .recv_blocks = COLL_PSCHEDULE_PER_SOURCE,
        .cuts = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS, .neighbors = true
    },
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALL] = {
        .send_blocks = COLL_PSCHEDULE_PER_DESTINATION, .recv_blocks = COLL_PSCHEDULE_PER_SOURCE,
        .cuts = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS, .neighbors = true
    },
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLV] = {
        .send_form = COLL_PSCHEDULE_FORM_SPREAD, .send_blocks = COLL_PSCHEDULE_PER_DESTINATION,
        .recv_form = COLL_PSCHEDULE_FORM_SPREAD, .recv_blocks = COLL_PSCHEDULE_PER_SOURCE,
        .cuts = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS, .neighbors = true
    },
    [COLL_PSCHEDULE_NEIGHBOR_ALLTOALLW] = {
        .send_form = COLL_PSCHEDULE_FORM_TYPED, .send_blocks = COLL_PSCHEDULE_PER_DESTINATION,
        .recv_form = COLL_PSCHEDULE_FORM_TYPED, .recv_blocks = COLL_PSCHEDULE_PER_SOURCE,
        .cuts = COLL_PSCHEDULE_CUTS_TO_NEIGHBORS, .neighbors = true
    }};
