/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One of two jobs that were started apart and join each other: channels between them, through the
 * intercommunicator and merged. They disconnect, and join once more, by another port (Open MPI
 * 5.0.7 hangs when one is used twice).
 *
 *   joins accepts FILE    writes the names of its ports to FILE.0 and FILE.1
 *   joins connects FILE   waits for them
 */

#include "../support/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG   117
#define TIMES 2

static void tell_port(const char *port, const char *file, int number)
{
    char name[4096], other[4200];
    FILE *written;

    (void) snprintf(name, sizeof(name), "%s.%d", file, number);
    (void) snprintf(other, sizeof(other), "%s.new", name);
    written = fopen(other, "w");
    if (mt_check(NULL != written, "%s cannot be written", other)) {
        fputs(port, written);
        fclose(written);
        (void) rename(other, name); /* whole, or not there */
    }
}

static void learn_port(char *port, const char *file, int number)
{
    char name[4096];
    FILE *written = NULL;

    (void) snprintf(name, sizeof(name), "%s.%d", file, number);
    while (NULL == (written = fopen(name, "r"))) {
        mt_progress(0.01);
    }
    mt_check(NULL != fgets(port, MPI_MAX_PORT_NAME, written), "%s is empty", name);
    fclose(written);
}

/* All ranks. */
static void join(int job, const char *file, int number, MPI_Comm *joined)
{
    char port[MPI_MAX_PORT_NAME] = "";

    if (0 == job) {
        if (0 == mt_rank()) {
            MPI_Open_port(MPI_INFO_NULL, port);
            tell_port(port, file, number);
        }
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, joined);
        if (0 == mt_rank()) {
            MPI_Close_port(port);
        }
    } else {
        if (0 == mt_rank()) {
            learn_port(port, file, number);
        }
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, joined);
    }
}

static void talk(MPI_Comm joined, int job)
{
    MPI_Comm merged;

    mt_both_ways(joined, job, mt_rank(), TAG);
    MPI_Intercomm_merge(joined, job, &merged);
    mt_both_ways(merged, job, mt_rank() + (0 == job ? mt_size() : 0), TAG + 1);
    MPI_Comm_free(&merged);
}

int main(int argc, char **argv)
{
    int job = argc > 2 && 0 == strcmp("connects", argv[1]);

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    for (int i = 0; i < TIMES; i++) {
        MPI_Comm joined;

        join(job, argv[2], i, &joined);
        talk(joined, job);
        MPI_Comm_disconnect(&joined);
    }
    mt_result("jobs that were started apart are joined %d times", TIMES);
    return mt_end();
}
