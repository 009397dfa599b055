/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Computing, reducing and consuming partition by partition. The partitions of an allreduce are
 * computed one after the other; each sum is consumed, as a next step of the program would.
 *
 *   mode part   a partition is marked ready as soon as it is computed, and consumed as soon as its
 *               sum has arrived (MPIX_Parrived_any). With one thread that thread consumes what has
 *               arrived between two computations, and the rest at the end; with more, the first
 *               computes and the others consume.
 *   mode mpi    all partitions are computed, then MPI_Allreduce, then all sums are consumed, by as
 *               many threads as consume in mode part.
 *
 * All computations together last as long as the transfer: as the wire needs for it
 * (--rate-mbit, of all paths of a host together), or --compute-ms. They are simulated by sleeping,
 * as many ranks share few cores here, or with --work spin by a busy thread; no thread is inside MPI
 * meanwhile. Consuming looks at a value of each cache line, and lasts --consume times as long as
 * computing.
 */
#include <mpi.h>
#include <mpix_partitioned.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"
#include "collective.h"

enum { FLOATS_PER_LINE = 16 };

static const bench_column_t columns[] = {{"total", "B", 0},    {"time", "ms", 2},
                                         {"p5", "ms", 2},      {"p95", "ms", 2},
                                         {"compute", "ms", 2}, {"consume", "ms", 2},
                                         {"other", "ms", 2}};

typedef struct {
    bench_options_t options;
    double rate;     /* bytes per second of a host; 0 = compute_seconds is fixed */
    double fixed;    /* seconds of all computations, when no rate is given */
    double consume;  /* times the computing */
    bool spin;       /* compute instead of sleeping */
    double compute;  /* seconds of all computations of the size that is measured */
    volatile float seen; /* keeps the looks at the values */
} course_t;

static void pass_time(const course_t *course, double seconds)
{
    if (course->spin) {
        bench_spin_until(bench_now() + seconds);
    } else {
        bench_sleep_until(bench_now() + seconds);
    }
}

static double share(const course_t *course)
{
    return course->compute / (double) course->options.partitions;
}

static int consumers(const course_t *course)
{
    return (1 == course->options.threads) ? 1 : course->options.threads - 1;
}

static void consume(course_t *course, const bench_collective_t *collective, int partition)
{
    const size_t count = (size_t) collective->count;
    const float *first = collective->in + (size_t) partition * count;
    float sum = 0.0f;
    for (size_t i = 0; i < count; i += FLOATS_PER_LINE) {
        sum += first[i];
    }
#pragma omp atomic write
    course->seen = sum;
    if (0.0 < course->consume) {
        pass_time(course, course->consume * share(course));
    }
}

/* Consumes a partition that has arrived; false when all of them have been. */
static bool consume_any(course_t *course, bench_collective_t *collective, bool *found)
{
    int partition = MPI_UNDEFINED;
    int flag = 0;
    MPIX_Parrived_any(collective->request, &partition, &flag);
    *found = flag && MPI_UNDEFINED != partition;
    if (*found) {
        consume(course, collective, partition);
    }
    return !flag || *found;
}

/* Consumes all that is left; a thread that finds nothing leaves the core to the others. */
static void consume_rest(course_t *course, bench_collective_t *collective)
{
    bool found = false;
    while (consume_any(course, collective, &found)) {
        if (!found) {
            bench_sleep_until(bench_now() + 50e-6);
        }
    }
}

/* Consumes what has arrived already. */
static void consume_arrived(course_t *course, bench_collective_t *collective)
{
    bool found = true;
    while (found) {
        consume_any(course, collective, &found);
    }
}

static void compute_all(course_t *course, bench_collective_t *collective, bool alone)
{
    for (int k = 0; k < collective->partitions; ++k) {
        pass_time(course, share(course));
        if (BENCH_MODE_PART == collective->mode) {
            MPI_Pready(k, collective->request);
            if (alone) {
                consume_arrived(course, collective);
            }
        }
    }
}

static void round_part(course_t *course, bench_collective_t *collective)
{
    const int threads = course->options.threads;
    bench_collective_start(collective);
    if (1 == threads) {
        compute_all(course, collective, true);
        consume_rest(course, collective);
    } else {
#pragma omp parallel num_threads(threads)
        {
            if (0 == omp_get_thread_num()) {
                compute_all(course, collective, false);
            } else {
                consume_rest(course, collective);
            }
        }
    }
    bench_collective_wait(collective);
}

