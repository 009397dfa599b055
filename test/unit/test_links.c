/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests of coll/pschedule whose links break: all ranks of a collective in one process, on links
 * that are made up (fakelinks.h), in a random order. A link fails by itself, or a rank frees its
 * request before the others do. Checked: nobody waits for ever, a rank that ends well has all its
 * results, links are used only as part_ucx_link.h allows, nothing works on the buffers of a request
 * that has completed, and each failure is told to the user once.
 */
#include "ompi_config.h"

#include "fakelinks.h"
#include "simulator.h"

#include "call/coll_pschedule_help.h"
#include "coll_pschedule_request.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"

enum { MOST_RANKS = 9, MOST_EPOCHS = 3, MOST_WORKERS = 4, STEPS = 400000, NEVER = STEPS + 1 };

typedef struct rank_t {
    mca_coll_pschedule_request_t *request; /* NULL when it has been freed */
    ompi_communicator_t comm;
    uint32_t epochs; /* still to do */
    uint32_t *order; /* of marking */
    uint32_t marked;
    bool active;     /* MPI_Start has returned */
    bool complete;
    bool gone;
    bool failed;
    bool broken;     /* one of its links is */
} rank_t;

static struct {
    unit_random_t random;
    uint32_t ranks;
    rank_t rank[MOST_RANKS];
    unsigned told;
} world;

static unsigned failures, successes;

/* Requests that have failed keep their memory for ever. */
static mca_coll_pschedule_request_t **lost;
static size_t losses;

/* ---- stand-ins (linked with --wrap) ---- */

void __wrap_mca_coll_pschedule_help(const char *topic, ...);
void __wrap_mca_coll_pschedule_help(const char *topic, ...)
{
    world.told += 0 == strcmp("failed", topic);
}

void __wrap_mca_coll_pschedule_buffers_operate(const mca_coll_pschedule_buffers_t *buffers,
                                               const mca_coll_pschedule_operation_t *operation,
                                               bool reduce);
void __wrap_mca_coll_pschedule_buffers_operate(const mca_coll_pschedule_buffers_t *buffers,
                                               const mca_coll_pschedule_operation_t *operation,
                                               bool reduce)
{
    static unsigned depth;

    (void) operation, (void) reduce;
    ++depth;
    while (depth < MOST_WORKERS && 0 != unit_below(&world.random, 4)) {
        fakelinks_step(); /* other threads make progress while this one works */
    }
    --depth;
    for (uint32_t i = 0; i < world.ranks; ++i) {
        const rank_t *rank = &world.rank[i];

        if (NULL != rank->request && &rank->request->buffers == buffers
            && (rank->complete || rank->gone)) {
            fakelinks_blame("the buffers of a request that has completed are used");
        }
    }
}

static void completed(ompi_request_t *request)
{
    for (uint32_t i = 0; i < world.ranks; ++i) {
        rank_t *rank = &world.rank[i];

        if (NULL != rank->request && &rank->request->any.super == request) {
            if (rank->complete || !rank->active) {
                fakelinks_blame("a request completes twice, or before MPI_Start has returned");
            }
            rank->complete = true;
        }
    }
}

/* ---- ranks ---- */

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    assert_non_null(memory);
    return memory;
}

/* What MPIX_P..._init makes; it takes the plan over. */
static void make_rank(sim_rank_t *from, rank_t *rank)
{
    mca_coll_pschedule_call_t call = {.collective = from->problem.collective,
                                      .comm = &rank->comm};
    mca_coll_pschedule_match_t match = {.fingerprint = 1};
    mca_coll_pschedule_topology_t unknown = {0};
    mca_coll_pschedule_request_t *request;

    OBJ_CONSTRUCT(&rank->comm, opal_list_item_t); /* references are counted, no more */
    rank->comm.c_my_rank = from->problem.rank;
    request = rank->request = mca_coll_pschedule_request_new(&fakelinks_api, &call);
    assert_non_null(request);
    request->plan = from->plan;
    from->plan = NULL;
    request->marked = zeroed(request->plan->send_partitions, sizeof(*request->marked));
    request->arrived = zeroed(request->plan->recv_partitions, sizeof(*request->arrived));
    request->piece = zeroed(request->plan->transfers, sizeof(*request->piece));
    request->application_only = 0 == unit_below(&world.random, 2); /* all operations are deferred */
    assert_true(mca_coll_pschedule_backend_init(request));
    assert_int_equal(MPI_SUCCESS, mca_coll_pschedule_ports_open(request, &unknown, &match));
    rank->order = zeroed(request->plan->send_partitions, sizeof(*rank->order));
}

static void start(rank_t *rank)
{
    ompi_request_t *handle = &rank->request->any.super;

    unit_order(&world.random, rank->order, rank->request->plan->send_partitions);
    rank->marked = 0;
    (void) handle->req_start(1, &handle);
    rank->active = true;
    --rank->epochs;
}

static void release(rank_t *rank)
{
    ompi_request_t *handle = &rank->request->any.super;

    if (rank->failed) {
        lost = realloc(lost, (losses + 1) * sizeof(mca_coll_pschedule_request_t *));
        assert_non_null(lost);
        lost[losses++] = rank->request;
    } else {
        rank->request = NULL;
    }
    rank->gone = true;
    (void) handle->req_free(&handle);
}

