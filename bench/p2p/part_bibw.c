/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth in both directions at once: the sum of both.
 */
#include "../common/stream.h"

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "part_bibw";
    options.purpose = "bandwidth, both directions at once, added up (1 MB = 10^6 bytes)";
    options.size_means = "each way, total";
    return bench_stream_main(&options, (bench_stream_kind_t){.both_ways = true}, argc, argv);
}
