/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which made-up hosts the ranks are on (see simulator.h).
 */
#include "simulator.h"

#include <stdlib.h>

bool sim_shares(const sim_params_t *params)
{
    return 0 != (params->row->limits & COLL_PSCHEDULE_SHARES);
}

/* Hosts may be empty: then there are fewer. */
static uint64_t host_of(const sim_params_t *params, uint32_t rank, unit_random_t *random)
{
    uint32_t hosts = params->hosts;

    switch (params->placement) {
    case SIM_BLOCK:
        return (uint64_t) rank * hosts / params->ranks;
    case SIM_ROUND_ROBIN:
        return rank % hosts;
    case SIM_RANDOM:
        return unit_below(random, hosts);
    default: /* SIM_UNEVEN: the first rank alone, the others in growing blocks */
        return 0 == rank ? 0 : 1 + (uint64_t) (rank - 1) * (rank - 1) * (hosts - 1)
                                       / ((uint64_t) params->ranks * params->ranks);
    }
}

void sim_hosts(const sim_params_t *params, mca_coll_pschedule_hosts_t *hosts)
{
    uint64_t *number = calloc(params->ranks, sizeof(*number));
    unit_random_t random = params->seed * 2 + 1;

    for (uint32_t i = 0; NULL != number && i < params->ranks; ++i) {
        number[i] = 0 == params->hosts ? i : host_of(params, i, &random);
    }
    if (NULL == number || !mca_coll_pschedule_hosts_make(hosts, number, params->ranks)) {
        abort();
    }
    free(number);
}
