/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two ways of a persistent collective is faster in this program, on these machines, now:
 * the one of this component ("here"), or the one that the program would have without it ("there").
 * They take turns in the program's own rounds, and the ranks decide together. (STAR-MPI, ICS 2006,
 * tries algorithms of MPI_Alltoall likewise.)
 *
 * What counts is the time from the start of a round to its end: not what the program does between
 * rounds, and less of what it does meanwhile if that is overlapped. After the last round of a turn
 * all ranks vote, by an allreduce, so nobody gets into the next turn before all have come as far.
 * Else ranks that only send would run ahead, and their messages be worked on in the other's turn.
 * The vote takes no time of the round, but the program waits for it.
 *
 * Who serves a round depends on its number alone, until a decision is made, and a decision is made
 * of numbers that are the same on all ranks. Knows no MPI; times are in nanoseconds.
 */
#ifndef COLL_PSCHEDULE_CONTEST_H
#define COLL_PSCHEDULE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

typedef enum mca_coll_pschedule_contestant_t {
    COLL_PSCHEDULE_HERE,
    COLL_PSCHEDULE_THERE,
    COLL_PSCHEDULE_CONTESTANTS
} mca_coll_pschedule_contestant_t;

/** Turns whose time counts, at most, of each. */
#define COLL_PSCHEDULE_TURNS 3

typedef struct mca_coll_pschedule_contest_t {
    uint32_t begins;  /**< rounds before the first turn, 1 or more */
    uint32_t turn;    /**< 0: before the first one */
    uint32_t round;   /**< of the turn: so many have begun */
    uint64_t spent;   /**< in the rounds of the turn */
    uint32_t factor;  /**< by which turns that count have more rounds; a power of two */
    uint32_t count[COLL_PSCHEDULE_CONTESTANTS];
    uint64_t time[COLL_PSCHEDULE_CONTESTANTS][COLL_PSCHEDULE_TURNS]; /**< of a round, on average */
} mca_coll_pschedule_contest_t;

/** What a round is for. */
typedef struct mca_coll_pschedule_turn_t {
    mca_coll_pschedule_contestant_t who;
    bool votes; /**< the ranks also exchange ballots, and count them before the next round */
    bool timed; /**< how long it takes must be told: mca_coll_pschedule_contest_add */
} mca_coll_pschedule_turn_t;

/** What the votes have brought. */
typedef enum mca_coll_pschedule_result_t {
    COLL_PSCHEDULE_GOES_ON,
    COLL_PSCHEDULE_HERE_WINS,
    COLL_PSCHEDULE_THERE_WINS
} mca_coll_pschedule_result_t;

/** @param begins  rounds before the first turn; of 0 is made 1 */
void mca_coll_pschedule_contest_make(mca_coll_pschedule_contest_t *contest, uint32_t begins);

/** A round begins. */
mca_coll_pschedule_turn_t mca_coll_pschedule_contest_next(mca_coll_pschedule_contest_t *contest);

/** A round that is timed has taken so long. Before the next one begins. */
static inline void mca_coll_pschedule_contest_add(mca_coll_pschedule_contest_t *contest,
                                                  uint64_t time)
{
    contest->spent += time;
}

/** What this rank has seen, in a round that votes. Of all ranks' ballots the largest numbers
 * count. */
void mca_coll_pschedule_contest_ballot(const mca_coll_pschedule_contest_t *contest,
                                       uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS]);

/** After a round that has voted, before the next one. */
mca_coll_pschedule_result_t
mca_coll_pschedule_contest_count(mca_coll_pschedule_contest_t *contest,
                                 const uint64_t ballot[COLL_PSCHEDULE_CONTESTANTS]);

#endif /* COLL_PSCHEDULE_CONTEST_H */
