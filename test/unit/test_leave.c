/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaving a revoked communicator: a request completes when nobody touches its buffer any more, and
 * not before; nor does it wait for ever.
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"
#include "fakehelp.h"
#include "channel/part_ucx_leave.h"
#include "mpi/part_ucx_module.h"

#include <string.h>

/* Open MPI tells the two ends at different times. */
static ompi_communicator_t senders, receivers;

static double now;

static void set_revoked(ompi_communicator_t *comm, bool revoked)
{
#if OPAL_ENABLE_FT_MPI
    comm->comm_revoked = revoked;
#else
    (void) comm, (void) revoked;
#endif
}

/* Two partitions of one segment each. */
static void open_channel(channel_t *channel, mca_part_ucx_method_t method)
{
    const fakeucx_options_t network = {.seed = 1, .in_order = true};
    const channel_plan_t plan = {.total = 64, .send_partitions = 2, .recv_partitions = 2,
                                 .slices = 1, .group = 1, .method = method};

#if !OPAL_ENABLE_FT_MPI
    skip();
#endif
    now = 1000.0;
    set_revoked(&senders, false);
    set_revoked(&receivers, false);
    memset(channel, 0, sizeof(*channel));
    fakehelp_reset();
    channel_paths_open(1, &network);
    channel_make(channel, &plan);
    channel->send->super.comm = &senders;
    channel->recv->super.comm = &receivers;
    channel->recv->writable = PART_UCX_METHOD_MESSAGE != method;
}

/* The user has been told that the buffer of this may still be in use. */
static void expect_warning(const char *what)
{
    assert_int_equal(1, fakehelp_count());
    assert_true(fakehelp_said("buffer-in-use", what));
    fakehelp_reset();
}

static void close_channel(channel_t *channel)
{
    assert_int_equal(0, fakehelp_count());
    channel_free(channel);
    channel_paths_close();
}

static void progress(void)
{
    for (int i = 0; i < 100; ++i) {
        channel_progress();
    }
}

static void start_both(channel_t *channel)
{
    channel_start(&channel->recv->super);
    channel_start(&channel->send->super);
    progress();
}

/* What watching does, once per second. */
static void look(mca_part_ucx_channel_t *request)
{
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (mca_part_ucx_channel_is_revoked(request)) {
        mca_part_ucx_leave(request, now);
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    now += 1.0;
}

/* Has it completed, with that error? */
static bool has_left(mca_part_ucx_channel_t *request)
{
    progress();
    if (!channel_test(request)) {
        return false;
    }
#if OPAL_ENABLE_FT_MPI
    assert_int_equal(MPI_ERR_REVOKED, channel_outcome(request));
#endif
    return true;
}

static void who_is_written_to_waits_for_the_sender(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    start_both(&channel);
    set_revoked(&receivers, true);
    look(&channel.recv->super);
    assert_false(has_left(&channel.recv->super));
    /* END has told the sender, which has not heard of it otherwise. */
    assert_true(mca_part_ucx_channel_is_over(&channel.send->super));
    assert_false(has_left(&channel.send->super));
    look(&channel.recv->super);
    assert_false(has_left(&channel.recv->super));
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    close_channel(&channel);
}

/* Another thread is ending the epoch: END must not say yet which was the last good one. */
static void the_end_of_the_epoch_comes_first(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_MESSAGE);
    start_both(&channel);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 1));
    progress();
    assert_true(channel_test(&channel.recv->super) && channel_test(&channel.send->super));
    assert_int_equal(1, atomic_load(&channel.recv->super.ended));
    atomic_store(&channel.recv->super.ended, 0);
    atomic_store(&channel.recv->super.good_epoch, 0);
    set_revoked(&receivers, true);
    look(&channel.recv->super);
    look(&channel.recv->super);
    assert_int_not_equal(PART_UCX_LEFT, mca_part_ucx_channel_state(&channel.recv->super));
    atomic_store(&channel.recv->super.good_epoch, 1);
    atomic_store(&channel.recv->super.ended, 1);
    look(&channel.recv->super);
    assert_int_equal(PART_UCX_LEFT, mca_part_ucx_channel_state(&channel.recv->super));
    close_channel(&channel);
}

