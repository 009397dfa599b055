/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cables that are made up (see fakecables.h).
 */
#include "fakecables.h"

#include "path/part_ucx_paths.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PATHS (SIDES * CABLES_MOST)
#define MOST_IDS   16u

/* What UCX gives out as an endpoint. */
typedef struct end_t {
    struct end_t *next;
    unsigned from, to; /* paths */
    bool open;
    bool deaf; /* the other end has been closed */
    ucp_err_handler_t broken; /* to be told, once */
} end_t;

/* A message; or, without an endpoint, a closing. Also UCX's request for either. */
typedef struct message_t {
    struct message_t *next;
    const end_t *end;
    unsigned from, to;
    ucp_request_param_t param;
    unsigned id;
    const void *header, *source;
    size_t header_length, length;
    char *copy; /* header and source, once they have been read */
    bool arrived, completed;
    bool deaf;  /* it is acknowledged by the other system, and dropped */
    bool asked; /* the owner has a request, and has not freed it */
} message_t;

cables_t cables = {.seconds = 1000.0};

static end_t *ends;
static message_t *messages, **tail = &messages;
static ucp_am_handler_param_t handlers[MOST_PATHS][MOST_IDS];
static unsigned posted[MOST_PATHS][MOST_IDS];
static unsigned depth; /* of progress inside of progress */
static const char *violation;
static unit_random_t random_numbers;

static void violated(const char *what)
{
    violation = NULL == violation ? what : violation;
}

/* ---- for tests ---- */

unsigned cables_path(unsigned side, unsigned cable)
{
    return side * cables.count + cable;
}

static unsigned side_of(unsigned path)
{
    return path / cables.count;
}

static unsigned cable_of(unsigned path)
{
    return path % cables.count;
}

void cables_pull(unsigned cable, bool out)
{
    cables.cut[SIDE_A][cable] = out;
    cables.cut[SIDE_B][cable] = out;
}

unsigned cables_posted(unsigned path, unsigned id)
{
    return posted[path][id];
}

static void forget(void)
{
    while (NULL != messages) {
        message_t *message = messages;

        messages = message->next;
        free(message->copy);
        free(message);
    }
    tail = &messages;
    while (NULL != ends) {
        end_t *end = ends;

        ends = end->next;
        free(end);
    }
}

void cables_reset(unsigned count)
{
    forget();
    cables = (cables_t) {.count = count, .seconds = cables.seconds};
    memset(handlers, 0, sizeof(handlers));
    memset(posted, 0, sizeof(posted));
    violation = NULL;
    random_numbers = unit_stream(1);
}

bool cables_whole(unsigned path)
{
    return !cables.cut[SIDE_A][cable_of(path)] && !cables.cut[SIDE_B][cable_of(path)];
}

bool cables_dark(unsigned path)
{
    return cables.dark[side_of(path)][cable_of(path)];
}

bool cables_hang(unsigned path)
{
    for (const message_t *message = messages; NULL != message; message = message->next) {
        if (message->from == path && !message->arrived && !cables_whole(path)) {
            return true;
        }
    }
    return false;
}

bool cables_busy(void)
{
    for (const message_t *message = messages; NULL != message; message = message->next) {
        if (!message->arrived) {
            return true;
        }
    }
    return false;
}

/* ---- the life of a message ---- */

static void read_source(message_t *message)
{
    if (NULL == message->copy) {
        message->copy = unit_allocate(message->header_length + message->length + 1);
        if (0 != message->header_length) {
            memcpy(message->copy, message->header, message->header_length);
        }
        if (0 != message->length) {
            memcpy(message->copy + message->header_length, message->source, message->length);
        }
    }
}

static void call_back(message_t *message, ucs_status_t status)
{
    read_source(message);
    message->completed = true;
    if (NULL != message->param.cb.send) {
        message->param.cb.send(message, status, message->param.user_data);
    }
}

static void hand_over(unsigned path, unsigned id, const void *header, size_t header_length,
                      void *data, size_t length)
{
    ucp_am_handler_param_t *handler = &handlers[path][id];
    ucp_am_recv_param_t param = {0};

    if (UCS_OK != handler->cb(handler->arg, header, header_length, data, length, &param)) {
        violated("a message that carries its data is kept");
    }
}