/* MPI_Wait; it frees a request that has failed. */
static void end(rank_t *rank)
{
    mca_coll_pschedule_request_t *request = rank->request;

    rank->active = rank->complete = false;
    rank->failed = MPI_SUCCESS != request->any.super.req_status.MPI_ERROR;
    request->any.super.req_state = OMPI_REQUEST_INACTIVE;
    for (uint32_t i = 0; !rank->failed && i < request->plan->recv_partitions; ++i) {
        if (atomic_load(&request->arrived[i]) != atomic_load(&request->epoch)) {
            fakelinks_blame("a request completes well without all its results");
        }
    }
    if (rank->failed) {
        ++failures;
        release(rank);
    } else {
        ++successes;
    }
}

/* What a program does next, if it can do anything. */
static void step(rank_t *rank)
{
    if (rank->gone) {
        return;
    }
    if (rank->complete) {
        end(rank);
    } else if (rank->active && rank->marked < rank->request->plan->send_partitions) {
        uint32_t partition = rank->order[rank->marked++];

        (void) rank->request->any.ops->pready(&rank->request->any, partition, partition);
    } else if (!rank->active && 0 != rank->epochs) {
        start(rank);
    } else if (!rank->active) {
        release(rank);
    }
}

/* ---- a round ---- */

static bool is_over(void)
{
    for (uint32_t i = 0; i < world.ranks; ++i) {
        if (!world.rank[i].gone) {
            return false;
        }
    }
    return fakelinks_quiet();
}

static void run(uint32_t breaks_at)
{
    for (uint32_t i = 0; !is_over() && NULL == fakelinks_fault(); ++i) {
        if (i == breaks_at) {
            int broken = fakelinks_break();

            if (broken >= 0) {
                world.rank[broken].broken = true;
            }
        }
        if (0 == unit_below(&world.random, 3)) {
            step(&world.rank[unit_below(&world.random, world.ranks)]);
        } else {
            fakelinks_step();
        }
        if (STEPS == i) {
            fakelinks_blame("somebody waits for ever");
        }
    }
}

static void check(void)
{
    unsigned failed = 0;

    for (uint32_t i = 0; i < world.ranks; ++i) {
        failed += world.rank[i].failed;
        if (world.rank[i].broken && !world.rank[i].failed) {
            fakelinks_blame("a request with a broken link ends well");
        }
    }
    if (world.told != failed) {
        fakelinks_blame("a failure is told not at all, or more than once");
    }
    if (0 != fakelinks_active()) {
        fakelinks_blame("requests count as active after their end");
    }
}

static void play(const sim_params_t *params, uint32_t breaks_at, bool leaves)
{
    sim_world_t *sim = sim_new(params);

    memset(&world, 0, sizeof(world));
    world.random = params->seed;
    world.ranks = params->ranks;
    fakelinks_open(params->seed + 1, completed);
    for (uint32_t i = 0; i < params->ranks; ++i) {
        assert_true(sim_build(sim, i));
        make_rank(&sim->rank[i], &world.rank[i]);
        world.rank[i].epochs = params->epochs;
    }
    if (leaves) {
        --world.rank[unit_below(&world.random, params->ranks)].epochs;
    }
    run(breaks_at);
    if (NULL == fakelinks_fault()) {
        check();
    }
    UNIT_CHECK(NULL == fakelinks_fault(), "%s: %s, breaks at %u, %s", fakelinks_fault(),
               sim_line(params), breaks_at, leaves ? "a rank leaves" : "nobody leaves");
    for (uint32_t i = 0; i < params->ranks; ++i) {
        free(world.rank[i].order);
    }
    fakelinks_close();
    sim_free(sim);
}

/* ---- the tests ---- */

static void rows(bool breaks, bool leaves)
{
    unit_random_t random = unit_stream(700u + 2u * breaks + leaves);

    failures = successes = 0;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
            const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_algorithms[i];
            sim_params_t params = {.row = row,
                                   .collective = row->collective,
                                   .ranks = 2 + unit_below(&random, MOST_RANKS - 1),
                                   .partitions = 1 + unit_below(&random, 4),
                                   .count = 1 + unit_below(&random, 20),
                                   .element = 8,
                                   .chunk = 8 + 8 * unit_below(&random, 5),
                                   .epochs = 1 + unit_below(&random, MOST_EPOCHS),
                                   .threads = 1,
                                   .seed = unit_random(&random)};

            play(&params, breaks ? unit_below(&random, 600) : NEVER, leaves);
        }
    }
}

static void nothing_fails(void **state)
{
    (void) state;
    rows(false, false);
    assert_int_equal(0, failures);
}

static void links_break(void **state)
{
    (void) state;
    rows(true, false);
    assert_true(failures > successes / 10); /* else nothing much has been tested */
}

static void ranks_leave(void **state)
{
    (void) state;
    rows(false, true);
    assert_true(failures > successes / 10);
}

static void both(void **state)
{
    (void) state;
    rows(true, true);
    assert_true(failures > successes / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(links_break),
        cmocka_unit_test(ranks_leave),
        cmocka_unit_test(both),
    };

    return UNIT_RUN(tests);
}