static void who_takes_messages_does_not(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_MESSAGE);
    start_both(&channel);
    set_revoked(&receivers, true);
    look(&channel.recv->super);
    /* What the sender sends before it is told is dropped. */
    channel_fill(&channel, 1, 0);
    fakeucx_stopped = true;
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 0));
    assert_int_equal(1, mca_part_ucx_paths.path[0].ops_in_flight);
    fakeucx_stopped = false;
    assert_true(has_left(&channel.recv->super));
    for (uint64_t i = 0; i < channel.plan.total; ++i) {
        assert_int_equal(0, channel.target[i]);
    }
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    close_channel(&channel);
}

static void a_send_waits_for_its_operations(void **state)
{
    static const mca_part_ucx_method_t methods[] = {PART_UCX_METHOD_MESSAGE,
                                                    PART_UCX_METHOD_FLUSH,
                                                    PART_UCX_METHOD_CHAINED};

    (void) state;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); ++i) {
        channel_t channel;

        open_channel(&channel, methods[i]);
        start_both(&channel);
        channel_fill(&channel, 1, 1);
        fakeucx_stopped = true;
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 1, 1));
        assert_int_equal(1, mca_part_ucx_paths.path[0].ops_in_flight);
        set_revoked(&senders, true);
        for (int times = 0; times < 5; ++times) {
            look(&channel.send->super);
            assert_false(has_left(&channel.send->super));
        }
        fakeucx_stopped = false;
        progress();
        look(&channel.send->super);
        assert_true(has_left(&channel.send->super));
        assert_true(channel_is_there(&channel, 1, 1)); /* the receiver had not been told */
        look(&channel.recv->super);
        assert_true(has_left(&channel.recv->super));
        close_channel(&channel);
    }
}

/* A thread inside MPI_Pready copies a unit into the receiver's memory: its marks are complete. */
static void a_send_waits_for_threads_that_place(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_MESSAGE);
    start_both(&channel);
    atomic_store(&channel.send->unit[1].marks, PART_UCX_UNIT_OPEN | 1u);
    set_revoked(&senders, true);
    look(&channel.send->super);
    look(&channel.send->super);
    assert_false(has_left(&channel.send->super));
    atomic_store(&channel.send->unit[1].marks, 0);
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    close_channel(&channel);
}

/* And a receive for what it fetches. */
static void a_receive_waits_for_what_it_fetches(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_MESSAGE);
    start_both(&channel);
    atomic_store(&channel.recv->fetching, 1);
    set_revoked(&receivers, true);
    look(&channel.recv->super);
    look(&channel.recv->super);
    assert_false(has_left(&channel.recv->super));
    atomic_store(&channel.recv->fetching, 0);
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    close_channel(&channel);
}

/* END may come before ACCEPT has told who the receiver is: the send must not begin then. */
static void leave_overtakes_accept(void **state)
{
    channel_t channel;
    uint64_t peer;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    peer = atomic_load(&channel.send->super.peer_key);
    atomic_store(&channel.send->super.peer_key, 0);
    channel_start(&channel.recv->super);
    set_revoked(&receivers, true);
    look(&channel.recv->super);
    progress();
    assert_int_equal(PART_UCX_MATCHED, mca_part_ucx_channel_state(&channel.send->super));
    assert_int_equal(peer, atomic_load(&channel.send->super.said.from));
    atomic_store(&channel.send->super.peer_key, peer);
    look(&channel.send->super);
    progress();
    assert_true(mca_part_ucx_channel_is_over(&channel.send->super));
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    close_channel(&channel);
}

/* A link is not abandoned while it leaves. */
static void who_leaves_is_not_abandoned(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    start_both(&channel);
    set_revoked(&receivers, true);
    assert_false(mca_part_ucx_channel_abandon(&channel.recv->super));
    assert_false(has_left(&channel.recv->super));
    look(&channel.recv->super);
    progress();
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    close_channel(&channel);
}

