/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every two accesses of the plans of all ranks to the same memory, of which one writes, have an
 * order: a chain of dependencies, across ranks too, that ends the one before the other begins. The
 * simulator finds those that have none when it draws them at the wrong time; here all are looked
 * at. And no plans wait for each other.
 *
 * MPIX_SIM_TIMES: how often to repeat. MPIX_SIM, MPIX_SIM_ONLY: see simulator.h.
 */
#include "simulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more nodes a table of all pairs would be too large: such cases are left out. */
enum { MOST_NODES = 24000, MOST_RANKS = 17 };

/* All nodes of all ranks. */
typedef struct order_t {
    sim_world_t *world;
    uint32_t *first;   /* per rank: number of its first node */
    uint32_t *missing; /* per node: nodes that it still waits for */
    uint32_t *list;    /* in an order in which they can happen */
    uint32_t listed;
    uint32_t nodes;
    size_t words;
    uint64_t *before; /* per node: those that have ended before it begins */
} order_t;

/* A range of memory that a node reads or writes. */
typedef struct access_t {
    uint64_t begin, end;
    uint32_t node; /* of all */
    uint32_t there; /* of a SEND: its arrival, after which its source is not read either */
    uint8_t kind;
    bool writes;
    bool until;    /* it begins with the epoch and ends with the node */
    bool for_good; /* it begins with the end of the node and never ends */
} access_t;

typedef struct accesses_t {
    access_t *access;
    size_t count, capacity;
} accesses_t;

/* ---- order ---- */

static uint64_t *row_of(const order_t *order, uint32_t node)
{
    return order->before + node * order->words;
}

static bool is_before(const order_t *order, uint32_t node, uint32_t other)
{
    return 0 != (row_of(order, other)[node / 64] >> node % 64 & 1);
}

static void add_before(order_t *order, uint32_t node, uint32_t other, bool itself)
{
    uint64_t *to = row_of(order, other);
    const uint64_t *from = row_of(order, node);

    for (size_t i = 0; i < order->words; ++i) {
        to[i] |= from[i];
    }
    if (itself) {
        to[node / 64] |= UINT64_C(1) << node % 64;
    }
}

static void let_go(order_t *order, uint32_t node)
{
    if (0 == --order->missing[node]) {
        order->list[order->listed++] = node;
    }
}

/* The other end of a SEND. */
static uint32_t arrival_of(const order_t *order, uint32_t index, uint32_t number)
{
    const sim_rank_t *rank = &order->world->rank[index];
    const mca_coll_pschedule_transfer_t *transfer = &rank->plan->transfer[number];
    uint32_t peer = (uint32_t) rank->plan->link[transfer->link].peer;

    return order->first[peer]
           + order->world->rank[peer].plan->transfer[rank->partner[number]].node;
}

/* What waits for a node: its successors for its end, the other end of a SEND for its beginning. */
static void pass(order_t *order, uint32_t index, uint32_t number)
{
    const sim_rank_t *rank = &order->world->rank[index];
    const mca_coll_pschedule_vertex_t *vertex = &rank->plan->vertex[number];
    uint32_t node = order->first[index] + number;

    for (uint32_t i = vertex->first; i < vertex[1].first; ++i) {
        uint32_t successor = order->first[index] + rank->plan->edge[i];

        add_before(order, node, successor, true);
        let_go(order, successor);
    }
    if (COLL_PSCHEDULE_NODE_SEND == vertex->kind) {
        uint32_t arrival = arrival_of(order, index, vertex->item);

        add_before(order, node, arrival, false);
        let_go(order, arrival);
    }
}

static uint32_t rank_of(const order_t *order, uint32_t node)
{
    uint32_t index = 0;

    while (node >= order->first[index + 1]) {
        ++index;
    }
    return index;
}

