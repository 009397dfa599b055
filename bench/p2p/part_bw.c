/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth from rank 0 to rank 1.
 */
#include "../common/stream.h"

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_options_defaults(&options);
    options.program = "part_bw";
    options.purpose = "bandwidth, one direction (1 MB = 10^6 bytes)";
    return bench_stream_main(&options, (bench_stream_kind_t){.both_ways = false}, argc, argv);
}
