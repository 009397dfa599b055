/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a training in a file.
 */
#define _GNU_SOURCE
#include "checkpoint.h"

#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "memory.h"

/*
 *   0  magic      "GPT2 v1\n"
 *   8  order      0x01020304 in the byte order of the machine that wrote it
 *  12  ranks      these three say how the position in the data came about
 *  16  batch
 *  20  context
 *  24  config     its name, filled up with zeros
 *  40  parameters how many; three arrays of so many floats follow the header
 *  48  step
 *  56  position   sequences that all ranks together have taken
 *  64  hash       of the arrays
 */
typedef struct {
    char magic[8];
    uint32_t order;
    uint32_t ranks;
    uint32_t batch;
    uint32_t context;
    char config[16];
    uint64_t parameters;
    uint64_t step;
    uint64_t position;
    uint64_t hash;
} header_t;

_Static_assert(72 == sizeof(header_t), "the header of a checkpoint has gaps");

static const char magic[8] = {'G', 'P', 'T', '2', ' ', 'v', '1', '\n'};
static const uint32_t order = 0x01020304;

enum { ARRAYS = 3 };

static float *array(const gpt2_state_t *state, int i)
{
    return (0 == i)   ? state->optimizer->parameters
           : (1 == i) ? state->optimizer->first
                      : state->optimizer->second;
}

static uint64_t hash_arrays(const gpt2_state_t *state)
{
    uint64_t hash = 0;
    for (int i = 0; i < ARRAYS; ++i) {
        hash = gpt2_hash(hash, array(state, i), state->optimizer->layout->total * sizeof(float));
    }
    return hash;
}

static header_t make_header(const gpt2_state_t *state)
{
    header_t header = {
        .order = order,
        .ranks = (uint32_t) state->data->ranks,
        .batch = (uint32_t) state->data->batch,
        .context = (uint32_t) state->data->context,
        .parameters = state->optimizer->layout->total,
        .step = (uint64_t) state->optimizer->step,
        .position = state->data->position,
        .hash = hash_arrays(state),
    };
    memcpy(header.magic, magic, sizeof(magic));
    snprintf(header.config, sizeof(header.config), "%s", state->config->name);
    return header;
}

static void write_all(FILE *file, const void *from, size_t bytes, const char *path)
{
    if (1 != fwrite(from, bytes, 1, file)) {
        gpt2_fail("cannot write the checkpoint %s: %s", path, strerror(errno));
    }
}

void gpt2_checkpoint_save(const gpt2_state_t *state, const char *path)
{
    const header_t header = make_header(state);
    char *unfinished = NULL;
    FILE *file = NULL;
    if (0 > asprintf(&unfinished, "%s.new", path)) {
        gpt2_fail("no memory for the name of the checkpoint %s", path);
    }
    file = fopen(unfinished, "wb");
    if (NULL == file) {
        gpt2_fail("cannot write the checkpoint %s: %s", unfinished, strerror(errno));
    }
    write_all(file, &header, sizeof(header), unfinished);
    for (int i = 0; i < ARRAYS; ++i) {
        write_all(file, array(state, i), header.parameters * sizeof(float), unfinished);
    }
    if (0 != fflush(file) || 0 != fsync(fileno(file)) || 0 != fclose(file)
        || 0 != rename(unfinished, path)) {
        gpt2_fail("cannot write the checkpoint %s: %s", path, strerror(errno));
    }
    free(unfinished);
}

static void check_header(const gpt2_state_t *state, const header_t *header, const char *path)
{
    const gpt2_dataset_t *data = state->data;
    if (0 != memcmp(header->magic, magic, sizeof(magic)) || order != header->order) {
        gpt2_fail("%s is no checkpoint of this program on this kind of machine", path);
    }
    if (0 != strncmp(header->config, state->config->name, sizeof(header->config))
        || state->optimizer->layout->total != header->parameters) {
        gpt2_fail("the checkpoint %s is of configuration %.16s, not of %s", path, header->config,
                  state->config->name);
    }
    if ((uint32_t) data->ranks != header->ranks || (uint32_t) data->batch != header->batch
        || (uint32_t) data->context != header->context) {
        printf("# the checkpoint is of %u ranks, batch %u, context %u: this is another training"
               " from here on\n",
               header->ranks, header->batch, header->context);
    }
}

static void read_file(const gpt2_state_t *state, const char *path, header_t *header)
{
    FILE *file = fopen(path, "rb");
    if (NULL == file) {
        gpt2_fail("cannot read the checkpoint %s: %s", path, strerror(errno));
    }
    if (1 != fread(header, sizeof(*header), 1, file)) {
        gpt2_fail("%s is no checkpoint of this program on this kind of machine", path);
    }
    check_header(state, header, path);
    for (int i = 0; i < ARRAYS; ++i) {
        if (1 != fread(array(state, i), header->parameters * sizeof(float), 1, file)) {
            gpt2_fail("the checkpoint %s is too short", path);
        }
    }
    fclose(file);
    if (hash_arrays(state) != header->hash) {
        gpt2_fail("the checkpoint %s is damaged: its hash does not fit", path);
    }
}

void gpt2_checkpoint_load(const gpt2_state_t *state, const char *path)
{
    header_t header = {.step = 0};
    if (0 == state->data->rank) {
        read_file(state, path, &header);
    }
    MPI_Bcast(&header, (int) sizeof(header), MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 1; i < ARRAYS; ++i) { /* the parameters are sent in any case, see train.c */
        MPI_Bcast(array(state, i), (int) header.parameters, MPI_FLOAT, 0, MPI_COMM_WORLD);
    }
    state->optimizer->step = (long) header.step;
    state->data->position = header.position;
}
