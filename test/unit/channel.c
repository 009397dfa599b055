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

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_recv_side.h"
#include "channel/part_ucx_path_user.h"
#include "channel/part_ucx_leave.h"
#include "channel/part_ucx_traffic.h"
#include "channel/part_ucx_send_side.h"
#include "path/part_ucx_window.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static mca_part_ucx_endpoint_t endpoints[FAKEUCX_MOST_PATHS];
static mca_part_ucx_peer_t peer; /* the other process of all channels: this one */
void (*channel_met)(mca_part_ucx_send_t *send, mca_part_ucx_recv_t *recv);

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
    mca_part_ucx_params = (mca_part_ucx_params_t) {.devices = "",
                                                  .transports = "",
                                                  .message_limit = 8192,
                                                  .unit_min = 4096,
                                                  .unit_max = 262144,
                                                  .stripe_min = 16384,
                                                  .shared_unit_min = 8192,
                                                  .shared_unit_max = 1048576,
                                                  .eager_limit = 8192,
                                                  .credit = 0,
                                                  .window = 524288,
                                                  .staging_limit = 67108864};
}

static void path_open(unsigned index)
{
    mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[index];
    mca_part_ucx_endpoint_t *endpoint = &endpoints[index];

    path->pending_tail = &path->pending;
    path->index = (int) index;
    path->device.kind = PART_UCX_DEVICE_TCP;
    path->event_fd = -1;
    path->worker = fakeucx_worker(index);
    path->user = &mca_part_ucx_channels_on_path;
    assert_int_equal(OMPI_SUCCESS, path->user->attach(path));
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_path_add_ops(path));
    atomic_store(&path->used, true);
    atomic_store(&path->open, true);
    path->puts = true;
    peer.pair[index] = (mca_part_ucx_pairing_t) {.local = index, .remote = index};
    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->path = path;
    endpoint->ucp = fakeucx_endpoint(index);
    endpoint->devices = index;
    endpoint->status = UCS_OK;
}

void channel_paths_open(unsigned count, const fakeucx_options_t *network)
{
    assert_uint_in_range(count, 1, FAKEUCX_MOST_PATHS);
    set_params();
    (void) channel_engine(true);
    (void) opal_set_using_threads(true);
    fakeucx_open(network);
    (void) mca_part_ucx_queue_take(&mca_part_ucx_process.done);
    atomic_store(&mca_part_ucx_process.active, 0);
    memset(&peer, 0, sizeof(peer));
    mca_part_ucx_paths.path = calloc(count, sizeof(*mca_part_ucx_paths.path));
    assert_non_null(mca_part_ucx_paths.path);
    for (unsigned i = 0; i < count; ++i) {
        path_open(i);
    }
    mca_part_ucx_paths.count = (int) count;
    mca_part_ucx_paths.network = (int) count;
}

