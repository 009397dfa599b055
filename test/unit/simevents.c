/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens in a simulated world, one event at a time (see simulator.h).
 *
 * Everything that may happen next is an entry in the pool of its kind. A thread takes one under the
 * lock of the world, and does it without the lock.
 */
#include "simulator.h"

#include <stdlib.h>
#include <string.h>

enum { GARBAGE = 0xdb };

/* ---- pools ---- */

static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count == *capacity) {
        *capacity = 2 * *capacity + 64;
        array = realloc(array, *capacity * size);
        if (NULL == array) {
            abort();
        }
    }
    return array;
}

void sim_push(sim_world_t *world, sim_kind_t kind, uint32_t rank, uint32_t item)
{
    sim_pool_t *pool = &world->pool[kind];

    pool->event = grow(pool->event, pool->count, &pool->capacity, sizeof(*pool->event));
    pool->event[pool->count++] = (sim_event_t) {.rank = rank, .item = item};
}

sim_event_t sim_take(sim_world_t *world, sim_kind_t kind)
{
    sim_pool_t *pool = &world->pool[kind];
    uint32_t index = 0;
    sim_event_t event;

    for (int i = 0; i < 4; ++i) {
        index = unit_below(&world->random, pool->count);
        if (pool->event[index].rank != world->slow) {
            break;
        }
    }
    event = pool->event[index];
    pool->event[index] = pool->event[--pool->count];
    return event;
}

bool sim_take_item(sim_world_t *world, sim_kind_t kind, sim_event_t wanted)
{
    sim_pool_t *pool = &world->pool[kind];

    for (uint32_t i = 0; i < pool->count; ++i) {
        if (pool->event[i].rank == wanted.rank && pool->event[i].item == wanted.item) {
            pool->event[i] = pool->event[--pool->count];
            return true;
        }
    }
    return false;
}

/* ---- messages ---- */

static uint32_t new_message(sim_world_t *world)
{
    uint32_t index = world->message_free;

    if (COLL_PSCHEDULE_NONE != index) {
        world->message_free = world->message[index]->next;
        return index;
    }
    world->message = realloc(world->message, (world->messages + 1) * sizeof(*world->message));
    world->message[world->messages] = malloc(sizeof(**world->message));
    return world->messages++;
}

/* One of the two ends of a message is through with it. With the lock. */
static void close_message(sim_world_t *world, uint32_t index)
{
    sim_message_t *message = world->message[index];

    if (0 == --message->open) {
        free(message->bytes);
        message->bytes = NULL;
        message->next = world->message_free;
        world->message_free = index;
    }
}

/* The source of some is free at once. */
static bool on_send(void *context, uint32_t transfer)
{
    sim_rank_t *rank = context;
    sim_world_t *world = rank->world;
    const mca_coll_pschedule_transfer_t *what = &rank->plan->transfer[transfer];
    unsigned char *bytes = malloc(what->bytes + 1);
    uint32_t index;
    sim_message_t *message;
    bool at_once;

    sim_reads(rank, what->place, what->bytes);
    memcpy(bytes, sim_at(rank, what->place), what->bytes);
    (void) pthread_mutex_lock(&world->lock);
    at_once = 0 == unit_below(&world->random, 4);
    index = new_message(world);
    message = world->message[index];
    *message = (sim_message_t) {.from = (uint32_t) rank->problem.rank,
                               .to = (uint32_t) rank->plan->link[what->link].peer,
                               .leaves = transfer,
                               .arrives = rank->partner[transfer],
                               .epoch = rank->epoch,
                               .open = at_once ? 1 : 2,
                               .bytes = bytes};
    if (!at_once) {
        sim_push(world, SIM_FREE, message->from, index);
    }
    if (world->rank[message->to].epoch == message->epoch) {
        sim_push(world, SIM_LAND, message->to, index);
    } else { /* the receiver has not started this epoch */
        message->next = world->rank[message->to].waiting;
        world->rank[message->to].waiting = index;
    }
    (void) pthread_mutex_unlock(&world->lock);
    return at_once;
}

static sim_message_t *message_at(sim_world_t *world, uint32_t index)
{
    sim_message_t *message;

    (void) pthread_mutex_lock(&world->lock);
    message = world->message[index];
    (void) pthread_mutex_unlock(&world->lock);
    return message;
}

