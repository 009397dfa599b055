/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A network that is made up (see fakeucx.h).
 *
 * An operation has two ends that come in any order unless an option or a flush says otherwise:
 *   arrived    a put's bytes are in place, a message has been handled, a fetch has been done
 *   completed  its owner has been told, and may use the source again
 * The source is read at the first of the two, as late as the rules allow.
 */
#include "fakeucx.h"
#include "unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPS 512u
#define MOST_IDS 8u

typedef enum kind_t { KIND_PUT, KIND_MESSAGE, KIND_FLUSH, KIND_FETCH } kind_t;

struct worker_t;

typedef struct op_t {
    kind_t kind;
    struct worker_t *worker;
    uint64_t order; /* of posting on its worker */
    bool arrived, completed;
    bool owned; /* the caller has a request that it must free */
    ucp_request_param_t param;
    unsigned id; /* of a message */
    const void *header, *source;
    size_t header_length, length;
    char *copy;         /* header and source, once they have been read */
    char *target;       /* of a put or a fetch */
    struct op_t *fetch; /* of a rendezvous message */
    bool held;          /* a rendezvous message that the receiver has kept for later */
} op_t;

typedef struct worker_t {
    atomic_bool busy;
    unit_random_t random;
    uint64_t order;
    op_t *op[MOST_OPS];
    unsigned ops;
    ucp_am_handler_param_t handler[MOST_IDS];
    fakeucx_counts_t counts;
    unsigned data_in_flight;
} worker_t;

static worker_t workers[FAKEUCX_MOST_PATHS];
static fakeucx_options_t options;
static _Atomic(const char *) violation;
static atomic_uint owned_requests;
bool fakeucx_stopped;
static _Thread_local worker_t *inside; /* the worker that this thread is in */

static void violated(const char *what)
{
    const char *none = NULL;

    (void) atomic_compare_exchange_strong(&violation, &none, what);
}

const char *fakeucx_violation(void)
{
    return atomic_load(&violation);
}

ucp_worker_h fakeucx_worker(unsigned path)
{
    return (ucp_worker_h) (void *) &workers[path];
}

/* An endpoint needs no object of its own: it is known by its worker. */
ucp_ep_h fakeucx_endpoint(unsigned path)
{
    return (ucp_ep_h) (void *) &workers[path];
}

fakeucx_counts_t fakeucx_counts(unsigned path)
{
    return workers[path].counts;
}

void fakeucx_open(const fakeucx_options_t *new_options)
{
    fakeucx_close();
    options = *new_options;
    atomic_store(&violation, NULL);
    for (unsigned i = 0; i < FAKEUCX_MOST_PATHS; ++i) {
        workers[i].random = unit_stream(options.seed * FAKEUCX_MOST_PATHS + i);
    }
}

static void op_free(op_t *op)
{
    free(op->copy);
    free(op);
}

void fakeucx_close(void)
{
    for (unsigned i = 0; i < FAKEUCX_MOST_PATHS; ++i) {
        for (unsigned j = 0; j < workers[i].ops; ++j) {
            op_free(workers[i].op[j]);
        }
        memset(&workers[i], 0, sizeof(workers[i]));
    }
    atomic_store(&owned_requests, 0);
}

unsigned fakeucx_in_flight(void)
{
    unsigned ops = atomic_load(&owned_requests);

    for (unsigned i = 0; i < FAKEUCX_MOST_PATHS; ++i) {
        ops += workers[i].ops;
    }
    return ops;
}

/* One thread at a time; calls of a callback are part of the call that called it. */
static bool enter(worker_t *worker)
{
    if (inside == worker) {
        return false;
    }
    if (NULL != inside) {
        violated("a callback of one worker uses another");
    }
    if (atomic_exchange(&worker->busy, true)) {
        violated("two threads in one worker");
    }
    inside = worker;
    return true;
}

static void leave(worker_t *worker, bool entered)
{
    if (entered) {
        inside = NULL;
        atomic_store(&worker->busy, false);
    }
}

static bool chance(worker_t *worker, unsigned percent)
{
    return unit_below(&worker->random, 100) < percent;
}

/* ---- life of an operation ---- */

static bool carries_data(const op_t *op)
{
    return KIND_PUT == op->kind || (KIND_MESSAGE == op->kind && 0 != op->length);
}

static op_t *op_new(worker_t *worker, kind_t kind, const void *source, size_t length,
                    const ucp_request_param_t *param)
{
    op_t *op = unit_allocate(sizeof(*op));

    if (MOST_OPS == worker->ops) {
        abort(); /* the component has a window; something is very wrong */
    }
    op->kind = kind;
    op->worker = worker;
    op->order = ++worker->order;
    op->source = source;
    op->length = length;
    op->param = *param;
    worker->op[worker->ops++] = op;
    if (carries_data(op) && ++worker->data_in_flight > worker->counts.most) {
        worker->counts.most = worker->data_in_flight;
    }
    return op;
}

