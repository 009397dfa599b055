/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives over several paths, some of which are cut meanwhile (see outages-collectives.sh,
 * which cuts them). Every element of every epoch is checked.
 *
 *   outage_collectives SECONDS KIB         an allreduce, a broadcast and an all-to-all in flight,
 *                                          each of KIB KiB in a rank
 *   outage_collectives SECONDS KIB alone   an allreduce alone
 */

#include "../support/mpitest.h"

#include <mpix_partitioned.h>

#include <stdlib.h>
#include <string.h>

#define PARTITIONS 8
#define PATIENCE   60.0 /* seconds */

enum { SUM, ROOT, ALL, REQUESTS };

static const char *const names[REQUESTS] = {"allreduce", "bcast", "alltoall"};

static int *out[REQUESTS], *in[REQUESTS];
static MPI_Request request[REQUESTS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static int count; /* elements of a rank in each, a multiple of ranks and partitions */
static bool alone;

/* Element i that a rank contributes in an epoch. */
static int contribution(int rank, int i, int epoch)
{
    return (rank + 1) * (i % 1009) + 7 * epoch + rank;
}

static int expected(int kind, int i, int epoch)
{
    int size = mt_size(), block = count / size;

    switch (kind) {
    case SUM:
        return size * (size + 1) / 2 * (i % 1009) + 7 * size * epoch + size * (size - 1) / 2;
    case ROOT:
        return contribution(0, i, epoch);
    default:
        return contribution(i / block, mt_rank() * block + i % block, epoch);
    }
}

static void make(void)
{
    int block = count / PARTITIONS, part = count / mt_size() / PARTITIONS;

    for (int kind = 0; kind < REQUESTS; ++kind) {
        out[kind] = calloc((size_t) count, sizeof(int));
        in[kind] = ROOT == kind ? out[kind] : calloc((size_t) count, sizeof(int));
    }
    MPIX_Pallreduce_init(out[SUM], in[SUM], PARTITIONS, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                         MPI_INFO_NULL, &request[SUM]);
    if (!alone) {
        MPIX_Pbcast_init(out[ROOT], PARTITIONS, block, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &request[ROOT]);
        MPIX_Palltoall_init(out[ALL], PARTITIONS, part, MPI_INT, in[ALL], PARTITIONS, part, MPI_INT,
                            MPI_COMM_WORLD, MPI_INFO_NULL, &request[ALL]);
    }
}

static void fill(int kind, int epoch)
{
    int *wiped = in[kind];

    for (int i = 0; i < count; ++i) {
        wiped[i] = -1;
    }
    for (int i = 0; (ROOT != kind || 0 == mt_rank()) && i < count; ++i) {
        out[kind][i] = contribution(mt_rank(), i, epoch);
    }
}

static void mark(int kind)
{
    int partitions = ALL == kind ? mt_size() * PARTITIONS : PARTITIONS;

    for (int i = 0; (ROOT != kind || 0 == mt_rank()) && i < partitions; ++i) {
        if (MPI_SUCCESS != MPI_Pready(i, request[kind])) {
            mt_give_up("%s: MPI_Pready fails", names[kind]);
        }
    }
}

static void finish(int kind, int epoch)
{
    int code = MPI_SUCCESS;

    if (!mt_wait(&request[kind], PATIENCE, MPI_STATUS_IGNORE, &code)) {
        mt_give_up("%s: hangs", names[kind]);
    }
    if (MPI_SUCCESS != code) {
        mt_give_up("%s: fails", names[kind]);
    }
    for (int i = 0; i < count; ++i) {
        if (expected(kind, i, epoch) != in[kind][i]) {
            mt_give_up("%s: elements are wrong", names[kind]);
        }
    }
}

/* All at the same time; returns the seconds from start to completion. */
static double run(int epoch)
{
    int kinds = alone ? 1 : REQUESTS;
    double begin;

    for (int kind = 0; kind < kinds; ++kind) {
        fill(kind, epoch);
    }
    mt_sync();
    begin = mt_now();
    MPI_Startall(kinds, request);
    for (int kind = 0; kind < kinds; ++kind) {
        mark(kind);
    }
    for (int kind = 0; kind < kinds; ++kind) {
        finish(kind, epoch);
    }
    return mt_now() - begin;
}

/* No mt_result here: what mpirun says of a job whose network is cut is not judged. */
int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 10.0;
    int kib = argc > 2 ? atoi(argv[2]) : 1024;
    double begin, fastest = PATIENCE, slowest = 0;
    int epoch = 0, more = 1;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    alone = argc > 3 && 0 == strcmp(argv[3], "alone");
    count = kib * 256 / (mt_size() * PARTITIONS) * mt_size() * PARTITIONS;
    mt_limit(seconds + 2 * PATIENCE);
    make();
    for (begin = mt_now(); 0 != more; ++epoch) {
        double took = run(epoch);

        fastest = took < fastest ? took : fastest;
        slowest = took > slowest ? took : slowest;
        more = mt_now() - begin < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    mt_report("seconds of the fastest epoch: %.1f", fastest);
    mt_report("seconds of the slowest epoch: %.1f", slowest);
    mt_report("epochs, all elements right: %d", epoch);
    for (int kind = 0; kind < (alone ? 1 : REQUESTS); ++kind) {
        MPI_Request_free(&request[kind]);
    }
    for (int kind = 0; kind < REQUESTS; ++kind) {
        free(in[kind] == out[kind] ? NULL : in[kind]);
        free(out[kind]);
    }
    MPI_Finalize();
    return 0;
}
