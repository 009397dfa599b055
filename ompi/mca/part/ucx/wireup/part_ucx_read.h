/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages, read: every field is checked before anything is done with it. What has been read
 * well contradicts neither itself nor the length of its message. Whether it fits the request that
 * it is for, its readers see. Pure: no UCX, no MPI, no memory; test/fuzz feeds it.
 */
#ifndef PART_UCX_READ_H
#define PART_UCX_READ_H

#include "wireup/part_ucx_wire.h"

#include <stddef.h>

/** A pair record, and where its keys are in the message. */
typedef struct mca_part_ucx_read_pair_t {
    mca_part_ucx_wire_pair_t pair;
    const char *data_rkey;
    const char *flag_rkey;
} mca_part_ucx_read_pair_t;

/** ACCEPT. */
typedef struct mca_part_ucx_read_accept_t {
    mca_part_ucx_wire_accept_t accept;
    mca_part_ucx_read_pair_t pair[PART_UCX_MAX_PATHS];
    const char *card; /**< accept.card_bytes of it */
} mca_part_ucx_read_accept_t;

/** The beginning of any message of ours; false: it has none. */
bool mca_part_ucx_read_header(const void *message, size_t length,
                              mca_part_ucx_wire_header_t *header);

/** ANNOUNCE; its business card, announce->card_bytes long. */
bool mca_part_ucx_read_announce(const void *message, size_t length,
                                mca_part_ucx_wire_announce_t *announce, const char **card);

bool mca_part_ucx_read_accept(const void *message, size_t length, mca_part_ucx_read_accept_t *read);

bool mca_part_ucx_read_refuse(const void *message, size_t length,
                              mca_part_ucx_wire_refuse_t *refuse);

/** WITHDRAW, WITHDRAWN or GAVE_UP: nothing but a header. */
bool mca_part_ucx_read_short(const void *message, size_t length,
                             mca_part_ucx_wire_header_t *header);

/** The method of an ACCEPT. */
static inline mca_part_ucx_method_t
mca_part_ucx_read_method(const mca_part_ucx_wire_accept_t *accept)
{
    return (mca_part_ucx_method_t) (accept->method & ~(PART_UCX_EAGER_ONLY | PART_UCX_CMA_ALLOWED));
}

#endif /* PART_UCX_READ_H */
