/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Early arrival and perceived bandwidth. n threads fill one partition each; all but one are ready
 * at once, one is late by D ms, and until then no thread of either rank is inside MPI (they sleep,
 * or compute with --work spin). A library that moves early partitions meanwhile has only the last
 * one left to send when the late thread comes.
 *
 *   perceived bandwidth = all bytes / (time from the last MPI_Pready to the receiver's word that
 *                         everything has arrived)
 *                         (of several pairs of ranks, the slowest of the round)
 *   there               = share of the buffer that has arrived just before the last MPI_Pready:
 *                         in extra rounds, which are not timed, the sender sends a word, and the
 *                         receiver looks with MPI_Parrived once at each partition. Looks later
 *                         than 0.2 ms after the word do not count, because a look may move data;
 *                         the last MPI_Pready comes 5 ms after the word
 *
 * Modes isend and multi are the programs without partitions: mode isend can send nothing before
 * the last thread is ready, mode multi sends each partition as a message when its thread is ready.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/pairs.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {
    {"total", "B", 0},   {"perceived", "MB/s", 1}, {"p5", "MB/s", 1},    {"p95", "MB/s", 1},
    {"finish", "ms", 3}, {"there", "%", 1},        {"late by", "ms", 1}, {"whole", "ms", 3}};

typedef struct {
    bench_options_t options;
    double delay;        /* seconds */
    bool spin;           /* compute instead of sleeping */
    bool receiver_waits; /* the receiver sits in MPI_Wait instead of computing */
} plan_t;

typedef struct {
    double *finish; /* seconds from the last Pready to the receiver's word */
    double *there;  /* per cent */
    double *whole;  /* seconds from MPI_Start to the receiver's word */
} result_t;

static void pass_time(const plan_t *plan, double deadline)
{
    if (plan->spin) {
        bench_spin_until(deadline);
    } else {
        bench_sleep_until(deadline);
    }
}

/* Marks this thread's partitions; the last partition of the last thread is left to the caller. */
static void mark_share(bench_channel_t *out, int thread, int threads)
{
    const int low = (int) ((long) out->pieces * thread / threads);
    const int high = (int) ((long) out->pieces * (thread + 1) / threads);
    for (int k = low; k < high && k < out->pieces - 1; ++k) {
        bench_channel_ready_one(out, k);
    }
}

/* Before the last partition: in a counting round lets the receiver look first. Returns the time. */
static double announce(bool counting)
{
    char word = 0;
    if (counting) {
        MPI_Send(&word, 1, MPI_CHAR, 1, BENCH_TAG_SYNC, bench_pair);
        bench_sleep_until(bench_now() + 5e-3);
    }
    return bench_now();
}

static void send_round(const plan_t *plan, bench_channel_t *out, bool counting, double *finish,
                       double *whole)
{
    char word = 0;
    double last = 0.0;
    const double begin = bench_now();
    bench_channel_start(out);
#pragma omp parallel num_threads(plan->options.threads)
    {
        const int thread = omp_get_thread_num();
        const bool late = plan->options.threads - 1 == thread;
        if (BENCH_MODE_ISEND != out->mode) {
            mark_share(out, thread, plan->options.threads);
        }
        pass_time(plan, begin + (late ? plan->delay : 0.0));
        if (late && BENCH_MODE_ISEND != out->mode) {
            last = announce(counting);
            bench_channel_ready_one(out, out->pieces - 1);
        }
    }
    if (BENCH_MODE_ISEND == out->mode) {
        /* Every thread is needed, so the message leaves when they have joined. */
        last = announce(counting);
        bench_channel_ready_one(out, 0);
    }
    bench_channel_wait(out);
    MPI_Recv(&word, 1, MPI_CHAR, 1, BENCH_TAG_ACK, bench_pair, MPI_STATUS_IGNORE);
    *finish = bench_now() - last;
    *whole = bench_now() - begin;
}

/* The share of the buffer that is there now, in per cent, found by looking at most once at each. */
static double share_there(bench_channel_t *in)
{
    int count = 0;
    const double deadline = bench_now() + 0.2e-3;
    for (int k = 0; k < in->pieces; ++k) {
        int arrived = 0;
        if (BENCH_MODE_PART == in->mode) {
            MPI_Parrived(in->requests[0], k, &arrived);
        } else {
            MPI_Request_get_status(in->requests[k], &arrived, MPI_STATUS_IGNORE);
        }
        count += (bench_now() <= deadline) ? arrived : 0;
    }
    return 100.0 * (double) count / (double) in->pieces;
}

