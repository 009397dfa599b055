/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All to one: every rank draws its part of a picture, line by line; the root writes lines as they
 * come, in whatever order, by threads that take the next one. docs/collectives.md quotes this.
 *
 *     mpicc -fopenmp all_to_one.c $(pkg-config --cflags --libs mpix_partitioned)
 *     mpirun -n 4 --mca part ucx ./a.out
 */
#include <mpix_partitioned.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOT = 0, LINES = 12, WIDTH = 5000 };

static unsigned char colour(int line, int column)
{
    return (unsigned char) (line * 31 + column * 7);
}

static void draw(unsigned char *pixel, int line)
{
    for (int column = 0; column < WIDTH; column++) {
        pixel[column] = colour(line, column);
    }
}

static int count_wrong(const unsigned char *pixel, int line)
{
    int wrong = 0;

    for (int column = 0; column < WIDTH; column++) {
        wrong += pixel[column] != colour(line, column);
    }
    return wrong;
}

/* Any number of threads may do this at the same time: each line is given to one of them. */
static int take_lines(MPI_Request request, const unsigned char *picture)
{
    int wrong = 0;

    for (;;) {
        int line, flag;

        MPIX_Parrived_any(request, &line, &flag);
        if (flag && MPI_UNDEFINED == line) {
            return wrong; /* all lines of this iteration have been given to somebody */
        }
        if (flag) {
            wrong += count_wrong(picture + (size_t) line * WIDTH, line);
        } else {
            sched_yield();
        }
    }
}

int main(int argc, char **argv)
{
    int provided, rank, size, wrong = 0;
    unsigned char *part, *picture = NULL;
    MPI_Request request;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    part = malloc(LINES * WIDTH);
    if (ROOT == rank) {
        picture = malloc((size_t) size * LINES * WIDTH);
    }
    if (NULL == part || (ROOT == rank && NULL == picture) || provided < MPI_THREAD_MULTIPLE) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    /* LINES partitions of WIDTH bytes from each rank. At the root, partition r * LINES + i is line
     * i of rank r. */
    MPIX_Pgather_init(part, LINES, WIDTH, MPI_BYTE, picture, LINES, WIDTH, MPI_BYTE, ROOT,
                      MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
#pragma omp parallel reduction(+ : wrong)
    {
#pragma omp for schedule(dynamic) nowait
        for (int line = 0; line < LINES; line++) {
            draw(part + line * WIDTH, rank * LINES + line);
            MPI_Pready(line, request);
        }
        if (ROOT == rank) {
            wrong += take_lines(request, picture);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);

    printf("rank %d: %d wrong pixels\n", rank, wrong);
    MPI_Finalize();
    free(part);
    free(picture);
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
