/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The outcome of an epoch of a collective: the first error ends it, is there when the request is
 * handed over for completion, and hands it over once, whoever else is done at the same time. And
 * what a request that has failed does in MPIX_Pbuf_prepare: it meets the other ranks nevertheless.
 * And that of init, when the communicator fails in an agreement.
 */
#include "ompi_config.h"

#include "unit.h"

#include "call/coll_pschedule_agree.h"
#include "call/coll_pschedule_interface.h"
#include "coll_pschedule_request.h"

#include <signal.h>
#include <time.h>

/* A request without a plan, and what has become of it. */
static struct {
    mca_coll_pschedule_request_t request;
    atomic_uint handed_over; /* how often */
    atomic_int error;        /* that it had then */
} world;

static void post_final(mca_part_ucx_task_t *task)
{
    if (task == &world.request.final) {
        atomic_store(&world.error, atomic_load(&world.request.error));
        (void) atomic_fetch_add(&world.handed_over, 1);
    }
}

static const mca_part_ucx_link_api_t links = {.post_final = post_final};

/* An epoch that waits for so many. */
static void begin(unsigned pending)
{
    world.request.links = &links;
    atomic_store(&world.request.error, MPI_SUCCESS);
    atomic_store(&world.request.pending, pending);
    atomic_store(&world.request.running, true);
    atomic_store(&world.handed_over, 0);
    atomic_store(&world.error, MPI_ERR_UNKNOWN);
}

static void settle(int error)
{
    mca_coll_pschedule_request_settle(&world.request, error);
}

static void the_last_one_ends_it(void **state)
{
    (void) state;
    begin(3);
    settle(MPI_SUCCESS);
    settle(MPI_SUCCESS);
    assert_int_equal(0, atomic_load(&world.handed_over));
    settle(MPI_SUCCESS);
    assert_int_equal(1, atomic_load(&world.handed_over));
    assert_int_equal(MPI_SUCCESS, atomic_load(&world.error));
}

static void the_first_error_ends_it(void **state)
{
    (void) state;
    begin(4);
    settle(MPI_SUCCESS);
    settle(MPI_ERR_INTERN);
    assert_int_equal(1, atomic_load(&world.handed_over));
    settle(MPI_ERR_OTHER);
    settle(MPI_SUCCESS);
    assert_int_equal(1, atomic_load(&world.handed_over));
    assert_int_equal(MPI_ERR_INTERN, atomic_load(&world.error));
    assert_int_equal(MPI_ERR_INTERN, atomic_load(&world.request.error));
}

/* ---- two at the same time ---- */

enum { INTERRUPTS = 2000, MOST_ROUNDS = 20000000 };

static atomic_bool due;        /* one of the two has still to settle */
static atomic_uint interrupts; /* that have settled it */

/* The other one is done in the middle of whatever this one is doing. */
static void interrupt(int number)
{
    (void) number;
    if (atomic_exchange(&due, false)) {
        settle(MPI_SUCCESS);
        (void) atomic_fetch_add(&interrupts, 1);
    }
}

static timer_t interrupt_often(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec times = {.it_interval.tv_nsec = 20000, .it_value.tv_nsec = 20000};
    timer_t timer;

    assert_int_equal(0, sigaction(SIGUSR1, &action, NULL));
    assert_int_equal(0, timer_create(CLOCK_MONOTONIC, &event, &timer));
    assert_int_equal(0, timer_settime(timer, 0, &times, NULL));
    return timer;
}

static void an_error_is_there_before_it_counts(void **state)
{
    uint32_t wanted = unit_repeat(INTERRUPTS), most = unit_repeat(MOST_ROUNDS);
    timer_t timer = interrupt_often();

    (void) state;
    atomic_store(&interrupts, 0);
    for (uint32_t i = 0; i < most && atomic_load(&interrupts) < wanted; ++i) {
        begin(2);
        atomic_store(&due, true);
        settle(MPI_ERR_OTHER);
        if (atomic_exchange(&due, false)) {
            settle(MPI_SUCCESS);
        }
        assert_int_equal(1, atomic_load(&world.handed_over));
        assert_int_equal(MPI_ERR_OTHER, atomic_load(&world.error));
    }
    assert_int_equal(0, timer_delete(timer));
}

/* ---- MPIX_Pbuf_prepare ---- */

static int barriers;      /* how often this rank has come */
static int barrier_code;  /* what it gets */
static int prepared;      /* how often a link was */

static int barrier(struct ompi_communicator_t *comm, ompi_request_t **request,
                   mca_coll_base_module_t *module)
{
    static ompi_request_t met;

    (void) comm, (void) module;
    met.req_complete = REQUEST_COMPLETED;
    met.req_persistent = true; /* nobody frees it */
    *request = &met;
    ++barriers;
    return barrier_code;
}

static int await_link(mca_part_ucx_link_t *link)
{
    (void) link;
    assert_int_equal(1, barriers); /* the others have started theirs */
    ++prepared;
    return MPI_SUCCESS;
}

