/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One direction of a transfer between two ranks, in any of the three modes.
 */
#include "channel.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
#    include <mpix_partitioned.h>
#endif

#include "pairs.h"
#include "pattern.h"
#include "session.h"
#include "timing.h"

int bench_channel_tag_step(const bench_options_t *options)
{
    return (BENCH_MODE_MULTI == options->mode) ? options->partitions : 1;
}

bool bench_channel_fits(const bench_options_t *options, size_t size)
{
    if (BENCH_MODE_ISEND == options->mode) {
        return size <= INT_MAX;
    }
    const size_t send = (size_t) options->partitions;
    const size_t recv =
        (BENCH_MODE_PART == options->mode) ? (size_t) options->recv_partitions : send;
    return size >= send && size >= recv && 0 == size % send && 0 == size % recv
           && (BENCH_MODE_MULTI != options->mode || size / send <= INT_MAX);
}

bool bench_channel_fits_or_says(const bench_options_t *options, int rank, size_t size)
{
    const bool fits = bench_channel_fits(options, size);
    if (!fits && 0 == rank && bench_pairs_first()) {
        printf("# %zu bytes do not divide into %d and %d partitions, or are too many for a "
               "message: left out\n",
               size, options->partitions, options->recv_partitions);
    }
    return fits;
}

void bench_channel_must_fit(const bench_options_t *options, size_t size)
{
    if (!bench_channel_fits(options, size)) {
        bench_refuse(options->program,
                     "%zu bytes do not divide into %d and %d partitions, or are too many for a "
                     "message",
                     size, options->partitions, options->recv_partitions);
    }
}

static void part_init(bench_channel_t *channel)
{
    if (channel->sender) {
        MPI_Psend_init(channel->buffer, channel->pieces, (MPI_Count) channel->piece_bytes, MPI_BYTE,
                       channel->peer, channel->tag, bench_pair, MPI_INFO_NULL,
                       &channel->requests[0]);
    } else {
        MPI_Precv_init(channel->buffer, channel->pieces, (MPI_Count) channel->piece_bytes, MPI_BYTE,
                       channel->peer, channel->tag, bench_pair, MPI_INFO_NULL,
                       &channel->requests[0]);
    }
}

void bench_channel_create(bench_channel_t *channel, const bench_options_t *options, bool sender,
                          int peer, int tag, size_t size)
{
    int pieces = 1;
    if (BENCH_MODE_MULTI == options->mode) {
        pieces = options->partitions;
    } else if (BENCH_MODE_PART == options->mode) {
        pieces = sender ? options->partitions : options->recv_partitions;
    }
    *channel = (bench_channel_t){
        .mode = options->mode,
        .sender = sender,
        .prepare = options->prepare && sender,
        .peer = peer,
        .tag = tag,
        .pieces = pieces,
        .threads = options->threads,
        .piece_bytes = size / (size_t) pieces,
        .size = size,
        .buffer = bench_buffer(size),
        .request_count = (BENCH_MODE_MULTI == options->mode) ? pieces : 1,
    };
    channel->requests = malloc((size_t) channel->request_count * sizeof(MPI_Request));
    if (NULL == channel->requests) {
        fprintf(stderr, "benchmark: no memory for %d requests\n", channel->request_count);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int i = 0; i < channel->request_count; ++i) {
        channel->requests[i] = MPI_REQUEST_NULL;
    }
    if (BENCH_MODE_PART == channel->mode) {
        const double begin = bench_now();
        part_init(channel);
        channel->init_seconds = bench_now() - begin;
    }
}

void bench_channel_destroy(bench_channel_t *channel)
{
    if (BENCH_MODE_PART == channel->mode) {
        MPI_Request_free(&channel->requests[0]);
    }
    free(channel->requests);
    free(channel->buffer);
    *channel = (bench_channel_t){0};
}

void bench_channel_start(bench_channel_t *channel)
{
    if (BENCH_MODE_PART == channel->mode) {
        MPI_Start(&channel->requests[0]);
#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX
        if (channel->prepare) {
            MPIX_Pbuf_prepare(&channel->requests[0]);
        }
#endif
        return;
    }
    if (channel->sender) {
        return;
    }
    for (int i = 0; i < channel->request_count; ++i) {
        MPI_Irecv(channel->buffer + (size_t) i * channel->piece_bytes, (int) channel->piece_bytes,
                  MPI_BYTE, channel->peer, channel->tag + i, bench_pair, &channel->requests[i]);
    }
}

void bench_channel_ready_one(bench_channel_t *channel, int piece)
{
    if (BENCH_MODE_PART == channel->mode) {
        MPI_Pready(piece, channel->requests[0]);
        return;
    }
    MPI_Isend(channel->buffer + (size_t) piece * channel->piece_bytes, (int) channel->piece_bytes,
              MPI_BYTE, channel->peer, channel->tag + piece, bench_pair,
              &channel->requests[piece]);
}

void bench_channel_ready(bench_channel_t *channel)
{
    if (1 == channel->threads) {
        for (int i = 0; i < channel->pieces; ++i) {
            bench_channel_ready_one(channel, i);
        }
        return;
    }
    if (BENCH_MODE_ISEND == channel->mode) {
        bench_join_threads(channel->threads);
        bench_channel_ready_one(channel, 0);
        return;
    }
#pragma omp parallel for num_threads(channel->threads) schedule(static)
    for (int i = 0; i < channel->pieces; ++i) {
        bench_channel_ready_one(channel, i);
    }
}

void bench_channel_wait(bench_channel_t *channel)
{
    bench_channel_wait_pair(channel, NULL);
}

void bench_channel_wait_pair(bench_channel_t *first, bench_channel_t *second)
{
    bench_channel_t *both[2] = {first, second};
    if (NULL != first && NULL != second && 1 == first->request_count
        && 1 == second->request_count) {
        MPI_Request requests[2] = {first->requests[0], second->requests[0]};
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int i = 0; i < 2; ++i) {
        if (NULL != both[i]) {
            MPI_Waitall(both[i]->request_count, both[i]->requests, MPI_STATUSES_IGNORE);
        }
    }
}
