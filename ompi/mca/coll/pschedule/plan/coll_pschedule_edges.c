/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys of edges (see coll_pschedule_edges.h).
 */
#include "plan/coll_pschedule_edges.h"

#include <stdlib.h>

void mca_coll_pschedule_edges_cartesian(mca_coll_pschedule_neighbors_t *neighbors)
{
    for (uint32_t i = 0; i < neighbors->destinations; ++i) {
        neighbors->destination[i].key = i;
    }
    for (uint32_t i = 0; i < neighbors->sources; ++i) {
        /* What comes from the neighbour in one direction left it in the other. */
        neighbors->source[i].key = i ^ 1;
    }
}

/* Edges to one rank are brought together, in the order of the list (their keys until then). */
static int by_rank_then_key(const void *left, const void *right)
{
    const mca_coll_pschedule_edge_t *a = *(mca_coll_pschedule_edge_t *const *) left;
    const mca_coll_pschedule_edge_t *b = *(mca_coll_pschedule_edge_t *const *) right;

    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->key < b->key ? -1 : a->key > b->key;
}

bool mca_coll_pschedule_edges_listed(mca_coll_pschedule_edge_t *edge, uint32_t edges)
{
    mca_coll_pschedule_edge_t **sorted = malloc((edges + (size_t) 1) * sizeof(*sorted));

    if (NULL == sorted) {
        return false;
    }
    for (uint32_t i = 0; i < edges; ++i) {
        edge[i].key = i;
        sorted[i] = &edge[i];
    }
    qsort(sorted, edges, sizeof(*sorted), by_rank_then_key);
    for (uint32_t i = 0; i < edges; ++i) {
        bool again = i > 0 && sorted[i]->rank == sorted[i - 1]->rank;

        sorted[i]->key = again ? sorted[i - 1]->key + 1 : 0;
    }
    free(sorted);
    return true;
}
