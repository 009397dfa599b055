/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message that both ends have cut into one unit leaves by all paths while it is spread, and by
 * one while it is not, from epoch to epoch, whatever the order of marks; every byte arrives. Also
 * where its units have been dealt to paths meanwhile: a lone partition does not wait for others.
 *
 * One of many units leaves in few messages while they are joined, also where partitions are cut in
 * slices, and a lone partition does not wait then either. One that may be spread or joined is tried
 * in both ways.
 */
#include "ompi_config.h"

#include "unit.h"

#include "base/part_ucx_clock.h"
#include "channel.h"
#include "channel/part_ucx_send_side.h"
#include "channel/part_ucx_regroup.h"

enum { PATHS = 4, PARTS = 32, BYTES = 4096, EPOCHS = 200 };

static channel_t channel;

/* As they are when the channel is made. */
static mca_part_ucx_regroup_mode_t spread_mode = PART_UCX_REGROUP_AUTO;
static mca_part_ucx_regroup_mode_t join_mode = PART_UCX_REGROUP_AUTO;
static int async_mode = PART_UCX_ASYNC_AUTO;

static void open_plan(uint64_t total, uint32_t slices, uint32_t group,
                      mca_part_ucx_method_t method)
{
    const fakeucx_options_t network = {.seed = 1};
    const channel_plan_t plan = {.total = total, .send_partitions = PARTS,
                                 .recv_partitions = PARTS / 2, .slices = slices, .group = group,
                                 .method = method};

    channel_paths_open(PATHS, &network);
    mca_part_ucx_params.spread = (int) spread_mode;
    mca_part_ucx_params.join = (int) join_mode;
    mca_part_ucx_params.async = async_mode;
    channel = (channel_t) {.number = 1};
    channel_make(&channel, &plan);
}

static void open_channel(uint32_t group, mca_part_ucx_method_t method)
{
    open_plan(BYTES, 1, group, method);
}

static void close_channel(void)
{
    channel_free(&channel);
    channel_paths_close();
}

/* Is the other way to cut it into fewer units, not into more? */
static bool is_joined(const mca_part_ucx_send_t *send)
{
    assert_int_not_equal(send->regroup->group[0], send->regroup->group[1]);
    return send->regroup->group[1] > send->regroup->group[0];
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
    mca_part_ucx_params.spread = PART_UCX_REGROUP_ON;
    assert_int_equal(1, epoch(&random, false));
    for (uint32_t i = unit_repeat(EPOCHS); i > 0; --i) {
        bool on = 0 != unit_below(&random, 2);

        mca_part_ucx_params.spread = on ? PART_UCX_REGROUP_ON : PART_UCX_REGROUP_AUTO;
        assert_int_equal(on ? PATHS : 1, epoch(&random, 0 == i % 3));
    }
    close_channel();
}

static bool arrives(uint32_t part)
{
    for (int i = 0; i < 100000 && !channel_parrived(&channel, part, part); ++i) {
        channel_progress();
    }
    return channel_parrived(&channel, part, part);
}

static unsigned posted_by_all(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < PATHS; ++i) {
        sum += posted(i);
    }
    return sum;
}

/* A partition that is marked alone arrives alone; then the others. */
static void lone_partition(unit_random_t *random)
{
    uint32_t number = atomic_load(&channel.send->super.epoch) + 1;
    uint32_t lone = 2 * unit_below(random, PARTS / 2);

    for (uint32_t part = 0; part < PARTS; ++part) {
        channel_fill(&channel, number, part);
    }
    channel_start(&channel.recv->super);
    channel_start(&channel.send->super);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, lone, lone + 1));
    UNIT_CHECK(arrives(lone / 2), "partition %u never comes alone", lone / 2);
    assert_true(channel_is_there(&channel, number, lone / 2));
    for (uint32_t part = 0; part < PARTS; ++part) {
        if (part / 2 != lone / 2) {
            assert_false(channel_parrived(&channel, part / 2, part / 2));
        }
    }
    for (uint32_t part = 0; part < PARTS; ++part) {
        if (part / 2 != lone / 2) {
            assert_int_equal(MPI_SUCCESS, channel_pready(&channel, part, part));
        }
    }
    channel_finish(&channel.send->super);
    channel_finish(&channel.recv->super);
}

