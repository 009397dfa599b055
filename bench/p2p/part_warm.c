/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first rounds of a channel: how long the init call and each of the first rounds last, until
 * rounds are as short as they become. Channels of one pair of ranks are made one after the other
 * and kept, so that the first one of the process, the second one and later ones can be compared;
 * each runs all its rounds before the next is made.
 *
 * A round begins where the one before has ended, and ends when MPI_Wait of the receiver has
 * returned: the data are there. Nothing else is sent between the rounds. The first round begins
 * when both sides have returned from their init call. Of the init calls the longer one counts; it
 * is printed as round 0. Rounds are printed in groups, with their mean. Another round, which is not
 * timed, has its bytes compared.
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
    {"channel", "nth", 0}, {"first", "round", 0}, {"last", "round", 0}, {"time", "us each", 3}};

/* The last round of each group. */
static const int groups[] = {1, 2, 4, 7, 10, 15, 22, 30, 40, 70, 120, 200, 350, 500};

enum { GROUPS = sizeof(groups) / sizeof(*groups) };

/* Until the start of the job is over, and mpirun sleeps. */
static const double SETTLE_SECONDS = 0.1;

typedef struct {
    const bench_options_t *options;
    bench_report_t *report;
    int rank;
} warm_t;

/* A channel that is shown: seconds[k] is of round k, seconds[0] of the init call. */
typedef struct {
    int nth;
    double *seconds;
} course_t;

/* Where bytes are compared, the round begins when they have been filled in. */
static double run_round(const warm_t *w, bench_channel_t *channel, int round, bool check)
{
    if (0 == w->rank && check) {
        bench_pattern_fill(channel->buffer, channel->size, (unsigned) round);
    }
    if (check) {
        bench_meet(w->rank);
    }
    const double begin = bench_now();
    bench_channel_start(channel);
    if (0 == w->rank) {
        bench_channel_ready(channel);
    }
    bench_channel_wait(channel);
    const double seconds = bench_now() - begin;
    if (1 == w->rank && check) {
        bench_pattern_check(channel->buffer, channel->size, (unsigned) round);
    }
    return seconds;
}

static void run_channel(const warm_t *w, bench_channel_t *channel, const course_t *course)
{
    const bench_options_t *o = w->options;
    bench_meet(w->rank);
    bench_channel_create(channel, o, 0 == w->rank, 1 - w->rank, BENCH_TAG_DATA + course->nth,
                         o->min_size);
    course->seconds[0] = channel->init_seconds;
    bench_meet(w->rank);
    for (int round = 1; round <= o->rounds; ++round) {
        course->seconds[round] = run_round(w, channel, round, o->check);
    }
    (void) run_round(w, channel, o->rounds + 1, true);
}

static void print_group(const warm_t *w, const course_t *course, int first, int last)
{
    double sum = 0.0;
    for (int round = first; round <= last; ++round) {
        sum += course->seconds[round];
    }
    bench_report_row(w->report, (double[]){(double) course->nth, (double) first, (double) last,
                                           sum * 1e6 / (double) (last - first + 1)});
}

static void print_course(const warm_t *w, const course_t *course)
{
    int first = 1;
    print_group(w, course, 0, 0);
    for (int i = 0; i <= GROUPS && first <= w->options->rounds; ++i) {
        const bool rest = GROUPS == i || groups[i] > w->options->rounds;
        const int last = rest ? w->options->rounds : groups[i];
        print_group(w, course, first, last);
        first = last + 1;
    }
}

/* To rank 0: what the receiver has measured, and the longer one of the init calls. */
static void collect(const warm_t *w, const course_t *course)
{
    const double init = bench_most(course->seconds[0]);
    const int count = w->options->rounds + 1;
    if (1 == w->rank) {
        MPI_Send(course->seconds, count, MPI_DOUBLE, 0, BENCH_TAG_ACK, MPI_COMM_WORLD);
    } else {
        MPI_Recv(course->seconds, count, MPI_DOUBLE, 1, BENCH_TAG_ACK, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    course->seconds[0] = init;
}

/* Nothing is printed before the end: mpirun, which carries it, would need a processor. */
static void measure(const warm_t *w, int most)
{
    const size_t length = (size_t) w->options->rounds + 1;
    bench_channel_t *channels = bench_list((size_t) most, sizeof(*channels));
    double *seconds = bench_list(length * (size_t) most, sizeof(*seconds));
    bench_sleep_until(bench_now() + SETTLE_SECONDS);
    for (int c = 0; c < most; ++c) {
        run_channel(w, &channels[c], &(course_t){c + 1, seconds + (size_t) c * length});
    }
    for (int c = 0; c < most; ++c) {
        const course_t course = {c + 1, seconds + (size_t) c * length};
        bench_channel_destroy(&channels[c]);
        if (c < 2 || c == most - 1) {
            collect(w, &course);
            print_course(w, &course);
        }
    }
    free(seconds);
    free(channels);
}

int main(int argc, char **argv)
{
    int most = 10;
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"channels", BENCH_VALUE_INT, &most, "channels; the first two and the last are shown"}};
    bench_options_defaults(&options);
    options.program = "part_warm";
    options.purpose = "the first rounds of a channel: its init call, and the time of each round";
    options.one_size = true;
    options.unused = "ixBSwM";
    options.rounds = 1000;
    options.min_size = 16384;
    options.max_size = 16384;
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    if (1 > most) {
        bench_refuse(options.program, "--channels wants one at least");
    }
    bench_channel_must_fit(&options, options.min_size);
    const warm_t warm = {.options = &options, .report = &report, .rank = rank};
    bench_report_open(&report, rank, &options, columns, sizeof(columns) / sizeof(*columns));
    measure(&warm, most);
    bench_report_close(&report);
    return bench_end();
}
