/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The better one of two ways to make a round (see part_ucx_trial.h).
 */
#include "base/part_ucx_trial.h"

#define COMPARED PART_UCX_TRIAL_COMPARED

/* As many tell of a try that is clearly worse. */
#define COMPARED_LEAST 4u

/* Bytes that a path may carry faster than for long. */
#define BURST       UINT64_C(131072)
#define SETTLE_MOST UINT64_C(64)

/* Rounds between tries. */
#define WAIT_LEAST 256u
#define WAIT_MOST  16384u

uint32_t mca_part_ucx_trial_settle(uint64_t bytes)
{
    uint64_t rounds = BURST / (0 == bytes ? 1 : bytes);

    return (uint32_t) (rounds < SETTLE_MOST ? rounds : SETTLE_MOST) + 1;
}

static bool is_second(const mca_part_ucx_trial_t *trial)
{
    return trial->second != trial->trying;
}

/* ---- what rounds take ---- */

static uint64_t median(const uint32_t *ns, uint32_t count)
{
    uint32_t sorted[COMPARED];

    for (uint32_t i = 0; i < count; ++i) {
        uint32_t place = i;

        for (; place > 0 && sorted[place - 1] > ns[i]; --place) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = ns[i];
    }
    return sorted[(count - 1) / 2];
}

/* Of the first so many that are compared. */
static uint64_t sum(const mca_part_ucx_trial_t *trial, uint32_t count)
{
    uint64_t most = 2 * median(trial->ns, count);
    uint64_t all = 0;

    for (uint32_t i = 0; i < count; ++i) {
        all += trial->ns[i] < most ? trial->ns[i] : most;
    }
    return all;
}

/* ---- tries ---- */

/* Rounds of the present way, of which the last ones are compared. */
static uint32_t length_of(const mca_part_ucx_trial_t *trial)
{
    return trial->trying ? trial->settle + COMPARED : trial->wait;
}

/* How many have been. */
static uint32_t compared(const mca_part_ucx_trial_t *trial)
{
    uint32_t before = length_of(trial) - COMPARED;

    return trial->rounds > before ? trial->rounds - before : 0;
}

/* The second way has to gain an eighth, and loses again where the first is about as good. */
static bool is_second_better(const mca_part_ucx_trial_t *trial)
{
    uint64_t tried = sum(trial, COMPARED);

    return trial->second ? trial->before + trial->before / 16 < tried
                         : tried + tried / 8 < trial->before;
}

/* Does the way that is tried take a quarter longer? */
static bool is_lost(const mca_part_ucx_trial_t *trial)
{
    return trial->trying && COMPARED_LEAST == compared(trial)
           && sum(trial, COMPARED_LEAST) * COMPARED
                  > (trial->before + trial->before / 4) * COMPARED_LEAST;
}

static void wait_longer(mca_part_ucx_trial_t *trial, bool changed)
{
    if (changed) {
        trial->wait = WAIT_LEAST;
    } else if (trial->wait < WAIT_MOST) {
        trial->wait *= 2;
    }
    trial->rounds = 0;
}

static void end_try(mca_part_ucx_trial_t *trial, bool better)
{
    bool changed = better != trial->second;

    trial->trying = false;
    trial->second = better;
    wait_longer(trial, changed);
}

static void begin_try(mca_part_ucx_trial_t *trial)
{
    trial->before = sum(trial, COMPARED);
    if (!trial->second && trial->before < COMPARED * trial->worth) {
        wait_longer(trial, false);
        return;
    }
    trial->trying = true;
    trial->rounds = 0;
}

bool mca_part_ucx_trial_next(mca_part_ucx_trial_t *trial, uint64_t ns)
{
    if (0 == trial->wait) {
        trial->wait = WAIT_LEAST;
    }
    ++trial->rounds;
    if (0 != compared(trial)) {
        trial->ns[compared(trial) - 1] = ns < UINT32_MAX ? (uint32_t) ns : UINT32_MAX;
    }
    if (is_lost(trial)) {
        end_try(trial, trial->second);
    } else if (trial->rounds == length_of(trial)) {
        if (trial->trying) {
            end_try(trial, is_second_better(trial));
        } else {
            begin_try(trial);
        }
    }
    return is_second(trial);
}

bool mca_part_ucx_trial_has_failed(const mca_part_ucx_trial_t *trial)
{
    return 0 == trial->rounds && !trial->trying && !trial->second && 0 != trial->wait;
}
