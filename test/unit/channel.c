/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Channels on a made-up network (see channel.h).
 */
#include "ompi_config.h"

#include "unit.h"

#include "channel.h"

#include "channel/part_ucx_leave.h"
#include "wireup/part_ucx_setup.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static mca_part_ucx_endpoint_t endpoints[FAKEUCX_MOST_PATHS];
static mca_part_ucx_peer_t peer; /* the other process of all channels: this one */

/* ---- Open MPI's progress engine (linked with --wrap) ---- */

static bool engine_off;
static atomic_uint engine_calls;

int __wrap_opal_progress(void);
int __wrap_opal_progress(void)
{
    atomic_fetch_add(&engine_calls, 1);
    if (!engine_off) {
        channel_progress();
    }
    return 0;
}

unsigned channel_engine(bool on)
{
    engine_off = !on;
    return atomic_exchange(&engine_calls, 0);
}

/* ---- paths ---- */

static void set_params(void)
{
    mca_part_ucx.params = (mca_part_ucx_params_t){.devices = "",
                                                  .transports = "",
                                                  .message_limit = 8192,
                                                  .unit_min = 4096,
                                                  .unit_max = 262144,
                                                  .stripe_min = 16384,
                                                  .shared_unit_min = 8192,
                                                  .shared_unit_max = 1048576,
                                                  .eager_limit = 8192,
                                                  .window = 524288,
                                                  .staging_limit = 67108864};
}

static void path_open(unsigned index)
{
    mca_part_ucx_path_t *path = &mca_part_ucx.paths[index];
    mca_part_ucx_endpoint_t *endpoint = &endpoints[index];

    mca_part_ucx_lock_init(&path->lock);
    mca_part_ucx_queue_init(&path->queue);
    path->pending_tail = &path->pending;
    path->index = (int) index;
    path->device.kind = PART_UCX_DEVICE_TCP;
    path->event_fd = -1;
    path->worker = fakeucx_worker(index);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_path_add_ops(path));
    atomic_store(&path->used, true);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_handlers_install(path));
    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->path = path;
    endpoint->ucp = fakeucx_endpoint(index);
    endpoint->status = UCS_OK;
}

void channel_paths_open(unsigned count, const fakeucx_options_t *network)
{
    assert_uint_in_range(count, 1, FAKEUCX_MOST_PATHS);
    set_params();
    (void) channel_engine(true);
    (void) opal_set_using_threads(true);
    fakeucx_open(network);
    mca_part_ucx_queue_init(&mca_part_ucx.done);
    atomic_store(&mca_part_ucx.active, 0);
    memset(&peer, 0, sizeof(peer));
    mca_part_ucx.paths = calloc(count, sizeof(*mca_part_ucx.paths));
    assert_non_null(mca_part_ucx.paths);
    for (unsigned i = 0; i < count; ++i) {
        path_open(i);
    }
    mca_part_ucx.path_count = (int) count;
    mca_part_ucx.network_paths = (int) count;
}

void channel_paths_close(void)
{
    for (int i = 0; i < 100000 && 0 != fakeucx_in_flight(); ++i) {
        channel_progress(); /* what completed early may still be on its way */
    }
    UNIT_CHECK(NULL == fakeucx_violation(), "%s", fakeucx_violation());
    assert_int_equal(0, fakeucx_in_flight());
    assert_int_equal(0, atomic_load(&mca_part_ucx.active));
    for (int i = 0; i < mca_part_ucx.path_count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx.paths[i];
        unsigned free_ops = 0;

        for (mca_part_ucx_op_t *op = path->free_ops; NULL != op; op = op->next) {
            ++free_ops;
        }
        /* Each once: none lost, none returned twice. */
        assert_int_equal(PART_UCX_OPS_PER_POOL, free_ops);
        assert_true(0 == path->ops_in_flight && 0 == path->bytes_in_flight);
        assert_null(path->pending);
        assert_null(path->held);
        assert_null(path->polled);
        assert_true(mca_part_ucx_queue_empty(&path->queue));
        while (NULL != path->rx_free) {
            void *next = *(void **) path->rx_free;

            free(path->rx_free);
            path->rx_free = next;
        }
        mca_part_ucx_path_free_ops(path);
    }
    free(mca_part_ucx.paths);
    mca_part_ucx.paths = NULL;
    mca_part_ucx.path_count = 0;
    mca_part_ucx_table_destroy(&mca_part_ucx.table);
    fakeucx_close();
}

/* ---- plans ---- */

static uint64_t choose_total(unit_random_t *random, uint32_t send, uint32_t recv)
{
    static const uint32_t factors[] = {0, 1, 3, 8, 64, 100, 577, 4096};
    uint64_t factor = factors[unit_below(random, sizeof(factors) / sizeof(factors[0]))];

    while (factor * send * recv > 300000) {
        factor /= 2;
    }
    return factor * send * recv;
}

