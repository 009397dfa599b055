/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of a channel that fails over (docs/protocol.md, section 9): the states of both ends, of
 * their endpoints, and of what is under way on each path. What may happen next is a numbered step.
 * test_failover_model.c takes all steps in all orders.
 *
 * A sender sends one or two units in each of some epochs, to begin with each over a path of its
 * own, and writes the next epoch's bytes into its buffer as soon as an epoch has completed. A byte
 * is the number of the epoch that it belongs to. The sender of a link writes something else over a
 * unit within the epoch, too, as soon as it may: a plan uses its memory again.
 */
#ifndef FAILOVER_MODEL_H
#define FAILOVER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_PATHS 3u
#define MODEL_UNITS 2u
#define MODEL_QUEUE 6u /* messages under way on a path in one direction */

/* The rules of the protocol. Each can be left out. */
typedef enum rule_t {
    RULE_ACKNOWLEDGE = 1 << 0, /* an epoch completes when the receiver has said that it has all */
    RULE_OWN_OVER = 1 << 1,    /* and when UCX reads no source any more */
    RULE_CLAIM = 1 << 2,       /* a segment is claimed before it is copied */
    RULE_FORWARD = 1 << 3,     /* and no claim goes back to an earlier epoch */
    RULE_AGAIN = 1 << 4,       /* what had left by a path that fails is sent again */
    RULE_PURGE = 1 << 5,       /* and what had not left it yet takes another path */
    RULE_REPORT = 1 << 6,      /* READY and acknowledgement are said again over another path */
    RULE_ONCE = 1 << 7,        /* a READY that has been heard opens no gate */
    RULE_TELL = 1 << 8,        /* an end that gives a path up tells the other one */
    RULE_EVERYWHERE = 1 << 9,  /* over every path that it believes in: the other may not */
    RULE_BACK = 1 << 10,       /* a path is used again when both ends have opened it anew */
    RULE_COPY = 1 << 11        /* a link sends copies: a plan may overwrite sources at any time */
} rule_t;

#define RULES 12u

/* How far the search goes. */
typedef struct model_limits_t {
    uint8_t paths;
    uint8_t units; /* of an epoch */
    uint8_t epochs;
    uint8_t cuts;   /* of paths, and as often one is plugged in again */
    uint8_t alarms; /* a path is given up although nothing is wrong with it */
    uint8_t backs;  /* attempts to open a path anew */
    uint8_t plan;   /* it is a link: sources are overwritten when UCX has read them */
} model_limits_t;

typedef enum model_kind_t {
    MODEL_DATA = 1,
    MODEL_REPORT, /* READY and acknowledgement */
    MODEL_DOWN,
    MODEL_ANSWER, /* the answer to DOWN */
    MODEL_HELLO   /* a path is opened anew */
} model_kind_t;

typedef struct model_message_t {
    uint8_t kind;       /* model_kind_t */
    uint8_t generation; /* of the endpoint that it has left by */
    uint8_t what;       /* unit; epoch that the receiver has started; path */
    uint8_t epoch;      /* of the data; last one that is complete; generation given up */
    uint8_t byte;       /* of the data */
} model_message_t;

typedef enum model_endpoint_state_t {
    MODEL_UP,
    MODEL_TRYING, /* open, and not used for anything but HELLO */
    MODEL_DOWN_ASKING, /* closed; the other end has to say that it has closed its own */
    MODEL_DOWN_BOTH
} model_endpoint_state_t;

typedef struct model_endpoint_t {
    uint8_t state; /* model_endpoint_state_t */
    uint8_t generation;
} model_endpoint_t;

typedef enum model_unit_state_t {
    MODEL_QUEUED,
    MODEL_POSTED, /* UCX has it, and has still to read the source */
    MODEL_LEFT    /* it is in a socket; UCX says that it has completed */
} model_unit_state_t;

typedef struct model_unit_t {
    uint8_t state; /* model_unit_state_t */
    uint8_t path;
    uint8_t overwritten; /* the source holds something else */
} model_unit_t;

/* Ends are numbered: 0 sends, 1 receives. All are bytes: states are compared as memory. */
typedef struct model_t {
    model_endpoint_t endpoint[2][MODEL_PATHS];
    uint8_t cut[MODEL_PATHS];
    uint8_t length[2][MODEL_PATHS]; /* of the queues, by the end that sends */
    model_message_t queue[2][MODEL_PATHS][MODEL_QUEUE];
    uint8_t cuts, alarms, backs;    /* so many may still happen */
    /* The sender. */
    uint8_t send_epoch;             /* the running one; one more than there are: all is sent */
    uint8_t heeded, acknowledged;
    model_unit_t unit[MODEL_UNITS];
    /* The receiver. */
    uint8_t recv_epoch, running, done, missing;
    uint8_t claimed[MODEL_UNITS], flag[MODEL_UNITS], buffer[MODEL_UNITS];
    uint8_t hand[MODEL_PATHS];      /* unit that a handler copies, from 1 on; or 0 */
    uint8_t hand_byte[MODEL_PATHS], hand_epoch[MODEL_PATHS];
    uint8_t hand_claimed[MODEL_PATHS]; /* it has; before, it has only looked at the epoch */
    uint8_t report, report_path;    /* it is to be sent; by which path it has been */
    uint8_t wrong;                  /* something has happened that must not */
} model_t;

/** The beginning. */
void model_begin(model_t *model, const model_limits_t *limits);

/** Has everything arrived, and do both ends know? */
bool model_is_over(const model_t *model, const model_limits_t *limits);

/** How many steps there are. */
unsigned model_steps(void);

/** Is it one that need not ever happen: a fault, or its repair? */
bool model_is_fault(unsigned step);

/** Take a step; false: it cannot be taken. `without`: rules that are left out. */
bool model_step(model_t *model, const model_limits_t *limits, unsigned without, unsigned step);

#endif /* FAILOVER_MODEL_H */
