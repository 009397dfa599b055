/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Time of a partitioned allreduce, or of MPI_Allreduce with --mode mpi.
 */
#include "measure.h"

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "pcoll_allreduce";
    options.purpose = "time of an allreduce (sum of floats)";
    options.partitions = 4;
    options.min_size = 512u << 10;
    return bench_measure_main(&options, bench_operation_find("allreduce"), argc, argv);
}
