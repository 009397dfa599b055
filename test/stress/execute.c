/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The random stress executes a plan on one rank.
 */

#include "plan.h"
#include "rounds.h"

#include "../support/side.h"

#include <sched.h>
#include <stdlib.h>

/* A side of a channel that lives on this rank. */
typedef struct {
    const plan_channel_t *channel;
    const plan_cut_t *cut;
    MPI_Request request;
    mt_typed_t typed;
    int number; /* of the channel: names its data */
    bool sending;
    bool active; /* in this iteration */
    bool polled; /* in this iteration, by MPI_Parrived, not only waited for */
} end_t;

/* A partition to mark or to poll for. */
typedef struct {
    end_t *end;
    int partition;
} item_t;

typedef struct {
    const plan_t *plan;
    const plan_world_t *world;
    mt_random_t random; /* of this rank */
    end_t ends[2 * PLAN_MAX_CHANNELS];
    int count;
    int iteration;
    item_t *items[PLAN_MAX_THREADS];
    int item_count[PLAN_MAX_THREADS];
    uint64_t thread_seed[PLAN_MAX_THREADS];
} rank_t;

static uint64_t stream_of(const rank_t *rank, const end_t *end)
{
    return ((rank->plan->seed * 10007u + (uint64_t) rank->plan->round) * PLAN_MAX_CHANNELS
            + (uint64_t) end->number)
               * 64u
           + (uint64_t) rank->iteration;
}

