/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Point-to-point and collective operations of whatever MPI library it is compiled with, in every
 * form that the library has, over sizes. A row for each, for libraries.py. What the first round
 * leaves, and one more after all that are timed, is compared with what it must be.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/options.h"
#include "../common/pattern.h"
#include "../common/stats.h"
#include "../common/timing.h"
#include "buffers.h"
#include "trial.h"

typedef struct {
    const char *operations; /* words separated by commas, or "all" */
    const char *forms;
    size_t smallest, largest;
    int step; /* each size is so many times the one before */
    int warmup;
    int iterations;       /* up to `large` bytes */
    int large_iterations; /* above */
    size_t large;
    size_t memory;   /* of both buffers of a rank, at most */
    double budget_s; /* of a row: fewer iterations where they last longer; 0: none */
    double longest_s; /* larger sizes are left out after a round that lasts longer; 0: none are */
    int partitions;
    const char *buffers; /* see buffers.h */
    int assume_support;  /* 1: likewise */
} settings_t;

/* ---- command line ---- */

static bool parse_one(settings_t *s, const char *name, const char *text)
{
    if (0 == strcmp(name, "--operations")) {
        s->operations = text;
    } else if (0 == strcmp(name, "--forms")) {
        s->forms = text;
    } else if (0 == strcmp(name, "--smallest")) {
        return 0 == bench_parse_size(text, &s->smallest) && 0 < s->smallest;
    } else if (0 == strcmp(name, "--largest")) {
        return 0 == bench_parse_size(text, &s->largest);
    } else if (0 == strcmp(name, "--step")) {
        return 0 == bench_parse_int(text, 2, &s->step);
    } else if (0 == strcmp(name, "--warmup")) {
        return 0 == bench_parse_int(text, 1, &s->warmup);
    } else if (0 == strcmp(name, "--iterations")) {
        return 0 == bench_parse_int(text, 1, &s->iterations);
    } else if (0 == strcmp(name, "--large-iterations")) {
        return 0 == bench_parse_int(text, 1, &s->large_iterations);
    } else if (0 == strcmp(name, "--large")) {
        return 0 == bench_parse_size(text, &s->large);
    } else if (0 == strcmp(name, "--memory")) {
        return 0 == bench_parse_size(text, &s->memory);
    } else if (0 == strcmp(name, "--budget-s")) {
        return 0 == bench_parse_double(text, &s->budget_s);
    } else if (0 == strcmp(name, "--longest-s")) {
        return 0 == bench_parse_double(text, &s->longest_s);
    } else if (0 == strcmp(name, "--partitions")) {
        return 0 == bench_parse_int(text, 1, &s->partitions);
    } else if (0 == strcmp(name, "--buffers")) {
        s->buffers = text;
    } else if (0 == strcmp(name, "--assume-support")) {
        return 0 == bench_parse_int(text, 0, &s->assume_support);
    } else {
        return false;
    }
    return true;
}

static bool parse(settings_t *s, int argc, char **argv, int rank)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !parse_one(s, argv[i], argv[i + 1])) {
            if (0 == rank) {
                fprintf(stderr, "mpi_compare: wrong option or value: %s %s\n", argv[i],
                        i + 1 < argc ? argv[i + 1] : "");
            }
            return false;
        }
    }
    return true;
}

/* ---- measuring ---- */

/* Seconds of each round on this rank. Returns what one takes with the barrier before it. */
static double measure(trial_t *trial, int rounds, double *seconds)
{
    const double begun = bench_now();
    for (int i = 0; i < rounds; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = bench_now();
        trial_round(trial);
        seconds[i] = bench_now() - begin;
    }
    return rounds > 0 ? (bench_now() - begun) / rounds : 0.0;
}

/* As many as wanted, or as last as long as the budget, but `fewest`. */
static int rounds_within(double budget_s, double round_s, int wanted, int fewest)
{
    const double one = round_s > 0.0 ? round_s : 1e-9;
    if (0.0 < budget_s && budget_s / one < (double) wanted) {
        wanted = (int) (budget_s / one);
    }
    return wanted < fewest ? fewest : wanted;
}

