/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mixed stress carries out a round on one rank.
 */

#include "blend.h"
#include "rounds.h"

#include "../support/side.h"

#include <sched.h>
#include <stdlib.h>

#define MOST     (BLEND_MAX_COLLECTIVES + 2 * BLEND_MAX_CHANNELS)
#define VERSIONS 2

/* A request of this rank: a collective, or one side of a channel. */
typedef struct {
    bool collective;
    pc_t pc;
    mt_side_t side;
    int iterations;
    bool active; /* in this iteration */
    bool polled; /* in this iteration, by MPI_Parrived, not only waited for */
} work_t;

typedef struct {
    work_t *work;
    int partition;
    bool mark; /* or poll */
} item_t;

typedef struct {
    const blend_t *blend;
    const blend_world_t *world;
    mt_random_t random; /* of this rank */
    work_t works[MOST];
    int count;
    int iteration;
    item_t *items[BLEND_MAX_THREADS];
    int item_count[BLEND_MAX_THREADS];
    uint64_t thread_seed[BLEND_MAX_THREADS];
} rank_t;

static MPI_Request *request_of(work_t *work)
{
    return work->collective ? &work->pc.request : &work->side.request;
}

static int gives_of(const work_t *work)
{
    if (work->collective) {
        return work->pc.gives;
    }
    return work->side.sending ? work->side.partitions : 0;
}

static int takes_of(const work_t *work)
{
    if (work->collective) {
        return work->pc.takes;
    }
    return work->side.sending ? 0 : work->side.partitions;
}

/* ---- opening and closing ---- */

static void open_channel(rank_t *rank, int number, bool sending)
{
    const blend_channel_t *channel = &rank->blend->channel[number];
    work_t *work = &rank->works[rank->count++];
    int cut = sending ? channel->send_cut : channel->recv_cut;
    size_t bytes = channel->bytes / (size_t) cut;

    work->collective = false;
    work->iterations = channel->iterations;
    if (sending) {
        mt_psend(&work->side, cut, bytes, channel->dest, number, MPI_COMM_WORLD);
    } else {
        mt_precv(&work->side, cut, bytes, channel->source, number, MPI_COMM_WORLD);
    }
    work->side.seed += rank->blend->seed * 7919u + (uint64_t) rank->blend->round * 131u;
}

/* Collectives in the order of the round on all ranks, channels in between. */
static void open_all(rank_t *rank)
{
    const blend_t *blend = rank->blend;

    for (int c = 0; c < blend->collectives || c < blend->channels; c++) {
        if (c < blend->channels && mt_rank() == blend->channel[c].source) {
            open_channel(rank, c, true);
        }
        if (c < blend->collectives) {
            work_t *work = &rank->works[rank->count++];
            work->collective = true;
            work->iterations = blend->coll_iterations[c];
            pc_make(&work->pc, &blend->spec[c], VERSIONS);
            pc_open(&work->pc);
        }
        if (c < blend->channels && mt_rank() == blend->channel[c].dest) {
            open_channel(rank, c, false);
        }
        rounds_pause(&rank->random);
    }
}

static void close_all(rank_t *rank)
{
    int order[MOST];

    for (int w = 0; w < rank->count; w++) {
        order[w] = w;
    }
    mt_random_shuffle(&rank->random, order, rank->count);
    for (int w = 0; w < rank->count; w++) {
        work_t *work = &rank->works[order[w]];
        if (work->collective) {
            pc_drop(&work->pc);
        } else {
            mt_drop(&work->side);
        }
        rounds_pause(&rank->random);
    }
}

/* ---- an iteration ---- */

static void start_all(rank_t *rank)
{
    int order[MOST];

    for (int w = 0; w < rank->count; w++) {
        order[w] = w;
    }
    mt_random_shuffle(&rank->random, order, rank->count);
    for (int w = 0; w < rank->count; w++) {
        work_t *work = &rank->works[order[w]];
        work->active =
            rank->iteration < work->iterations && MPI_REQUEST_NULL != *request_of(work);
        work->polled = 0 != mt_random_below(&rank->random, 3);
        if (!work->active) {
            continue;
        }
        if (work->collective) {
            pc_start(&work->pc, rank->iteration);
        } else {
            mt_side_wipe(&work->side);
            mt_start(&work->side);
        }
        rounds_pause(&rank->random);
    }
}

