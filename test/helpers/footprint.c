/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process that never calls a partitioned function holds: open files and threads. Printed for
 * jobs.sh, which compares components.
 */

#include <mpi.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int entries(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;

    while (NULL != list && NULL != readdir(list)) {
        count++;
    }
    if (NULL != list) {
        closedir(list);
    }
    return count;
}

/* Ordinary traffic of several sizes, so that what MPI makes on first use is there. */
static void traffic(int rank, int size)
{
    static char buffer[1 << 20];
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;
    double in = 1;
    double out = 0;

    for (int bytes = 1; bytes <= (int) sizeof(buffer); bytes *= 32) {
        MPI_Sendrecv_replace(buffer, bytes, MPI_BYTE, right, 0, left, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank = 0;
    int size = 1;
    int counts[2];
    int most[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    traffic(rank, size);
    counts[0] = entries("/proc/self/fd");
    counts[1] = entries("/proc/self/task");
    MPI_Reduce(counts, most, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("RESULT %d files %d threads\n", most[0], most[1]);
    }
    MPI_Finalize();
    return 0;
}
