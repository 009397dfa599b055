/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers, requests and rounds of a trial.
 */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/pattern.h"
#include "buffers.h"

const char *const trial_form_names[TRIAL_FORMS] = {"blocking", "persistent", "partitioned"};

bool trial_has(const trial_operation_t *operation, trial_form_t form)
{
    switch (form) {
    case TRIAL_PERSISTENT:
        return NULL != operation->persistent;
    case TRIAL_PARTITIONED:
        return NULL != operation->partitioned;
    default:
        return true;
    }
}

/* ---- buffers ---- */

static size_t blocks(trial_where_t where, trial_blocks_t count, int size, bool root)
{
    if (TRIAL_NOWHERE == where || (TRIAL_AT_ROOT == where && !root)) {
        return 0;
    }
    return (TRIAL_PER_RANK == count) ? (size_t) size : 1;
}

int trial_messages(const trial_operation_t *operation, size_t bytes)
{
    const size_t most = TRIAL_WINDOW_BYTES / (0 == bytes ? 1 : bytes);
    if (!operation->window) {
        return 1;
    }
    return most < 2 ? 2 : most > TRIAL_WINDOW ? TRIAL_WINDOW : (int) most;
}

static size_t out_blocks(const trial_operation_t *o, size_t bytes, int size, bool root)
{
    return blocks(o->out_where, o->out_blocks, size, root) * (size_t) trial_messages(o, bytes);
}

static size_t in_blocks(const trial_operation_t *o, size_t bytes, int size, bool root)
{
    return blocks(o->in_where, o->in_blocks, size, root) * (size_t) trial_messages(o, bytes);
}

double trial_memory(const trial_operation_t *operation, size_t bytes, int size)
{
    return (double) bytes
           * (double) (out_blocks(operation, bytes, size, true)
                       + in_blocks(operation, bytes, size, true));
}

static bool sums(const trial_t *trial)
{
    return TRIAL_SUM == trial->operation->source || TRIAL_SHARE_OF_SUM == trial->operation->source;
}

/* Small whole numbers, so that sums are exact in any order. */
static float element(int rank, size_t index)
{
    return (float) ((index * 7 + (size_t) rank * 13) % 32);
}

/* Of the bytes of a block. */
static unsigned seed(int rank, int block)
{
    return (unsigned) rank * 31u + (unsigned) block;
}

static void fill_block(const trial_t *trial, char *block, size_t index)
{
    const size_t count = trial->bytes / sizeof(float);
    float *values = (float *) (void *) block;
    if (!sums(trial)) {
        bench_pattern_fill(block, trial->bytes, seed(trial->rank, (int) index));
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        values[i] = element(trial->rank, index * count + i);
    }
}

/* Block by block: the buffer may be where only copies come to. */
static void fill(trial_t *trial)
{
    const size_t count = out_blocks(trial->operation, trial->bytes, trial->size, 0 == trial->rank);
    char *block = bench_buffer(trial->bytes);
    for (size_t b = 0; b < count; ++b) {
        fill_block(trial, block, b);
        buffers_write(trial->out + b * trial->bytes, block, trial->bytes);
    }
    free(block);
}

void trial_clear(trial_t *trial)
{
    if (trial->in != trial->out) {
        buffers_set(trial->in, 0x5a,
                    in_blocks(trial->operation, trial->bytes, trial->size, 0 == trial->rank)
                        * trial->bytes);
    } else if (0 != trial->rank) {
        buffers_set(trial->in, 0x5a, trial->bytes);
    }
}

