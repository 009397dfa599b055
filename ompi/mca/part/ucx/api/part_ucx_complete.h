/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Telling Open MPI that a request is complete.
 */
#ifndef PART_UCX_COMPLETE_H
#define PART_UCX_COMPLETE_H

#include "ompi_config.h"
#include "ompi/request/request.h"

#include <stdatomic.h>

/** A thread that finds it complete sees all that was written before. Open MPI's own exchange of
 * `req_complete` orders nothing (on ARM and POWER). */
static inline void mca_part_ucx_complete(ompi_request_t *request)
{
    atomic_thread_fence(memory_order_release);
    ompi_request_complete(request, true);
}

#endif /* PART_UCX_COMPLETE_H */
