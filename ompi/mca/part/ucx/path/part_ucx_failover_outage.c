/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Closing endpoints (see part_ucx_failover_outage.h).
 */
#include "path/part_ucx_failover_outage.h"

#include "path/part_ucx_failover_sockets.h"
#include "process/part_ucx_process.h"

void mca_part_ucx_failover_outage_give_up(mca_part_ucx_endpoint_t *endpoint, const char *why)
{
    mca_part_ucx_path_lock(endpoint->path);
    mca_part_ucx_endpoint_lose(endpoint, why);
    mca_part_ucx_path_unlock(endpoint->path);
}

void mca_part_ucx_failover_outage_close(mca_part_ucx_endpoint_t *endpoint)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t status = NULL;

    mca_part_ucx_path_lock(endpoint->path);
    atomic_store(&endpoint->outage.state, PART_UCX_ENDPOINT_CLOSING);
    /* Else UCX keeps the connection, to receive what the peer may still send, and crashes (1.13) if
     * it can be read and written again at the same moment: when the cable is plugged in. */
    mca_part_ucx_failover_sockets_end(endpoint->path->event_fd, &endpoint->path->device.subnet,
                                      &endpoint->peer->remote[endpoint->remote].subnet);
    if (NULL != endpoint->ucp) { /* else none could be made */
        status = ucp_ep_close_nbx(endpoint->ucp, &param);
    }
    endpoint->outage.closing = UCS_PTR_IS_PTR(status) ? status : NULL;
    endpoint->status = UCS_ERR_CANCELED; /* puts whose flush has not ended are lost */
    mca_part_ucx_path_unlock(endpoint->path);
}

void mca_part_ucx_failover_outage_end_close(mca_part_ucx_endpoint_t *endpoint)
{
    ucs_status_ptr_t closing = endpoint->outage.closing;

    mca_part_ucx_path_lock(endpoint->path);
    if (NULL != closing && UCS_INPROGRESS != ucp_request_check_status(closing)) {
        ucp_request_free(closing);
        endpoint->outage.closing = closing = NULL;
    }
    if (NULL == closing) {
        endpoint->ucp = NULL;
        atomic_store(&endpoint->outage.state, PART_UCX_ENDPOINT_DOWN);
    }
    mca_part_ucx_path_unlock(endpoint->path);
}

/* Several threads may hear something. */
static void lift(atomic_uint *number, uint32_t value)
{
    uint32_t present = atomic_load(number);

    while (present < value && !atomic_compare_exchange_weak(number, &present, value)) {
        continue;
    }
}

void mca_part_ucx_failover_outage_heard(mca_part_ucx_endpoint_t *endpoint, uint32_t generation,
                                        bool answer)
{
    lift(&endpoint->outage.heard_down, generation + 1);
    if (!answer) {
        atomic_store(&endpoint->outage.wants_down, true);
    }
    mca_part_ucx_watchdog_soon();
}

void mca_part_ucx_failover_outage_heard_back(mca_part_ucx_endpoint_t *endpoint, uint32_t generation)
{
    lift(&endpoint->outage.heard_back, generation);
    mca_part_ucx_watchdog_soon();
}