static void sort(order_t *order)
{
    for (uint32_t i = 0; i < order->world->params.ranks; ++i) {
        const mca_coll_pschedule_plan_t *plan = order->world->rank[i].plan;

        for (uint32_t k = 0; k < plan->nodes; ++k) {
            bool arrives = COLL_PSCHEDULE_NODE_ARRIVE == plan->vertex[k].kind;
            uint32_t node = order->first[i] + k;

            order->missing[node] = plan->vertex[k].dependencies + arrives;
            if (0 == order->missing[node]) {
                order->list[order->listed++] = node;
            }
        }
    }
    for (uint32_t i = 0; i < order->listed; ++i) {
        uint32_t index = rank_of(order, order->list[i]);

        pass(order, index, order->list[i] - order->first[index]);
    }
    if (order->listed < order->nodes) {
        sim_fail(order->world, "%u nodes of all ranks wait for each other",
                 order->nodes - order->listed);
    }
}

/* ---- accesses of a rank ---- */

static void add(accesses_t *all, access_t access, mca_coll_pschedule_place_t place, uint64_t bytes)
{
    if (0 == bytes) {
        return;
    }
    if (all->count == all->capacity) {
        all->capacity = 0 == all->capacity ? 64 : 2 * all->capacity;
        all->access = realloc(all->access, all->capacity * sizeof(*all->access));
        if (NULL == all->access) {
            abort();
        }
    }
    /* The spaces beside each other. */
    access.there = COLL_PSCHEDULE_NODE_SEND == access.kind ? access.there : access.node;
    access.begin = ((uint64_t) place.space << 40) + place.offset;
    access.end = access.begin + bytes;
    all->access[all->count++] = access;
}

/* Marks end the user's writing, results begin the user's reading. */
static void add_partitions(accesses_t *all, const order_t *order, uint32_t index)
{
    const sim_rank_t *rank = &order->world->rank[index];
    uint32_t space = rank->problem.in_place ? COLL_PSCHEDULE_SPACE_RECV
                                            : COLL_PSCHEDULE_SPACE_SEND;

    for (uint32_t i = 0; i < rank->problem.send_blocks; ++i) {
        for (uint32_t k = 0; k < rank->send[i].cut.partitions; ++k) {
            mca_coll_pschedule_range_t range
                = mca_coll_pschedule_partition(&rank->send[i].cut, k);
            mca_coll_pschedule_place_t place = {space, rank->send[i].offset + range.offset};

            add(all, (access_t) {.node = order->first[index] + rank->send[i].first + k,
                                 .kind = COLL_PSCHEDULE_NODE_READY, .writes = true,
                                 .until = true}, place, range.bytes);
        }
    }
    if (COLL_PSCHEDULE_EXSCAN == rank->problem.collective && 0 == index) {
        return; /* its result is nothing */
    }
    for (uint32_t i = 0; i < rank->problem.recv_blocks; ++i) {
        for (uint32_t k = 0; k < rank->recv[i].cut.partitions; ++k) {
            mca_coll_pschedule_range_t range
                = mca_coll_pschedule_partition(&rank->recv[i].cut, k);
            mca_coll_pschedule_place_t place = {COLL_PSCHEDULE_SPACE_RECV,
                                                rank->recv[i].offset + range.offset};

            add(all, (access_t) {.node = order->first[index] + rank->plan->send_partitions
                                         + rank->recv[i].first + k,
                                 .kind = COLL_PSCHEDULE_NODE_RESULT, .for_good = true}, place,
                range.bytes);
        }
    }
}