/* Until a transfer is at one of its ends, its source must stay as it was. (What has arrived has
 * been read, also when the sender has not heard of it: plans may rely on that.) */
static void check_source(sim_world_t *world, const sim_message_t *message)
{
    const sim_rank_t *rank = &world->rank[message->from];
    const mca_coll_pschedule_transfer_t *what = &rank->plan->transfer[message->leaves];

    if (1 == world->params.threads && 2 == message->open
        && 0 != memcmp(sim_at(rank, what->place), message->bytes, what->bytes)) {
        sim_fail(world, "rank %u: the source of a transfer to rank %u (key %llx) was written while "
                 "it left", message->from, message->to, (unsigned long long) what->key);
    }
}

static void do_land(sim_world_t *world, uint32_t index)
{
    sim_message_t *message = message_at(world, index);
    sim_rank_t *rank = &world->rank[message->to];
    const mca_coll_pschedule_transfer_t *what = &rank->plan->transfer[message->arrives];

    if (rank->plan->vertex[what->node].dependencies > 0 || !rank->active) {
        sim_fail(world, "rank %u: an arrival that nobody waits for", message->to);
    }
    sim_writes(rank, what->place, what->bytes);
    memset(sim_at(rank, what->place), GARBAGE, what->bytes);
    (void) pthread_mutex_lock(&world->lock);
    sim_push(world, SIM_ARRIVE, message->to, index);
    (void) pthread_mutex_unlock(&world->lock);
}

static bool all_garbage(const unsigned char *bytes, uint64_t count)
{
    uint64_t i = 0;

    while (i < count && GARBAGE == bytes[i]) {
        ++i;
    }
    return i == count;
}

static void do_arrive(sim_world_t *world, uint32_t index)
{
    sim_message_t *message = message_at(world, index);
    sim_rank_t *rank = &world->rank[message->to];
    uint32_t arrives = message->arrives;
    const mca_coll_pschedule_transfer_t *what = &rank->plan->transfer[arrives];

    check_source(world, message);
    sim_writes(rank, what->place, what->bytes);
    if (!all_garbage(sim_at(rank, what->place), what->bytes)) {
        sim_fail(world, "rank %u: the place of a transfer from rank %u (key %llx) was written "
                 "while it came in", message->to, message->from, (unsigned long long) what->key);
    }
    memcpy(sim_at(rank, what->place), message->bytes, what->bytes);
    (void) pthread_mutex_lock(&world->lock);
    close_message(world, index);
    (void) pthread_mutex_unlock(&world->lock);
    mca_coll_pschedule_engine_moved(&rank->engine, arrives);
}

static void do_free(sim_world_t *world, uint32_t index)
{
    sim_message_t *message = message_at(world, index);
    sim_rank_t *rank = &world->rank[message->from];
    uint32_t leaves = message->leaves;

    check_source(world, message);
    (void) pthread_mutex_lock(&world->lock);
    close_message(world, index);
    (void) pthread_mutex_unlock(&world->lock);
    mca_coll_pschedule_engine_moved(&rank->engine, leaves);
}

/* ---- partitions ---- */

static void load(sim_rank_t *rank, uint32_t partition)
{
    sim_load(rank, partition);
    rank->marked[partition] = 1;
}

static void on_result(void *context, uint32_t partition)
{
    sim_rank_t *rank = context;

    if (0 != atomic_exchange(&rank->arrived[partition], 1)) {
        sim_fail(rank->world, "rank %d: partition %u of the result arrived twice",
                 (int) rank->problem.rank, partition);
    }
    if (0 == rank->world->params.staging) {
        sim_check(rank, partition);
    }
}

/* Where partitions are staged: what is deferred of them. */
static void stage(sim_rank_t *rank, const mca_coll_pschedule_vertex_t *vertex)
{
    if (COLL_PSCHEDULE_NODE_READY == vertex->kind) {
        load(rank, vertex->item);
    } else if (COLL_PSCHEDULE_NODE_RESULT == vertex->kind) {
        sim_check(rank, vertex->item);
        on_result(rank, vertex->item);
    }
}

static void do_mark(sim_rank_t *rank, uint32_t partition)
{
    if (0 == rank->world->params.staging) {
        load(rank, partition);
    }
    mca_coll_pschedule_engine_ready(&rank->engine, partition);
}

/* ---- deferred nodes ---- */

