/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream of rounds through one or more channels, timed in batches.
 */
#include "stream.h"

#include <mpi.h>
#include <stdlib.h>

#include "channel.h"
#include "pairs.h"
#include "pattern.h"
#include "report.h"
#include "sampling.h"
#include "session.h"
#include "stats.h"
#include "timing.h"

typedef struct {
    const bench_options_t *options;
    int rank;
    bench_channel_t *out; /* window channels, or NULL on a rank that only receives */
    bench_channel_t *in;  /* likewise */
    unsigned first_round; /* of the batch, counted over the whole run: the seed of the pattern */
} stream_t;

static bench_channel_t *create_channels(const stream_t *stream, bool sender, size_t size)
{
    const bench_options_t *o = stream->options;
    const int from = sender ? stream->rank : 1 - stream->rank;
    const int step = bench_channel_tag_step(o);
    bench_channel_t *channels = bench_list((size_t) o->window, sizeof(*channels));
    for (int c = 0; c < o->window; ++c) {
        const int tag = BENCH_TAG_DATA + (from * o->window + c) * step;
        bench_channel_create(&channels[c], o, sender, 1 - stream->rank, tag, size);
    }
    return channels;
}

static void destroy_channels(stream_t *stream, bench_channel_t *channels)
{
    for (int c = 0; NULL != channels && c < stream->options->window; ++c) {
        bench_channel_destroy(&channels[c]);
    }
    free(channels);
}

static void begin_round(stream_t *stream, int round, bool check)
{
    const int c = round % stream->options->window;
    if (NULL != stream->in) {
        bench_channel_start(&stream->in[c]);
    }
    if (NULL != stream->out) {
        bench_channel_t *out = &stream->out[c];
        if (check) {
            bench_pattern_fill(out->buffer, out->size, stream->first_round + (unsigned) round);
        }
        bench_channel_start(out);
        bench_channel_ready(out);
    }
}

static void finish_round(stream_t *stream, int round, bool check)
{
    const int c = round % stream->options->window;
    bench_channel_t *in = (NULL == stream->in) ? NULL : &stream->in[c];
    bench_channel_wait_pair((NULL == stream->out) ? NULL : &stream->out[c], in);
    if (check && NULL != in) {
        bench_pattern_check(in->buffer, in->size, stream->first_round + (unsigned) round);
    }
}

/* The seconds from the first start to rank 1's word that all has arrived, on rank 0. */
static double run_batch(void *context, int rounds, bool check)
{
    stream_t *stream = context;
    const int window = stream->options->window;
    bench_pairs_begin();
    const double begin = bench_now();
    for (int round = 0; round < rounds; ++round) {
        if (round >= window) {
            finish_round(stream, round - window, check);
        }
        begin_round(stream, round, check);
    }
    for (int round = (rounds > window) ? rounds - window : 0; round < rounds; ++round) {
        finish_round(stream, round, check);
    }
    bench_acknowledge(stream->rank);
    stream->first_round += (unsigned) rounds;
    double seconds = bench_now() - begin;
    bench_pairs_slowest(&seconds, 1);
    return seconds;
}

/* Fills seconds with the time of a round in each sample; returns what was run. */
static bench_plan_t measure(const bench_options_t *options, int rank, size_t size, bool both_ways,
                            double *seconds)
{
    stream_t stream = {.options = options, .rank = rank};
    if (0 == rank || both_ways) {
        stream.out = create_channels(&stream, true, size);
    }
    if (1 == rank || both_ways) {
        stream.in = create_channels(&stream, false, size);
    }
    const bench_plan_t plan = bench_sample(options, rank, run_batch, &stream, seconds);
    MPI_Barrier(MPI_COMM_WORLD);
    destroy_channels(&stream, stream.out);
    destroy_channels(&stream, stream.in);
    return plan;
}

enum { COLUMNS = 6 };

static const bench_column_t of_bytes[COLUMNS] = {{"size", "B", 0},     {"median", "MB/s", 2},
                                                 {"p5", "MB/s", 2},    {"p95", "MB/s", 2},
                                                 {"round", "us", 2},   {"rounds", "per sample", 0}};
static const bench_column_t of_partitions[COLUMNS] = {
    {"partition", "B", 0},   {"median", "million/s", 4}, {"p5", "million/s", 4},
    {"p95", "million/s", 4}, {"each", "ns", 1},          {"rounds", "per sample", 0}};

static void print_row(bench_report_t *report, bench_stream_kind_t kind, int partitions, size_t size,
                      size_t total, double *seconds, bench_plan_t plan)
{
    const double directions = (kind.both_ways ? 2.0 : 1.0) * bench_pairs();
    const double bytes = directions * (double) total;
    const double amount = kind.count_partitions ? directions * partitions : bytes;
    const bench_stats_t rate = bench_stats_rate(seconds, plan.samples, amount * 1e-6);
    const double time = kind.count_partitions ? 1e3 / rate.median : bytes / rate.median;
    bench_report_row(report, (double[]){(double) size, rate.median, rate.p5, rate.p95, time,
                                        (double) plan.rounds});
}

int bench_stream_main(bench_options_t *options, bench_stream_kind_t kind, int argc, char **argv)
{
    bench_report_t report;
    options->pairs = true;
    const int rank = bench_begin(options, NULL, 0, argc, argv, false);
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    bench_report_open(&report, rank, options, kind.count_partitions ? of_partitions : of_bytes,
                      COLUMNS);
    for (size_t size = options->min_size; size <= options->max_size; size *= 2) {
        const size_t total = kind.count_partitions ? size * (size_t) options->partitions : size;
        if (bench_channel_fits_or_says(options, rank, total)) {
            const bench_plan_t plan = measure(options, rank, total, kind.both_ways, seconds);
            print_row(&report, kind, options->partitions, size, total, seconds, plan);
        }
    }
    bench_report_close(&report);
    free(seconds);
    return bench_end();
}
