/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S52. Correct at every thread level: the level is the first argument. FUNNELED has a second
 * thread that fills partitions and lets the main thread mark them; SERIALIZED has threads that
 * take turns in MPI; MULTIPLE has threads in MPI at the same time.
 */

#include "../support/side.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define TAG        52
#define PARTITIONS 12
#define BYTES      3000
#define ITERATIONS 10

typedef struct {
    mt_side_t side;
    int iteration;
    int level;
    int filled[PARTITIONS];
    pthread_mutex_t turn;
} shared_t;

static void funneled(int thread, void *argument)
{
    shared_t *shared = argument;

    for (int p = 0; p < PARTITIONS; p++) {
        if (1 == thread) {
            mt_side_fill(&shared->side, p, shared->iteration);
            __atomic_store_n(&shared->filled[p], 1, __ATOMIC_RELEASE);
            continue;
        }
        while (0 == __atomic_load_n(&shared->filled[p], __ATOMIC_ACQUIRE)) {
            sched_yield();
        }
        mt_ready(&shared->side, p);
    }
}

static void serialized(int thread, void *argument)
{
    shared_t *shared = argument;

    for (int p = thread; p < PARTITIONS; p += 2) {
        mt_side_fill(&shared->side, p, shared->iteration);
        pthread_mutex_lock(&shared->turn);
        mt_ready(&shared->side, p);
        pthread_mutex_unlock(&shared->turn);
    }
}

static void multiple(int thread, void *argument)
{
    shared_t *shared = argument;

    for (int p = thread; p < PARTITIONS; p += 2) {
        mt_send_partition(&shared->side, p, shared->iteration);
    }
}

static void send(shared_t *shared)
{
    memset(shared->filled, 0, sizeof(shared->filled));
    if (MPI_THREAD_SINGLE == shared->level) {
        mt_send_partition(&shared->side, -1, shared->iteration);
    } else if (MPI_THREAD_FUNNELED == shared->level) {
        mt_team(2, funneled, shared);
    } else if (MPI_THREAD_SERIALIZED == shared->level) {
        mt_team(2, serialized, shared);
    } else {
        mt_team(2, multiple, shared);
    }
    mt_finish(&shared->side.request, MPI_STATUS_IGNORE);
}

/* One thread looks at the even partitions, another one at the odd ones, as far as the level
 * lets them. */
static void look(int thread, void *argument)
{
    shared_t *shared = argument;
    bool serial = MPI_THREAD_SERIALIZED == shared->level;

    for (int p = thread; p < PARTITIONS; p += 2) {
        bool there = false;
        while (!there) {
            if (serial) {
                pthread_mutex_lock(&shared->turn);
            }
            there = mt_arrived(shared->side.request, p);
            if (serial) {
                pthread_mutex_unlock(&shared->turn);
            }
            sched_yield();
        }
        mt_side_verify(&shared->side, p, shared->iteration);
    }
}

static void receive(shared_t *shared)
{
    if (shared->level >= MPI_THREAD_SERIALIZED) {
        mt_team(2, look, shared);
    } else {
        look(0, shared);
        look(1, shared);
    }
    mt_finish(&shared->side.request, MPI_STATUS_IGNORE);
}

static int level_named(const char *name)
{
    return 0 == strcmp(name, "single")       ? MPI_THREAD_SINGLE
           : 0 == strcmp(name, "funneled")   ? MPI_THREAD_FUNNELED
           : 0 == strcmp(name, "serialized") ? MPI_THREAD_SERIALIZED
                                             : MPI_THREAD_MULTIPLE;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "single";
    shared_t shared = {.level = level_named(name), .turn = PTHREAD_MUTEX_INITIALIZER};

    mt_begin(&argc, &argv, shared.level, 2);
    mt_one_way(&shared.side, PARTITIONS, BYTES, TAG, MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        shared.iteration = iteration;
        mt_start(&shared.side);
        if (0 == mt_rank()) {
            send(&shared);
        } else {
            receive(&shared);
        }
    }
    mt_drop(&shared.side);
    mt_result("thread level %s", name);
    return mt_end();
}
