/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The random stress draws its plans: the same on all ranks.
 */

#include "plan.h"

#include <string.h>

#define IDLE_TAG         9
#define INTS_PER_ELEMENT 6 /* of every type but MPI_INT */

void plan_world_make(plan_world_t *world)
{
    int rank = mt_rank();

    world->comm[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &world->comm[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &world->comm[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &world->comm[3]);
    mt_types_make(world->types);
    world->threads = world->threads > PLAN_MAX_THREADS ? PLAN_MAX_THREADS : world->threads;
    world->threads = world->threads < 1 ? 1 : world->threads;
    if (world->max_channels > PLAN_MAX_CHANNELS) {
        world->max_channels = PLAN_MAX_CHANNELS;
    }
}

void plan_world_drop(plan_world_t *world)
{
    mt_types_free(world->types);
    for (int i = 1; i < PLAN_COMMUNICATORS; i++) {
        MPI_Comm_free(&world->comm[i]);
    }
}

/* Small numbers are frequent, large ones happen. */
static int skewed(mt_random_t *random, int bound)
{
    int value = mt_random_below(random, bound);
    int other = mt_random_below(random, bound);

    return value < other ? value : other;
}

/* Counts for which both cuts have the same number of ints: the sender's partition has the
 * receiver's number of partitions as a factor and the other way round, unless the counts are
 * equal. */
static void draw_cuts(plan_channel_t *channel, mt_random_t *random, size_t max_bytes)
{
    plan_cut_t *send = &channel->send;
    plan_cut_t *receive = &channel->receive;
    bool equal = 0 == mt_random_below(random, 3);

    send->partitions = 1 + skewed(random, 80);
    receive->partitions = equal ? send->partitions : 1 + skewed(random, 80);
    send->type = 0 == mt_random_below(random, 2) ? MT_TYPES : mt_random_below(random, MT_TYPES);
    receive->type = 0 == mt_random_below(random, 2) ? MT_TYPES : mt_random_below(random, MT_TYPES);
    int per_send = equal ? 1 : receive->partitions;
    int per_receive = equal ? 1 : send->partitions;
    size_t least = (size_t) send->partitions * (size_t) per_send * INTS_PER_ELEMENT * sizeof(int);
    int room = (int) (max_bytes / least);
    int unit = 0 == mt_random_below(random, 20) ? 0 : 1;
    if (unit && room > 1) {
        int bits = 0;
        while (bits < 30 && (1 << (bits + 1)) <= room) {
            bits++;
        }
        unit = 1 + mt_random_below(random, 1 << mt_random_below(random, bits + 1));
    }
    send->count = per_send * unit * (MT_TYPES == send->type ? INTS_PER_ELEMENT : 1);
    receive->count = per_receive * unit * (MT_TYPES == receive->type ? INTS_PER_ELEMENT : 1);
}

/* Freed without having been started, on either side at any time, also while the other side has
 * not heard of it yet: which of two such channels of one key meet is then open, so they have a
 * tag and a size of their own. (What is decided by the order of init:
 * test/mpi/s47b_free_races.c.) */
static void make_idle(plan_channel_t *channel)
{
    channel->tag = IDLE_TAG;
    channel->send = (plan_cut_t){.partitions = 4, .count = 32, .type = MT_TYPES};
    channel->receive = (plan_cut_t){.partitions = 8, .count = 16, .type = MT_TYPES};
}

void plan_draw(plan_t *plan, const plan_world_t *world, uint64_t seed, int round)
{
    mt_random_t random;

    memset(plan, 0, sizeof(*plan));
    mt_random_seed(&random, seed * 7919u + (uint64_t) round * 1000000007u);
    plan->seed = seed;
    plan->round = round;
    plan->channels = 1 + mt_random_below(&random, world->max_channels);
    for (int c = 0; c < plan->channels; c++) {
        plan_channel_t *channel = &plan->channel[c];
        channel->source = mt_random_below(&random, mt_size());
        channel->dest = mt_random_below(&random, mt_size());
        channel->comm = mt_random_below(&random, PLAN_COMMUNICATORS);
        channel->tag = mt_random_below(&random, 3);
        draw_cuts(channel, &random, world->max_bytes);
        channel->iterations = skewed(&random, 6);
        if (0 == channel->iterations) {
            make_idle(channel);
        }
        if (channel->iterations > plan->iterations) {
            plan->iterations = channel->iterations;
        }
    }
}

void plan_print(const plan_t *plan)
{
    mt_note("round %d: %d channels", plan->round, plan->channels);
    for (int c = 0; c < plan->channels; c++) {
        const plan_channel_t *channel = &plan->channel[c];
        mt_note(
            "  %d: rank %d -> %d, communicator %d, tag %d, %d x %d of type %d -> %d x %d of type "
            "%d, %d iterations",
            c, channel->source, channel->dest, channel->comm, channel->tag,
            channel->send.partitions, channel->send.count, channel->send.type,
            channel->receive.partitions, channel->receive.count, channel->receive.type,
            channel->iterations);
    }
}
