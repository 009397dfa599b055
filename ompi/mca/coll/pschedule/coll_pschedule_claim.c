/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPIX_Parrived_any and MPIX_Parrived_some on collectives: each partition of the result is handed
 * out once per iteration.
 */
#include "coll_pschedule_request.h"

/* An epoch of a request, for mca_part_ucx_claims_take(). */
typedef struct claimable_t {
    mca_coll_pschedule_request_t *request;
    uint32_t epoch;
} claimable_t;

static bool is_claimable(void *context, uint32_t partition)
{
    claimable_t *claimable = context;

    return claimable->epoch
           == atomic_load_explicit(&claimable->request->arrived[partition], memory_order_acquire);
}

int mca_coll_pschedule_request_claim(mca_part_ucx_any_request_t *any, int room, int *count,
                                     int partitions[])
{
    mca_coll_pschedule_request_t *request = (mca_coll_pschedule_request_t *) any;
    bool active = OMPI_REQUEST_ACTIVE == any->super.req_state;
    claimable_t claimable = {.request = request, .epoch = atomic_load(&request->epoch)};
    int error = atomic_load(&request->error);

    *count = MPI_UNDEFINED;
    if (0 == claimable.epoch || 0 == request->plan->recv_partitions) {
        return MPI_SUCCESS;
    }
    if (!active && MPI_SUCCESS != error) {
        return error;
    }
    *count = mca_part_ucx_claims_take(&request->claims, claimable.epoch, is_claimable, &claimable,
                                      room, partitions);
    if (PART_UCX_CLAIMS_OVER == *count) {
        *count = MPI_UNDEFINED;
    } else if (0 == *count) {
        if (MPI_SUCCESS != error) {
            return error;
        }
        request->links->miss();
    }
    return MPI_SUCCESS;
}
