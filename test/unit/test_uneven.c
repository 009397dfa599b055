/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths that do not carry the same: units are dealt to them by what the receiver has told, whatever
 * the plan, and however the sender cuts it in an epoch; each arrives once, from whatever path, in
 * channels of users and in links.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel/part_ucx_regroup.h"
#include "line.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 4, PARTS = 32, UNIT = 4096 };

static channel_t channel;
static mca_part_ucx_rate_measure_t *measure;
static mca_part_ucx_peer_t *peer;

static void open_paths(uint64_t seed)
{
    const fakeucx_options_t network = {.seed = seed};

    channel_paths_open(PATHS, &network);
    measure = calloc(PATHS, sizeof(*measure));
    assert_non_null(measure);
}

/* The receiver finds these rates, and tells them with its next READY. */
static void find(const uint32_t rate[PATHS])
{
    for (unsigned i = 0; i < PATHS; ++i) {
        atomic_store(&measure[i].rate, rate[i]);
        atomic_fetch_add(&measure[i].news, 0 != rate[i] ? 1 : 0);
    }
}

static void find_any(unit_random_t *random)
{
    uint32_t rate[PATHS];

    for (unsigned i = 0; i < PATHS; ++i) {
        rate[i] = 0 == unit_below(random, 4) ? 0 : 1 + unit_below(random, 40000);
    }
    find(rate);
}

static void make(const channel_plan_t *plan)
{
    memset(&channel, 0, sizeof(channel));
    channel_make(&channel, plan);
    peer = channel.recv->super.peer;
    peer->measure = measure;
}

static void close_paths(void)
{
    peer->measure = NULL;
    free(measure);
    channel_paths_close();
}

/* One epoch; partitions are marked in a random order, some of them before it has begun there. */
static void whole_epoch(uint32_t epoch, unit_random_t *random)
{
    uint32_t order[CHANNEL_MOST_PARTS];
    uint32_t partitions = channel.plan.send_partitions;
    uint32_t before = unit_below(random, partitions + 1);

    unit_order(random, order, partitions);
    channel_start(&channel.send->super);
    for (uint32_t i = 0; i < partitions; ++i) {
        if (i == before) {
            channel_start(&channel.recv->super);
        }
        channel_fill(&channel, epoch, order[i]);
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, order[i], order[i]));
        if (0 == unit_below(random, 3)) {
            channel_progress();
        }
    }
    if (before == partitions) {
        channel_start(&channel.recv->super);
    }
    channel_finish(&channel.recv->super);
    channel_finish(&channel.send->super);
    for (uint32_t i = 0; i < channel.plan.recv_partitions; ++i) {
        assert_true(channel_is_there(&channel, epoch, i));
    }
}

/* The next epoch is cut as both ends have agreed, or as the sender likes. */
static void cut_any_way(unit_random_t *random)
{
    mca_part_ucx_regroup_t *regroup = channel.send->regroup;

    if (NULL != regroup) {
        regroup->trial.second = 0 != unit_below(random, 2);
    }
}

static void any_plan_any_rates(void **state)
{
    unsigned both = 0;

    (void) state;
    for (uint32_t run = 0; run < unit_repeat(300); ++run) {
        unit_random_t random = unit_stream(run);
        channel_plan_t plan;
        uint64_t strays, repeats;

        open_paths(run);
        mca_part_ucx_params.hold = 0;
        mca_part_ucx_params.spread = (int) unit_below(&random, 3); /* mca_part_ucx_regroup_mode_t */
        mca_part_ucx_params.join = (int) unit_below(&random, 3);
        strays = atomic_load(&mca_part_ucx_process.strays);
        repeats = atomic_load(&mca_part_ucx_process.repeats);
        channel_plan_choose(&plan, &random, PATHS,
                            0 == unit_below(&random, 2) ? PART_UCX_METHOD_FLUSH
                                                          : PART_UCX_METHOD_MESSAGE);
        make(&plan);
        for (uint32_t epoch = 1; epoch < 8; ++epoch) {
            if (0 != unit_below(&random, 3)) {
                find_any(&random);
            }
            cut_any_way(&random);
            whole_epoch(epoch, &random);
        }
        assert_int_equal(strays, atomic_load(&mca_part_ucx_process.strays));
        assert_int_equal(repeats, atomic_load(&mca_part_ucx_process.repeats));
        both += NULL != channel.send->regroup && NULL != channel.send->share ? 1 : 0;
        channel_free(&channel);
        close_paths();
    }
    assert_true(both > 0); /* or it has not seen what it is for */
}