void channel_paths_close(void)
{
    for (int i = 0; i < 100000 && 0 != fakeucx_in_flight(); ++i) {
        channel_progress(); /* what completed early may still be on its way */
    }
    UNIT_CHECK(NULL == fakeucx_violation(), "%s", fakeucx_violation());
    assert_int_equal(0, fakeucx_in_flight());
    assert_int_equal(0, atomic_load(&mca_part_ucx_process.active));
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];
        unsigned free_ops = 0;

        for (mca_part_ucx_op_t *op = path->free_ops; NULL != op; op = op->next) {
            ++free_ops;
        }
        /* Each once: none lost, none returned twice. */
        assert_int_equal(PART_UCX_OPS_PER_POOL, free_ops);
        assert_true(0 == path->ops_in_flight && 0 == path->bytes_in_flight);
        assert_null(path->pending);
        assert_null(mca_part_ucx_traffic_of(path)->partial);
        assert_null(mca_part_ucx_traffic_of(path)->polled);
        assert_true(mca_part_ucx_queue_empty(&path->queue));
        path->user->detach(path);
        mca_part_ucx_path_free_ops(path);
    }
    free(mca_part_ucx_paths.path);
    mca_part_ucx_paths.path = NULL;
    mca_part_ucx_paths.count = 0;
    mca_part_ucx_table_destroy(&mca_part_ucx_channels);
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
    mca_part_ucx_map_limits_t limits = {.pairs = paths,
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

struct ompi_communicator_t *channel_communicator(void)
{
    ((opal_object_t *) &communicator)->obj_reference_count = 1 << 20;
    return &communicator;
}

/* Nobody has to be told that an end goes. */
static void tell_nobody(mca_part_ucx_channel_t *end)
{
    (void) end;
}

static const mca_part_ucx_wireup_t no_wireup = {.detach = tell_nobody};

static void enter(mca_part_ucx_channel_t *end, mca_part_ucx_method_t method)
{
    end->wireup = &no_wireup;
    end->peer = &peer;
    end->pairs = (uint32_t) mca_part_ucx_paths.count;
    end->method = method;
    atomic_store(&end->state, PART_UCX_MATCHED);
    assert_true(mca_part_ucx_channel_enter(end));
}

void channel_meet(mca_part_ucx_send_t *send, mca_part_ucx_recv_t *recv,
                  mca_part_ucx_method_t method)
{
    enter(&send->super, method);
    enter(&recv->super, method);
    mca_part_ucx_channel_meet(&send->super, recv->super.key, recv->super.nonce);
    mca_part_ucx_channel_meet(&recv->super, send->super.key, send->super.nonce);
    for (uint32_t i = 0; i < send->super.pairs; ++i) {
        send->endpoint[i] = &endpoints[i];
    }
    recv->endpoint = &endpoints[0];
    if (NULL != channel_met) {
        channel_met(send, recv);
    }
}

static void cut(mca_part_ucx_channel_t *end, const channel_plan_t *plan)
{
    assert_true(mca_part_ucx_map_init(&end->map, plan->total, plan->send_partitions,
                                      plan->recv_partitions, plan->slices, plan->group,
                                      end->pairs));
}

static mca_part_ucx_init_t init_of(const channel_plan_t *plan, uint32_t partitions, void *buffer)
{
    return (mca_part_ucx_init_t) {.buffer = buffer,
                                 .partitions = partitions,
                                 .count = plan->total / partitions,
                                 .datatype = &ompi_mpi_byte.dt,
                                 .comm = channel_communicator()};
}

static void make_requests(channel_t *channel, const channel_plan_t *plan)
{
    mca_part_ucx_init_t init;

    channel->plan = *plan;
    channel->source = calloc(1, plan->total + 1);
    channel->target = calloc(1, plan->total + 1);
    assert_true(NULL != channel->source && NULL != channel->target);
    init = init_of(plan, plan->send_partitions, channel->source);
    channel->send = mca_part_ucx_send_of(mca_part_ucx_psend_new(&init)->channel);
    init = init_of(plan, plan->recv_partitions, channel->target);
    channel->recv = mca_part_ucx_recv_of(mca_part_ucx_precv_new(&init)->channel);
    channel_meet(channel->send, channel->recv, plan->method);
    cut(&channel->send->super, plan);
    cut(&channel->recv->super, plan);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_side_build(channel->recv));
    channel->send->credit = mca_part_ucx_credit_epochs(channel->recv);
    channel->send->keys = calloc(channel->send->super.pairs, sizeof(*channel->send->keys));
    assert_non_null(channel->send->keys);
    channel->send->remote_data = (uint64_t) (uintptr_t) channel->target;
    channel->send->remote_flags = (uint64_t) (uintptr_t) channel->recv->flag;
}

void channel_make(channel_t *channel, const channel_plan_t *plan)
{
    make_requests(channel, plan);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_send_side_build(channel->send));
}

void channel_let_place(channel_t *channel, int32_t process)
{
    channel->send->cma_process = process;
    channel->recv->writable = 0 != process;
    mca_part_ucx_delivery_prepare(channel->send);
}

void channel_make_open(channel_t *channel, const channel_plan_t *plan)
{
    make_requests(channel, plan);
    atomic_store(&channel->send->super.state, PART_UCX_OPEN);
    atomic_fetch_add(&mca_part_ucx_process.unmatched, 1);
}