static void round_mpi(course_t *course, bench_collective_t *collective)
{
    compute_all(course, collective, true);
    bench_collective_wait(collective);
#pragma omp parallel for num_threads(consumers(course)) schedule(static)
    for (int k = 0; k < collective->partitions; ++k) {
        consume(course, collective, k);
    }
}

/* The seconds of a round, on the rank where it took longest. */
static double run_round(course_t *course, bench_collective_t *collective, unsigned number,
                        bool check)
{
    if (check) {
        bench_collective_fill(collective, number);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    if (BENCH_MODE_PART == collective->mode) {
        round_part(course, collective);
    } else {
        round_mpi(course, collective);
    }
    const double longest = bench_most(bench_now() - begin);
    if (check) {
        bench_collective_check(collective, number, 0, bench_collective_elements(collective));
    }
    return longest;
}

static void measure(course_t *course, int rank, size_t bytes, bench_report_t *report)
{
    const bench_options_t *o = &course->options;
    bench_collective_t collective;
    double *seconds = bench_list((size_t) o->samples, sizeof(*seconds));
    bench_collective_create(&collective, o, bench_operation_find("allreduce"), bytes);
    course->compute = course->fixed;
    if (0.0 < course->rate) {
        course->compute = bench_collective_wire_bytes(&collective) / course->rate;
    }
    /* One round before the samples is always compared. */
    const int before = (1 > o->warmup) ? 1 : o->warmup;
    for (int i = -before; i < o->samples; ++i) {
        seconds[(i < 0) ? 0 : i] = run_round(course, &collective, (unsigned) (i + before),
                                             o->check || 0 > i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    bench_collective_destroy(&collective);
    if (0 == rank) {
        const bench_stats_t s = bench_stats(seconds, o->samples);
        const double consuming = course->consume * course->compute / (double) consumers(course);
        bench_report_row(report, (double[]){(double) bytes, s.median * 1e3, s.p5 * 1e3,
                                            s.p95 * 1e3, course->compute * 1e3, consuming * 1e3,
                                            (s.median - course->compute - consuming) * 1e3});
    }
    free(seconds);
}

static void print_course(const course_t *course)
{
    const char *doing = course->spin ? "keeps a core busy" : "is simulated by sleeping";
    printf("# computing %s; ", doing);
    if (0.0 < course->rate) {
        printf("all partitions as long as the wire needs (%g Mbit/s per host)\n",
               course->rate * 8e-6);
    } else {
        printf("all partitions %g ms\n", course->fixed * 1e3);
    }
    printf("# one thread computes, %d %s consumes, for %g times as long; other: time less both\n",
           consumers(course), (1 == course->options.threads) ? "(the same)" : "other",
           course->consume);
}

int main(int argc, char **argv)
{
    double rate_mbit = 0.0;
    double compute_ms = 100.0;
    course_t course = {.consume = 0.0};
    bench_options_t *o = &course.options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"rate-mbit", BENCH_VALUE_DOUBLE, &rate_mbit,
         "Mbit/s of all paths of a host; computing lasts as long as the transfer at this rate"},
        {"compute-ms", BENCH_VALUE_DOUBLE, &compute_ms, "of all partitions, without --rate-mbit"},
        {"consume", BENCH_VALUE_DOUBLE, &course.consume, "how many times as long as computing"},
        {"work", BENCH_VALUE_CHOICE, &course.spin, "what computing does: sleep or spin",
         {"sleep", "spin"}}};
    bench_options_defaults(o);
    o->program = "pcoll_overlap";
    o->purpose = "time to compute, reduce and consume (allreduce, sum of floats)";
    o->min_size = 8u << 20;
    o->max_size = 8u << 20;
    o->samples = 7;
    o->warmup = 1;
    o->partitions = 8;
    o->collective = true;
    o->unused = "rBS";
    const int rank = bench_begin(o, extras, 4, argc, argv, true);
    course.rate = rate_mbit * 1e6 / 8.0;
    course.fixed = compute_ms * 1e-3;
    if (0 == rank) {
        print_course(&course);
    }
    bench_report_open(&report, rank, o, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t bytes = o->min_size; bytes <= o->max_size; bytes *= 2) {
        if (bench_collective_fits_or_says(o, bench_operation_find("allreduce"), rank, bytes)) {
            measure(&course, rank, bytes, &report);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
