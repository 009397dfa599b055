/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Point-to-point trials: rank r of the first half works with rank r + size/2, all pairs at once.
 * A partitioned message of the tests with a window has the whole window's messages as partitions.
 */
#include "trial.h"

enum { DATA = 1, ANSWER };

/* ---- latency: there and back ---- */

static int latency_blocking(trial_t *t)
{
    const int bytes = (int) t->bytes;
    if (t->first) {
        MPI_Send(t->out, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD);
        return MPI_Recv(t->in, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    }
    MPI_Recv(t->in, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Send(t->out, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD);
}

static int latency_persistent(trial_t *t)
{
    const int bytes = (int) t->bytes;
    t->requests = 2;
    MPI_Send_init(t->out, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD, &t->request[0]);
    return MPI_Recv_init(t->in, bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD, &t->request[1]);
}

/* The receive is started first, so that the answer finds it. */
static void latency_round(trial_t *t)
{
    trial_start(t, 1, 1, false);
    if (t->first) {
        trial_start(t, 0, 1, true);
        trial_wait(t, 0, 2);
    } else {
        trial_wait(t, 1, 1);
        trial_start(t, 0, 1, true);
        trial_wait(t, 0, 1);
    }
}

/* ---- a window of messages, and an answer ---- */

static void answer(trial_t *t)
{
    char word = 0;
    if (t->first) {
        MPI_Recv(&word, 1, MPI_BYTE, t->partner, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&word, 1, MPI_BYTE, t->partner, ANSWER, MPI_COMM_WORLD);
    }
}

static bool sends(const trial_t *t)
{
    return t->first || 2 == t->operation->both_ways;
}

static bool receives(const trial_t *t)
{
    return !t->first || 2 == t->operation->both_ways;
}

static int window_of(const trial_t *t)
{
    return trial_messages(t->operation, t->bytes);
}

static int window_blocking(trial_t *t)
{
    MPI_Request request[2 * TRIAL_WINDOW];
    const size_t messages = (size_t) window_of(t);
    int count = 0;
    for (size_t i = 0; receives(t) && i < messages; ++i) {
        MPI_Irecv(t->in + i * t->bytes, (int) t->bytes, MPI_BYTE, t->partner, DATA, MPI_COMM_WORLD,
                  &request[count++]);
    }
    for (size_t i = 0; sends(t) && i < messages; ++i) {
        MPI_Isend(t->out + i * t->bytes, (int) t->bytes, MPI_BYTE, t->partner, DATA,
                  MPI_COMM_WORLD, &request[count++]);
    }
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    answer(t);
    return MPI_SUCCESS;
}

static int window_persistent(trial_t *t)
{
    const size_t messages = (size_t) window_of(t);
    for (size_t i = 0; receives(t) && i < messages; ++i) {
        MPI_Recv_init(t->in + i * t->bytes, (int) t->bytes, MPI_BYTE, t->partner, DATA,
                      MPI_COMM_WORLD, &t->request[t->requests++]);
    }
    for (size_t i = 0; sends(t) && i < messages; ++i) {
        MPI_Send_init(t->out + i * t->bytes, (int) t->bytes, MPI_BYTE, t->partner, DATA,
                      MPI_COMM_WORLD, &t->request[t->requests++]);
    }
    return MPI_SUCCESS;
}

static void window_round(trial_t *t)
{
    const int receiving = !receives(t) ? 0 : TRIAL_PARTITIONED == t->form ? 1 : window_of(t);
    if (0 < receiving) {
        trial_start(t, 0, receiving, false);
    }
    if (receiving < t->requests) {
        trial_start(t, receiving, t->requests - receiving, true);
    }
    trial_wait(t, 0, t->requests);
    answer(t);
}

#if TRIAL_HAVE_MPI4
static int latency_partitioned(trial_t *t)
{
    const MPI_Count count = (MPI_Count) (t->bytes / (size_t) t->partitions);
    int error;
    t->requests = 2;
    error = MPI_Psend_init(t->out, t->partitions, count, MPI_BYTE, t->partner, DATA,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &t->request[0]);
    return MPI_SUCCESS != error
               ? error
               : MPI_Precv_init(t->in, t->partitions, count, MPI_BYTE, t->partner, DATA,
                                MPI_COMM_WORLD, MPI_INFO_NULL, &t->request[1]);
}

static int window_partitioned(trial_t *t)
{
    int error = MPI_SUCCESS;
    t->partitions = window_of(t);
    if (receives(t)) {
        error = MPI_Precv_init(t->in, t->partitions, (MPI_Count) t->bytes, MPI_BYTE, t->partner,
                               DATA, MPI_COMM_WORLD, MPI_INFO_NULL, &t->request[t->requests++]);
    }
    if (sends(t) && MPI_SUCCESS == error) {
        error = MPI_Psend_init(t->out, t->partitions, (MPI_Count) t->bytes, MPI_BYTE, t->partner,
                               DATA, MPI_COMM_WORLD, MPI_INFO_NULL, &t->request[t->requests++]);
    }
    return error;
}
#    define PARTITIONED(function) function
#else
#    define PARTITIONED(function) NULL
#endif

/* Both halves have both buffers, so that every rank can check what it gets, if it gets anything. */
#define PAIRS(several, ways) \
    .pairs = true, .sized = true, .unit = 1, .window = (several), .both_ways = (ways), \
    .out_where = TRIAL_AT_ALL, .out_blocks = TRIAL_ONE, .in_where = TRIAL_AT_ALL, \
    .in_blocks = TRIAL_ONE, .source = TRIAL_FROM_EACH

const trial_operation_t trial_pairs[] = {
    {.name = "latency",
     PAIRS(false, 1),
     .blocking = latency_blocking,
     .persistent = latency_persistent,
     .partitioned = PARTITIONED(latency_partitioned),
     .round = latency_round},
    {.name = "bandwidth",
     PAIRS(true, 1),
     .blocking = window_blocking,
     .persistent = window_persistent,
     .partitioned = PARTITIONED(window_partitioned),
     .round = window_round},
    {.name = "bidirectional",
     PAIRS(true, 2),
     .blocking = window_blocking,
     .persistent = window_persistent,
     .partitioned = PARTITIONED(window_partitioned),
     .round = window_round},
    {.name = NULL}};
