/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes (see twins.h).
 */
#include "ompi_config.h"

#include "unit.h"

#include "line.h"
#include "twins.h"

#include "channel/part_ucx_failover_ready.h"
#include "path/part_ucx_failover_outage.h"
#include "wireup/part_ucx_watchdog.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/proc/proc.h"
#include "opal/util/proc.h"

/* The other process, as a side sees it. */
static ompi_proc_t process[SIDES];
static mca_part_ucx_peer_t peer[SIDES];
static unsigned char address[SIDES * CABLES_MOST];

const char *__wrap_mca_part_ucx_peer_host(mca_part_ucx_peer_t *other);
const char *__wrap_mca_part_ucx_peer_host(mca_part_ucx_peer_t *other)
{
    return other->proc == &process[SIDE_A] ? "b" : "a";
}

/* A's peer comes after A, B's before B. */
static int compare(const opal_process_name_t ours, const opal_process_name_t theirs)
{
    (void) ours;
    return SIDE_B == theirs.vpid ? -1 : 1;
}

void (*twins_standing)(void);

mca_part_ucx_verdict_t
__real_mca_part_ucx_recv_judge_range(mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_data_header_t *header,
                                     const uint64_t *length, uint64_t *offset);
mca_part_ucx_verdict_t
__wrap_mca_part_ucx_recv_judge_range(mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_data_header_t *header,
                                     const uint64_t *length, uint64_t *offset);
mca_part_ucx_verdict_t
__wrap_mca_part_ucx_recv_judge_range(mca_part_ucx_recv_t *recv,
                                     const mca_part_ucx_data_header_t *header,
                                     const uint64_t *length, uint64_t *offset)
{
    mca_part_ucx_verdict_t verdict
        = __real_mca_part_ucx_recv_judge_range(recv, header, length, offset);
    void (*then)(void) = twins_standing;

    if (NULL != then && PART_UCX_TAKE == verdict) {
        twins_standing = NULL;
        then();
    }
    return verdict;
}

static void open_paths(void)
{
    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        mca_part_ucx_path_t *path = &mca_part_ucx_paths.path[i];

        path->fails_over = true;
        path->device.subnet.family = 4;
        path->device.subnet.address[0] = (unsigned char) i;
        address[i] = (unsigned char) i;
    }
}

static void make_peer(unsigned side)
{
    uint32_t paths = (uint32_t) mca_part_ucx_paths.count;
    mca_part_ucx_peer_t *other = &peer[side];

    memset(other, 0, sizeof(*other));
    process[side].super.proc_name = (opal_process_name_t) {.jobid = 1, .vpid = 1 - side};
#if OPAL_ENABLE_FT_MPI
    process[side].proc_active = true;
#endif
    other->name = process[side].super.proc_name;
    other->proc = &process[side];
    other->remotes = paths;
    other->remote = unit_allocate(paths * sizeof(*other->remote));
    for (uint32_t i = 0; i < paths; ++i) {
        other->remote[i] = (mca_part_ucx_remote_t) {
            .kind = PART_UCX_DEVICE_TCP,
            .fails_over = true,
            .address = (ucp_address_t *) (void *) &address[i],
            .endpoint = unit_allocate(paths * sizeof(*other->remote[i].endpoint)),
            .endpoints = (int) paths};
    }
    other->pairs = cables.count;
    for (uint32_t i = 0; i < cables.count; ++i) {
        other->pair[i] = (mca_part_ucx_pairing_t) {.local = cables_path(side, i),
                                                   .remote = cables_path(1 - side, i)};
        assert_non_null(mca_part_ucx_endpoint_get(other, other->pair[i].local,
                                                  other->pair[i].remote));
    }
}

static void free_peer(unsigned side)
{
    for (uint32_t i = 0; i < peer[side].remotes; ++i) {
        for (uint32_t j = 0; j < peer[side].remotes; ++j) {
            free(peer[side].remote[i].endpoint[j]);
        }
        free((void *) peer[side].remote[i].endpoint);
    }
    free(peer[side].remote);
}

mca_part_ucx_endpoint_t *twins_endpoint(unsigned side, unsigned cable)
{
    const mca_part_ucx_pairing_t *pair = &peer[side].pair[cable];

    return peer[side].remote[pair->remote].endpoint[pair->local];
}

/* As set-up does, where both find that the channel fails over. */
static void meet(mca_part_ucx_send_t *send, mca_part_ucx_recv_t *recv)
{
    send->super.peer = &peer[SIDE_A];
    recv->super.peer = &peer[SIDE_B];
    send->super.pairs = recv->super.pairs = cables.count;
    send->super.fails_over = recv->super.fails_over = true;
    send->eager_only = true;
    for (uint32_t i = 0; i < cables.count; ++i) {
        send->endpoint[i] = twins_endpoint(SIDE_A, i);
    }
    recv->endpoint = twins_endpoint(SIDE_B, 0);
}

