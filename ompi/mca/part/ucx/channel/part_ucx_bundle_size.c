/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How large a bundle may be (see part_ucx_bundle_size.h).
 */
#include "channel/part_ucx_bundle_size.h"

#include "base/part_ucx_clock.h"
#include "channel/part_ucx_am.h"
#include "process/part_ucx_params.h"

#include <stdlib.h>

#include "ompi/constants.h"

/* Bytes of a large one: of its pieces, and of its list. */
#define LARGE (UINT64_C(65536) + PART_UCX_BUNDLE_MOST * sizeof(mca_part_ucx_bundled_t))

/* Bytes of a piece in a large one: two or three that are longer gained nothing. */
#define LARGEST_PIECE UINT64_C(16384)

/* Messages of an epoch that large ones must save. Where it is one, and links let bursts pass for
 * longer than a try lasts, they were taken where they were slower. */
#define LEAST_SAVED 2u

/* Rounds before the first try: it may bring much, and is short. */
#define FIRST_TRY 32u

/* Rounds that a link of 16 KiB takes to settle; hardly one that tries has less. The tries of all
 * are as long, so that they are at the same time. */
#define LONGEST_SETTLE 9u

/* How many messages carry all pieces, if they are queued together, one after the other. */
static uint32_t messages(const mca_part_ucx_send_t *send, uint64_t most, uint64_t largest)
{
    uint64_t length = 0;
    uint32_t count = 0, messages = 0;

    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        uint64_t bytes = send->super.piece[i].bytes;
        uint64_t more = mca_part_ucx_bundle_size_share(bytes);

        if (!mca_part_ucx_bundle_size_fits(bytes, most, largest)) {
            ++messages;
            continue;
        }
        if (0 == count || length + more > most || PART_UCX_BUNDLE_MOST == count) {
            ++messages;
            length = count = 0;
        }
        length += more;
        ++count;
    }
    return messages;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Small and large ones, so that each is a message that carries its data. */
static void sizes_of(const mca_part_ucx_send_t *send, uint64_t most[2])
{
    const mca_part_ucx_path_t *path = send->endpoint[0]->path;
    uint64_t limit = mca_part_ucx_am_eager_limit(path);

    if (PART_UCX_DEVICE_SHARED == path->device.kind) {
        most[0] = most[1] = least(mca_part_ucx_params.shared_unit_min, limit);
        return;
    }
    most[0] = most[1] = least(mca_part_ucx_params.unit_min, limit);
    if (0 != most[0] && most[0] < least(LARGE, limit)
        && PART_UCX_REGROUP_OFF != mca_part_ucx_params.join) {
        most[1] = least(LARGE, limit);
    }
}

int mca_part_ucx_bundle_size_make(const mca_part_ucx_send_t *send, uint64_t *most,
                                  uint64_t *largest, mca_part_ucx_bundle_size_t **size)
{
    bool at_once = PART_UCX_REGROUP_ON == mca_part_ucx_params.join;
    uint32_t settle = mca_part_ucx_trial_settle(send->super.total);
    uint64_t both[2];

    *size = NULL;
    sizes_of(send, both);
    *most = both[at_once ? 1 : 0];
    *largest = both[0] / 2 > LARGEST_PIECE ? both[0] / 2 : LARGEST_PIECE;
    *largest = *largest < UINT32_MAX ? *largest : UINT32_MAX; /* a bundle says 32 bits */
    if (at_once || both[0] == both[1]
        || messages(send, both[1], *largest) + LEAST_SAVED > messages(send, both[0], *largest)) {
        return OMPI_SUCCESS;
    }
    *size = calloc(1, sizeof(**size));
    if (NULL == *size) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    (*size)->most[0] = both[0];
    (*size)->most[1] = both[1];
    (*size)->trial.settle = settle;
    (*size)->trial.idle = settle < LONGEST_SETTLE ? LONGEST_SETTLE - settle : 0;
    (*size)->trial.wait = FIRST_TRY;
    return OMPI_SUCCESS;
}

uint64_t mca_part_ucx_bundle_size_next(mca_part_ucx_bundle_size_t *size)
{
    return size->most[mca_part_ucx_trial_start(&size->trial, mca_part_ucx_clock_ns()) ? 1 : 0];
}
