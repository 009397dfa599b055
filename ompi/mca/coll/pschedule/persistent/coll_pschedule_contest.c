/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two ways is faster (see coll_pschedule_contest.h).
 */
#include "persistent/coll_pschedule_contest.h"

#include <stdlib.h>
#include <string.h>

typedef mca_coll_pschedule_contest_t contest_t;

/* What a turn is for. */
typedef enum purpose_t {
    SETTLES, /* nothing */
    SCALES,  /* how long rounds are, and so how many a turn has */
    PROBES,  /* is it far slower there? */
    COUNTS,  /* its time counts */
    DECIDES  /* it may end with a decision, by the turns before it; its time counts, too */
} purpose_t;

typedef struct rounds_t {
    mca_coll_pschedule_contestant_t who;
    uint32_t rounds; /* times `factor` from the first one on that counts, but for the last one */
    purpose_t purpose;
} rounds_t;

/* Before them there are `begins` rounds. The first of who was there before do not count, as it may
 * have to connect. The next ones are few, so that what is far slower costs little. */
static const rounds_t turns[] = {
    {COLL_PSCHEDULE_HERE, 0, SETTLES},
    {COLL_PSCHEDULE_HERE, 8, SCALES},   {COLL_PSCHEDULE_THERE, 2, SETTLES},
    {COLL_PSCHEDULE_THERE, 4, PROBES},
    {COLL_PSCHEDULE_HERE, 8, COUNTS},   {COLL_PSCHEDULE_THERE, 8, COUNTS},
    {COLL_PSCHEDULE_HERE, 16, DECIDES}, {COLL_PSCHEDULE_THERE, 16, COUNTS},
    {COLL_PSCHEDULE_HERE, 16, DECIDES}, {COLL_PSCHEDULE_THERE, 16, COUNTS},
    {COLL_PSCHEDULE_HERE, 1, DECIDES},
};

#define TURNS ((uint32_t) (sizeof(turns) / sizeof(turns[0])))

/* `factor` rounds take no longer than this, in ns, unless one does; and the largest factor. */
#define LONG_ENOUGH    500000u
#define LARGEST_FACTOR 16u

/* Who takes so much of the other's time or less, in percent, wins before the end: by the probe, or
 * by one turn of each, only this component, because who was there before may still be cold. */
#define FOUR_TIMES_AS_FAST 25u
#define TWICE_AS_FAST      50u
#define FAR_FASTER         66u

/* In the end, who was there before serves again if it takes so much of the time here or less. */
#define CLEARLY_FASTER 95u

void mca_coll_pschedule_contest_make(contest_t *contest, uint32_t begins)
{
    memset(contest, 0, sizeof(*contest));
    contest->begins = 0 == begins ? 1 : begins;
    contest->factor = 1;
}

/* ---- rounds ---- */

static bool counts(purpose_t purpose)
{
    return COUNTS <= purpose;
}

static uint32_t rounds_of(const contest_t *contest, uint32_t turn)
{
    uint32_t rounds = turns[turn].rounds;

    if (0 == turn) {
        return contest->begins;
    }
    return counts(turns[turn].purpose) && turn + 1 < TURNS ? rounds * contest->factor : rounds;
}

/* Those whose time is taken. */
static uint32_t timed_rounds_of(const contest_t *contest, uint32_t turn)
{
    return SETTLES == turns[turn].purpose ? 0 : rounds_of(contest, turn);
}

static void next_turn(contest_t *contest)
{
    mca_coll_pschedule_contestant_t who = turns[contest->turn].who;
    uint32_t *count = &contest->count[who];
    uint32_t timed = timed_rounds_of(contest, contest->turn);

    if (0 != timed && *count < COLL_PSCHEDULE_TURNS) {
        contest->time[who][(*count)++] = contest->spent / timed;
    }
    contest->turn = contest->turn + 1 < TURNS ? contest->turn + 1 : contest->turn;
    contest->round = 0;
    contest->spent = 0;
}

mca_coll_pschedule_turn_t mca_coll_pschedule_contest_next(contest_t *contest)
{
    if (contest->round == rounds_of(contest, contest->turn)) {
        next_turn(contest);
    }
    ++contest->round;
    return (mca_coll_pschedule_turn_t) {
        .who = turns[contest->turn].who,
        .votes = contest->round == rounds_of(contest, contest->turn),
        .timed = contest->round <= timed_rounds_of(contest, contest->turn)};
}

/* ---- the decision ---- */

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *) left, b = *(const uint64_t *) right;

    return (a > b) - (a < b);
}

/* The one in the middle, the smaller of two; 0 of none. */
static uint64_t median(const uint64_t *time, uint32_t count)
{
    uint64_t sorted[COLL_PSCHEDULE_TURNS] = {0};

    memcpy(sorted, time, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare);
    return sorted[0 == count ? 0 : (count - 1) / 2];
}

void mca_coll_pschedule_contest_ballot(const contest_t *contest,
                                       uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS])
{
    for (int who = 0; who < COLL_PSCHEDULE_CONTESTANTS; ++who) {
        ballot[who] = median(contest->time[who], contest->count[who]);
    }
}

/* Without overflow: a round may take years, if its program is stopped. */
static bool is_part(uint64_t time, uint32_t percent, uint64_t of)
{
    return 100.0 * (double) time <= (double) percent * (double) of;
}

/* By how long the rounds of the first turn were, on the slowest rank. */
static void scale(contest_t *contest, uint64_t round)
{
    while (contest->factor < LARGEST_FACTOR && 2 * contest->factor * round <= LONG_ENOUGH) {
        contest->factor *= 2;
    }
}

static mca_coll_pschedule_result_t probe(contest_t *contest, uint64_t here, uint64_t there)
{
    memset(contest->count, 0, sizeof(contest->count)); /* what counts comes now */
    return is_part(here, FOUR_TIMES_AS_FAST, there) ? COLL_PSCHEDULE_HERE_WINS
                                                    : COLL_PSCHEDULE_GOES_ON;
}

static mca_coll_pschedule_result_t decide(const contest_t *contest, uint64_t here, uint64_t there)
{
    if (contest->turn + 1 == TURNS) {
        return 0 != here && is_part(there, CLEARLY_FASTER, here) ? COLL_PSCHEDULE_THERE_WINS
                                                                 : COLL_PSCHEDULE_HERE_WINS;
    }
    if (contest->count[COLL_PSCHEDULE_THERE] < 2) {
        return is_part(here, TWICE_AS_FAST, there) ? COLL_PSCHEDULE_HERE_WINS
                                                   : COLL_PSCHEDULE_GOES_ON;
    }
    return is_part(here, FAR_FASTER, there)   ? COLL_PSCHEDULE_HERE_WINS
           : is_part(there, FAR_FASTER, here) ? COLL_PSCHEDULE_THERE_WINS
                                              : COLL_PSCHEDULE_GOES_ON;
}

mca_coll_pschedule_result_t
mca_coll_pschedule_contest_count(contest_t *contest,
                                 const uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS])
{
    uint64_t here = ballot[COLL_PSCHEDULE_HERE], there = ballot[COLL_PSCHEDULE_THERE];
    purpose_t before = turns[0 == contest->turn ? 0 : contest->turn - 1].purpose;

    if (SCALES == before) {
        scale(contest, here);
    }
    if (PROBES == before) {
        return probe(contest, here, there);
    }
    return DECIDES == turns[contest->turn].purpose ? decide(contest, here, there)
                                                   : COLL_PSCHEDULE_GOES_ON;
}
