/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From a call to a problem (see coll_pschedule_resolve.h).
 */
#include "call/coll_pschedule_resolve.h"

#include <stdlib.h>

#include "call/coll_pschedule_cuts.h"
#include "ompi/op/op.h"

typedef mca_coll_pschedule_arguments_t arguments_t;
typedef mca_coll_pschedule_block_t block_t;

/* Blocks as plans see them, but for their offsets; NULL when memory is short. */
static block_t *list_blocks(const arguments_t *arguments, const mca_coll_pschedule_layout_t *layout)
{
    block_t *block = calloc((size_t) layout->blocks + 1, sizeof(*block));
    uint32_t first = 0;

    for (uint32_t i = 0; NULL != block && i < layout->blocks; ++i) {
        block[i].cut = mca_coll_pschedule_arguments_cut(arguments, &layout->area[i]);
        block[i].first = first;
        first += block[i].cut.partitions;
    }
    return block;
}

static bool blocks_alike(const block_t *block, uint32_t blocks)
{
    for (uint32_t i = 1; i < blocks; ++i) {
        if (block[i].cut.bytes != block[0].cut.bytes
            || block[i].cut.partitions != block[0].cut.partitions) {
            return false;
        }
    }
    return true;
}

static void describe(const arguments_t *arguments, const mca_coll_pschedule_common_t *common,
                     const mca_coll_pschedule_terms_t *terms,
                     mca_coll_pschedule_problem_t *problem)
{
    const mca_coll_pschedule_call_t *call = arguments->call;
    bool reduces = arguments->shape->reduces;
    bool one_host = NULL != terms->hosts && 1 == terms->hosts->count;

    *problem = (mca_coll_pschedule_problem_t) {
        .collective = call->collective,
        .rank = arguments->rank,
        .size = arguments->size,
        .root = arguments->shape->rooted ? call->root : 0,
        .in_place = arguments->in_place,
        .ordered = reduces && !ompi_op_is_commute(call->op),
        .element = (uint32_t) arguments->element,
        .chunk = one_host ? terms->shared_chunk : terms->chunk,
        .send_blocks = arguments->send.blocks,
        .recv_blocks = arguments->recv.blocks,
        .sources = arguments->neighbors.sources,
        .destinations = arguments->neighbors.destinations,
        .source = arguments->neighbors.source,
        .destination = arguments->neighbors.destination,
        .common_bytes = common->bytes,
        .common_partitions = common->partitions,
        .common_in_place = common->in_place,
        .whole = NULL != call->front,
        .uniform = common->uniform,
        .lone_path = common->lone_path,
        .one_host = one_host,
        .shares = one_host && terms->hosts->shares,
        .hosts = terms->hosts};
}

/* What this rank can do alone, when it has the cuts of the others. */
static int make_problem(const arguments_t *arguments, const mca_coll_pschedule_common_t *common,
                        const mca_coll_pschedule_terms_t *terms,
                        mca_coll_pschedule_resolved_t *resolved)
{
    mca_coll_pschedule_problem_t *problem = &resolved->problem;
    block_t *send = list_blocks(arguments, &arguments->send);
    block_t *recv = list_blocks(arguments, &arguments->recv);

    describe(arguments, common, terms, problem);
    problem->send = send;
    problem->recv = recv;
    resolved->uncontested = common->uncontested;
    resolved->fingerprint = common->fingerprint;
    if (NULL == send || NULL == recv) {
        return MPI_ERR_NO_MEM;
    }
    if (arguments->shape->reduces && !blocks_alike(send, problem->send_blocks)) {
        problem->uniform = false; /* the lists of reduce_scatter, the same on all ranks */
    }
    return mca_coll_pschedule_buffers_make(arguments, &resolved->buffers, send, recv);
}

/* The cuts of the others, and a problem. */
static int go_on(arguments_t *arguments, const mca_coll_pschedule_common_t *common,
                 const mca_coll_pschedule_terms_t *terms, mca_coll_pschedule_cuts_t *cuts,
                 mca_coll_pschedule_resolved_t *resolved)
{
    bool broken;
    int error = mca_coll_pschedule_cuts_exchange(arguments, common, cuts, &broken);

    if (broken) {
        return error;
    }
    if (MPI_SUCCESS == error) {
        error = make_problem(arguments, common, terms, resolved);
    }
    error = mca_coll_pschedule_agree_on_outcome(arguments->call->comm, error);
    if (MPI_SUCCESS == error) {
        resolved->problem.contribution = cuts->cut;
        cuts->cut = NULL;
        /* The edges belong to the problem from here on. */
        arguments->neighbors = (mca_coll_pschedule_neighbors_t) {0};
    }
    return error;
}

/* Take back what make_problem() has made. */
static void undo(mca_coll_pschedule_resolved_t *resolved)
{
    free((block_t *) (uintptr_t) resolved->problem.send);
    free((block_t *) (uintptr_t) resolved->problem.recv);
    mca_coll_pschedule_buffers_release(&resolved->buffers);
    *resolved = (mca_coll_pschedule_resolved_t) {0};
}

int mca_coll_pschedule_resolve(const mca_coll_pschedule_call_t *call,
                               const mca_coll_pschedule_terms_t *terms,
                               mca_coll_pschedule_resolved_t *resolved)
{
    mca_coll_pschedule_cuts_t cuts = {0};
    mca_coll_pschedule_common_t common;
    arguments_t arguments;
    int error;

    *resolved = (mca_coll_pschedule_resolved_t) {0};
    error = mca_coll_pschedule_arguments_check(&arguments, call, terms->refusal);
    if (MPI_SUCCESS == error) {
        error = mca_coll_pschedule_cuts_prepare(&arguments, &cuts);
    }
    error = mca_coll_pschedule_agree_on_arguments(&arguments, error, terms, &common);
    if (MPI_SUCCESS == error) {
        error = go_on(&arguments, &common, terms, &cuts, resolved);
        if (MPI_SUCCESS != error) {
            undo(resolved);
        }
    }
    mca_coll_pschedule_cuts_free(&cuts);
    mca_coll_pschedule_arguments_free(&arguments);
    return error;
}

void mca_coll_pschedule_resolved_free(mca_coll_pschedule_resolved_t *resolved)
{
    mca_coll_pschedule_problem_t *problem = &resolved->problem;

    free((block_t *) (uintptr_t) problem->send);
    free((block_t *) (uintptr_t) problem->recv);
    free((mca_coll_pschedule_cut_t *) (uintptr_t) problem->contribution);
    free((mca_coll_pschedule_cut_t *) (uintptr_t) problem->relay_cuts);
    free((mca_coll_pschedule_edge_t *) (uintptr_t) problem->source);
    free((mca_coll_pschedule_edge_t *) (uintptr_t) problem->destination);
}
