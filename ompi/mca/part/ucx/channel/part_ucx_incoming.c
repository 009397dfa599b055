/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For whom a message is, and what is dropped (see part_ucx_incoming.h).
 */
#include "channel/part_ucx_incoming.h"

#include "process/part_ucx_process.h"

#include <string.h>

mca_part_ucx_recv_t *mca_part_ucx_incoming_recv(const void *header, size_t header_length,
                                                mca_part_ucx_data_header_t *head)
{
    if (sizeof(*head) != header_length) {
        head->key = 0;
        return NULL;
    }
    memcpy(head, header, sizeof(*head)); /* UCX does not promise alignment */
    return mca_part_ucx_recv_find(head);
}

ucs_status_t mca_part_ucx_incoming_dropped(const ucp_am_recv_param_t *param)
{
    /* Of an offer UCS_OK would tell its sender that it has been taken. */
    return mca_part_ucx_incoming_is_offered(param) ? UCS_ERR_CANCELED : UCS_OK;
}

ucs_status_t mca_part_ucx_incoming_stray(uint64_t key, const ucp_am_recv_param_t *param)
{
    /* One that is late, for a channel that is gone, is nothing to worry about. */
    if (0 == key || NULL != mca_part_ucx_table_find(&mca_part_ucx_channels, key)
        || !mca_part_ucx_table_is_past(&mca_part_ucx_channels, key)) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.strays, 1, memory_order_relaxed);
    }
    return mca_part_ucx_incoming_dropped(param);
}

ucs_status_t mca_part_ucx_incoming_refused(mca_part_ucx_verdict_t verdict,
                                           mca_part_ucx_recv_t *recv,
                                           const mca_part_ucx_data_header_t *head,
                                           const ucp_am_recv_param_t *param)
{
    mca_part_ucx_recv_refuse(recv, head, verdict);
    return mca_part_ucx_incoming_dropped(param);
}
