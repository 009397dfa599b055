/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two ways is faster (see coll_pschedule_contest.h).
 *
 *     round    0 ...      begins    + 4                                  + 52
 *              here here  |there x 4|here x 8|there x 8| ... |there x 8|there|
 *                          1st: vote                                    2nd: vote
 */
#include "persistent/coll_pschedule_contest.h"

#include <stdlib.h>
#include <string.h>

typedef mca_coll_pschedule_contest_t contest_t;
typedef mca_coll_pschedule_times_t times_t;

/* A vote needs a round of its own: what the round before took is known when it begins. */
#define GLANCE_VOTE (COLL_PSCHEDULE_GLANCE_ROUNDS - 1)
#define LOOK_VOTE   (2 * COLL_PSCHEDULE_TURNS * COLL_PSCHEDULE_TURN_ROUNDS)

/* After the first look, who is so much slower is out, in percent of the time here. Two rounds say
 * no more. */
#define FAR_SLOWER 150u

/* After the second one, who was there before serves again if it takes so much of the time here or
 * less. */
#define CLEARLY_FASTER 95u

void mca_coll_pschedule_contest_make(contest_t *contest, uint32_t begins)
{
    memset(contest, 0, sizeof(*contest));
    contest->begins = 0 == begins ? 1 : begins;
}

/* ---- whose round it is ---- */

/* Of a round: who serves it, and whether its time counts. */
typedef struct role_t {
    mca_coll_pschedule_turn_t turn;
    bool counts;
} role_t;

static role_t role_of(const contest_t *contest, uint32_t round)
{
    uint32_t glance = round - contest->begins;
    uint32_t look = glance - COLL_PSCHEDULE_GLANCE_ROUNDS;

    if (round < contest->begins) {
        /* As many as a turn has, so that these are of the same age as those of the other one. */
        return (role_t) {{COLL_PSCHEDULE_HERE, false},
                         round + COLL_PSCHEDULE_TURN_ROUNDS >= contest->begins};
    }
    if (glance < COLL_PSCHEDULE_GLANCE_ROUNDS) {
        return (role_t) {{COLL_PSCHEDULE_THERE, GLANCE_VOTE == glance},
                         glance > 0 && glance < GLANCE_VOTE};
    }
    if (look < LOOK_VOTE) {
        bool there = 0 != look / COLL_PSCHEDULE_TURN_ROUNDS % 2;

        return (role_t) {{there ? COLL_PSCHEDULE_THERE : COLL_PSCHEDULE_HERE, false},
                         look % COLL_PSCHEDULE_TURN_ROUNDS >= COLL_PSCHEDULE_TURN_SKIPS};
    }
    return (role_t) {{COLL_PSCHEDULE_THERE, LOOK_VOTE == look}, false};
}

static void note(times_t *times, uint64_t time)
{
    if (times->count < COLL_PSCHEDULE_TIMES) {
        times->time[times->count++] = time;
    }
}

mca_coll_pschedule_turn_t mca_coll_pschedule_contest_next(contest_t *contest, uint64_t now)
{
    role_t role = role_of(contest, contest->round);

    if (contest->round > 0) {
        role_t last = role_of(contest, contest->round - 1);

        if (last.counts) {
            note(&contest->times[last.turn.who], now - contest->began);
        }
    }
    contest->began = now;
    ++contest->round;
    return role.turn;
}

/* ---- the decision ---- */

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *) left, b = *(const uint64_t *) right;

    return (a > b) - (a < b);
}

/* The one in the middle, the smaller of two. */
static uint64_t median(const times_t *times)
{
    uint64_t sorted[COLL_PSCHEDULE_TIMES];

    if (0 == times->count) {
        return 0;
    }
    memcpy(sorted, times->time, times->count * sizeof(sorted[0]));
    qsort(sorted, times->count, sizeof(sorted[0]), compare);
    return sorted[(times->count - 1) / 2];
}

void mca_coll_pschedule_contest_ballot(const contest_t *contest,
                                       uint64_t ballot[COLL_PSCHEDULE_SIDES])
{
    for (int who = 0; who < COLL_PSCHEDULE_SIDES; ++who) {
        ballot[who] = median(&contest->times[who]);
    }
}

static bool is_glance(const contest_t *contest)
{
    return contest->round <= contest->begins + COLL_PSCHEDULE_GLANCE_ROUNDS;
}

mca_coll_pschedule_result_t
mca_coll_pschedule_contest_count(contest_t *contest, const uint64_t ballot[COLL_PSCHEDULE_SIDES])
{
    /* In units that do not overflow: a round may take years, if its program is stopped. */
    double here = (double) ballot[COLL_PSCHEDULE_HERE];
    double there = (double) ballot[COLL_PSCHEDULE_THERE];

    if (!is_glance(contest)) {
        return 100.0 * there <= CLEARLY_FASTER * here ? COLL_PSCHEDULE_THERE_WINS
                                                      : COLL_PSCHEDULE_HERE_WINS;
    }
    if (100.0 * there > FAR_SLOWER * here) {
        return COLL_PSCHEDULE_HERE_WINS;
    }
    memset(contest->times, 0, sizeof(contest->times));
    return COLL_PSCHEDULE_GOES_ON;
}
