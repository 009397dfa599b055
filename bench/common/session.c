/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What every benchmark does first and last.
 */
#define _GNU_SOURCE
#include "session.h"

#include <mpi.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "pairs.h"
#include "pattern.h"
#include "timing.h"

/* Variables whose values decide what a run measures; shown when they are set at all. */
static const char *const shown_cvars[] = {"part",
                                          "pml",
                                          "btl",
                                          "part_ucx_paths",
                                          "part_ucx_paths_per_device",
                                          "part_ucx_devices",
                                          "part_ucx_delivery",
                                          "part_ucx_async",
                                          "btl_tcp_if_include",
                                          "btl_tcp_links"};

/* Of the programs for collectives; shown unless they have their default. */
static const struct {
    const char *name;
    const char *unset;
} collective_cvars[] = {{"coll", ""},
                        {"coll_pschedule_allgather_algorithm", "auto"},
                        {"coll_pschedule_allreduce_algorithm", "auto"},
                        {"coll_pschedule_alltoall_algorithm", "auto"},
                        {"coll_pschedule_bcast_algorithm", "auto"},
                        {"coll_tuned_allgather_algorithm", "ignore"},
                        {"coll_tuned_allreduce_algorithm", "ignore"},
                        {"coll_tuned_alltoall_algorithm", "ignore"},
                        {"coll_tuned_allreduce_algorithm_segmentsize", "0"},
                        {"coll_tuned_bcast_algorithm", "ignore"},
                        {"coll_tuned_bcast_algorithm_segmentsize", "0"},
                        {"coll_tuned_reduce_scatter_block_algorithm", "ignore"}};

static const char *const shown_environment[] = {"UCX_TLS", "UCX_NET_DEVICES", "UCX_MAX_RNDV_RAILS",
                                                "UCX_MAX_EAGER_RAILS", "OMP_WAIT_POLICY"};

static void print_collective_settings(void)
{
    char value[4096];
    for (size_t i = 0; i < sizeof(collective_cvars) / sizeof(collective_cvars[0]); ++i) {
        if (bench_cvar_text(collective_cvars[i].name, value, sizeof(value)) && '\0' != value[0]
            && 0 != strcmp(value, collective_cvars[i].unset)) {
            printf(" %s=%s", collective_cvars[i].name, value);
        }
    }
}

static void print_settings(const bench_options_t *o)
{
    char value[4096];
    printf("# settings:");
    for (size_t i = 0; i < sizeof(shown_cvars) / sizeof(shown_cvars[0]); ++i) {
        if (bench_cvar_text(shown_cvars[i], value, sizeof(value)) && '\0' != value[0]) {
            printf(" %s=%s", shown_cvars[i], value);
        }
    }
    for (size_t i = 0; i < sizeof(shown_environment) / sizeof(shown_environment[0]); ++i) {
        const char *text = getenv(shown_environment[i]);
        if (NULL != text) {
            printf(" %s=%s", shown_environment[i], text);
        }
    }
    if (o->collective) {
        print_collective_settings();
    }
    printf("\n");
}

static void print_shape(const bench_options_t *o)
{
    if (NULL != o->shape) {
        printf("# %s\n", o->shape);
        return;
    }
    printf("# mode %s, ", bench_mode_name(o->mode));
    if (o->collective && BENCH_MODE_PART == o->mode) {
        printf("%d partition%s, ", o->partitions, (1 == o->partitions) ? "" : "s");
    } else if (!o->collective && BENCH_MODE_ISEND != o->mode) {
        printf("%d partition%s sent, %d received, ", o->partitions, (1 == o->partitions) ? "" : "s",
               (BENCH_MODE_PART == o->mode) ? o->recv_partitions : o->partitions);
    }
    printf("%d thread%s", o->threads, (1 == o->threads) ? "" : "s");
    if (!o->collective) {
        printf(", window %d", o->window);
    }
    printf("%s%s\n", o->prepare ? ", MPIX_Pbuf_prepare" : "",
           o->check ? ", every byte compared" : "");
}

typedef char host_name_t[MPI_MAX_PROCESSOR_NAME];

static int count_distinct(const host_name_t *hosts, int ranks)
{
    int distinct = 0;
    for (int i = 0; i < ranks; ++i) {
        int k = 0;
        while (k < i && 0 != strcmp(hosts[i], hosts[k])) {
            ++k;
        }
        distinct += (k == i) ? 1 : 0;
    }
    return distinct;
}

