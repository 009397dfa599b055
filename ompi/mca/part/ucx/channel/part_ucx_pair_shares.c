/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares of pairs that do not carry the same (see part_ucx_pair_shares.h).
 */
#include "channel/part_ucx_pair_shares.h"

#include <math.h>

/* By how much later than in the best case all is through before anything is changed: so much is no
 * chance. Of four pairs, one that carries 0.83 of the others, or less. */
#define LATE 0.15

/* Where pairs carry so much by turns, bytes per millisecond, processors are likely the limit, and
 * rates say nothing. */
#define MUCH 6e5

/* From there on shares follow the rates, so slowly, that these may scatter; at once if that is no
 * chance either. */
#define FOLLOW    0.125
#define VERY_LATE 0.25

/* They go back to turns when none is below this share of the largest. */
#define EVEN_AGAIN 0.93

/* Where processors are the limit, chance could lead shares anywhere, step by step. This leads them
 * back. */
#define PULL 1.02

/* A pair that carries next to nothing is given nothing, and nothing is heard of it. It may be well
 * again, so after some time it is believed to carry at least this share of the fastest. */
#define TRIAL 0.25

/* One that is quiet may have been found slow by chance. It is given up to so many times as much: if
 * it is slow, that is heard at once. */
#define PROBE 2

/* What a message costs besides its bytes: also pieces without bytes go round. */
#define OVERHEAD 256u

/* Where nothing is known, they may be as fast as processors. */
static double fastest_of(const mca_part_ucx_known_t *known, uint32_t pairs)
{
    uint32_t fastest = 0;

    for (uint32_t i = 0; i < pairs; ++i) {
        fastest = !known[i].dead && known[i].rate > fastest ? known[i].rate : fastest;
    }
    return 0 == fastest ? MUCH : fastest;
}

/* What is to be believed. One that has never been found busy is not slower than those that have. */
static double believed(const mca_part_ucx_known_t *known, double fastest)
{
    double rate = 0 == known->rate ? fastest : known->rate;

    rate = known->old && rate < TRIAL * fastest ? TRIAL * fastest : rate;
    rate = known->quiet ? PROBE * rate : rate;
    return rate < fastest ? rate : fastest;
}

/* Take dead pairs out, and those in that are no longer. True: some are out. */
static bool leave_out(mca_part_ucx_pair_shares_t *share, const mca_part_ucx_known_t *known,
                      double fastest)
{
    bool out = false;

    for (uint32_t i = 0; i < share->pairs; ++i) {
        out = out || known[i].dead;
    }
    for (uint32_t i = 0; i < share->pairs && (out || share->dealt); ++i) {
        if (known[i].dead) {
            share->pair[i].rate = 0;
        } else if (!share->dealt || 0 == share->pair[i].rate) {
            share->pair[i].rate = fastest;
        }
    }
    share->dealt = share->dealt || out;
    return out;
}

/* What all together carry by turns: as often as there are pairs what the slowest does. */
static double by_turns(const mca_part_ucx_pair_shares_t *share, const mca_part_ucx_known_t *known,
                       double fastest)
{
    double least = fastest;

    for (uint32_t i = 0; i < share->pairs; ++i) {
        double rate = known[i].dead ? fastest : believed(&known[i], fastest);

        least = rate < least ? rate : least;
    }
    return least * share->pairs;
}

/* The share of a pair; as long as they take turns, all have the same. */
static double share_of(const mca_part_ucx_pair_shares_t *share, uint32_t pair)
{
    return share->dealt ? share->pair[pair].rate : 1;
}

/* By how much later than in the best case is all through, with the shares as they are? */
static double lateness(const mca_part_ucx_pair_shares_t *share, const mca_part_ucx_known_t *known,
                       double fastest)
{
    double latest = 0, rates = 0, shares = 0;

    for (uint32_t i = 0; i < share->pairs; ++i) {
        double rate = believed(&known[i], fastest);
        double end = share_of(share, i) / rate;

        latest = end > latest ? end : latest;
        rates += known[i].dead ? 0 : rate;
        shares += share_of(share, i);
    }
    return latest * rates / shares - 1;
}

/* Bring the shares nearer to the rates, by this part of the way. */
static void follow(mca_part_ucx_pair_shares_t *share, const mca_part_ucx_known_t *known,
                   double fastest, double part)
{
    for (uint32_t i = 0; i < share->pairs; ++i) {
        double rate = believed(&known[i], fastest) * PULL;

        rate = rate < fastest ? rate : fastest;
        rate = known[i].dead ? 0 : rate;
        /* Of one that was given nothing, or too little, nothing is to be had slowly. */
        share->pair[i].rate
            += (known[i].old || known[i].quiet ? 1 : part) * (rate - share->pair[i].rate);
    }
}

static bool is_even(const mca_part_ucx_pair_shares_t *share)
{
    double least = share->pair[0].rate, most = least;

    for (uint32_t i = 1; i < share->pairs; ++i) {
        double rate = share->pair[i].rate;

        least = rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    return least > EVEN_AGAIN * most;
}

bool mca_part_ucx_pair_shares_adapt(mca_part_ucx_pair_shares_t *share,
                                    const mca_part_ucx_known_t *known)
{
    double fastest = fastest_of(known, share->pairs);
    bool out = leave_out(share, known, fastest);
    double late = lateness(share, known, fastest);

    if (by_turns(share, known, fastest) > MUCH) {
        share->dealt = out;
    } else if (share->dealt || late > LATE) {
        follow(share, known, fastest, !share->dealt || late > VERY_LATE ? 1 : FOLLOW);
        share->dealt = out || !is_even(share);
    }
    return share->dealt;
}

uint32_t mca_part_ucx_pair_shares_next(mca_part_ucx_pair_shares_t *share, uint64_t bytes)
{
    double soonest = INFINITY;
    uint32_t best = 0;

    for (uint32_t i = 0; i < share->pairs; ++i) {
        double end = share->pair[i].busy + (double) (bytes + OVERHEAD) / share->pair[i].rate;

        if (end < soonest) { /* without a share it is infinite */
            soonest = end;
            best = i;
        }
    }
    share->pair[best].busy = soonest;
    return best;
}

/* Not more than half a unit of the fastest pair: one that is so slow that it was given nothing must
 * not save for it. */
void mca_part_ucx_pair_shares_carry_over(mca_part_ucx_pair_shares_t *share, uint64_t unit_bytes)
{
    double last = share->pair[0].busy, fastest = share->pair[0].rate, most;

    for (uint32_t i = 1; i < share->pairs; ++i) {
        last = share->pair[i].busy > last ? share->pair[i].busy : last;
        fastest = share->pair[i].rate > fastest ? share->pair[i].rate : fastest;
    }
    most = (double) unit_bytes / fastest / 2;
    for (uint32_t i = 0; i < share->pairs; ++i) {
        double early = last - share->pair[i].busy;

        share->pair[i].busy = early < most ? -early : -most;
    }
}
