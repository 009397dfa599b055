/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the algorithms of a collective take on a machine that need not exist (timing.h): a line
 * for each that may serve it, and for each size.
 *
 *   plan_time [--csv] [--machine NAME] COLLECTIVE SIZES [rows=NAME,...] [NAME=VALUE...]
 *
 * SIZES are bytes, with K and M, separated by commas: of the vector for bcast, reduce, allreduce
 * and scans, else of a block (of a rank, or of a pair for alltoall), as for bench/coll/pcoll.
 */
#include "plan_of.h"
#include "plan_time_settings.h"
#include "simulator.h"

#include "algorithms/coll_pschedule_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task_t {
    plan_settings_t settings;
    mca_coll_pschedule_collective_t collective;
    const char *sizes;
    const char *rows; /* NULL: all */
    bool csv;
    mca_coll_pschedule_hosts_t hosts;
    uint32_t ranks;
} task_t;

/* What is said of one row. */
typedef struct line_t {
    uint64_t bytes;
    const mca_coll_pschedule_algorithm_t *row;
    bool chosen;
    uint64_t memory; /* of all plans; too large: of those that were built */
    bool too_large;
    timing_result_t result;
} line_t;

/* ---- what is wanted ---- */

static void usage(void)
{
    plan_settings_t settings;

    (void) plan_settings_machine(&settings, "nodes");
    (void) printf("usage: plan_time [--csv] [--machine nodes|cluster] COLLECTIVE SIZES "
                  "[rows=NAME,...] [NAME=VALUE...]\n"
                  "Simulated time of the algorithms of a partitioned collective. Names, and values "
                  "of the machine \"nodes\":\n");
    plan_settings_print(&settings);
}

static bool find_collective(task_t *task, const char *name)
{
    for (int i = 0; i < COLL_PSCHEDULE_NEIGHBOR_ALLGATHER; ++i) {
        task->collective = (mca_coll_pschedule_collective_t) i;
        if (0 == strcmp(name, sim_collective(task->collective))) {
            return true;
        }
    }
    return false;
}

/* The machine first, because other words change it. */
static bool take_machine(task_t *task, int argc, char *argv[])
{
    (void) plan_settings_machine(&task->settings, "nodes");
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], "--machine")
            && !plan_settings_machine(&task->settings, argv[i + 1])) {
            return false;
        }
    }
    return true;
}

static bool take_word(task_t *task, const char *word, int *named)
{
    if (0 == strcmp(word, "--csv")) {
        task->csv = true;
        return true;
    }
    if (0 == strncmp(word, "rows=", 5)) {
        task->rows = word + 5;
        return true;
    }
    if (NULL != strchr(word, '=')) {
        return plan_settings_take(&task->settings, word);
    }
    if (0 == (*named)++) {
        return find_collective(task, word);
    }
    task->sizes = word;
    return 2 == *named;
}

static bool take_words(task_t *task, int argc, char *argv[])
{
    int named = 0;

    if (!take_machine(task, argc, argv)) {
        (void) fprintf(stderr, "plan_time: there is no such machine\n");
        return false;
    }
    for (int i = 1; i < argc; ++i) {
        if (0 == strcmp(argv[i], "--machine")) {
            ++i;
        } else if (!take_word(task, argv[i], &named)) {
            (void) fprintf(stderr, "plan_time: \"%s\" is not understood\n", argv[i]);
            return false;
        }
    }
    return 2 == named;
}

static void make_hosts(task_t *task)
{
    uint32_t hosts = (uint32_t) task->settings.hosts;
    uint32_t each = (uint32_t) task->settings.per_host;
    uint64_t *number;

    task->ranks = hosts * each;
    number = calloc(task->ranks + 1, sizeof(*number));
    for (uint32_t i = 0; NULL != number && i < task->ranks; ++i) {
        number[i] = 0 != task->settings.round_robin ? i % hosts : i / each;
    }
    if (NULL == number || 0 == task->ranks
        || !mca_coll_pschedule_hosts_make(&task->hosts, number, task->ranks)) {
        (void) fprintf(stderr, "plan_time: no hosts, or no memory\n");
        exit(EXIT_FAILURE);
    }
    free(number);
}