/* What rank 0 has found. */
static int of_first_rank(int number)
{
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

/* Five rounds at least, unless they last more than four budgets. */
static int rounds_of(const settings_t *s, const trial_t *trial, double round_s)
{
    const int wanted = trial->bytes > s->large ? s->large_iterations : s->iterations;
    const int fewest = rounds_within(4.0 * s->budget_s, round_s, 5, 1);
    return of_first_rank(rounds_within(s->budget_s, round_s, wanted, fewest));
}

/* A round of a latency test goes there and back, one with a window has many messages. */
static double share(const trial_t *trial)
{
    const trial_operation_t *operation = trial->operation;
    return operation->window ? 1.0 / trial_messages(operation, trial->bytes)
           : operation->pairs ? 0.5
                              : 1.0;
}

static void print_row(const trial_t *trial, double *seconds, int rounds)
{
    double sum = 0.0;
    for (int i = 0; i < rounds; ++i) {
        seconds[i] *= share(trial);
        sum += seconds[i];
    }
    const bench_stats_t stats = bench_stats(seconds, rounds);
    printf("row %s %s %zu %d %.9g %.9g %.9g %.9g %.9g\n", trial->operation->name,
           trial_form_names[trial->form], trial->bytes, rounds, sum / (double) rounds,
           stats.median, stats.p5, stats.p95, stats.max);
    fflush(stdout);
}

/* A round that begins with cleared buffers, and what it leaves is compared. As `measure`. */
static double check_round(trial_t *trial)
{
    double seconds;
    trial_clear(trial);
    const double each = measure(trial, 1, &seconds);
    trial_check(trial);
    return each;
}

/* To warm up: one round, then as many as are wanted and the budget allows. Returns seconds of one;
 * the first may have been a slow one. */
static double warm_up(const settings_t *s, trial_t *trial, double *seconds)
{
    const double first = check_round(trial);
    const int fewest = rounds_within(4.0 * s->budget_s, first, 2, 0);
    const int more = of_first_rank(rounds_within(s->budget_s, first, s->warmup - 1, fewest));
    const double usual = measure(trial, more, seconds);
    return 0 < more && usual < first ? usual : first;
}

/* False, on all ranks, if it takes so long that larger sizes are to be left out. */
static bool goes_on(const settings_t *s, const trial_t *trial, double round_s)
{
    return 0 != of_first_rank(0.0 >= s->longest_s || round_s * share(trial) <= s->longest_s);
}

/* Who reads the rows knows by this line which one there is not, if the job ends in it. */
static void announce(const trial_operation_t *operation, trial_form_t form, size_t bytes)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 == rank) {
        printf("# trial %s %s %zu\n", operation->name, trial_form_names[form], bytes);
        fflush(stdout);
    }
}

