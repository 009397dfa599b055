/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What channels cost besides moving data: the init calls, the first round, a later round, the free
 * calls, and memory, for 1 to 1024 channels at a time. The very first channel of the process, which
 * also pays for what the library makes once, is told in a line of its own. Times are those of rank
 * 0, the sender, medians of -i repetitions, divided by the number of channels; the rounds end with
 * the receiver's word that all is there. A cycle is init, one round and free.
 * Memory is what the sender and the receiver hold more after these rounds than before the init
 * calls, without the buffers, which are allocated before.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/machine.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {{"channels", "count", 0},    {"init", "us each", 2},
                                         {"1st round", "us each", 2}, {"round", "us each", 2},
                                         {"free", "us each", 2},      {"cycle", "us each", 2},
                                         {"heap send", "B each", 0},  {"heap recv", "B each", 0},
                                         {"RSS send", "B each", 0},   {"RSS recv", "B each", 0}};

enum { COLUMNS = 10 };

typedef struct {
    const bench_options_t *options;
    int rank;
    int channels;
    size_t piece_bytes;
    char *buffer; /* all channels, one after the other */
    MPI_Request *requests;
    double *seconds; /* of each repetition of init, round, free, and all three */
    unsigned rounds;
} batch_t;

static void init_all(batch_t *b)
{
    const int partitions = (0 == b->rank) ? b->options->partitions : b->options->recv_partitions;
    const size_t total = b->piece_bytes * (size_t) b->options->partitions;
    const MPI_Count count = (MPI_Count) (total / (size_t) partitions);
    for (int c = 0; c < b->channels; ++c) {
        char *buffer = b->buffer + (size_t) c * total;
        if (0 == b->rank) {
            MPI_Psend_init(buffer, partitions, count, MPI_BYTE, 1, BENCH_TAG_DATA + c,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &b->requests[c]);
        } else {
            MPI_Precv_init(buffer, partitions, count, MPI_BYTE, 0, BENCH_TAG_DATA + c,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &b->requests[c]);
        }
    }
}

/*
 * MPI_Start one by one and not MPI_Startall: Open MPI's part/persist starts only some of several
 * sends given to MPI_Startall.
 */
static void round_all(batch_t *b)
{
    /* Without -c one that is not timed: the second one. */
    const bool check = b->options->check || 1 == b->rounds;
    const size_t bytes = (size_t) b->channels * b->piece_bytes * (size_t) b->options->partitions;
    if (0 == b->rank && check) {
        bench_pattern_fill(b->buffer, bytes, b->rounds);
    }
    for (int c = 0; c < b->channels; ++c) {
        MPI_Start(&b->requests[c]);
    }
    for (int c = 0; 0 == b->rank && c < b->channels; ++c) {
        MPI_Pready_range(0, b->options->partitions - 1, b->requests[c]);
    }
    MPI_Waitall(b->channels, b->requests, MPI_STATUSES_IGNORE);
    if (1 == b->rank && check) {
        bench_pattern_check(b->buffer, bytes, b->rounds);
    }
    ++b->rounds;
    bench_acknowledge(b->rank);
}

static void free_all(batch_t *b)
{
    for (int c = 0; c < b->channels; ++c) {
        MPI_Request_free(&b->requests[c]);
    }
}

static double timed(batch_t *b, void (*step)(batch_t *))
{
    bench_meet(b->rank);
    const double begin = bench_now();
    step(b);
    return bench_now() - begin;
}

static double later_round(batch_t *b)
{
    const int repeats = b->options->samples;
    for (int i = 0; i < repeats; ++i) {
        b->seconds[i] = timed(b, round_all);
    }
    return bench_stats(b->seconds, repeats).median;
}