/* ---- one row ---- */

/* The plans of all ranks; false when they take more memory than they may. */
static bool build_plans(const task_t *task, const mca_coll_pschedule_problem_t *problem,
                        mca_coll_pschedule_cut_t cut, line_t *line,
                        mca_coll_pschedule_plan_t **plan)
{
    const double most = task->settings.most_memory * 1048576;

    for (uint32_t i = 0; i < task->ranks && (double) line->memory <= most; ++i) {
        plan[i] = plan_of(line->row, *problem, cut, i);
        line->memory += plan_memory(plan[i]);
    }
    return (double) line->memory <= most;
}

static void free_plans(const task_t *task, mca_coll_pschedule_plan_t **plan)
{
    for (uint32_t i = 0; i < task->ranks && NULL != plan[i]; ++i) {
        mca_coll_pschedule_plan_free(plan[i]);
    }
    free(plan);
}

static void per_round(timing_result_t *result, uint64_t rounds)
{
    rounds = rounds > 1 ? rounds : 1;
    result->end /= rounds;
    result->busy /= rounds;
    result->network /= rounds;
    result->local /= rounds;
    result->host_bytes /= rounds;
}

static void run_row(const task_t *task, const mca_coll_pschedule_problem_t *problem,
                    mca_coll_pschedule_cut_t cut, line_t *line)
{
    timing_machine_t machine = plan_settings_timing(&task->settings);
    mca_coll_pschedule_plan_t **plan = calloc(task->ranks, sizeof(*plan));
    const char *fault = "several rounds need ready=1";

    if (NULL == plan) {
        abort();
    }
    line->too_large = !build_plans(task, problem, cut, line, plan);
    if (!line->too_large
        && ((machine.rounds > 1 && !machine.ready)
            || !timing_run(&machine, &task->hosts, plan, task->ranks, &line->result, &fault))) {
        (void) fprintf(stderr, "plan_time: %s: %s\n", line->row->name, fault);
        exit(EXIT_FAILURE);
    }
    per_round(&line->result, machine.rounds);
    free_plans(task, plan);
}

/* ---- what is printed ---- */

static void print_head(const task_t *task)
{
    if (task->csv) {
        (void) printf("collective,bytes,hosts,per_host,placement,partitions,row,chosen,"
                      "milliseconds,busiest_process_ms,host_bytes,network_messages,"
                      "local_messages,plans_mib\n");
        return;
    }
    (void) printf("%s on %g hosts x %g ranks, %s, %g partitions; * is chosen\n\n"
                  "| bytes | algorithm | ms | busiest process, ms | MiB of the busiest host "
                  "| messages between hosts | within hosts | MiB of plans |\n"
                  "|--:|---|--:|--:|--:|--:|--:|--:|\n",
                  sim_collective(task->collective), task->settings.hosts, task->settings.per_host,
                  0 != task->settings.round_robin ? "round-robin" : "in blocks",
                  task->settings.partitions);
}

static void print_times(const line_t *line, const char *between)
{
    (void) printf("%.4f%s%.4f%s", (double) line->result.end * 1e-9, between,
                  (double) line->result.busy * 1e-9, between);
}

