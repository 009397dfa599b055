/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The text that is learnt.
 */
#define _GNU_SOURCE
#include "dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

void gpt2_dataset_open(gpt2_dataset_t *data, const char *path, int batch, int context, int rank,
                       int ranks)
{
    struct stat state;
    const size_t tokens = (size_t) batch * (size_t) context;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (0 > file || 0 != fstat(file, &state)) {
        gpt2_fail("rank %d cannot read the data %s: %s", rank, path, strerror(errno));
    }
    /* The last target is the byte behind the last sequence. */
    if (!S_ISREG(state.st_mode) || state.st_size <= context) {
        gpt2_fail("rank %d: the data %s must be a file of more than %d bytes", rank, path, context);
    }
    *data = (gpt2_dataset_t){
        .path = path,
        .file = file,
        .batch = batch,
        .context = context,
        .rank = rank,
        .ranks = ranks,
        .sequences = (uint64_t) (state.st_size - 1) / (uint64_t) context,
        .bytes = gpt2_allocate((size_t) context + 1, "a sequence"),
        .inputs = gpt2_allocate(tokens * sizeof(int), "a batch"),
        .targets = gpt2_allocate(tokens * sizeof(int), "a batch"),
    };
}

void gpt2_dataset_close(gpt2_dataset_t *data)
{
    close(data->file);
    free(data->bytes);
    free(data->inputs);
    free(data->targets);
    *data = (gpt2_dataset_t){.file = -1};
}

static void read_sequence(const gpt2_dataset_t *data, uint64_t number)
{
    const size_t wanted = (size_t) data->context + 1;
    const uint64_t begin = number % data->sequences * (uint64_t) data->context;
    size_t done = 0;
    while (done < wanted) {
        const ssize_t got =
            pread(data->file, data->bytes + done, wanted - done, (off_t) (begin + done));
        if (0 > got && EINTR == errno) {
            continue;
        }
        if (0 >= got) {
            gpt2_fail("rank %d cannot read the data %s at byte %llu: %s", data->rank, data->path,
                      (unsigned long long) (begin + done),
                      (0 == got) ? "it ends" : strerror(errno));
        }
        done += (size_t) got;
    }
}

void gpt2_dataset_next(gpt2_dataset_t *data)
{
    const uint64_t first = data->position + (uint64_t) data->rank * (uint64_t) data->batch;
    for (int b = 0; b < data->batch; ++b) {
        read_sequence(data, first + (uint64_t) b);
        for (int t = 0; t < data->context; ++t) {
            const size_t place = (size_t) b * (size_t) data->context + (size_t) t;
            data->inputs[place] = data->bytes[t];
            data->targets[place] = data->bytes[t + 1];
        }
    }
    data->position += (uint64_t) data->ranks * (uint64_t) data->batch;
}
