/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine under several threads: random graphs whose events come from all threads at the same
 * time, and whole worlds (see simulator.h) that several threads keep going.
 */
#include "simulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 };

/* ---- random graphs ---- */

enum { PARTITIONS = 12, BYTES = 8 * PARTITIONS, STEPS = 150 };

typedef struct graph_t {
    mca_coll_pschedule_plan_t *plan;
    mca_coll_pschedule_engine_t engine;
    uint32_t *before; /* per node: first[node] ... nodes that must be done */
    uint32_t *first;
    atomic_uint *finished; /* per node: epoch in which it was done last */
    atomic_uint epoch;
    atomic_uint done; /* epochs */
    pthread_mutex_t lock;
    uint32_t *event; /* nodes whose event or work is due */
    uint32_t events;
    unit_random_t random;
} graph_t;

/* The node is going to run: all that it depends on must be done, and it must not be. */
static void check_runnable(graph_t *graph, uint32_t node)
{
    uint32_t epoch = atomic_load(&graph->epoch);

    if (atomic_load(&graph->finished[node]) != epoch - 1) {
        unit_thread_fail("node %u runs twice in epoch %u", node, epoch);
    }
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; ++i) {
        if (atomic_load(&graph->finished[graph->before[i]]) != epoch) {
            unit_thread_fail("node %u runs before node %u in epoch %u", node, graph->before[i],
                             epoch);
        }
    }
}

static void finish(graph_t *graph, uint32_t node)
{
    check_runnable(graph, node);
    atomic_store(&graph->finished[node], atomic_load(&graph->epoch));
}

static void add_event(graph_t *graph, uint32_t node)
{
    (void) pthread_mutex_lock(&graph->lock);
    graph->event[graph->events++] = node;
    (void) pthread_mutex_unlock(&graph->lock);
}

/* Some have left at once. */
static bool on_send(void *context, uint32_t transfer)
{
    graph_t *graph = context;
    uint32_t node = graph->plan->transfer[transfer].node;
    bool at_once;

    check_runnable(graph, node);
    (void) pthread_mutex_lock(&graph->lock);
    at_once = 0 == unit_below(&graph->random, 3);
    (void) pthread_mutex_unlock(&graph->lock);
    if (at_once) {
        finish(graph, node);
    } else {
        add_event(graph, node);
    }
    return at_once;
}

/* Some work is done at once. */
static bool on_defer(void *context, uint32_t node, bool may)
{
    graph_t *graph = context;
    bool at_once;

    check_runnable(graph, node);
    (void) pthread_mutex_lock(&graph->lock);
    at_once = may && 0 == unit_below(&graph->random, 3);
    (void) pthread_mutex_unlock(&graph->lock);
    if (at_once) {
        finish(graph, node);
    } else {
        add_event(graph, node);
    }
    return at_once;
}

static void on_result(void *context, uint32_t partition)
{
    graph_t *graph = context;

    finish(graph, graph->plan->send_partitions + partition);
}

static void on_done(void *context)
{
    graph_t *graph = context;

    for (uint32_t i = 0; i < graph->plan->nodes; ++i) {
        if (atomic_load(&graph->finished[i]) != atomic_load(&graph->epoch)) {
            unit_thread_fail("the plan is done without node %u", i);
        }
    }
    (void) atomic_fetch_add(&graph->done, 1);
}

static const mca_coll_pschedule_backend_t backend = {.send = on_send,
                                                     .defer = on_defer,
                                                     .result = on_result,
                                                     .done = on_done};

/* Of two ranks that give and get one block each; without nodes. */
static mca_coll_pschedule_plan_t *one_block_plan(uint64_t bytes, uint32_t partitions)
{
    mca_coll_pschedule_block_t block = {.cut = {.bytes = bytes, .partitions = partitions}};
    mca_coll_pschedule_problem_t problem = {.size = 2,
                                            .element = 8,
                                            .send_blocks = 1,
                                            .recv_blocks = 1,
                                            .send = &block,
                                            .recv = &block};

    return mca_coll_pschedule_plan_new(&problem);
}

/* Nodes in random order, each depending on some of those before. */
static mca_coll_pschedule_plan_t *random_plan(unit_random_t *random)
{
    mca_coll_pschedule_plan_t *plan = one_block_plan(BYTES, PARTITIONS);
    mca_coll_pschedule_place_t from = {.space = COLL_PSCHEDULE_SPACE_SEND};
    mca_coll_pschedule_place_t to = {.space = COLL_PSCHEDULE_SPACE_RECV};
    uint32_t node[STEPS], count = 0;

    for (uint32_t i = 0; i < PARTITIONS; ++i) {
        node[count++] = mca_coll_pschedule_plan_ready(plan, i);
    }
    while (count < STEPS) {
        uint32_t after = node[unit_below(random, count)];
        uint64_t key = mca_coll_pschedule_key(0, 0, 0, count);

        switch (unit_below(random, 4)) {
        case 0:
            node[count] = mca_coll_pschedule_plan_receive(plan, 1, key, to, 8);
            break;
        case 1:
            node[count] = mca_coll_pschedule_plan_send(plan, 1, key, from, 8, after);
            break;
        case 2:
            node[count] = mca_coll_pschedule_plan_reduce(plan, from, to, 8, after);
            break;
        default:
            node[count] = mca_coll_pschedule_plan_copy(plan, from, to, 8, after);
            break;
        }
        for (uint32_t i = unit_below(random, 5);
             i > 0 && COLL_PSCHEDULE_NODE_ARRIVE != plan->vertex[node[count]].kind; --i) {
            mca_coll_pschedule_plan_depend(plan, node[count], node[unit_below(random, count)]);
        }
        ++count;
    }
    for (uint32_t i = 0; i < PARTITIONS; ++i) {
        mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, i),
                                       node[unit_below(random, count)]);
    }
    assert_true(mca_coll_pschedule_plan_freeze(plan));
    return plan;
}

