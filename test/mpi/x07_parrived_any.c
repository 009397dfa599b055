/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Parrived_any and MPIX_Parrived_some: idle threads take partitions as they arrive, each
 * partition once, its bytes there; nothing is given before it was sent, what is left after
 * completion still is; when all is given they say so; on receives and on collectives.
 *
 * With the argument "openmp" the threads are those of OpenMP.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define TAG        107
#define PARTITIONS 40
#define BYTES      3000
#define THREADS    4
#define ROOM       3

/* ---- a team, of OpenMP or of our own ---- */

static bool with_openmp;

static void team(void (*work)(int thread, void *argument), void *argument)
{
#ifdef _OPENMP
    if (with_openmp) {
#pragma omp parallel num_threads(THREADS)
        work(omp_get_thread_num(), argument);
        return;
    }
#endif
    mt_team(THREADS, work, argument);
}

/* ---- threads that take work ---- */

/* How often each partition was given, in this iteration. */
static atomic_int given[PARTITIONS];

static void note(int partition)
{
    if (mt_check(partition >= 0 && partition < PARTITIONS, "partition %d", partition)) {
        mt_check(0 == atomic_fetch_add(&given[partition], 1), "partition %d is given again",
                 partition);
    }
}

/* One call; the number of partitions in `partitions`, or MPI_UNDEFINED. */
static int take(MPI_Request request, int thread, int partitions[ROOM])
{
    int count = 0, flag = -1;

    if (0 == thread % 2) {
        mt_success(MPIX_Parrived_some(request, ROOM, &count, partitions), "MPIX_Parrived_some");
        return count;
    }
    mt_success(MPIX_Parrived_any(request, partitions, &flag), "MPIX_Parrived_any");
    if (0 == flag) {
        mt_check(MPI_UNDEFINED == partitions[0], "flag 0 and partition %d", partitions[0]);
        return 0;
    }
    return MPI_UNDEFINED == partitions[0] ? MPI_UNDEFINED : 1;
}

/* One thread's work in an iteration: `use` looks at what was given. */
static void take_all(MPI_Request request, int thread, void (*use)(int partition, void *argument),
                     void *argument)
{
    int partitions[ROOM];
    int count = 0;

    while (MPI_UNDEFINED != count) {
        count = take(request, thread, partitions);
        for (int i = 0; i < count; i++) {
            note(partitions[i]);
            use(partitions[i], argument);
        }
        if (0 == count) {
            sched_yield();
        }
    }
}

static void all_given(int iteration)
{
    for (int p = 0; p < PARTITIONS; p++) {
        int times = atomic_exchange(&given[p], 0);

        mt_check(1 == times, "iteration %d: partition %d was given %d times", iteration, p, times);
    }
}

typedef struct received {
    mt_side_t *side;
    int iteration;
} received_t;

static void verify(int partition, void *argument)
{
    received_t *received = argument;

    mt_side_verify(received->side, partition, received->iteration);
}

/* A thread may complete the request while others take from it, so the last ones take from a
 * request that is inactive. */
static void receive_work(int thread, void *argument)
{
    received_t *received = argument;

    if (0 == thread && 0 == received->iteration % 2) {
        mt_finish(&received->side->request, MPI_STATUS_IGNORE);
    }
    take_all(received->side->request, thread, verify, received);
}

static void receive(mt_side_t *side, int iteration)
{
    received_t received = {.side = side, .iteration = iteration};

    team(receive_work, &received);
    if (0 != iteration % 2) {
        mt_finish(&side->request, MPI_STATUS_IGNORE);
    }
    all_given(iteration);
}

