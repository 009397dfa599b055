/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A master that spawns a process, talks to it and disconnects, again and again: its descriptors
 * and what is mapped of others stay flat, and of its heap part/ucx takes little more than Open MPI
 * itself, which keeps some of every process that it has met. One process stays, and is talked to
 * now and then: it has to find a master that has closed its shared memory with other jobs since.
 *
 * Arguments: cycles; KiB of heap that a cycle may take in addition to Open MPI's. Children: "part",
 * "plain" or "stay".
 */

#include "../support/side.h"
#include "../support/usage.h"

#include <stdlib.h>
#include <string.h>

#define TAG 114

/* A process that has gone may be kept for a while: shared memory that is mapped, in bytes. */
#define MAPPED_SLACK (20 << 20)

/* From one talk with the process that stays to the next, in cycles. */
#define STAY_EVERY 7

static void talk(MPI_Comm comm, int me, bool partitioned)
{
    mt_side_t out;
    mt_side_t in;
    int mine = me, other = -1;

    if (!partitioned) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, TAG, &other, 1, MPI_INT, 0, TAG, comm,
                     MPI_STATUS_IGNORE);
        mt_check(1 - me == other, "%d is received", other);
        return;
    }
    mt_psend(&out, 4, 5000, 0, TAG, comm);
    mt_precv(&in, 5, 4000, 0, TAG, comm);
    out.seed = (uint64_t) me;
    in.seed = (uint64_t) (1 - me);
    for (int iteration = 0; iteration < 2; iteration++) {
        mt_start(&in);
        mt_cycle(&out, iteration);
        mt_finish(&in.request, MPI_STATUS_IGNORE);
        mt_side_verify(&in, -1, iteration);
    }
    mt_drop(&out);
    mt_drop(&in);
}

static MPI_Comm spawn(char *program, char *how)
{
    char *arguments[] = {how, NULL};
    MPI_Comm spawned;

    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &spawned,
                   MPI_ERRCODES_IGNORE);
    return spawned;
}

/* As long as the master says so. */
static void stay(MPI_Comm master)
{
    int more = 1;

    while (0 != more) {
        MPI_Recv(&more, 1, MPI_INT, 0, TAG, master, MPI_STATUS_IGNORE);
        if (0 != more) {
            talk(master, 1, true);
        }
    }
}

static void tell(MPI_Comm stays, int more)
{
    MPI_Send(&more, 1, MPI_INT, 0, TAG, stays);
    if (0 != more) {
        talk(stays, 0, true);
    }
}

typedef struct costs_t {
    double heap;   /* bytes that a cycle takes, after the first ones */
    double mapped; /* shared memory that all take, in bytes */
    int files;     /* and descriptors */
} costs_t;

static costs_t cycles(char *program, char *how, int count, MPI_Comm stays)
{
    bool part = 0 == strcmp(how, "part");
    mt_usage_t before = {0}, after;
    int warm = count / 5 + 1;

    for (int i = 0; i < warm + count; i++) {
        MPI_Comm spawned;

        if (i == warm) {
            before = mt_usage();
        }
        spawned = spawn(program, how);
        talk(spawned, 0, part);
        MPI_Comm_disconnect(&spawned);
        if (part && 0 == i % STAY_EVERY) {
            tell(stays, 1);
        }
    }
    after = mt_usage();
    return (costs_t) {.heap = ((double) after.handed_out - (double) before.handed_out) / count,
                      .mapped = (double) after.shared - (double) before.shared,
                      .files = after.files - before.files};
}

static void master(char **argv)
{
    char plain[] = "plain", part[] = "part", stays[] = "stay";
    MPI_Comm other = spawn(argv[0], stays);
    int count = mt_slow() ? 6 : atoi(argv[1]);
    costs_t others = cycles(argv[0], plain, count, other);
    costs_t all = cycles(argv[0], part, count, other);

    tell(other, 1);
    tell(other, 0);
    MPI_Comm_disconnect(&other);
    mt_check(all.files <= 4, "%d descriptors more", all.files);
    mt_check(all.mapped <= MAPPED_SLACK, "%.0f bytes of shared memory more", all.mapped);
    mt_check(all.heap - others.heap < 1024.0 * atoi(argv[2]),
             "a cycle takes %.0f bytes, Open MPI's %.0f", all.heap, others.heap);
    mt_result("%d cycles: %d descriptors and %.0f KiB of shared memory more, %.0f bytes each, "
              "%.0f of them Open MPI's",
              count, all.files, all.mapped / 1024, all.heap, others.heap);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        if (0 == strcmp(argv[1], "stay")) {
            stay(parent);
        } else {
            talk(parent, 1, 0 == strcmp(argv[1], "part"));
        }
        status = 0 != mt_failures();
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return status;
    }
    mt_begin_on(MPI_COMM_WORLD);
    if (OMPI_MAJOR_VERSION > 5) {
        mt_skip("Open MPI 6.0.0rc2 takes a child that disconnects and ends for one that died, "
                "and crashes in MPI_Comm_spawn, with part/persist, too",
                "a master that spawns, talks and disconnects");
    } else {
        master(argv);
    }
    status = mt_end();
    MPI_Finalize();
    return status;
}