static void add_nodes(accesses_t *all, const order_t *order, uint32_t index)
{
    const mca_coll_pschedule_plan_t *plan = order->world->rank[index].plan;

    for (uint32_t i = 0; i < plan->nodes; ++i) {
        const mca_coll_pschedule_vertex_t *vertex = &plan->vertex[i];
        access_t access = {.node = order->first[index] + i, .kind = vertex->kind};

        if (COLL_PSCHEDULE_NODE_SEND == vertex->kind
            || COLL_PSCHEDULE_NODE_ARRIVE == vertex->kind) {
            const mca_coll_pschedule_transfer_t *transfer = &plan->transfer[vertex->item];

            access.writes = COLL_PSCHEDULE_NODE_ARRIVE == vertex->kind;
            access.there = access.writes ? 0 : arrival_of(order, index, vertex->item);
            add(all, access, transfer->place, transfer->bytes);
        } else if (COLL_PSCHEDULE_NODE_REDUCE == vertex->kind
                   || COLL_PSCHEDULE_NODE_COPY == vertex->kind) {
            const mca_coll_pschedule_operation_t *operation = &plan->operation[vertex->item];

            add(all, access, operation->from, operation->bytes);
            access.writes = true;
            add(all, access, operation->to, operation->bytes);
        }
    }
}

static bool ends_before(const order_t *order, const access_t *a, const access_t *b)
{
    return !a->for_good && !b->until
           && (is_before(order, a->node, b->node) || is_before(order, a->there, b->node));
}

static bool ordered(const order_t *order, const access_t *a, const access_t *b)
{
    bool first = ends_before(order, a, b);
    bool last = ends_before(order, b, a);

    /* Two marks are the user's business; so is reading what has arrived, or is not marked yet. */
    return a->node == b->node || first || last || (a->until && b->until);
}

static int by_begin(const void *left, const void *right)
{
    const access_t *a = left, *b = right;

    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : 0;
}

static const char *const kinds[] = {"READY", "ARRIVE", "SEND", "REDUCE", "COPY", "RESULT"};

static void compare(const order_t *order, uint32_t index)
{
    accesses_t all = {0};

    add_partitions(&all, order, index);
    add_nodes(&all, order, index);
    if (0 < all.count) {
        qsort(all.access, all.count, sizeof(*all.access), by_begin);
    }
    for (size_t i = 0; i < all.count; ++i) {
        for (size_t k = i + 1; k < all.count && all.access[k].begin < all.access[i].end; ++k) {
            const access_t *a = &all.access[i], *b = &all.access[k];

            if ((a->writes || b->writes) && !ordered(order, a, b)) {
                sim_fail(order->world, "rank %u: %s %u (%s) and %s %u (%s) have no order, both at "
                         "byte %llu of space %u", index, kinds[a->kind],
                         a->node - order->first[index], a->writes ? "writes" : "reads",
                         kinds[b->kind], b->node - order->first[index],
                         b->writes ? "writes" : "reads",
                         (unsigned long long) (b->begin & ((UINT64_C(1) << 40) - 1)),
                         (unsigned) (b->begin >> 40));
            }
        }
    }
    free(all.access);
}

/* ---- a case ---- */

static void look(sim_world_t *world)
{
    order_t order = {.world = world};
    uint32_t ranks = world->params.ranks;

    order.first = calloc(ranks + (size_t) 1, sizeof(*order.first));
    for (uint32_t i = 0; i < ranks; ++i) {
        order.first[i + 1] = order.first[i] + world->rank[i].plan->nodes;
    }
    order.nodes = order.first[ranks];
    order.words = order.nodes / 64 + 1;
    if (order.nodes <= MOST_NODES) {
        order.missing = calloc(order.nodes + (size_t) 1, sizeof(*order.missing));
        order.list = calloc(order.nodes + (size_t) 1, sizeof(*order.list));
        order.before = calloc(order.nodes + (size_t) 1, order.words * sizeof(*order.before));
        sort(&order);
        for (uint32_t i = 0; i < ranks && !atomic_load(&world->failed); ++i) {
            compare(&order, i);
        }
    }
    free(order.first);
    free(order.missing);
    free(order.list);
    free(order.before);
}

static char fault[SIM_LINE];