static void arrive(message_t *message)
{
    read_source(message);
    message->arrived = true;
    if (message->deaf) {
        return;
    }
    hand_over(message->to, message->id, message->copy, message->header_length,
              message->copy + message->header_length, message->length);
}

void cables_say(unsigned path, unsigned id, const void *header, size_t header_length,
                const void *data, size_t length)
{
    char *copy = unit_allocate(length + 1);

    if (0 != length) {
        memcpy(copy, data, length);
    }
    mca_part_ucx_path_lock(&mca_part_ucx_paths.path[path]);
    hand_over(path, id, header, header_length, copy, length);
    mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[path]);
    free(copy);
}

void cables_lose(void)
{
    for (message_t *message = messages; NULL != message; message = message->next) {
        if (!message->arrived) {
            read_source(message);
            message->arrived = true; /* or never will */
        }
    }
}

static bool is_over(const message_t *message)
{
    return message->completed && message->arrived && !message->asked;
}

static void sweep(void)
{
    message_t **link = &messages;

    while (NULL != *link) {
        message_t *message = *link;

        if (is_over(message)) {
            *link = message->next;
            free(message->copy);
            free(message);
        } else {
            link = &message->next;
        }
    }
    tail = link;
}

static bool is_put_off(void)
{
    return 0 != cables.lazy && unit_below(&random_numbers, 100) < cables.lazy;
}

/* The system tells that the other end has closed its connections. */
static void reset_deaf(unsigned path)
{
    for (end_t *end = ends; NULL != end; end = end->next) {
        ucp_err_handler_t broken = end->broken;

        if (cables.resets && cables_whole(path) && end->from == path && end->open && end->deaf
            && NULL != broken.cb) {
            end->broken.cb = NULL;
            broken.cb(broken.arg, (ucp_ep_h) (void *) end, UCS_ERR_CONNECTION_RESET);
        }
    }
}

/* What UCX does inside the worker of a path. In order, and no further than to what is there now. */
static unsigned steps(unsigned path)
{
    message_t **last = tail;
    bool waits = cables.cut[1 - side_of(path)][cable_of(path)]; /* in order: so do all others */
    unsigned events = 0;

    for (message_t **link = &messages; last != link; link = &(*link)->next) {
        message_t *message = *link;

        if (message->from == path && !message->completed
            && !cables.silent[side_of(path)][cable_of(path)] && !is_put_off()) {
            call_back(message, UCS_OK);
            ++events;
        }
        if (message->to == path && !message->arrived && !waits) {
            waits = is_put_off();
            if (!waits) {
                arrive(message);
                ++events;
            }
        }
    }
    return events;
}

/* ---- UCX, as the component calls it ---- */

void fakeucx_open(const fakeucx_options_t *options)
{
    random_numbers = unit_stream(options->seed);
}

void fakeucx_close(void)
{
    forget();
}

/* A worker is known by its number. */
ucp_worker_h fakeucx_worker(unsigned path)
{
    return (ucp_worker_h) (uintptr_t) (path + 1);
}

static unsigned path_of(ucp_worker_h worker)
{
    return (unsigned) (uintptr_t) worker - 1;
}

ucp_ep_h fakeucx_endpoint(unsigned path)
{
    (void) path;
    return NULL; /* twins.c makes them */
}

/* But closings: an endpoint is only looked after as long as there is a channel. */
unsigned fakeucx_in_flight(void)
{
    unsigned count = 0;

    for (const message_t *message = messages; NULL != message; message = message->next) {
        count += NULL != message->end && (!message->completed || message->asked);
    }
    return count;
}

const char *fakeucx_violation(void)
{
    return violation;
}

ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
                                                   const ucp_am_handler_param_t *param);
ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
                                                   const ucp_am_handler_param_t *param)
{
    handlers[path_of(worker)][param->id] = *param;
    return UCS_OK;
}

