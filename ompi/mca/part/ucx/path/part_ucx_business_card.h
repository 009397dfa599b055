/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The business card, as PMI has called it: how a process describes its paths to others. It travels
 * in set-up messages (wireup/part_ucx_wire.h), as
 *
 *   peer | path record | address bytes | path record | address bytes ...
 *
 * All integers are in the sender's byte order. Structures have fixed widths and no padding.
 */
#ifndef PART_UCX_BUSINESS_CARD_H
#define PART_UCX_BUSINESS_CARD_H

#include "api/part_ucx_device.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How to reach a process: `paths` path records follow. */
typedef struct mca_part_ucx_wire_peer_t {
    uint32_t paths;
    uint32_t process;  /**< process id; for others on its host, see part_ucx_cma.h */
    uint64_t token_at; /**< address of a number in its memory */
    uint64_t token;    /**< that number */
    uint64_t memory;   /**< its host, as base/part_ucx_host.h tells it */
    uint64_t network;
} mca_part_ucx_wire_peer_t;

typedef struct mca_part_ucx_wire_path_t {
    uint32_t kind;           /**< mca_part_ucx_device_kind_t */
    uint32_t address_bytes;  /**< UCP worker address that follows; 0: the path is not open */
    mca_part_ucx_subnet_t subnet;
    uint8_t puts;            /**< 1 if it can put and be put to; else 0 */
    uint8_t fails_over;      /**< 1 if endpoints to it may be lost and channels go on; else 0 */
    uint8_t zero[4];
    char name[PART_UCX_NAME_MAX];
} mca_part_ucx_wire_path_t;

static_assert(34 == sizeof(mca_part_ucx_subnet_t), "wire layout");
static_assert(40 == sizeof(mca_part_ucx_wire_peer_t), "wire layout");
static_assert(112 == sizeof(mca_part_ucx_wire_path_t), "wire layout");

/** A path record, read. */
typedef struct mca_part_ucx_business_card_path_t {
    mca_part_ucx_wire_path_t record;
    const char *address; /**< on the card */
} mca_part_ucx_business_card_path_t;

/** A business card, read. */
typedef struct mca_part_ucx_business_card_t {
    mca_part_ucx_wire_peer_t head;
    mca_part_ucx_business_card_path_t path[PART_UCX_MAX_PATHS]; /**< `head.paths` of them */
} mca_part_ucx_business_card_t;

/** Read a card, and check every field of it. Pure; test/fuzz feeds it. False: it is no good. */
bool mca_part_ucx_business_card_read(mca_part_ucx_business_card_t *card, const void *bytes,
                                     size_t size);

#endif /* PART_UCX_BUSINESS_CARD_H */
