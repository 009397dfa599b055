/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The counters of the paths (MPI_T performance variables): the bytes of all paths together are
 * those of the messages, each sent exactly once (MPICH #5504 sent some twice), the units are
 * counted, and with several network paths all of them carry traffic.
 */

#include "../support/side.h"

#include <stdlib.h>
#include <string.h>

#define TAG        103
#define PARTITIONS 32
#define ITERATIONS 3

static const char *const names[] = {"part_ucx_path_bytes", "part_ucx_path_units",
                                    "part_ucx_path_flushes", "part_ucx_path_messages",
                                    "part_ucx_path_waits"};
#define COUNTERS ((int) (sizeof(names) / sizeof(names[0])))

typedef struct {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle[COUNTERS];
    int elements[COUNTERS];
} counters_t;

static bool find(const char *name, int *index)
{
    return MPI_SUCCESS == MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, index);
}

static void open_counters(counters_t *counters)
{
    int provided = 0;

    memset(counters, 0, sizeof(*counters));
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&counters->session);
    for (int i = 0; i < COUNTERS; i++) {
        int index = -1;
        if (mt_check(find(names[i], &index), "there is no performance variable %s", names[i])) {
            mt_success(MPI_T_pvar_handle_alloc(counters->session, index, NULL, &counters->handle[i],
                                               &counters->elements[i]),
                       "MPI_T_pvar_handle_alloc");
        }
    }
}

static void close_counters(counters_t *counters)
{
    for (int i = 0; i < COUNTERS; i++) {
        if (counters->elements[i] > 0) {
            MPI_T_pvar_handle_free(counters->session, &counters->handle[i]);
        }
    }
    MPI_T_pvar_session_free(&counters->session);
    MPI_T_finalize();
}

/* Sum over the paths; *used: paths that are not 0. */
static unsigned long long read_counter(counters_t *counters, int which, int *used)
{
    unsigned long long sum = 0;

    *used = 0;
    if (counters->elements[which] > 0) {
        unsigned long long *values =
            mt_alloc((size_t) counters->elements[which] * sizeof(unsigned long long));
        mt_success(MPI_T_pvar_read(counters->session, counters->handle[which], values),
                   "MPI_T_pvar_read");
        for (int i = 0; i < counters->elements[which]; i++) {
            sum += values[i];
            *used += values[i] > 0;
        }
        free(values);
    }
    return sum;
}

static void run(counters_t *counters, size_t bytes)
{
    mt_side_t side;
    int used = 0;

    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, bytes, 1, TAG, MPI_COMM_WORLD);
    } else {
        mt_precv(&side, PARTITIONS, bytes, 0, TAG, MPI_COMM_WORLD);
    }
    unsigned long long before = read_counter(counters, 0, &used);
    unsigned long long units = read_counter(counters, 1, &used);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        mt_cycle(&side, iteration);
    }
    unsigned long long sent = read_counter(counters, 0, &used) - before;
    units = read_counter(counters, 1, &used) - units;
    unsigned long long expected = 0 == mt_rank() ? ITERATIONS * PARTITIONS * bytes : 0;
    mt_check(sent == expected, "path_bytes grew by %llu, %llu bytes were sent", sent, expected);
    mt_check((units > 0) == (0 == mt_rank()), "path_units grew by %llu", units);
    mt_drop(&side);
}

int main(int argc, char **argv)
{
    counters_t counters;
    int paths = argc > 1 ? atoi(argv[1]) : 1;
    int used = 0;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    open_counters(&counters);
    mt_result("the performance variables of the paths exist");
    run(&counters, 16);
    mt_result("32 x 16 bytes are counted exactly once");
    run(&counters, 4000);
    mt_result("32 x 4000 bytes are counted exactly once");
    run(&counters, 100000);
    mt_result("32 x 100000 bytes are counted exactly once");
    (void) read_counter(&counters, 0, &used);
    mt_check(0 != mt_rank() || used >= paths, "%d of %d paths carried data", used, paths);
    mt_result("all paths carried data: at least %d", paths);
    close_counters(&counters);
    return mt_end();
}
