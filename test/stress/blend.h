/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rounds of the mixed stress: collectives and channels, drawn from a seed (mixed.c), and how a rank
 * carries them out (blend.c).
 */

#ifndef MPIX_TEST_BLEND_H
#define MPIX_TEST_BLEND_H

#include "../support/pcoll.h"

#define BLEND_COMMUNICATORS   4
#define BLEND_MAX_COLLECTIVES 16
#define BLEND_MAX_CHANNELS    16
#define BLEND_MAX_THREADS     8

/* What stays the same from round to round. */
typedef struct blend_world {
    MPI_Comm comm[BLEND_COMMUNICATORS]; /* two with neighbours, one reversed, halves */
    int threads;
    int max_collectives;
    int max_channels;
    size_t max_bytes;
} blend_world_t;

typedef struct blend_channel {
    int source; /* ranks of MPI_COMM_WORLD */
    int dest;
    int send_cut;
    int recv_cut;
    size_t bytes; /* in total; both cuts divide it */
    int iterations;
} blend_channel_t;

typedef struct blend {
    uint64_t seed;
    int round;
    int collectives;
    pc_spec_t spec[BLEND_MAX_COLLECTIVES];
    int coll_iterations[BLEND_MAX_COLLECTIVES]; /* 0: freed without having been started */
    int channels;
    blend_channel_t channel[BLEND_MAX_CHANNELS];
    int iterations; /* of what has most */
} blend_t;

/* Opens, uses and frees what this rank takes part in. */
void blend_run(const blend_t *blend, const blend_world_t *world);

#endif