static void check_sums(const trial_t *trial, const char *block)
{
    const float *values = (const float *) (const void *) block;
    const size_t count = trial->bytes / sizeof(float);
    const size_t first = (TRIAL_SHARE_OF_SUM == trial->operation->source)
                             ? (size_t) trial->rank * count
                             : 0;
    for (size_t i = 0; i < count; ++i) {
        float sum = 0.0f;
        for (int rank = 0; rank < trial->size; ++rank) {
            sum += element(rank, first + i);
        }
        if (values[i] < sum || values[i] > sum) {
            fprintf(stderr, "mpi_compare: %s, %s: element %zu of rank %d is %g, not %g\n",
                    trial->operation->name, trial_form_names[trial->form], i, trial->rank,
                    (double) values[i], (double) sum);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

static unsigned source_seed(const trial_t *trial, int block)
{
    if (trial->operation->pairs) {
        return seed(trial->partner, block);
    }
    switch (trial->operation->source) {
    case TRIAL_FROM_EACH:
        return seed(block, 0);
    case TRIAL_ROOT_SHARE:
        return seed(0, trial->rank);
    case TRIAL_EACH_SHARE:
        return seed(block, trial->rank);
    default:
        return seed(0, 0);
    }
}

/* Does this rank get anything? */
static bool hears(const trial_t *trial)
{
    const trial_operation_t *o = trial->operation;
    if (o->pairs) {
        return !trial->first || !o->window || 2 == o->both_ways;
    }
    return TRIAL_NOTHING != o->source;
}

void trial_check(const trial_t *trial)
{
    const int count = (int) in_blocks(trial->operation, trial->bytes, trial->size,
                                       0 == trial->rank);
    char *block = bench_buffer(trial->bytes);
    for (int b = 0; hears(trial) && b < count; ++b) {
        buffers_read(block, trial->in + (size_t) b * trial->bytes, trial->bytes);
        if (sums(trial)) {
            check_sums(trial, block);
        } else {
            bench_pattern_check(block, trial->bytes, source_seed(trial, b));
        }
    }
    free(block);
}

/* ---- life ---- */

static void make_buffers(trial_t *trial)
{
    const bool root = 0 == trial->rank;
    const size_t outs = out_blocks(trial->operation, trial->bytes, trial->size, root);
    const size_t ins = in_blocks(trial->operation, trial->bytes, trial->size, root);
    /* A broadcast has one buffer, on all ranks; the root fills it. */
    const bool one = TRIAL_FROM_ROOT == trial->operation->source;
    trial->out = buffers_allocate((one ? 1 : outs) * trial->bytes);
    fill(trial);
    trial->in = one ? trial->out : buffers_allocate(ins * trial->bytes);
}

static int make_requests(trial_t *trial)
{
    switch (trial->form) {
    case TRIAL_PERSISTENT:
        return trial->operation->persistent(trial);
    case TRIAL_PARTITIONED:
        return trial->operation->partitioned(trial);
    default:
        return MPI_SUCCESS;
    }
}

bool trial_create(trial_t *trial, const trial_operation_t *operation, trial_form_t form,
                  size_t bytes, int partitions)
{
    int good, all;
    *trial = (trial_t){.operation = operation,
                       .form = form,
                       .bytes = bytes,
                       .partitions = (bytes % (size_t) partitions
                                      || (bytes / (size_t) partitions) % operation->unit)
                                         ? 1
                                         : partitions};
    for (int i = 0; i < 2 * TRIAL_WINDOW; ++i) {
        trial->request[i] = MPI_REQUEST_NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &trial->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &trial->size);
    trial->first = trial->rank < trial->size / 2;
    trial->partner = (trial->rank + trial->size / 2) % trial->size;
    make_buffers(trial);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    good = MPI_SUCCESS == make_requests(trial);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return 0 != all;
}

void trial_destroy(trial_t *trial)
{
    for (int i = 0; i < trial->requests; ++i) {
        if (MPI_REQUEST_NULL != trial->request[i]) {
            MPI_Request_free(&trial->request[i]);
        }
    }
    if (trial->out != trial->in) {
        buffers_free(trial->out);
    }
    buffers_free(trial->in);
}

/* ---- rounds ---- */

void trial_start(trial_t *trial, int first, int count, bool sends)
{
    MPI_Startall(count, &trial->request[first]);
#if TRIAL_HAVE_MPI4
    if (sends && TRIAL_PARTITIONED == trial->form) {
        const trial_operation_t *o = trial->operation;
        const size_t blocks_out
            = o->pairs ? 1 : out_blocks(o, trial->bytes, trial->size, 0 == trial->rank);
        const size_t marks = (size_t) trial->partitions * blocks_out;
        for (int i = first; i < first + count; ++i) {
            for (size_t k = 0; k < marks; ++k) {
                MPI_Pready((int) k, trial->request[i]);
            }
        }
    }
#else
    (void) sends;
#endif
}

void trial_wait(trial_t *trial, int first, int count)
{
    MPI_Waitall(count, &trial->request[first], MPI_STATUSES_IGNORE);
}

void trial_round(trial_t *trial)
{
    if (TRIAL_BLOCKING == trial->form) {
        trial->operation->blocking(trial);
    } else if (NULL != trial->operation->round) {
        trial->operation->round(trial);
    } else {
        trial_start(trial, 0, trial->requests, true);
        trial_wait(trial, 0, trial->requests);
    }
}
