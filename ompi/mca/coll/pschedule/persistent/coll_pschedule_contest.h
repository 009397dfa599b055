/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two ways of a persistent collective is faster in this program, on these machines, now:
 * the one of this component ("here"), or the one that the program would have without it ("there").
 * Both take turns in the program's own rounds, and the ranks decide together. (STAR-MPI, ICS 2006,
 * tries algorithms of MPI_Alltoall likewise.)
 *
 * What is compared is the time from one MPI_Start to the next, so what the program computes
 * meanwhile counts, too: a way that overlaps it is faster, and between others there is little
 * to choose. Medians, so that a round in which the program does something else does not count.
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
    COLL_PSCHEDULE_SIDES
} mca_coll_pschedule_contestant_t;

/** In the first look the other way has few rounds: what is far slower shall not cost more. */
#define COLL_PSCHEDULE_GLANCE_ROUNDS 4

/** In the second look they take turns of so many rounds, in so many turns each. */
#define COLL_PSCHEDULE_TURN_ROUNDS 8
#define COLL_PSCHEDULE_TURNS       3

/** The first rounds of a turn do not count: pipelines fill and drain. */
#define COLL_PSCHEDULE_TURN_SKIPS 2

#define COLL_PSCHEDULE_TIMES \
    ((COLL_PSCHEDULE_TURN_ROUNDS - COLL_PSCHEDULE_TURN_SKIPS) * COLL_PSCHEDULE_TURNS)

typedef struct mca_coll_pschedule_times_t {
    uint32_t count;
    uint64_t time[COLL_PSCHEDULE_TIMES]; /**< the first `count` are known */
} mca_coll_pschedule_times_t;

typedef struct mca_coll_pschedule_contest_t {
    uint32_t begins; /**< rounds before the first look, 1 or more */
    uint32_t round;  /**< the next one; the first is 0 */
    uint64_t began;  /**< when the round before that began */
    mca_coll_pschedule_times_t times[COLL_PSCHEDULE_SIDES];
} mca_coll_pschedule_contest_t;

/** What a round is for. */
typedef struct mca_coll_pschedule_turn_t {
    mca_coll_pschedule_contestant_t who;
    bool votes; /**< the ranks also exchange ballots, and count them before the next round */
} mca_coll_pschedule_turn_t;

/** What the votes have brought. */
typedef enum mca_coll_pschedule_result_t {
    COLL_PSCHEDULE_GOES_ON,
    COLL_PSCHEDULE_HERE_WINS,
    COLL_PSCHEDULE_THERE_WINS
} mca_coll_pschedule_result_t;

/** @param begins  rounds before the first look; at least one is made of 0 */
void mca_coll_pschedule_contest_make(mca_coll_pschedule_contest_t *contest, uint32_t begins);

/** A round begins. */
mca_coll_pschedule_turn_t mca_coll_pschedule_contest_next(mca_coll_pschedule_contest_t *contest,
                                                          uint64_t now);

/** What this rank has seen, in a round that votes. Of all ranks' ballots the largest numbers
 * count: a collective is as fast as its slowest rank. */
void mca_coll_pschedule_contest_ballot(const mca_coll_pschedule_contest_t *contest,
                                       uint64_t ballot[COLL_PSCHEDULE_SIDES]);

/** After a round that has voted, before the next one. */
mca_coll_pschedule_result_t
mca_coll_pschedule_contest_count(mca_coll_pschedule_contest_t *contest,
                                 const uint64_t ballot[COLL_PSCHEDULE_SIDES]);

#endif /* COLL_PSCHEDULE_CONTEST_H */
