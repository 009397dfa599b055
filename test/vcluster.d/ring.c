/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI job for the virtual cluster's own test, with no partitioned communication in it:
 *
 *   ring BYTES ROUNDS    every rank sends BYTES to its right while it receives from its left,
 *                        ROUNDS times, and checks every byte of every round; two ranks play
 *                        ping-pong instead.  Rank 0 prints "ranks N hosts H rate MB/s", where the
 *                        rate is that of each rank while it sends, and H counts the different
 *                        host names.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* What rank `from` sends in `round` at `index`; depends on all three. */
static unsigned char pattern(int from, int round, int index)
{
    return (unsigned char) (from * 31 + round * 7 + index % 251);
}

static void check(const unsigned char *buffer, int bytes, int left, int round)
{
    for (int index = 0; index < bytes; ++index) {
        if (pattern(left, round, index) != buffer[index]) {
            fprintf(stderr, "ring: rank %d round %d: byte %d is wrong\n", rank, round, index);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static int count_hosts(void)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length, hosts = 0;

    MPI_Get_processor_name(name, &length);
    char *names = malloc((size_t) size * sizeof(name));
    if (NULL == names) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
        int j = 0;
        while (0 != strcmp(names + (size_t) i * sizeof(name), names + (size_t) j * sizeof(name))) {
            ++j;
        }
        hosts += (i == j);
    }
    free(names);
    return hosts;
}

/* Returns the seconds that one transfer of `out` to the next rank took. */
static double transfer(const unsigned char *out, unsigned char *in, int bytes)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (2 != size) {
        MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return MPI_Wtime() - start;
    }
    if (0 == rank) {
        MPI_Send(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
    }
    MPI_Recv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (0 != rank) {
        MPI_Send(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
    }
    return 0.5 * (MPI_Wtime() - start);
}

/* Returns the seconds that the transfers of all rounds took. */
static double run(unsigned char *out, unsigned char *in, int bytes, int rounds)
{
    const int left = (rank + size - 1) % size;
    double total = 0.0;

    for (int round = 0; round < rounds; ++round) {
        for (int index = 0; index < bytes; ++index) {
            out[index] = pattern(rank, round, index);
            in[index] = 0;
        }
        total += transfer(out, in, bytes);
        check(in, bytes, left, round);
    }
    return total;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (3 != argc) {
        fprintf(stderr, "usage: ring BYTES ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int bytes = atoi(argv[1]), rounds = atoi(argv[2]);
    unsigned char *out = malloc((size_t) bytes), *in = malloc((size_t) bytes);
    if (NULL == out || NULL == in) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    double seconds = run(out, in, bytes, rounds), slowest;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const int hosts = count_hosts();
    if (0 == rank) {
        printf("ranks %d hosts %d rate %.2f\n", size, hosts, 1e-6 * bytes * rounds / slowest);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
