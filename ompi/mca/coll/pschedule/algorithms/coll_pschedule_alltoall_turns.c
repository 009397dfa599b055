/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Alltoall in turns: every block goes straight to its receiver. Of the ranks of other hosts, a rank
 * sends to one at a time, and receives from one at a time. So no receiver's links are shared by two
 * senders, one of which then holds up whom it serves next. That costs three small messages for each
 * block; it is for large ones.
 *
 * That no rank waits for another for ever is argued in coll_pschedule_turns.h.
 */
#include "algorithms/coll_pschedule_algorithms.h"
#include "patterns/coll_pschedule_turns.h"

const mca_coll_pschedule_algorithm_t mca_coll_pschedule_alltoall_turns = {
    .collective = COLL_PSCHEDULE_ALLTOALL,
    .last = COLL_PSCHEDULE_ALLTOALLW,
    .name = "turns",
    .description = "all blocks go straight to their receivers, to and from one at a time; for much "
                   "data",
    .memory = "none",
    .limits = 0,
    .build = mca_coll_pschedule_turns_build,
    .cost = mca_coll_pschedule_turns_cost};