static void spread(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_endpoint_t *endpoint[CABLES_MOST];

    for (uint32_t i = 0; i < cables.count; ++i) {
        endpoint[i] = twins_endpoint(SIDE_B, i);
    }
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_failover_ready_spread(recv, endpoint));
}

void twins_make(channel_t *channel, const channel_plan_t *plan)
{
    memset(channel, 0, sizeof(*channel));
    channel_make(channel, plan);
    spread(channel->recv);
}

void twins_start_send(channel_t *channel, uint32_t epoch)
{
    channel_start(&channel->send->super);
    for (uint32_t i = 0; i < channel->plan.send_partitions; ++i) {
        channel_fill(channel, epoch, i);
    }
}

void twins_start(channel_t *channel, uint32_t epoch)
{
    channel_start(&channel->recv->super);
    twins_start_send(channel, epoch);
    twins_drive(5);
}

void twins_mark(channel_t *channel, uint32_t low, uint32_t high)
{
    assert_int_equal(MPI_SUCCESS, channel_pready(channel, low, high));
    twins_drive(5);
}

void twins_mark_all(channel_t *channel)
{
    twins_mark(channel, 0, channel->plan.send_partitions - 1);
}

void twins_finish(channel_t *channel, uint32_t epoch)
{
    channel_finish(&channel->recv->super);
    channel_finish(&channel->send->super);
    for (uint32_t i = 0; i < channel->plan.recv_partitions; ++i) {
        assert_true(channel_is_there(channel, epoch, i));
    }
}

void twins_epoch(channel_t *channel, uint32_t epoch)
{
    twins_start(channel, epoch);
    twins_mark_all(channel);
    twins_finish(channel, epoch);
}

void twins_make_line(uint32_t count, const uint64_t *bytes)
{
    line_make(count, bytes);
    spread(line.recv);
}

static void open_twins(unsigned count, unsigned without)
{
    const fakeucx_options_t options = {.seed = 1};

    cables_reset(count);
    for (unsigned side = 0; side < SIDES; ++side) {
        cables.gone[side][0] = side == without;
    }
    /* Nothing depends on the world before, nor on when that was looked at last. */
    cables.seconds = (double) (long) cables.seconds + 100.0;
    atomic_store(&mca_part_ucx_process.watch_soon, false);
    channel_paths_open(SIDES * count, &options);
    mca_part_ucx_params.failover = 1;
    mca_part_ucx_params.path_timeout = TWINS_TIMEOUT;
    opal_compare_proc = compare;
    open_paths();
    make_peer(SIDE_A);
    make_peer(SIDE_B);
    channel_met = meet;
    mca_part_ucx_process.closing = false;
}

void twins_open(unsigned count)
{
    open_twins(count, SIDES);
}

void twins_open_without(unsigned count, unsigned side)
{
    open_twins(count, side);
}

void twins_close(void)
{
    cables_lose();
    memset(cables.silent, 0, sizeof(cables.silent));
    twins_drive(10);
    channel_met = NULL;
    channel_paths_close();
    free_peer(SIDE_A);
    free_peer(SIDE_B);
}

void twins_give_up(unsigned side, unsigned cable)
{
    mca_part_ucx_failover_outage_give_up(twins_endpoint(side, cable), "a test");
}

void twins_drive(unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i) {
        channel_progress();
    }
}

void twins_pass(double seconds)
{
    for (double until = cables.seconds + seconds; cables.seconds < until;) {
        cables.seconds += 0.05;
        twins_drive(2);
        pthread_mutex_lock(&mca_part_ucx_process.setup_lock);
        for (unsigned calls = 0; calls < 16; ++calls) {
            mca_part_ucx_watchdog();
        }
        pthread_mutex_unlock(&mca_part_ucx_process.setup_lock);
    }
}

int twins_state(unsigned side, unsigned cable)
{
    return atomic_load(&twins_endpoint(side, cable)->outage.state);
}

int twins_states(unsigned cable)
{
    int state = twins_state(SIDE_A, cable);

    return state == twins_state(SIDE_B, cable) ? state : -1;
}

uint32_t twins_generation(unsigned side, unsigned cable)
{
    return atomic_load(&twins_endpoint(side, cable)->outage.generation);
}

unsigned twins_said(unsigned side, unsigned id)
{
    unsigned sum = 0;

    for (unsigned cable = 0; cable < cables.count; ++cable) {
        sum += cables_posted(cables_path(side, cable), id);
    }
    return sum;
}

void twins_out_and_back(unsigned cable)
{
    uint32_t before = twins_generation(SIDE_A, cable);

    cables_pull(cable, true);
    twins_give_up(SIDE_A, cable);
    twins_pass(0.7);
    assert_int_equal(PART_UCX_ENDPOINT_DOWN, twins_states(cable));
    cables_pull(cable, false);
    twins_pass(2);
    assert_int_equal(PART_UCX_ENDPOINT_UP, twins_states(cable));
    assert_int_equal(before + 1, twins_generation(SIDE_A, cable));
    assert_int_equal(before + 1, twins_generation(SIDE_B, cable));
}