void channel_link(channel_t *channel)
{
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    if (OMPI_SUCCESS != mca_part_ucx_send_side_build(channel->send)) {
        unit_thread_fail("no memory for a send");
    } else {
        mca_part_ucx_channel_matched(&channel->send->super);
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
}

static void free_end(mca_part_ucx_channel_t *end)
{
    mca_part_ucx_request_t *request = channel_request(end);

    OMPI_REQUEST_FINI(&request->any.super);
    mca_part_ucx_channel_release(end);
    request->channel = NULL;
    mca_part_ucx_request_destroy(request);
}

void channel_free_send(channel_t *channel)
{
    free_end(&channel->send->super);
    free(channel->source);
}

void channel_free_recv(channel_t *channel)
{
    free_end(&channel->recv->super);
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
    mca_part_ucx_arrivals_t *arrivals = atomic_load(&channel->recv->arrivals);

    for (uint32_t i = 0; NULL != arrivals && i < arrivals->map.flags; ++i) {
        atomic_store(&arrivals->flag[i], epoch);
    }
    atomic_store(&channel->send->super.epoch, epoch);
    atomic_store(&channel->send->super.ended, epoch);
    atomic_store(&channel->send->ready_epoch, epoch);
    atomic_store(&channel->send->heeded, epoch);
    atomic_store(&channel->send->begun, epoch);
    atomic_store(&channel->send->opened, epoch);
    atomic_store(&channel->recv->super.epoch, epoch);
    atomic_store(&channel->recv->super.ended, epoch);
    atomic_store(&channel->recv->armed, epoch);
}

mca_part_ucx_request_t *channel_request(const mca_part_ucx_channel_t *end)
{
    return end->context;
}

int channel_outcome(const mca_part_ucx_channel_t *end)
{
    return channel_request(end)->any.super.req_status.MPI_ERROR;
}

void channel_hear_end(mca_part_ucx_channel_t *end, uint64_t from, uint32_t epoch,
                      mca_part_ucx_reason_t reason)
{
    const mca_part_ucx_event_t event = {
        .key = end->key, .from = from, .epoch = epoch, .reason = (uint16_t) reason};

    mca_part_ucx_channel_heard_end(end, &event);
}

void channel_start(mca_part_ucx_channel_t *end)
{
    ompi_request_t *handle = &channel_request(end)->any.super;

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
    if (!mca_part_ucx_queue_empty(&mca_part_ucx_process.done)) {
        order_completion(true);
        (void) mca_part_ucx_requests_complete();
        order_completion(false);
    }
}

void channel_progress_in_turn(void)
{
    channel_progress();
    sched_yield();
}

void channel_watch(void)
{
    static double now = 1000.0;
    mca_part_ucx_channel_t *end;
    uint32_t next = 0;

    now += 0.001;
    pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
    while (NULL != (end = mca_part_ucx_table_next(&mca_part_ucx_channels, &next))) {
        if (mca_part_ucx_leave_has_to(end)) {
            mca_part_ucx_leave(end, now);
        }
    }
    pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
}

bool channel_complete(mca_part_ucx_channel_t *end)
{
    mca_part_ucx_request_t *request = channel_request(end);
    bool complete;

    order_completion(true);
    /* Open MPI's field is volatile, not atomic; but it is written by atomic operations. */
    complete = NULL != __atomic_load_n(&request->any.super.req_complete, __ATOMIC_ACQUIRE);
    order_completion(false);
    return complete;
}

bool channel_test(mca_part_ucx_channel_t *end)
{
    if (!channel_complete(end)) {
        return false;
    }
    channel_request(end)->any.super.req_state = OMPI_REQUEST_INACTIVE;
    return true;
}

void channel_finish(mca_part_ucx_channel_t *end)
{
    for (unsigned i = 0; i < 100000 && !channel_test(end); ++i) {
        channel_progress();
    }
    assert_int_equal(OMPI_REQUEST_INACTIVE, channel_request(end)->any.super.req_state);
    assert_int_equal(MPI_SUCCESS, channel_outcome(end));
}

int channel_pready(channel_t *channel, uint32_t low, uint32_t high)
{
    mca_part_ucx_any_request_t *any = &channel_request(&channel->send->super)->any;

    return any->ops->pready(any, low, high);
}

bool channel_parrived(channel_t *channel, uint32_t low, uint32_t high)
{
    mca_part_ucx_any_request_t *any = &channel_request(&channel->recv->super)->any;
    int flag = -1;

    if (MPI_SUCCESS != any->ops->parrived(any, low, high, &flag)
        || flag < 0 || flag > 1) {
        unit_thread_fail("parrived of %u to %u fails", low, high);
    }
    return 1 == flag;
}
