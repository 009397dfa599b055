/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages between two processes. All integers are in the sender's byte order; a receiver with
 * another order sees a wrong magic number and refuses. Structures have fixed widths and no
 * padding; sizes are asserted below.
 *
 * Set-up messages ride on the PML of the user's communicator:
 *
 *   ANNOUNCE   sender -> receiver   announce | peer blob (until an answer came)
 *   ACCEPT     receiver -> sender   accept | pair records | peer blob (likewise, if it sends too)
 *   REFUSE     receiver -> sender   refuse
 *   WITHDRAW   sender -> receiver   header only: the send was freed unstarted
 *   MISMATCH   sender -> receiver   header only: the refused send was started, or the
 *                                 accepted one could not be set up
 *
 * A receive that is freed before it was ever started gives its match back: the announcement waits
 * for another receive, whose ACCEPT then replaces the first. A send that is freed before it was
 * ever started is withdrawn, and its receive waits for another announcement.
 *
 *   peer blob    peer | path record | address bytes | path record | address bytes ...
 *   pair record  pair | data rkey bytes | flag rkey bytes
 *
 * Transfer messages are UCP active messages on the paths (ids below).
 */
#ifndef PART_UCX_WIRE_H
#define PART_UCX_WIRE_H

#include "path/part_ucx_device.h"
#include "path/part_ucx_shm.h"

#include <assert.h>
#include <stdint.h>

/** Changes with every incompatible change of a message; both sides must agree. */
#define PART_UCX_WIRE_VERSION 8
#define PART_UCX_WIRE_MAGIC   UINT32_C(0x31585550)

/** Largest set-up message in bytes. */
#define PART_UCX_WIRE_MAX 32768u

typedef enum mca_part_ucx_wire_kind_t {
    PART_UCX_WIRE_ANNOUNCE = 1,
    PART_UCX_WIRE_ACCEPT,
    PART_UCX_WIRE_REFUSE,
    PART_UCX_WIRE_WITHDRAW,
    PART_UCX_WIRE_MISMATCH
} mca_part_ucx_wire_kind_t;

/** Every set-up message begins with this. */
typedef struct mca_part_ucx_wire_header_t {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint64_t send_key; /**< channel key of the send request */
} mca_part_ucx_wire_header_t;

/** A send request exists and looks for its receive. */
typedef struct mca_part_ucx_wire_announce_t {
    mca_part_ucx_wire_header_t header;
    int32_t tag;         /**< the user's tag, or PART_UCX_TAG_LINK */
    uint32_t partitions; /**< of the sender */
    uint64_t total;      /**< bytes of the whole message */
    uint32_t blob_bytes; /**< length of the peer blob that follows, 0 if none */
    uint32_t fingerprint; /**< of a link; otherwise 0 */
} mca_part_ucx_wire_announce_t;

/** The tag of links: no user's tag is negative, so links have a matching space of their own. */
#define PART_UCX_TAG_LINK (-1)

/** The receive was found: how the channel is cut and where the data go. */
typedef struct mca_part_ucx_wire_accept_t {
    mca_part_ucx_wire_header_t header;
    uint64_t recv_key;   /**< channel key of the receive request */
    uint64_t data;       /**< address of the receive buffer's first byte; of a link, its pieces */
    uint64_t flags;      /**< address of the arrival flags */
    mca_part_ucx_shm_t shm; /**< of a link: memory that pieces lie in and that the sender can view;
                             * all 0 when there is none */
    uint32_t partitions; /**< of the receiver */
    uint32_t slices;     /**< see part_ucx_map.h */
    uint32_t group;
    uint32_t method;     /**< mca_part_ucx_method_t, PART_UCX_EAGER_ONLY, PART_UCX_PLACES */
    uint32_t pairs;      /**< number of paths; pair records follow */
    uint32_t blob_bytes; /**< length of the peer blob that follows them, 0 if none */
} mca_part_ucx_wire_accept_t;

/** Bit of `method`: the receiver unpacks from messages, so they must carry their data. */
#define PART_UCX_EAGER_ONLY 0x100u

/** Bit of `method`: the sender may write into the receive buffer (part_ucx_share.c). */
#define PART_UCX_PLACES 0x200u

