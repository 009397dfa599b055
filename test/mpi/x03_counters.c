/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The counters of the paths (MPI_T performance variables): the bytes of all paths together are
 * those of the messages, each sent exactly once (MPICH #5504 sent some twice); units, messages,
 * flushes and waits are what they must be on the sending side, and 0 on the receiving one; with
 * several network paths all of them carry traffic.
 *
 * Arguments: the number of paths that must carry data; and, for jobs whose variables say that every
 * partition is a unit, delivered by this method, and that there is no helper thread: message, flush
 * or chained. Then the numbers are known exactly.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#include <stdlib.h>
#include <string.h>

#define TAG        103
#define PARTITIONS 32
#define ITERATIONS 3

enum { BYTES, UNITS, FLUSHES, MESSAGES, WAITS, COUNTERS };

static const char *const names[COUNTERS] = {"part_ucx_path_bytes", "part_ucx_path_units",
                                            "part_ucx_path_flushes", "part_ucx_path_messages",
                                            "part_ucx_path_waits"};

/* How the job delivers, if the numbers are exact; else "". */
static const char *method = "";

static bool is_method(const char *name)
{
    return 0 == strcmp(name, method);
}

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

static void read_all(counters_t *counters, unsigned long long values[COUNTERS])
{
    int used = 0;

    for (int i = 0; i < COUNTERS; i++) {
        values[i] = read_counter(counters, i, &used);
    }
}

/* The sender marks after the receiver is known to have started, or before it has. */
static void cycle(mt_side_t *side, int iteration, bool late)
{
    if (side->sending || !late) {
        mt_start(side);
    }
    if (side->sending && !late) {
        mt_success(MPIX_Pbuf_prepare(&side->request), "MPIX_Pbuf_prepare");
    }
    if (side->sending) {
        mt_side_fill(side, -1, iteration);
        mt_ready(side, -1);
    }
    mt_sync();
    if (!side->sending && late) {
        mt_start(side);
    }
    mt_finish(&side->request, MPI_STATUS_IGNORE);
    if (!side->sending) {
        mt_side_verify(side, -1, iteration);
    }
}

/* How much the counters of the sender have grown. */
static void check_growth(const unsigned long long grown[COUNTERS], size_t bytes, bool late)
{
    unsigned long long partitions = ITERATIONS * PARTITIONS;
    unsigned long long flags = grown[MESSAGES] - grown[UNITS];

    mt_check(grown[BYTES] == partitions * bytes, "path_bytes grew by %llu, %llu bytes were sent",
             grown[BYTES], partitions * bytes);
    mt_check(grown[UNITS] > 0, "path_units did not grow");
    /* A unit is one message, or a put and at most one flag put; flags follow flushes. */
    mt_check(grown[MESSAGES] >= grown[UNITS] && flags <= grown[UNITS] && grown[FLUSHES] <= flags,
             "path_messages grew by %llu, path_flushes by %llu, path_units by %llu",
             grown[MESSAGES], grown[FLUSHES], grown[UNITS]);
    mt_check(grown[WAITS] <= grown[UNITS], "path_waits grew by %llu, path_units by %llu",
             grown[WAITS], grown[UNITS]);
    if (!is_method("")) {
        mt_check(grown[UNITS] == partitions, "path_units grew by %llu for %llu partitions",
                 grown[UNITS], partitions);
        mt_check(grown[WAITS] == (late ? partitions : 0),
                 "path_waits grew by %llu when the receiver %s", grown[WAITS],
                 late ? "had not started" : "was known to have started");
        mt_check(is_method("flush") ? grown[FLUSHES] >= ITERATIONS : 0 == grown[FLUSHES],
                 "path_flushes grew by %llu", grown[FLUSHES]);
        mt_check(is_method("message") ? 0 == flags : flags >= ITERATIONS,
                 "path_messages grew by %llu for %llu units", grown[MESSAGES], grown[UNITS]);
    }
}

static void run(counters_t *counters, size_t bytes, bool late)
{
    unsigned long long before[COUNTERS];
    unsigned long long grown[COUNTERS];
    mt_side_t side;

    mt_one_way(&side, PARTITIONS, bytes, TAG, MPI_COMM_WORLD);
    read_all(counters, before);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        cycle(&side, iteration, late);
    }
    read_all(counters, grown);
    for (int i = 0; i < COUNTERS; i++) {
        grown[i] -= before[i];
        mt_check(side.sending || 0 == grown[i], "%s of the receiver grew by %llu", names[i],
                 grown[i]);
    }
    if (side.sending) {
        check_growth(grown, bytes, late);
    }
    mt_drop(&side);
    mt_result("32 x %zu bytes are counted exactly once, %s", bytes,
              late ? "marked before the receiver has started" : "with a receiver that has started");
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 4000, 100000};
    counters_t counters;
    int paths = argc > 1 ? atoi(argv[1]) : 1;
    int used = 0;

    method = argc > 2 ? argv[2] : "";
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    open_counters(&counters);
    mt_result("the performance variables of the paths exist");
    for (int i = 0; i < 3; i++) {
        run(&counters, sizes[i], false);
        run(&counters, sizes[i], true);
    }
    (void) read_counter(&counters, BYTES, &used);
    mt_check(0 != mt_rank() || used >= paths, "%d of %d paths carried data", used, paths);
    mt_result("all paths carried data: at least %d", paths);
    close_counters(&counters);
    return mt_end();
}
