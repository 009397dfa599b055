/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the algorithms of the table cost for many ranks: the tables of docs/scaling.md. Plans are
 * built of ranks 0, 1, N/2 and N-1 only; a number is the largest of these. Rounds are what the row
 * says (unit/test_algorithms holds them against whole sets of plans).
 *
 *   plan_report                          all rows, 8 MiB in 4 partitions, chunks of 60 KiB
 *   plan_report BYTES PARTITIONS CHUNK   other sizes
 *   plan_report choice                   which row is chosen, by bytes and ranks
 *
 * BYTES is what the larger buffer of a rank holds: a block of an allgather or alltoall is an N-th.
 */
#include "plan_of.h"
#include "simulator.h"

#include "algorithms/coll_pschedule_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As the component has them when nothing is set. */
enum { CHUNK = 61440 };
static const mca_coll_pschedule_rates_t rates
    = {.latency = 40, .local_latency = 10, .bandwidth = 1000};

static const uint32_t ranks[] = {8, 16, 64, 256, 1024, 4096};
enum { RANKS = sizeof(ranks) / sizeof(ranks[0]) };

typedef struct sizes_t {
    uint64_t bytes;
    uint32_t partitions;
    uint64_t chunk;
} sizes_t;

/* What is largest, over some ranks. */
typedef struct report_t {
    uint64_t peers;    /* ranks that it sends to */
    uint64_t messages; /* transfers that it sends, with bytes */
    uint64_t grants;   /* and without */
    uint64_t link;     /* bytes of its busiest link */
    uint64_t moved; /* bytes that it sends, or receives, whichever is more */
    uint64_t scratch;
    uint64_t memory; /* of plan and engine */
    double milliseconds;
} report_t;

/* ---- problems ---- */

/* Is the larger buffer made of a block for each rank? */
static bool has_blocks(mca_coll_pschedule_collective_t collective)
{
    return COLL_PSCHEDULE_GATHER == collective || COLL_PSCHEDULE_SCATTER == collective
           || COLL_PSCHEDULE_ALLGATHER == collective || COLL_PSCHEDULE_ALLTOALL == collective
           || COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK == collective;
}

/* The problem of any rank, without its blocks. */
static mca_coll_pschedule_problem_t common_problem(mca_coll_pschedule_collective_t collective,
                                                   uint32_t size, const sizes_t *sizes,
                                                   mca_coll_pschedule_cut_t *cut)
{
    uint64_t unit = (uint64_t) sizes->partitions * PLAN_ELEMENT;
    uint64_t bytes = has_blocks(collective) ? sizes->bytes / size : sizes->bytes;

    bytes = bytes < unit ? unit : bytes / unit * unit;
    *cut = (mca_coll_pschedule_cut_t) {.bytes = bytes, .partitions = sizes->partitions};
    return plan_problem(collective, size, *cut, sizes->chunk);
}

/* ---- plans ---- */

static void look_at(const mca_coll_pschedule_plan_t *plan, report_t *report)
{
    report_t mine = {.scratch = plan->scratch};
    uint64_t sum[2] = {0, 0};

    for (uint32_t i = 0; i < plan->links; ++i) {
        const mca_coll_pschedule_link_t *link = &plan->link[i];
        uint64_t bytes = 0;

        mine.peers += link->is_send;
        for (uint32_t k = link->first; k < link->first + link->count; ++k) {
            bytes += plan->transfer[k].bytes;
            mine.messages += link->is_send && 0 != plan->transfer[k].bytes;
            mine.grants += link->is_send && 0 == plan->transfer[k].bytes;
        }
        sum[link->is_send] += bytes;
        mine.link = bytes > mine.link ? bytes : mine.link;
    }
    mine.moved = sum[0] > sum[1] ? sum[0] : sum[1];
    mine.memory = plan_memory(plan);
#define LARGEST(field) report->field = mine.field > report->field ? mine.field : report->field
    LARGEST(peers);
    LARGEST(messages);
    LARGEST(grants);
    LARGEST(link);
    LARGEST(moved);
    LARGEST(scratch);
    LARGEST(memory);
#undef LARGEST
}

