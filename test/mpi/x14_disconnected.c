/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A master that spawns a process, talks to it and disconnects, again and again: its descriptors
 * stay flat, and of its memory part/ucx takes little more than Open MPI itself, which keeps some of
 * every process that it has met.
 *
 * Arguments: cycles; KiB of heap that a cycle may take in addition to Open MPI's. Children: "part"
 * or "plain".
 */

#include "../support/side.h"
#include "../support/usage.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define TAG 114

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

/* Bytes of heap that a cycle takes, and descriptors, after the first ones. */
static double cycles(char *program, char *how, int count, int *more)
{
    char *arguments[] = {how, NULL};
    size_t heap = 0;
    int before = 0, warm = count / 5 + 1;

    for (int i = 0; i < warm + count; i++) {
        MPI_Comm spawned;

        if (i == warm) {
            heap = mallinfo2().uordblks;
            before = mt_usage().files;
        }
        MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &spawned,
                       MPI_ERRCODES_IGNORE);
        talk(spawned, 0, 0 == strcmp(how, "part"));
        MPI_Comm_disconnect(&spawned);
    }
    *more = mt_usage().files - before;
    return ((double) mallinfo2().uordblks - (double) heap) / count;
}

static void master(char **argv)
{
    char plain[] = "plain", part[] = "part";
    int count = atoi(argv[1]), more;
    double others = cycles(argv[0], plain, count, &more);
    double all = cycles(argv[0], part, count, &more);

    mt_check(more <= 4, "%d descriptors more", more);
    mt_check(all - others < 1024.0 * atoi(argv[2]), "a cycle takes %.0f bytes, Open MPI's %.0f",
             all, others);
    mt_result("%d cycles: %d descriptors more, %.0f bytes each, %.0f of them Open MPI's", count,
              more, all, others);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        talk(parent, 1, 0 == strcmp(argv[1], "part"));
        status = 0 != mt_failures();
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return status;
    }
    mt_begin_on(MPI_COMM_WORLD);
    master(argv);
    status = mt_end();
    MPI_Finalize();
    return status;
}
