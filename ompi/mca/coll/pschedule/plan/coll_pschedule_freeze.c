/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of building (see coll_pschedule_freeze.h): transfers sorted into links, the graph laid
 * out for running, and checks that catch a wrong builder before it moves a byte.
 */
#include "plan/coll_pschedule_freeze.h"

#include <stdlib.h>

void mca_coll_pschedule_build_free(mca_coll_pschedule_plan_t *plan)
{
    if (NULL != plan->build) {
        free(plan->build->arc);
        free(plan->build->draft);
        free(plan->build);
        plan->build = NULL;
    }
}

/* ---- transfers ---- */

static int compare_drafts(const void *a, const void *b)
{
    const mca_coll_pschedule_draft_t *x = a, *y = b;

    if (x->peer != y->peer) {
        return x->peer < y->peer ? -1 : 1;
    }
    if (x->is_send != y->is_send) {
        return x->is_send ? 1 : -1;
    }
    if (x->transfer.key != y->transfer.key) {
        return x->transfer.key < y->transfer.key ? -1 : 1;
    }
    return 0;
}

static bool same_link(const mca_coll_pschedule_draft_t *a, const mca_coll_pschedule_draft_t *b)
{
    return a->peer == b->peer && a->is_send == b->is_send;
}

static uint32_t count_links(const mca_coll_pschedule_draft_t *draft, uint32_t count)
{
    uint32_t links = 0;

    for (uint32_t i = 0; i < count; ++i) {
        links += 0 == i || !same_link(&draft[i - 1], &draft[i]);
    }
    return links;
}

/* Sort by peer and direction, then by key, and make one link of each peer and direction. */
static bool make_links(mca_coll_pschedule_plan_t *plan)
{
    mca_coll_pschedule_draft_t *draft = plan->build->draft;
    mca_coll_pschedule_link_t *link = NULL;

    if (0 == plan->transfers) {
        return true;
    }
    qsort(draft, plan->transfers, sizeof(*draft), compare_drafts);
    plan->transfer = calloc(plan->transfers, sizeof(*plan->transfer));
    plan->link = calloc(count_links(draft, plan->transfers), sizeof(*plan->link));
    if (NULL == plan->transfer || NULL == plan->link) {
        plan->fault = mca_coll_pschedule_no_memory;
        return false;
    }
    for (uint32_t i = 0; i < plan->transfers; ++i) {
        if (0 == i || !same_link(&draft[i - 1], &draft[i])) {
            link = &plan->link[plan->links++];
            *link = (mca_coll_pschedule_link_t) {
                .peer = draft[i].peer, .is_send = draft[i].is_send, .first = i};
        } else if (draft[i - 1].transfer.key == draft[i].transfer.key) {
            plan->fault = "two transfers have the same key";
            return false;
        }
        ++link->count;
        plan->transfer[i] = draft[i].transfer;
        plan->transfer[i].link = plan->links - 1;
        plan->vertex[plan->transfer[i].node].item = i;
    }
    return true;
}

/* ---- ranges ---- */

static bool within(const mca_coll_pschedule_plan_t *plan, mca_coll_pschedule_place_t place,
                   uint64_t bytes)
{
    uint64_t end = COLL_PSCHEDULE_SPACE_SCRATCH == place.space ? plan->scratch
                                                               : plan->build->extent[place.space];

    return 0 == bytes || (place.offset <= end && bytes <= end - place.offset);
}

static bool check_ranges(mca_coll_pschedule_plan_t *plan)
{
    bool good = true;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        good = good && within(plan, plan->transfer[i].place, plan->transfer[i].bytes);
    }
    for (uint32_t i = 0; i < plan->operations; ++i) {
        const mca_coll_pschedule_operation_t *operation = &plan->operation[i];

        good = good && within(plan, operation->from, operation->bytes)
               && within(plan, operation->to, operation->bytes);
    }
    if (!good) {
        plan->fault = "a range lies outside its buffer";
    }
    return good;
}

/* ---- graph ---- */

static bool lay_out(mca_coll_pschedule_plan_t *plan)
{
    const mca_coll_pschedule_arc_t *arc = plan->build->arc;
    mca_coll_pschedule_vertex_t *vertex
        = realloc(plan->vertex, (plan->nodes + 1) * sizeof(*vertex));
    uint32_t *edge = malloc((plan->edges + 1) * sizeof(*edge));
    uint32_t sum = 0;

    plan->vertex = NULL == vertex ? plan->vertex : vertex;
    plan->edge = edge;
    if (NULL == vertex || NULL == edge) {
        plan->fault = mca_coll_pschedule_no_memory;
        return false;
    }
    vertex[plan->nodes] = (mca_coll_pschedule_vertex_t) {0};
    for (uint32_t i = 0; i < plan->edges; ++i) {
        ++vertex[arc[i].before].first;
        ++vertex[arc[i].node].dependencies;
    }
    for (uint32_t i = 0; i <= plan->nodes; ++i) {
        sum += vertex[i].first;
        vertex[i].first = sum; /* the end for now; each edge put in front moves it to the begin */
    }
    for (uint32_t i = plan->edges; i-- > 0;) {
        edge[--vertex[arc[i].before].first] = arc[i].node;
    }
    return true;
}

