/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Handing out partitions (see part_ucx_claim.h). Pure.
 */
#include "api/part_ucx_claim.h"

#include <stdlib.h>

#include "mpi.h"

bool mca_part_ucx_claims_init(mca_part_ucx_claims_t *claims, uint32_t partitions)
{
    claims->partitions = partitions;
    atomic_init(&claims->hint, 0);
    claims->epoch = calloc((size_t) partitions + 1, sizeof(*claims->epoch));
    return NULL != claims->epoch;
}

void mca_part_ucx_claims_fini(mca_part_ucx_claims_t *claims)
{
    free((void *) claims->epoch);
    claims->epoch = NULL;
}

void mca_part_ucx_claims_forget(mca_part_ucx_claims_t *claims)
{
    atomic_store_explicit(&claims->hint, 0, memory_order_relaxed);
    for (uint32_t i = 0; NULL != claims->epoch && i < claims->partitions; ++i) {
        atomic_store_explicit(&claims->epoch[i], 0, memory_order_relaxed);
    }
}

static bool is_taken(mca_part_ucx_claims_t *claims, uint32_t epoch, uint32_t partition)
{
    return epoch == atomic_load_explicit(&claims->epoch[partition], memory_order_relaxed);
}

/* The first partition that is not handed out, beginning the search at `from`. */
static uint32_t skip_taken(mca_part_ucx_claims_t *claims, uint32_t epoch, uint32_t from)
{
    while (from < claims->partitions && is_taken(claims, epoch, from)) {
        ++from;
    }
    return from;
}

static uint32_t read_hint(mca_part_ucx_claims_t *claims, uint32_t epoch)
{
    uint64_t hint = atomic_load_explicit(&claims->hint, memory_order_relaxed);

    return hint >> 32 == epoch ? (uint32_t) hint : 0;
}

static void raise_hint(mca_part_ucx_claims_t *claims, uint32_t epoch, uint32_t first)
{
    uint64_t hint = atomic_load_explicit(&claims->hint, memory_order_relaxed);

    while ((hint >> 32 != epoch || (uint32_t) hint < first)
           && !atomic_compare_exchange_weak_explicit(&claims->hint, &hint,
                                                     (uint64_t) epoch << 32 | first,
                                                     memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Only one thread finds the partition not handed out. */
static bool take(mca_part_ucx_claims_t *claims, uint32_t epoch, uint32_t partition)
{
    return epoch
           != atomic_exchange_explicit(&claims->epoch[partition], epoch, memory_order_relaxed);
}

int mca_part_ucx_claims_take(mca_part_ucx_claims_t *claims, uint32_t epoch,
                             mca_part_ucx_claimable_fn_t claimable, void *context, int room,
                             int partitions[])
{
    uint32_t hint = read_hint(claims, epoch);
    uint32_t first = skip_taken(claims, epoch, hint);
    int taken = 0;

    for (uint32_t i = first; i < claims->partitions && taken < room; ++i) {
        if (!is_taken(claims, epoch, i) && (NULL == claimable || claimable(context, i))
            && take(claims, epoch, i)) {
            partitions[taken++] = (int) i;
        }
    }
    first = skip_taken(claims, epoch, first);
    if (first > hint) {
        raise_hint(claims, epoch, first);
    }
    return 0 == taken && first == claims->partitions ? PART_UCX_CLAIMS_OVER : taken;
}

int mca_part_ucx_claims_answer(const mca_part_ucx_claimer_t *claimer, int room, int *count,
                               int partitions[])
{
    *count = MPI_UNDEFINED;
    if (0 == claimer->epoch) {
        return MPI_SUCCESS;
    }
    if (!claimer->active && MPI_SUCCESS != claimer->error) {
        return claimer->error;
    }
    *count = mca_part_ucx_claims_take(claimer->claims, claimer->epoch, claimer->claimable,
                                      claimer->context, room, partitions);
    if (PART_UCX_CLAIMS_OVER == *count) {
        *count = MPI_UNDEFINED;
    }
    return 0 == *count ? claimer->error : MPI_SUCCESS;
}
