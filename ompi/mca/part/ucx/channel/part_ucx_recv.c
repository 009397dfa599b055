/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The receiving end of a channel: MPI_Parrived, and how arrivals become known.
 *
 * A segment has arrived when its flag equals the epoch. For units that come as messages the
 * handler writes the flag after the data and counts down `remaining`; for units that come as puts
 * the sender's put writes it, and a path that polls the request finds out.
 */
#include "channel/part_ucx_request.h"

#include "channel/part_ucx_datatype.h"
#include "base/part_ucx_poll.h"

#include <stdlib.h>
#include <string.h>

/* An MPI_Parrived that finds nothing makes progress now and then, and calls Open MPI's whole
 * progress engine every so many of those times. */
#define PROGRESS_PER_OPAL 4u

static uint32_t epoch_of(mca_part_ucx_recv_t *recv)
{
    return atomic_load_explicit(&recv->super.epoch, memory_order_relaxed);
}

/* ---- arrival, under a path's lock ---- */

static void set_flags(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first, uint32_t count)
{
    uint32_t flag = mca_part_ucx_map_flag(&recv->super.map, first);

    /* Segments of one message belong to one unit, so their flags are neighbours. */
    for (uint32_t i = 0; i < count; ++i) {
        atomic_store_explicit(&recv->flag[flag + i], epoch, memory_order_release);
    }
}

void mca_part_ucx_recv_arrived(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first,
                               uint32_t count)
{
    if (NULL != recv->super.observer) {
        recv->super.observer->moved(recv->super.context, first);
    } else {
        set_flags(recv, epoch, first, count);
    }
    if (atomic_fetch_sub(&recv->remaining, count) == count) {
        mca_part_ucx_request_finish(&recv->super);
    }
}

int mca_part_ucx_recv_poll(mca_part_ucx_path_t *path)
{
    mca_part_ucx_polled_t **link = &path->polled;
    int events = 0;

    while (NULL != *link) {
        mca_part_ucx_polled_t *polled = *link;
        mca_part_ucx_recv_t *recv = polled->recv;
        uint32_t epoch = epoch_of(recv);
        uint32_t flags = recv->super.map.flags;

        while (polled->seen < flags
               && epoch == atomic_load_explicit(&recv->flag[polled->seen], memory_order_acquire)) {
            ++polled->seen;
            if (polled->seen == polled->gap) {
                polled->seen += flags - recv->super.map.segments;
            }
        }
        if (polled->seen == flags) {
            *link = polled->next;
            mca_part_ucx_request_finish(&recv->super);
            ++events;
        } else if (PART_UCX_LINK_READY != mca_part_ucx_request_link(&recv->super)) {
            *link = polled->next; /* it has failed */
        } else {
            link = &polled->next;
        }
    }
    return events;
}

/* ---- start ---- */

void mca_part_ucx_recv_start(mca_part_ucx_recv_t *recv)
{
    atomic_store_explicit(&recv->remaining, recv->super.map.segments, memory_order_relaxed);
    atomic_store_explicit(&recv->armed, epoch_of(recv), memory_order_release);
    mca_part_ucx_ready_send(recv->ready);
}

/* ---- building ---- */

static void arrivals_free(mca_part_ucx_arrivals_t *arrivals)
{
    free((void *) arrivals->flag);
    free(arrivals->first);
    free(arrivals->last);
    free((void *) arrivals->cursor);
    free(arrivals);
}

static bool arrivals_allocate(mca_part_ucx_arrivals_t *arrivals, const mca_part_ucx_map_t *map)
{
    size_t bytes = ((size_t) map->flags * sizeof(uint64_t) + 63) & ~(size_t) 63;
    /* Is every receive partition one segment? Equal numbers of both are not enough. */
    bool one_each = 1 == map->slices && map->send_partitions == map->recv_partitions;
    void *flags = NULL;

    /* Whole cache lines: puts of other channels must not touch a neighbour's. */
    if (0 != posix_memalign(&flags, 64, bytes)) {
        return false;
    }
    memset(flags, 0, bytes);
    arrivals->map = *map;
    arrivals->flag = flags;
    arrivals->first = calloc(map->recv_partitions, sizeof(*arrivals->first));
    if (!one_each) {
        arrivals->last = calloc(map->recv_partitions, sizeof(*arrivals->last));
        arrivals->cursor = calloc(map->recv_partitions, sizeof(*arrivals->cursor));
    }
    return NULL != arrivals->first
           && (one_each || (NULL != arrivals->last && NULL != arrivals->cursor));
}

