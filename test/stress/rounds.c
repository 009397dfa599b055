/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds of the random stress programs (see rounds.h).
 */

#include "rounds.h"

#include "../support/side.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

static uint64_t choose_seed(mt_option_t options[])
{
    uint64_t seed = (uint64_t) mt_option(options, "seed");

    if (0 == seed) {
        seed = (uint64_t) time(NULL) % 1000000u + 1;
    }
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return seed;
}

/* Rank 0 decides for all; a failure on any rank ends the run, its buffers tell no more. */
static bool go_on(mt_option_t options[], int done, double end)
{
    int rounds = (int) mt_option(options, "rounds");
    int failures = mt_failures();
    int all = 0;
    int go =
        (0 == rounds || done < rounds) && (0 == mt_option(options, "seconds") || mt_now() < end);

    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go && 0 == all;
}

int rounds_play(mt_option_t options[], uint64_t *seed,
                void (*play)(void *context, uint64_t seed, int round), void *context)
{
    double end = mt_now() + mt_option(options, "seconds");
    int round = (int) mt_option(options, "first");
    int done = 0;

    *seed = choose_seed(options);
    if (0 == mt_rank()) {
        mt_note("seed %llu, first round %d", (unsigned long long) *seed, round);
    }
    do {
        mt_limit(300);
        mt_stage("seed %llu round %d", (unsigned long long) *seed, round);
        play(context, *seed, round);
        if (mt_failures() > 0) {
            mt_note("failed: play it again with --seed %llu --first %d --rounds 1",
                    (unsigned long long) *seed, round);
        }
        round++;
        done++;
    } while (go_on(options, done, end));
    return done;
}

void rounds_pause(mt_random_t *random)
{
    switch (mt_random_below(random, 16)) {
    case 0:
        mt_sleep(0.0002 * (1 + mt_random_below(random, 5)));
        break;
    case 1:
        sched_yield();
        break;
    default:
        break;
    }
}

static void complete_some(MPI_Request *requests, int count)
{
    int *indices = mt_alloc((size_t) count * sizeof(*indices));
    int done = 0;

    while (MPI_UNDEFINED != done) {
        mt_success(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE),
                   "MPI_Waitsome");
    }
    free(indices);
}

void rounds_complete(MPI_Request *requests, int count, mt_random_t *random)
{
    int index = 0;

    switch (mt_random_below(random, 4)) {
    case 0:
        mt_success(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        break;
    case 1:
        for (int i = 0; i < count; i++) {
            mt_success(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE), "MPI_Waitany");
        }
        break;
    case 2:
        complete_some(requests, count);
        break;
    default:
        for (int i = count - 1; i >= 0; i--) {
            mt_finish(&requests[i], MPI_STATUS_IGNORE);
        }
        break;
    }
}
