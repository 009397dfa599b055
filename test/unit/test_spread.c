/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message that both ends have cut into one unit leaves by all paths while it is spread, and by
 * one while it is not, from epoch to epoch, whatever the order of marks; every byte arrives. Also
 * where its units have been dealt to paths meanwhile: a lone partition does not wait for others.
 */
#include "ompi_config.h"

#include "unit.h"

#include "base/part_ucx_clock.h"
#include "channel.h"
#include "channel/part_ucx_send_side.h"
#include "channel/part_ucx_spread.h"

enum { PATHS = 4, PARTS = 32, BYTES = 4096, EPOCHS = 200 };

static channel_t channel;

static void open_channel(uint32_t group, mca_part_ucx_method_t method)
{
    const fakeucx_options_t network = {.seed = 1};
    const channel_plan_t plan = {.total = BYTES, .send_partitions = PARTS,
                                 .recv_partitions = PARTS / 2, .slices = 1, .group = group,
                                 .method = method};

    channel_paths_open(PATHS, &network);
    channel = (channel_t) {.number = 1};
    channel_make(&channel, &plan);
}

static void close_channel(void)
{
    channel_free(&channel);
    channel_paths_close();
}

static unsigned posted(unsigned path)
{
    return (unsigned) atomic_load(&mca_part_ucx_paths.path[path].counters.units);
}

/* Mark all in some order; with pauses some leave before their neighbours are marked. */
static void mark_all(unit_random_t *random, bool pauses)
{
    uint32_t order[PARTS];

    unit_order(random, order, PARTS);
    for (uint32_t i = 0; i < PARTS; ++i) {
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, order[i], order[i]));
        if (pauses && 0 == unit_below(random, 4)) {
            channel_progress();
        }
    }
}

/* Returns how many paths have carried something. */
static unsigned epoch(unit_random_t *random, bool pauses)
{
    uint32_t number = atomic_load(&channel.send->super.epoch) + 1;
    unsigned before[PATHS], used = 0;

    for (unsigned i = 0; i < PATHS; ++i) {
        before[i] = posted(i);
    }
    for (uint32_t part = 0; part < PARTS; ++part) {
        channel_fill(&channel, number, part);
    }
    channel_start(&channel.recv->super);
    channel_start(&channel.send->super);
    mark_all(random, pauses);
    channel_finish(&channel.send->super);
    channel_finish(&channel.recv->super);
    for (uint32_t part = 0; part < PARTS / 2; ++part) {
        assert_true(channel_is_there(&channel, number, part));
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        used += posted(i) != before[i] ? 1 : 0;
    }
    return used;
}

/* The first epoch is never spread: it may have been marked before the peer was known. */
static void spread_or_not(void **state)
{
    unit_random_t random = unit_stream(7);

    (void) state;
    open_channel(PARTS, PART_UCX_METHOD_MESSAGE);
    mca_part_ucx_params.spread = PART_UCX_SPREAD_ON;
    assert_int_equal(1, epoch(&random, false));
    for (int i = 0; i < EPOCHS; ++i) {
        bool on = 0 != unit_below(&random, 2);

        mca_part_ucx_params.spread = on ? PART_UCX_SPREAD_ON : PART_UCX_SPREAD_AUTO;
        assert_int_equal(on ? PATHS : 1, epoch(&random, 0 == i % 3));
    }
    close_channel();
}

/* What cannot be, or need not. */
static void others_are_left_alone(void **state)
{
    (void) state;
    open_channel(PARTS / PATHS, PART_UCX_METHOD_MESSAGE); /* each path has a unit */
    assert_null(channel.send->spread);
    close_channel();
    open_channel(PARTS, PART_UCX_METHOD_FLUSH);
    assert_null(channel.send->spread);
    close_channel();
    open_channel(PARTS, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->spread);
    assert_int_equal(PATHS, mca_part_ucx_spread_units(channel.send));
    close_channel();
}

/* Nor what another receive gets that has taken the place of the first one, and could not be sent
 * that way. */
static void not_to_another_receive(void **state)
{
    unit_random_t random = unit_stream(9);

    (void) state;
    open_channel(PARTS, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->spread);
    channel.send->super.contiguous = false;
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_send_side_adapt(channel.send));
    channel.send->super.contiguous = true;
    mca_part_ucx_params.spread = PART_UCX_SPREAD_ON;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(1, epoch(&random, false));
    }
    close_channel();
}

/* What the receiver has told that paths carry. */
static void tell_rates(uint32_t last)
{
    for (unsigned i = 0; i < PATHS; ++i) {
        atomic_store(&channel.send->endpoint[i]->rate, i + 1 < PATHS ? 31000 : last);
        atomic_store(&channel.send->endpoint[i]->rated_ns, mca_part_ucx_clock_ns());
    }
}

static void spread_epoch(unit_random_t *random, bool on)
{
    mca_part_ucx_params.spread = on ? PART_UCX_SPREAD_ON : PART_UCX_SPREAD_AUTO;
    (void) epoch(random, false);
}

static bool arrives(uint32_t part)
{
    for (int i = 0; i < 100000 && !channel_parrived(&channel, part, part); ++i) {
        channel_progress();
    }
    return channel_parrived(&channel, part, part);
}

/* Each unit has two partitions of the receiver: the first of them comes alone. */
static void first_halves_come(unit_random_t *random)
{
    enum { UNIT = PARTS / PATHS };
    uint32_t number = atomic_load(&channel.send->super.epoch) + 1;

    mca_part_ucx_params.hold = 0;
    for (uint32_t part = 0; part < PARTS; ++part) {
        channel_fill(&channel, number, part);
    }
    channel_start(&channel.recv->super);
    channel_start(&channel.send->super);
    for (uint32_t i = 0; i < PATHS; ++i) {
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, i * UNIT, i * UNIT + 1));
        UNIT_CHECK(arrives(i * UNIT / 2), "the first partition of unit %u never comes alone", i);
    }
    for (uint32_t i = 0; i < PATHS; ++i) {
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, i * UNIT + 2, (i + 1) * UNIT - 1));
    }
    channel_finish(&channel.send->super);
    channel_finish(&channel.recv->super);
    spread_epoch(random, true);
}

/* Units are dealt while there are four of them, and take turns again while there are two. */
static void dealt_meanwhile(void **state)
{
    unit_random_t random = unit_stream(8);

    (void) state;
    open_channel(PARTS / 2, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->spread);
    assert_non_null(channel.send->share);
    spread_epoch(&random, false);
    tell_rates(1000);
    spread_epoch(&random, true);
    assert_true(channel.send->share->dealt);
    first_halves_come(&random);
    tell_rates(31000);
    for (int i = 0; i < EPOCHS && channel.send->share->dealt; ++i) {
        spread_epoch(&random, false);
    }
    assert_false(channel.send->share->dealt);
    mca_part_ucx_params.spread = PART_UCX_SPREAD_ON;
    first_halves_come(&random);
    close_channel();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_or_not),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(not_to_another_receive),
        cmocka_unit_test(dealt_meanwhile),
    };

    return UNIT_RUN(tests);
}
