/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth in both directions at once: the sum of both.
 */
#include "../common/session.h"
#include "../common/stream.h"

static const bench_stream_kind_t kind = {
    .both_ways = true,
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
    options.program = "part_bibw";
    options.purpose = "bandwidth, both directions at once, added up (1 MB = 10^6 bytes)";
    options.size_means = "each way, total";
    const int rank = bench_begin(&options, NULL, 0, argc, argv, false);
    bench_stream_run(&options, &kind, rank);
    return bench_end(rank);
}
