/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One side of a channel with its buffer, and a team of threads.
 */

#include "side.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mt_buffer(mt_side_t *side, int partitions, size_t bytes, int tag, bool sending)
{
    side->request = MPI_REQUEST_NULL;
    side->partitions = partitions;
    side->bytes = bytes;
    side->buffer = mt_alloc((size_t) partitions * bytes);
    side->seed = (uint64_t) tag;
    side->sending = sending;
    mt_side_wipe(side);
}

void mt_psend(mt_side_t *side, int partitions, size_t bytes, int dest, int tag, MPI_Comm comm)
{
    mt_buffer(side, partitions, bytes, tag, true);
    mt_success(MPI_Psend_init(side->buffer, partitions, (MPI_Count) bytes, MPI_BYTE, dest, tag,
                              comm, MPI_INFO_NULL, &side->request),
               "MPI_Psend_init");
}

void mt_precv(mt_side_t *side, int partitions, size_t bytes, int source, int tag, MPI_Comm comm)
{
    mt_buffer(side, partitions, bytes, tag, false);
    mt_success(MPI_Precv_init(side->buffer, partitions, (MPI_Count) bytes, MPI_BYTE, source, tag,
                              comm, MPI_INFO_NULL, &side->request),
               "MPI_Precv_init");
}

void mt_one_way(mt_side_t *side, int partitions, size_t bytes, int tag, MPI_Comm comm)
{
    if (0 == mt_rank()) {
        mt_psend(side, partitions, bytes, 1, tag, comm);
    } else {
        mt_precv(side, partitions, bytes, 0, tag, comm);
    }
}

void mt_start(mt_side_t *side)
{
    mt_success(MPI_Start(&side->request), "MPI_Start");
}

uint64_t mt_stream(const mt_side_t *side, int iteration)
{
    return side->seed * 1000003u + (uint64_t) iteration;
}

static size_t total(const mt_side_t *side)
{
    return (size_t) side->partitions * side->bytes;
}

void mt_side_fill(mt_side_t *side, int partition, int iteration)
{
    if (partition < 0) {
        mt_fill(side->buffer, total(side), mt_stream(side, iteration), 0);
        return;
    }
    size_t offset = (size_t) partition * side->bytes;
    mt_fill(side->buffer + offset, side->bytes, mt_stream(side, iteration), offset);
}

void mt_ready(mt_side_t *side, int partition)
{
    if (partition >= 0) {
        mt_success(MPI_Pready(partition, side->request), "MPI_Pready");
        return;
    }
    for (int i = 0; i < side->partitions; i++) {
        mt_success(MPI_Pready(i, side->request), "MPI_Pready");
    }
}

void mt_send_partition(mt_side_t *side, int partition, int iteration)
{
    mt_side_fill(side, partition, iteration);
    mt_ready(side, partition);
}

bool mt_side_verify_bytes(const mt_side_t *side, size_t from, size_t to, int iteration)
{
    uint64_t stream = mt_stream(side, iteration);
    size_t wrong = mt_wrong(side->buffer + from, to - from, stream, from);

    if (0 == wrong) {
        return true;
    }
    size_t first = from;
    while (first < to && side->buffer[first] == mt_byte(stream, first)) {
        first++;
    }
    return mt_check(false,
                    "iteration %d: %zu of the bytes %zu..%zu are wrong, the first at %zu: "
                    "0x%02x instead of 0x%02x",
                    iteration, wrong, from, to, first, side->buffer[first < to ? first : from],
                    mt_byte(stream, first));
}

bool mt_side_verify(const mt_side_t *side, int partition, int iteration)
{
    if (partition < 0) {
        return mt_side_verify_bytes(side, 0, total(side), iteration);
    }
    size_t offset = (size_t) partition * side->bytes;
    return mt_side_verify_bytes(side, offset, offset + side->bytes, iteration);
}

bool mt_side_untouched(const mt_side_t *side, const char *when)
{
    size_t changed = mt_differ(side->buffer, total(side), (unsigned char) MT_SENTINEL);

    return mt_check(0 == changed, "%s: %zu bytes of the receive buffer changed", when, changed);
}

void mt_side_wipe(mt_side_t *side)
{
    memset(side->buffer, (int) MT_SENTINEL, total(side));
}

void mt_cycle(mt_side_t *side, int iteration)
{
    mt_start(side);
    if (side->sending) {
        mt_side_fill(side, -1, iteration);
        mt_ready(side, -1);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    if (!side->sending) {
        mt_side_verify(side, -1, iteration);
    }
}

int mt_outcome(mt_side_t *side, double seconds)
{
    int code = MPI_SUCCESS;

    if (!mt_wait(&side->request, seconds, MPI_STATUS_IGNORE, &code)) {
        mt_give_up(side->sending ? "its send hangs" : "its receive hangs");
    }
    return mt_error_class(code);
}

void mt_drop(mt_side_t *side)
{
    if (MPI_REQUEST_NULL != side->request) {
        mt_free(&side->request);
    }
    free(side->buffer);
    side->buffer = NULL;
}

void mt_both_ways(MPI_Comm comm, int me, int peer, int tag)
{
    mt_side_t out;
    mt_side_t in;

    mt_psend(&out, 4, 5000, peer, tag, comm);
    mt_precv(&in, 5, 4000, peer, tag, comm);
    out.seed = (uint64_t) me;
    in.seed = (uint64_t) (1 - me);
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&in);
        mt_cycle(&out, iteration);
        mt_finish(&in.request, MPI_STATUS_IGNORE);
        mt_side_verify(&in, -1, iteration);
        mt_side_wipe(&in);
    }
    mt_drop(&out);
    mt_drop(&in);
}

struct member {
    void (*work)(int thread, void *argument);
    void *argument;
    pthread_barrier_t *start;
    pthread_t thread;
    int number;
};

static void *run_member(void *argument)
{
    struct member *member = argument;

    pthread_barrier_wait(member->start);
    member->work(member->number, member->argument);
    return NULL;
}

void mt_team(int threads, void (*work)(int thread, void *argument), void *argument)
{
    struct member *members = mt_alloc((size_t) threads * sizeof(*members));
    pthread_barrier_t start;

    pthread_barrier_init(&start, NULL, (unsigned) threads);
    for (int i = 0; i < threads; i++) {
        members[i] =
            (struct member){.work = work, .argument = argument, .start = &start, .number = i};
        if (i > 0 && 0 != pthread_create(&members[i].thread, NULL, run_member, &members[i])) {
            printf("Bail out! cannot create a thread\n");
            fflush(stdout);
            abort();
        }
    }
    (void) run_member(&members[0]);
    for (int i = 1; i < threads; i++) {
        pthread_join(members[i].thread, NULL);
    }
    pthread_barrier_destroy(&start);
    free(members);
}
