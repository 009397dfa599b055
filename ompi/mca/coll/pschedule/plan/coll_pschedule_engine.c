/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Running a plan (see coll_pschedule_engine.h).
 */
#include "plan/coll_pschedule_engine.h"

#include <stdlib.h>

/* Operations that one event may do at once. One arrival can set off a long chain, perhaps under the
 * lock of a path. */
#define AT_ONCE 16u

/* Nodes that one thread has found runnable, oldest first. */
typedef struct list_t {
    uint32_t first;
    uint32_t last;
    uint32_t operations; /* that have been run from it */
} list_t;

bool mca_coll_pschedule_engine_init(mca_coll_pschedule_engine_t *engine,
                                    const mca_coll_pschedule_plan_t *plan,
                                    const mca_coll_pschedule_backend_t *backend, void *context)
{
    *engine = (mca_coll_pschedule_engine_t) {.plan = plan, .backend = backend, .context = context};
    engine->missing = malloc((plan->nodes + 1) * sizeof(*engine->missing));
    engine->next = malloc((plan->nodes + 1) * sizeof(*engine->next));
    if (NULL == engine->missing || NULL == engine->next) {
        mca_coll_pschedule_engine_fini(engine);
        return false;
    }
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        atomic_init(&engine->missing[i], plan->vertex[i].dependencies);
    }
    return true;
}

void mca_coll_pschedule_engine_fini(mca_coll_pschedule_engine_t *engine)
{
    free((void *) engine->missing);
    free(engine->next);
    engine->missing = NULL;
    engine->next = NULL;
}

static void append(mca_coll_pschedule_engine_t *engine, list_t *list, uint32_t node)
{
    engine->next[node] = COLL_PSCHEDULE_NONE;
    if (COLL_PSCHEDULE_NONE == list->first) {
        list->first = node;
    } else {
        engine->next[list->last] = node;
    }
    list->last = node;
}

/* A node is done: count its successors down. True when it was the last of the plan. */
static bool finish(mca_coll_pschedule_engine_t *engine, list_t *list, uint32_t node)
{
    const mca_coll_pschedule_vertex_t *vertex = &engine->plan->vertex[node];
    uint32_t first = vertex->first;
    uint32_t end = vertex[1].first;

    if (first == end) {
        return 1 == atomic_fetch_sub_explicit(&engine->leaves, 1, memory_order_acq_rel);
    }
    for (uint32_t i = first; i < end; ++i) {
        uint32_t successor = engine->plan->edge[i];

        if (1 == atomic_fetch_sub_explicit(&engine->missing[successor], 1, memory_order_acq_rel)) {
            append(engine, list, successor);
        }
    }
    return false;
}

/* What leaves in a turn waits for the turn, and for its mark. */
static bool all_marked(const mca_coll_pschedule_engine_t *engine,
                       const mca_coll_pschedule_vertex_t *turn)
{
    for (uint32_t i = turn->first; i < turn[1].first; ++i) {
        if (1 != atomic_load_explicit(&engine->missing[engine->plan->edge[i]],
                                      memory_order_relaxed)) {
            return false;
        }
    }
    return true;
}

/* A turn begins. If it ends early, the node that would end it comes later, and must find one more
 * to count: nothing has left yet, so it has not come. */
static void begin_turn(mca_coll_pschedule_engine_t *engine, list_t *list,
                       const mca_coll_pschedule_vertex_t *turn)
{
    if (!all_marked(engine, turn)) {
        atomic_fetch_add_explicit(&engine->missing[turn->item], 1, memory_order_relaxed);
        (void) finish(engine, list, turn->item); /* no leaf: the plan is not done by it */
    }
}

/* Run a node that waits for nothing any more; true when it is done at once. */
static bool run(mca_coll_pschedule_engine_t *engine, list_t *list, uint32_t node)
{
    const mca_coll_pschedule_vertex_t *vertex = &engine->plan->vertex[node];
    const mca_coll_pschedule_backend_t *backend = engine->backend;

    /* For the next epoch, which cannot begin before this node is done. */
    atomic_store_explicit(&engine->missing[node], vertex->dependencies, memory_order_relaxed);
    switch (vertex->kind) {
    case COLL_PSCHEDULE_NODE_SEND:
        return backend->send(engine->context, vertex->item);
    case COLL_PSCHEDULE_NODE_REDUCE:
    case COLL_PSCHEDULE_NODE_COPY:
        return backend->defer(engine->context, node, list->operations++ < AT_ONCE);
    case COLL_PSCHEDULE_NODE_RESULT:
        /* A block that nobody sends has nothing to store: it is there from the beginning. */
        if (backend->stores && 0 != vertex->dependencies) {
            return backend->defer(engine->context, node, false);
        }
        backend->result(engine->context, vertex->item);
        return true;
    case COLL_PSCHEDULE_NODE_TURN:
        begin_turn(engine, list, vertex);
        return true;
    default:
        return true;
    }
}

/* Run all of a list, and what becomes runnable by it. */
static void run_all(mca_coll_pschedule_engine_t *engine, list_t *list)
{
    bool last = false;

    while (COLL_PSCHEDULE_NONE != list->first) {
        uint32_t node = list->first;

        /* A node that another thread finishes may be run again in the next epoch: first read. */
        list->first = engine->next[node];
        if (run(engine, list, node)) {
            last = finish(engine, list, node);
        }
    }
    if (last) {
        engine->backend->done(engine->context);
    }
}

void mca_coll_pschedule_engine_worked(mca_coll_pschedule_engine_t *engine, uint32_t node)
{
    list_t list = {.first = COLL_PSCHEDULE_NONE};

    if (finish(engine, &list, node)) {
        engine->backend->done(engine->context);
        return;
    }
    run_all(engine, &list);
}

void mca_coll_pschedule_engine_arm(mca_coll_pschedule_engine_t *engine)
{
    atomic_store_explicit(&engine->leaves, engine->plan->leaves, memory_order_release);
}

void mca_coll_pschedule_engine_start(mca_coll_pschedule_engine_t *engine)
{
    list_t list = {.first = COLL_PSCHEDULE_NONE};

    for (uint32_t i = 0; i < engine->plan->starters; ++i) {
        append(engine, &list, engine->plan->starter[i]);
    }
    if (0 == engine->plan->leaves) {
        engine->backend->done(engine->context); /* nothing to do at all */
        return;
    }
    run_all(engine, &list);
}

void mca_coll_pschedule_engine_ready(mca_coll_pschedule_engine_t *engine, uint32_t partition)
{
    if (engine->backend->loads) {
        (void) engine->backend->defer(engine->context, partition, false);
    } else {
        mca_coll_pschedule_engine_worked(engine, partition);
    }
}

void mca_coll_pschedule_engine_moved(mca_coll_pschedule_engine_t *engine, uint32_t transfer)
{
    mca_coll_pschedule_engine_worked(engine, engine->plan->transfer[transfer].node);
}