/* An end that is not active answers; started later, it completes at once. */
static void who_is_not_active_leaves_too(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    channel_start(&channel.recv->super);
    progress();
    set_revoked(&senders, true);
    look(&channel.send->super);
    progress();
    look(&channel.recv->super);
    assert_true(has_left(&channel.recv->super));
    channel_start(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    close_channel(&channel);
}

/* A receive waits as long as it may, then ends with a warning. */
static void expect_patience(mca_part_ucx_channel_t *recv)
{
    for (double since = now; now - since <= PART_UCX_LEAVE_PATIENCE;) {
        look(recv);
        assert_false(has_left(recv));
    }
    look(recv);
    look(recv);
    assert_true(has_left(recv));
    expect_warning("receive");
}

static void nobody_waits_for_ever(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    start_both(&channel);
    set_revoked(&receivers, true);
    expect_patience(&channel.recv->super);
    look(&channel.send->super);
    assert_true(has_left(&channel.send->super));
    close_channel(&channel);
}

/* A sender that leaves although it may still write says so: the receiver does not take END for
 * the end of that. */
static void who_cannot_wait_says_so(void **state)
{
    channel_t channel;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_FLUSH);
    start_both(&channel);
    atomic_store(&channel.send->unit[1].marks, PART_UCX_UNIT_OPEN | 1u); /* as above */
    set_revoked(&senders, true);
    while (!has_left(&channel.send->super)) {
        assert_true(now < 1000.0 + 2 * PART_UCX_LEAVE_PATIENCE);
        look(&channel.send->super);
    }
    expect_warning("send");
    expect_patience(&channel.recv->super);
    atomic_store(&channel.send->unit[1].marks, 0);
    close_channel(&channel);
}

/* What becomes known between the end of an epoch and the completion call is not of that epoch. */
static void an_epoch_that_ended_well_stays_so(void **state)
{
    channel_t channel;
    mca_part_ucx_any_request_t *any;
    int taken[3], count = 0, flag = 0;

    (void) state;
    open_channel(&channel, PART_UCX_METHOD_MESSAGE);
    start_both(&channel);
    any = &channel_request(&channel.recv->super)->any;
    channel_fill(&channel, 0, 1);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 1));
    for (int i = 0; i < 100; ++i) {
        (void) mca_part_ucx_paths_drive(true); /* ends the epochs, completes nothing */
    }
    assert_false(atomic_load(&channel.recv->super.running));
    channel_hear_end(&channel.recv->super, channel.send->super.key, 1, PART_UCX_END_REVOKED);
    channel_hear_end(&channel.send->super, channel.recv->super.key, 1, PART_UCX_END_REVOKED);
    assert_true(mca_part_ucx_channel_is_over(&channel.recv->super));
    assert_int_equal(OMPI_SUCCESS,
                     mca_part_ucx_module.part_parrived(0, 1, &flag, &any->super));
    assert_int_equal(MPI_SUCCESS, any->ops->claim(any, 3, &count, taken));
    assert_true(1 == flag && 2 == count && 1 == taken[0] + taken[1]);
    assert_int_equal(MPI_SUCCESS, any->ops->prepare(any));
    channel_finish(&channel.recv->super); /* both well */
    channel_finish(&channel.send->super);
    close_channel(&channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_written_to_waits_for_the_sender),
        cmocka_unit_test(who_takes_messages_does_not),
        cmocka_unit_test(the_end_of_the_epoch_comes_first),
        cmocka_unit_test(a_send_waits_for_its_operations),
        cmocka_unit_test(a_send_waits_for_threads_that_place),
        cmocka_unit_test(a_receive_waits_for_what_it_fetches),
        cmocka_unit_test(leave_overtakes_accept),
        cmocka_unit_test(who_leaves_is_not_abandoned),
        cmocka_unit_test(who_is_not_active_leaves_too),
        cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(who_cannot_wait_says_so),
        cmocka_unit_test(an_epoch_that_ended_well_stays_so),
    };

    return UNIT_RUN(tests);
}