static bool is_operation(const mca_coll_pschedule_vertex_t *vertex)
{
    return COLL_PSCHEDULE_NODE_REDUCE == vertex->kind || COLL_PSCHEDULE_NODE_COPY == vertex->kind;
}

/* Read the operands, now; what else is done with their memory before the end is a fault. */
static void begin(sim_rank_t *rank, sim_task_t *task)
{
    const mca_coll_pschedule_vertex_t *vertex = &rank->plan->vertex[task->node];
    const mca_coll_pschedule_operation_t *what = &rank->plan->operation[vertex->item];
    unsigned char *to = sim_at(rank, what->to);

    sim_reads(rank, what->from, what->bytes);
    if (COLL_PSCHEDULE_NODE_REDUCE == vertex->kind) {
        sim_reads(rank, what->to, what->bytes);
    }
    sim_writes(rank, what->to, what->bytes);
    task->bytes = malloc(2 * what->bytes + 1);
    memcpy(task->bytes, to, what->bytes);
    memcpy(task->bytes + what->bytes, sim_at(rank, what->from), what->bytes);
    if (COLL_PSCHEDULE_NODE_REDUCE == vertex->kind) {
        sim_combine(&rank->world->params, sim_at(rank, what->from), task->bytes, what->bytes);
    } else {
        memcpy(task->bytes, sim_at(rank, what->from), what->bytes);
    }
    if (what->from.space != what->to.space || what->from.offset + what->bytes <= what->to.offset
        || what->to.offset + what->bytes <= what->from.offset) {
        memset(to, GARBAGE, what->bytes);
    } else {
        sim_fail(rank->world, "rank %d: an operation of a range on itself",
                 (int) rank->problem.rank);
    }
}

static void end(sim_rank_t *rank, sim_task_t *task)
{
    const mca_coll_pschedule_vertex_t *vertex = &rank->plan->vertex[task->node];
    const mca_coll_pschedule_operation_t *what = &rank->plan->operation[vertex->item];
    unsigned char *to = sim_at(rank, what->to);

    if (0 != memcmp(task->bytes + what->bytes, sim_at(rank, what->from), what->bytes)) {
        sim_fail(rank->world, "rank %d: the operand of an operation was written meanwhile",
                 (int) rank->problem.rank);
    }
    if (!all_garbage(to, what->bytes)) {
        sim_fail(rank->world, "rank %d: the result of an operation was written meanwhile",
                 (int) rank->problem.rank);
    }
    sim_writes(rank, what->to, what->bytes);
    memcpy(to, task->bytes, what->bytes);
    free(task->bytes);
    task->bytes = NULL;
}

/* A task that begins later. */
static void push_task(sim_rank_t *rank, uint32_t node)
{
    sim_world_t *world = rank->world;
    uint32_t index;

    (void) pthread_mutex_lock(&world->lock);
    index = world->task_free;
    if (COLL_PSCHEDULE_NONE == index) {
        index = world->tasks++;
        world->task = realloc(world->task, world->tasks * sizeof(*world->task));
        world->task[index] = malloc(sizeof(**world->task));
    } else {
        world->task_free = world->task[index]->next;
    }
    *world->task[index] = (sim_task_t) {.node = node, .rank = (uint32_t) rank->problem.rank};
    sim_push(world, SIM_BEGIN, (uint32_t) rank->problem.rank, index);
    (void) pthread_mutex_unlock(&world->lock);
}

/* Some operations are done at once. */
static bool on_defer(void *context, uint32_t node, bool may)
{
    sim_rank_t *rank = context;
    sim_task_t task = {.node = node};
    bool at_once;

    (void) pthread_mutex_lock(&rank->world->lock);
    at_once = may && 0 == unit_below(&rank->world->random, 4);
    (void) pthread_mutex_unlock(&rank->world->lock);
    if (at_once) {
        begin(rank, &task);
        end(rank, &task);
    } else {
        push_task(rank, node);
    }
    return at_once;
}

