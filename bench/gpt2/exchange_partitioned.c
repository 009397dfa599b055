/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Modes partitioned and inplace: one partitioned allreduce of all gradients. They lie in the order
 * in which the backward pass finishes them (layout.h), cut in partitions of equal size; padding at
 * the end makes the last one as long as the others. A partition is marked as soon as the backward
 * pass has finished all of it, and its sum is used as soon as it has arrived.
 *
 *   inplace      one buffer: a partition holds this rank's gradients until it is marked, and the
 *                sums when it has arrived
 *   partitioned  two buffers and two requests with the buffers exchanged, in turn. The sums of a
 * step are in the buffer that takes the gradients of the next
 */
#include "exchange.h"

#include <stdlib.h>

#include "memory.h"

#if defined(BENCH_HAVE_MPIX) && BENCH_HAVE_MPIX

#    include <mpix_partitioned.h>

enum { FLOATS_PER_LINE = 16 };

typedef struct {
    int buffers; /* 1 or 2, and as many requests */
    int turn;    /* the request of this step; its gradients are in the buffer of the same number */
    float *buffer[2];
    MPI_Request request[2];
    int *arrived; /* partitions that one call has reported */
} partitioned_t;

/* Partitions are whole cache lines; the last ones may be padding in part, or in whole. */
static size_t cut(gpt2_exchange_t *x)
{
    const size_t total = x->layout->total;
    const size_t share = (total + (size_t) x->partitions - 1) / (size_t) x->partitions;
    const size_t length = (share + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE * FLOATS_PER_LINE;
    gpt2_pieces_create(&x->pieces, x->partitions);
    for (int i = 0; i <= x->partitions; ++i) {
        const size_t begin = (size_t) i * length;
        x->pieces.begin[i] = (begin < total) ? begin : total;
    }
    return length;
}

static void make_request(gpt2_exchange_t *x, const void *in, float *out, size_t length,
                         MPI_Request *request)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int unused;
    int rank;
    MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN);
    const int rc = MPIX_Pallreduce_init(in, out, x->partitions, (MPI_Count) length, MPI_FLOAT,
                                        MPI_SUM, x->comm, MPI_INFO_NULL, request);
    MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_ARE_FATAL);
    if (MPI_SUCCESS != rc) {
        MPI_Error_string(rc, text, &unused);
        MPI_Comm_rank(x->comm, &rank);
        if (0 == rank) {
            gpt2_fail("MPIX_Pallreduce_init: %s. Is part/ucx in use (mpirun --mca part ucx)?",
                      text);
        }
        MPI_Barrier(x->comm); /* all ranks get the error; one tells it and ends the job */
    }
}

static void create(gpt2_exchange_t *x, int buffers)
{
    const size_t length = cut(x);
    partitioned_t *own = gpt2_allocate(sizeof(*own), "the exchange");
    own->buffers = buffers;
    own->arrived = gpt2_allocate((size_t) x->partitions * sizeof(int), "the list of partitions");
    for (int i = 0; i < buffers; ++i) {
        own->buffer[i] = gpt2_floats((size_t) x->partitions * length, "the gradients");
    }
    x->own = own;
    if (1 == buffers) {
        make_request(x, MPI_IN_PLACE, own->buffer[0], length, &own->request[0]);
    } else {
        make_request(x, own->buffer[0], own->buffer[1], length, &own->request[0]);
        make_request(x, own->buffer[1], own->buffer[0], length, &own->request[1]);
    }
}

static void create_partitioned(gpt2_exchange_t *x)
{
    create(x, 2);
}

static void create_inplace(gpt2_exchange_t *x)
{
    create(x, 1);
}

static void destroy(gpt2_exchange_t *x)
{
    partitioned_t *own = x->own;
    for (int i = 0; i < own->buffers; ++i) {
        MPI_Request_free(&own->request[i]);
        free(own->buffer[i]);
    }
    free(own->arrived);
    free(own);
}

static void begin(gpt2_exchange_t *x)
{
    partitioned_t *own = x->own;
    x->gradients = own->buffer[own->turn];
    x->sums = own->buffer[own->buffers - 1 - own->turn];
    MPI_Start(&own->request[own->turn]);
    for (int i = 0; i < x->partitions; ++i) {
        if (0 == gpt2_pieces_length(&x->pieces, i)) {
            MPI_Pready(i, own->request[own->turn]); /* nothing but padding */
        }
    }
}

static void ready(gpt2_exchange_t *x, int piece)
{
    partitioned_t *own = x->own;
    MPI_Pready(piece, own->request[own->turn]);
}

static void poll(gpt2_exchange_t *x)
{
    partitioned_t *own = x->own;
    int count = 0;
    MPIX_Parrived_some(own->request[own->turn], x->partitions, &count, own->arrived);
    for (int i = 0; MPI_UNDEFINED != count && i < count; ++i) {
        gpt2_exchange_arrive(x, own->arrived[i]);
    }
}

static void end(gpt2_exchange_t *x)
{
    partitioned_t *own = x->own;
    MPI_Wait(&own->request[own->turn], MPI_STATUS_IGNORE);
    own->turn = (own->turn + 1) % own->buffers;
}

const gpt2_exchange_mode_t gpt2_exchange_partitioned = {
    .name = "partitioned",
    .help = "MPIX_Pallreduce from one buffer to another, which change places in every step",
    .background = true,
    .create = create_partitioned,
    .destroy = destroy,
    .begin = begin,
    .ready = ready,
    .poll = poll,
    .end = end,
};

const gpt2_exchange_mode_t gpt2_exchange_inplace = {
    .name = "inplace",
    .help = "MPIX_Pallreduce in place",
    .background = true,
    .create = create_inplace,
    .destroy = destroy,
    .begin = begin,
    .ready = ready,
    .poll = poll,
    .end = end,
};

#endif
