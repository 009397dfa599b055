/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Driving several TCP paths: one on which nothing of ours is under way, and of which the system
 * says that nothing has come, is left alone, but not for ever; one with anything to do never is.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include "channel/part_ucx_path_user.h"
#include "path/part_ucx_helper.h"

#include <string.h>

enum { PATHS = 3, CALLS = 8 };

/* What the system says, and how often it has been asked. */
static uint64_t news;
static bool known;
static int asked;

static int looks[PATHS];

bool __wrap_mca_part_ucx_helper_events(uint64_t *paths);

bool __wrap_mca_part_ucx_helper_events(uint64_t *paths)
{
    ++asked;
    *paths = news;
    return known;
}

static int count_look(mca_part_ucx_path_t *path)
{
    ++looks[path->index];
    return 0;
}

static mca_part_ucx_path_user_t user;

static void open_paths(unsigned count)
{
    const fakeucx_options_t network = {.seed = 1};

    channel_paths_open(count, &network);
    user = mca_part_ucx_channels_on_path;
    user.look = count_look;
    for (unsigned i = 0; i < count; ++i) {
        mca_part_ucx_paths.path[i].user = &user;
    }
    known = true;
    news = 0;
}

/* So many calls that each path is looked at once at least. */
static void drive(void)
{
    memset(looks, 0, sizeof(looks));
    asked = 0;
    for (int i = 0; i < CALLS; ++i) {
        (void) mca_part_ucx_paths_drive(true);
    }
}

static uint32_t idle_of(int path)
{
    return atomic_load(&mca_part_ucx_paths.path[path].idle);
}

static void without_news(void **state)
{
    uint32_t idle;

    (void) state;
    open_paths(PATHS);
    idle = idle_of(1);
    drive();
    assert_int_equal(CALLS - 1, asked);
    for (int i = 0; i < PATHS; ++i) {
        assert_int_equal(1, looks[i]);
    }
    assert_int_equal(CALLS, idle_of(1) - idle); /* whether the receiver waited is known as before */
    channel_paths_close();
}

static void with_news(void **state)
{
    (void) state;
    open_paths(PATHS);
    news = 1u << 1;
    drive();
    assert_int_equal(1, looks[0]);
    assert_int_equal(CALLS, looks[1]);
    assert_int_equal(1, looks[2]);
    channel_paths_close();
}

/* What UCX has of ours is not news of the system's. */
static void under_way(void **state)
{
    mca_part_ucx_path_t *path;

    (void) state;
    open_paths(PATHS);
    path = &mca_part_ucx_paths.path[2];
    mca_part_ucx_path_lock(path);
    ++path->ops_in_flight;
    mca_part_ucx_path_unlock(path);
    drive();
    assert_int_equal(CALLS, looks[2]);
    assert_int_equal(1, looks[0]);
    mca_part_ucx_path_lock(path);
    --path->ops_in_flight;
    mca_part_ucx_path_unlock(path);
    drive();
    assert_int_equal(1, looks[2]);
    channel_paths_close();
}

/* To ask for one costs as much as to look at it. */
static void one_is_looked_at(void **state)
{
    (void) state;
    open_paths(PATHS);
    atomic_store(&mca_part_ucx_paths.path[0].used, false);
    mca_part_ucx_paths.path[1].device.kind = PART_UCX_DEVICE_RDMA;
    drive();
    assert_int_equal(0, asked);
    assert_true(looks[0] <= 1);
    assert_int_equal(CALLS, looks[1]);
    assert_int_equal(CALLS, looks[2]);
    channel_paths_close();
}

static void without_answer(void **state)
{
    (void) state;
    open_paths(PATHS);
    known = false;
    drive();
    for (int i = 0; i < PATHS; ++i) {
        assert_int_equal(CALLS, looks[i]);
    }
    channel_paths_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_news),
                                       cmocka_unit_test(with_news),
                                       cmocka_unit_test(under_way),
                                       cmocka_unit_test(one_is_looked_at),
                                       cmocka_unit_test(without_answer)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
