/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The same allreduce by several models of communication (figure 7 of the paper): --model
 *
 *   mpi        MPI_Allreduce
 *   ring       a ring of plain partitioned requests, MPI_Psend_init and MPI_Precv_init
 *   pallreduce MPIX_Pallreduce: all partitions ready, MPI_Wait
 *   parrived   the same, but MPI_Parrived is asked for every partition before MPI_Wait
 *
 * The first two need nothing but MPI 4; built without BENCH_HAVE_MPIX the program has only these.
 */
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
#    include <mpix_partitioned.h>
#endif

#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/sampling.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"
#include "ring.h"

typedef struct course course_t;

typedef struct {
    const char *name;
    bench_mode_t mode; /* what the CSV file calls it */
    void (*create)(course_t *course);
    void (*round)(course_t *course);
    void (*destroy)(course_t *course);
} model_t;

struct course {
    const model_t *model;
    int rank;
    int size;
    int partitions;
    size_t elements;
    float *in;
    float *out;
    MPI_Request request;
    bench_ring_t ring;
    unsigned next_round; /* counted over the whole run: the seed of the contents */
};

static void create_buffers(course_t *course)
{
    course->in = (float *) (void *) bench_buffer(course->elements * sizeof(float));
    course->out = (float *) (void *) bench_buffer(course->elements * sizeof(float));
}

static void free_buffers(course_t *course)
{
    free(course->in);
    free(course->out);
}

static void round_mpi(course_t *course)
{
    MPI_Allreduce(course->in, course->out, (int) course->elements, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
}

static void create_ring(course_t *course)
{
    bench_ring_create(&course->ring, course->elements, course->partitions);
    course->in = course->ring.in;
    course->out = course->ring.out;
}

static void round_ring(course_t *course)
{
    bench_ring_round(&course->ring);
}

static void destroy_ring(course_t *course)
{
    bench_ring_destroy(&course->ring);
}

#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
static void create_pallreduce(course_t *course)
{
    create_buffers(course);
    MPIX_Pallreduce_init(course->in, course->out, course->partitions,
                         (MPI_Count) (course->elements / (size_t) course->partitions), MPI_FLOAT,
                         MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &course->request);
}

static void begin_pallreduce(course_t *course)
{
    MPI_Start(&course->request);
    for (int p = 0; p < course->partitions; ++p) {
        MPI_Pready(p, course->request);
    }
}

static void round_pallreduce(course_t *course)
{
    begin_pallreduce(course);
    MPI_Wait(&course->request, MPI_STATUS_IGNORE);
}

static void round_parrived(course_t *course)
{
    begin_pallreduce(course);
    for (int p = 0; p < course->partitions; ++p) {
        int arrived = 0;
        for (;;) {
            MPI_Parrived(course->request, p, &arrived);
            if (arrived) {
                break;
            }
            sched_yield(); /* many ranks may share a core */
        }
    }
    MPI_Wait(&course->request, MPI_STATUS_IGNORE);
}

static void destroy_pallreduce(course_t *course)
{
    MPI_Request_free(&course->request);
    free_buffers(course);
}
#endif

static const model_t models[] = {
    {"mpi", BENCH_MODE_MPI, create_buffers, round_mpi, free_buffers},
    {"ring", BENCH_MODE_PART, create_ring, round_ring, destroy_ring},
#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
    {"pallreduce", BENCH_MODE_PART, create_pallreduce, round_pallreduce, destroy_pallreduce},
    {"parrived", BENCH_MODE_PART, create_pallreduce, round_parrived, destroy_pallreduce},
#endif
};

static const model_t *find_model(const char *name)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
        if (0 == strcmp(name, models[i].name)) {
            return &models[i];
        }
    }
    bench_refuse("allreduce_models", "no model \"%s\" in this build; -h lists those of others",
                 name);
}

