/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of UCP that the component makes, into the made-up network (see fakeucx.h).
 */
#include "fakeucx_op.h"

unsigned __wrap_ucp_worker_progress(ucp_worker_h handle);
unsigned __wrap_ucp_worker_progress(ucp_worker_h handle)
{
    fakeucx_worker_t *worker = (fakeucx_worker_t *) (void *) handle;
    unsigned events;
    bool entered = fakeucx_enter(worker);

    if (!entered) {
        fakeucx_violated("progress inside a callback");
        return 0;
    }
    events = fakeucx_steps(worker);
    fakeucx_leave(worker, entered);
    return events;
}

ucs_status_ptr_t __wrap_ucp_put_nbx(ucp_ep_h endpoint, const void *buffer, size_t count,
                                    uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_put_nbx(ucp_ep_h endpoint, const void *buffer, size_t count,
                                    uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    fakeucx_worker_t *worker = (fakeucx_worker_t *) (void *) endpoint;
    bool entered = fakeucx_enter(worker);
    fakeucx_op_t *op = fakeucx_op_new(worker, KIND_PUT, buffer, count, param);
    ucs_status_ptr_t result;

    (void) rkey;
    op->target = (char *) (uintptr_t) remote;
    ++worker->counts.puts;
    result = fakeucx_posted(worker, op);
    fakeucx_leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param)
{
    fakeucx_worker_t *worker = (fakeucx_worker_t *) (void *) endpoint;
    bool entered = fakeucx_enter(worker);
    fakeucx_op_t *op = fakeucx_op_new(worker, KIND_MESSAGE, buffer, count, param);
    ucs_status_ptr_t result;

    op->id = id;
    op->header = header;
    op->header_length = header_length;
    ++worker->counts.messages;
    result = fakeucx_posted(worker, op);
    fakeucx_leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_ep_flush_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_ep_flush_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param)
{
    fakeucx_worker_t *worker = (fakeucx_worker_t *) (void *) endpoint;
    bool entered = fakeucx_enter(worker);
    ucs_status_ptr_t result;

    if (!entered) {
        fakeucx_violated("flush inside a callback");
    }
    ++worker->counts.flushes;
    result = fakeucx_posted(worker, fakeucx_op_new(worker, KIND_FLUSH, NULL, 0, param));
    fakeucx_leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_am_recv_data_nbx(ucp_worker_h handle, void *descriptor, void *buffer,
                                             size_t count, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_am_recv_data_nbx(ucp_worker_h handle, void *descriptor, void *buffer,
                                             size_t count, const ucp_request_param_t *param)
{
    fakeucx_worker_t *worker = (fakeucx_worker_t *) (void *) handle;
    bool entered = fakeucx_enter(worker);
    fakeucx_op_t *message = descriptor;
    ucs_status_ptr_t result;

    if (count != message->length) {
        fakeucx_violated("a rendezvous of another length");
    }
    message->held = false;
    message->fetch = fakeucx_op_new(worker, KIND_FETCH, message->source, count, param);
    message->fetch->target = buffer;
    result = fakeucx_posted(worker, message->fetch);
    fakeucx_leave(worker, entered);
    return result;
}

void __wrap_ucp_am_data_release(void *worker, fakeucx_op_t *message);
void __wrap_ucp_am_data_release(void *worker, fakeucx_op_t *message)
{
    message->held = NULL == worker; /* the sender is told that it is done */
}

void __wrap_ucp_request_free(void *request);
void __wrap_ucp_request_free(void *request)
{
    fakeucx_op_release(request);
}

ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h handle,
                                                   const ucp_am_handler_param_t *param);
ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h handle,
                                                   const ucp_am_handler_param_t *param)
{
    ((fakeucx_worker_t *) (void *) handle)->handler[param->id] = *param;
    return UCS_OK;
}
