/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that only an accelerator can reach. Neither component moves it.
 */
#ifndef PART_UCX_ACCELERATOR_H
#define PART_UCX_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "opal/mca/accelerator/accelerator.h"

/**
 * Is this address in memory of an accelerator that the processor cannot use? Memory that both
 * share, and an Open MPI that knows no accelerator: false.
 *
 * @param address  of a buffer, not NULL
 */
static inline bool mca_part_ucx_is_on_accelerator(const void *address)
{
    uint64_t flags = 0;
    int device;

    return NULL != opal_accelerator.check_addr
           && 0 < opal_accelerator.check_addr(address, &device, &flags)
           && 0 == (flags & MCA_ACCELERATOR_FLAGS_UNIFIED_MEMORY);
}

#endif /* PART_UCX_ACCELERATOR_H */