/* The edges of the plan, from their ends. */
static void turn_edges(graph_t *graph)
{
    const mca_coll_pschedule_plan_t *plan = graph->plan;
    uint32_t *next = calloc(plan->nodes + 1, sizeof(*next));

    for (uint32_t i = 0; i < plan->edges; ++i) {
        ++graph->first[plan->edge[i] + 1];
    }
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        graph->first[i + 1] += graph->first[i];
        next[i] = graph->first[i];
    }
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        for (uint32_t k = plan->vertex[i].first; k < plan->vertex[i + 1].first; ++k) {
            graph->before[next[plan->edge[k]]++] = i;
        }
    }
    free(next);
}

static bool take_event(graph_t *graph, uint32_t *node)
{
    bool found;

    (void) pthread_mutex_lock(&graph->lock);
    found = 0 < graph->events;
    if (found) {
        uint32_t index = unit_below(&graph->random, graph->events);

        *node = graph->event[index];
        graph->event[index] = graph->event[--graph->events];
    }
    (void) pthread_mutex_unlock(&graph->lock);
    return found;
}

static void do_event(graph_t *graph, uint32_t node)
{
    const mca_coll_pschedule_vertex_t *vertex = &graph->plan->vertex[node];

    finish(graph, node);
    switch (vertex->kind) {
    case COLL_PSCHEDULE_NODE_READY:
        mca_coll_pschedule_engine_ready(&graph->engine, vertex->item);
        break;
    case COLL_PSCHEDULE_NODE_ARRIVE:
    case COLL_PSCHEDULE_NODE_SEND:
        mca_coll_pschedule_engine_moved(&graph->engine, vertex->item);
        break;
    default:
        mca_coll_pschedule_engine_worked(&graph->engine, node);
        break;
    }
}

static void take_events(unsigned index, void *context)
{
    graph_t *graph = context;
    uint32_t epoch = atomic_load(&graph->epoch);

    if (0 == index) {
        mca_coll_pschedule_engine_start(&graph->engine);
    }
    while (atomic_load(&graph->done) < epoch && !unit_thread_failed()) {
        uint32_t node;

        if (take_event(graph, &node)) {
            do_event(graph, node);
        }
    }
}

/* One epoch: what comes from outside is there from the beginning, in any order. */
static void run_epoch(graph_t *graph)
{
    (void) atomic_fetch_add(&graph->epoch, 1);
    mca_coll_pschedule_engine_arm(&graph->engine);
    for (uint32_t i = 0; i < graph->plan->nodes; ++i) {
        uint8_t kind = graph->plan->vertex[i].kind;

        if (COLL_PSCHEDULE_NODE_READY == kind || COLL_PSCHEDULE_NODE_ARRIVE == kind) {
            graph->event[graph->events++] = i;
        }
    }
    unit_threads(THREADS, take_events, graph);
    assert_int_equal(atomic_load(&graph->epoch), atomic_load(&graph->done));
    assert_int_equal(0, graph->events);
}

static void run_graph(uint64_t index)
{
    graph_t graph = {.random = unit_stream(index)};
    uint32_t nodes;

    graph.plan = random_plan(&graph.random);
    nodes = graph.plan->nodes;
    graph.before = calloc(graph.plan->edges + 1, sizeof(*graph.before));
    graph.first = calloc(nodes + 1, sizeof(*graph.first));
    graph.finished = calloc(nodes, sizeof(*graph.finished));
    graph.event = calloc(nodes, sizeof(*graph.event));
    (void) pthread_mutex_init(&graph.lock, NULL);
    turn_edges(&graph);
    assert_true(mca_coll_pschedule_engine_init(&graph.engine, graph.plan, &backend, &graph));
    for (int i = 0; i < 25; ++i) {
        run_epoch(&graph);
    }
    mca_coll_pschedule_engine_fini(&graph.engine);
    mca_coll_pschedule_plan_free(graph.plan);
    free(graph.before);
    free(graph.first);
    free((void *) graph.finished);
    free(graph.event);
    (void) pthread_mutex_destroy(&graph.lock);
}

static void random_graphs(void **state)
{
    (void) state;
    for (uint32_t i = 0; i < unit_repeat(120); ++i) {
        run_graph(i);
    }
}

