/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The better one of two ways to make a round (see part_ucx_trial.h).
 */
#include "base/part_ucx_trial.h"

/* Rounds that are compared. */
#define COMPARED 16u

/* Rounds between tries. */
#define WAIT_LEAST 256u
#define WAIT_MOST  16384u

static bool is_second(const mca_part_ucx_trial_t *trial)
{
    return trial->second != trial->trying;
}

/* The second way has to gain an eighth, and loses again where the first is about as good. */
static bool is_second_better(const mca_part_ucx_trial_t *trial)
{
    uint64_t first = trial->sum[0], second = trial->sum[1];

    return trial->second ? second + second / 16 < first : second + second / 8 < first;
}

static void wait_longer(mca_part_ucx_trial_t *trial, bool changed)
{
    if (changed) {
        trial->wait = WAIT_LEAST;
    } else if (trial->wait < WAIT_MOST) {
        trial->wait *= 2;
    }
    trial->rounds = 0;
    trial->sum[0] = trial->sum[1] = trial->least = 0;
}

static void end_try(mca_part_ucx_trial_t *trial)
{
    bool better = is_second_better(trial);
    bool changed = better != trial->second;

    trial->trying = false;
    trial->second = better;
    wait_longer(trial, changed);
}

static void begin_try(mca_part_ucx_trial_t *trial)
{
    if (!trial->second && trial->sum[0] < COMPARED * trial->worth) {
        wait_longer(trial, false);
        return;
    }
    trial->trying = true;
    trial->rounds = 0;
    trial->least = 0;
}

/* Rounds of the present way, of which the last ones are compared. */
static uint32_t length_of(const mca_part_ucx_trial_t *trial)
{
    return trial->trying ? trial->settle + COMPARED : trial->wait;
}

static void add(mca_part_ucx_trial_t *trial, uint64_t ns)
{
    trial->least = 0 == trial->least || ns < trial->least ? ns : trial->least;
    trial->sum[is_second(trial) ? 1 : 0] += ns < 2 * trial->least ? ns : 2 * trial->least;
}

bool mca_part_ucx_trial_next(mca_part_ucx_trial_t *trial, uint64_t ns)
{
    if (0 == trial->wait) {
        trial->wait = WAIT_LEAST;
    }
    if (++trial->rounds > length_of(trial) - COMPARED) {
        add(trial, ns);
    }
    if (trial->rounds == length_of(trial)) {
        if (trial->trying) {
            end_try(trial);
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
