/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The better one of two ways to make a round (see part_ucx_trial.h).
 */
#include "base/part_ucx_trial.h"

#define COMPARED PART_UCX_TRIAL_COMPARED

/* Nanoseconds that times are noted in, so that rounds of minutes can be. */
#define GRAIN UINT64_C(64)
#define LONGEST (UINT32_MAX * GRAIN)

/* As many tell of a try that is clearly worse: of those that are compared, or, while it settles,
 * one after the other and half as long again. What the other way has left behind is over sooner. */
#define COMPARED_LEAST 4u

/* Bytes that a path may carry faster than for long. */
#define BURST       UINT64_C(131072)
#define SETTLE_MOST UINT64_C(64)

/* Rounds between tries: at first, if nothing is asked for; and at last. */
#define WAIT_LEAST 256u
#define WAIT_MOST  16384u

uint32_t mca_part_ucx_trial_settle(uint64_t bytes)
{
    uint64_t rounds = BURST / (0 == bytes ? 1 : bytes);

    return (uint32_t) (rounds < SETTLE_MOST ? rounds : SETTLE_MOST) + 1;
}

static bool is_second(const mca_part_ucx_trial_t *trial)
{
    return trial->second != (trial->trying && !trial->lost);
}

/* ---- what rounds take ---- */

static uint64_t median(const uint32_t grains[COMPARED])
{
    uint32_t sorted[COMPARED];

    for (uint32_t i = 0; i < COMPARED; ++i) {
        uint32_t place = i;

        for (; place > 0 && sorted[place - 1] > grains[i]; --place) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = grains[i];
    }
    return sorted[(COMPARED - 1) / 2];
}

/* Those that are compared together. */
static uint64_t sum(const mca_part_ucx_trial_t *trial)
{
    uint64_t most = 2 * median(trial->grains);
    uint64_t all = 0;

    for (uint32_t i = 0; i < COMPARED; ++i) {
        all += trial->grains[i] < most ? trial->grains[i] : most;
    }
    return all * GRAIN;
}

/* ---- tries ---- */

/* Rounds of the present way that say nothing, before some are compared. */
static uint32_t settling(const mca_part_ucx_trial_t *trial)
{
    return trial->trying ? trial->settle : trial->wait - COMPARED;
}

/* How many have been compared; of a try there may be some more after those. */
static uint32_t compared(const mca_part_ucx_trial_t *trial)
{
    uint32_t before = settling(trial);

    return trial->rounds > before ? trial->rounds - before : 0;
}

static bool is_over(const mca_part_ucx_trial_t *trial)
{
    return compared(trial) == COMPARED + (trial->trying ? trial->idle : 0);
}

/* The second way has to gain an eighth, and loses again where the first is about as good. */
static bool is_second_better(const mca_part_ucx_trial_t *trial)
{
    uint64_t tried = sum(trial);

    return trial->second ? trial->before + trial->before / 16 < tried
                         : tried + tried / 8 < trial->before;
}

/* Has even the shortest round of the way that is tried taken a quarter longer? */
static bool is_worse(const mca_part_ucx_trial_t *trial)
{
    uint64_t least = trial->grains[0];

    for (uint32_t i = 1; i < COMPARED_LEAST; ++i) {
        least = trial->grains[i] < least ? trial->grains[i] : least;
    }
    return least * GRAIN * COMPARED > trial->before + trial->before / 4;
}

/* A round of a try has ended. Were the last ones all far too slow? */
static bool is_far_worse(mca_part_ucx_trial_t *trial, uint64_t ns)
{
    bool slow = ns * COMPARED > trial->before + trial->before / 2;

    trial->slow = (uint8_t) (slow ? trial->slow + 1 : 0);
    return COMPARED_LEAST == trial->slow;
}

static void wait_for(mca_part_ucx_trial_t *trial, uint32_t rounds)
{
    trial->wait = rounds;
    trial->rounds = 0;
}

/* To the next try, each time twice as long. What has changed is looked at once more before. */
static void wait_longer(mca_part_ucx_trial_t *trial, bool changed)
{
    uint32_t again = WAIT_LEAST + trial->settle + COMPARED + trial->idle;

    if (0 != trial->rest) {
        wait_for(trial, trial->rest);
        trial->rest = 0;
        return;
    }
    trial->period = trial->period < WAIT_MOST ? 2 * trial->period : WAIT_MOST;
    if (changed && trial->period >= again + COMPARED) {
        trial->rest = trial->period - again;
    }
    wait_for(trial, 0 != trial->rest ? WAIT_LEAST : trial->period);
}

static void begin_try(mca_part_ucx_trial_t *trial)
{
    trial->before = sum(trial);
    if (!trial->second && trial->before < COMPARED * trial->worth) {
        wait_longer(trial, false);
        return;
    }
    trial->trying = true;
    trial->lost = false;
    trial->slow = 0;
    trial->rounds = 0;
}

static void end_try(mca_part_ucx_trial_t *trial)
{
    bool second = trial->lost ? trial->second : is_second_better(trial);
    bool changed = second != trial->second;

    trial->second = second;
    trial->trying = false;
    wait_longer(trial, changed);
}

bool mca_part_ucx_trial_next(mca_part_ucx_trial_t *trial, uint64_t ns)
{
    if (0 == trial->period) {
        trial->period = trial->wait = trial->wait < COMPARED ? WAIT_LEAST : trial->wait;
    }
    ns = ns < LONGEST ? ns : LONGEST;
    ++trial->rounds;
    if (0 != compared(trial) && compared(trial) <= COMPARED) {
        trial->grains[compared(trial) - 1] = (uint32_t) (ns / GRAIN);
    }
    if (trial->trying && !trial->lost && compared(trial) <= COMPARED_LEAST) {
        trial->lost = is_far_worse(trial, ns)
                      || (COMPARED_LEAST == compared(trial) && is_worse(trial));
    }
    if (is_over(trial)) {
        if (trial->trying) {
            end_try(trial);
        } else {
            begin_try(trial);
        }
    }
    return is_second(trial);
}

bool mca_part_ucx_trial_start(mca_part_ucx_trial_t *trial, uint64_t now_ns)
{
    uint64_t ns = 0 == trial->began_ns ? 0 : now_ns - trial->began_ns;

    trial->began_ns = now_ns;
    return mca_part_ucx_trial_next(trial, ns);
}

bool mca_part_ucx_trial_has_failed(const mca_part_ucx_trial_t *trial)
{
    return 0 == trial->rounds && !trial->trying && !trial->second && 0 != trial->wait;
}