static void bytes_of(uint64_t bytes[PATHS])
{
    for (unsigned i = 0; i < PATHS; ++i) {
        bytes[i] = atomic_load(&mca_part_ucx_paths.path[i].counters.bytes);
    }
}

/* Epochs of which the first one only tells; then bytes must be shared as rates are. */
static void check_shares(const uint32_t rate[PATHS], unsigned epochs, uint32_t *epoch,
                         double tolerance, unit_random_t *random)
{
    uint64_t before[PATHS], after[PATHS];
    double rates = 0, bytes = 0;

    find(rate);
    peer->measure = measure;
    whole_epoch((*epoch)++, random); /* READY may come after its beginning */
    peer->measure = NULL; /* what is found here otherwise is the speed of this machine */
    for (unsigned i = 0; i < 40; ++i) {
        whole_epoch((*epoch)++, random);
    }
    bytes_of(before);
    for (unsigned i = 0; i < epochs; ++i) {
        whole_epoch((*epoch)++, random);
    }
    bytes_of(after);
    for (unsigned i = 0; i < PATHS; ++i) {
        rates += rate[i];
        bytes += (double) (after[i] - before[i]);
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        double right = bytes * rate[i] / rates, is = (double) (after[i] - before[i]);

        UNIT_CHECK(is > right * (1 - tolerance) && is < right * (1 + tolerance),
                   "path %u carries %.0f bytes, where %.0f are right", i, is, right);
    }
}

/* Also back to equal ones, where no path has a byte more than another. */
static void bytes_go_by_rates(void **state)
{
    static const uint32_t uneven[PATHS] = {31000, 31000, 15500, 31000},
                          others[PATHS] = {8000, 16000, 24000, 32000},
                          even[PATHS] = {31000, 30900, 31100, 31000};
    unit_random_t random = unit_stream(5);

    (void) state;
    for (uint32_t group = 1; group <= 4; group *= 4) {
        const channel_plan_t plan = {.total = PARTS * UNIT / group, .send_partitions = PARTS,
                                     .recv_partitions = PARTS, .slices = 1, .group = group,
                                     .method = PART_UCX_METHOD_MESSAGE};
        uint64_t before[PATHS], after[PATHS];
        uint32_t epoch = 1;

        open_paths(group);
        make(&plan);
        /* In whole units: the half pair cannot have 4.6 of 32, nor the least 0.8 of 8. */
        check_shares(uneven, 20, &epoch, 0.15, &random);
        if (1 == group) {
            check_shares(others, 20, &epoch, 0.2, &random);
        }
        find(even);
        peer->measure = measure;
        whole_epoch(epoch++, &random);
        peer->measure = NULL;
        for (unsigned i = 0; i < 60; ++i) {
            whole_epoch(epoch++, &random);
        }
        bytes_of(before);
        whole_epoch(epoch++, &random);
        bytes_of(after);
        for (unsigned i = 0; i < PATHS; ++i) {
            assert_int_equal(plan.total / PATHS, after[i] - before[i]);
        }
        channel_free(&channel);
        close_paths();
    }
}

/* Two pairs of one link share it, as TCP likes: what is found of them changes nothing. */
static void a_link_is_shared(void **state)
{
    static const uint32_t told[PATHS] = {16000, 8000, 20000, 19000};
    const channel_plan_t plan = {.total = PARTS * UNIT,
                                 .send_partitions = PARTS,
                                 .recv_partitions = PARTS,
                                 .slices = 1,
                                 .group = 1,
                                 .method = PART_UCX_METHOD_MESSAGE};
    unit_random_t random = unit_stream(6);
    uint64_t before[PATHS], after[PATHS];

    (void) state;
    open_paths(6);
    make(&plan);
    channel.send->endpoint[1]->devices = channel.send->endpoint[0]->devices;
    find(told);
    peer->measure = measure;
    whole_epoch(1, &random);
    peer->measure = NULL;
    whole_epoch(2, &random);
    bytes_of(before);
    whole_epoch(3, &random);
    bytes_of(after);
    for (unsigned i = 0; i < PATHS; ++i) {
        assert_int_equal(plan.total / PATHS, after[i] - before[i]);
    }
    channel_free(&channel);
    close_paths();
}