static mca_part_ucx_arrivals_t *arrivals_make(const mca_part_ucx_map_t *map)
{
    mca_part_ucx_arrivals_t *arrivals = calloc(1, sizeof(*arrivals));

    if (NULL == arrivals || !arrivals_allocate(arrivals, map)) {
        if (NULL != arrivals) {
            arrivals_free(arrivals);
        }
        return NULL;
    }
    for (uint32_t i = 0; i < map->recv_partitions; ++i) {
        uint32_t first, last;

        mca_part_ucx_map_cover(map, i, &first, &last);
        if (NULL == arrivals->last) {
            arrivals->first[i] = mca_part_ucx_map_flag(map, first);
        } else {
            arrivals->first[i] = first;
            arrivals->last[i] = last;
        }
    }
    return arrivals;
}

static int build_flags(mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    mca_part_ucx_arrivals_t *arrivals = arrivals_make(map);

    if (NULL == arrivals) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    arrivals->earlier = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);
    atomic_store_explicit(&recv->arrivals, arrivals, memory_order_release);
    recv->flag = arrivals->flag;
    recv->polled.recv = recv;
    recv->polled.gap = mca_part_ucx_map_flag(map, map->segments - 1) + 1;
    return OMPI_SUCCESS;
}

int mca_part_ucx_recv_build(mca_part_ucx_recv_t *recv)
{
    recv->ready = mca_part_ucx_ready_make(recv);
    if (NULL == recv->ready) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* The arrivals of a link are its observer's business. */
    return NULL != recv->super.observer ? OMPI_SUCCESS : build_flags(recv);
}

void mca_part_ucx_recv_unregister(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_region_release(recv->region);
    mca_part_ucx_region_release(recv->flag_region);
    recv->region = NULL;
    recv->flag_region = NULL;
}

static void unlink_polled(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_path_t *path = recv->endpoint->path;
    mca_part_ucx_polled_t **link = &path->polled;

    mca_part_ucx_path_lock(path);
    while (NULL != *link && &recv->polled != *link) {
        link = &(*link)->next;
    }
    if (NULL != *link) {
        *link = (*link)->next;
    }
    mca_part_ucx_path_unlock(path);
}

void mca_part_ucx_recv_unbuild(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_ready_release(recv->ready, recv->endpoint->path);
    recv->ready = NULL;
    unlink_polled(recv);
    mca_part_ucx_recv_unregister(recv);
    mca_part_ucx_datatype_release(recv->super.convertor, recv->super.pairs);
    recv->super.convertor = NULL;
}

void mca_part_ucx_recv_release(mca_part_ucx_recv_t *recv)
{
    if (NULL != recv->ready) {
        mca_part_ucx_ready_release(recv->ready, recv->endpoint->path);
    }
    mca_part_ucx_claims_fini(&recv->claims);
    mca_part_ucx_recv_unregister(recv);
    while (NULL != recv->arrivals) {
        mca_part_ucx_arrivals_t *arrivals = recv->arrivals;

        recv->arrivals = arrivals->earlier;
        arrivals_free(arrivals);
    }
}

/* ---- MPI_Parrived ---- */

/* All segments of a partition; remembers how far it got, so that polling stays cheap. */
static bool range_arrived(mca_part_ucx_arrivals_t *arrivals, size_t partition, uint32_t epoch)
{
    uint64_t known = atomic_load_explicit(&arrivals->cursor[partition], memory_order_acquire);
    uint32_t last = arrivals->last[partition];
    uint32_t segment = arrivals->first[partition];
    uint32_t begin;

    if (known >> 32 == epoch) {
        segment = (uint32_t) known;
    }
    begin = segment;
    while (segment <= last
           && epoch == atomic_load_explicit(
                  &arrivals->flag[mca_part_ucx_map_flag(&arrivals->map, segment)],
                  memory_order_acquire)) {
        ++segment;
    }
    if (segment != begin) {
        atomic_store_explicit(&arrivals->cursor[partition], (uint64_t) epoch << 32 | segment,
                              memory_order_release);
    }
    return segment > last;
}

static inline bool partition_arrived(mca_part_ucx_arrivals_t *arrivals, size_t partition,
                                     uint32_t epoch)
{
    if (NULL != arrivals->last) {
        return range_arrived(arrivals, partition, epoch);
    }
    return epoch == atomic_load_explicit(&arrivals->flag[arrivals->first[partition]],
                                         memory_order_acquire);
}

/* Something is missing: make progress now and then, so that a loop over Parrived always ends. */
static void miss(mca_part_ucx_recv_t *recv)
{
    static _Thread_local struct {
        mca_part_ucx_poll_t poll;
        unsigned times;
    } thread __attribute__((tls_model("initial-exec")));

    if (!mca_part_ucx_poll_due(&thread.poll)) {
        return;
    }
    if (PART_UCX_LINK_READY != mca_part_ucx_request_link(&recv->super)
        || 0 == ++thread.times % PROGRESS_PER_OPAL) {
        opal_progress();
    } else {
        mca_part_ucx_async_note_app();
        (void) mca_part_ucx_paths_drive(true);
    }
    mca_part_ucx_poll_over(&thread.poll);
}