/* A rank adds its number to what all ranks' element has in common. Sums stay exact. */
static void fill(course_t *course, unsigned round)
{
    for (size_t i = 0; i < course->elements; ++i) {
        course->in[i] = (float) (bench_pattern_number(i, round) + (unsigned) course->rank);
    }
}

static void check(const course_t *course, unsigned round)
{
    const unsigned ranks = (unsigned) course->size;
    for (size_t i = 0; i < course->elements; ++i) {
        const unsigned each = bench_pattern_number(i, round);
        const float sum = (float) (ranks * each + ranks * (ranks - 1u) / 2u);
        if (course->out[i] != sum) {
            fprintf(stderr,
                    "allreduce_models: wrong sum in round %u of model %s: rank %d, element %zu of "
                    "%zu is %g, not %g\n",
                    round, course->model->name, course->rank, i, course->elements,
                    (double) course->out[i], (double) sum);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

static double run_batch(void *context, int rounds, bool compare)
{
    course_t *course = context;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    for (int i = 0; i < rounds; ++i) {
        const unsigned round = course->next_round++;
        if (compare) {
            fill(course, round);
        }
        course->model->round(course);
        if (compare) {
            check(course, round);
        }
    }
    return bench_most(bench_now() - begin);
}

static const bench_column_t columns[] = {{"size", "B", 0},    {"time", "ms", 3},
                                         {"p5", "ms", 3},     {"p95", "ms", 3},
                                         {"wire", "MB/s", 2}, {"rounds", "per sample", 0}};

static void measure(const bench_options_t *options, const model_t *model, int rank, size_t bytes,
                    bench_report_t *report)
{
    course_t course = {
        .model = model,
        .rank = rank,
        .partitions = options->partitions,
        .elements = bytes / sizeof(float),
        .request = MPI_REQUEST_NULL,
    };
    double *seconds = bench_list((size_t) options->samples, sizeof(*seconds));
    MPI_Comm_size(MPI_COMM_WORLD, &course.size);
    model->create(&course);
    const bench_plan_t plan = bench_sample(options, rank, run_batch, &course, seconds);
    MPI_Barrier(MPI_COMM_WORLD);
    model->destroy(&course);
    if (0 == rank) {
        const bench_stats_t s = bench_stats(seconds, plan.samples);
        const double wire = 2.0 * (course.size - 1) / course.size * (double) bytes;
        bench_report_row(report, (double[]){(double) bytes, s.median * 1e3, s.p5 * 1e3, s.p95 * 1e3,
                                            wire * 1e-6 / s.median, (double) plan.rounds});
    }
    free(seconds);
}

int main(int argc, char **argv)
{
    const char *name = "mpi";
    bench_options_t options;
    bench_report_t report;
    const bench_extra_t extras[] = {
        {"model", BENCH_VALUE_STRING, &name, "mpi, ring, pallreduce or parrived"}};
    bench_options_defaults(&options);
    options.program = "allreduce_models";
    options.purpose = "time of an allreduce (sum of floats) by several models of communication";
    options.shape = "one thread; the wire: 2 (N-1)/N of the bytes, over the time";
    options.partitions = 4;
    options.min_size = 512u << 10;
    options.collective = true;
    options.unused = "tEM";
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    const model_t *model = find_model(name);
    options.program = model->name; /* in the CSV file */
    options.mode = model->mode;
    if (0 == rank) {
        printf("# model %s, %d partitions\n", name, options.partitions);
    }
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    const size_t partition = sizeof(float) * (size_t) options.partitions;
    for (size_t bytes = options.min_size; bytes <= options.max_size; bytes *= 2) {
        if (0 == bytes % partition && bytes / sizeof(float) <= INT_MAX) {
            measure(&options, model, rank, bytes, &report);
        } else if (0 == rank) {
            printf("# %zu bytes do not divide into %d partitions of floats, or are too many: "
                   "left out\n",
                   bytes, options.partitions);
        }
    }
    bench_report_close(&report);
    return bench_end();
}
