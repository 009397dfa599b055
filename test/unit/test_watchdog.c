/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A receive whose sender is silent: PMIx is asked, nobody waits for its answer, and only a no that
 * is proven makes it fail, or the end of the sender's process. Time and PMIx are stand-ins.
 */
#include "ompi_config.h"

#include "unit.h"

#include "api/part_ucx_modex.h"
#include "channel.h"
#include "channel/part_ucx_leave.h"
#include "fakehelp.h"
#include "fakepmix.h"
#include "mpi/part_ucx_progress.h"
#include "wireup/part_ucx_watchdog.h"
#include "wireup/part_ucx_wire.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompi/proc/proc.h"

/* ---- stand-ins (linked with --wrap) ---- */

static time_t seconds = 1000;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (CLOCK_MONOTONIC_COARSE != clock) {
        return __real_clock_gettime(clock, now);
    }
    *now = (struct timespec){.tv_sec = seconds};
    return 0;
}

const char *__wrap_mca_part_ucx_peer_host(mca_part_ucx_peer_t *peer);

const char *__wrap_mca_part_ucx_peer_host(mca_part_ucx_peer_t *peer)
{
    (void) peer;
    return "elsewhere";
}

/* ---- a receive that waits ---- */

static ompi_proc_t process;
static ompi_communicator_t communicator;

/* What Open MPI does when it is told of the end of a process; it knows of none otherwise. */
static void set_alive(bool alive)
{
#if OPAL_ENABLE_FT_MPI
    process.proc_active = alive;
#else
    (void) alive;
#endif
}

/* MPI_Precv_init and MPI_Start; nothing has come from the peer. */
static void open_waiting(channel_t *channel)
{
    const fakeucx_options_t network = {.seed = 1, .in_order = true};
    const channel_plan_t plan = {.total = 64, .send_partitions = 1, .recv_partitions = 1,
                                 .slices = 1, .group = 1, .method = PART_UCX_METHOD_MESSAGE};

    memset(channel, 0, sizeof(*channel));
    memset(&asked, 0, sizeof(asked));
    fakehelp_reset();
    set_alive(true);
    channel_paths_open(1, &network);
    channel_make(channel, &plan);
    channel_free_send(channel);
    channel->recv->super.peer->proc = &process;
    channel->recv->super.comm = &communicator;
    atomic_store(&channel->recv->super.state, PART_UCX_OPEN);
    atomic_fetch_add(&mca_part_ucx_process.unmatched, 1);
    channel_start(&channel->recv->super);
}

/* The same, matched or not. */
static void open_linked(channel_t *channel, int link)
{
    open_waiting(channel);
    if (PART_UCX_MATCHED == link) {
        atomic_fetch_sub(&mca_part_ucx_process.unmatched, 1);
        atomic_store(&channel->recv->super.state, link);
    }
}

static void close_waiting(channel_t *channel)
{
    mca_part_ucx_peer_t *peer = channel->recv->super.peer;

    mca_part_ucx_channel_fail(&channel->recv->super, MPI_ERR_OTHER); /* if it has not yet */
    channel_progress();
    assert_true(channel_test(&channel->recv->super));
    if (NULL != peer->presence) {
        mca_part_ucx_modex_drop(peer->presence);
        peer->presence = NULL;
    }
    channel_free_recv(channel);
    channel_paths_close();
}

/* So many seconds pass, and all the while somebody makes progress. */
static void pass(unsigned long how_many)
{
    for (unsigned long i = 0; i < how_many; ++i) {
        ++seconds;
        for (int calls = 0; calls < 100; ++calls) {
            pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
            mca_part_ucx_watchdog();
            pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
        }
    }
}

static void lose(channel_t *channel)
{
    mca_part_ucx_path_lock(channel->recv->endpoint->path);
    mca_part_ucx_endpoint_lose(channel->recv->endpoint, "reset");
    mca_part_ucx_path_unlock(channel->recv->endpoint->path);
}

static int error_of(const channel_t *channel)
{
    return atomic_load(&channel->recv->super.error);
}

/* ---- tests ---- */

/* The last question was this, and is answered. */
static void expect_question(unsigned number, const char *key, where_t where, pmix_status_t status)
{
    assert_int_equal(number, asked.count);
    assert_string_equal(key, asked.key);
    assert_int_equal(where, asked.where);
    answer(status, PART_UCX_WIRE_VERSION);
    pass(2);
}