/** One path of a channel: which path of the sender meets which of the receiver. */
typedef struct mca_part_ucx_wire_pair_t {
    uint32_t send_path;
    uint32_t recv_path;
    uint32_t data_rkey_bytes; /**< 0 when the method needs none */
    uint32_t flag_rkey_bytes;
} mca_part_ucx_wire_pair_t;

/** The receive was found and does not fit. */
typedef struct mca_part_ucx_wire_refuse_t {
    mca_part_ucx_wire_header_t header;
    uint64_t total;      /**< bytes that the receiver expected */
    uint32_t partitions; /**< of the receiver */
    uint32_t reason;     /**< mca_part_ucx_refusal_t */
} mca_part_ucx_wire_refuse_t;

typedef enum mca_part_ucx_refusal_t {
    PART_UCX_REFUSE_SIZE = 1, /**< the two totals differ */
    PART_UCX_REFUSE_FAILURE   /**< the receiver could not set the channel up */
} mca_part_ucx_refusal_t;

/** How to reach a process: `paths` path records follow. */
typedef struct mca_part_ucx_wire_peer_t {
    uint32_t paths;
    uint32_t process;  /**< process id; for others on its host, see part_ucx_place.h */
    uint64_t token_at; /**< address of a number in its memory */
    uint64_t token;    /**< that number */
} mca_part_ucx_wire_peer_t;

typedef struct mca_part_ucx_wire_path_t {
    uint32_t kind;           /**< mca_part_ucx_device_kind_t */
    uint32_t address_bytes;  /**< UCP worker address that follows */
    mca_part_ucx_subnet_t subnet;
    uint8_t zero[6];
    char name[PART_UCX_NAME_MAX];
} mca_part_ucx_wire_path_t;

/** Ids of the active messages. */
enum {
    PART_UCX_AM_DATA = 1, /**< mca_part_ucx_data_header_t and the bytes of some segments */
    PART_UCX_AM_READY,    /**< mca_part_ucx_wire_event_t: the receiver has started an epoch */
    PART_UCX_AM_CLOSE,    /**< mca_part_ucx_wire_event_t: the peer has freed its request */
    PART_UCX_AM_PLACED,   /**< mca_part_ucx_data_header_t: the bytes of some segments are there */
    PART_UCX_AM_FAIL,     /**< mca_part_ucx_wire_event_t: the peer has given up after an error, and
                           * waits to hear that this end does not write any more */
    PART_UCX_AM_LEAVE     /**< mca_part_ucx_wire_event_t: the communicator has been revoked, and the
                           * one who speaks does not touch the other's memory any more */
};

/** Header of READY, CLOSE, FAIL and LEAVE. */
typedef struct mca_part_ucx_wire_event_t {
    uint64_t key;   /**< channel key of the request addressed */
    uint64_t from;  /**< channel key of the request that speaks */
    uint32_t epoch; /**< the epoch started; else the last one that was not a failure */
    uint32_t busy;  /**< of FAIL and LEAVE: 1 if who speaks could not wait for its operations to
                     * end, and may still touch the other's memory; else 0 */
} mca_part_ucx_wire_event_t;

static_assert(34 == sizeof(mca_part_ucx_subnet_t), "wire layout");
static_assert(16 == sizeof(mca_part_ucx_wire_header_t), "wire layout");
static_assert(40 == sizeof(mca_part_ucx_wire_announce_t), "wire layout");
static_assert(40 == sizeof(mca_part_ucx_shm_t), "wire layout");
static_assert(104 == sizeof(mca_part_ucx_wire_accept_t), "wire layout");
static_assert(16 == sizeof(mca_part_ucx_wire_pair_t), "wire layout");
static_assert(32 == sizeof(mca_part_ucx_wire_refuse_t), "wire layout");
static_assert(24 == sizeof(mca_part_ucx_wire_peer_t), "wire layout");
static_assert(112 == sizeof(mca_part_ucx_wire_path_t), "wire layout");
static_assert(24 == sizeof(mca_part_ucx_wire_event_t), "wire layout");

#endif /* PART_UCX_WIRE_H */
