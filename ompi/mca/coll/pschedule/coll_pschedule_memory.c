/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of a request (see coll_pschedule_memory.h).
 */
#include "coll_pschedule_memory.h"

#include "coll_pschedule_request.h"

#include <stdlib.h>

/* Alignment of scratch memory: whole cache lines, and vector instructions. */
#define SCRATCH_ALIGN 64u

uint64_t mca_coll_pschedule_memory_boxes(const mca_coll_pschedule_request_t *request,
                                         const mca_coll_pschedule_link_t *link)
{
    const mca_coll_pschedule_transfer_t *transfer = &request->plan->transfer[link->first];
    uint64_t largest = 0, total = 0;

    for (uint32_t i = 0; i < link->count; ++i) {
        largest = transfer[i].bytes > largest ? transfer[i].bytes : largest;
        total += transfer[i].bytes;
    }
    return link->is_send ? 0 : request->links->boxes(link->count, largest, total);
}

/* What links from ranks of this host use, if these ranks can copy into what this one shares: the
 * boxes of all. `any`: there is such a link. */
static uint64_t all_boxes(const mca_coll_pschedule_request_t *request,
                          const mca_coll_pschedule_topology_t *topology, bool *any)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    uint64_t bytes = 0;

    *any = false;
    for (uint32_t i = 0; i < plan->links && topology->hosts.shares; ++i) {
        if (!plan->link[i].is_send && topology->beside[plan->link[i].peer]) {
            bytes += mca_coll_pschedule_memory_boxes(request, &plan->link[i]);
            *any = true;
        }
    }
    return bytes;
}

/* Where ranks share memory, what they send each other is copied into it right away. Behind it lie
 * the list of where that goes, and the boxes. */
static bool share_scratch(mca_coll_pschedule_request_t *request,
                          const mca_coll_pschedule_topology_t *topology)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    bool any;
    uint64_t boxes = all_boxes(request, topology, &any);
    uint64_t list_at = mca_coll_pschedule_padded(plan->scratch);
    uint64_t boxes_at
        = list_at + mca_coll_pschedule_padded((uint64_t) plan->transfers * sizeof(*request->piece));

    if (!any || (0 == plan->scratch && 0 == boxes)
        || !request->links->share(&request->shm, boxes_at + boxes)) {
        return false;
    }
    request->buffers.base[COLL_PSCHEDULE_SPACE_SCRATCH] = (char *) (uintptr_t) request->shm.base;
    request->piece = (void *) (uintptr_t) (request->shm.base + list_at);
    request->boxes = request->shm.base + boxes_at;
    return true;
}

static bool allocate_scratch(mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    void *scratch = NULL;

    if (0 != plan->scratch && 0 != posix_memalign(&scratch, SCRATCH_ALIGN, plan->scratch)) {
        return false;
    }
    request->buffers.base[COLL_PSCHEDULE_SPACE_SCRATCH] = scratch;
    request->piece = calloc(plan->transfers + 1, sizeof(*request->piece));
    return NULL != request->piece;
}

int mca_coll_pschedule_memory_make(mca_coll_pschedule_request_t *request,
                                   const mca_coll_pschedule_topology_t *topology)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;

    if (!share_scratch(request, topology) && !allocate_scratch(request)) {
        return MPI_ERR_NO_MEM;
    }
    request->marked = calloc(plan->send_partitions + 1, sizeof(*request->marked));
    request->arrived = calloc(plan->recv_partitions + 1, sizeof(*request->arrived));
    if (NULL == request->marked || NULL == request->arrived
        || !mca_part_ucx_claims_init(&request->claims, plan->recv_partitions)) {
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

void mca_coll_pschedule_memory_free(mca_coll_pschedule_request_t *request)
{
    mca_coll_pschedule_engine_fini(&request->engine);
    if (0 != request->shm.base) {
        request->links->unshare(&request->shm);
    } else {
        free(request->buffers.base[COLL_PSCHEDULE_SPACE_SCRATCH]);
        free(request->piece);
    }
    mca_coll_pschedule_buffers_release(&request->buffers);
    mca_coll_pschedule_plan_free(request->plan);
    free(request->port);
    free(request->job_of);
    free(request->job);
    free((void *) request->marked);
    free((void *) request->arrived);
    mca_part_ucx_claims_fini(&request->claims);
}