/* A request with a link in each direction, in the next epoch: what it answers. */
static int prepare(int state, int error, int code)
{
    static uint32_t epoch;
    static const mca_part_ucx_link_api_t links = {.await = await_link};
    static mca_coll_base_comm_coll_t coll = {.coll_ibarrier = barrier};
    static ompi_communicator_t comm = {.c_coll = &coll};
    static mca_coll_pschedule_port_t port[2];
    static mca_coll_pschedule_link_t end[2] = {{.is_send = true}, {.is_send = false}};
    static mca_coll_pschedule_plan_t plan = {.links = 2, .link = end};
    mca_coll_pschedule_request_t *request = &world.request;

    barriers = 0;
    barrier_code = code;
    prepared = 0;
    request->comm = &comm;
    request->plan = &plan;
    request->links = &links;
    request->port = port;
    request->any.super.req_state = (ompi_request_state_t) state;
    request->barrier = MPI_REQUEST_NULL;
    atomic_store(&request->epoch, ++epoch);
    atomic_store(&request->error, error);
    return mca_coll_pschedule_request_ops.prepare(&request->any);
}

static void preparing_meets_the_others(void **state)
{
    (void) state;
    assert_int_equal(MPI_SUCCESS, prepare(OMPI_REQUEST_ACTIVE, MPI_SUCCESS, OMPI_SUCCESS));
    assert_int_equal(1, barriers);
    assert_int_equal(1, prepared); /* the one that sends */
    assert_int_equal(MPI_SUCCESS,
                     mca_coll_pschedule_request_ops.prepare(&world.request.any));
    assert_int_equal(1, barriers); /* once in an epoch */
    assert_int_equal(MPI_ERR_OTHER, prepare(OMPI_REQUEST_ACTIVE, MPI_SUCCESS, OMPI_ERROR));
    assert_int_equal(0, prepared);
    assert_int_equal(MPI_ERR_REQUEST, prepare(OMPI_REQUEST_INACTIVE, MPI_SUCCESS, OMPI_SUCCESS));
    assert_int_equal(0, barriers);
}

static void a_failed_request_meets_them_too(void **state)
{
    (void) state;
    assert_int_equal(MPI_ERR_INTERN, prepare(OMPI_REQUEST_ACTIVE, MPI_ERR_INTERN, OMPI_SUCCESS));
    assert_int_equal(1, barriers);
    assert_int_equal(0, prepared);
    assert_int_equal(MPI_ERR_INTERN, prepare(OMPI_REQUEST_ACTIVE, MPI_ERR_INTERN, OMPI_ERROR));
    assert_int_equal(1, barriers);
}

/* ---- init ---- */

static int others;         /* what another rank says */
static int agreement_code; /* what the communicator says */

static int agree(ALLREDUCE_ARGS)
{
    (void) count, (void) datatype, (void) op, (void) comm, (void) module;
    *(int *) recvbuf = *(const int *) sendbuf > others ? *(const int *) sendbuf : others;
    return agreement_code;
}

/* What init makes of its own error, another rank's and the communicator's. */
static int outcome(int error, int other, int code)
{
    static mca_coll_base_comm_coll_t coll = {.coll_allreduce = agree};
    static ompi_communicator_t comm = {.c_coll = &coll};

    others = other;
    agreement_code = code;
    return mca_coll_pschedule_agree_on_outcome(&comm, error);
}

static void a_broken_communicator_is_told_as_such(void **state)
{
    (void) state;
    assert_int_equal(MPI_SUCCESS, outcome(MPI_SUCCESS, 0, OMPI_SUCCESS));
    assert_int_equal(MPI_ERR_OTHER, outcome(MPI_SUCCESS, 1, OMPI_SUCCESS));
    assert_int_equal(MPI_ERR_TRUNCATE, outcome(MPI_SUCCESS, 2, OMPI_SUCCESS));
    assert_int_equal(MPI_ERR_TRUNCATE, outcome(MPI_ERR_TRUNCATE, 1, OMPI_SUCCESS));
    assert_int_equal(MPI_ERR_NO_MEM, outcome(MPI_ERR_NO_MEM, 1, OMPI_SUCCESS));
    assert_int_equal(MPI_ERR_NO_MEM, outcome(MPI_ERR_NO_MEM, 0, MPI_ERR_INTERN));
    /* Else a persistent collective were handed on where a process is dead, and served elsewhere. */
    assert_int_equal(MPI_ERR_PROC_FAILED, outcome(MPI_SUCCESS, 0, MPI_ERR_PROC_FAILED));
    assert_int_equal(MPI_ERR_REVOKED, outcome(MPI_SUCCESS, 0, MPI_ERR_REVOKED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_ends_it),
        cmocka_unit_test(the_first_error_ends_it),
        cmocka_unit_test(an_error_is_there_before_it_counts),
        cmocka_unit_test(preparing_meets_the_others),
        cmocka_unit_test(a_failed_request_meets_them_too),
        cmocka_unit_test(a_broken_communicator_is_told_as_such),
    };

    return UNIT_RUN(tests);
}