static void deal_item(rank_t *rank, work_t *work, int partition, bool mark)
{
    int t = mt_random_below(&rank->random, rank->world->threads);

    rank->items[t][rank->item_count[t]++] = (item_t){work, partition, mark};
}

/* Deals the partitions to the threads. */
static void deal(rank_t *rank)
{
    size_t total = 0;

    for (int w = 0; w < rank->count; w++) {
        total += (size_t) (gives_of(&rank->works[w]) + takes_of(&rank->works[w]));
    }
    for (int t = 0; t < rank->world->threads; t++) {
        rank->items[t] = mt_alloc(total * sizeof(item_t));
        rank->item_count[t] = 0;
        rank->thread_seed[t] = mt_random_next(&rank->random);
    }
    for (int w = 0; w < rank->count; w++) {
        work_t *work = &rank->works[w];
        for (int p = 0; work->active && p < gives_of(work); p++) {
            deal_item(rank, work, p, true);
        }
        for (int p = 0; work->active && work->polled && p < takes_of(work); p++) {
            deal_item(rank, work, p, false);
        }
    }
}

/* False: not yet. */
static bool try_item(const rank_t *rank, const item_t *item)
{
    work_t *work = item->work;

    if (item->mark && work->collective) {
        pc_mark(&work->pc, item->partition);
    } else if (item->mark) {
        mt_send_partition(&work->side, item->partition, rank->iteration);
    } else if (work->collective) {
        return pc_arrived(&work->pc, item->partition);
    } else if (!mt_arrived(work->side.request, item->partition)) {
        return false;
    } else {
        mt_side_verify(&work->side, item->partition, rank->iteration);
    }
    return true;
}

/* Marks and polls, in random order, until all of its items are done. */
static void run_thread(int thread, void *argument)
{
    rank_t *rank = argument;
    item_t *items = rank->items[thread];
    int left = rank->item_count[thread];
    mt_random_t random;

    mt_random_seed(&random, rank->thread_seed[thread]);
    while (left > 0) {
        int i = mt_random_below(&random, left);
        if (!try_item(rank, &items[i])) {
            sched_yield();
            continue;
        }
        items[i] = items[--left];
        rounds_pause(&random);
    }
}

static void complete_all(rank_t *rank)
{
    MPI_Request requests[MOST];
    int count = 0;

    for (int w = 0; w < rank->count; w++) {
        if (rank->works[w].active) {
            requests[count++] = *request_of(&rank->works[w]);
        }
    }
    rounds_complete(requests, count, &rank->random);
    for (int w = 0; w < rank->count; w++) {
        work_t *work = &rank->works[w];
        if (work->active && work->collective) {
            pc_verify(&work->pc);
        } else if (work->active && !work->side.sending) {
            mt_side_verify(&work->side, -1, rank->iteration);
        }
    }
}

void blend_run(const blend_t *blend, const blend_world_t *world)
{
    rank_t *rank = mt_alloc(sizeof(*rank));

    rank->blend = blend;
    rank->world = world;
    rank->count = 0;
    mt_random_seed(&rank->random,
                   blend->seed * 37u + (uint64_t) (blend->round * 1009 + mt_rank() + 1));
    open_all(rank);
    for (rank->iteration = 0; rank->iteration < blend->iterations; rank->iteration++) {
        mt_stage("seed %llu round %d iteration %d", (unsigned long long) blend->seed, blend->round,
                 rank->iteration);
        start_all(rank);
        deal(rank);
        mt_team(world->threads, run_thread, rank);
        complete_all(rank);
        for (int t = 0; t < world->threads; t++) {
            free(rank->items[t]);
        }
    }
    close_all(rank);
    free(rank);
}