static bool fired_from_outside(const mca_coll_pschedule_vertex_t *vertex)
{
    return COLL_PSCHEDULE_NODE_READY == vertex->kind || COLL_PSCHEDULE_NODE_ARRIVE == vertex->kind;
}

static bool list_starters(mca_coll_pschedule_plan_t *plan)
{
    plan->starter = malloc((plan->nodes + 1) * sizeof(*plan->starter));
    if (NULL == plan->starter) {
        plan->fault = mca_coll_pschedule_no_memory;
        return false;
    }
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        const mca_coll_pschedule_vertex_t *vertex = &plan->vertex[i];

        if (fired_from_outside(vertex) && 0 != vertex->dependencies) {
            plan->fault = "something is to happen before an outside event";
            return false;
        }
        if (!fired_from_outside(vertex) && 0 == vertex->dependencies) {
            plan->starter[plan->starters++] = i;
        }
        plan->leaves += vertex->first == vertex[1].first;
    }
    return true;
}

/* The engine lets a turn end in one of two ways: what it ends in waits for one node, and is waited
 * for. What leaves in it waits for a mark, and for the turn. */
static bool check_turns(mca_coll_pschedule_plan_t *plan)
{
    const mca_coll_pschedule_vertex_t *vertex = plan->vertex;
    bool good = true;

    for (uint32_t i = 0; i < plan->nodes; ++i) {
        if (COLL_PSCHEDULE_NODE_TURN != vertex[i].kind) {
            continue;
        }
        good = good && 1 == vertex[vertex[i].item].dependencies
               && vertex[vertex[i].item].first != vertex[vertex[i].item + 1].first;
        for (uint32_t k = vertex[i].first; k < vertex[i + 1].first; ++k) {
            good = good && COLL_PSCHEDULE_NODE_SEND == vertex[plan->edge[k]].kind
                   && 2 == vertex[plan->edge[k]].dependencies;
        }
    }
    plan->fault = good ? plan->fault : "a turn that cannot end early";
    return good;
}

/* Take nodes away whose predecessors are gone; what remains is on a cycle. */
static bool check_cycles(mca_coll_pschedule_plan_t *plan)
{
    uint32_t *missing = malloc((plan->nodes + 1) * sizeof(*missing));
    uint32_t *list = malloc((plan->nodes + 1) * sizeof(*list));
    uint32_t taken = 0, listed = 0;

    for (uint32_t i = 0; NULL != missing && NULL != list && i < plan->nodes; ++i) {
        missing[i] = plan->vertex[i].dependencies;
        if (0 == missing[i]) {
            list[listed++] = i;
        }
    }
    while (taken < listed) {
        const mca_coll_pschedule_vertex_t *vertex = &plan->vertex[list[taken++]];

        for (uint32_t i = vertex->first; i < vertex[1].first; ++i) {
            if (0 == --missing[plan->edge[i]]) {
                list[listed++] = plan->edge[i];
            }
        }
    }
    if (NULL == missing || NULL == list) {
        plan->fault = mca_coll_pschedule_no_memory;
    } else if (taken < plan->nodes) {
        plan->fault = "the graph has a cycle";
    }
    free(missing);
    free(list);
    return NULL == plan->fault;
}

/* Whoever marks all must mark each. */
static bool check_order(mca_coll_pschedule_plan_t *plan)
{
    bool *seen = calloc(plan->send_partitions + (size_t) 1, sizeof(*seen));
    bool good = NULL != seen && (NULL == plan->order || plan->ordered == plan->send_partitions);

    for (uint32_t i = 0; good && i < plan->ordered; ++i) {
        good = !seen[plan->order[i]];
        seen[plan->order[i]] = true;
    }
    if (!good) {
        plan->fault = NULL == seen ? mca_coll_pschedule_no_memory
                                   : "an order that leaves partitions out";
    }
    free(seen);
    return good;
}

bool mca_coll_pschedule_plan_freeze(mca_coll_pschedule_plan_t *plan)
{
    bool good = NULL == plan->fault && make_links(plan) && check_ranges(plan) && lay_out(plan)
                && list_starters(plan) && check_turns(plan) && check_cycles(plan)
                && check_order(plan);

    if (good) {
        mca_coll_pschedule_build_free(plan);
    }
    return good;
}
