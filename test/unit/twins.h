/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes, A and B, both in this one, with part_ucx_failover: each has a path at each of some
 * cables that are made up (fakecables.h), and an endpoint to the other's. Channels go from A to B,
 * and fail over. A is the one that asks whether a path is back.
 */
#ifndef MPIX_UNIT_TWINS_H
#define MPIX_UNIT_TWINS_H

#include "channel.h"
#include "fakecables.h"

/** Seconds after which a path that hangs is given up. */
#define TWINS_TIMEOUT 1

void twins_open(unsigned cables);

/** The same, while the device of a side at cable 0 is gone. */
void twins_open_without(unsigned cables, unsigned side);

/** Checks that nothing is left in flight, and that no rule of UCX was broken. */
void twins_close(void);

/** A channel from A to B. */
void twins_make(channel_t *channel, const channel_plan_t *plan);

/** Start both ends, the send with the bytes of this epoch; mark a range of partitions; both end
 * well, and all bytes are those of this epoch; all of it. */
void twins_start(channel_t *channel, uint32_t epoch);
void twins_mark(channel_t *channel, uint32_t low, uint32_t high);
void twins_mark_all(channel_t *channel);
void twins_finish(channel_t *channel, uint32_t epoch);
void twins_epoch(channel_t *channel, uint32_t epoch);

/** Start only the send. */
void twins_start_send(channel_t *channel, uint32_t epoch);

/** A link (line.h) from A to B, of pieces of so many bytes. */
void twins_make_line(uint32_t count, const uint64_t *bytes);

mca_part_ucx_endpoint_t *twins_endpoint(unsigned side, unsigned cable);

/** A side gives up the endpoint at a cable, as if it had noticed something. */
void twins_give_up(unsigned side, unsigned cable);

/** A cable is out until both have given it up, and whole until both use it again. */
void twins_out_and_back(unsigned cable);

/** How many messages with an id a side has posted. */
unsigned twins_said(unsigned side, unsigned id);

/** Make progress so often. */
void twins_drive(unsigned turns);

/** Seconds pass, and both make progress and look after their paths. */
void twins_pass(double seconds);

/** Called once, by the next handler that has judged its message and has claimed nothing yet. */
extern void (*twins_standing)(void);

/** The state of an endpoint; that of both at a cable, at least one differing: -1. */
int twins_state(unsigned side, unsigned cable);
int twins_states(unsigned cable);

/** The generation of an endpoint. */
uint32_t twins_generation(unsigned side, unsigned cable);

#endif /* MPIX_UNIT_TWINS_H */