static void receive_round(const plan_t *plan, bench_channel_t *in, bool counting, double *there)
{
    char word = 0;
    const double begin = bench_now();
    bench_channel_start(in);
    if (!plan->receiver_waits) {
        pass_time(plan, begin + plan->delay);
    }
    if (counting) {
        MPI_Recv(&word, 1, MPI_CHAR, 0, BENCH_TAG_SYNC, bench_pair, MPI_STATUS_IGNORE);
        *there = share_there(in);
    }
    bench_channel_wait(in);
    MPI_Send(&word, 1, MPI_CHAR, 0, BENCH_TAG_ACK, bench_pair);
}

static void run_round(const plan_t *plan, int rank, bench_channel_t *channel, bool counting,
                      result_t *result, int sample)
{
    if (0 == rank) {
        double unused[2];
        send_round(plan, channel, counting, counting ? &unused[0] : &result->finish[sample],
                   counting ? &unused[1] : &result->whole[sample]);
    } else {
        receive_round(plan, channel, counting, &result->there[sample]);
    }
}

/* Every sample is a timed round and a counting round. One before them is always compared. */
static void run_rounds(const plan_t *plan, int rank, bench_channel_t *channel, result_t *result)
{
    const bench_options_t *o = &plan->options;
    const int before = 2 * ((1 > o->warmup) ? 1 : o->warmup);
    for (int i = -before; i < 2 * o->samples; ++i) {
        const int sample = (i < 0) ? 0 : i / 2;
        const bool check = o->check || 0 > i;
        const unsigned seed = (unsigned) (i + before);
        if (0 == rank && check) {
            bench_pattern_fill(channel->buffer, channel->size, seed);
        }
        bench_pairs_begin();
        bench_meet(rank);
        run_round(plan, rank, channel, 0 != (i & 1), result, sample);
        if (1 == rank && check) {
            bench_pattern_check(channel->buffer, channel->size, seed);
        }
    }
}

static void measure(const plan_t *plan, int rank, size_t total, bench_report_t *report)
{
    const bench_options_t *o = &plan->options;
    bench_channel_t channel;
    double *memory = bench_list((size_t) o->samples * 3, sizeof(*memory));
    result_t result = {memory, memory + o->samples, memory + 2 * o->samples};
    bench_channel_create(&channel, o, 0 == rank, 1 - rank, BENCH_TAG_DATA, total);
    run_rounds(plan, rank, &channel, &result);
    bench_channel_destroy(&channel);
    bench_pairs_slowest(result.finish, o->samples);
    bench_pairs_slowest(result.whole, o->samples);
    if (1 == rank) {
        MPI_Send(result.there, o->samples, MPI_DOUBLE, 0, BENCH_TAG_ACK, bench_pair);
    } else {
        MPI_Recv(result.there, o->samples, MPI_DOUBLE, 1, BENCH_TAG_ACK, bench_pair,
                 MPI_STATUS_IGNORE);
        const bench_stats_t there = bench_stats(result.there, o->samples);
        const bench_stats_t whole = bench_stats(result.whole, o->samples);
        const bench_stats_t rate =
            bench_stats_rate(result.finish, o->samples, (double) total * 1e-6);
        bench_report_row(report, (double[]){(double) total, rate.median, rate.p5, rate.p95,
                                            (double) total * 1e-3 / rate.median, there.median,
                                            plan->delay * 1e3, whole.median * 1e3});
    }
    free(memory);
}

int main(int argc, char **argv)
{
    double delay_ms = 80.0;
    plan_t plan = {.spin = false};
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"delay-ms", BENCH_VALUE_DOUBLE, &delay_ms, "how late the last thread is"},
        {"work", BENCH_VALUE_CHOICE, &plan.spin, "what threads do outside MPI: sleep or spin",
         {"sleep", "spin"}},
        {"receiver", BENCH_VALUE_CHOICE, &plan.receiver_waits,
         "outside MPI until the last thread is due, or inside", {"outside", "inside"}}};
    bench_options_defaults(&plan.options);
    plan.options.program = "part_early";
    plan.options.purpose = "early arrival: all bytes / (last MPI_Pready to receiver's word)";
    plan.options.min_size = 8u << 20;
    plan.options.max_size = 8u << 20;
    plan.options.samples = 15;
    plan.options.partitions = 8;
    plan.options.threads = 8;
    plan.options.unused = "rBSw";
    plan.options.pairs = true;
    const int rank = bench_begin(&plan.options, extras, 3, argc, argv, true);
    plan.delay = delay_ms * 1e-3;
    if (0 == rank && bench_pairs_first()) {
        printf("# one thread late by %g ms, the others %s; the receiver is %s MPI meanwhile\n",
               delay_ms, plan.spin ? "compute" : "sleep",
               plan.receiver_waits ? "inside" : "outside");
    }
    bench_report_open(&report, rank, &plan.options, columns,
                      (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t total = plan.options.min_size; total <= plan.options.max_size; total *= 2) {
        if (bench_channel_fits_or_says(&plan.options, rank, total)) {
            measure(&plan, rank, total, &report);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
