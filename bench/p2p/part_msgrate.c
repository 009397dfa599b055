/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Message rate: many small partitions, marked ready by several threads at once. Mode multi is the
 * program without partitions, in which every thread sends its own messages.
 */
#include "../common/stream.h"

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
    return bench_stream_main(&options, (bench_stream_kind_t){.count_partitions = true}, argc, argv);
}
