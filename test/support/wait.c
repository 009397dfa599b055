/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting with a limit: no test blocks in MPI where a fault of the library would make it hang,
 * unless blocking is what is tested.
 */

#include "internal.h"

#include <sched.h>
#include <stdlib.h>

#define FOREVER 1e9

/* Calls of mt_progress(): an idle process looks at its paths, and at what peers have to say, every
 * so many calls only. But where another process wants the processor, each call gives it away for
 * milliseconds. */
#define ENOUGH_CALLS   1000
#define ENOUGH_SECONDS 0.25

/* Tests have the limits of an idle machine, as the testlist. What is shorter is waited in vain. */
static double limit_of(double seconds)
{
    const char *text = getenv("MPIX_TEST_SCALE");
    double scale = NULL == text || seconds < 1.0 ? 1.0 : strtod(text, NULL);

    return mt_now() + seconds * (scale > 1.0 ? scale : 1.0);
}

void mt_progress(double seconds)
{
    double end = mt_now() + seconds;
    int flag = 0;
    int calls = 0;

    /* On a busy machine the time may be over at once. */
    do {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mt_private_comm(), &flag, MPI_STATUS_IGNORE);
        sched_yield();
        ++calls;
    } while (mt_now() < end || (calls < ENOUGH_CALLS && mt_now() < end + ENOUGH_SECONDS));
}

void mt_sync(void)
{
    MPI_Barrier(mt_private_comm());
}

MPI_Comm mt_dup_with(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Comm copy;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Comm_dup_with_info(comm, info, &copy);
    MPI_Info_free(&info);
    return copy;
}

bool mt_wait(MPI_Request *request, double seconds, MPI_Status *status, int *code)
{
    double end = limit_of(seconds);
    int flag = 0;

    for (;;) {
        int result = MPI_Test(request, &flag, status);
        if (NULL != code) {
            *code = result;
        }
        if (MPI_SUCCESS != result) {
            return NULL != code ? true : mt_success(result, "MPI_Test");
        }
        if (flag) {
            return true;
        }
        if (mt_now() > end) {
            return false;
        }
        sched_yield();
    }
}

bool mt_arrived(MPI_Request request, int partition)
{
    int flag = -1;

    mt_success(MPI_Parrived(request, partition, &flag), "MPI_Parrived");
    mt_check(0 == flag || 1 == flag, "MPI_Parrived stored the flag %d", flag);
    return 1 == flag;
}

bool mt_arrives(MPI_Request request, int partition, double seconds)
{
    double end = limit_of(seconds);

    while (!mt_arrived(request, partition)) {
        if (mt_now() > end) {
            return false;
        }
        sched_yield();
    }
    return true;
}

bool mt_complete(MPI_Request request)
{
    int flag = -1;

    mt_success(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
    return 0 != flag;
}

void mt_finish(MPI_Request *request, MPI_Status *status)
{
    /* Without a limit of its own: after a request that hangs nothing of the test makes sense
     * any more, so this ends at the watchdog, which prints the stacks of all ranks. */
    mt_wait(request, FOREVER, status, NULL);
}

void mt_free(MPI_Request *request)
{
    mt_success(MPI_Request_free(request), "MPI_Request_free");
    mt_check(MPI_REQUEST_NULL == *request, "MPI_Request_free left the handle as it was");
}

void mt_free_failed(MPI_Request *request)
{
    if (MPI_REQUEST_NULL != *request) {
        mt_free(request);
    }
}
