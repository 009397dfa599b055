/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths over the made-up network, and channels on them: a send and a receive request of this
 * process that have been matched, as set-up leaves them, but without MPI.
 */
#ifndef MPIX_UNIT_CHANNEL_H
#define MPIX_UNIT_CHANNEL_H

#include "fakeucx.h"
#include "channel/part_ucx_gate.h"
#include "channel/part_ucx_recv.h"
#include "channel/part_ucx_send.h"
#include "mpi/part_ucx_request.h"
#include "path/part_ucx_paths.h"
#include "process/part_ucx_process.h"
#include "unit.h"

/** Make `count` paths with networks behind them, and set the component's variables. */
void channel_paths_open(unsigned count, const fakeucx_options_t *network);

/** Destroy them; checks that nothing is left in flight and that no rule of UCX was broken. */
void channel_paths_close(void);

/** How a channel is cut and delivered. */
typedef struct channel_plan_t {
    uint64_t total;
    uint32_t send_partitions;
    uint32_t recv_partitions;
    uint32_t slices;
    uint32_t group;
    mca_part_ucx_method_t method;
} channel_plan_t;

#define CHANNEL_MOST_PARTS 64u

/** Any plan: partitions up to CHANNEL_MOST_PARTS, few or many bytes or none. */
void channel_plan_choose(channel_plan_t *plan, unit_random_t *random, unsigned paths,
                         mca_part_ucx_method_t method);

typedef struct channel_t {
    channel_plan_t plan;
    unsigned number; /**< channels with other numbers have other contents */
    mca_part_ucx_send_t *send;
    mca_part_ucx_recv_t *recv;
    unsigned char *source; /**< what is sent, plan.total bytes */
    unsigned char *target; /**< where it goes */
} channel_t;

/** The two ends of a channel over all paths as set-up leaves them, but for their maps and what is
 * built on those. */
void channel_meet(mca_part_ucx_send_t *send, mca_part_ucx_recv_t *recv,
                  mca_part_ucx_method_t method);

/** Not NULL: puts other peers and endpoints in the place of those that channel_meet() gives. */
extern void (*channel_met)(mca_part_ucx_send_t *send, mca_part_ucx_recv_t *recv);

/** A communicator that is never freed. */
struct ompi_communicator_t *channel_communicator(void);

/** Make both requests over all paths, inactive, channels MATCHED. */
void channel_make(channel_t *channel, const channel_plan_t *plan);

/** The sender may write to a process, as if that were the receiver's; 0: to none. */
void channel_let_place(channel_t *channel, int32_t process);

/** The same, but the send is OPEN: channel_link() makes it MATCHED. */
void channel_make_open(channel_t *channel, const channel_plan_t *plan);
void channel_link(channel_t *channel);

/** As if both had so many epochs behind them that they go round after `left` more. */
void channel_grow_old(channel_t *channel, uint32_t left);

/** Free both requests, or one of them. */
void channel_free(channel_t *channel);
void channel_free_send(channel_t *channel);
void channel_free_recv(channel_t *channel);

/** Write what a send partition holds in an epoch; is it there, in a receive partition? No byte of
 * it is 0. */
void channel_fill(channel_t *channel, uint32_t epoch, uint32_t send_partition);
bool channel_is_there(const channel_t *channel, uint32_t epoch, uint32_t recv_partition);

/** The request that observes this end. */
mca_part_ucx_request_t *channel_request(const mca_part_ucx_channel_t *end);

/** The error in its status, when it has completed. */
int channel_outcome(const mca_part_ucx_channel_t *end);

/** END has come from a channel key: the last epoch that was no failure, and why. */
void channel_hear_end(mca_part_ucx_channel_t *end, uint64_t from, uint32_t epoch,
                      mca_part_ucx_reason_t reason);

/** MPI_Start. */
void channel_start(mca_part_ucx_channel_t *end);

/** Drive all paths and complete what is done, as Open MPI's progress would. Any thread. */
void channel_progress(void);

/** The same for threads, of which there may be more than processors. */
void channel_progress_in_turn(void);

/** Look after requests that are giving up, as part_ucx_watchdog.c does: a call takes a millisecond.
 */
void channel_watch(void);

/**
 * Let opal_progress() do the same, or nothing. It does the same after channel_paths_open().
 *
 * @return how often it has been called since the last call of this function
 */
unsigned channel_engine(bool on);

/** MPI_Request_get_status: has the request completed? */
bool channel_complete(mca_part_ucx_channel_t *end);

/** MPI_Test: the same, and it is inactive then. */
bool channel_test(mca_part_ucx_channel_t *end);

/** MPI_Wait, and it must succeed. Main thread only. */
void channel_finish(mca_part_ucx_channel_t *end);

/** MPI_Pready_range and MPI_Parrived_range through the tables of operations. */
int channel_pready(channel_t *channel, uint32_t low, uint32_t high);
bool channel_parrived(channel_t *channel, uint32_t low, uint32_t high);

#endif /* MPIX_UNIT_CHANNEL_H */