/* Read header and source: from now on both may change. */
static void op_read(op_t *op)
{
    if (NULL != op->copy) {
        return;
    }
    op->copy = unit_allocate(op->header_length + op->length + 1);
    if (0 != op->header_length) {
        memcpy(op->copy, op->header, op->header_length);
    }
    if (0 != op->length) {
        memcpy(op->copy + op->header_length, op->source, op->length);
    }
}

/* Words as words, for other threads read them: arrival flags. */
static void write_target(char *target, const char *from, size_t length)
{
    size_t at = 0;

    if (0 == (uintptr_t) target % sizeof(uint64_t)) {
        for (; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
            uint64_t word;

            memcpy(&word, from + at, sizeof(word));
            atomic_store_explicit((_Atomic uint64_t *) (void *) (target + at), word,
                                  memory_order_release);
        }
    }
    memcpy(target + at, from + at, length - at);
}

static void handle_message(op_t *op)
{
    ucp_am_handler_param_t *handler = &op->worker->handler[op->id];
    bool rendezvous = 0 != (op->param.flags & UCP_AM_SEND_FLAG_RNDV);
    ucp_am_recv_param_t param = {.recv_attr = rendezvous ? UCP_AM_RECV_ATTR_FLAG_RNDV : 0};
    ucs_status_t status;

    op_read(op);
    op->held = rendezvous;
    status = handler->cb(handler->arg, op->copy, op->header_length,
                         rendezvous ? (void *) op : (void *) (op->copy + op->header_length),
                         op->length, &param);
    if (UCS_INPROGRESS == status && !rendezvous) {
        violated("an eager message is kept");
    }
    op->held = op->held && UCS_INPROGRESS == status;
}

static void op_arrive(op_t *op)
{
    op_read(op);
    op->arrived = true;
    if (KIND_MESSAGE == op->kind) {
        handle_message(op);
    } else if (0 != op->length) {
        write_target(op->target, op->copy + op->header_length, op->length);
    }
}

/* Tell the owner, unless the call that posted it tells him. */
static void op_complete(op_t *op, bool call_back)
{
    op_read(op);
    op->completed = true;
    if (carries_data(op)) {
        --op->worker->data_in_flight;
    }
    if (!call_back) {
        return;
    }
    op->owned = true;
    atomic_fetch_add(&owned_requests, 1);
    if (KIND_FETCH == op->kind) {
        op->param.cb.recv_am(op, UCS_OK, op->length, op->param.user_data);
    } else {
        op->param.cb.send(op, UCS_OK, op->param.user_data);
    }
}

/* All puts that a flush waits for are in place. */
static bool flush_may_complete(const op_t *flush)
{
    for (unsigned i = 0; i < flush->worker->ops; ++i) {
        const op_t *op = flush->worker->op[i];

        if (op->order < flush->order && KIND_FLUSH != op->kind && !op->arrived) {
            return false;
        }
    }
    return true;
}

static bool may_complete(const op_t *op)
{
    if (op->completed) {
        return false;
    }
    switch (op->kind) {
    case KIND_FLUSH:
        return flush_may_complete(op);
    case KIND_FETCH:
        return op->arrived;
    case KIND_MESSAGE:
        /* The source of a rendezvous is needed until it has been fetched. */
        return 0 == (op->param.flags & UCP_AM_SEND_FLAG_RNDV)
               || (op->arrived && !op->held && (NULL == op->fetch || op->fetch->arrived));
    default:
        return op->arrived || !options.put_in_place;
    }
}

/* One end of an operation, if one can come now. */
static bool op_step(op_t *op, bool call_back)
{
    bool complete = may_complete(op);

    if (complete && (op->arrived || chance(op->worker, 50))) {
        op_complete(op, call_back);
        return true;
    }
    if (!op->arrived && KIND_FLUSH != op->kind) {
        op_arrive(op);
        return true;
    }
    return false;
}

static void op_forget(worker_t *worker, op_t *op)
{
    for (unsigned i = 0; i < worker->ops; ++i) {
        if (NULL != worker->op[i]->fetch && worker->op[i]->fetch == op) {
            worker->op[i]->fetch = NULL; /* it has arrived */
        }
    }
    for (unsigned i = 0; i < worker->ops; ++i) {
        if (worker->op[i] == op) {
            worker->op[i] = worker->op[--worker->ops];
            break;
        }
    }
    if (!op->owned) {
        op_free(op);
    } else {
        op->worker = NULL; /* freed with its request */
    }
}

static void forget_if_over(worker_t *worker, op_t *op)
{
    if (op->completed && (op->arrived || KIND_FLUSH == op->kind)) {
        op_forget(worker, op);
    }
}