static void threads_take_work(int send_partitions)
{
    mt_side_t side;
    mt_random_t random;
    int order[2 * PARTITIONS];

    mt_random_seed(&random, 7);
    if (0 == mt_rank()) {
        mt_psend(&side, send_partitions, (size_t) BYTES * PARTITIONS / (size_t) send_partitions, 1,
                 TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, PARTITIONS, BYTES, 0, TAG, MPI_COMM_WORLD);
    }
    for (int iteration = 0; iteration < (mt_slow() ? 6 : 40); iteration++) {
        mt_start(&side);
        if (side.sending) {
            for (int p = 0; p < send_partitions; p++) {
                order[p] = p;
            }
            mt_random_shuffle(&random, order, send_partitions);
            for (int p = 0; p < send_partitions; p++) {
                mt_send_partition(&side, order[p], iteration);
            }
            mt_finish(&side.request, MPI_STATUS_IGNORE);
        } else {
            receive(&side, iteration);
            mt_side_wipe(&side);
        }
    }
    mt_drop(&side);
}

/* ---- one thread, step by step ---- */

static void expect(MPI_Request request, int flag, int partition, const char *when)
{
    int got_flag = -1, got = -2;

    mt_success(MPIX_Parrived_any(request, &got, &got_flag), when);
    mt_check(flag == got_flag && partition == got, "%s: flag %d, partition %d", when, got_flag,
             got);
}

static void expect_some(MPI_Request request, int room, int count, const char *when)
{
    int partitions[4] = {-2, -2, -2, -2};
    int got = -2;

    mt_success(MPIX_Parrived_some(request, room, &got, 0 == room ? NULL : partitions), when);
    mt_check(count == got, "%s: %d partitions", when, got);
    for (int i = got < 0 ? 0 : got; i < 4; i++) {
        mt_check(-2 == partitions[i], "%s: entry %d of %d is written", when, i, got);
    }
}

static void step_by_step(void)
{
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_psend(&side, 4, 100, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, 4, 100, 0, TAG, MPI_COMM_WORLD);
        expect(side.request, 1, MPI_UNDEFINED, "never started");
        expect_some(side.request, 4, MPI_UNDEFINED, "never started");
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        mt_start(&side);
        mt_sync();
        if (side.sending) {
            mt_sync(); /* the receiver has looked */
            mt_send_partition(&side, 2, iteration);
            mt_sync(); /* it has taken that one */
            mt_send_partition(&side, 0, iteration);
            mt_send_partition(&side, 1, iteration);
            mt_send_partition(&side, 3, iteration);
            mt_finish(&side.request, MPI_STATUS_IGNORE);
        } else {
            expect(side.request, 0, MPI_UNDEFINED, "before anything is sent");
            expect_some(side.request, 4, 0, "before anything is sent");
            mt_sync();
            mt_check(mt_arrives(side.request, 2, 10.0), "partition 2 not there");
            expect_some(side.request, 0, 0, "without room");
            expect(side.request, 1, 2, "when partition 2 is there");
            expect(side.request, 0, MPI_UNDEFINED, "when it is taken");
            mt_sync();
            mt_finish(&side.request, MPI_STATUS_IGNORE);
            mt_side_verify(&side, -1, iteration);
            expect_some(side.request, 2, 2, "after completion");
            expect_some(side.request, 4, 1, "after completion, again");
            expect(side.request, 1, MPI_UNDEFINED, "when all are taken");
            expect_some(side.request, 4, MPI_UNDEFINED, "when all are taken");
        }
        mt_sync();
    }
    mt_drop(&side);
}

