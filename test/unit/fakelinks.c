/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links that are made up (see fakelinks.h).
 */
#include "ompi_config.h"

#include "fakelinks.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"

/* One end of a link. */
typedef struct end_t {
    mca_part_ucx_link_init_t init;
    bool is_send;
    struct end_t *other;
    struct end_t *next; /* of all ends */
    int rank;
    uint32_t epoch;
    uint32_t ready;      /* last epoch that the receiver is known to have started */
    uint32_t left;       /* pieces of this epoch */
    uint32_t peer_epoch; /* last one of a peer that has closed, else UINT32_MAX */
    uint32_t *marked;    /* per piece: last epoch */
    bool running, failed, closed, abandoned;
} end_t;

typedef enum kind_t {
    READY,
    DATA,
    FREE, /* the source of a piece is free again */
    END
} kind_t;

typedef struct message_t {
    kind_t kind;
    end_t *to;
    uint32_t epoch;
    uint32_t piece;
} message_t;

/* A list from which anything may be taken. */
typedef struct bag_t {
    void **item;
    uint32_t count;
    uint32_t room;
} bag_t;

static struct {
    unit_random_t random;
    void (*completed)(ompi_request_t *request);
    end_t *ends;
    bag_t messages, deferred, finals;
    int active;
    const char *fault;
} net;

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    assert_non_null(memory);
    return memory;
}

static void put(bag_t *bag, void *item)
{
    if (bag->count == bag->room) {
        bag->room = 2 * bag->room + 16;
        bag->item = realloc(bag->item, bag->room * sizeof(*bag->item));
        assert_non_null(bag->item);
    }
    bag->item[bag->count++] = item;
}

static void *take(bag_t *bag)
{
    uint32_t index = unit_below(&net.random, bag->count);
    void *item = bag->item[index];

    bag->item[index] = bag->item[--bag->count];
    return item;
}

const char *fakelinks_fault(void)
{
    return net.fault;
}

void fakelinks_blame(const char *what)
{
    net.fault = NULL == net.fault ? what : net.fault;
}

/* ---- what is under way ---- */

static void post(kind_t kind, end_t *to, uint32_t epoch, uint32_t piece)
{
    message_t *message = zeroed(1, sizeof(*message));

    *message = (message_t) {.kind = kind, .to = to, .epoch = epoch, .piece = piece};
    put(&net.messages, message);
}

static void finish_end(end_t *end)
{
    if (end->running) {
        end->running = false;
        end->init.observer->finished(end->init.context,
                                     end->failed ? MPI_ERR_OTHER : MPI_SUCCESS);
    }
}

static void fail_end(end_t *end)
{
    end->failed = true;
    finish_end(end);
}

static void piece_moved(end_t *end, uint32_t piece)
{
    end->init.observer->moved(end->init.context, piece);
    if (0 == --end->left) {
        finish_end(end);
    }
}

/* Messages to others find no request. */
static bool is_known(const end_t *end)
{
    return !end->closed && !end->abandoned;
}

static void peer_closed(end_t *end, uint32_t epoch)
{
    end->peer_epoch = epoch;
    if (end->running && end->epoch > epoch) {
        fail_end(end);
    }
}

static void leave_if_allowed(end_t *end, uint32_t piece)
{
    if (end->ready >= end->epoch && end->marked[piece] == end->epoch && !end->failed) {
        post(DATA, end->other, end->epoch, piece);
        post(FREE, end, end->epoch, piece);
    }
}

/* Both ends have started the epoch. */
static void open_gate(end_t *end)
{
    for (uint32_t i = 0; i < end->init.count; ++i) {
        leave_if_allowed(end, i);
    }
}

static void peer_ready(end_t *end, uint32_t epoch)
{
    end->ready = epoch;
    if (end->running && epoch == end->epoch) { /* else it is an epoch ahead */
        open_gate(end);
    }
}

static void deliver(void)
{
    message_t *message = take(&net.messages);
    end_t *end = message->to;

    if (FREE == message->kind) {
        piece_moved(end, message->piece); /* also to a link that was given up, as UCX would */
    } else if (!is_known(end)) {
        /* dropped */
    } else if (READY == message->kind) {
        peer_ready(end, message->epoch);
    } else if (END == message->kind) {
        peer_closed(end, message->epoch);
    } else if (!end->failed && message->epoch == end->epoch) {
        piece_moved(end, message->piece);
    }
    free(message);
}

static void run_finals(void)
{
    /* Those that are put back wait for the next time. */
    for (uint32_t i = net.finals.count; i > 0; --i) {
        mca_part_ucx_task_t *task = take(&net.finals);

        task->run(task);
    }
}

void fakelinks_step(void)
{
    switch (unit_below(&net.random, 3)) {
    case 0:
        if (0 != net.messages.count) {
            deliver();
        }
        break;
    case 1:
        if (0 != net.deferred.count) {
            mca_part_ucx_task_t *task = take(&net.deferred);

            task->run(task);
        }
        break;
    default:
        run_finals();
        break;
    }
}

bool fakelinks_quiet(void)
{
    return 0 == net.messages.count && 0 == net.deferred.count && 0 == net.finals.count;
}

