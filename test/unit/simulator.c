/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Making a world, and letting it run in a random order (see simulator.h).
 */
#include "simulator.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_fail(sim_world_t *world, const char *format, ...)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* also when the world's is held */
    va_list arguments;

    (void) pthread_mutex_lock(&lock);
    if (!atomic_load(&world->failed)) {
        va_start(arguments, format);
        (void) vsnprintf(world->fault, sizeof(world->fault), format, arguments);
        va_end(arguments);
        atomic_store(&world->failed, true);
    }
    (void) pthread_mutex_unlock(&lock);
}

/* ---- making ---- */

static void *zeroed(uint64_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (NULL == memory) {
        abort();
    }
    return memory;
}

sim_world_t *sim_new(const sim_params_t *params)
{
    sim_world_t *world = zeroed(1, sizeof(*world));

    world->params = *params;
    world->random = params->seed * 2 + 1;
    world->rank = zeroed(params->ranks, sizeof(*world->rank));
    (void) pthread_mutex_init(&world->lock, NULL);
    world->message_free = world->task_free = COLL_PSCHEDULE_NONE;
    for (uint32_t i = 0; i < params->ranks; ++i) {
        world->rank[i].world = world;
        world->rank[i].waiting = COLL_PSCHEDULE_NONE;
    }
    sim_hosts(params, &world->hosts);
    sim_problems(world);
    return world;
}

static void free_rank(sim_rank_t *rank)
{
    mca_coll_pschedule_engine_fini(&rank->engine);
    mca_coll_pschedule_plan_free(rank->plan);
    for (int i = 0; i < 3; ++i) {
        free(NULL == rank->space[i] ? NULL : rank->space[i] - SIM_GUARD);
    }
    free(rank->send);
    free(rank->recv);
    free(rank->contribution);
    free((void *) (uintptr_t) rank->problem.relay_cuts);
    free(rank->source);
    free(rank->destination);
    free(rank->origin);
    free(rank->partner);
    free(rank->image);
    free(rank->settled);
    free((void *) rank->marked);
    free((void *) rank->arrived);
}

void sim_free(sim_world_t *world)
{
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        free_rank(&world->rank[i]);
    }
    for (uint32_t i = 0; i < world->messages; ++i) {
        free(world->message[i]->bytes);
        free(world->message[i]);
    }
    for (uint32_t i = 0; i < world->tasks; ++i) {
        free(world->task[i]->bytes);
        free(world->task[i]);
    }
    for (int i = 0; i < SIM_KINDS; ++i) {
        free(world->pool[i].event);
    }
    free(world->message);
    free(world->task);
    free(world->reference);
    free(world->known);
    free(world->rank);
    mca_coll_pschedule_hosts_free(&world->hosts);
    (void) pthread_mutex_destroy(&world->lock);
    free(world);
}

bool sim_build(sim_world_t *world, uint32_t rank)
{
    sim_rank_t *at = &world->rank[rank];

    at->plan = mca_coll_pschedule_plan_new(&at->problem);
    world->params.row->build(at->plan, &at->problem);
    if (!mca_coll_pschedule_plan_freeze(at->plan)) {
        sim_fail(world, "rank %u: %s", rank, at->plan->fault);
        return false;
    }
    return true;
}

static uint64_t end_of(const mca_coll_pschedule_block_t *block, uint32_t blocks)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < blocks; ++i) {
        uint64_t last = block[i].offset + block[i].cut.bytes;

        end = last > end ? last : end;
    }
    return end;
}

bool sim_ready(sim_world_t *world)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        sim_rank_t *rank = &world->rank[i];
        uint64_t send = end_of(rank->send, rank->problem.send_blocks);
        uint64_t recv = end_of(rank->recv, rank->problem.recv_blocks);

        rank->size[COLL_PSCHEDULE_SPACE_SEND] = rank->problem.in_place ? 0 : send;
        rank->size[COLL_PSCHEDULE_SPACE_RECV] = rank->problem.in_place && send > recv ? send : recv;
        rank->size[COLL_PSCHEDULE_SPACE_SCRATCH] = rank->plan->scratch;
        for (int k = 0; k < 3; ++k) {
            rank->space[k]
                = (unsigned char *) zeroed(rank->size[k] + 2 * SIM_GUARD, 1) + SIM_GUARD;
        }
        rank->image = zeroed(rank->size[COLL_PSCHEDULE_SPACE_RECV], 1);
        rank->settled = zeroed(rank->size[COLL_PSCHEDULE_SPACE_RECV], 1);
        rank->marked = zeroed(rank->plan->send_partitions, sizeof(*rank->marked));
        rank->arrived = zeroed(rank->plan->recv_partitions, sizeof(*rank->arrived));
        all += rank->size[COLL_PSCHEDULE_SPACE_RECV];
        if (!mca_coll_pschedule_engine_init(&rank->engine, rank->plan,
                                            sim_backend(&world->params), rank)) {
            abort();
        }
        sim_push(world, SIM_START, i, 0);
    }
    world->reference = zeroed(all, 1);
    world->known = zeroed(all, 1);
    return true;
}

/* ---- what is next ---- */

/* Nothing but marks (and starts) can happen. */
static bool is_quiet(const sim_world_t *world)
{
    uint32_t count = world->pool[SIM_WANTED].count;

    for (int i = SIM_LAND; i < SIM_KINDS; ++i) {
        count += world->pool[i].count;
    }
    return 0 == count && 0 == world->busy;
}

static bool in_step(const sim_world_t *world)
{
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        if (world->rank[i].epoch != world->rank[0].epoch) {
            return false;
        }
    }
    return 0 < world->rank[0].epoch;
}

