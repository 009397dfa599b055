/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the engine of a request runs on: ports for transfers, deferred tasks of part/ucx for work.
 */
#ifndef COLL_PSCHEDULE_BACKEND_H
#define COLL_PSCHEDULE_BACKEND_H

#include "api/part_ucx_task.h"

#include <stdint.h>

struct mca_coll_pschedule_request_t;

/** A node that the engine has deferred. */
typedef struct mca_coll_pschedule_job_t {
    mca_part_ucx_task_t task;
    struct mca_coll_pschedule_request_t *owner;
    uint32_t node;
} mca_coll_pschedule_job_t;

/** Make the jobs and the engine of a request whose plan and buffers are there. False: no memory. */
bool mca_coll_pschedule_backend_init(struct mca_coll_pschedule_request_t *request);

#endif /* COLL_PSCHEDULE_BACKEND_H */
