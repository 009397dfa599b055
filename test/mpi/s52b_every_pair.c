/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S52. Correct between processes of one node, of different nodes, and mixed: every rank has a
 * channel to every rank, itself included, in both directions, small and large at the same time.
 */

#include "../support/side.h"

#include <stdlib.h>

#define ITERATIONS 4
#define SIZES      3

static const size_t sizes[SIZES] = {24, 6000, 120000};

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    int n = mt_size();
    int channels = SIZES * n;
    mt_side_t *out = mt_alloc((size_t) channels * sizeof(*out));
    mt_side_t *in = mt_alloc((size_t) channels * sizeof(*in));

    for (int c = 0; c < channels; c++) {
        int peer = (mt_rank() + c) % n;
        size_t bytes = sizes[c / n];
        mt_psend(&out[c], 6, 4 * bytes, peer, c / n, MPI_COMM_WORLD);
        out[c].seed = (uint64_t) ((c / n * n + mt_rank()) * n + peer);
    }
    for (int c = 0; c < channels; c++) {
        int peer = (mt_rank() + n - c % n) % n;
        mt_precv(&in[c], 4, 6 * sizes[c / n], peer, c / n, MPI_COMM_WORLD);
        in[c].seed = (uint64_t) ((c / n * n + peer) * n + mt_rank());
    }
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        for (int c = 0; c < channels; c++) {
            mt_start(&in[c]);
            mt_start(&out[c]);
        }
        for (int p = 0; p < 6; p++) {
            for (int c = 0; c < channels; c++) {
                mt_send_partition(&out[c], p, iteration);
            }
        }
        for (int c = 0; c < channels; c++) {
            mt_finish(&in[c].request, MPI_STATUS_IGNORE);
            mt_side_verify(&in[c], -1, iteration);
            mt_finish(&out[c].request, MPI_STATUS_IGNORE);
        }
    }
    for (int c = 0; c < channels; c++) {
        mt_drop(&out[c]);
        mt_drop(&in[c]);
    }
    free(out);
    free(in);
    mt_result("every rank to every rank, %d ranks, 3 sizes at once", n);
    return mt_end();
}
