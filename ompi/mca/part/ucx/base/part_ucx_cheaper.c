/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cheaper one of two ways (see part_ucx_cheaper.h).
 */
#include "base/part_ucx_cheaper.h"

#include <stdbool.h>

/* The first steps of one way after the other pay for what that has left behind. */
#define UNSETTLED 16u

/* Steps of a try. */
#define TRY (2 * UNSETTLED)

/* Steps between tries: the more, the longer nothing has changed. */
#define WAIT_LEAST 128u
#define WAIT_MOST  8192u

/* A step that was interrupted says little: count no more than this times what is usual. */
#define MOST_TIMES 4u
#define COST_MOST  (UINT32_MAX / 4)

/* By so much that it is worth a change. */
static bool is_dearer(const mca_part_ucx_cheaper_t *cheaper)
{
    uint32_t than = cheaper->cost[!cheaper->way];

    return 0 != than && cheaper->cost[cheaper->way] > than + than / 8;
}

static void change(mca_part_ucx_cheaper_t *cheaper)
{
    cheaper->way = !cheaper->way;
    cheaper->wait = WAIT_LEAST;
    cheaper->left = cheaper->wait;
}

static void end_try(mca_part_ucx_cheaper_t *cheaper)
{
    cheaper->trying = 0;
    if (is_dearer(cheaper)) {
        change(cheaper);
    } else {
        cheaper->wait = cheaper->wait < WAIT_MOST / 2 ? 2 * cheaper->wait : WAIT_MOST;
        cheaper->left = cheaper->wait;
    }
}

static void begin_try(mca_part_ucx_cheaper_t *cheaper)
{
    cheaper->trying = 1;
    cheaper->left = TRY;
    cheaper->cost[!cheaper->way] = 0;
}

uint32_t mca_part_ucx_cheaper_next(mca_part_ucx_cheaper_t *cheaper)
{
    if (0 == cheaper->wait) {
        cheaper->wait = WAIT_LEAST / 2; /* the beginning: learn what both cost */
        cheaper->left = TRY;
    } else if (0 == cheaper->left && 0 != cheaper->trying) {
        end_try(cheaper);
    } else if (0 == cheaper->left) {
        begin_try(cheaper);
    } else if (0 == cheaper->trying && is_dearer(cheaper)) {
        change(cheaper); /* the processes have moved apart, or together */
    }
    --cheaper->left;
    return 0 != cheaper->trying ? !cheaper->way : cheaper->way;
}

void mca_part_ucx_cheaper_note(mca_part_ucx_cheaper_t *cheaper, uint32_t way, uint64_t bytes,
                               uint64_t ns)
{
    uint64_t now = (ns << 20) / bytes + 1;
    uint64_t usual = 0 != cheaper->cost[way] ? cheaper->cost[way] : cheaper->cost[!way];

    cheaper->run = way == cheaper->last ? cheaper->run + 1 : 0;
    cheaper->last = way;
    if (cheaper->run < UNSETTLED) {
        return;
    }
    if (0 != usual && MOST_TIMES * usual < now) {
        now = MOST_TIMES * usual;
    }
    usual = 0 != cheaper->cost[way] ? (7 * usual + now) / 8 : now;
    cheaper->cost[way] = usual < COST_MOST ? (uint32_t) usual : COST_MOST;
}