static op_t *choose_op(worker_t *worker)
{
    op_t *chosen = 0 == worker->ops ? NULL : worker->op[unit_below(&worker->random, worker->ops)];

    for (unsigned i = 0; options.in_order && i < worker->ops; ++i) {
        chosen = worker->op[i]->order < chosen->order ? worker->op[i] : chosen;
    }
    return chosen;
}

/* What a posting call returns: a request, or NULL when the operation is over already. */
static ucs_status_ptr_t posted(worker_t *worker, op_t *op)
{
    ucs_status_ptr_t result = op;

    /* A real network has no endless room for what has not arrived, either. */
    if (worker->ops < MOST_OPS / 2 && chance(worker, options.at_once)) {
        while (!op->completed && op_step(op, false)) {
            continue;
        }
    }
    if (op->completed) {
        result = NULL;
        forget_if_over(worker, op);
    }
    return result;
}

/* ---- what the component calls ---- */

unsigned __wrap_ucp_worker_progress(ucp_worker_h handle);
unsigned __wrap_ucp_worker_progress(ucp_worker_h handle)
{
    worker_t *worker = (worker_t *) (void *) handle;
    unsigned events = 0;
    bool entered = enter(worker);

    if (!entered) {
        violated("progress inside a callback");
        return 0;
    }
    if (!fakeucx_stopped && !chance(worker, options.lazy)) {
        for (unsigned steps = 1 + unit_below(&worker->random, 4); steps > 0; --steps) {
            op_t *op = choose_op(worker);

            if (NULL != op && op_step(op, true)) {
                ++events;
                forget_if_over(worker, op);
            }
        }
    }
    leave(worker, entered);
    return events;
}

ucs_status_ptr_t __wrap_ucp_put_nbx(ucp_ep_h endpoint, const void *buffer, size_t count,
                                    uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_put_nbx(ucp_ep_h endpoint, const void *buffer, size_t count,
                                    uint64_t remote, ucp_rkey_h rkey,
                                    const ucp_request_param_t *param)
{
    worker_t *worker = (worker_t *) (void *) endpoint;
    bool entered = enter(worker);
    op_t *op = op_new(worker, KIND_PUT, buffer, count, param);
    ucs_status_ptr_t result;

    (void) rkey;
    op->target = (char *) (uintptr_t) remote;
    ++worker->counts.puts;
    result = posted(worker, op);
    leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param)
{
    worker_t *worker = (worker_t *) (void *) endpoint;
    bool entered = enter(worker);
    op_t *op = op_new(worker, KIND_MESSAGE, buffer, count, param);
    ucs_status_ptr_t result;

    op->id = id;
    op->header = header;
    op->header_length = header_length;
    ++worker->counts.messages;
    result = posted(worker, op);
    leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_ep_flush_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_ep_flush_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param)
{
    worker_t *worker = (worker_t *) (void *) endpoint;
    bool entered = enter(worker);
    ucs_status_ptr_t result;

    if (!entered) {
        violated("flush inside a callback");
    }
    ++worker->counts.flushes;
    result = posted(worker, op_new(worker, KIND_FLUSH, NULL, 0, param));
    leave(worker, entered);
    return result;
}

ucs_status_ptr_t __wrap_ucp_am_recv_data_nbx(ucp_worker_h handle, void *descriptor, void *buffer,
                                             size_t count, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_am_recv_data_nbx(ucp_worker_h handle, void *descriptor, void *buffer,
                                             size_t count, const ucp_request_param_t *param)
{
    worker_t *worker = (worker_t *) (void *) handle;
    bool entered = enter(worker);
    op_t *message = descriptor;
    ucs_status_ptr_t result;

    if (count != message->length) {
        violated("a rendezvous of another length");
    }
    message->held = false;
    message->fetch = op_new(worker, KIND_FETCH, message->source, count, param);
    message->fetch->target = buffer;
    result = posted(worker, message->fetch);
    leave(worker, entered);
    return result;
}

void __wrap_ucp_am_data_release(void *worker, op_t *message);
void __wrap_ucp_am_data_release(void *worker, op_t *message)
{
    message->held = NULL == worker; /* the sender is told that it is done */
}

void __wrap_ucp_request_free(void *request);
void __wrap_ucp_request_free(void *request)
{
    op_t *op = request;

    op->owned = false;
    atomic_fetch_sub(&owned_requests, 1);
    if (NULL == op->worker) {
        op_free(op);
    }
}

ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h handle,
                                                   const ucp_am_handler_param_t *param);
ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h handle,
                                                   const ucp_am_handler_param_t *param)
{
    ((worker_t *) (void *) handle)->handler[param->id] = *param;
    return UCS_OK;
}
