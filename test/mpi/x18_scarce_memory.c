/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory runs out on one rank, once, somewhere between the making of a communicator and the end of
 * a channel on it. Each init call gives a request or an error; what is started ends, with the right
 * data or with an error. Then the next channel, with enough memory, is right.
 *
 *   x18_scarce_memory [RANK FIRST LAST]   only of this rank, and only the FIRST to LAST request for
 *                                         memory
 */
#include "../support/mpitest.h"
#include "../support/scarce/scarce.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PARTITIONS 4
#define MOST       (1 << 20)
#define ROUNDS     2
#define TAG        118

static MPI_Comm world; /* what the ranks tell each other about the test */
static char buffer[MOST];

/* All have one tag: none may meet one that was freed before. */
static int make(MPI_Comm comm, int bytes, MPI_Request *request)
{
    return 0 == mt_rank() ? MPI_Psend_init(buffer, PARTITIONS, bytes / PARTITIONS, MPI_CHAR, 1, TAG,
                                           comm, MPI_INFO_NULL, request)
                          : MPI_Precv_init(buffer, PARTITIONS, bytes / PARTITIONS, MPI_CHAR, 0, TAG,
                                           comm, MPI_INFO_NULL, request);
}

/* No byte is right because it was before: each round has other ones. */
static int round_of(MPI_Request *request, int bytes, uint64_t seed)
{
    int code;

    if (0 == mt_rank()) {
        mt_fill(buffer, (size_t) bytes, seed, 0);
    } else {
        memset(buffer, 0xa5, (size_t) bytes);
    }
    code = MPI_Start(request);
    for (int i = 0; MPI_SUCCESS == code && 0 == mt_rank() && i < PARTITIONS; i++) {
        code = MPI_Pready(i, *request);
    }
    if (MPI_SUCCESS == code && !mt_wait(request, 40.0, MPI_STATUS_IGNORE, &code)) {
        mt_give_up("%d bytes, memory %ld of rank %d: no end", bytes, mt_scarce_nth, mt_scarce_rank);
    }
    if (MPI_SUCCESS == code && 1 == mt_rank()) {
        size_t wrong = mt_wrong(buffer, (size_t) bytes, seed, 0);

        mt_check(0 == wrong, "%d bytes, memory %ld of rank %d: %zu are wrong", bytes, mt_scarce_nth,
                 mt_scarce_rank, wrong);
    }
    return code;
}

/* From init to free. With enough memory there must be no error. */
static void channel(MPI_Comm comm, int bytes, uint64_t seed)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = make(comm, bytes, &request);
    bool made = mt_scarce_all(world, MPI_SUCCESS == code);

    mt_check(MPI_SUCCESS == code || mt_rank() == mt_scarce_rank,
             "%d bytes, memory %ld of rank %d: init gives %d here", bytes, mt_scarce_nth,
             mt_scarce_rank, code);
    for (int i = 0; i < ROUNDS && made && MPI_SUCCESS == code; i++) {
        code = round_of(&request, bytes, ROUNDS * seed + (uint64_t) i);
    }
    mt_check(MPI_SUCCESS == code || 0 != mt_scarce_nth, "%d bytes: error %d with enough memory",
             bytes, code);
    if (MPI_REQUEST_NULL != request) {
        MPI_Request_free(&request);
    }
}

/* All sizes with a new communicator, which is made while memory is short, too. */
static void once(void)
{
    static uint64_t channels; /* the same on both ranks */
    const int bytes[] = {32, 16384, MOST};
    MPI_Comm comm;

    MPI_Comm_dup(world, &comm);
    for (int i = 0; i < 3; i++) {
        mt_stage("%d bytes, memory %ld of rank %d", bytes[i], mt_scarce_nth, mt_scarce_rank);
        channel(comm, bytes[i], channels++);
    }
    MPI_Comm_free(&comm);
}

/* Memory `nth` of a rank fails; says whether it has been asked for. */
static bool try_it(int rank, long nth)
{
    bool asked;

    mt_limit(120.0);
    mt_scarce_begin(rank, nth);
    once();
    asked = mt_scarce_end(world);
    once();
    return asked;
}

int main(int argc, char **argv)
{
    long first, last;
    int only;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    only = argc > 3 ? atoi(argv[1]) : -1;
    first = argc > 3 ? atol(argv[2]) : 1;
    last = argc > 3 ? atol(argv[3]) : 100000;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (mt_scarce_later()) {
        once();
    }
    for (int rank = 0; rank < 2; rank++) {
        long nth = first;

        if (mt_scarce(0) < 0) {
            mt_skip("the components are not files of their own", "memory runs out");
            continue;
        }
        if (only >= 0 && only != rank) {
            continue;
        }
        while (nth <= last && try_it(rank, nth)) {
            nth++;
        }
        if (0 == mt_rank()) {
            mt_note("rank %d: up to memory %ld", rank, nth);
        }
        mt_check(first > 1 || nth > first, "no memory was asked for");
        mt_result("memory runs out on rank %d, anywhere", rank);
    }
    MPI_Comm_free(&world);
    return mt_end();
}