/* All that can happen has happened: what is due must be there. */
static void check_due(sim_world_t *world)
{
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        sim_rank_t *rank = &world->rank[i];

        for (uint32_t k = 0; k < rank->plan->recv_partitions; ++k) {
            if (0 == rank->arrived[k] && sim_due(rank, k, NULL)) {
                sim_fail(world, "rank %u: partition %u of the result does not come, although all "
                         "that it needs is marked", i, k);
            }
        }
    }
}

static void want(sim_world_t *world, uint32_t rank, uint32_t partition)
{
    if (sim_take_item(world, SIM_MARK, (sim_event_t) {.rank = rank, .item = partition})) {
        sim_push(world, SIM_WANTED, rank, partition);
    }
}

/* Mark what some result partition needs, and no more. */
static void want_result(sim_world_t *world)
{
    sim_rank_t *rank = &world->rank[unit_below(&world->random, world->params.ranks)];

    if (0 != rank->plan->recv_partitions) {
        uint32_t partition = unit_below(&world->random, rank->plan->recv_partitions);

        if (0 == rank->arrived[partition]) {
            (void) sim_due(rank, partition, want);
        }
    }
}

/* May what is due wait for what has not been marked yet? */
static bool may_wait(const sim_world_t *world)
{
    return 0 != world->params.whole && 0 == world->params.strict
           && 0 != world->pool[SIM_MARK].count;
}

static void on_quiet(sim_world_t *world)
{
    if (0 == world->checks || !in_step(world)) {
        return;
    }
    --world->checks;
    if (!may_wait(world)) {
        check_due(world);
    }
    if (0 != world->params.strict) {
        want_result(world);
    }
}

static uint32_t weight_of(const sim_world_t *world, int kind, bool quiet)
{
    bool held = 0 != world->params.strict && 0 != world->checks && !quiet;

    /* One result at a time: when all ranks are in the epoch, only what is wanted is marked. */
    if ((held && SIM_MARK == kind) || 0 == world->pool[kind].count) {
        return 0;
    }
    if (SIM_MARK == kind && 0 != world->params.strict && 0 != world->pool[SIM_START].count) {
        return 0;
    }
    return world->weight[kind];
}

/* Draw the next event. False when there is none (now). With the lock. */
static bool draw(sim_world_t *world, sim_kind_t *kind, sim_event_t *event)
{
    bool quiet = is_quiet(world);
    uint32_t sum = 0, drawn;

    if (quiet) {
        on_quiet(world);
        quiet = is_quiet(world);
    }
    for (int i = 0; i < SIM_KINDS; ++i) {
        sum += weight_of(world, i, quiet);
    }
    if (0 == sum) {
        return false;
    }
    drawn = unit_below(&world->random, sum);
    for (int i = 0; i < SIM_KINDS; ++i) {
        uint32_t weight = weight_of(world, i, quiet);

        if (drawn < weight) {
            *kind = (sim_kind_t) i;
            break;
        }
        drawn -= weight;
    }
    *event = sim_take(world, *kind);
    return true;
}

static void stuck(sim_world_t *world)
{
    for (uint32_t i = 0; i < world->params.ranks; ++i) {
        if (world->rank[i].active) {
            sim_fail(world, "deadlock: rank %u does not end epoch %u", i, world->rank[i].epoch);
            return;
        }
    }
    sim_fail(world, "deadlock: a message is left over");
}

static void live(unsigned index, void *context)
{
    sim_world_t *world = context;

    (void) index;
    (void) pthread_mutex_lock(&world->lock);
    while (!atomic_load(&world->failed)) {
        sim_kind_t kind = SIM_START;
        sim_event_t event;

        if (draw(world, &kind, &event)) {
            ++world->busy;
            (void) pthread_mutex_unlock(&world->lock);
            sim_do(world, kind, event);
            (void) pthread_mutex_lock(&world->lock);
            --world->busy;
        } else if (0 == world->busy) {
            if (world->done < world->params.ranks) {
                stuck(world);
            }
            break;
        } else {
            (void) pthread_mutex_unlock(&world->lock);
            (void) sched_yield();
            (void) pthread_mutex_lock(&world->lock);
        }
    }
    (void) pthread_mutex_unlock(&world->lock);
}

void sim_go(sim_world_t *world)
{
    world->checks = 12 * world->params.epochs;
    world->slow = COLL_PSCHEDULE_NONE;
    if (0 == unit_below(&world->random, 2)) {
        world->slow = unit_below(&world->random, world->params.ranks);
    }
    for (int i = 0; i < SIM_KINDS; ++i) {
        world->weight[i] = 1u << 3 * unit_below(&world->random, 4);
    }
    if (1 < world->params.threads) {
        unit_threads(world->params.threads, live, world);
    } else {
        live(0, world);
    }
    for (uint32_t i = 0; i < world->messages && !atomic_load(&world->failed); ++i) {
        if (0 != world->message[i]->open) {
            sim_fail(world, "a message is left over");
        }
    }
}

const char *sim_run(const sim_params_t *params)
{
    static char fault[SIM_LINE];
    sim_world_t *world = sim_new(params);
    bool good = true, failed;

    for (uint32_t i = 0; i < params->ranks && good; ++i) {
        good = sim_build(world, i);
    }
    if (good && sim_match(world) && sim_costs(world) && sim_ready(world)) {
        sim_go(world);
    }
    failed = atomic_load(&world->failed);
    memcpy(fault, world->fault, sizeof(fault));
    sim_free(world);
    return failed ? fault : NULL;
}
