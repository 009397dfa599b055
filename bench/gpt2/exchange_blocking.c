/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Modes none and blocking: all gradients at once, when the backward pass has ended.
 */
#include "exchange.h"

#include <limits.h>

#include "memory.h"

static void create_blocking(gpt2_exchange_t *x)
{
    if (x->layout->total > (size_t) INT_MAX) {
        gpt2_fail("MPI_Allreduce cannot count %zu gradients", x->layout->total);
    }
    gpt2_exchange_create_whole(x);
}

static void ready_blocking(gpt2_exchange_t *x, int piece)
{
    MPI_Allreduce(MPI_IN_PLACE, x->gradients, (int) x->layout->total, MPI_FLOAT, MPI_SUM, x->comm);
    gpt2_exchange_arrive(x, piece);
}

const gpt2_exchange_mode_t gpt2_exchange_none = {
    .name = "none",
    .help = "nothing is exchanged; for one rank",
    .create = gpt2_exchange_create_whole,
    .destroy = gpt2_exchange_destroy_whole,
    .ready = gpt2_exchange_arrive,
};

const gpt2_exchange_mode_t gpt2_exchange_blocking = {
    .name = "blocking",
    .help = "MPI_Allreduce in place after the backward pass",
    .create = create_blocking,
    .destroy = gpt2_exchange_destroy_whole,
    .ready = ready_blocking,
};