/* Returns whether larger sizes shall be tried. */
static bool run_trial(const settings_t *s, const trial_operation_t *operation, trial_form_t form,
                      size_t bytes)
{
    const size_t longest = (size_t) (s->warmup + s->iterations + s->large_iterations + 5);
    trial_t trial;
    announce(operation, form, bytes);
    if (!trial_create(&trial, operation, form, bytes, s->partitions)) {
        if (0 == trial.rank) {
            printf("refused %s %s %zu\n", operation->name, trial_form_names[form], bytes);
        }
        trial_destroy(&trial);
        return true;
    }
    double *seconds = bench_list(longest, sizeof(*seconds));
    double *most = bench_list(longest, sizeof(*most));
    const int rounds = rounds_of(s, &trial, warm_up(s, &trial, seconds));
    (void) measure(&trial, rounds, seconds);
    (void) check_round(&trial); /* after so many others */
    /* Of each round what it took on the rank where it took longest. */
    MPI_Reduce(seconds, most, rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const bool more = goes_on(s, &trial, bench_stats(most, rounds).median);
    if (0 == trial.rank) {
        print_row(&trial, most, rounds);
        if (!more) {
            printf("# it takes longer than %g s: no larger ones\n", s->longest_s);
        }
    }
    free(most);
    free(seconds);
    trial_destroy(&trial);
    return more;
}

/* Each `step` times the one before, and the largest; 0 after that. */
static size_t size_after(const settings_t *s, size_t bytes)
{
    const size_t next = bytes * (size_t) s->step;
    return bytes >= s->largest ? 0 : next < s->largest ? next : s->largest;
}

static void run_sizes(const settings_t *s, const trial_operation_t *operation, trial_form_t form,
                      int size)
{
    bool more = true;
    for (size_t bytes = s->smallest; more && 0 < bytes && bytes <= s->largest;
         bytes = size_after(s, bytes)) {
        const size_t whole = bytes / operation->unit * operation->unit;
        const bool countable = 0 < whole && whole <= INT_MAX; /* MPI counts in int */
        if (countable && trial_memory(operation, whole, size) <= (double) s->memory) {
            more = run_trial(s, operation, form, whole);
        }
    }
}

static void run_operation(const settings_t *s, const trial_operation_t *operation, int size)
{
    for (int form = 0; form < TRIAL_FORMS; ++form) {
        if (!bench_is_listed(s->forms, trial_form_names[form])
            || !trial_has(operation, (trial_form_t) form)) {
            continue;
        }
        if (operation->sized) {
            run_sizes(s, operation, (trial_form_t) form, size);
        } else {
            (void) run_trial(s, operation, (trial_form_t) form, 0);
        }
    }
}

static int run_all(const settings_t *s, const trial_operation_t *table, int size)
{
    int count = 0;
    for (; NULL != table->name; ++table) {
        if (bench_is_listed(s->operations, table->name) && (!table->pairs || 0 == size % 2)) {
            run_operation(s, table, size);
            ++count;
        }
    }
    return count;
}

/* Whether each word of --operations and --forms is one. */
static bool knows_words(const settings_t *s, int rank)
{
    const trial_operation_t *const tables[] = {trial_pairs, trial_collectives};
    int operations = 0, forms = 0;
    for (int i = 0; i < 2; ++i) {
        for (const trial_operation_t *o = tables[i]; NULL != o->name; ++o) {
            operations += bench_is_listed(s->operations, o->name) ? 1 : 0;
        }
    }
    for (int form = 0; form < TRIAL_FORMS; ++form) {
        forms += bench_is_listed(s->forms, trial_form_names[form]) ? 1 : 0;
    }
    const bool known = bench_list_is_known(s->operations, operations)
                       && bench_list_is_known(s->forms, forms);
    if (!known && 0 == rank) {
        fprintf(stderr, "mpi_compare: no operation or form, or one that is there twice: %s; %s\n",
                s->operations, s->forms);
    }
    return known;
}

static void print_heading(int size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    printf("# mpi_compare: %d ranks, MPI %d.%d, %s; buffers of rank 0: %s\n"
           "# row operation form bytes iterations mean median p5 p95 worst (seconds)\n",
           size, MPI_VERSION, MPI_SUBVERSION, version, buffers_text());
}

int main(int argc, char **argv)
{
    settings_t s = {.operations = "all",
                    .forms = "all",
                    .smallest = 1,
                    .largest = (size_t) 64 << 20,
                    .step = 4,
                    .warmup = 10,
                    .iterations = 1000,
                    .large_iterations = 100,
                    .large = 8192,
                    .memory = (size_t) 512 << 20,
                    .budget_s = 2.0,
                    .partitions = 4,
                    .buffers = "host"};
    int rank, size, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 && 0 == rank) {
        fprintf(stderr, "mpi_compare: needs two ranks at least\n");
    }
    if (size < 2 || !parse(&s, argc, argv, rank) || !knows_words(&s, rank)) {
        MPI_Finalize();
        return 2;
    }
    if (!buffers_choose(s.buffers, 0 != s.assume_support)) {
        MPI_Finalize();
        return 2;
    }
    if (0 == rank) {
        print_heading(size);
    }
    count = run_all(&s, trial_pairs, size) + run_all(&s, trial_collectives, size);
    if (0 == rank) {
        printf(0 < count ? "# done\n" : "# no such operation\n");
    }
    MPI_Finalize();
    return 0 < count ? 0 : 2;
}
