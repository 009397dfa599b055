/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost of polling MPI_Parrived (figure 5 of the paper): n threads, thread k asks 1000 times for
 * partition k, all at the same time. "before": the sender is held back and marks nothing ready
 * until the polling is over; "after": everything has arrived and the receive is still active.
 *
 * The time of a sample is the wall time from the first thread's first poll to the last thread's
 * last one, divided by all polls (n x 1000): what one poll costs the process as a whole. Next to
 * it stands the processor time the polling threads used per poll, and the wall time of the same
 * loop around an empty function, which is what the harness and the waking of n threads cost.
 */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {
    {"threads", "count", 0},    {"before", "ns/poll", 2},    {"p5", "ns/poll", 2},
    {"p95", "ns/poll", 2},      {"cpu", "ns/poll", 2},       {"after", "ns/poll", 2},
    {"p5 after", "ns/poll", 2}, {"p95 after", "ns/poll", 2}, {"cpu after", "ns/poll", 2},
    {"empty", "ns/poll", 2},    {"wrong", "polls", 0}};

enum { PHASE_EMPTY, PHASE_BEFORE, PHASE_AFTER, PHASES };

typedef struct {
    double *wall[PHASES]; /* ns per poll, one value per sample */
    double *cpu[PHASES];
    long wrong; /* polls that gave the answer that cannot be right */
} result_t;

typedef int (*poll_function_t)(MPI_Request request, int partition, int *flag);

/* Not inlined, so that the empty loop makes the calls that the others make. */
__attribute__((noinline)) static int poll_nothing(MPI_Request request, int partition, int *flag)
{
    (void) request;
    (void) partition;
    __asm__ volatile("" ::: "memory");
    *flag = 0;
    return MPI_SUCCESS;
}

/* Returns how many polls were true; wall and cpu get ns per poll. */
static long poll_all(poll_function_t poll, MPI_Request request, int threads, int polls,
                     double *wall, double *cpu)
{
    double first = 1e300;
    double last = 0.0;
    double used = 0.0;
    long hits = 0;
#pragma omp parallel num_threads(threads) reduction(min : first) reduction(max : last)             \
    reduction(+ : used, hits)
    {
        const int partition = omp_get_thread_num();
        int flag = 0;
#pragma omp barrier
        const double cpu_begin = bench_thread_cpu();
        first = bench_now();
        for (int i = 0; i < polls; ++i) {
            poll(request, partition, &flag);
            hits += flag;
        }
        last = bench_now();
        used = bench_thread_cpu() - cpu_begin;
    }
    const double total = (double) threads * (double) polls;
    *wall = (last - first) * 1e9 / total;
    *cpu = used * 1e9 / total;
    return hits;
}

static void receive_sample(bench_channel_t *in, int threads, int polls, result_t *result,
                           int sample, unsigned seed)
{
    const long total = (long) threads * (long) polls;
    poll_all(poll_nothing, in->requests[0], threads, polls, &result->wall[PHASE_EMPTY][sample],
             &result->cpu[PHASE_EMPTY][sample]);
    bench_channel_start(in);
    bench_meet_asleep(1);
    result->wrong +=
        poll_all(MPI_Parrived, in->requests[0], threads, polls, &result->wall[PHASE_BEFORE][sample],
                 &result->cpu[PHASE_BEFORE][sample]);
    bench_meet_asleep(1);
    for (int k = 0; k < in->pieces; ++k) {
        int arrived = 0;
        while (!arrived) {
            MPI_Parrived(in->requests[0], k, &arrived);
        }
    }
    bench_meet_asleep(1);
    result->wrong +=
        total
        - poll_all(MPI_Parrived, in->requests[0], threads, polls,
                   &result->wall[PHASE_AFTER][sample], &result->cpu[PHASE_AFTER][sample]);
    bench_channel_wait(in);
    bench_pattern_check(in->buffer, in->size, seed);
}