/* This host's daemon knows nothing; then it learns what the peer has published, and there is not
 * this. */
static void a_proven_no(void **state)
{
    channel_t channel;

    (void) state;
    open_waiting(&channel);
    pass(2);
    assert_int_equal(0, asked.count); /* not at once: most peers are only late */
    pass(63);
    expect_question(1, "mpix.part.ucx", HERE, PMIX_ERR_NOT_FOUND);
    expect_question(2, "ours.alone", HERE, PMIX_ERR_NOT_FOUND);
    expect_question(3, "address", HERE, PMIX_ERR_NOT_FOUND);
    expect_question(4, "ours.alone", ASKED, PMIX_ERR_TIMEOUT);
    assert_int_equal(MPI_SUCCESS, error_of(&channel));
    expect_question(5, "address", ASKED, PMIX_SUCCESS);
    assert_int_equal(MPI_SUCCESS, error_of(&channel));
    expect_question(6, "mpix.part.ucx", AFRESH, PMIX_ERR_NOT_FOUND);
    assert_int_equal(6, asked.count);
    assert_int_equal(MPI_ERR_OTHER, error_of(&channel));
    assert_int_equal(1, fakehelp_count());
    assert_true(fakehelp_said("peer-without-component", "elsewhere"));
    close_waiting(&channel);
}

static void expect_long_patience(channel_t *channel, unsigned questions)
{
    pass(100);
    assert_int_equal(MPI_SUCCESS, error_of(channel));
    assert_int_equal(questions, asked.count);
    assert_int_equal(0, fakehelp_count());
    close_waiting(channel);
}

/* "Not found" may mean "not here". */
static void an_unproven_no(void **state)
{
    static const pmix_status_t answers[] = {PMIX_ERR_NOT_FOUND, PMIX_ERR_TIMEOUT, PMIX_ERROR};
    channel_t channel;

    (void) state;
    for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); ++i) {
        open_waiting(&channel);
        pass(5);
        expect_question(1, "mpix.part.ucx", HERE, PMIX_ERR_NOT_FOUND);
        expect_question(2, "ours.alone", HERE, answers[i]);
        expect_question(3, "address", HERE, answers[i]);
        expect_question(4, "ours.alone", ASKED, answers[i]);
        expect_question(5, "address", ASKED, answers[i]);
        pass(40);
        assert_int_equal(5, asked.count);
        pass(20); /* perhaps it can tell now */
        expect_question(6, "mpix.part.ucx", HERE, PMIX_SUCCESS);
        expect_long_patience(&channel, 6);
    }
}

/* It was not known here, and has the component. */
static void it_is_found_elsewhere(void **state)
{
    channel_t channel;

    (void) state;
    for (int version = 0; version < 2; ++version) {
        open_waiting(&channel);
        pass(5);
        expect_question(1, "mpix.part.ucx", HERE, PMIX_ERR_NOT_FOUND);
        expect_question(2, "ours.alone", HERE, PMIX_SUCCESS); /* by the PML, meanwhile */
        assert_int_equal(3, asked.count);
        assert_int_equal(AFRESH, asked.where); /* the copy here may be older than the presence */
        answer(PMIX_SUCCESS, PART_UCX_WIRE_VERSION + (uint64_t) version);
        pass(2);
        if (0 == version) {
            expect_long_patience(&channel, 3);
        } else {
            assert_int_equal(MPI_ERR_OTHER, error_of(&channel));
            close_waiting(&channel);
        }
    }
}

static void another_version(void **state)
{
    channel_t channel;

    (void) state;
    open_waiting(&channel);
    pass(5);
    answer(PMIX_SUCCESS, PART_UCX_WIRE_VERSION + 1);
    pass(2);
    assert_int_equal(MPI_ERR_OTHER, error_of(&channel));
    close_waiting(&channel);
}

/* Release 0.1.0 published a number of another type. */
static void another_release(void **state)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = PART_UCX_WIRE_VERSION};
    channel_t channel;

    (void) state;
    open_waiting(&channel);
    pass(5);
    asked.answer(PMIX_SUCCESS, &value, asked.context);
    pass(2);
    assert_int_equal(MPI_ERR_OTHER, error_of(&channel));
    close_waiting(&channel);
}

