/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a partitioned collective costs besides moving data: init, the first round, a later round,
 * free, and memory, for 1 to 1024 partitions. The first collective of the processes, which also
 * connects them, is told in a line of its own. Times are those of the rank where it took longest,
 * medians of -i repetitions; each begins with a barrier. Memory is what a rank holds more after the
 * second round than before init, on the rank that holds most, without the user's buffers, which are
 * made before.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/machine.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"
#include "collective.h"

enum { COLUMNS = 7, STEPS = 4 };

static const bench_column_t columns[COLUMNS] = {{"partitions", "count", 0},
                                                {"init", "ms", 3},
                                                {"1st round", "ms", 3},
                                                {"round", "ms", 3},
                                                {"free", "ms", 3},
                                                {"heap", "KiB", 1},
                                                {"RSS", "KiB", 1}};

/* What a cycle is made of: init, first round, second round, free. */
typedef struct {
    double seconds[STEPS];
    double heap; /* KiB */
    double resident;
} cycle_t;

static void run_round(bench_collective_t *collective)
{
    bench_collective_start(collective);
    bench_collective_ready(collective);
    bench_collective_wait(collective);
}

/* The seconds of a step on the rank where it takes longest. */
static double timed(void (*step)(bench_collective_t *), bench_collective_t *collective)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = bench_now();
    step(collective);
    return bench_most(bench_now() - begin);
}

/* From a collective without a request to one. */
static cycle_t run_cycle(bench_collective_t *collective)
{
    static void (*const steps[STEPS])(bench_collective_t *) = {
        bench_collective_init, run_round, run_round, bench_collective_release};
    cycle_t cycle = {.heap = 0.0};
    /* So that what earlier requests left to the allocator does not hide what this one takes. */
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    const bench_process_t before = bench_process_state();
    for (int i = 0; i < STEPS - 1; ++i) {
        cycle.seconds[i] = timed(steps[i], collective);
    }
    const bench_process_t after = bench_process_state();
    cycle.seconds[STEPS - 1] = timed(steps[STEPS - 1], collective);
    cycle.heap = bench_most((double) (after.heap_bytes - before.heap_bytes) / 1024.0);
    cycle.resident = bench_most((double) (after.resident_bytes - before.resident_bytes) / 1024.0);
    return cycle;
}

static void check_once(bench_collective_t *collective)
{
    bench_collective_init(collective);
    bench_collective_fill(collective, 1);
    run_round(collective);
    bench_collective_check(collective, 1, 0, bench_collective_elements(collective));
    bench_collective_release(collective);
}

static void measure(bench_collective_t *collective, int samples, double *row)
{
    double *values = bench_list((size_t) samples * (COLUMNS - 1), sizeof(*values));
    for (int i = 0; i < samples; ++i) {
        const cycle_t cycle = run_cycle(collective);
        for (int k = 0; k < STEPS; ++k) {
            values[k * samples + i] = cycle.seconds[k] * 1e3;
        }
        values[STEPS * samples + i] = cycle.heap;
        values[(STEPS + 1) * samples + i] = cycle.resident;
    }
    row[0] = (double) collective->partitions;
    for (int k = 0; k < COLUMNS - 1; ++k) {
        row[k + 1] = bench_stats(&values[k * samples], samples).median;
    }
    check_once(collective);
    free(values);
}

static void print_first(const cycle_t *cycle, int partitions)
{
    printf("# first collective of the processes, %d partition%s:\n"
           "# init %.2f ms, first round %.2f ms, heap %.1f KiB, RSS %.1f KiB\n",
           partitions, (1 == partitions) ? "" : "s", cycle->seconds[0] * 1e3,
           cycle->seconds[1] * 1e3, cycle->heap, cycle->resident);
}

static bench_options_t with_partitions(const bench_options_t *options, int partitions)
{
    bench_options_t changed = *options;
    changed.partitions = partitions;
    return changed;
}

/* Makes the buffers, and no request. */
static void prepare(bench_collective_t *collective, bench_options_t options,
                    const bench_operation_t *operation)
{
    options.mode = BENCH_MODE_MPI;
    bench_collective_create(collective, &options, operation, options.min_size);
    collective->mode = BENCH_MODE_PART;
}

static const bench_operation_t *find_operation(const char *name, const bench_options_t *options)
{
    const bench_operation_t *operation = bench_operation_find(name);
    if (NULL == operation || !bench_collective_fits(options, operation, options->min_size)) {
        bench_refuse(options->program,
                     "no collective \"%s\", or blocks that do not divide into %d partitions of "
                     "floats",
                     name, options->partitions);
    }
    return operation;
}

int main(int argc, char **argv)
{
    const char *name = "allreduce";
    double row[COLUMNS];
    bench_options_t options;
    bench_report_t report;
    bench_collective_t collective;
    const bench_extra_t extras[] = {{"coll", BENCH_VALUE_STRING, &name, "the collective"}};
    bench_options_defaults(&options);
    options.program = "pcoll_setup";
    options.purpose = "cost of a partitioned collective besides the data: init, free, memory";
    options.size_means = "bytes of a block";
    options.one_size = true;
    options.unused = "xrBStcM";
    options.min_size = 1u << 20;
    options.max_size = 1u << 20;
    options.samples = 5;
    options.partitions = 1024;
    options.collective = true;
    const int rank = bench_begin(&options, extras, 1, argc, argv, false);
    const bench_operation_t *operation = find_operation(name, &options);
    prepare(&collective, with_partitions(&options, 1), operation);
    const cycle_t first = run_cycle(&collective);
    bench_collective_destroy(&collective);
    if (0 == rank) {
        printf("# %s, %zu bytes in a block\n", name, options.min_size);
        print_first(&first, 1);
    }
    bench_report_open(&report, rank, &options, columns, COLUMNS);
    for (int partitions = 1; partitions <= options.partitions; partitions *= 4) {
        const bench_options_t now = with_partitions(&options, partitions);
        if (!bench_collective_fits_or_says(&now, operation, rank, now.min_size)) {
            continue;
        }
        prepare(&collective, now, operation);
        measure(&collective, options.samples, row);
        bench_collective_destroy(&collective);
        bench_report_row(&report, row);
    }
    bench_report_close(&report);
    return bench_end();
}