static void open_end(rank_t *rank, int number, bool sending)
{
    const plan_channel_t *channel = &rank->plan->channel[number];
    const plan_cut_t *cut = sending ? &channel->send : &channel->receive;
    MPI_Datatype type = MT_TYPES == cut->type ? MPI_INT : rank->world->types[cut->type].type;
    MPI_Comm comm = rank->world->comm[channel->comm];
    int peer = sending ? channel->dest : channel->source;
    end_t *end = &rank->ends[rank->count++];

    if (3 == channel->comm) {
        peer = mt_size() - 1 - peer;
    }
    *end = (end_t){.channel = channel,
                   .cut = cut,
                   .number = number,
                   .sending = sending,
                   .request = MPI_REQUEST_NULL};
    mt_typed_make(&end->typed, cut->partitions, cut->count, type);
    if (sending) {
        mt_success(MPI_Psend_init(end->typed.origin, cut->partitions, cut->count, type, peer,
                                  channel->tag, comm, MPI_INFO_NULL, &end->request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(end->typed.origin, cut->partitions, cut->count, type, peer,
                                  channel->tag, comm, MPI_INFO_NULL, &end->request),
                   "MPI_Precv_init");
    }
}

static void close_end(end_t *end)
{
    if (MPI_REQUEST_NULL != end->request) {
        mt_free(&end->request);
        mt_typed_drop(&end->typed);
    }
}

/* In the order of the plan, which is the order of matching; channels without iterations may go at
 * once. */
static void open_all(rank_t *rank)
{
    for (int c = 0; c < rank->plan->channels; c++) {
        const plan_channel_t *channel = &rank->plan->channel[c];
        bool send_first = 0 == mt_random_below(&rank->random, 2);
        for (int turn = 0; turn < 2; turn++) {
            bool sending = send_first == (0 == turn);
            if (mt_rank() == (sending ? channel->source : channel->dest)) {
                open_end(rank, c, sending);
                if (0 == channel->iterations && 0 == mt_random_below(&rank->random, 2)) {
                    close_end(&rank->ends[rank->count - 1]);
                }
            }
        }
        rounds_pause(&rank->random);
    }
}

static void check_partition(const rank_t *rank, const end_t *end, int partition)
{
    size_t wrong = mt_typed_wrong(&end->typed, partition, stream_of(rank, end));

    mt_check(0 == wrong,
             "round %d channel %d iteration %d: %zu bytes of partition %d are wrong when "
             "it is reported",
             rank->plan->round, end->number, rank->iteration, wrong, partition);
}

/* Marks and polls, in turn, until all of its items are done. */
static void work(int thread, void *argument)
{
    rank_t *rank = argument;
    item_t *items = rank->items[thread];
    int left = rank->item_count[thread];
    mt_random_t random;

    mt_random_seed(&random, rank->thread_seed[thread]);
    while (left > 0) {
        int i = mt_random_below(&random, left);
        end_t *end = items[i].end;
        int partition = items[i].partition;
        if (end->sending) {
            mt_typed_fill(&end->typed, partition, stream_of(rank, end));
            mt_success(MPI_Pready(partition, end->request), "MPI_Pready");
        } else if (mt_arrived(end->request, partition)) {
            check_partition(rank, end, partition);
        } else {
            sched_yield();
            continue;
        }
        items[i] = items[--left];
        rounds_pause(&random);
    }
}

/* Deals the partitions of the active ends to the threads. */
static void deal(rank_t *rank)
{
    int threads = rank->world->threads;

    for (int t = 0; t < threads; t++) {
        rank->item_count[t] = 0;
        rank->thread_seed[t] = mt_random_next(&rank->random);
    }
    for (int e = 0; e < rank->count; e++) {
        end_t *end = &rank->ends[e];
        for (int p = 0; end->active && (end->sending || end->polled) && p < end->cut->partitions;
             p++) {
            int t = mt_random_below(&rank->random, threads);
            rank->items[t][rank->item_count[t]++] = (item_t){end, p};
        }
    }
}

static void start_all(rank_t *rank)
{
    int order[2 * PLAN_MAX_CHANNELS];

    for (int e = 0; e < rank->count; e++) {
        order[e] = e;
    }
    mt_random_shuffle(&rank->random, order, rank->count);
    for (int i = 0; i < rank->count; i++) {
        end_t *end = &rank->ends[order[i]];
        end->active = rank->iteration < end->channel->iterations;
        end->polled = 0 != mt_random_below(&rank->random, 3);
        if (end->active) {
            mt_typed_reset(&end->typed);
            mt_success(MPI_Start(&end->request), "MPI_Start");
            rounds_pause(&rank->random);
        }
    }
}

static void complete_all(rank_t *rank)
{
    MPI_Request requests[2 * PLAN_MAX_CHANNELS];
    int count = 0;

    for (int e = 0; e < rank->count; e++) {
        if (rank->ends[e].active) {
            requests[count++] = rank->ends[e].request;
        }
    }
    rounds_complete(requests, count, &rank->random);
    for (int e = 0; e < rank->count; e++) {
        end_t *end = &rank->ends[e];
        if (end->active && !end->sending) {
            size_t wrong = mt_typed_wrong(&end->typed, -1, stream_of(rank, end));
            size_t spilled = mt_typed_spilled(&end->typed);
            mt_check(0 == wrong && 0 == spilled,
                     "round %d channel %d iteration %d: %zu bytes are wrong, "
                     "%zu bytes in gaps were written",
                     rank->plan->round, end->number, rank->iteration, wrong, spilled);
        }
    }
}

void plan_run(const plan_t *plan, const plan_world_t *world)
{
    rank_t *rank = mt_alloc(sizeof(*rank));
    size_t items = 0;

    rank->plan = plan;
    rank->world = world;
    rank->count = 0;
    mt_random_seed(&rank->random,
                   plan->seed * 31u + (uint64_t) (plan->round * 1009 + mt_rank() + 1));
    for (int c = 0; c < plan->channels; c++) {
        items += (size_t) (plan->channel[c].send.partitions + plan->channel[c].receive.partitions);
    }
    for (int t = 0; t < world->threads; t++) {
        rank->items[t] = mt_alloc(items * sizeof(item_t));
    }
    open_all(rank);
    for (rank->iteration = 0; rank->iteration < plan->iterations; rank->iteration++) {
        start_all(rank);
        deal(rank);
        mt_team(world->threads, work, rank);
        complete_all(rank);
    }
    for (int e = 0; e < rank->count; e++) {
        close_end(&rank->ends[e]);
        rounds_pause(&rank->random);
    }
    for (int t = 0; t < world->threads; t++) {
        free(rank->items[t]);
    }
    free(rank);
}
