/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth from rank 0 to rank 1.
 */
#include "../common/session.h"
#include "../common/stream.h"

static const bench_stream_kind_t kind = {
    .columns = {{"size", "B", 0},
                {"median", "MB/s", 2},
                {"p5", "MB/s", 2},
                {"p95", "MB/s", 2},
                {"round", "us", 2},
                {"rounds", "per sample", 0}},
};

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "part_bw";
    options.purpose = "bandwidth, one direction (1 MB = 10^6 bytes)";
    const int rank = bench_begin(&options, NULL, 0, argc, argv, false);
    bench_stream_run(&options, &kind, rank);
    return bench_end(rank);
}
