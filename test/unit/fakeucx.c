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
#include "fakeucx_op.h"

#include <stdlib.h>
#include <string.h>

static fakeucx_worker_t workers[FAKEUCX_MOST_PATHS];
static fakeucx_options_t options;
static _Atomic(const char *) violation;
static atomic_uint owned_requests;
bool fakeucx_stopped;
static _Thread_local fakeucx_worker_t *inside; /* the worker that this thread is in */

void fakeucx_violated(const char *what)
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

unsigned fakeucx_messages(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < FAKEUCX_MOST_PATHS; ++i) {
        sum += workers[i].counts.messages;
    }
    return sum;
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

static void op_free(fakeucx_op_t *op)
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
bool fakeucx_enter(fakeucx_worker_t *worker)
{
    if (inside == worker) {
        return false;
    }
    if (NULL != inside) {
        fakeucx_violated("a callback of one worker uses another");
    }
    if (atomic_exchange(&worker->busy, true)) {
        fakeucx_violated("two threads in one worker");
    }
    inside = worker;
    return true;
}

void fakeucx_leave(fakeucx_worker_t *worker, bool entered)
{
    if (entered) {
        inside = NULL;
        atomic_store(&worker->busy, false);
    }
}

static bool chance(fakeucx_worker_t *worker, unsigned percent)
{
    return unit_below(&worker->random, 100) < percent;
}

/* ---- life of an operation ---- */

static bool carries_data(const fakeucx_op_t *op)
{
    return KIND_PUT == op->kind || (KIND_MESSAGE == op->kind && 0 != op->length);
}

fakeucx_op_t *fakeucx_op_new(fakeucx_worker_t *worker, fakeucx_kind_t kind, const void *source,
                             size_t length, const ucp_request_param_t *param)
{
    fakeucx_op_t *op = unit_allocate(sizeof(*op));

    if (FAKEUCX_MOST_OPS == worker->ops) {
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
static void op_read(fakeucx_op_t *op)
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

static void handle_message(fakeucx_op_t *op)
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
        fakeucx_violated("an eager message is kept");
    }
    op->held = op->held && UCS_INPROGRESS == status;
    op->refusal = rendezvous && UCS_INPROGRESS != status ? status : UCS_OK;
}

static void op_arrive(fakeucx_op_t *op)
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
static void op_complete(fakeucx_op_t *op, bool call_back, ucs_status_t status)
{
    op_read(op);
    op->completed = true;
    op->status = status;
    if (carries_data(op)) {
        --op->worker->data_in_flight;
    }
    if (!call_back) {
        return;
    }
    op->owned = true;
    atomic_fetch_add(&owned_requests, 1);
    if (KIND_FETCH == op->kind) {
        op->param.cb.recv_am(op, status, op->length, op->param.user_data);
    } else {
        op->param.cb.send(op, status, op->param.user_data);
    }
}

static bool is_broken(const fakeucx_worker_t *worker)
{
    return 0 != (options.breaking >> (worker - workers) & 1) && worker->order > options.lasts;
}

/* All puts that a flush waits for are in place, or never will be. */
static bool flush_may_complete(const fakeucx_op_t *flush)
{
    for (unsigned i = 0; i < flush->worker->ops; ++i) {
        const fakeucx_op_t *op = flush->worker->op[i];

        if (op->order < flush->order && KIND_FLUSH != op->kind && !op->arrived) {
            return false;
        }
    }
    return true;
}

/* Its path is broken. A message that was sent still comes, bytes of a put come in part. */
static bool op_break(fakeucx_op_t *op, bool call_back)
{
    bool writes = KIND_PUT == op->kind || KIND_FETCH == op->kind;

    if (op->held || (op->completed && KIND_MESSAGE == op->kind)) {
        return false; /* the receiver must say what is to become of it; it arrives */
    }
    if (writes && !op->arrived && 0 != op->length && chance(op->worker, 50)) {
        op_read(op);
        write_target(op->target, op->copy + op->header_length, op->length / 2);
    }
    op->arrived = true; /* or never will */
    if (!op->completed) {
        op_complete(op, call_back, UCS_ERR_CONNECTION_RESET);
    }
    return true;
}

static bool may_complete(const fakeucx_op_t *op)
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
static bool op_step(fakeucx_op_t *op, bool call_back)
{
    bool complete = may_complete(op);

    if (is_broken(op->worker)) {
        if ((KIND_PUT == op->kind || KIND_FLUSH == op->kind) && !flush_may_complete(op)) {
            return false; /* errors come in order: nothing of the puts before comes after one */
        }
        if (op_break(op, call_back)) {
            return true;
        }
    }
    if (complete && (op->arrived || chance(op->worker, 50))) {
        op_complete(op, call_back, op->refusal);
        return true;
    }
    if (!op->arrived && KIND_FLUSH != op->kind) {
        op_arrive(op);
        return true;
    }
    return false;
}

static void op_forget(fakeucx_worker_t *worker, fakeucx_op_t *op)
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

static void forget_if_over(fakeucx_worker_t *worker, fakeucx_op_t *op)
{
    if (op->completed && (op->arrived || KIND_FLUSH == op->kind)) {
        op_forget(worker, op);
    }
}

static fakeucx_op_t *choose_op(fakeucx_worker_t *worker)
{
    unsigned ops = worker->ops;
    fakeucx_op_t *chosen = 0 == ops ? NULL : worker->op[unit_below(&worker->random, ops)];

    for (unsigned i = 0; options.in_order && i < worker->ops; ++i) {
        chosen = worker->op[i]->order < chosen->order ? worker->op[i] : chosen;
    }
    return chosen;
}

/* What a posting call returns: a request, or NULL when the operation is over already. */
ucs_status_ptr_t fakeucx_posted(fakeucx_worker_t *worker, fakeucx_op_t *op)
{
    ucs_status_ptr_t result = op;

    /* A real network has no endless room for what has not arrived, either. */
    if (worker->ops < FAKEUCX_MOST_OPS / 2 && chance(worker, options.at_once)) {
        while (!op->completed && op_step(op, false)) {
            continue;
        }
    }
    if (op->completed) {
        result = UCS_OK == op->status ? NULL : UCS_STATUS_PTR(op->status);
        forget_if_over(worker, op);
    }
    return result;
}

unsigned fakeucx_steps(fakeucx_worker_t *worker)
{
    unsigned events = 0;

    if (fakeucx_stopped || chance(worker, options.lazy)) {
        return 0;
    }
    for (unsigned steps = 1 + unit_below(&worker->random, 4); steps > 0; --steps) {
        fakeucx_op_t *op = choose_op(worker);

        if (NULL != op && op_step(op, true)) {
            ++events;
            forget_if_over(worker, op);
        }
    }
    return events;
}

void fakeucx_op_release(fakeucx_op_t *op)
{
    op->owned = false;
    atomic_fetch_sub(&owned_requests, 1);
    if (NULL == op->worker) {
        op_free(op);
    }
}