void channel_plan_choose(channel_plan_t *plan, unit_random_t *random, unsigned paths,
                         mca_part_ucx_method_t method)
{
    mca_part_ucx_map_limits_t limits = {.paths = paths,
                                        .unit_min = 1u << unit_below(random, 13),
                                        .unit_max = 1u << (7 + unit_below(random, 10)),
                                        .stripe_min = 64u << unit_below(random, 6)};

    plan->send_partitions = 1 + unit_below(random, 1 + unit_below(random, CHANNEL_MOST_PARTS));
    plan->recv_partitions = 1 + unit_below(random, 1 + unit_below(random, CHANNEL_MOST_PARTS));
    if (0 == unit_below(random, 3)) {
        plan->recv_partitions = plan->send_partitions;
    }
    plan->total = choose_total(random, plan->send_partitions, plan->recv_partitions);
    plan->method = 0 == plan->total ? PART_UCX_METHOD_MESSAGE : method;
    mca_part_ucx_map_choose(plan->total, plan->send_partitions, &limits, &plan->slices,
                            &plan->group);
    if (plan->slices > 200) {
        plan->slices = 200;
    }
}

/* ---- requests ---- */

static ompi_communicator_t communicator; /* not revoked */

static void fill(mca_part_ucx_request_t *request, const channel_plan_t *plan, uint32_t partitions,
                 unsigned char *data)
{
    OMPI_REQUEST_INIT(&request->any.super, true);
    request->any.super.req_type = OMPI_REQUEST_PART;
    request->buffer = request->data = (char *) data;
    request->total = plan->total;
    request->contiguous = true;
    request->peer = &peer;
    request->comm = &communicator;
    request->partitions = request->cut = partitions;
    request->pairs = (uint32_t) mca_part_ucx.path_count;
    request->method = plan->method;
    atomic_store(&request->peer_epoch, UINT32_MAX);
    atomic_store(&request->link, PART_UCX_LINK_READY);
    request->key = mca_part_ucx_table_add(&mca_part_ucx.table, request);
    assert_true(mca_part_ucx_map_init(&request->map, plan->total, plan->send_partitions,
                                      plan->recv_partitions, plan->slices, plan->group,
                                      request->pairs));
}

static void make_requests(channel_t *channel, const channel_plan_t *plan)
{
    channel->plan = *plan;
    channel->source = calloc(1, plan->total + 1);
    channel->target = calloc(1, plan->total + 1);
    channel->send = OBJ_NEW(mca_part_ucx_send_t);
    channel->recv = OBJ_NEW(mca_part_ucx_recv_t);
    assert_true(NULL != channel->source && NULL != channel->target && NULL != channel->send
                && NULL != channel->recv);
    fill(&channel->send->super, plan, plan->send_partitions, channel->source);
    fill(&channel->recv->super, plan, plan->recv_partitions, channel->target);
    channel->send->super.peer_key = channel->recv->super.key;
    channel->recv->super.peer_key = channel->send->super.key;
    channel->send->marked = calloc(plan->send_partitions + 1, sizeof(*channel->send->marked));
    assert_non_null(channel->send->marked);
    for (uint32_t i = 0; i < channel->send->super.pairs; ++i) {
        channel->send->endpoint[i] = &endpoints[i];
    }
    assert_true(mca_part_ucx_claims_init(&channel->recv->claims, plan->recv_partitions));
    channel->recv->endpoint = &endpoints[0];
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_build(channel->recv));
    channel->send->remote_data = (uint64_t) (uintptr_t) channel->target;
    channel->send->remote_flags = (uint64_t) (uintptr_t) channel->recv->flag;
}

void channel_make(channel_t *channel, const channel_plan_t *plan)
{
    make_requests(channel, plan);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_send_ready(channel->send));
}

void channel_make_open(channel_t *channel, const channel_plan_t *plan)
{
    make_requests(channel, plan);
    atomic_store(&channel->send->super.link, PART_UCX_LINK_OPEN);
    atomic_fetch_add(&mca_part_ucx.unmatched, 1);
}