/* It has the component; or nobody can tell. */
static void it_is_only_late(void **state)
{
    channel_t channel;

    (void) state;
    for (int unknown = 0; unknown < 2; ++unknown) {
        open_waiting(&channel);
        pass(5);
        answer(unknown ? PMIX_ERR_TIMEOUT : PMIX_SUCCESS, PART_UCX_WIRE_VERSION);
        expect_long_patience(&channel, unknown ? 2 : 1); /* it is asked again after a minute */
        if (unknown) {
            answer(PMIX_ERR_TIMEOUT, 0); /* when nobody waits any more */
        }
    }
    open_waiting(&channel);
    asked.at_once = PMIX_ERR_UNREACH; /* then there is no other answer */
    expect_long_patience(&channel, 2);
}

/* MPIX_Comm_revoke on a communicator ends what waits there, matched or not. */
static void it_is_revoked(void **state)
{
    channel_t channel;

    (void) state;
#if !OPAL_ENABLE_FT_MPI
    skip();
#else
    for (int link = PART_UCX_OPEN; link <= PART_UCX_MATCHED; ++link) {
        open_linked(&channel, link);
        pass(1); /* too early to ask about the peer */
        assert_int_equal(MPI_SUCCESS, error_of(&channel));
        communicator.comm_revoked = true;
        pass(1);
        assert_int_equal(MPI_ERR_REVOKED, error_of(&channel));
        communicator.comm_revoked = false;
        close_waiting(&channel);
    }
#endif
}

/* Nobody asks about a process of which Open MPI knows that it is dead; nor does it matter whether
 * the request had been matched. */
static void it_has_died(void **state)
{
    channel_t channel;

    (void) state;
#if !OPAL_ENABLE_FT_MPI
    skip();
#endif
    for (int link = PART_UCX_OPEN; link <= PART_UCX_MATCHED; ++link) {
        open_linked(&channel, link);
        set_alive(false);
        pass(1);
        assert_int_equal(MPI_ERR_PROC_FAILED, error_of(&channel));
        assert_int_equal(0, asked.count);
        assert_int_equal(1, fakehelp_count());
        assert_true(fakehelp_said("peer-died", "elsewhere"));
        close_waiting(&channel);
    }
}

/* What it had sent may still come into the buffer, where it goes by UCX's own hands; or never. */
static void what_it_had_sent_comes_first(void **state)
{
    channel_t channel;

    (void) state;
#if !OPAL_ENABLE_FT_MPI
    skip();
#endif
    for (int comes = 0; comes < 2; ++comes) {
        open_linked(&channel, PART_UCX_MATCHED);
        atomic_store(&channel.recv->fetching, 1);
        mca_part_ucx_channel_fail(&channel.recv->super, MPI_ERR_OTHER); /* it may leave before */
        pass(3);
        set_alive(false);
        pass(1);
        channel_progress();
        assert_int_equal(MPI_ERR_PROC_FAILED, error_of(&channel));
        assert_false(channel_test(&channel.recv->super));
        mca_part_ucx_channel_fail(&channel.recv->super, MPI_ERR_OTHER);
        channel_progress();
        assert_false(channel_test(&channel.recv->super));
        if (comes) {
            atomic_store(&channel.recv->fetching, 0);
        }
        pass(comes ? 1 : 2);
        assert_false(atomic_load(&channel.recv->super.running));
        assert_true(fakehelp_said(comes ? "peer-died" : "buffer-in-use", ""));
        atomic_store(&channel.recv->fetching, 0);
        close_waiting(&channel);
    }
}

/* An operation fails because of that, and is noticed first. */
static void its_death_explains_the_failure(void **state)
{
    channel_t channel;

    (void) state;
#if !OPAL_ENABLE_FT_MPI
    skip();
#else
    /* UCX is faster than Open MPI. Of a process that lives on nothing will be told. */
    for (int waits = 0, dies = 1; waits < 3; ++waits, dies = waits < 2) {
        open_linked(&channel, PART_UCX_MATCHED);
        ompi_ftmpi_enabled = true;
        if (waits) {
            lose(&channel);
        }
        mca_part_ucx_channel_fail(&channel.recv->super, MPI_ERR_OTHER);
        pass(waits ? 4 : 0);
        channel_progress();
        assert_false(channel_test(&channel.recv->super));
        set_alive(!dies);
        pass(2);
        channel_progress();
        assert_true(channel_test(&channel.recv->super));
        assert_int_equal(dies ? MPI_ERR_PROC_FAILED : MPI_ERR_OTHER,
                         channel_outcome(&channel.recv->super));
        ompi_ftmpi_enabled = false;
        close_waiting(&channel);
    }
#endif
}