int fakelinks_break(void)
{
    uint32_t running = 0;

    for (end_t *end = net.ends; NULL != end; end = end->next) {
        running += end->running;
    }
    if (0 == running) {
        return -1;
    }
    running = unit_below(&net.random, running) + 1;
    for (end_t *end = net.ends; NULL != end; end = end->next) {
        running -= end->running;
        if (0 == running) {
            fail_end(end);
            return end->rank;
        }
    }
    return -1;
}

int fakelinks_active(void)
{
    return net.active;
}

/* ---- the table ---- */

static end_t *end_of(mca_part_ucx_link_t *link)
{
    return (end_t *) (void *) link;
}

static int link_open(const mca_part_ucx_link_init_t *init, bool is_send, mca_part_ucx_link_t **link)
{
    end_t *end = zeroed(1, sizeof(*end));

    end->init = *init;
    end->is_send = is_send;
    end->rank = ompi_comm_rank(init->comm);
    end->peer_epoch = UINT32_MAX;
    end->marked = zeroed(init->count, sizeof(*end->marked));
    for (end_t *other = net.ends; NULL != other; other = other->next) {
        if (other->rank == init->peer && other->init.peer == end->rank
            && other->is_send != is_send) {
            end->other = other;
            other->other = end;
        }
    }
    end->next = net.ends;
    net.ends = end;
    *link = (mca_part_ucx_link_t *) (void *) end;
    return MPI_SUCCESS;
}

static int open_send(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link)
{
    return link_open(init, true, link);
}

static int open_recv(const mca_part_ucx_link_init_t *init, mca_part_ucx_link_t **link)
{
    return link_open(init, false, link);
}

/* Meanwhile, other threads make progress. */
static void link_start(mca_part_ucx_link_t *link)
{
    end_t *end = end_of(link);

    if (!is_known(end) || end->running) {
        fakelinks_blame("a link is started that is closed, given up, or running");
        return;
    }
    ++end->epoch;
    end->left = end->init.count;
    end->running = true;
    if (end->failed) {
        finish_end(end);
    } else if (UINT32_MAX != end->peer_epoch && end->epoch > end->peer_epoch) {
        fail_end(end);
    } else if (!end->is_send) {
        post(READY, end->other, end->epoch, 0);
    } else {
        open_gate(end);
    }
    while (0 == unit_below(&net.random, 2)) {
        fakelinks_step();
    }
}

/* Some pieces leave at once, as those in boxes of shared memory. */
static bool link_mark(mca_part_ucx_link_t *link, uint32_t piece)
{
    end_t *end = end_of(link);
    bool allowed = end->running && end->ready >= end->epoch && !end->failed;
    /* MPI_Start may still be at other links of the request. */
    uint32_t epoch = end->running ? end->epoch : end->epoch + 1;

    if (end->closed || end->marked[piece] == epoch) {
        fakelinks_blame("a piece is marked twice, or of a link that is closed");
    }
    end->marked[piece] = epoch;
    if (allowed && 0 == unit_below(&net.random, 2)) {
        post(DATA, end->other, end->epoch, piece);
        if (0 == --end->left) {
            finish_end(end);
        }
        return true;
    }
    leave_if_allowed(end, piece);
    return false;
}

static void link_close(mca_part_ucx_link_t *link)
{
    end_t *end = end_of(link);

    if (!is_known(end) || end->running) {
        fakelinks_blame("a link is closed that is closed, given up, or running");
    }
    if (UINT32_MAX == end->peer_epoch) {
        post(END, end->other, end->failed ? end->epoch - 1 : end->epoch, 0);
    }
    end->closed = true;
}

static bool link_abandon(mca_part_ucx_link_t *link)
{
    end_t *end = end_of(link);

    if (!is_known(end)) {
        fakelinks_blame("a link is given up that is closed, or given up already");
    }
    if (0 == unit_below(&net.random, 3)) {
        return false;
    }
    fail_end(end);
    if (UINT32_MAX == end->peer_epoch) {
        post(END, end->other, end->epoch - 1, 0);
    }
    end->abandoned = true;
    return true;
}

static void defer(mca_part_ucx_task_t *task, bool application)
{
    (void) application;
    put(&net.deferred, task);
}

static void post_final(mca_part_ucx_task_t *task)
{
    put(&net.finals, task);
}

static void active(int change)
{
    net.active += change;
}

static void nothing(void)
{
}

static void complete(ompi_request_t *request)
{
    net.completed(request);
}

static void freed(ompi_request_t *request)
{
    (void) request;
}

const mca_part_ucx_link_api_t fakelinks_api = {.version = PART_UCX_LINK_VERSION,
                                               .open_send = open_send,
                                               .open_recv = open_recv,
                                               .start = link_start,
                                               .mark = link_mark,
                                               .push = nothing,
                                               .close = link_close,
                                               .abandon = link_abandon,
                                               .defer = defer,
                                               .post_final = post_final,
                                               .finals = nothing,
                                               .active = active,
                                               .miss = nothing,
                                               .complete = complete,
                                               .freed = freed};

/* ---- life ---- */

void fakelinks_open(uint64_t seed, void (*completed)(ompi_request_t *request))
{
    memset(&net, 0, sizeof(net));
    net.random = seed;
    net.completed = completed;
}

void fakelinks_close(void)
{
    while (NULL != net.ends) {
        end_t *end = net.ends;

        net.ends = end->next;
        free(end->marked);
        free(end);
    }
    free(net.messages.item);
    free(net.deferred.item);
    free(net.finals.item);
}