static void print_line(const task_t *task, const line_t *line)
{
    const timing_result_t *result = &line->result;
    double plans = (double) line->memory / 1048576;

    if (!task->csv && line->too_large) {
        (void) printf("| %llu | %s%s | too large | | | | | more than %.0f |\n",
                      (unsigned long long) line->bytes, line->row->name, line->chosen ? " *" : "",
                      plans);
        return;
    }
    if (!task->csv) {
        (void) printf("| %llu | %s%s | ", (unsigned long long) line->bytes, line->row->name,
                      line->chosen ? " *" : "");
        print_times(line, " | ");
        (void) printf("%.3f | %llu | %llu | %.1f |\n", (double) result->host_bytes / 1048576,
                      (unsigned long long) result->network, (unsigned long long) result->local,
                      plans);
        return;
    }
    (void) printf("%s,%llu,%g,%g,%s,%g,%s,%d,", sim_collective(task->collective),
                  (unsigned long long) line->bytes, task->settings.hosts, task->settings.per_host,
                  0 != task->settings.round_robin ? "round-robin" : "block",
                  task->settings.partitions, line->row->name, line->chosen);
    if (line->too_large) {
        (void) printf(",,,,,%.1f\n", plans);
        return;
    }
    print_times(line, ",");
    (void) printf("%llu,%llu,%llu,%.1f\n", (unsigned long long) result->host_bytes,
                  (unsigned long long) result->network, (unsigned long long) result->local, plans);
}

/* ---- all of it ---- */

static bool is_wanted(const task_t *task, const char *name)
{
    size_t length = strlen(name);

    for (const char *word = task->rows; NULL != word; word = strchr(word, ',')) {
        word += ',' == *word;
        if (0 == strncmp(word, name, length) && (',' == word[length] || '\0' == word[length])) {
            return true;
        }
    }
    return NULL == task->rows;
}

static mca_coll_pschedule_problem_t problem_of(const task_t *task, uint64_t bytes,
                                               mca_coll_pschedule_cut_t *cut)
{
    uint32_t partitions = task->settings.partitions < 1 ? 1 : (uint32_t) task->settings.partitions;
    uint64_t unit = (uint64_t) partitions * (sim_reduces(task->collective) ? PLAN_ELEMENT : 1);
    mca_coll_pschedule_problem_t problem;

    bytes = bytes < unit ? unit : bytes / unit * unit;
    *cut = (mca_coll_pschedule_cut_t) {.bytes = bytes, .partitions = partitions};
    problem = plan_problem(task->collective, task->ranks, *cut, (uint64_t) task->settings.chunk);
    problem.hosts = 0 != task->settings.blind ? NULL : &task->hosts;
    problem.one_host = 1 == task->hosts.count;
    mca_coll_pschedule_fit_chunk(&problem);
    return problem;
}

static void report_size(const task_t *task, uint64_t bytes)
{
    mca_coll_pschedule_cut_t cut;
    mca_coll_pschedule_problem_t problem = problem_of(task, bytes, &cut);
    mca_coll_pschedule_rates_t rates = plan_settings_rates(&task->settings);
    const char *why;
    const mca_coll_pschedule_algorithm_t *chosen
        = mca_coll_pschedule_select(&problem, 0, &rates, &why);

    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        line_t line = {.bytes = cut.bytes, .row = mca_coll_pschedule_algorithms[i]};

        if (mca_coll_pschedule_allows(line.row, &problem) && is_wanted(task, line.row->name)) {
            line.chosen = line.row == chosen;
            run_row(task, &problem, cut, &line);
            print_line(task, &line);
            (void) fflush(stdout);
        }
    }
}

int main(int argc, char *argv[])
{
    task_t task = {.rows = NULL};

    if (!take_words(&task, argc, argv)) {
        usage();
        return EXIT_FAILURE;
    }
    make_hosts(&task);
    print_head(&task);
    for (const char *word = task.sizes; NULL != word; word = strchr(word, ',')) {
        char *end;
        uint64_t bytes = strtoull(word += ',' == *word, &end, 10);

        bytes <<= 'K' == *end ? 10 : 'M' == *end ? 20 : 0;
        report_size(&task, bytes);
    }
    mca_coll_pschedule_hosts_free(&task.hosts);
    return EXIT_SUCCESS;
}