static double now(void)
{
    struct timespec time;

    (void) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

static void build_rank(const mca_coll_pschedule_algorithm_t *row,
                       mca_coll_pschedule_problem_t problem, mca_coll_pschedule_cut_t cut,
                       uint32_t rank, report_t *report)
{
    double begin = now();
    mca_coll_pschedule_plan_t *plan = plan_of(row, problem, cut, rank);

    report->milliseconds = now() - begin > report->milliseconds ? now() - begin
                                                                : report->milliseconds;
    look_at(plan, report);
    mca_coll_pschedule_plan_free(plan);
}

static const char *kibibytes(uint64_t bytes)
{
    static char text[8][32];
    static int which;

    which = (which + 1) % 8;
    (void) snprintf(text[which], sizeof(text[which]), "%.4g", (double) bytes / 1024);
    return text[which];
}

static void report_row(const mca_coll_pschedule_algorithm_t *row, const sizes_t *sizes)
{
    (void) printf("\n**%s %s** (scratch: %s)\n\n", sim_collective(row->collective), row->name,
                  row->memory);
    (void) printf("| ranks | rounds | peers | messages | grants | KiB per link | KiB moved "
                  "| KiB scratch | KiB plan | ms to build |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:"
                  "|--:|\n");
    for (int i = 0; i < RANKS; ++i) {
        uint32_t size = ranks[i];
        uint32_t sample[] = {0, 1, size / 2, size - 1};
        mca_coll_pschedule_cut_t cut;
        mca_coll_pschedule_problem_t problem
            = common_problem(row->collective, size, sizes, &cut);
        mca_coll_pschedule_cost_t cost = {0};
        report_t report = {0};

        row->cost(&problem, &cost);
        for (int k = 0; k < 4; ++k) {
            build_rank(row, problem, cut, sample[k], &report);
        }
        (void) printf("| %u | %llu | %llu | %llu | %llu | %s | %s | %s | %s | %.2f |\n", size,
                      (unsigned long long) cost.rounds, (unsigned long long) report.peers,
                      (unsigned long long) report.messages, (unsigned long long) report.grants,
                      kibibytes(report.link), kibibytes(report.moved), kibibytes(report.scratch),
                      kibibytes(report.memory), report.milliseconds);
    }
}

static void report_rows(const sizes_t *sizes)
{
    const uint32_t not_flat =
        COLL_PSCHEDULE_SHARES | COLL_PSCHEDULE_NESTED | COLL_PSCHEDULE_CROWDED;

    (void) printf("%s KiB in the larger buffer, %u partitions, chunks of %s KiB\n",
                  kibibytes(sizes->bytes), sizes->partitions, kibibytes(sizes->chunk));
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        const mca_coll_pschedule_algorithm_t *row = mca_coll_pschedule_algorithms[i];

        /* How an algorithm scales over a network of hosts with one rank each. */
        if (row->collective < COLL_PSCHEDULE_NEIGHBOR_ALLGATHER && 0 == (row->limits & not_flat)) {
            report_row(row, sizes);
        }
    }
}

/* ---- which row is chosen ---- */

static void choose(mca_coll_pschedule_collective_t collective, bool ordered)
{
    (void) printf("\n**%s%s**\n\n| bytes |", sim_collective(collective),
                  ordered ? ", ordered" : "");
    for (int i = 0; i < RANKS; ++i) {
        (void) printf(" %u ranks |", ranks[i]);
    }
    (void) printf("\n|--:|--|--|--|--|--|--|\n");
    for (uint64_t bytes = 256; bytes <= UINT64_C(1) << 30; bytes *= 16) {
        sizes_t sizes = {.bytes = bytes, .partitions = 4, .chunk = CHUNK};

        (void) printf("| %llu |", (unsigned long long) bytes);
        for (int i = 0; i < RANKS; ++i) {
            const char *why;
            mca_coll_pschedule_cut_t cut;
            mca_coll_pschedule_problem_t problem
                = common_problem(collective, ranks[i], &sizes, &cut);

            problem.ordered = ordered;
            (void) printf(" %s |", mca_coll_pschedule_select(&problem, 0, &rates, &why)->name);
        }
        (void) printf("\n");
    }
}

static void report_choice(void)
{
    static const mca_coll_pschedule_collective_t collective[]
        = {COLL_PSCHEDULE_BCAST,  COLL_PSCHEDULE_GATHER,    COLL_PSCHEDULE_SCATTER,
           COLL_PSCHEDULE_REDUCE, COLL_PSCHEDULE_ALLGATHER, COLL_PSCHEDULE_ALLTOALL,
           COLL_PSCHEDULE_ALLREDUCE, COLL_PSCHEDULE_REDUCE_SCATTER_BLOCK, COLL_PSCHEDULE_SCAN};

    (void) printf("4 partitions, chunks of 60 KiB, latency %u us, bandwidth %u MB/s\n",
                  rates.latency, rates.bandwidth);
    for (size_t i = 0; i < sizeof(collective) / sizeof(collective[0]); ++i) {
        choose(collective[i], false);
        if (sim_reduces(collective[i])) {
            choose(collective[i], true);
        }
    }
}

int main(int argc, char *argv[])
{
    sizes_t sizes = {.bytes = 8 << 20, .partitions = 4, .chunk = CHUNK};

    if (2 == argc && 0 == strcmp(argv[1], "choice")) {
        report_choice();
        return EXIT_SUCCESS;
    }
    if (4 == argc) {
        sizes = (sizes_t) {.bytes = strtoull(argv[1], NULL, 10),
                           .partitions = (uint32_t) strtoul(argv[2], NULL, 10),
                           .chunk = strtoull(argv[3], NULL, 10)};
    }
    if ((1 != argc && 4 != argc) || 0 == sizes.partitions || 0 == sizes.chunk) {
        (void) fprintf(stderr, "usage: plan_report [choice | BYTES PARTITIONS CHUNK]\n");
        return EXIT_FAILURE;
    }
    report_rows(&sizes);
    return EXIT_SUCCESS;
}
