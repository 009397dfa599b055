/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans of the random stress: what is drawn from the seed (plan.c), and how a rank executes it
 * (execute.c).
 */

#ifndef MPIX_TEST_PLAN_H
#define MPIX_TEST_PLAN_H

#include "../support/mpitest.h"
#include "../support/types.h"

#define PLAN_COMMUNICATORS 4
#define PLAN_MAX_CHANNELS  64
#define PLAN_MAX_THREADS   8

/* What stays the same from round to round. */
typedef struct plan_world {
    MPI_Comm comm[PLAN_COMMUNICATORS]; /* world, two duplicates, one with its ranks reversed */
    mt_named_type_t types[MT_TYPES];
    int threads;
    int max_channels;
    size_t max_bytes;
} plan_world_t;

/* One side of a channel: partitions of count elements of a datatype. */
typedef struct plan_cut {
    int partitions;
    int count;
    int type; /* of the world's types; MT_TYPES: MPI_INT, without gaps and copies */
} plan_cut_t;

typedef struct plan_channel {
    int source; /* ranks of MPI_COMM_WORLD */
    int dest;
    int comm;
    int tag;
    plan_cut_t send;
    plan_cut_t receive;
    int iterations; /* 0: freed without having been started */
} plan_channel_t;

typedef struct plan {
    uint64_t seed;
    int round;
    int channels;
    int iterations; /* of the channel that has most */
    plan_channel_t channel[PLAN_MAX_CHANNELS];
} plan_t;

void plan_world_make(plan_world_t *world);
void plan_world_drop(plan_world_t *world);

/* The same on all ranks. */
void plan_draw(plan_t *plan, const plan_world_t *world, uint64_t seed, int round);
void plan_print(const plan_t *plan);

/* Opens, uses and frees this rank's sides of the channels. */
void plan_run(const plan_t *plan, const plan_world_t *world);

#endif
