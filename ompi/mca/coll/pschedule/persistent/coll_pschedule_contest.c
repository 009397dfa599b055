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

/* A turn of a few rounds. */
typedef struct rounds_t {
    mca_coll_pschedule_contestant_t who;
    uint32_t rounds;
    bool counts;  /* its time */
    bool decides; /* by the turns that are over when its last round votes */
} rounds_t;

/* Before them there are `begins` rounds. The first of who was there before do not count, as it may
 * have to connect. The next ones are few, so that what is far slower costs little. */
static const rounds_t turns[] = {
    {COLL_PSCHEDULE_HERE, 0, false, false},
    {COLL_PSCHEDULE_HERE, 8, true, false},   {COLL_PSCHEDULE_THERE, 2, false, false},
    {COLL_PSCHEDULE_THERE, 8, true, false},  {COLL_PSCHEDULE_HERE, 16, true, true},
    {COLL_PSCHEDULE_THERE, 16, true, false}, {COLL_PSCHEDULE_HERE, 16, true, true},
    {COLL_PSCHEDULE_THERE, 16, true, false}, {COLL_PSCHEDULE_HERE, 1, false, true},
};

#define TURNS ((uint32_t) (sizeof(turns) / sizeof(turns[0])))

/* Who takes so much of the other's time or less, in percent, wins before the end: the one that was
 * there before not by its first turn alone. */
#define FAR_FASTER 66u

/* In the end, who was there before serves again if it takes so much of the time here or less. */
#define CLEARLY_FASTER 95u

void mca_coll_pschedule_contest_make(contest_t *contest, uint32_t begins)
{
    memset(contest, 0, sizeof(*contest));
    contest->begins = 0 == begins ? 1 : begins;
}

/* ---- rounds ---- */

static uint32_t rounds_of(const contest_t *contest, uint32_t turn)
{
    return 0 == turn ? contest->begins : turns[turn].rounds;
}

static void next_turn(contest_t *contest)
{
    const rounds_t *turn = &turns[contest->turn];
    uint32_t *count = &contest->count[turn->who];

    if (turn->counts && *count < COLL_PSCHEDULE_TURNS) {
        contest->time[turn->who][(*count)++] = contest->spent / turn->rounds;
    }
    contest->turn = contest->turn + 1 < TURNS ? contest->turn + 1 : contest->turn;
    contest->round = 0;
    contest->spent = 0;
}

mca_coll_pschedule_turn_t mca_coll_pschedule_contest_next(contest_t *contest)
{
    const rounds_t *turn;

    if (contest->round == rounds_of(contest, contest->turn)) {
        next_turn(contest);
    }
    turn = &turns[contest->turn];
    ++contest->round;
    return (mca_coll_pschedule_turn_t) {
        .who = turn->who,
        .votes = contest->round == rounds_of(contest, contest->turn),
        .timed = turn->counts};
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

mca_coll_pschedule_result_t
mca_coll_pschedule_contest_count(contest_t *contest,
                                 const uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS])
{
    uint64_t here = ballot[COLL_PSCHEDULE_HERE], there = ballot[COLL_PSCHEDULE_THERE];

    if (!turns[contest->turn].decides) {
        return COLL_PSCHEDULE_GOES_ON;
    }
    if (contest->turn + 1 == TURNS) {
        return 0 != here && is_part(there, CLEARLY_FASTER, here) ? COLL_PSCHEDULE_THERE_WINS
                                                                 : COLL_PSCHEDULE_HERE_WINS;
    }
    if (is_part(here, FAR_FASTER, there)) {
        return COLL_PSCHEDULE_HERE_WINS;
    }
    return contest->count[COLL_PSCHEDULE_THERE] > 1 && is_part(there, FAR_FASTER, here)
               ? COLL_PSCHEDULE_THERE_WINS
               : COLL_PSCHEDULE_GOES_ON;
}
