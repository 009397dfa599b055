/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which pairs of paths a channel uses, and in which order: channels begin with each in turn, but
 * never with one that is farther away or of another kind than the first.
 */
#include "channel.h"

#include "path/part_ucx_paths.h"
#include "wireup/part_ucx_decide.h"

#define PAIRS 4

static mca_part_ucx_peer_t other;
static mca_part_ucx_remote_t remote[10 + PAIRS];

static void open_paths(void)
{
    const fakeucx_options_t network = {.seed = 1};

    channel_paths_open(PAIRS, &network);
    other = (mca_part_ucx_peer_t) {.pairs = PAIRS, .remote = remote, .remotes = 10 + PAIRS};
    for (uint32_t i = 0; i < PAIRS; ++i) {
        other.pair[i] = (mca_part_ucx_pairing_t) {.local = i, .remote = 10 + i};
    }
}

/* The pairs of a new channel of 4 KiB in 32 partitions. */
static void decide(mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS])
{
    mca_part_ucx_recv_t recv = {.super = {.peer = &other, .total = 4096, .partitions = 32,
                                          .contiguous = true, .datatype = &ompi_mpi_byte.dt}};

    assert_true(mca_part_ucx_decide(&recv, 32, pair));
    assert_int_equal(PAIRS, recv.super.pairs);
    assert_int_equal(PART_UCX_DEVICE_SHARED != mca_part_ucx_paths.path[pair[0].local].device.kind,
                     recv.network);
    for (uint32_t i = 0; i < PAIRS; ++i) { /* so it knows later over which a unit must come */
        assert_int_equal(pair[i].local, other.pair[mca_part_ucx_recv_pair(&recv, i)].local);
    }
}

/* Each of the peer's pairs once, with its two ends together. */
static void expect_all(const mca_part_ucx_pairing_t *pair)
{
    unsigned seen = 0;

    for (int i = 0; i < PAIRS; ++i) {
        assert_int_equal(pair[i].local + 10, pair[i].remote);
        seen |= 1u << pair[i].local;
    }
    assert_int_equal((1u << PAIRS) - 1, seen);
}

static void channels_begin_in_turn(void **state)
{
    mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS];
    unsigned begun[PAIRS] = {0};

    (void) state;
    open_paths();
    for (int i = 0; i < 3 * PAIRS; ++i) {
        decide(pair);
        expect_all(pair);
        ++begun[pair[0].local];
    }
    for (int i = 0; i < PAIRS; ++i) {
        assert_int_equal(3, begun[i]);
    }
    channel_paths_close();
}

/* What is farther away, or of another kind, keeps its place at the end. */
static void only_what_is_as_near(void **state)
{
    mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS];
    unsigned begun[PAIRS] = {0};

    (void) state;
    open_paths();
    mca_part_ucx_paths.path[2].device.distance = 1;
    mca_part_ucx_paths.path[3].device.kind = PART_UCX_DEVICE_RDMA;
    for (int i = 0; i < 8; ++i) {
        decide(pair);
        expect_all(pair);
        assert_int_equal(2, pair[2].local);
        assert_int_equal(3, pair[3].local);
        ++begun[pair[0].local];
    }
    assert_int_equal(4, begun[0]);
    assert_int_equal(4, begun[1]);
    mca_part_ucx_paths.path[3].device.kind = PART_UCX_DEVICE_TCP;
    channel_paths_close();
}

/* Who measures one pair gets that one. */
static void one_pair_alone(void **state)
{
    mca_part_ucx_pairing_t pair[PART_UCX_MAX_PATHS];

    (void) state;
    open_paths();
    for (int only = 0; only < PAIRS; ++only) {
        mca_part_ucx_recv_t recv = {.super = {.peer = &other, .total = 4096, .partitions = 32,
                                              .contiguous = true,
                                              .datatype = &ompi_mpi_byte.dt}};

        mca_part_ucx_decide_only_pair(only);
        assert_true(mca_part_ucx_decide(&recv, 32, pair));
        assert_int_equal(1, recv.super.pairs);
        assert_int_equal(only, pair[0].local);
    }
    mca_part_ucx_decide_only_pair(-1);
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_begin_in_turn),
        cmocka_unit_test(only_what_is_as_near),
        cmocka_unit_test(one_pair_alone),
    };

    return UNIT_RUN(tests);
}
