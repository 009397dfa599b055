/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Latency of one partition: from MPI_Pready on one side until MPI_Parrived is true on the other.
 * It is measured as a ping-pong over the partitions of two channels, one each way, so that one
 * clock is enough: rank 0 marks partition k, rank 1 answers with its partition k as soon as it has
 * arrived, and half the time is the latency. Start and Wait are outside the measured time. The
 * other modes do the same with MPI_Isend and MPI_Irecv.
 */
#include <mpi.h>
#include <stdlib.h>

#include "../common/channel.h"
#include "../common/pattern.h"
#include "../common/report.h"
#include "../common/session.h"
#include "../common/stats.h"
#include "../common/timing.h"

static const bench_column_t columns[] = {{"partition", "B", 0}, {"median", "us", 2},
                                         {"p5", "us", 2},       {"p95", "us", 2},
                                         {"min", "us", 2},      {"samples", "count", 0}};

static void await_piece(bench_channel_t *in, int piece)
{
    int arrived = 0;
    if (BENCH_MODE_PART != in->mode) {
        MPI_Wait(&in->requests[piece], MPI_STATUS_IGNORE);
        return;
    }
    while (!arrived) {
        MPI_Parrived(in->requests[0], piece, &arrived);
    }
}

/* One round over all partitions; on rank 0 times gets the one-way seconds of each. */
static void run_round(int rank, bench_channel_t *out, bench_channel_t *in, double *times)
{
    bench_channel_start(in);
    bench_channel_start(out);
    bench_meet(rank);
    for (int k = 0; k < out->pieces; ++k) {
        const double begin = bench_now();
        if (0 == rank) {
            bench_channel_ready_one(out, k);
            await_piece(in, k);
        } else {
            await_piece(in, k);
            bench_channel_ready_one(out, k);
        }
        times[k] = (bench_now() - begin) / 2.0;
    }
    bench_channel_wait_pair(out, in);
}

static bench_stats_t measure(const bench_options_t *options, int rank, size_t size)
{
    bench_channel_t out;
    bench_channel_t in;
    const size_t total = size * (size_t) options->partitions;
    const int step = bench_channel_tag_step(options);
    const int rounds = options->warmup + options->samples;
    double *times = bench_list((size_t) rounds * (size_t) options->partitions, sizeof(*times));
    bench_channel_create(&out, options, true, 1 - rank, BENCH_TAG_DATA + rank * step, total);
    bench_channel_create(&in, options, false, 1 - rank, BENCH_TAG_DATA + (1 - rank) * step, total);
    for (int i = 0; i < rounds; ++i) {
        const bool check = options->check || 0 == i;
        if (check) {
            bench_pattern_fill(out.buffer, total, (unsigned) (2 * i + rank));
        }
        run_round(rank, &out, &in, times + (size_t) i * (size_t) options->partitions);
        if (check) {
            bench_pattern_check(in.buffer, total, (unsigned) (2 * i + 1 - rank));
        }
    }
    const bench_stats_t stats =
        bench_stats(times + (size_t) options->warmup * (size_t) options->partitions,
                    options->samples * options->partitions);
    bench_channel_destroy(&out);
    bench_channel_destroy(&in);
    free(times);
    return stats;
}

int main(int argc, char **argv)
{
    bench_options_t options;
    bench_report_t report;
    bench_options_defaults(&options);
    options.program = "part_latency";
    options.purpose = "one-way latency of a partition, from MPI_Pready to MPI_Parrived";
    options.size_means = "one partition";
    options.min_size = 8;
    options.max_size = 64u << 10;
    options.samples = 100;
    options.warmup = 10;
    options.unused = "rBSPwt";
    const int rank = bench_begin(&options, NULL, 0, argc, argv, false);
    options.recv_partitions = options.partitions;
    bench_options_t channels = options;
    if (BENCH_MODE_ISEND == options.mode) {
        /* One message per partition is what the ping-pong needs. */
        channels.mode = BENCH_MODE_MULTI;
    }
    bench_report_open(&report, rank, &options, columns, (int) (sizeof(columns) / sizeof(*columns)));
    for (size_t size = options.min_size; size <= options.max_size; size *= 2) {
        if (!bench_channel_fits_or_says(&channels, rank, size * (size_t) options.partitions)) {
            continue;
        }
        const bench_stats_t stats = measure(&channels, rank, size);
        bench_report_row(&report, (double[]){(double) size, stats.median * 1e6, stats.p5 * 1e6,
                                             stats.p95 * 1e6, stats.min * 1e6,
                                             (double) options.samples * options.partitions});
    }
    bench_report_close(&report);
    return bench_end();
}