static int recv_parrived(mca_part_ucx_any_request_t *request, size_t low, size_t high, int *flag)
{
    mca_part_ucx_recv_t *recv = (mca_part_ucx_recv_t *) request;
    mca_part_ucx_arrivals_t *arrivals;
    bool inactive;
    uint32_t epoch;

    if (OPAL_UNLIKELY(low > high || high >= recv->super.partitions)) {
        return MPI_ERR_ARG;
    }
    *flag = 1;
    /* First this, then the flags, although it is enough: another thread's MPI_Wait may have made it
     * inactive, and who is told so here reads the buffer. */
    inactive = OMPI_REQUEST_ACTIVE
               != __atomic_load_n(&request->super.req_state, __ATOMIC_ACQUIRE);
    epoch = epoch_of(recv);
    if (OPAL_LIKELY(PART_UCX_LINK_READY == mca_part_ucx_request_link(&recv->super))) {
        arrivals = atomic_load_explicit(&recv->arrivals, memory_order_acquire);
        while (low <= high && partition_arrived(arrivals, low, epoch)) {
            ++low;
        }
        if (low > high) {
            return MPI_SUCCESS;
        }
    } else if (PART_UCX_LINK_NULL_PEER == mca_part_ucx_request_link(&recv->super)) {
        return MPI_SUCCESS;
    }
    if (inactive) {
        return MPI_SUCCESS;
    }
    *flag = 0;
    if (OPAL_UNLIKELY(MPI_SUCCESS != atomic_load(&recv->super.error))) {
        return atomic_load(&recv->super.error);
    }
    miss(recv);
    return MPI_SUCCESS;
}

/* ---- MPIX_Parrived_any, MPIX_Parrived_some ---- */

/* An epoch of a match, for mca_part_ucx_claims_take(). */
typedef struct claimable_t {
    mca_part_ucx_arrivals_t *arrivals; /* NULL: not matched yet, nothing has arrived */
    uint32_t epoch;
} claimable_t;

static bool is_claimable(void *context, uint32_t partition)
{
    claimable_t *claimable = context;

    return NULL != claimable->arrivals
           && partition_arrived(claimable->arrivals, partition, claimable->epoch);
}

static int recv_claim(mca_part_ucx_any_request_t *request, int room, int *count, int partitions[])
{
    mca_part_ucx_recv_t *recv = (mca_part_ucx_recv_t *) request;
    bool active = OMPI_REQUEST_ACTIVE == request->super.req_state;
    claimable_t claimable = {.epoch = epoch_of(recv)};
    int link = mca_part_ucx_request_link(&recv->super);
    bool over = !active || 0 != atomic_load_explicit(&request->arrived, memory_order_acquire);
    int error = mca_part_ucx_request_error(&recv->super);

    *count = MPI_UNDEFINED;
    if (0 == claimable.epoch || PART_UCX_LINK_NULL_PEER == link) {
        return MPI_SUCCESS;
    }
    if (!active && MPI_SUCCESS != error) {
        return error;
    }
    /* For the data of a request that another thread has completed. */
    atomic_thread_fence(memory_order_acquire);
    if (PART_UCX_LINK_READY == link) {
        claimable.arrivals = atomic_load_explicit(&recv->arrivals, memory_order_acquire);
    }
    *count = mca_part_ucx_claims_take(&recv->claims, claimable.epoch,
                                      over ? NULL : is_claimable, &claimable, room, partitions);
    if (PART_UCX_CLAIMS_OVER == *count) {
        *count = MPI_UNDEFINED;
    } else if (0 == *count) {
        if (MPI_SUCCESS != error) {
            return error;
        }
        miss(recv);
    }
    return MPI_SUCCESS;
}

/* The receive side of MPIX_Pbuf_prepare: MPI_Start has told the sender already. */
static int recv_prepare(mca_part_ucx_any_request_t *request)
{
    mca_part_ucx_recv_t *recv = (mca_part_ucx_recv_t *) request;

    if (OMPI_REQUEST_ACTIVE != request->super.req_state) {
        return MPI_ERR_REQUEST;
    }
    opal_progress();
    return mca_part_ucx_request_error(&recv->super);
}

static const mca_part_ucx_ops_t recv_ops = {.version = MCA_PART_UCX_OPS_VERSION,
                                            .pready = NULL,
                                            .parrived = recv_parrived,
                                            .prepare = recv_prepare,
                                            .claim = recv_claim};

static void recv_construct(mca_part_ucx_recv_t *recv)
{
    memset((char *) recv + sizeof(ompi_request_t), 0, sizeof(*recv) - sizeof(ompi_request_t));
    recv->super.any.ops = &recv_ops;
    recv->super.done.run = mca_part_ucx_request_complete;
}

OBJ_CLASS_INSTANCE(mca_part_ucx_recv_t, ompi_request_t, recv_construct, NULL);