static void do_task(sim_world_t *world, sim_kind_t kind, sim_event_t event)
{
    sim_rank_t *rank = &world->rank[event.rank];
    sim_task_t *task;
    uint32_t node;
    bool operation;

    (void) pthread_mutex_lock(&world->lock);
    task = world->task[event.item];
    (void) pthread_mutex_unlock(&world->lock);
    node = task->node;
    operation = is_operation(&rank->plan->vertex[node]);
    if (operation && SIM_BEGIN == kind) {
        begin(rank, task);
    } else if (operation) {
        end(rank, task);
    }
    (void) pthread_mutex_lock(&world->lock);
    if (SIM_BEGIN == kind) {
        sim_push(world, SIM_END, event.rank, event.item);
    } else {
        task->next = world->task_free;
        world->task_free = event.item;
    }
    (void) pthread_mutex_unlock(&world->lock);
    if (SIM_END == kind) {
        stage(rank, &rank->plan->vertex[node]);
        mca_coll_pschedule_engine_worked(&rank->engine, node);
    }
}

/* ---- epochs ---- */

static void on_done(void *context)
{
    sim_rank_t *rank = context;
    sim_world_t *world = rank->world;

    for (uint32_t i = 0; i < rank->plan->recv_partitions; ++i) {
        if (0 == rank->arrived[i]) {
            sim_fail(world, "rank %d: done without partition %u of the result",
                     (int) rank->problem.rank, i);
        }
    }
    for (uint32_t i = 0; i < rank->plan->send_partitions; ++i) {
        if (0 == rank->marked[i]) {
            sim_fail(world, "rank %d: done before partition %u is marked",
                     (int) rank->problem.rank, i);
        }
    }
    sim_check_end(rank);
    (void) pthread_mutex_lock(&world->lock);
    if (!rank->active) {
        sim_fail(world, "rank %d: done twice", (int) rank->problem.rank);
    }
    rank->active = false;
    if (rank->epoch == world->params.epochs) {
        ++world->done;
    } else {
        sim_push(world, SIM_START, (uint32_t) rank->problem.rank, 0);
    }
    (void) pthread_mutex_unlock(&world->lock);
}

static const mca_coll_pschedule_backend_t plain = {.send = on_send,
                                                   .defer = on_defer,
                                                   .result = on_result,
                                                   .done = on_done};
static const mca_coll_pschedule_backend_t staging = {.send = on_send,
                                                     .defer = on_defer,
                                                     .loads = true,
                                                     .stores = true,
                                                     .result = on_result,
                                                     .done = on_done};

/* Other threads may deliver to this rank as soon as its epoch is the one of their messages. */
static void do_start(sim_world_t *world, sim_rank_t *rank)
{
    uint32_t me = (uint32_t) rank->problem.rank;

    for (uint32_t i = 0; i < rank->plan->send_partitions; ++i) {
        rank->marked[i] = 0;
    }
    for (uint32_t i = 0; i < rank->plan->recv_partitions; ++i) {
        rank->arrived[i] = 0;
    }
    sim_poison(rank);
    mca_coll_pschedule_engine_arm(&rank->engine);
    (void) pthread_mutex_lock(&world->lock);
    ++rank->epoch;
    rank->active = true;
    for (uint32_t *link = &rank->waiting; COLL_PSCHEDULE_NONE != *link;) {
        sim_message_t *message = world->message[*link];

        if (message->epoch == rank->epoch) {
            sim_push(world, SIM_LAND, me, *link);
            *link = message->next;
        } else {
            link = &message->next;
        }
    }
    (void) pthread_mutex_unlock(&world->lock);
    mca_coll_pschedule_engine_start(&rank->engine);
    (void) pthread_mutex_lock(&world->lock);
    for (uint32_t i = 0; i < rank->plan->send_partitions; ++i) {
        sim_push(world, SIM_MARK, me, i);
    }
    (void) pthread_mutex_unlock(&world->lock);
}

/* ---- all ---- */

const mca_coll_pschedule_backend_t *sim_backend(const sim_params_t *params)
{
    return 0 != params->staging ? &staging : &plain;
}

void sim_do(sim_world_t *world, sim_kind_t kind, sim_event_t event)
{
    switch (kind) {
    case SIM_START:
        do_start(world, &world->rank[event.rank]);
        break;
    case SIM_MARK:
    case SIM_WANTED:
        do_mark(&world->rank[event.rank], event.item);
        break;
    case SIM_LAND:
        do_land(world, event.item);
        break;
    case SIM_ARRIVE:
        do_arrive(world, event.item);
        break;
    case SIM_FREE:
        do_free(world, event.item);
        break;
    default:
        do_task(world, kind, event);
        break;
    }
}
