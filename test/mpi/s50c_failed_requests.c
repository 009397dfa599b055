/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S50. The error of a request that fails is raised by the completion call, once, on the request's
 * communicator; also of several requests at a time, and calls in between have handlers of their
 * own. Meanwhile the handler of MPI_COMM_SELF, where Open MPI would raise it, goes on to serve the
 * program.
 *
 * Requests fail here because the total sizes of the two sides differ (S11).
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG   50
#define BYTES 64
#define PAIRS 3

static MPI_Comm comms[PAIRS];
static unsigned char buffer[PAIRS][2 * BYTES];
static mt_side_t spare;
static MPI_Request left; /* has failed when MPI ends, and is never completed */

static void wait_for_failure(MPI_Request request)
{
    double end = mt_now() + 20.0;

    while (!mt_complete(request) && mt_check(mt_now() < end, "no failure after 20 s")) {
        mt_progress(0.001);
    }
}

/* Requests of this rank on the first `count` communicators that have failed, but not completed. */
static void fail_all(MPI_Request requests[], int count)
{
    for (int i = 0; i < count; i++) {
        if (0 == mt_rank()) {
            mt_success(MPI_Psend_init(buffer[i], 1, BYTES, MPI_BYTE, 1, TAG, comms[i],
                                      MPI_INFO_NULL, &requests[i]),
                       "MPI_Psend_init");
        } else {
            mt_success(MPI_Precv_init(buffer[i], 1, 2 * BYTES, MPI_BYTE, 0, TAG, comms[i],
                                      MPI_INFO_NULL, &requests[i]),
                       "MPI_Precv_init");
        }
        mt_success(MPI_Start(&requests[i]), "MPI_Start");
    }
    for (int i = 0; i < count; i++) {
        wait_for_failure(requests[i]);
    }
    mt_errors_clear();
}

static void free_all(MPI_Request requests[], int count)
{
    for (int i = 0; i < count; i++) {
        mt_free_failed(&requests[i]);
    }
    mt_expect_quiet("freeing failed requests");
}

/* In reverse order of the failures. */
static void one_by_one(void)
{
    MPI_Request requests[PAIRS];
    int code = MPI_SUCCESS;

    fail_all(requests, PAIRS);
    for (int i = PAIRS - 1; i >= 0; i--) {
        mt_check(mt_wait(&requests[i], 10.0, MPI_STATUS_IGNORE, &code), "no end");
        mt_expect(comms[i], code, MPI_ERR_TRUNCATE, "completion of a failed request");
    }
    free_all(requests, PAIRS);
    mt_result("each completion call raises the error on its request's communicator");
}

/* Before 5.0.10 errors of persistent requests are told in the statuses only. */
static bool waitall_raises(void)
{
    return OMPI_MAJOR_VERSION > 5 || OMPI_MINOR_VERSION > 0 || OMPI_RELEASE_VERSION >= 10;
}

/* A call that completes several raises one error; the next call raises its own. */
static void together(void)
{
    int raised = waitall_raises() ? 1 : 0;
    MPI_Request requests[PAIRS];
    MPI_Status statuses[PAIRS - 1];
    int code;

    fail_all(requests, PAIRS);
    code = MPI_Waitall(PAIRS - 1, requests, statuses);
    mt_check(raised == mt_errors_total() && 0 == mt_errors_of(MPI_COMM_SELF)
                 && 0 == mt_errors_of(comms[PAIRS - 1]),
             "MPI_Waitall: %d handlers called, that of MPI_COMM_SELF %d times", mt_errors_total(),
             mt_errors_of(MPI_COMM_SELF));
    mt_expect_class(code, raised ? MPI_ERR_IN_STATUS : MPI_SUCCESS, "MPI_Waitall");
    for (int i = 0; i < PAIRS - 1; i++) {
        mt_expect_class(statuses[i].MPI_ERROR, MPI_ERR_TRUNCATE, "a status of MPI_Waitall");
    }
    mt_check(mt_wait(&requests[PAIRS - 1], 10.0, MPI_STATUS_IGNORE, &code), "no end");
    mt_expect(comms[PAIRS - 1], code, MPI_ERR_TRUNCATE, "completion after MPI_Waitall");
    free_all(requests, PAIRS);
    mt_result("MPI_Waitall raises the error of one request at most, on its communicator");
}