static void send_sample(bench_channel_t *out, unsigned seed)
{
    bench_pattern_fill(out->buffer, out->size, seed);
    bench_channel_start(out);
    bench_meet_asleep(0);
    /* Asleep here while rank 1 polls in vain. */
    bench_meet_asleep(0);
    bench_channel_ready(out);
    bench_channel_wait(out);
    /* Asleep here while rank 1 polls what has arrived. */
    bench_meet_asleep(0);
}

static void send_row(result_t *result, int samples, int threads)
{
    double row[11];
    bench_stats_t wall[PHASES];
    bench_stats_t cpu[PHASES];
    for (int phase = 0; phase < PHASES; ++phase) {
        wall[phase] = bench_stats(result->wall[phase], samples);
        cpu[phase] = bench_stats(result->cpu[phase], samples);
    }
    row[0] = threads;
    row[1] = wall[PHASE_BEFORE].median;
    row[2] = wall[PHASE_BEFORE].p5;
    row[3] = wall[PHASE_BEFORE].p95;
    row[4] = cpu[PHASE_BEFORE].median;
    row[5] = wall[PHASE_AFTER].median;
    row[6] = wall[PHASE_AFTER].p5;
    row[7] = wall[PHASE_AFTER].p95;
    row[8] = cpu[PHASE_AFTER].median;
    row[9] = wall[PHASE_EMPTY].median;
    row[10] = (double) result->wrong;
    MPI_Send(row, 11, MPI_DOUBLE, 0, BENCH_TAG_ACK, MPI_COMM_WORLD);
}

static void measure(const bench_options_t *options, int rank, int threads, int polls)
{
    bench_options_t o = *options;
    bench_channel_t channel;
    result_t result = {.wrong = 0};
    double *memory = bench_list((size_t) o.samples * 2 * PHASES, sizeof(*memory));
    for (int phase = 0; phase < PHASES; ++phase) {
        result.wall[phase] = memory + (size_t) (2 * phase) * (size_t) o.samples;
        result.cpu[phase] = result.wall[phase] + o.samples;
    }
    o.partitions = threads;
    o.recv_partitions = threads;
    o.threads = 1;
    bench_channel_create(&channel, &o, 0 == rank, 1 - rank, BENCH_TAG_DATA,
                         o.min_size * (size_t) threads);
    for (int i = 0; i < o.warmup + o.samples; ++i) {
        const int sample = (i < o.warmup) ? 0 : i - o.warmup;
        if (0 == rank) {
            send_sample(&channel, (unsigned) i);
        } else {
            receive_sample(&channel, threads, polls, &result, sample, (unsigned) i);
        }
    }
    bench_channel_destroy(&channel);
    if (1 == rank) {
        send_row(&result, o.samples, threads);
    }
    free(memory);
}

int main(int argc, char **argv)
{
    int polls = 1000;
    int lowest = 1;
    double row[11];
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"polls", BENCH_VALUE_INT, &polls, "polls of each thread in a sample"},
        {"min-threads", BENCH_VALUE_INT, &lowest, "threads to begin with, doubled up to -t"}};
    bench_options_defaults(&options);
    options.program = "part_parrived";
    options.purpose = "cost of polling: wall time of all threads together / (threads x polls)";
    options.size_means = "bytes of a partition";
    options.one_size = true;
    options.unused = "rBSpPwM";
    options.shape = "mode part, as many partitions as threads";
    options.min_size = 64;
    options.max_size = 64;
    options.samples = 100;
    options.warmup = 5;
    options.threads = 128;
    const int rank = bench_begin(&options, extras, 2, argc, argv, true);
    if (1 > lowest || 1 > polls) {
        bench_refuse(options.program, "polls at least once, with one thread");
    }
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (int threads = lowest; threads <= options.threads; threads *= 2) {
        measure(&options, rank, threads, polls);
        if (0 == rank) {
            MPI_Recv(row, 11, MPI_DOUBLE, 1, BENCH_TAG_ACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            bench_report_row(&report, row);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
