/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of paths: UCX aborts the process when a worker is destroyed in which an answer to a peer
 * still waits, so such a worker is left alone, with its context. UCX is a stand-in here.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel/part_ucx_path_user.h"
#include "channel/part_ucx_traffic.h"
#include "path/part_ucx_paths.h"

#include <stdlib.h>
#include <string.h>

enum { PATHS = 3 };

/* Stand for UCX's objects; what was done to each. */
static struct {
    char worker, context;
    bool waits; /* something is left to send */
    unsigned destroyed, cleaned;
} ucx[PATHS];

static int of_worker(ucp_worker_h worker)
{
    for (int i = 0; i < PATHS; ++i) {
        if ((void *) &ucx[i].worker == (void *) worker) {
            return i;
        }
    }
    fail_msg("an unknown worker");
    return 0;
}

ucs_status_ptr_t __wrap_ucp_worker_flush_nbx(ucp_worker_h worker, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_worker_flush_nbx(ucp_worker_h worker, const ucp_request_param_t *param)
{
    (void) param;
    return ucx[of_worker(worker)].waits ? (ucs_status_ptr_t) &ucx : NULL;
}

void __wrap_ucp_worker_destroy(ucp_worker_h worker);
void __wrap_ucp_worker_destroy(ucp_worker_h worker)
{
    ++ucx[of_worker(worker)].destroyed;
}

void __wrap_ucp_cleanup(ucp_context_h context);
void __wrap_ucp_cleanup(ucp_context_h context)
{
    for (int i = 0; i < PATHS; ++i) {
        ucx[i].cleaned += (void *) &ucx[i].context == (void *) context;
    }
}

static void open_paths(void)
{
    memset(&ucx, 0, sizeof(ucx));
    mca_part_ucx_paths.path = calloc(PATHS, sizeof(*mca_part_ucx_paths.path));
    assert_non_null(mca_part_ucx_paths.path);
    mca_part_ucx_paths.count = PATHS;
    for (int i = 0; i < PATHS; ++i) {
        mca_part_ucx_paths.path[i].user = &mca_part_ucx_channels_on_path;
        mca_part_ucx_paths.path[i].worker = (ucp_worker_h) (void *) &ucx[i].worker;
        mca_part_ucx_paths.path[i].context = (ucp_context_h) (void *) &ucx[i].context;
    }
}

static void what_is_still_is_destroyed(void **state)
{
    (void) state;
    open_paths();
    mca_part_ucx_paths_destroy();
    for (int i = 0; i < PATHS; ++i) {
        assert_true(1 == ucx[i].destroyed && 1 == ucx[i].cleaned);
    }
}

static void an_answer_that_waits_is_left_alone(void **state)
{
    (void) state;
    open_paths();
    ucx[1].waits = true;
    mca_part_ucx_paths_destroy();
    for (int i = 0; i < PATHS; ++i) {
        unsigned times = 1 == i ? 0 : 1;

        assert_true(times == ucx[i].destroyed && times == ucx[i].cleaned);
    }
    assert_true(NULL == mca_part_ucx_paths.path && 0 == mca_part_ucx_paths.count);
}

/* A path that is closed before the end, and what keeps it open. */
static void a_path_is_closed_when_it_is_empty(void **state)
{
    mca_part_ucx_traffic_t *traffic = calloc(1, sizeof(*traffic));
    mca_part_ucx_path_t *path;

    (void) state;
    open_paths();
    path = &mca_part_ucx_paths.path[1];
    path->traffic = traffic;
    assert_false(mca_part_ucx_path_close(path)); /* it is not open */
    atomic_store(&path->open, true);
    path->ops_in_flight = 1;
    assert_false(mca_part_ucx_path_close(path));
    path->ops_in_flight = 0;
    ucx[1].waits = true;
    assert_false(mca_part_ucx_path_close(path));
    assert_non_null(atomic_load(&path->flush));
    ucx[1].waits = false;
    assert_false(mca_part_ucx_path_close(path)); /* that flush has not been looked after */
    atomic_store(&path->flush, NULL);
    assert_true(mca_part_ucx_path_is_open(path) && 0 == ucx[1].destroyed);
    assert_true(mca_part_ucx_path_close(path));
    assert_true(!mca_part_ucx_path_is_open(path) && 1 == ucx[1].destroyed && 1 == ucx[1].cleaned);
    assert_int_equal(0, mca_part_ucx_path_drive(path, true));
    assert_false(mca_part_ucx_path_close(path));
    mca_part_ucx_paths_destroy();
    assert_true(1 == ucx[0].destroyed && 1 == ucx[1].destroyed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_still_is_destroyed),
        cmocka_unit_test(an_answer_that_waits_is_left_alone),
        cmocka_unit_test(a_path_is_closed_when_it_is_empty),
    };

    return UNIT_RUN(tests);
}
