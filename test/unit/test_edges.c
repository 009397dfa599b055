/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Edges of process topologies: both ends of an edge find the same key, and no two edges of a pair
 * and direction have the same; in cartesian topologies what leaves in a direction comes from the
 * opposite one, also where both lead to the same rank, or to the rank itself.
 */
#include "unit.h"

#include "plan/coll_pschedule_edges.h"

#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, CART_EDGES = 2 * DIMENSIONS, MOST_RANKS = 64, MOST_EDGES = 400 };

typedef struct rank_t {
    mca_coll_pschedule_neighbors_t neighbors;
    mca_coll_pschedule_edge_t source[MOST_EDGES];
    mca_coll_pschedule_edge_t destination[MOST_EDGES];
} rank_t;

static rank_t ranks[MOST_RANKS];

/* The one source edge of `to` that belongs to destination edge `index` of `from`. */
static uint32_t other_end(int from, uint32_t index)
{
    const mca_coll_pschedule_edge_t *edge = &ranks[from].destination[index];
    const mca_coll_pschedule_neighbors_t *other = &ranks[edge->rank].neighbors;
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < other->sources; ++i) {
        if (from == other->source[i].rank && edge->key == other->source[i].key) {
            UNIT_CHECK(UINT32_MAX == found, "edges %u and %u of rank %d to %d have one key", found,
                       i, from, edge->rank);
            found = i;
        }
    }
    UNIT_CHECK(UINT32_MAX != found, "edge %u of rank %d does not arrive at rank %d", index, from,
               edge->rank);
    return found;
}

/* ---- cartesian ---- */

typedef struct grid_t {
    int length[DIMENSIONS];
    int periodic[DIMENSIONS];
} grid_t;

static int step(const grid_t *grid, int rank, int dimension, int by)
{
    int below = 1, place;

    for (int i = DIMENSIONS - 1; i > dimension; --i) {
        below *= grid->length[i];
    }
    place = rank / below % grid->length[dimension];
    if (place + by >= 0 && place + by < grid->length[dimension]) {
        return rank + by * below;
    }
    if (!grid->periodic[dimension]) {
        return COLL_PSCHEDULE_NOBODY;
    }
    return rank - by * below * (grid->length[dimension] - 1);
}

static void make_cartesian(const grid_t *grid, int rank)
{
    mca_coll_pschedule_neighbors_t *neighbors = &ranks[rank].neighbors;

    *neighbors = (mca_coll_pschedule_neighbors_t) {.sources = CART_EDGES,
                                                   .destinations = CART_EDGES,
                                                   .source = ranks[rank].source,
                                                   .destination = ranks[rank].destination};
    for (int i = 0; i < CART_EDGES; ++i) {
        int other = step(grid, rank, i / 2, 0 == i % 2 ? -1 : 1);

        neighbors->source[i].rank = other;
        neighbors->destination[i].rank = other;
    }
    mca_coll_pschedule_edges_cartesian(neighbors);
}

static void check_cartesian(const grid_t *grid)
{
    int count = grid->length[0] * grid->length[1] * grid->length[2];

    for (int rank = 0; rank < count; ++rank) {
        make_cartesian(grid, rank);
    }
    for (int rank = 0; rank < count; ++rank) {
        for (uint32_t i = 0; i < CART_EDGES; ++i) {
            if (COLL_PSCHEDULE_NOBODY == ranks[rank].destination[i].rank) {
                continue;
            }
            UNIT_CHECK((i ^ 1) == other_end(rank, i),
                       "%d x %d x %d: what rank %d sends as block %u arrives as block %u",
                       grid->length[0], grid->length[1], grid->length[2], rank, i,
                       other_end(rank, i));
        }
    }
}

static void cartesian(void **state)
{
    (void) state;
    for (int shape = 0; shape < 64; ++shape) {
        for (int periodic = 0; periodic < 8; ++periodic) {
            grid_t grid = {.length = {1 + shape % 4, 1 + shape / 4 % 4, 1 + shape / 16},
                           .periodic = {periodic & 1, periodic & 2, periodic & 4}};

            check_cartesian(&grid);
        }
    }
}

/* ---- graphs ---- */

/* Edges in random order at the sender; at the receiver by the order of senders that it has. */
static void make_graph(unit_random_t *stream, int count, int edges)
{
    uint32_t order[MOST_RANKS];

    for (int rank = 0; rank < count; ++rank) {
        ranks[rank].neighbors = (mca_coll_pschedule_neighbors_t) {
            .source = ranks[rank].source, .destination = ranks[rank].destination};
    }
    for (int i = 0; i < edges; ++i) {
        mca_coll_pschedule_neighbors_t *from
            = &ranks[unit_below(stream, (uint32_t) count)].neighbors;

        from->destination[from->destinations++].rank
            = (int32_t) unit_below(stream, (uint32_t) count);
    }
    unit_order(stream, order, (uint32_t) count);
    for (int i = 0; i < count; ++i) {
        const mca_coll_pschedule_neighbors_t *from = &ranks[order[i]].neighbors;

        for (uint32_t k = 0; k < from->destinations; ++k) {
            mca_coll_pschedule_neighbors_t *to = &ranks[from->destination[k].rank].neighbors;

            to->source[to->sources++].rank = (int32_t) order[i];
        }
    }
}

/* How many of the first `before` edges have the rank of edge `before`. */
static uint32_t occurrence(const mca_coll_pschedule_edge_t *edge, uint32_t before)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < before; ++i) {
        count += edge[i].rank == edge[before].rank;
    }
    return count;
}

static void graphs(void **state)
{
    unit_random_t stream = unit_stream(1);

    (void) state;
    for (uint32_t round = 0; round < unit_repeat(200); ++round) {
        int count = 1 + (int) unit_below(&stream, 12);

        make_graph(&stream, count, (int) unit_below(&stream, MOST_EDGES));
        for (int rank = 0; rank < count; ++rank) {
            mca_coll_pschedule_neighbors_t *own = &ranks[rank].neighbors;

            assert_true(mca_coll_pschedule_edges_listed(own->source, own->sources));
            assert_true(mca_coll_pschedule_edges_listed(own->destination, own->destinations));
        }
        for (int rank = 0; rank < count; ++rank) {
            const mca_coll_pschedule_neighbors_t *own = &ranks[rank].neighbors;

            for (uint32_t i = 0; i < own->destinations; ++i) {
                int to = own->destination[i].rank;
                uint32_t arrives = other_end(rank, i);

                assert_int_equal(occurrence(own->destination, i),
                                 occurrence(ranks[to].source, arrives));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cartesian),
        cmocka_unit_test(graphs),
    };

    return UNIT_RUN(tests);
}