void channel_link(channel_t *channel)
{
    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    if (OMPI_SUCCESS != mca_part_ucx_send_ready(channel->send)) {
        unit_thread_fail("no memory for a send");
    } else {
        mca_part_ucx_setup_ready(&channel->send->super);
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
}

void channel_free_send(channel_t *channel)
{
    mca_part_ucx_table_remove(&mca_part_ucx.table, channel->send->super.key);
    mca_part_ucx_send_release(channel->send);
    OMPI_REQUEST_FINI(&channel->send->super.any.super);
    OBJ_RELEASE(channel->send);
    free(channel->source);
}

void channel_free_recv(channel_t *channel)
{
    mca_part_ucx_table_remove(&mca_part_ucx.table, channel->recv->super.key);
    mca_part_ucx_recv_release(channel->recv);
    OMPI_REQUEST_FINI(&channel->recv->super.any.super);
    OBJ_RELEASE(channel->recv);
    free(channel->target);
}

void channel_free(channel_t *channel)
{
    channel_free_send(channel);
    channel_free_recv(channel);
}

/* ---- contents ---- */

static unsigned char byte_at(const channel_t *channel, uint32_t epoch, uint64_t position)
{
    uint64_t mixed = (position + 1) * UINT64_C(0x9e3779b97f4a7c15) + epoch * 31 + channel->number;

    return (unsigned char) ((mixed >> 29 ^ mixed) | 1);
}

void channel_fill(channel_t *channel, uint32_t epoch, uint32_t send_partition)
{
    uint64_t bytes = channel->plan.total / channel->plan.send_partitions;

    for (uint64_t i = send_partition * bytes; i < (send_partition + 1) * bytes; ++i) {
        channel->source[i] = byte_at(channel, epoch, i);
    }
}

bool channel_is_there(const channel_t *channel, uint32_t epoch, uint32_t recv_partition)
{
    uint64_t bytes = channel->plan.total / channel->plan.recv_partitions;

    for (uint64_t i = recv_partition * bytes; i < (recv_partition + 1) * bytes; ++i) {
        if (channel->target[i] != byte_at(channel, epoch, i)) {
            return false;
        }
    }
    return true;
}

/* ---- what a program does ---- */

void channel_grow_old(channel_t *channel, uint32_t left)
{
    uint32_t epoch = UINT32_MAX - 1 - left;

    atomic_store(&channel->send->super.epoch, epoch);
    atomic_store(&channel->send->ready_epoch, epoch);
    atomic_store(&channel->recv->super.epoch, epoch);
    atomic_store(&channel->recv->armed, epoch);
}

void channel_start(mca_part_ucx_request_t *request)
{
    ompi_request_t *handle = &request->any.super;

    (void) mca_part_ucx_requests_start(1, &handle);
}

/*
 * Open MPI marks a request complete with a relaxed operation beside a fence, and the thread
 * sanitizer knows no fences; for it, and only for it, a lock orders the two sides.
 */
#ifdef __SANITIZE_THREAD__
static pthread_mutex_t completing = PTHREAD_MUTEX_INITIALIZER;

static void order_completion(bool begin)
{
    (void) (begin ? pthread_mutex_lock(&completing) : pthread_mutex_unlock(&completing));
}
#else
static void order_completion(bool begin)
{
    (void) begin;
}
#endif

void channel_progress(void)
{
    (void) mca_part_ucx_paths_drive(true);
    if (!mca_part_ucx_queue_empty(&mca_part_ucx.done)) {
        order_completion(true);
        (void) mca_part_ucx_requests_complete();
        order_completion(false);
    }
}

void channel_watch(void)
{
    static double now = 1000.0;

    now += 0.001;
    pthread_mutex_lock(&mca_part_ucx.setup_lock);
    for (uint32_t i = 0; i < mca_part_ucx_table_slots(&mca_part_ucx.table); ++i) {
        mca_part_ucx_request_t *request = mca_part_ucx_table_at(&mca_part_ucx.table, i);

        if (NULL != request && mca_part_ucx_leave_has_to(request)) {
            mca_part_ucx_leave(request, now);
        }
    }
    pthread_mutex_unlock(&mca_part_ucx.setup_lock);
}

bool channel_complete(mca_part_ucx_request_t *request)
{
    bool complete;

    order_completion(true);
    /* Open MPI's field is volatile, not atomic; but it is written by atomic operations. */
    complete = NULL != __atomic_load_n(&request->any.super.req_complete, __ATOMIC_ACQUIRE);
    order_completion(false);
    return complete;
}

bool channel_test(mca_part_ucx_request_t *request)
{
    if (!channel_complete(request)) {
        return false;
    }
    request->any.super.req_state = OMPI_REQUEST_INACTIVE;
    return true;
}

void channel_finish(mca_part_ucx_request_t *request)
{
    for (unsigned i = 0; i < 100000 && !channel_test(request); ++i) {
        channel_progress();
    }
    assert_int_equal(OMPI_REQUEST_INACTIVE, request->any.super.req_state);
    assert_int_equal(MPI_SUCCESS, request->any.super.req_status.MPI_ERROR);
}

int channel_pready(channel_t *channel, uint32_t low, uint32_t high)
{
    return channel->send->super.any.ops->pready(&channel->send->super.any, low, high);
}

bool channel_parrived(channel_t *channel, uint32_t low, uint32_t high)
{
    int flag = -1;

    if (MPI_SUCCESS
            != channel->recv->super.any.ops->parrived(&channel->recv->super.any, low, high, &flag)
        || flag < 0 || flag > 1) {
        unit_thread_fail("parrived of %u to %u fails", low, high);
    }
    return 1 == flag;
}