static const char *check(const sim_params_t *params)
{
    sim_world_t *world = sim_new(params);
    bool good = true, failed;

    if (COLL_PSCHEDULE_EXSCAN == params->collective && !world->rank[0].problem.in_place) {
        world->rank[0].recv[0].cut.bytes = 0; /* as in a job: it may have no receive buffer */
    }
    for (uint32_t i = 0; i < params->ranks && good; ++i) {
        good = sim_build(world, i);
    }
    if (good && sim_match(world)) {
        look(world);
    }
    failed = atomic_load(&world->failed);
    memcpy(fault, world->fault, sizeof(fault));
    sim_free(world);
    return failed ? fault : NULL;
}

/* As large as it takes for what depends on sizes: leaders, short chunks of pipelines, pieces. */
static void draw_large(sim_params_t *params, unit_random_t *random)
{
    static const uint32_t counts[] = {1, 3, 10, 24};
    static const uint32_t bytes[] = {500, 3000, 20000};
    bool reduces = sim_reduces(params->collective);

    params->element = 1024u << unit_below(random, 5);
    params->count = reduces ? counts[unit_below(random, params->ranks > 8 ? 3 : 4)]
                            : bytes[unit_below(random, params->ranks > 8 ? 2 : 3)];
    params->chunk = (16384u << unit_below(random, 3)) + unit_below(random, 8);
}

static void draw(sim_params_t *params, unit_random_t *random)
{
    static const uint32_t counts[] = {0, 1, 3, 7, 18, 40, 100};

    params->in_place = unit_below(random, 2);
    params->ordered = unit_below(random, 2);
    params->uneven = unit_below(random, 2);
    params->root = sim_rooted(params->collective) ? unit_below(random, params->ranks) : 0;
    params->partitions = 1 + unit_below(random, 5);
    params->count = counts[unit_below(random, params->ranks > 8 ? 6 : 7)];
    params->element = 0 == unit_below(random, 3) ? 24 : 8;
    params->chunk = params->element * (1 + unit_below(random, 9)) + unit_below(random, 8);
    if (0 == unit_below(random, 3)) {
        draw_large(params, random);
    }
    params->epochs = params->threads = 1;
    params->whole = unit_below(random, 2);
    params->mixed = 0 != params->in_place && sim_mixed(params->collective)
                    && 0 == unit_below(random, 2);
    params->seed = unit_random(random);
    sim_draw_hosts(params, random);
}

static bool chosen(const sim_params_t *params)
{
    const char *only = getenv("MPIX_SIM_ONLY");
    char name[100];

    (void) snprintf(name, sizeof(name), "%s/%s", sim_collective(params->collective),
                    params->row->name);
    return NULL == only || NULL != strstr(name, only);
}

static void vary(sim_params_t *params, unit_random_t *random, uint32_t times)
{
    for (uint32_t i = 0; i < times; ++i) {
        const char *what;

        draw(params, random);
        what = sim_allows(params) ? check(params) : NULL;
        if (NULL != what) {
            print_error("%s\nlook at it alone: MPIX_SIM='%s'\n", what, sim_line(params));
            fail();
        }
    }
}

static void every_row(void **state)
{
    const char *more = getenv("MPIX_SIM_TIMES");
    uint32_t times = NULL == more ? unit_repeat(10) : (uint32_t) atoi(more);

    (void) state;
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ++ranks) {
        unit_random_t random = unit_stream(ranks);

        for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
            sim_params_t params = {.row = mca_coll_pschedule_algorithms[i], .ranks = ranks};

            for (int k = params.row->collective; k <= (int) params.row->last; ++k) {
                params.collective = (mca_coll_pschedule_collective_t) k;
                if (chosen(&params)) {
                    vary(&params, &random, times);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
    const char *line = getenv("MPIX_SIM");
    sim_params_t params;

    if (NULL == line) {
        return UNIT_RUN(tests);
    }
    if (!sim_parse(line, &params)) {
        print_error("no such run: %s\n", line);
        return EXIT_FAILURE;
    }
    line = check(&params);
    print_message("%s: %s\n", sim_line(&params), NULL == line ? "good" : line);
    return NULL == line ? EXIT_SUCCESS : EXIT_FAILURE;
}
