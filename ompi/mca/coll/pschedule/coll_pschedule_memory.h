/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All memory of a request: what its plan needs, and, where the ranks of a host share memory, one
 * segment with scratch memory and boxes. Made in init, so that no epoch allocates.
 */
#ifndef COLL_PSCHEDULE_MEMORY_H
#define COLL_PSCHEDULE_MEMORY_H

#include "call/coll_pschedule_topology.h"
#include "plan/coll_pschedule_plan.h"

struct mca_coll_pschedule_request_t;

/** Memory of a request with a plan. Returns an MPI error class. */
int mca_coll_pschedule_memory_make(struct mca_coll_pschedule_request_t *request,
                                   const mca_coll_pschedule_topology_t *topology);

/** What a link from a rank of this host wants of the shared memory for boxes; bytes. */
uint64_t mca_coll_pschedule_memory_boxes(const struct mca_coll_pschedule_request_t *request,
                                         const mca_coll_pschedule_link_t *link);

/** All of it back, with plan, ports and jobs; the links are closed. */
void mca_coll_pschedule_memory_free(struct mca_coll_pschedule_request_t *request);

#endif /* COLL_PSCHEDULE_MEMORY_H */
