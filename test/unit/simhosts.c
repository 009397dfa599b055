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
    hosts->processors = 1 == hosts->count ? 1 : 0; /* for rows that want few */
    free(number);
}

void sim_tell_relay(sim_rank_t *rank)
{
    const sim_world_t *world = rank->world;
    const mca_coll_pschedule_hosts_t *hosts = &world->hosts;
    uint32_t ranks = world->params.ranks, host = hosts->host[rank->problem.rank];
    uint32_t on = mca_coll_pschedule_hosts_on(hosts, host);
    mca_coll_pschedule_cut_t *cut = calloc(2 * (size_t) on * ranks, sizeof(*cut));

    if (NULL == cut) {
        abort();
    }
    for (uint32_t i = 0; i < on; ++i) {
        const sim_rank_t *other = &world->rank[mca_coll_pschedule_hosts_rank(hosts, host, i)];

        for (uint32_t k = 0; k < ranks; ++k) {
            cut[2 * i * ranks + k] = other->send[k].cut;
            cut[(2 * i + 1) * ranks + k] = other->contribution[k];
        }
    }
    rank->problem.relay_cuts = cut;
}

bool sim_allows(const sim_params_t *params)
{
    mca_coll_pschedule_hosts_t hosts;
    mca_coll_pschedule_problem_t problem = {.collective = params->collective,
                                            .size = (int32_t) params->ranks,
                                            .hosts = &hosts,
                                            .ordered = 0 != params->ordered,
                                            .uniform = 0 == params->uneven,
                                            .one_host = sim_shares(params),
                                            .shares = sim_shares(params),
                                            .common_in_place = 0 != params->in_place};
    bool allows;

    sim_hosts(params, &hosts);
    allows = mca_coll_pschedule_allows(params->row, &problem);
    mca_coll_pschedule_hosts_free(&hosts);
    return allows && (0 == params->in_place || sim_in_place(params->collective))
           && (0 == params->ordered || sim_reduces(params->collective));
}

void sim_draw_hosts(sim_params_t *params, unit_random_t *random)
{
    uint32_t limits = params->row->limits;
    bool needed = 0 != (limits & (COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_CROWDED));
    uint32_t least = 0 != (limits & COLL_PSCHEDULE_NESTED) ? 2 : 1;

    params->hosts = sim_shares(params) ? 1 : 0;
    params->placement = SIM_BLOCK;
    if (!sim_shares(params) && (needed || 0 == unit_below(random, 2))) {
        params->hosts = needed && params->ranks > 2
                            ? least + unit_below(random, params->ranks - least)
                            : 1 + unit_below(random, params->ranks);
        params->placement = unit_below(random, SIM_PLACEMENTS);
    }
}
