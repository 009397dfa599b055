/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Something breaks while partitions are under way (see faults.sh, which breaks it):
 *
 *   survivor dies BYTES   three ranks in a ring; rank 2 kills itself in the middle of an epoch, of
 *                         partitions of BYTES. In a job with fault tolerance the requests with it
 *                         must end with an error, and the two others go on, with the channel they
 *                         have and with a new one. They end without MPI_Finalize, in which Open MPI
 *                         5.0.7 waits for the dead across hosts.
 *   survivor revokes      three ranks; rank 1 revokes a communicator on which the two others wait
 *                         for it and for each other: they must end with an error.
 *   survivor reuses       three ranks; rank 0 marks partitions for some seconds, rank 1 receives
 *                         them, and rank 2 revokes the communicator meanwhile: when its receive has
 *                         ended, nobody writes into rank 1's buffer any more.
 *   survivor frees        rank 0 revokes the communicator and frees its send, matched but never
 *                         started, before it can have told rank 1, whose receive must end soon.
 *   survivor cut          rank 0 sends to rank 1 for some seconds, in which a cable is pulled and
 *                         plugged in again: every byte arrives.
 */

#include "../support/side.h"

#include <mpi-ext.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG        109
#define VICTIM     2
#define PARTITIONS 8
#define PATIENCE   60.0 /* seconds */
#define SOON       7.0  /* seconds: less than a peer is waited for that says nothing */
#define CUT_EPOCHS 14
#define REUSED     0xee
#define SLOW_PARTITIONS 100
#define SLOW_BYTES      ((size_t) 262144)

static size_t partition_bytes; /* the second argument */

static void result(const char *what, int error_class)
{
    mt_report("%s %s", what, mt_class_name(error_class));
}

/* Both, if there are both: the victim's neighbours have one that goes on. */
static void whole_epoch(mt_side_t *out, mt_side_t *in, int epoch)
{
    if (NULL != in) {
        mt_start(in);
    }
    if (NULL != out) {
        mt_start(out);
        for (int i = 0; i < PARTITIONS; ++i) {
            mt_send_partition(out, i, epoch);
        }
        if (MPI_SUCCESS != mt_outcome(out, PATIENCE)) {
            mt_give_up("a send fails");
        }
    }
    if (NULL != in && (MPI_SUCCESS != mt_outcome(in, PATIENCE) || !mt_side_verify(in, -1, epoch))) {
        mt_give_up("a receive fails");
    }
}

/* The epoch in which the victim dies, half of its partitions sent. */
static void last_epoch(mt_side_t *out, mt_side_t *in, int epoch)
{
    mt_start(in);
    mt_start(out);
    for (int i = 0; i < PARTITIONS; ++i) {
        if (VICTIM == mt_rank() && PARTITIONS / 2 == i) {
            mt_sleep(0.2);
            raise(SIGKILL);
        }
        mt_send_partition(out, i, epoch);
    }
}

/* A send to the victim may have ended well, as all of it had left; the next one cannot. */
static int outcome_of_sends(mt_side_t *out, int epoch)
{
    int class = mt_outcome(out, PATIENCE);

    for (int i = 0; i < 3 && MPI_SUCCESS == class; ++i) {
        mt_start(out);
        for (int partition = 0; partition < PARTITIONS; ++partition) {
            mt_send_partition(out, partition, epoch + i);
        }
        class = mt_outcome(out, PATIENCE);
    }
    return class;
}

static void dies(void)
{
    size_t bytes = partition_bytes;
    mt_side_t out, in, extra;
    int rank = mt_rank();
    int epoch = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mt_psend(&out, PARTITIONS, bytes, (rank + 1) % 3, TAG, MPI_COMM_WORLD);
    mt_precv(&in, PARTITIONS, bytes, (rank + 2) % 3, TAG, MPI_COMM_WORLD);
    for (; epoch < 3; ++epoch) {
        whole_epoch(&out, &in, epoch);
    }
    last_epoch(&out, &in, epoch);
    if (0 == rank) {
        result("its send to rank 1 ends with", mt_outcome(&out, PATIENCE));
        result("its receive from rank 2 ends with", mt_outcome(&in, PATIENCE));
        mt_precv(&extra, PARTITIONS, 5000, 1, TAG + 1, MPI_COMM_WORLD);
    } else {
        result("its receive from rank 0 ends with", mt_outcome(&in, PATIENCE));
        result("its send to rank 2 ends with", outcome_of_sends(&out, epoch));
        mt_psend(&extra, PARTITIONS, 5000, 0, TAG + 1, MPI_COMM_WORLD);
    }
    for (++epoch; epoch < 7; ++epoch) {
        whole_epoch(0 == rank ? &out : NULL, 0 == rank ? NULL : &in, epoch);
        whole_epoch(0 == rank ? NULL : &extra, 0 == rank ? &extra : NULL, epoch);
    }
    result("it goes on,", MPI_SUCCESS);
    mt_end_without(2);
}