/* Who has no helper thread would wait for partitions that left at once before. */
static void nothing_is_joined_without_a_helper(void **state)
{
    (void) state;
    open_plan(PARTS * 4096, 1, 1, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->regroup);
    close_channel();
    async_mode = PART_UCX_ASYNC_OFF;
    open_plan(PARTS * 4096, 1, 1, PART_UCX_METHOD_MESSAGE);
    assert_null(channel.send->regroup);
    close_channel();
    join_mode = PART_UCX_REGROUP_ON;
    open_plan(PARTS * 4096, 1, 1, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->regroup);
    close_channel();
    join_mode = PART_UCX_REGROUP_AUTO;
    async_mode = PART_UCX_ASYNC_AUTO;
}

/* So many messages when nothing waits: as both ends have cut it, and joined. */
static void join_or_not(uint64_t total, uint32_t slices, uint32_t group, unsigned cut,
                        unsigned joined)
{
    unit_random_t random = unit_stream(11);

    join_mode = PART_UCX_REGROUP_ON;
    open_plan(total, slices, group, PART_UCX_METHOD_MESSAGE);
    join_mode = PART_UCX_REGROUP_AUTO;
    assert_non_null(channel.send->regroup);
    assert_true(is_joined(channel.send));
    (void) epoch(&random, false); /* the first one is never joined */
    for (uint32_t i = unit_repeat(EPOCHS); i > 0; --i) {
        bool on = 0 != unit_below(&random, 2), pauses = 0 == i % 3;
        unsigned before = posted_by_all(), used, sent;

        mca_part_ucx_params.hold = pauses ? 0 : 1000000;
        mca_part_ucx_params.join = on ? PART_UCX_REGROUP_ON : PART_UCX_REGROUP_OFF;
        used = epoch(&random, pauses);
        sent = posted_by_all() - before;
        assert_true(used >= (joined < PATHS ? 1 : PATHS));
        if (!pauses) {
            assert_int_equal(on ? joined : cut, sent);
            assert_int_equal(sent < PATHS ? sent : PATHS, used);
        }
        mca_part_ucx_params.hold = 0;
        lone_partition(&random);
    }
    close_channel();
}

static void joined_or_not(void **state)
{
    (void) state;
    join_or_not(PARTS * 16384, 1, 1, PARTS, PATHS);             /* 128 KiB each */
    join_or_not(PARTS * 4096, 1, 4, PARTS / 4, PATHS);          /* 32 KiB */
    join_or_not(PARTS * 65536, 4, 1, 4 * PARTS, PARTS / 4);     /* slices of four partitions */
    join_or_not(PARTS * 49152, 3, 1, 3 * PARTS, 3 * PARTS / 16); /* a unit ends within one */
    join_or_not(PARTS * 1024, 1, 4, PARTS / 4, 1);              /* all of it */
    join_or_not(PARTS * 256, 1, 12, 3, 1);                      /* fewer units than paths */
}

/* As if the present other way had been found to be better; or were found, when the next epoch
 * starts, not to be worth a try. */
static void judge_other(bool better)
{
    mca_part_ucx_trial_t *trial = &channel.send->regroup->trial;
    uint64_t began_ns = trial->began_ns;

    *trial = better ? (mca_part_ucx_trial_t) {.wait = 512, .rounds = 1, .second = true}
                    : (mca_part_ucx_trial_t) {
                        .wait = 256, .rounds = 255, .worth = UINT64_C(1) << 40};
    trial->began_ns = began_ns; /* there have been epochs */
}

/* Fewer units than paths: what did not help makes room for the other way, what does stays. */
static void both_are_tried(void **state)
{
    unit_random_t random = unit_stream(19);
    bool joined = false;

    (void) state;
    open_plan(PARTS * 256, 1, PARTS / 2, PART_UCX_METHOD_MESSAGE);
    assert_int_equal(PATHS, mca_part_ucx_regroup_units(channel.send));
    (void) epoch(&random, false);
    for (uint32_t i = unit_repeat(EPOCHS); i > 0; --i) {
        bool better = 0 == unit_below(&random, 2);

        assert_int_equal(joined, is_joined(channel.send));
        judge_other(better);
        assert_int_equal(better ? (joined ? 1 : PATHS) : 2, epoch(&random, false));
        joined = better ? joined : !joined;
        /* Joining is tried in epochs of any length. */
        assert_true(better || joined == (0 == channel.send->regroup->trial.worth));
    }
    assert_int_equal(PATHS, mca_part_ucx_regroup_units(channel.send));
    close_channel();
}