/* A request of rank 0 that fails with another error: rank 1 has given the pair up. */
static void fail_alone(MPI_Request *request, MPI_Comm comm)
{
    mt_side_t side;

    mt_one_way(&side, 2, 100, TAG + 1, comm);
    mt_cycle(&side, 0);
    if (0 != mt_rank()) {
        mt_drop(&side);
    }
    mt_sync();
    if (0 == mt_rank()) {
        mt_success(MPI_Start(&side.request), "MPI_Start");
        wait_for_failure(side.request);
        *request = side.request;
        spare = side;
    }
}

/* Open MPI looks for the first error in the array, be it of a request that is inactive again. */
static void different_errors(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index;

    fail_all(requests, 1);
    fail_alone(&requests[1], comms[1]);
    mt_errors_clear();
    for (int i = 0; i < 2 && 0 == mt_rank(); i++) {
        (void) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        mt_check(mt_errors_total() == mt_errors_of(comms[0]) + mt_errors_of(comms[1])
                     && (1 == mt_errors_total() || (0 != i && 0 == mt_errors_total())),
                 "MPI_Waitany, call %d: %d handlers called, that of MPI_COMM_SELF %d times", i + 1,
                 mt_errors_total(), mt_errors_of(MPI_COMM_SELF));
        mt_errors_clear();
    }
    if (0 != mt_rank()) {
        (void) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        mt_errors_clear();
    } else {
        free(spare.buffer);
    }
    free_all(requests, 2);
    mt_result("requests that fail with different errors, completed one by one by MPI_Waitany");
}

static void calls_between(void)
{
    MPI_Request request;
    int code, flag;

    fail_all(&request, 1);
    if (0 == mt_rank()) {
        mt_success(MPI_Pready(0, request), "MPI_Pready"); /* nothing is wrong with the call */
        mt_expect_quiet("MPI_Pready on a failed request");
    } else {
        mt_expect(comms[0], MPI_Parrived(request, 0, &flag), MPI_ERR_TRUNCATE, "MPI_Parrived");
    }
    mt_check(mt_wait(&request, 10.0, MPI_STATUS_IGNORE, &code), "no end");
    mt_expect(comms[0], code, MPI_ERR_TRUNCATE, "completion of a failed request");
    free_all(&request, 1);
    mt_result("between failure and completion MPI_Parrived raises the error, and MPI_Pready none");
}

/* Errors of other calls on MPI_COMM_SELF are nobody else's. */
static void other_errors(void)
{
    MPI_Request request;
    int code;

    fail_all(&request, 1);
    mt_expect(MPI_COMM_SELF, MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_SELF), MPI_ERR_RANK,
              "MPI_Send to a rank that MPI_COMM_SELF has not");
    mt_check(mt_wait(&request, 10.0, MPI_STATUS_IGNORE, &code), "no end");
    mt_expect(comms[0], code, MPI_ERR_TRUNCATE, "completion of a failed request");
    free_all(&request, 1);
    mt_expect(MPI_COMM_SELF, MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_SELF), MPI_ERR_RANK,
              "MPI_Send to a rank that MPI_COMM_SELF has not, later");
    mt_result("errors of MPI_COMM_SELF go to its handler, beside failed requests and after them");
}

/* What the program sets for MPI_COMM_SELF stays, whenever it does so. */
static void handler_changes(void)
{
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Request request;
    int code;

    fail_all(&request, 1);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    mt_check(mt_wait(&request, 10.0, MPI_STATUS_IGNORE, &code), "no end");
    mt_expect_class(code, MPI_ERR_TRUNCATE, "completion of a failed request");
    mt_errors_clear();
    free_all(&request, 1);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &now);
    mt_check(MPI_ERRORS_RETURN == now, "MPI_COMM_SELF has another handler than was set");
    MPI_Errhandler_free(&now);
    mt_errors_watch(MPI_COMM_SELF);
    mt_result("a handler that is set for MPI_COMM_SELF meanwhile stays");
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (int i = 0; i < PAIRS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        mt_errors_watch(comms[i]);
    }
    one_by_one();
    together();
    other_errors();
    different_errors();
    calls_between();
    handler_changes();
    fail_all(&left, 1);
    for (int i = 0; i < PAIRS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    return mt_end();
}
