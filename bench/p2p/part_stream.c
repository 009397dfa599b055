/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth over time: messages from rank 1 to rank 0 without a pause, for some seconds. Rank 0
 * prints a row as soon as it is known, so that a run that hangs or fails leaves what was before.
 *
 * The requests of the window are in flight together, and end in turn. The bytes of a message count
 * as if they had come evenly since the message before it has ended; so a row need not be a whole
 * number of messages, and a message that is late by seconds is many rows of next to nothing.
 *
 * The first byte of a message says whether it is the last one of its request: only the sender looks
 * at the clock.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {
    {"row", "nth", 0}, {"time", "s", 2}, {"bandwidth", "MB/s", 2}, {"clock", "s", 3}};

enum { MORE = 1, LAST = 2 };

typedef struct {
    const bench_options_t *options;
    bench_report_t *report;
    bool sender;
    bench_channel_t *channels;
    double begin; /* of the stream, by bench_now() */
    double end;
    double width;  /* seconds of a row */
    int rows;      /* that have been printed */
    double since;  /* the end of the message before, or the beginning of the row */
    double amount; /* bytes that have come in the row that is not yet printed */
} stream_t;

/* A message has ended. */
static void count(stream_t *s, double now, double bytes)
{
    const double rate = bytes / (now - s->since);
    double row_end = s->begin + (s->rows + 1) * s->width;
    while (row_end <= now) {
        const double part = rate * (row_end - s->since);
        const double bandwidth = (s->amount + part) * 1e-6 / s->width;
        ++s->rows;
        bench_report_row(s->report, (double[]){(double) s->rows, s->rows * s->width, bandwidth,
                                               row_end});
        bytes -= part;
        s->amount = 0.0;
        s->since = row_end;
        row_end = s->begin + (s->rows + 1) * s->width;
    }
    s->amount += bytes;
    s->since = now;
}

static void begin_round(const stream_t *s, bench_channel_t *channel, int round)
{
    if (s->sender && s->options->check) {
        bench_pattern_fill(channel->buffer + 1, channel->size - 1, (unsigned) round);
    }
    if (s->sender) {
        channel->buffer[0] = (bench_now() < s->end) ? MORE : LAST;
    }
    bench_channel_start(channel);
    if (s->sender) {
        bench_channel_ready(channel);
    }
}

/* Returns whether the channel has had its last round. */
static bool finish_round(stream_t *s, bench_channel_t *channel, int round)
{
    bench_channel_wait(channel);
    if (!s->sender) {
        count(s, bench_now(), (double) channel->size);
    }
    if (!s->sender && s->options->check) {
        bench_pattern_check(channel->buffer + 1, channel->size - 1, (unsigned) round);
    }
    return MORE != channel->buffer[0];
}

/* Once a message has been the last one of its request, so are those that follow it. */
static void run(stream_t *s)
{
    const int window = s->options->window;
    int open = window;
    for (int round = 0; open > 0; ++round) {
        bench_channel_t *channel = &s->channels[round % window];
        if (round >= window && finish_round(s, channel, round - window)) {
            --open;
        } else {
            begin_round(s, channel, round);
        }
    }
}

static void measure(stream_t *s, double seconds)
{
    const int window = s->options->window;
    const int step = bench_channel_tag_step(s->options);
    const int rank = s->sender ? 1 : 0;
    s->channels = bench_list((size_t) window, sizeof(*s->channels));
    for (int c = 0; c < window; ++c) {
        bench_channel_create(&s->channels[c], s->options, s->sender, 1 - rank,
                             BENCH_TAG_DATA + c * step, s->options->min_size);
    }
    bench_meet(rank);
    s->begin = bench_now();
    s->since = s->begin;
    s->end = s->begin + seconds;
    run(s);
    for (int c = 0; c < window; ++c) {
        bench_channel_destroy(&s->channels[c]);
    }
    free(s->channels);
}

int main(int argc, char **argv)
{
    double seconds = 10.0;
    double row_ms = 100.0;
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"seconds", BENCH_VALUE_DOUBLE, &seconds, "how long messages are sent"},
        {"row-ms", BENCH_VALUE_DOUBLE, &row_ms, "milliseconds of a row"}};
    bench_options_defaults(&options);
    options.program = "part_stream";
    options.purpose = "bandwidth over time of a stream of messages (1 MB = 10^6 bytes)";
    options.one_size = true;
    options.unused = "ixrBS";
    options.window = 2;
    options.min_size = 8u << 20;
    options.max_size = 8u << 20;
    const int rank = bench_begin(&options, extras, 2, argc, argv, false);
    bench_channel_must_fit(&options, options.min_size);
    stream_t stream = {.options = &options, .report = &report, .sender = 1 == rank,
                       .width = ((row_ms < 1.0) ? 1.0 : row_ms) * 1e-3};
    bench_report_open(&report, rank, &options, columns, sizeof(columns) / sizeof(*columns));
    measure(&stream, seconds);
    bench_report_close(&report);
    return bench_end();
}
