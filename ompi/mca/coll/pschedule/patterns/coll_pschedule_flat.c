/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks as hosts (see coll_pschedule_flat.h).
 */
#include "patterns/coll_pschedule_flat.h"

#include "patterns/coll_pschedule_order.h"
#include "patterns/coll_pschedule_tree.h"

#include <stdlib.h>

static void number_ranks(mca_coll_pschedule_hosts_t *hosts,
                         const mca_coll_pschedule_problem_t *problem,
                         mca_coll_pschedule_order_t order)
{
    for (uint32_t i = 0; i < hosts->count; ++i) {
        int32_t rank = (int32_t) i;
        uint32_t host = COLL_PSCHEDULE_ORDER_RING == order
                            ? mca_coll_pschedule_ring_index(problem, rank)
                            : mca_coll_pschedule_position(problem, rank, problem->root);

        hosts->host[i] = host;
        hosts->rank[host] = rank;
        hosts->first[i + 1] = i + 1;
    }
}

void mca_coll_pschedule_build_flat(
    mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem,
    mca_coll_pschedule_order_t order,
    void (*build)(mca_coll_pschedule_plan_t *plan, const mca_coll_pschedule_problem_t *problem))
{
    size_t size = (size_t) problem->size;
    uint32_t *number = calloc(3 * size + 1, sizeof(*number));
    int32_t *rank = malloc(size * sizeof(*rank));
    mca_coll_pschedule_problem_t flat = *problem;
    mca_coll_pschedule_hosts_t hosts = {.count = (uint32_t) size,
                                        .fewest = 1,
                                        .most = 1,
                                        .contiguous = true,
                                        .host = number,
                                        .ring = number,
                                        .rank = rank};

    if (NULL == number || NULL == rank) {
        plan->fault = mca_coll_pschedule_no_memory;
    } else {
        hosts.first = number + size;
        hosts.index = number + 2 * size + 1; /* all 0 */
        number_ranks(&hosts, problem, order);
        flat.hosts = &hosts;
        build(plan, &flat);
    }
    free(number);
    free(rank);
}
