/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two ranks send to each other over several paths, some of which are cut meanwhile (see outages.sh,
 * which cuts them). Every byte of every epoch is checked.
 *
 *   outage goes-on SECONDS   paths are cut while at least one stays: all goes on
 *   outage ends              all paths are cut: both requests of both ranks end with an error; and
 *                            so do new ones, whether the cables are in again or not
 *   outage waits             rank 0 waits for a send that rank 1 starts PAUSE seconds later, and
 *                            all connections are cut meanwhile: both requests end with an error,
 *                            and that of rank 0 before rank 1 starts
 *   outage stops             rank 1 is stopped for STOPPED seconds: that is no outage
 */

#include "../support/side.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG        111
#define PARTITIONS 16
#define BYTES      262144u
#define PATIENCE   40.0 /* seconds */
#define STOPPED    8
#define EPOCHS     200
#define PAUSE      15.0 /* seconds */

static mt_side_t out, in;

static void make_requests(int tag)
{
    mt_psend(&out, PARTITIONS, BYTES, 1 - mt_rank(), tag, MPI_COMM_WORLD);
    mt_precv(&in, PARTITIONS, BYTES, 1 - mt_rank(), tag, MPI_COMM_WORLD);
}

/* An epoch in both directions. False: one of the requests has failed. */
static bool exchange(int epoch, int *sent, int *received)
{
    mt_start(&in);
    mt_start(&out);
    for (int i = 0; i < PARTITIONS; ++i) {
        mt_send_partition(&out, i, epoch);
    }
    *sent = mt_outcome(&out, PATIENCE);
    *received = mt_outcome(&in, PATIENCE);
    if (MPI_SUCCESS == *received && !mt_side_verify(&in, -1, epoch)) {
        mt_give_up("bytes are wrong");
    }
    return MPI_SUCCESS == *sent && MPI_SUCCESS == *received;
}

static void goes_on(double seconds)
{
    double begin = MPI_Wtime(), slowest = 0;
    int epoch = 0, more = 1, sent, received;

    for (; more; ++epoch) {
        double since = MPI_Wtime();

        if (!exchange(epoch, &sent, &received)) {
            mt_give_up("a request fails");
        }
        since = MPI_Wtime() - since;
        slowest = since > slowest ? since : slowest;
        more = MPI_Wtime() - begin < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    mt_report("seconds of the slowest epoch: %.1f", slowest);
    mt_report("epochs, all bytes right: %d", epoch);
    mt_drop(&out);
    mt_drop(&in);
}

/* The cut may have come between the last byte of one direction and that of the other: then the
 * request whose epoch was good fails in its next one. */
static int next_one(mt_side_t *side, int error, int epoch)
{
    if (MPI_SUCCESS != error) {
        return error;
    }
    mt_start(side);
    for (int i = 0; side->sending && i < PARTITIONS; ++i) {
        mt_send_partition(side, i, epoch);
    }
    return mt_outcome(side, PATIENCE);
}

static void ends(void)
{
    double begin = MPI_Wtime(), since = begin;
    int epoch = 0, sent, received;

    while (exchange(epoch, &sent, &received) && MPI_Wtime() - begin < PATIENCE) {
        ++epoch;
        since = MPI_Wtime();
    }
    sent = next_one(&out, sent, epoch + 1);
    received = next_one(&in, received, epoch + 1);
    mt_report("its send ends with %s", mt_class_name(sent));
    mt_report("its receive ends with %s", mt_class_name(received));
    mt_report("seconds from the last good epoch: %.1f", MPI_Wtime() - since);
}

/* New requests, when no path is left. */
static void end_again(void)
{
    int sent, received;

    mt_drop(&out);
    mt_drop(&in);
    make_requests(TAG + 1);
    (void) exchange(0, &sent, &received);
    mt_report("its next send ends with %s", mt_class_name(sent));
    mt_report("its next receive ends with %s", mt_class_name(received));
}

/* Nothing is under way when the connections are cut, so that nothing fails by itself. */
static void waits(void)
{
    int sent, received, flag;
    double since;

    if (!exchange(0, &sent, &received)) {
        mt_give_up("a request fails");
    }
    MPI_Barrier(MPI_COMM_WORLD); /* not over the paths that are cut */
    mt_report("waits from now on");
    since = MPI_Wtime();
    if (0 == mt_rank()) {
        mt_report("its receive ends with %s", mt_class_name(next_one(&in, MPI_SUCCESS, 1)));
        mt_report("in time: %s", MPI_Wtime() - since < PAUSE ? "yes" : "no");
        return;
    }
    while (MPI_Wtime() - since < PAUSE) {
        MPI_Iprobe(0, TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    mt_report("its send ends with %s", mt_class_name(next_one(&out, MPI_SUCCESS, 1)));
}

static void stop_for_a_while(void)
{
    char command[64];

    snprintf(command, sizeof(command), "(sleep %d; kill -CONT %d) &", STOPPED, (int) getpid());
    if (0 == system(command)) {
        raise(SIGSTOP);
    }
}

static void stops(void)
{
    int sent, received;
    double slowest = 0;

    for (int epoch = 0; epoch < EPOCHS; ++epoch) {
        double since = MPI_Wtime();

        if (!exchange(epoch, &sent, &received)) {
            mt_give_up("a request fails");
        }
        if (EPOCHS / 2 == epoch && 1 == mt_rank()) {
            stop_for_a_while();
        }
        since = MPI_Wtime() - since;
        slowest = since > slowest ? since : slowest;
    }
    mt_report("seconds of the slowest epoch: %.1f", slowest);
    mt_report("epochs, all bytes right: %d", EPOCHS);
}

/* No mt_result here: what mpirun says of a job whose network is cut is not judged. */
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 10.0;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make_requests(TAG);
    if (0 == strcmp(mode, "goes-on")) {
        goes_on(seconds);
    } else if (0 == strcmp(mode, "ends")) {
        ends();
        end_again();
    } else if (0 == strcmp(mode, "waits")) {
        waits();
    } else {
        stops();
    }
    MPI_Finalize();
    return 0;
}
