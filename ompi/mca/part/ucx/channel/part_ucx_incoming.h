/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What every handler of active messages begins with: for whom is this, and what becomes of it where
 * nobody takes it?
 */
#ifndef PART_UCX_INCOMING_H
#define PART_UCX_INCOMING_H

#include "channel/part_ucx_recv.h"

/** Does the message come without its bytes, which are to be fetched (UCX's rendezvous)? */
static inline bool mca_part_ucx_incoming_is_offered(const ucp_am_recv_param_t *param)
{
    return 0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV);
}

/** The receive that a data message is for, and its header, aligned. NULL: there is none; the key of
 * the header is what it names, or 0. */
mca_part_ucx_recv_t *mca_part_ucx_incoming_recv(const void *header, size_t header_length,
                                                mca_part_ucx_data_header_t *head);

/** What a handler returns for a message that is dropped. */
ucs_status_t mca_part_ucx_incoming_dropped(const ucp_am_recv_param_t *param);

/** Drop a message for no channel of this process, and count it. `key` may be 0: unknown. What the
 * handler is to return. */
ucs_status_t mca_part_ucx_incoming_stray(uint64_t key, const ucp_am_recv_param_t *param);

/** Drop a data message that has not been judged good. What the handler is to return. */
ucs_status_t mca_part_ucx_incoming_refused(mca_part_ucx_verdict_t verdict,
                                           mca_part_ucx_recv_t *recv,
                                           const mca_part_ucx_data_header_t *head,
                                           const ucp_am_recv_param_t *param);

#endif /* PART_UCX_INCOMING_H */