static void nobody(void)
{
    MPI_Request request;
    char buffer[8];

    MPI_Precv_init(buffer, 4, 2, MPI_CHAR, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    MPI_Start(&request);
    expect(request, 1, MPI_UNDEFINED, "receive from MPI_PROC_NULL");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_some(request, 4, MPI_UNDEFINED, "receive from MPI_PROC_NULL, complete");
    mt_free(&request);
    expect(MPI_REQUEST_NULL, 1, MPI_UNDEFINED, "MPI_REQUEST_NULL");
    expect_some(MPI_REQUEST_NULL, 1, MPI_UNDEFINED, "MPI_REQUEST_NULL");
}

/* ---- errors ---- */

static void wrong_use(void)
{
    mt_side_t side;
    MPI_Request other;
    MPI_Comm comm;
    int index, flag, count, one[1];

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    mt_errors_watch(comm);
    mt_psend(&side, 2, 8, 0, TAG, comm);
    mt_expect(comm, MPIX_Parrived_any(side.request, &index, &flag), MPI_ERR_REQUEST, "a send");
    mt_expect(comm, MPIX_Parrived_some(side.request, 1, &count, one), MPI_ERR_REQUEST, "a send");
    mt_drop(&side);
    mt_precv(&side, 2, 8, 0, TAG, comm);
    mt_expect(comm, MPIX_Parrived_any(side.request, NULL, &flag), MPI_ERR_ARG, "no partition");
    mt_expect(comm, MPIX_Parrived_any(side.request, &index, NULL), MPI_ERR_ARG, "no flag");
    mt_expect(comm, MPIX_Parrived_some(side.request, -1, &count, one), MPI_ERR_ARG, "room -1");
    mt_expect(comm, MPIX_Parrived_some(side.request, 1, NULL, one), MPI_ERR_ARG, "no count");
    mt_expect(comm, MPIX_Parrived_some(side.request, 1, &count, NULL), MPI_ERR_ARG, "no array");
    mt_drop(&side);
    MPI_Send_init(one, 1, MPI_INT, 0, TAG, comm, &other);
    mt_expect(MPI_COMM_SELF, MPIX_Parrived_any(other, &index, &flag), MPI_ERR_REQUEST,
              "no partitioned request");
    MPI_Request_free(&other);
    MPI_Comm_free(&comm);
}

/* ---- collectives ---- */

typedef struct summed {
    MPI_Request request;
    int sum[PARTITIONS];
    int iteration;
} summed_t;

static void verify_sum(int partition, void *argument)
{
    summed_t *summed = argument;

    mt_check(summed->sum[partition] == mt_size() * (1000 * summed->iteration + partition),
             "partition %d is %d", partition, summed->sum[partition]);
}

static void sum_work(int thread, void *argument)
{
    summed_t *summed = argument;

    take_all(summed->request, thread, verify_sum, summed);
}

static void collective_take_work(void)
{
    static int mine[PARTITIONS];
    static summed_t summed;

    MPIX_Pallreduce_init(mine, summed.sum, PARTITIONS, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                         MPI_INFO_NULL, &summed.request);
    expect(summed.request, 1, MPI_UNDEFINED, "a collective that was never started");
    for (int i = 0; i < (mt_slow() ? 4 : 20); i++) {
        summed.iteration = i;
        MPI_Start(&summed.request);
        for (int p = PARTITIONS - 1; p >= 0; p--) {
            mine[p] = 1000 * i + p;
            MPI_Pready(p, summed.request);
        }
        team(sum_work, &summed);
        mt_finish(&summed.request, MPI_STATUS_IGNORE);
        all_given(i);
    }
    mt_free(&summed.request);
}

/* All ranks may run the same loop, also one that gets nothing. */
static void root_gets_nothing(void)
{
    MPI_Request request;
    int buffer[2] = {0, 0};

    MPIX_Pbcast_init(buffer, 2, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (0 == mt_rank()) {
        expect(request, 1, MPI_UNDEFINED, "root of a broadcast");
        MPI_Pready_range(0, 1, request);
    }
    mt_finish(&request, MPI_STATUS_IGNORE);
    expect_some(request, 4, 0 == mt_rank() ? MPI_UNDEFINED : 2, "a broadcast, complete");
    mt_free(&request);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    if (!mt_component_is("ucx")) {
        mt_skip("part/ucx only", "threads take partitions as they arrive");
        return mt_end();
    }
    with_openmp = argc > 1 && 0 == strcmp("openmp", argv[1]);
    if (mt_rank() < 2) {
        threads_take_work(PARTITIONS);
        threads_take_work(PARTITIONS / 8);
        threads_take_work(PARTITIONS * 2);
    }
    mt_result("threads take partitions as they arrive, each once");
    step_by_step();
    mt_result("nothing is given before it is there; what is left at the end still is");
    nobody();
    mt_result("where nothing arrives there is nothing to take");
    wrong_use();
    mt_result("wrong requests and arguments give their error classes");
    collective_take_work();
    root_gets_nothing();
    mt_result("threads take partitions of a collective, each once");
    return mt_end();
}
