/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One collective operation between all ranks, partitioned or blocking.
 */
#include "collective.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/pattern.h"
#include "../common/session.h"
#include "mpix.h"

static int block_count(const bench_collective_t *c, bench_where_t where, bench_blocks_t blocks)
{
    const bool root = c->rank == c->root;
    if ((BENCH_AT_ROOT == where && !root) || (BENCH_AT_OTHERS == where && root)) {
        return 0;
    }
    switch (blocks) {
    case BENCH_PER_RANK:
        return c->size;
    case BENCH_PER_NEIGHBOR:
        return c->hood.count;
    case BENCH_ONE:
        break;
    }
    return 1;
}

bool bench_collective_fits(const bench_options_t *options, const bench_operation_t *operation,
                           size_t bytes)
{
    const bool uneven = options->uneven && BENCH_EVEN != operation->lengths;
    const size_t partition = sizeof(float) * (size_t) options->partitions * (uneven ? 2 : 1);
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool many =
        BENCH_PER_RANK == operation->out_blocks || BENCH_PER_RANK == operation->in_blocks;
    const size_t limit = (size_t) INT_MAX / (many ? (size_t) size : 1) / (uneven ? 2 : 1);
    return bytes >= partition && 0 == bytes % partition && bytes <= limit;
}

bool bench_collective_fits_or_says(const bench_options_t *options,
                                   const bench_operation_t *operation, int rank, size_t bytes)
{
    const bool fits = bench_collective_fits(options, operation, bytes);
    if (!fits && 0 == rank) {
        printf("# %s: %zu bytes do not divide into %d partitions of floats, or are too many: "
               "left out\n",
               operation->name, bytes, options->partitions);
    }
    return fits;
}

/* Elements of a partition of a block. */
static MPI_Count partition_length(const bench_collective_t *c, int block)
{
    const int turn = (BENCH_BY_PAIR == c->operation->lengths) ? c->rank + block : block;
    return c->uneven ? c->count / 2 * (1 + turn % 3) : c->count;
}

int bench_collective_length(const bench_collective_t *collective, int block)
{
    return (int) partition_length(collective, block) * collective->partitions;
}

size_t bench_collective_place(const bench_collective_t *collective, int block)
{
    size_t place = 0;
    if (!collective->uneven || BENCH_PACKED != collective->operation->lengths) {
        return (size_t) block * (size_t) collective->stride;
    }
    for (int b = 0; b < block; ++b) {
        place += (size_t) bench_collective_length(collective, b);
    }
    return place;
}

size_t bench_collective_extent(const bench_collective_t *collective, int blocks)
{
    return (1 == blocks) ? (size_t) collective->own : bench_collective_place(collective, blocks);
}

static void cut_blocks(bench_collective_t *c, bool uneven)
{
    c->uneven = uneven && BENCH_EVEN != c->operation->lengths;
    c->stride = c->uneven ? c->block / 2 * 3 : c->block;
    c->own_count =
        (BENCH_BY_PAIR == c->operation->lengths) ? c->count : partition_length(c, c->rank);
    c->own = (int) c->own_count * c->partitions;
}

static void make_lists(bench_collective_t *c)
{
    const size_t blocks = (size_t) c->size + 1;
    bench_block_lists_t *l = &c->lists;
    l->partitions = bench_list(blocks, sizeof(*l->partitions));
    l->counts = bench_list(blocks, sizeof(*l->counts));
    l->displacements = bench_list(blocks, sizeof(*l->displacements));
    l->byte_displacements = bench_list(blocks, sizeof(*l->byte_displacements));
    l->datatypes = bench_list(blocks, sizeof(MPI_Datatype));
    l->int_counts = bench_list(blocks, sizeof(*l->int_counts));
    l->int_displacements = bench_list(blocks, sizeof(*l->int_displacements));
    l->int_byte_displacements = bench_list(blocks, sizeof(*l->int_byte_displacements));
    /* Displacements beyond the last block of this rank are not used, and may not fit an int. */
    const int used = (c->blocks_in > c->blocks_out) ? c->blocks_in : c->blocks_out;
    for (int b = 0; b < c->size; ++b) {
        const MPI_Aint place = (b < used) ? (MPI_Aint) bench_collective_place(c, b) : 0;
        l->partitions[b] = c->partitions;
        l->counts[b] = partition_length(c, b);
        l->displacements[b] = place;
        l->byte_displacements[b] = place * (MPI_Aint) sizeof(float);
        l->datatypes[b] = MPI_FLOAT;
        l->int_counts[b] = bench_collective_length(c, b);
        l->int_displacements[b] = (int) place;
        l->int_byte_displacements[b] = (int) l->byte_displacements[b];
    }
}

static void free_lists(bench_block_lists_t *l)
{
    free(l->partitions);
    free(l->counts);
    free(l->displacements);
    free(l->byte_displacements);
    free(l->datatypes);
    free(l->int_counts);
    free(l->int_displacements);
    free(l->int_byte_displacements);
}

/* Without coll/pschedule; a communicator made of this one is without it, too, if it is told. */
static void exclude_us(MPI_Comm *comm)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^pschedule");
    MPI_Comm_dup_with_info(*comm, info, comm);
    MPI_Info_free(&info);
}

/* Neighbours are a graph, because a graph says which neighbour's block is which with two ranks,
 * too. */
