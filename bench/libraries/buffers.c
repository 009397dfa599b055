/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the host or of an accelerator (see buffers.h).
 */
#include "buffers.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI)
#    include <mpi-ext.h>
#endif

#include "../common/pattern.h"
#include "cuda.h"

static bool on_device;

/* Does the library say that it takes such memory? One that does not say may be able to. */
static bool library_can(void)
{
#if defined(OPEN_MPI) && defined(OMPI_HAVE_MPI_EXT_CUDA)
    return 0 != MPIX_Query_cuda_support();
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
    int can = 0;
    return MPI_SUCCESS == MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &can) && 0 != can;
#else
    return true;
#endif
}

static int rank_on_host(void)
{
    MPI_Comm host;
    int rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

/* NULL, or why this rank has no such memory. */
static const char *open_device(const char *kind, bool assumed)
{
    const int rank = rank_on_host();
    if (0 == strcmp(kind, "host")) {
        return NULL;
    }
    if (0 != strcmp(kind, "cuda")) {
        return "buffers are \"host\" or \"cuda\"";
    }
    on_device = true;
    if (!assumed && !library_can()) {
        return "this MPI library says that it cannot take buffers of a CUDA device";
    }
    return cuda_open(rank);
}

/* The first rank that has something to say, says it. */
static void tell(const char *why, int rank, int speaker)
{
    char text[200] = "";
    if (NULL != why) {
        snprintf(text, sizeof(text), "%s", why);
    }
    MPI_Bcast(text, sizeof(text), MPI_CHAR, speaker, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("# cannot: rank %d: %s\n", speaker, text);
        fflush(stdout);
    }
}

bool buffers_choose(const char *kind, bool assumed)
{
    const char *why = open_device(kind, assumed);
    int rank, size, mine, speaker;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = NULL != why ? rank : size;
    MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (speaker < size) {
        tell(why, rank, speaker);
    }
    return speaker == size;
}

const char *buffers_text(void)
{
    return on_device ? cuda_text() : "host memory";
}

char *buffers_allocate(size_t bytes)
{
    return on_device ? cuda_allocate(bytes) : bench_buffer(bytes);
}

void buffers_free(char *buffer)
{
    if (on_device) {
        cuda_free(buffer);
    } else {
        free(buffer);
    }
}

void buffers_write(char *buffer, const void *from, size_t bytes)
{
    if (on_device) {
        cuda_write(buffer, from, bytes);
    } else if (0 < bytes) {
        memcpy(buffer, from, bytes);
    }
}

void buffers_read(void *to, const char *buffer, size_t bytes)
{
    if (on_device) {
        cuda_read(to, buffer, bytes);
    } else if (0 < bytes) {
        memcpy(to, buffer, bytes);
    }
}

void buffers_set(char *buffer, unsigned char value, size_t bytes)
{
    if (on_device) {
        cuda_set(buffer, value, bytes);
    } else if (0 < bytes) {
        memset(buffer, value, bytes);
    }
}
