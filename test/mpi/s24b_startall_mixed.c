/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S24. MPI_Startall starts each request exactly once, for 2 to 8 partitioned sends of 1 to 16
 * partitions mixed with partitioned receives and ordinary persistent requests (part/persist starts
 * the first only, or spins for ever).
 */

#include "../support/side.h"

#include <stdlib.h>

#define TAG          24
#define MAX_CHANNELS 8
#define BYTES        96

typedef struct {
    mt_side_t out[MAX_CHANNELS];
    mt_side_t in[MAX_CHANNELS];
    int plain_out[MAX_CHANNELS];
    int plain_in[MAX_CHANNELS];
    MPI_Request requests[4 * MAX_CHANNELS];
    int channels;
    int partitions;
} mix_t;

/* Requests of the four kinds, interleaved. */
static void open_mix(mix_t *mix, int channels, int partitions)
{
    int peer = 1 - mt_rank();
    int n = 0;

    mix->channels = channels;
    mix->partitions = partitions;
    for (int c = 0; c < channels; c++) {
        mt_psend(&mix->out[c], partitions, BYTES, peer, TAG + c, MPI_COMM_WORLD);
        mt_precv(&mix->in[c], partitions, BYTES, peer, TAG + c, MPI_COMM_WORLD);
        mix->requests[n++] = mix->out[c].request;
        MPI_Recv_init(&mix->plain_in[c], 1, MPI_INT, peer, 500 + c, MPI_COMM_WORLD,
                      &mix->requests[n++]);
        mix->requests[n++] = mix->in[c].request;
        MPI_Send_init(&mix->plain_out[c], 1, MPI_INT, peer, 500 + c, MPI_COMM_WORLD,
                      &mix->requests[n++]);
    }
}

static void iterate(mix_t *mix, int iteration)
{
    int total = 4 * mix->channels;

    for (int c = 0; c < mix->channels; c++) {
        mix->plain_out[c] = 1000 * iteration + c;
        mix->plain_in[c] = -1;
        mt_side_wipe(&mix->in[c]);
    }
    mt_success(MPI_Startall(total, mix->requests), "MPI_Startall");
    for (int c = 0; c < mix->channels; c++) {
        mt_check(!mt_complete(mix->out[c].request), "send %d is complete with nothing marked", c);
    }
    for (int p = mix->partitions - 1; p >= 0; p--) {
        for (int c = 0; c < mix->channels; c++) {
            mt_send_partition(&mix->out[c], p, iteration);
        }
    }
    for (int i = 0; i < total; i++) {
        mt_finish(&mix->requests[i], MPI_STATUS_IGNORE);
    }
    for (int c = 0; c < mix->channels; c++) {
        mt_side_verify(&mix->in[c], -1, iteration);
        mt_check(mix->plain_in[c] == 1000 * iteration + c, "message %d is %d", c, mix->plain_in[c]);
    }
}

static void close_mix(mix_t *mix)
{
    for (int c = 0; c < mix->channels; c++) {
        MPI_Request_free(&mix->requests[4 * c + 1]);
        MPI_Request_free(&mix->requests[4 * c + 3]);
        mt_drop(&mix->out[c]);
        mt_drop(&mix->in[c]);
    }
}

int main(int argc, char **argv)
{
    static const int cases[][2] = {{2, 1}, {3, 1}, {3, 8}, {8, 1}, {8, 16}, {5, 7}};
    mix_t *mix = mt_alloc(sizeof(*mix));

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        mt_stage("%d channels of %d partitions", cases[i][0], cases[i][1]);
        open_mix(mix, cases[i][0], cases[i][1]);
        for (int iteration = 0; iteration < 3; iteration++) {
            iterate(mix, iteration);
        }
        close_mix(mix);
        mt_result("MPI_Startall of %d sends and receives of %d partitions and ordinary requests",
                  cases[i][0], cases[i][1]);
    }
    free(mix);
    return mt_end();
}
