/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What progress in the background costs where there is nothing to gain. Run it with the helper
 * thread on and off (part_ucx_async) and compare.
 *
 *   alone    a fixed computation, no request active
 *   active   the same computation while a send and a receive are active on each rank and nothing
 *            is ready: a helper thread that exists but has nothing to do
 *   round    start, all partitions ready, wait at once, without computation: nothing to overlap
 *   cpu      processor seconds of both ranks per round, relative to its time (2 = both ranks busy)
 *   switches voluntary context switches of rank 0 per round
 *   overlap  start, all ready, compute, wait
 *   kept     alone / active: the share of its speed that the computation kept
 *   left     how much longer that took than the computation alone: what was not hidden
 */
#include <mpi.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/machine.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {
    {"size", "B", 0},          {"alone", "us", 1},   {"active", "us", 1},
    {"cost", "%", 2},          {"round", "us", 2},   {"cpu", "s/s", 2},
    {"switches", "/round", 2}, {"overlap", "us", 1}, {"left", "us", 1},
    {"kept", "times", 3}};

enum { COLUMNS = 10 };

typedef struct {
    const bench_options_t *options;
    int rank;
    long units; /* of computation */
    bench_channel_t out;
    bench_channel_t in;
    unsigned rounds;
} pair_t;

static volatile double sink;

static double compute(const pair_t *p)
{
    const double begin = bench_now();
    sink = bench_compute(p->units);
    return bench_now() - begin;
}

/* With -c every round has bytes of its own; else only the first. */
static bool is_checked(const pair_t *p)
{
    return p->options->check || 0 == p->rounds;
}

static void start(pair_t *p)
{
    if (is_checked(p)) {
        bench_pattern_fill(p->out.buffer, p->out.size, 2 * p->rounds + (unsigned) p->rank);
    }
    bench_channel_start(&p->in);
    bench_channel_start(&p->out);
}

static void finish(pair_t *p)
{
    bench_channel_wait_pair(&p->out, &p->in);
    if (is_checked(p)) {
        bench_pattern_check(p->in.buffer, p->in.size, 2 * p->rounds + 1 - (unsigned) p->rank);
    }
    ++p->rounds;
}

static double sample_active(pair_t *p)
{
    start(p);
    bench_meet(p->rank);
    const double seconds = compute(p);
    bench_meet(p->rank);
    bench_channel_ready(&p->out);
    finish(p);
    return seconds;
}

static double sample_overlap(pair_t *p)
{
    bench_meet(p->rank);
    const double begin = bench_now();
    start(p);
    bench_channel_ready(&p->out);
    sink = bench_compute(p->units);
    finish(p);
    return bench_now() - begin;
}

/* Seconds per round; also processor time and context switches per round. */
static double sample_rounds(pair_t *p, int rounds, double *cpu, double *switches)
{
    bench_meet(p->rank);
    const bench_process_t before = bench_process_state();
    const double cpu_begin = bench_process_cpu();
    const double begin = bench_now();
    for (int i = 0; i < rounds; ++i) {
        start(p);
        bench_channel_ready(&p->out);
        finish(p);
    }
    const double seconds = bench_now() - begin;
    double mine = bench_process_cpu() - cpu_begin;
    const bench_process_t after = bench_process_state();
    MPI_Allreduce(&mine, cpu, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *cpu /= seconds;
    *switches = (double) (after.voluntary_switches - before.voluntary_switches) / rounds;
    return seconds / rounds;
}

static int choose_rounds(pair_t *p)
{
    double cpu;
    double switches;
    if (0 < p->options->rounds) {
        return p->options->rounds;
    }
    sample_rounds(p, 10, &cpu, &switches);
    double rounds = p->options->batch_ms * 1e-3 / sample_rounds(p, 10, &cpu, &switches);
    MPI_Bcast(&rounds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return (rounds < 1.0) ? 1 : (int) rounds;
}

static void measure(pair_t *p, double *values[6], double *row)
{
    const bench_options_t *o = p->options;
    const int rounds = choose_rounds(p);
    for (int i = -o->warmup; i < o->samples; ++i) {
        const int k = (i < 0) ? 0 : i;
        bench_meet(p->rank);
        values[0][k] = compute(p);
        values[1][k] = sample_active(p);
        values[2][k] = sample_rounds(p, rounds, &values[3][k], &values[4][k]);
        values[5][k] = sample_overlap(p);
    }
    const double alone = bench_stats(values[0], o->samples).median;
    const double active = bench_stats(values[1], o->samples).median;
    const double round = bench_stats(values[2], o->samples).median;
    const double overlap = bench_stats(values[5], o->samples).median;
    row[1] = alone * 1e6;
    row[2] = active * 1e6;
    row[3] = 100.0 * (active / alone - 1.0);
    row[4] = round * 1e6;
    row[5] = bench_stats(values[3], o->samples).median;
    row[6] = bench_stats(values[4], o->samples).median;
    row[7] = overlap * 1e6;
    row[8] = (overlap - alone) * 1e6;
    row[9] = alone / active;
}

static void measure_size(const bench_options_t *options, int rank, size_t size, long units,
                         double *row)
{
    pair_t pair = {.options = options, .rank = rank, .units = units};
    double *values[6];
    for (int i = 0; i < 6; ++i) {
        values[i] = bench_list((size_t) options->samples, sizeof(double));
    }
    const int step = bench_channel_tag_step(options);
    bench_channel_create(&pair.out, options, true, 1 - rank, BENCH_TAG_DATA + rank * step, size);
    bench_channel_create(&pair.in, options, false, 1 - rank, BENCH_TAG_DATA + (1 - rank) * step,
                         size);
    row[0] = (double) size;
    measure(&pair, values, row);
    bench_channel_destroy(&pair.out);
    bench_channel_destroy(&pair.in);
    for (int i = 0; i < 6; ++i) {
        free(values[i]);
    }
}

int main(int argc, char **argv)
{
    double compute_ms = 20.0;
    double row[COLUMNS];
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"compute-ms", BENCH_VALUE_DOUBLE, &compute_ms, "length of the computation"}};
    bench_options_defaults(&options);
    options.program = "part_async_cost";
    options.purpose = "cost of background progress where there is nothing to gain";
    options.max_size = 4u << 20;
    options.size_step = 4;
    options.unused = "wS";
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    /* The same work on both ranks, measured once: the shortest of several tries is undisturbed. */
    double shortest = 1e300;
    for (int i = 0; i < 10; ++i) {
        const double begin = bench_now();
        sink = bench_compute(1000000);
        const double seconds = bench_now() - begin;
        shortest = (seconds < shortest) ? seconds : shortest;
    }
    long units = (long) (1e6 * compute_ms * 1e-3 / shortest);
    MPI_Bcast(&units, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    bench_report_open(&report, rank, &options, columns, COLUMNS);
    for (size_t size = options.min_size; size <= options.max_size;
         size *= (size_t) options.size_step) {
        if (bench_channel_fits_or_says(&options, rank, size)) {
            measure_size(&options, rank, size, units, row);
            bench_report_row(&report, row);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