/* What cannot be, or need not. */
static void others_are_left_alone(void **state)
{
    (void) state;
    open_plan(PARTS * 8, 1, PARTS / 2, PART_UCX_METHOD_FLUSH);
    assert_null(channel.send->regroup);
    close_channel();
    open_channel(PARTS / PATHS, PART_UCX_METHOD_MESSAGE); /* each path has a unit */
    assert_true(is_joined(channel.send));
    close_channel();
    open_channel(PARTS, PART_UCX_METHOD_FLUSH);
    assert_null(channel.send->regroup);
    close_channel();
    spread_mode = join_mode = PART_UCX_REGROUP_OFF;
    open_channel(PARTS / 2, PART_UCX_METHOD_MESSAGE);
    assert_null(channel.send->regroup);
    close_channel();
    spread_mode = join_mode = PART_UCX_REGROUP_ON; /* spreading comes first */
    open_channel(PARTS / 2, PART_UCX_METHOD_MESSAGE);
    assert_false(is_joined(channel.send));
    assert_int_equal(channel.send->regroup->group[0], channel.send->regroup->next);
    close_channel();
    spread_mode = PART_UCX_REGROUP_AUTO; /* nothing else is tried */
    open_channel(PARTS / 2, PART_UCX_METHOD_MESSAGE);
    assert_true(is_joined(channel.send));
    assert_int_equal(channel.send->regroup->group[0], channel.send->regroup->next);
    close_channel();
    spread_mode = join_mode = PART_UCX_REGROUP_AUTO;
    open_channel(PARTS, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->regroup);
    assert_false(is_joined(channel.send));
    assert_int_equal(PATHS, mca_part_ucx_regroup_units(channel.send));
    close_channel();
}

/* Nor what another receive gets that has taken the place of the first one, and could not be sent
 * that way. */
static void not_to_another_receive(void **state)
{
    unit_random_t random = unit_stream(9);

    (void) state;
    open_channel(PARTS, PART_UCX_METHOD_MESSAGE);
    assert_non_null(channel.send->regroup);
    channel.send->super.contiguous = false;
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_send_side_adapt(channel.send));
    channel.send->super.contiguous = true;
    mca_part_ucx_params.spread = PART_UCX_REGROUP_ON;
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
    mca_part_ucx_params.spread = on ? PART_UCX_REGROUP_ON : PART_UCX_REGROUP_AUTO;
    (void) epoch(random, false);
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
    assert_non_null(channel.send->regroup);
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
    mca_part_ucx_params.spread = PART_UCX_REGROUP_ON;
    first_halves_come(&random);
    close_channel();
}

/* Units are dealt as both ends have cut them, and take turns again while they are joined. Then
 * those that are not there at that time must do so, too: a lone partition is looked for by them. */
static void dealt_before_joined(void **state)
{
    unit_random_t random = unit_stream(12);

    (void) state;
    open_plan(PARTS * 4096, 1, 4, PART_UCX_METHOD_MESSAGE);
    assert_true(is_joined(channel.send));
    mca_part_ucx_params.join = PART_UCX_REGROUP_OFF;
    (void) epoch(&random, false);
    tell_rates(1000);
    (void) epoch(&random, false);
    assert_true(channel.send->share->dealt);
    tell_rates(31000);
    mca_part_ucx_params.join = PART_UCX_REGROUP_ON;
    for (int i = 0; i < EPOCHS && channel.send->share->dealt; ++i) {
        (void) epoch(&random, false);
    }
    assert_false(channel.send->share->dealt);
    mca_part_ucx_params.join = PART_UCX_REGROUP_OFF;
    mca_part_ucx_params.hold = 0;
    for (uint32_t i = unit_repeat(EPOCHS); i > 0; --i) {
        lone_partition(&random);
    }
    close_channel();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_or_not),
        cmocka_unit_test(joined_or_not),
        cmocka_unit_test(both_are_tried),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(not_to_another_receive),
        cmocka_unit_test(dealt_meanwhile),
        cmocka_unit_test(dealt_before_joined),
        cmocka_unit_test(nothing_is_joined_without_a_helper),
    };

    return UNIT_RUN(tests);
}