/* ---- segments that come over several paths at once ---- */

static mca_part_ucx_arrivals_t *claimed;
static atomic_uint claims, round_trip;

enum { CLAIMERS = 3, CLAIM_EPOCHS = 2000, CLAIM_UNITS = 8, CLAIM_GROUP = 4 };

static void *claimer(void *unused)
{
    (void) unused;
    for (uint32_t epoch = 1; epoch <= CLAIM_EPOCHS; ++epoch) {
        atomic_fetch_add(&round_trip, 1);
        while (atomic_load(&round_trip) < epoch * CLAIMERS) {
            sched_yield();
        }
        for (uint32_t unit = 0; unit < CLAIM_UNITS; ++unit) {
            if (mca_part_ucx_arrivals_reserve(claimed, epoch, unit * CLAIM_GROUP, CLAIM_GROUP)) {
                atomic_fetch_add(&claims, 1);
                mca_part_ucx_arrivals_set(claimed, epoch, unit * CLAIM_GROUP, CLAIM_GROUP);
            }
        }
    }
    return NULL;
}

/* The same messages over three paths at the same time: each is taken once. */
static void one_of_several_gets_it(void **state)
{
    mca_part_ucx_map_t map;
    pthread_t thread[CLAIMERS];

    (void) state;
    assert_true(mca_part_ucx_map_init(&map, CLAIM_UNITS * CLAIM_GROUP, CLAIM_UNITS * CLAIM_GROUP,
                                      CLAIM_UNITS * CLAIM_GROUP, 1, CLAIM_GROUP, CLAIMERS));
    claimed = mca_part_ucx_arrivals_make(&map, false);
    assert_non_null(claimed);
    for (unsigned i = 0; i < CLAIMERS; ++i) {
        assert_int_equal(0, pthread_create(&thread[i], NULL, claimer, NULL));
    }
    for (unsigned i = 0; i < CLAIMERS; ++i) {
        (void) pthread_join(thread[i], NULL);
    }
    assert_int_equal(CLAIM_EPOCHS * CLAIM_UNITS, atomic_load(&claims));
    mca_part_ucx_arrivals_free(claimed);
}

/* Pieces of links, small ones in bundles and large ones alone. */
static void links_too(void **state)
{
    uint64_t bytes[LINE_MOST_PIECES];

    (void) state;
    for (uint32_t run = 0; run < unit_repeat(100); ++run) {
        unit_random_t random = unit_stream(1000 + run);

        open_paths(run);
        for (uint32_t i = 0; i < LINE_MOST_PIECES; ++i) {
            bytes[i] = unit_below(&random, 1u << unit_below(&random, 15));
        }
        line_make(LINE_MOST_PIECES, bytes);
        for (uint32_t epoch = 1; epoch < 6; ++epoch) {
            for (unsigned i = 0; i < PATHS; ++i) {
                atomic_store(&line.send->endpoint[i]->rate, unit_below(&random, 40000));
            }
            mca_part_ucx_channel_start_met(&line.send->super);
            mca_part_ucx_channel_start_met(&line.recv->super);
            unit_order(&random, line.order, line.count);
            for (uint32_t i = 0; i < line.count; ++i) {
                line_mark(line.order[i]);
            }
            line_finish(epoch);
            for (int i = 0; i < PATHS; ++i) {
                assert_int_equal(0, atomic_load(&mca_part_ucx_paths.path[i].queued));
            }
        }
        line_free();
        free(measure);
        channel_paths_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_plan_any_rates), cmocka_unit_test(bytes_go_by_rates),
        cmocka_unit_test(a_link_is_shared), cmocka_unit_test(one_of_several_gets_it),
        cmocka_unit_test(links_too)};

    return UNIT_RUN(tests);
}