/* A communicator of all, to be revoked. */
static MPI_Comm world_that_returns(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static void end_communication(MPI_Comm comm)
{
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    MPIX_Comm_revoke(comm);
#else
    (void) comm;
    mt_give_up("it cannot revoke, Open MPI lacks the extension");
#endif
}

/* Rank 0 waits for a receive that rank 1 never makes, and rank 2 for partitions that rank 0 never
 * marks. The announcement has come before the end: a message that comes when its communicator has
 * been revoked and freed makes MPI_Finalize of Open MPI 5.0.7 hang (docs/limits.md). */
static void revokes(void)
{
    mt_side_t side;
    MPI_Comm comm = world_that_returns();

    if (0 == mt_rank()) {
        mt_side_t marked;

        mt_psend(&side, PARTITIONS, 1000, 2, TAG, comm);
        mt_psend(&marked, PARTITIONS, 1000, 1, TAG, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        mt_start(&side);
        mt_start(&marked);
        for (int i = 0; i < PARTITIONS; ++i) {
            mt_send_partition(&marked, i, 0);
        }
        result("its send to rank 1 ends with", mt_outcome(&marked, PATIENCE));
        result("its send to rank 2 ends with", mt_outcome(&side, PATIENCE));
    } else if (1 == mt_rank()) {
        MPI_Barrier(MPI_COMM_WORLD);
        mt_progress(0.5);
        end_communication(comm);
    } else {
        mt_precv(&side, PARTITIONS, 1000, 0, TAG, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        mt_start(&side);
        result("its receive from rank 0 ends with", mt_outcome(&side, PATIENCE));
    }
    MPI_Comm_free(&comm);
}

/* Outside MPI but for MPI_Pready, so that it is the last to learn of the end. */
static void send_slowly(MPI_Comm comm)
{
    mt_side_t side;

    mt_psend(&side, SLOW_PARTITIONS, SLOW_BYTES, 1, TAG, comm);
    mt_cycle(&side, 0); /* afterwards the two know each other */
    mt_start(&side);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < SLOW_PARTITIONS; ++i) {
        mt_send_partition(&side, i, 1);
        mt_sleep(0.03);
    }
    result("its send ends with", mt_outcome(&side, PATIENCE));
}

static void reuse_buffer(MPI_Comm comm)
{
    mt_side_t side;

    mt_precv(&side, SLOW_PARTITIONS, SLOW_BYTES, 0, TAG, comm);
    mt_cycle(&side, 0);
    mt_start(&side);
    MPI_Barrier(MPI_COMM_WORLD);
    result("its receive ends with", mt_outcome(&side, PATIENCE));
    memset(side.buffer, REUSED, SLOW_PARTITIONS * SLOW_BYTES);
    mt_sleep(3.0);
    mt_report("others have written %zu bytes",
              mt_differ(side.buffer, SLOW_PARTITIONS * SLOW_BYTES, REUSED));
}

static void reuses(void)
{
    MPI_Comm comm = world_that_returns();

    if (0 == mt_rank()) {
        send_slowly(comm);
    } else if (1 == mt_rank()) {
        reuse_buffer(comm);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        mt_sleep(0.7);
        end_communication(comm);
    }
    MPI_Comm_free(&comm);
}

static void cut(void)
{
    mt_side_t side;

    mt_one_way(&side, 4 * PARTITIONS, 262144, TAG, MPI_COMM_WORLD);
    for (int epoch = 0; epoch < CUT_EPOCHS; ++epoch) {
        mt_cycle(&side, epoch);
        if (1 == mt_rank()) {
            printf("RESULT epoch %d\n", epoch);
            fflush(stdout);
        }
    }
    if (0 != mt_failures()) {
        mt_give_up("bytes are wrong");
    }
    mt_drop(&side);
}

static void frees(void)
{
    mt_side_t side;
    MPI_Comm comm = world_that_returns();

    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, SLOW_BYTES, 1, TAG, comm);
        mt_progress(0.5); /* the two meet */
        end_communication(comm);
        mt_drop(&side);
    } else {
        double begin = MPI_Wtime();

        mt_precv(&side, PARTITIONS, SLOW_BYTES, 0, TAG, comm);
        mt_start(&side);
        result("its receive ends with", mt_outcome(&side, PATIENCE));
        mt_report("it has waited for %s", MPI_Wtime() - begin < SOON ? "a moment" : "long");
        mt_drop(&side);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

/* No mt_result here: not all ranks are there to the end. */
int main(int argc, char **argv)
{
    static const struct mode_t {
        const char *name;
        int ranks;
        void (*run)(void);
    } modes[] = {
        {"dies", 3, dies}, {"revokes", 3, revokes}, {"reuses", 3, reuses},
        {"frees", 2, frees}, {"cut", 2, cut},
    };
    const struct mode_t *mode = NULL;

    for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); ++i) {
        if (0 == strcmp(argv[1], modes[i].name)) {
            mode = &modes[i];
        }
    }
    if (NULL == mode) {
        fprintf(stderr, "usage: survivor dies BYTES | revokes | reuses | frees | cut\n");
        return 2;
    }
    partition_bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, mode->ranks);
    mode->run();
    MPI_Finalize();
    return 0;
}
