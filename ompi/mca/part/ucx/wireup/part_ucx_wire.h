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
 *   ANNOUNCE   sender -> receiver   announce | business card (until an answer came)
 *   ACCEPT     receiver -> sender   accept | pair records | business card (likewise, if it sends)
 *   REFUSE     receiver -> sender   refuse
 *   WITHDRAW   sender -> receiver   header only: the send was freed unstarted
 *   WITHDRAWN  receiver -> sender   header only: that has been heard
 *   GAVE_UP    sender -> receiver   header only: the refused send was started, or the
 *                                 accepted one could not be set up
 *
 * A receive that is freed before it was ever started gives its match back: the announcement waits
 * for another receive, whose ACCEPT then replaces the first. A send that is freed before it was
 * ever started is withdrawn, and its receive waits for another announcement.
 *
 *   pair record  pair | data rkey bytes | flag rkey bytes
 *
 * The business card is in path/part_ucx_business_card.h. What travels over the paths is in
 * channel/part_ucx_message.h. What has come is read by part_ucx_read.h.
 */
#ifndef PART_UCX_WIRE_H
#define PART_UCX_WIRE_H

#include "api/part_ucx_device.h"
#include "base/part_ucx_shm.h"
#include "channel/part_ucx_message.h"
#include "process/part_ucx_params.h"

#include <assert.h>
#include <stdint.h>

/** Changes with every incompatible change of a message; both sides must agree. */
#define PART_UCX_WIRE_VERSION 21
#define PART_UCX_WIRE_MAGIC   UINT32_C(0x31585550)

/** Largest set-up message in bytes. */
#define PART_UCX_WIRE_MAX 32768u

typedef enum mca_part_ucx_wire_kind_t {
    PART_UCX_WIRE_ANNOUNCE = 1,
    PART_UCX_WIRE_ACCEPT,
    PART_UCX_WIRE_REFUSE,
    PART_UCX_WIRE_WITHDRAW,
    PART_UCX_WIRE_GAVE_UP,
    PART_UCX_WIRE_WITHDRAWN
} mca_part_ucx_wire_kind_t;

struct mca_part_ucx_channel_t;
struct ompi_communicator_t;

/** Every set-up message begins with this. */
typedef struct mca_part_ucx_wire_header_t {
    uint32_t magic;
    uint16_t version;
    uint16_t kind;
    uint64_t send_key; /**< key of the sending end */
} mca_part_ucx_wire_header_t;

/** A send exists and looks for its receive. */
typedef struct mca_part_ucx_wire_announce_t {
    mca_part_ucx_wire_header_t header;
    int32_t tag;         /**< the user's; of a link the init's number */
    uint32_t partitions; /**< of the sender */
    uint64_t total;      /**< bytes of the whole message */
    uint32_t card_bytes; /**< length of the business card that follows, 0 if none */
    uint32_t fingerprint; /**< of a link; otherwise 0 */
    uint32_t space;      /**< of matching: mca_part_ucx_space_t */
    uint32_t send_nonce; /**< of the sending end (channel/part_ucx_message.h) */
} mca_part_ucx_wire_announce_t;

/** The receive was found: how the channel is cut and where the data go. */
typedef struct mca_part_ucx_wire_accept_t {
    mca_part_ucx_wire_header_t header;
    uint64_t recv_key;   /**< key of the receiving end */
    uint64_t data;       /**< address of the receive buffer's first byte; of a link, its pieces */
    uint64_t flags;      /**< address of the arrival flags */
    mca_part_ucx_shm_t shm; /**< of a link: memory that pieces lie in and that the sender can view;
                             * all 0 when there is none */
    uint64_t boxes; /**< of a link: address of its boxes there (channel/part_ucx_boxes.h), or 0 */
    uint32_t partitions; /**< of the receiver */
    uint32_t slices;     /**< see channel/part_ucx_map.h */
    uint32_t group;
    uint32_t method;     /**< mca_part_ucx_method_t, PART_UCX_EAGER_ONLY, PART_UCX_CMA_ALLOWED */
    uint32_t pairs;      /**< number of paths; pair records follow */
    uint32_t card_bytes; /**< length of the business card that follows them, 0 if none */
    uint32_t recv_nonce; /**< of the receiving end */
    uint32_t credit;     /**< epochs that the sender may be ahead of the last one that READY has
                          * named (channel/part_ucx_credit.h); 0: none */
} mca_part_ucx_wire_accept_t;

/** No credit is larger. */
#define PART_UCX_CREDIT_MOST 64u

/** Bit of `method`: the receiver unpacks from messages, so they must carry their data. */
#define PART_UCX_EAGER_ONLY 0x100u

/** Bit of `method`: the sender may write into the receive buffer (channel/part_ucx_targets.h). */
#define PART_UCX_CMA_ALLOWED 0x200u

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

static_assert(16 == sizeof(mca_part_ucx_wire_header_t), "wire layout");
static_assert(48 == sizeof(mca_part_ucx_wire_announce_t), "wire layout");
static_assert(40 == sizeof(mca_part_ucx_shm_t), "wire layout");
static_assert(120 == sizeof(mca_part_ucx_wire_accept_t), "wire layout");
static_assert(16 == sizeof(mca_part_ucx_wire_pair_t), "wire layout");
static_assert(32 == sizeof(mca_part_ucx_wire_refuse_t), "wire layout");

/** The beginning of a set-up message. */
mca_part_ucx_wire_header_t mca_part_ucx_wire_header(mca_part_ucx_wire_kind_t kind,
                                                    uint64_t send_key);

/** Send a message that was built in PART_UCX_WIRE_MAX bytes from malloc(), to the other end of a
 * channel. Frees it when it has left, and what it is shorter right away. Under the set-up lock. */
int mca_part_ucx_wire_send_built(const struct mca_part_ucx_channel_t *channel, void *message,
                                 size_t length);

/** Tell a rank something about a send that needs no more words. Under the set-up lock. */
void mca_part_ucx_wire_tell(struct ompi_communicator_t *comm, int rank,
                            mca_part_ucx_wire_kind_t kind, uint64_t send_key);

/** A send says something of itself: WITHDRAW or GAVE_UP. Likewise. */
void mca_part_ucx_wire_send(const struct mca_part_ucx_channel_t *channel,
                            mca_part_ucx_wire_kind_t kind);

#endif /* PART_UCX_WIRE_H */
