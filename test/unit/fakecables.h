/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cables that are made up, between two processes which are both this one: stands in for UCX
 * (fakeucx.h, for channel.c), for what the system knows of sockets, and for the clock (linked with
 * --wrap). Nothing happens by itself: a test pulls cables, and says when UCX calls back.
 *
 * A message has two ends: UCX calls back, and it arrives. Its source is read at the first of the
 * two, as late as the rules allow. An endpoint that is closed by force fails what has not been
 * called back for; and the other end's endpoint is deaf from then on: what is sent by it is taken,
 * and never arrives.
 */
#ifndef MPIX_UNIT_FAKECABLES_H
#define MPIX_UNIT_FAKECABLES_H

#include "fakeucx.h"

#define CABLES_MOST 3u

/** Sides; a path is that of a side at a cable. */
enum { SIDE_A, SIDE_B, SIDES };

typedef struct cables_t {
    unsigned count;
    bool cut[SIDES][CABLES_MOST];    /**< nothing that this side sends arrives */
    bool silent[SIDES][CABLES_MOST]; /**< UCX does not call back to this side */
    bool dark[SIDES][CABLES_MOST];   /**< this side's device has no carrier */
    bool gone[SIDES][CABLES_MOST];   /**< this side's device is: UCX can make no endpoint */
    bool late;        /**< what is under way when an endpoint is closed may still arrive */
    bool resets;      /**< an endpoint that is deaf is reported, once its cable is whole */
    bool at_once;     /**< UCX is done with a message when the call returns */
    unsigned lazy;    /**< percent of the steps that are put off */
    double seconds;   /**< the clock; it never goes back, not even with another world */
} cables_t;

extern cables_t cables;

/** All cables are whole, nothing is under way, none of the options is set. */
void cables_reset(unsigned count);

/** The path of a side at a cable; both directions of a cable at once. */
unsigned cables_path(unsigned side, unsigned cable);
void cables_pull(unsigned cable, bool out);

/** Are both directions of its cable whole? Is there anything that the other system has not
 * acknowledged? */
bool cables_whole(unsigned path);
bool cables_hang(unsigned path);

/** Has its device no carrier? */
bool cables_dark(unsigned path);

/** Is any message under way? */
bool cables_busy(void);

/** How many messages with an id have been posted by a path. */
unsigned cables_posted(unsigned path, unsigned id);

/** A message comes by a path, whoever has sent it. */
void cables_say(unsigned path, unsigned id, const void *header, size_t header_length,
                const void *data, size_t length);

/** What is under way never arrives. */
void cables_lose(void);

#endif /* MPIX_UNIT_FAKECABLES_H */
