/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which channels have credit, and for how many epochs (see part_ucx_credit.h).
 */
#ifndef PART_UCX_CREDIT_LIMITS_H
#define PART_UCX_CREDIT_LIMITS_H

#include "channel/part_ucx_recv.h"

/** Epochs that a sender may be ahead of the last one that READY has named: as many as so many bytes
 * hold, within these limits. The smaller the data, the more is a READY beside them. Channels with
 * more bytes (`..._BYTES`) have no credit. */
#define PART_UCX_CREDIT_LEAST 4u

/** Links between processes of a host, where larger pieces are copied into shared memory. Fewer
 * epochs with boxes, which take turns in the cache; with the present one these are a power of two,
 * as boxes need (part_ucx_boxes.h). */
#define PART_UCX_CREDIT_BYTES   8192u
#define PART_UCX_CREDIT_MEMORY  16384u
#define PART_UCX_CREDIT_LONGEST 63u
#define PART_UCX_CREDIT_BOXED   15u

/** Links over networks, where a READY is a packet, and where a sender that is far ahead lets the
 * kernel put messages together. What counts of all links of a process without boxes together: each
 * gets no more than its share of what is left. What is beyond has the least, and none if it is
 * larger than those of a host. */
#define PART_UCX_CREDIT_NETWORK_BYTES  16384u
#define PART_UCX_CREDIT_NETWORK_MEMORY 524288u
#define PART_UCX_CREDIT_LINKS_TOTAL    16777216u
#define PART_UCX_CREDIT_LINKS_SHARE    32u

/** Channels of a user's requests: there may be many, so all receives of a process together keep no
 * more than PART_UCX_CREDIT_USER_TOTAL bytes. What is beyond has no credit. The variable
 * `part_ucx_credit` says how many bytes a channel may have. */
#define PART_UCX_CREDIT_USER_MEMORY  8192u
#define PART_UCX_CREDIT_USER_LONGEST 8u
#define PART_UCX_CREDIT_USER_TOTAL   16777216u

/** Nor have channels with more segments. */
#define PART_UCX_CREDIT_SEGMENTS 256u

/** What a receive has as it is; 0: none. */
uint32_t mca_part_ucx_credit_limits_epochs(const mca_part_ucx_recv_t *recv);

/** What a link has whose receiver has boxes for these pieces; 0: none. */
uint32_t mca_part_ucx_credit_limits_of_boxes(uint32_t pieces, uint64_t total);

#endif /* PART_UCX_CREDIT_LIMITS_H */
