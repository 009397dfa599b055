/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithm a call gets (see coll_pschedule_choice.h).
 */
#include "coll_pschedule_choice.h"

#include "coll_pschedule.h"
#include "call/coll_pschedule_help.h"
#include "plan/coll_pschedule_mix.h"
#include "plan/coll_pschedule_shapes.h"

#include <limits.h>

mca_coll_pschedule_steering_t
mca_coll_pschedule_steering_read(mca_coll_pschedule_collective_t collective)
{
    mca_coll_pschedule_steering_t steering
        = {.forced = mca_coll_pschedule_params.forced[collective],
           .rates = mca_coll_pschedule_params.rates};

    /* It may have been set through MPI_T. */
    steering.rates.bandwidth = 0 == steering.rates.bandwidth ? 1 : steering.rates.bandwidth;
    return steering;
}

int mca_coll_pschedule_steering_number(mca_coll_pschedule_collective_t collective,
                                      const mca_coll_pschedule_steering_t *steering)
{
    const mca_coll_pschedule_rates_t *rates = &steering->rates;
    const uint32_t part[] = {rates->latency, rates->local_latency, rates->bandwidth,
                             rates->host_bandwidth, rates->copy_bandwidth,
                             mca_coll_pschedule_tuning_number(&mca_coll_pschedule_params.tuning,
                                                              collective)};

    return (int) (mca_coll_pschedule_mix_all((uint32_t) steering->forced, part,
                                             sizeof(part) / sizeof(part[0]))
                  & INT_MAX);
}

/* A row that the user forces, or else one that the tuning file has for such calls, or else the best
 * by the model. */
static const mca_coll_pschedule_algorithm_t *
select_row(const mca_coll_pschedule_problem_t *problem,
           const mca_coll_pschedule_steering_t *steering, const char **why)
{
    /* What the file says was measured with contributions that do not wait for each other. */
    int tuned = 0 == steering->forced && !mca_coll_pschedule_goes_together(problem)
                    ? mca_coll_pschedule_tuning_row(&mca_coll_pschedule_params.tuning, problem)
                    : 0;
    const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_select(
        problem, 0 != steering->forced ? steering->forced : tuned, &steering->rates, why);

    if (0 != tuned) {
        *why = row == mca_coll_pschedule_algorithms[tuned - 1]
                   ? "by the tuning file"
                   : "that of the tuning file cannot serve this call";
    }
    return row;
}

const mca_coll_pschedule_algorithm_t *
mca_coll_pschedule_choose(const mca_coll_pschedule_problem_t *problem,
                          const mca_coll_pschedule_steering_t *steering)
{
    const mca_coll_pschedule_params_t *params = &mca_coll_pschedule_params;
    const mca_coll_pschedule_rates_t *rates = &steering->rates;
    const char *why;
    const mca_coll_pschedule_algorithm_t *algorithm = select_row(problem, steering, &why);

    if (0 == problem->rank) {
        COLL_PSCHEDULE_VERBOSE(1, "%s of %llu bytes in %u partitions on %d ranks: %s (%s)",
                               mca_coll_pschedule_names[problem->collective],
                               (unsigned long long) problem->common_bytes,
                               problem->common_partitions, problem->size, algorithm->name, why);
        COLL_PSCHEDULE_VERBOSE(
            2,
            "the model has %llu us for it: latency %u and %u us, bandwidth %u, %u and %u MB/s%s%s",
            (unsigned long long) mca_coll_pschedule_time(algorithm, problem, rates) / 1000,
            rates->latency, rates->local_latency, rates->bandwidth, rates->host_bandwidth,
            rates->copy_bandwidth, 0 == params->tuning.given ? "" : ", also from ",
            0 == params->tuning.given ? "" : params->tuning_file);
    }
    return algorithm;
}