/* UCX tells that it is, and nothing else will: not at once, as other paths may hold what is
 * missing; and later where the sender has said that all of this epoch has left. */
static void its_connection_is_lost(void **state)
{
    channel_t channel;

    (void) state;
    for (int sent = 0; sent < 2; ++sent) {
        mca_part_ucx_channel_t *receive;

        open_linked(&channel, PART_UCX_MATCHED);
        receive = &channel.recv->super;
        receive->peer->pairs = 0; /* no other endpoint leads there */
        atomic_store(&receive->said.epoch, atomic_load(&receive->epoch));
        atomic_store(&receive->said.reason, PART_UCX_END_FREED);
        atomic_store(&receive->said.from, sent ? atomic_load(&receive->peer_key) : 0);
        pass(3);
        lose(&channel);
        pass(sent ? 5 : 1);
        assert_int_equal(MPI_SUCCESS, error_of(&channel));
        pass(2);
        assert_int_equal(MPI_ERR_OTHER, error_of(&channel));
        assert_true(sent || fakehelp_said("connection-lost", "elsewhere")); /* once */
        close_waiting(&channel);
    }
}

/* Where no system would tell of a lost connection, something is sent now and then. */
static void it_is_probed(void **state)
{
    static const mca_part_ucx_device_kind_t kinds[] = {PART_UCX_DEVICE_TCP, PART_UCX_DEVICE_RDMA};

    (void) state;
    for (int i = 0; i < 2; ++i) {
        channel_t channel;
        unsigned before;

        open_linked(&channel, PART_UCX_MATCHED);
        mca_part_ucx_paths.path[0].device.kind = kinds[i];
        before = fakeucx_messages();
        pass(30);
        if (PART_UCX_DEVICE_RDMA == kinds[i]) {
            assert_true(fakeucx_messages() >= before + 4 && fakeucx_messages() <= before + 8);
        } else {
            assert_int_equal(before, fakeucx_messages());
        }
        assert_int_equal(MPI_SUCCESS, error_of(&channel));
        mca_part_ucx_paths.path[0].device.kind = PART_UCX_DEVICE_TCP; /* it has less patience */
        mca_part_ucx_channel_fail(&channel.recv->super, MPI_ERR_OTHER);
        pass(2 * (unsigned long) PART_UCX_LEAVE_PATIENCE);
        close_waiting(&channel);
    }
}

/* A program that only tests now and then. */
static void few_calls_are_enough(void **state)
{
    channel_t channel;

    (void) state;
    open_linked(&channel, PART_UCX_MATCHED);
    atomic_store(&mca_part_ucx_process.progressing, true);
    mca_part_ucx_channel_fail(&channel.recv->super, MPI_ERR_OTHER);
    for (int calls = 0; calls < 4; ++calls) {
        (void) mca_part_ucx_progress();
    }
    assert_true(0 != channel.recv->super.ending_since);
    atomic_store(&mca_part_ucx_process.progressing, false);
    close_waiting(&channel);
}

/* Freed by the answer: for the address sanitizer. */
static void the_end_comes_first(void **state)
{
    channel_t channel;

    (void) state;
    open_waiting(&channel);
    pass(5);
    assert_int_equal(1, asked.count);
    close_waiting(&channel);
    answer(PMIX_ERR_NOT_FOUND, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proven_no),
        cmocka_unit_test(an_unproven_no),
        cmocka_unit_test(it_is_found_elsewhere),
        cmocka_unit_test(another_version),
        cmocka_unit_test(another_release),
        cmocka_unit_test(it_is_only_late),
        cmocka_unit_test(it_has_died),
        cmocka_unit_test(it_is_revoked),
        cmocka_unit_test(what_it_had_sent_comes_first),
        cmocka_unit_test(its_death_explains_the_failure),
        cmocka_unit_test(its_connection_is_lost),
        cmocka_unit_test(it_is_probed),
        cmocka_unit_test(few_calls_are_enough),
        cmocka_unit_test(the_end_comes_first),
    };

    return UNIT_RUN(tests);
}
