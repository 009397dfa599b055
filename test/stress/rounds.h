/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the random stress programs have in common: a seeded sequence of rounds that can be played
 * again, and random ways of pausing and of completing requests.
 */
#ifndef MPIX_TEST_ROUNDS_H
#define MPIX_TEST_ROUNDS_H

#include "../support/mpitest.h"
#include "../support/options.h"

/* First in the list of options of a program with rounds. */
#define ROUNDS_OPTIONS                                                 \
    {"seconds", "time to run (0: until --rounds)", 10, false},         \
        {"seed", "of everything (0: from the clock)", 0, false},       \
        {"first", "round to begin with", 0, false},                    \
        {"rounds", "number of rounds (0: until --seconds)", 0, false}, \
    {                                                                  \
        "verbose", "print each round", 0, true                         \
    }

/* Plays rounds until time or number is over or one failed on any rank; collective. `play` gets the
 * seed, equal on all ranks, and the number of the round. Sets *seed; returns how many it played. */
int rounds_play(mt_option_t options[], uint64_t *seed,
                void (*play)(void *context, uint64_t seed, int round), void *context);

/* Mostly not at all. */
void rounds_pause(mt_random_t *random);

/* Completes all requests in one of several ways. */
void rounds_complete(MPI_Request *requests, int count, mt_random_t *random);

#endif /* MPIX_TEST_ROUNDS_H */