static void make_communicator(bench_collective_t *c, const char *neighbors)
{
    c->comm = MPI_COMM_WORLD;
    bench_neighborhood_make(&c->hood, neighbors, c->rank, c->size);
    if (BENCH_PER_NEIGHBOR == c->operation->in_blocks) {
        /* All alike; not MPI_UNWEIGHTED, whose address 2 some compilers warn of. */
        int *weights = bench_list((size_t) c->hood.count, sizeof(*weights));
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, c->hood.count, c->hood.rank, weights,
                                       c->hood.count, c->hood.rank, weights, MPI_INFO_NULL, 0,
                                       &c->comm);
        free(weights);
    }
    if (BENCH_MODE_OTHERS == c->mode) {
        MPI_Comm made = c->comm;
        exclude_us(&c->comm);
        if (MPI_COMM_WORLD != made) {
            MPI_Comm_free(&made);
        }
    }
}

static float *make_buffer(const bench_collective_t *c, int blocks)
{
    return (0 == blocks) ? NULL
                         : (float *) (void *) bench_buffer(bench_collective_extent(c, blocks)
                                                           * sizeof(float));
}

void bench_collective_create(bench_collective_t *collective, const bench_options_t *options,
                             const bench_operation_t *operation, size_t bytes)
{
    bench_collective_t *c = collective;
    *c = (bench_collective_t){
        .operation = operation,
        .mode = options->mode,
        .prepare = options->prepare,
        .threads = options->threads,
        .partitions = options->partitions,
        .count = (MPI_Count) (bytes / sizeof(float) / (size_t) options->partitions),
        .block = (int) (bytes / sizeof(float)),
        .request = MPI_REQUEST_NULL,
    };
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->size);
    make_communicator(c, options->neighbors);
    cut_blocks(c, options->uneven);
    c->blocks_out = block_count(c, operation->out_where, operation->out_blocks);
    c->blocks_in = block_count(c, operation->in_where, operation->in_blocks);
    make_lists(c);
    if (BENCH_FROM_ROOT == operation->source) {
        c->in = make_buffer(c, 1);
        c->out = c->in;
    } else {
        c->in = make_buffer(c, c->blocks_in);
        c->out = make_buffer(c, c->blocks_out);
    }
    bench_collective_init(c);
}

void bench_collective_destroy(bench_collective_t *collective)
{
    bench_collective_t *c = collective;
    bench_collective_release(c);
    if (MPI_COMM_WORLD != c->comm) {
        MPI_Comm_free(&c->comm);
    }
    if (c->out != c->in) {
        free(c->out);
    }
    free(c->in);
    free_lists(&c->lists);
    bench_neighborhood_free(&c->hood);
    *c = (bench_collective_t){0};
}

static bool is_persistent(const bench_collective_t *collective)
{
    return BENCH_MODE_PERSISTENT == collective->mode || BENCH_MODE_OTHERS == collective->mode;
}

void bench_collective_init(bench_collective_t *collective)
{
    if (BENCH_MODE_PART == collective->mode) {
        collective->operation->init(collective);
    } else if (is_persistent(collective)) {
        bench_persistent_inits[collective->operation - bench_operations](collective);
    }
}

void bench_collective_release(bench_collective_t *collective)
{
    if (MPI_REQUEST_NULL != collective->request) {
        MPI_Request_free(&collective->request);
    }
}

void bench_collective_start(bench_collective_t *collective)
{
    if (BENCH_MODE_PART != collective->mode) {
        return;
    }
    MPI_Start(&collective->request);
    if (collective->prepare) {
        MPIX_Pbuf_prepare(&collective->request);
    }
}

void bench_collective_ready(bench_collective_t *collective)
{
    const int partitions = collective->blocks_out * collective->partitions;
    if (BENCH_MODE_PART != collective->mode) {
        if (1 < collective->threads) {
            bench_join_threads(collective->threads);
        }
        return;
    }
    if (1 == collective->threads) {
        for (int i = 0; i < partitions; ++i) {
            MPI_Pready(i, collective->request);
        }
        return;
    }
#pragma omp parallel for num_threads(collective->threads) schedule(static)
    for (int i = 0; i < partitions; ++i) {
        MPI_Pready(i, collective->request);
    }
}

void bench_collective_wait(bench_collective_t *collective)
{
    if (is_persistent(collective)) {
        MPI_Start(&collective->request);
    }
    if (BENCH_MODE_MPI == collective->mode) {
        collective->operation->blocking(collective);
    } else {
        MPI_Wait(&collective->request, MPI_STATUS_IGNORE);
    }
}

static double others_bytes(const bench_collective_t *c)
{
    double elements = 0.0;
    for (int b = 0; b < c->size; ++b) {
        elements += (b == c->rank) ? 0.0 : (double) bench_collective_length(c, b);
    }
    return elements * (double) sizeof(float);
}

double bench_collective_wire_bytes(const bench_collective_t *collective)
{
    const double n = (double) collective->size;
    const double block = (double) collective->block * (double) sizeof(float);
    switch (collective->operation->wire) {
    case BENCH_WIRE_OTHERS:
        return others_bytes(collective);
    case BENCH_WIRE_ALLREDUCE:
        return block * 2.0 * (n - 1.0) / n;
    case BENCH_WIRE_NEIGHBORS:
        return block * (double) collective->hood.count;
    case BENCH_WIRE_BLOCK:
        break;
    }
    return block;
}