static void print_hosts(const bench_options_t *o, const host_name_t *hosts, int ranks)
{
    if (!o->collective && 2 == ranks) {
        printf("rank 0 on %s, rank 1 on %s\n", hosts[0], hosts[1]);
        return;
    }
    if (!o->collective) {
        printf("%d pairs; ", ranks / 2);
    }
    const int distinct = count_distinct(hosts, ranks);
    printf("%d ranks on %d host%s, %ld cores\n", ranks, distinct, (1 == distinct) ? "" : "s",
           sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_heading(const bench_options_t *o, const host_name_t *hosts, int ranks)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    printf("# %s: %s\n", o->program, o->purpose);
    print_shape(o);
    printf("# %s; ", library);
    print_hosts(o, hosts, ranks);
    print_settings(o);
    fflush(stdout);
}

static double init_seconds;

double bench_init_seconds(void)
{
    return init_seconds;
}

static void start_mpi(const char *program, int argc, char **argv, int wanted)
{
    int provided = MPI_THREAD_SINGLE;
    const double begin = bench_now();
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    init_seconds = bench_now() - begin;
    if (provided < wanted) {
        fprintf(stderr, "%s: this MPI library offers no MPI_THREAD_MULTIPLE\n", program);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Fewer threads than were asked for would be measured as if they were all there. */
static void allow_threads(const bench_options_t *options)
{
    omp_set_dynamic(0);
    if (omp_get_thread_limit() < options->threads) {
        fprintf(stderr, "%s: OpenMP allows %d threads here, not %d\n", options->program,
                omp_get_thread_limit(), options->threads);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void bench_heading(const bench_options_t *options, int rank, int size)
{
    int length;
    host_name_t name = {0};
    host_name_t *hosts = bench_list((size_t) size, sizeof(*hosts));
    MPI_Get_processor_name(name, &length);
    MPI_Gather(name, (int) sizeof(name), MPI_CHAR, hosts, (int) sizeof(name), MPI_CHAR, 0,
               MPI_COMM_WORLD);
    if (0 == rank) {
        print_heading(options, (const host_name_t *) hosts, size);
    }
    free(hosts);
}

static bool may_pair(const bench_options_t *options, int size)
{
    return options->pairs && 0 == size % 2;
}

int bench_begin(bench_options_t *options, const bench_extra_t *extras, int extra_count, int argc,
                char **argv, bool threads)
{
    int rank;
    int size;
    bench_options_t early = *options;
    /* MPI must know of -t before it starts, and only then it is known who may print. */
    (void) bench_options_parse(&early, extras, extra_count, argc, argv, false);
    start_mpi(options->program, argc, argv,
              (threads || 1 < early.threads) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rc = bench_options_parse(options, extras, extra_count, argc, argv, 0 == rank);
    const bool fits = 2 == size || (2 < size && (options->collective || may_pair(options, size)));
    if (0 == rc && !fits && 0 == rank) {
        fprintf(stderr, "%s: needs %s, got %d\n", options->program,
                options->collective ? "at least two ranks"
                : options->pairs    ? "an even number of ranks"
                                    : "exactly two ranks", size);
    }
    if (0 != rc || !fits) {
        MPI_Finalize();
        exit((1 == rc) ? 0 : 1);
    }
    allow_threads(options);
    bench_machine_open();
    bench_heading(options, rank, size);
    return options->collective ? rank : bench_pairs_open();
}

void bench_refuse(const char *program, const char *format, ...)
{
    int rank;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        fprintf(stderr, "%s: %s\n", program, text); /* at once: mpirun may mix in other lines */
    }
    MPI_Finalize();
    exit(1);
}

static void print_path_bytes(int rank, const unsigned long long *bytes, int count)
{
    if (0 > count) {
        return;
    }
    printf("# path-bytes rank %d:%s", rank, (0 == count) ? " 0" : "");
    for (int i = 0; i < count; ++i) {
        printf(" %llu", bytes[i]);
    }
    printf("\n");
}

int bench_end(void)
{
    int rank;
    int size;
    unsigned long long bytes[BENCH_MAX_PATHS];
    int count = bench_path_bytes(bytes, BENCH_MAX_PATHS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (0 == rank) {
        print_path_bytes(0, bytes, count);
        for (int from = 1; from < size; ++from) {
            MPI_Recv(&count, 1, MPI_INT, from, BENCH_TAG_COUNTERS, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Recv(bytes, BENCH_MAX_PATHS, MPI_UNSIGNED_LONG_LONG, from, BENCH_TAG_COUNTERS,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            print_path_bytes(from, bytes, count);
        }
        printf("# done\n");
        fflush(stdout);
    } else {
        MPI_Send(&count, 1, MPI_INT, 0, BENCH_TAG_COUNTERS, MPI_COMM_WORLD);
        MPI_Send(bytes, (0 > count) ? 0 : count, MPI_UNSIGNED_LONG_LONG, 0, BENCH_TAG_COUNTERS,
                 MPI_COMM_WORLD);
    }
    bench_machine_close();
    bench_pairs_close();
    MPI_Finalize();
    return 0;
}

void bench_meet_asleep(int rank)
{
    char in = 0;
    char out = 1;
    int done = 0;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_CHAR, 1 - rank, BENCH_TAG_SYNC, bench_pair, &requests[0]);
    MPI_Isend(&out, 1, MPI_CHAR, 1 - rank, BENCH_TAG_SYNC, bench_pair, &requests[1]);
    for (;;) {
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
        if (done) {
            return;
        }
        bench_sleep_until(bench_now() + 200e-6);
    }
}

void bench_meet(int rank)
{
    char in = 0;
    char out = 1;
    MPI_Sendrecv(&out, 1, MPI_CHAR, 1 - rank, BENCH_TAG_SYNC, &in, 1, MPI_CHAR, 1 - rank,
                 BENCH_TAG_SYNC, bench_pair, MPI_STATUS_IGNORE);
}

void bench_acknowledge(int rank)
{
    char word = 0;
    if (0 == rank) {
        MPI_Recv(&word, 1, MPI_CHAR, 1, BENCH_TAG_ACK, bench_pair, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&word, 1, MPI_CHAR, 0, BENCH_TAG_ACK, bench_pair);
    }
}

void bench_join_threads(int threads)
{
    int joined = 0;
#pragma omp parallel num_threads(threads) reduction(+ : joined)
    joined += 1;
    (void) joined;
}

double bench_most(double mine)
{
    double all = 0.0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}