/* Channels made anew each time; the medians of init, first round, free and all three. */
static void cycles(batch_t *b, double medians[4])
{
    const int repeats = b->options->samples;
    double *seconds[4];
    for (int k = 0; k < 4; ++k) {
        seconds[k] = b->seconds + (size_t) k * (size_t) repeats;
    }
    for (int i = 0; i < repeats; ++i) {
        seconds[0][i] = timed(b, init_all);
        seconds[1][i] = timed(b, round_all);
        seconds[2][i] = timed(b, free_all);
        seconds[3][i] = seconds[0][i] + seconds[1][i] + seconds[2][i];
    }
    for (int k = 0; k < 4; ++k) {
        medians[k] = bench_stats(seconds[k], repeats).median;
    }
}

/* The receiver's growth in memory, on rank 0. */
static void exchange_memory(int rank, const long mine[2], long receiver[2])
{
    if (0 == rank) {
        MPI_Recv(receiver, 2, MPI_LONG, 1, BENCH_TAG_COUNTERS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(mine, 2, MPI_LONG, 0, BENCH_TAG_COUNTERS, MPI_COMM_WORLD);
    }
}

static void measure(batch_t *b, double *row)
{
    const double n = (double) b->channels;
    long receiver[2] = {0, 0};
    double medians[4];
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    const bench_process_t before = bench_process_state();
    init_all(b);
    round_all(b);
    const double later = later_round(b);
    const bench_process_t after = bench_process_state();
    free_all(b);
    const long mine[2] = {after.heap_bytes - before.heap_bytes,
                          after.resident_bytes - before.resident_bytes};
    cycles(b, medians);
    exchange_memory(b->rank, mine, receiver);
    row[0] = n;
    row[1] = medians[0] * 1e6 / n;
    row[2] = medians[1] * 1e6 / n;
    row[3] = later * 1e6 / n;
    row[4] = medians[2] * 1e6 / n;
    row[5] = medians[3] * 1e6 / n;
    row[6] = (double) mine[0] / n;
    row[7] = (double) receiver[0] / n;
    row[8] = (double) mine[1] / n;
    row[9] = (double) receiver[1] / n;
}

/* What the library makes once and keeps is made here, and told apart from the rest. */
static void first_channel(batch_t *b)
{
    b->channels = 1;
    const bench_process_t before = bench_process_state();
    const double init = timed(b, init_all);
    const double round = timed(b, round_all);
    const bench_process_t after = bench_process_state();
    const double release = timed(b, free_all);
    if (0 == b->rank) {
        printf("# first channel of the process: init %.0f us, first round %.0f us, free %.0f us, "
               "heap %.1f KiB, RSS %.1f KiB\n",
               init * 1e6, round * 1e6, release * 1e6,
               (double) (after.heap_bytes - before.heap_bytes) / 1024.0,
               (double) (after.resident_bytes - before.resident_bytes) / 1024.0);
    }
}

int main(int argc, char **argv)
{
    int most = 1024;
    double row[COLUMNS];
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"channels", BENCH_VALUE_INT, &most, "most channels at a time, doubled from 1"}};
    bench_options_defaults(&options);
    options.program = "part_setup";
    options.purpose = "cost of channels besides the data: init, first round, free, memory";
    options.size_means = "bytes of a partition";
    options.one_size = true;
    options.unused = "xrBStwME";
    options.samples = 10;
    options.min_size = 1024;
    options.max_size = 1024;
    options.partitions = 8;
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    if (1 > most) {
        bench_refuse(options.program, "--channels wants one at least");
    }
    bench_channel_must_fit(&options, options.min_size * (size_t) options.partitions);
    batch_t batch = {.options = &options, .rank = rank, .piece_bytes = options.min_size};
    batch.buffer = bench_buffer((size_t) most * options.min_size * (size_t) options.partitions);
    batch.requests = bench_list((size_t) most, sizeof(*batch.requests));
    batch.seconds = bench_list(4 * (size_t) options.samples, sizeof(*batch.seconds));
    first_channel(&batch);
    bench_report_open(&report, rank, &options, columns, COLUMNS);
    for (batch.channels = 1; batch.channels <= most; batch.channels *= 2) {
        measure(&batch, row);
        bench_report_row(&report, row);
    }
    bench_report_close(&report);
    free(batch.seconds);
    free(batch.requests);
    free(batch.buffer);
    return bench_end();
}
