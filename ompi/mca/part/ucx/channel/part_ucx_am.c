/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Deliveries by active messages (see part_ucx_am.h).
 */
#include "channel/part_ucx_am.h"

#include "channel/part_ucx_copy_side.h"
#include "channel/part_ucx_failover_resend.h"
#include "channel/part_ucx_rate_message.h"

uint64_t mca_part_ucx_am_eager_limit(const mca_part_ucx_path_t *path)
{
    return PART_UCX_DEVICE_SHARED == path->device.kind ? mca_part_ucx_params.shared_eager_limit
                                                       : mca_part_ucx_params.eager_limit;
}

/* A receiver refuses an offer when it has gone, has failed, or has no memory. Its path is well. */
static bool is_refused(ucs_status_t status)
{
    return UCS_ERR_CANCELED == status || UCS_ERR_NO_MEMORY == status;
}

/* A message has completed: its source is free again. */
static void message_sent(void *request, ucs_status_t status, void *user_data)
{
    mca_part_ucx_transfer_t *transfer = user_data;

    mca_part_ucx_path_free_request(request);
    if (transfer->reserved) {
        mca_part_ucx_copy_side_undo(transfer->op.endpoint);
    }
    if (NULL != mca_part_ucx_send_in(transfer)->resend) {
        mca_part_ucx_failover_resend_over(transfer, status);
    } else if (UCS_OK != status) {
        if (!is_refused(status)) {
            mca_part_ucx_endpoint_op_failed(transfer->op.endpoint, status);
        }
        mca_part_ucx_send_failed(transfer, status);
    } else {
        mca_part_ucx_deliveries[transfer->row]->done(transfer);
    }
}

ucs_status_ptr_t mca_part_ucx_am_post(mca_part_ucx_transfer_t *transfer, unsigned id,
                                      const void *source, uint64_t length)
{
    bool offer = PART_UCX_AM_OFFER == id;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = offer ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER,
                                 .cb.send = message_sent,
                                 .user_data = transfer};

    if (!offer) {
        mca_part_ucx_rate_message_stamp(transfer->op.endpoint, &transfer->header);
    }
    return ucp_am_send_nbx(transfer->op.endpoint->ucp, id, &transfer->header,
                           sizeof(transfer->header), source, length, &param);
}

void mca_part_ucx_am_post_placed(mca_part_ucx_transfer_t *transfer)
{
    mca_part_ucx_am_settle(transfer, mca_part_ucx_am_post(transfer, PART_UCX_AM_PLACED, NULL, 0));
}

void mca_part_ucx_am_settle(mca_part_ucx_transfer_t *transfer, ucs_status_ptr_t status)
{
    if (!UCS_PTR_IS_PTR(status)) {
        message_sent(NULL, UCS_PTR_RAW_STATUS(status), transfer); /* UCX does not call it then */
    }
}
