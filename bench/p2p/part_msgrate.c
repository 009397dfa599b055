/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Message rate: many small partitions, marked ready by several threads at once. Mode multi is the
 * program without partitions, in which every thread sends its own messages.
 */
#include "../common/session.h"
#include "../common/stream.h"

static const bench_stream_kind_t kind = {
    .size_is_per_part = true,
    .count_partitions = true,
    .columns = {{"partition", "B", 0},
                {"median", "million/s", 4},
                {"p5", "million/s", 4},
                {"p95", "million/s", 4},
                {"each", "ns", 1},
                {"rounds", "per sample", 0}},
};

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "part_msgrate";
    options.purpose = "partitions moved per second";
    options.size_means = "one partition";
    options.partitions = 512;
    options.threads = 4;
    options.min_size = 8;
    options.max_size = 8192;
    const int rank = bench_begin(&options, NULL, 0, argc, argv, false);
    bench_stream_run(&options, &kind, rank);
    return bench_end(rank);
}