/* A plan with nothing to do is done when it is started. */
static void empty_plan(void **state)
{
    mca_coll_pschedule_problem_t problem = {.size = 1, .element = 1};
    graph_t graph = {.plan = mca_coll_pschedule_plan_new(&problem)};

    (void) state;
    assert_true(mca_coll_pschedule_plan_freeze(graph.plan));
    assert_true(mca_coll_pschedule_engine_init(&graph.engine, graph.plan, &backend, &graph));
    for (unsigned i = 1; i <= 3; ++i) {
        mca_coll_pschedule_engine_arm(&graph.engine);
        mca_coll_pschedule_engine_start(&graph.engine);
        assert_int_equal(i, atomic_load(&graph.done));
    }
    mca_coll_pschedule_engine_fini(&graph.engine);
    mca_coll_pschedule_plan_free(graph.plan);
}

/* ---- a long chain ---- */

enum { CHAIN = 40, MOST_AT_ONCE = 16 };

typedef struct chain_t {
    mca_coll_pschedule_engine_t engine;
    unsigned at_once, later; /* operations */
    uint32_t waits;          /* the last one that is to be done later */
    bool done;
} chain_t;

static bool chain_defer(void *context, uint32_t node, bool may)
{
    chain_t *chain = context;

    if (may) {
        ++chain->at_once;
    } else {
        ++chain->later;
        chain->waits = node;
    }
    return may;
}

static void chain_result(void *context, uint32_t partition)
{
    (void) context, (void) partition;
}

static void chain_done(void *context)
{
    ((chain_t *) context)->done = true;
}

static mca_coll_pschedule_plan_t *chain_plan(void)
{
    mca_coll_pschedule_plan_t *plan = one_block_plan(8, 1);
    mca_coll_pschedule_place_t from = {.space = COLL_PSCHEDULE_SPACE_SEND};
    mca_coll_pschedule_place_t to = {.space = COLL_PSCHEDULE_SPACE_RECV};
    uint32_t node = mca_coll_pschedule_plan_ready(plan, 0);

    for (int i = 0; i < CHAIN; ++i) {
        node = mca_coll_pschedule_plan_copy(plan, from, to, 8, node);
    }
    mca_coll_pschedule_plan_depend(plan, mca_coll_pschedule_plan_result(plan, 0), node);
    assert_true(mca_coll_pschedule_plan_freeze(plan));
    return plan;
}

/* One event does so many operations at once, perhaps under a lock. The rest is done later. */
static void a_long_chain_is_cut(void **state)
{
    static const mca_coll_pschedule_backend_t of_chain = {
        .defer = chain_defer, .result = chain_result, .done = chain_done};
    mca_coll_pschedule_plan_t *plan = chain_plan();
    chain_t chain = {.done = false};

    (void) state;
    assert_true(mca_coll_pschedule_engine_init(&chain.engine, plan, &of_chain, &chain));
    mca_coll_pschedule_engine_arm(&chain.engine);
    mca_coll_pschedule_engine_start(&chain.engine);
    mca_coll_pschedule_engine_ready(&chain.engine, 0);
    for (unsigned round = 1; !chain.done; ++round) {
        assert_int_equal(round * MOST_AT_ONCE, chain.at_once);
        assert_int_equal(round, chain.later);
        mca_coll_pschedule_engine_worked(&chain.engine, chain.waits);
    }
    assert_int_equal(CHAIN, chain.at_once + chain.later);
    mca_coll_pschedule_engine_fini(&chain.engine);
    mca_coll_pschedule_plan_free(plan);
}

/* ---- whole worlds ---- */

static void worlds(void **state)
{
    static const char *const line[] = {
        "allreduce/ring ranks=4 partitions=3 count=11 chunk=16",
        "allreduce/ring ranks=3 partitions=3 count=11 chunk=16 in_place=1 staging=1",
        "allreduce/recursive_doubling ranks=5 partitions=3 count=7 chunk=16 ordered=1",
        "allreduce/rabenseifner ranks=6 partitions=2 count=17 chunk=16 in_place=1",
        "reduce_scatter/pairwise ranks=4 partitions=3 count=5 chunk=16 in_place=1 uneven=1",
        "scan/chain ranks=4 partitions=3 count=9 chunk=16 ordered=1 staging=1",
        "alltoall/turns ranks=5 partitions=3 count=9 chunk=16",
        "alltoallv/turns ranks=6 partitions=3 count=9 chunk=16 uneven=1",
        "alltoallw/turns ranks=8 partitions=2 count=5 chunk=16 uneven=1 hosts=3 placement=3",
    };

    (void) state;
    for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); ++i) {
        sim_params_t params;
        const char *fault;

        assert_true(sim_parse(line[i], &params));
        params.threads = THREADS;
        params.epochs = unit_repeat(200);
        fault = sim_run(&params);
        UNIT_CHECK(NULL == fault, "%s: %s", sim_line(&params), fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_plan),
        cmocka_unit_test(a_long_chain_is_cut),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(worlds),
    };

    return UNIT_RUN(tests);
}
