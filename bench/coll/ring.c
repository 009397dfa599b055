/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allreduce by a ring of plain partitioned requests.
 */
#include "ring.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/session.h"

static size_t chunk_elements(const bench_ring_t *ring)
{
    return ring->count * (size_t) ring->partitions;
}

/* Chunk number `index`, which may lie up to a few rounds below zero. */
static float *chunk(const bench_ring_t *ring, float *buffer, int index)
{
    const int around = ((index % ring->size) + ring->size) % ring->size;
    return buffer + (size_t) around * chunk_elements(ring);
}

/* The chunk that a step of reducing puts its sums into; the last one's are complete. */
static float *sums_of(const bench_ring_t *ring, int step)
{
    return (ring->size - 2 == step) ? chunk(ring, ring->out, ring->rank + 1)
                                    : ring->partial + (size_t) step * chunk_elements(ring);
}

static float *sent_in(const bench_ring_t *ring, int step)
{
    if (0 == step) {
        return chunk(ring, ring->in, ring->rank);
    }
    return (step < ring->size) ? sums_of(ring, step - 1)
                               : chunk(ring, ring->out, ring->rank + ring->size - step);
}

static float *received_in(const bench_ring_t *ring, int step)
{
    return (step < ring->size - 1) ? ring->arriving + (size_t) step * chunk_elements(ring)
                                   : chunk(ring, ring->out, ring->rank + ring->size - 1 - step);
}

static void make_requests(bench_ring_t *ring)
{
    const int next = (ring->rank + 1) % ring->size;
    const int before = (ring->rank + ring->size - 1) % ring->size;
    for (int step = 0; step < ring->steps; ++step) {
        MPI_Psend_init(sent_in(ring, step), ring->partitions, (MPI_Count) ring->count, MPI_FLOAT,
                       next, BENCH_TAG_DATA + step, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &ring->sends[step]);
        MPI_Precv_init(received_in(ring, step), ring->partitions, (MPI_Count) ring->count,
                       MPI_FLOAT, before, BENCH_TAG_DATA + step, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &ring->receives[step]);
    }
}

void bench_ring_create(bench_ring_t *ring, size_t elements, int partitions)
{
    *ring = (bench_ring_t){.partitions = partitions};
    MPI_Comm_rank(MPI_COMM_WORLD, &ring->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ring->size);
    ring->steps = 2 * (ring->size - 1);
    const size_t pieces = (size_t) ring->size * (size_t) partitions;
    ring->count = (elements + pieces - 1) / pieces;
    const size_t chunk_bytes = chunk_elements(ring) * sizeof(float);
    const size_t chunks = (size_t) ring->size;
    ring->in = (float *) (void *) bench_buffer(chunks * chunk_bytes);
    ring->out = (float *) (void *) bench_buffer(chunks * chunk_bytes);
    ring->arriving = (float *) (void *) bench_buffer((chunks - 1) * chunk_bytes);
    ring->partial = (float *) (void *) bench_buffer((chunks - 1) * chunk_bytes);
    ring->sends = bench_list((size_t) ring->steps, sizeof(MPI_Request));
    ring->receives = bench_list((size_t) ring->steps, sizeof(MPI_Request));
    ring->next = bench_list((size_t) partitions, sizeof(*ring->next));
    make_requests(ring);
}

void bench_ring_destroy(bench_ring_t *ring)
{
    for (int step = 0; step < ring->steps; ++step) {
        MPI_Request_free(&ring->sends[step]);
        MPI_Request_free(&ring->receives[step]);
    }
    free(ring->sends);
    free(ring->receives);
    free(ring->next);
    free(ring->in);
    free(ring->out);
    free(ring->arriving);
    free(ring->partial);
    *ring = (bench_ring_t){0};
}

static void reduce(const bench_ring_t *ring, int step, int partition)
{
    const size_t first = (size_t) partition * ring->count;
    const float *own = chunk(ring, ring->in, ring->rank - step - 1) + first;
    const float *other = received_in(ring, step) + first;
    float *sum = sums_of(ring, step) + first;
    for (size_t i = 0; i < ring->count; ++i) {
        sum[i] = own[i] + other[i];
    }
}

/* Takes a partition as many steps on as have arrived; whether there were any. */
static int advance(bench_ring_t *ring, int partition)
{
    const int begin = ring->next[partition];
    while (ring->next[partition] < ring->steps) {
        const int step = ring->next[partition];
        int arrived = 0;
        MPI_Parrived(ring->receives[step], partition, &arrived);
        if (!arrived) {
            break;
        }
        if (step < ring->size - 1) {
            reduce(ring, step, partition);
        }
        if (step + 1 < ring->steps) {
            MPI_Pready(partition, ring->sends[step + 1]);
        }
        ring->next[partition] += 1;
    }
    return ring->next[partition] > begin;
}

static int finished(const bench_ring_t *ring)
{
    for (int p = 0; p < ring->partitions; ++p) {
        if (ring->next[p] < ring->steps) {
            return 0;
        }
    }
    return 1;
}

void bench_ring_round(bench_ring_t *ring)
{
    /* Not MPI_Startall: with several partitioned sends, part/persist of Open MPI 5 hangs in it. */
    for (int step = 0; step < ring->steps; ++step) {
        MPI_Start(&ring->receives[step]);
        MPI_Start(&ring->sends[step]);
    }
    for (int p = 0; p < ring->partitions; ++p) {
        ring->next[p] = 0;
        MPI_Pready(p, ring->sends[0]);
    }
    while (!finished(ring)) {
        int moved = 0;
        for (int p = 0; p < ring->partitions; ++p) {
            moved += advance(ring, p);
        }
        if (0 == moved) {
            sched_yield(); /* many ranks may share a core */
        }
    }
    MPI_Waitall(ring->steps, ring->receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(ring->steps, ring->sends, MPI_STATUSES_IGNORE);
}