unsigned __wrap_ucp_worker_progress(ucp_worker_h worker);
unsigned __wrap_ucp_worker_progress(ucp_worker_h worker)
{
    unsigned events;

    ++depth;
    reset_deaf(path_of(worker));
    events = steps(path_of(worker));
    if (0 == --depth) {
        sweep();
    }
    return events;
}

/* The address of a path is its number. */
ucs_status_t __wrap_ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                                  ucp_ep_h *endpoint);
ucs_status_t __wrap_ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                                  ucp_ep_h *endpoint)
{
    unsigned path = path_of(worker);
    end_t *end;

    if (cables.gone[side_of(path)][cable_of(path)]) {
        return UCS_ERR_UNREACHABLE;
    }
    end = unit_allocate(sizeof(*end));
    end->from = path;
    end->to = *(const unsigned char *) (const void *) params->address;
    end->open = true;
    end->broken = params->err_handler;
    end->next = ends;
    ends = end;
    *endpoint = (ucp_ep_h) (void *) end;
    return UCS_OK;
}

static message_t *message_new(const end_t *end, const ucp_request_param_t *param)
{
    message_t *message = unit_allocate(sizeof(*message));

    message->end = end;
    message->from = end->from;
    message->to = end->to;
    message->param = *param;
    message->asked = true;
    *tail = message;
    tail = &message->next;
    return message;
}

ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_am_send_nbx(ucp_ep_h endpoint, unsigned id, const void *header,
                                        size_t header_length, const void *buffer, size_t count,
                                        const ucp_request_param_t *param)
{
    const end_t *end = (const end_t *) (const void *) endpoint;
    message_t *message;

    if (NULL == end || !end->open) {
        violated("something is sent by an endpoint that is closed");
        return UCS_STATUS_PTR(UCS_ERR_INVALID_PARAM);
    }
    ++posted[end->from][id];
    message = message_new(end, param);
    message->id = id;
    message->header = header;
    message->header_length = header_length;
    message->source = buffer;
    message->length = count;
    message->deaf = end->deaf;
    if (cables.at_once && !cables.silent[side_of(end->from)][cable_of(end->from)]) {
        read_source(message);
        message->completed = true;
        message->asked = false;
        return NULL;
    }
    return message;
}

/* What is under way by an endpoint, and what is on its way to it. */
static void end_messages(const end_t *end)
{
    for (message_t *message = messages; NULL != message; message = message->next) {
        bool ours = message->end == end;

        if ((ours || (message->from == end->to && message->to == end->from))
            && !message->arrived) {
            read_source(message);
            message->arrived = ours && !cables.late;
            message->deaf = !cables.late;
        }
        if (ours && !message->completed) {
            call_back(message, UCS_ERR_CANCELED);
        }
    }
}

ucs_status_ptr_t __wrap_ucp_ep_close_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param);
ucs_status_ptr_t __wrap_ucp_ep_close_nbx(ucp_ep_h endpoint, const ucp_request_param_t *param)
{
    end_t *end = (end_t *) (void *) endpoint;
    message_t *closing;

    if (NULL == end || !end->open || 0 == (param->flags & UCP_EP_CLOSE_FLAG_FORCE)) {
        violated("an endpoint is closed twice, or not by force");
        return NULL;
    }
    end->open = false;
    for (end_t *other = ends; NULL != other; other = other->next) {
        other->deaf = other->deaf || (other->from == end->to && other->to == end->from);
    }
    end_messages(end);
    if (cables.at_once) {
        return NULL;
    }
    closing = message_new(end, &(ucp_request_param_t) {0});
    closing->end = NULL;
    closing->arrived = true; /* it has only to be called back */
    return closing;
}

ucs_status_t __wrap_ucp_request_check_status(void *request);
ucs_status_t __wrap_ucp_request_check_status(void *request)
{
    return ((message_t *) request)->completed ? UCS_OK : UCS_INPROGRESS;
}

void __wrap_ucp_request_free(void *request);
void __wrap_ucp_request_free(void *request)
{
    message_t *message = request;

    if (!message->asked) {
        violated("a request is freed twice");
    }
    message->asked = false; /* also one that is under way */
}
