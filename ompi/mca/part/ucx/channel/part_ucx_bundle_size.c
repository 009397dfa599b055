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

/* Bytes of a large one. */
#define LARGE UINT64_C(65536)

/* Rounds before the first try: it may bring much, and is short. */
#define FIRST_TRY 32u

/* How many messages carry all pieces, those that fit together in as few as can be. */
static uint64_t messages(const mca_part_ucx_send_t *send, uint64_t most)
{
    uint64_t alone = 0, together = 0;

    for (uint32_t i = 0; i < send->super.map.segments; ++i) {
        uint64_t bytes = send->super.piece[i].bytes;

        if (mca_part_ucx_bundle_size_fits(bytes, most)) {
            together += mca_part_ucx_bundle_size_share(bytes);
        } else {
            ++alone;
        }
    }
    return alone + (together + most - 1) / most;
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
                                  mca_part_ucx_bundle_size_t **size)
{
    bool at_once = PART_UCX_REGROUP_ON == mca_part_ucx_params.join;
    uint64_t both[2];

    *size = NULL;
    sizes_of(send, both);
    *most = both[at_once ? 1 : 0];
    if (at_once || both[0] == both[1] || messages(send, both[1]) >= messages(send, both[0])) {
        return OMPI_SUCCESS;
    }
    *size = calloc(1, sizeof(**size));
    if (NULL == *size) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    (*size)->most[0] = both[0];
    (*size)->most[1] = both[1];
    (*size)->trial.wait = FIRST_TRY;
    (*size)->trial.settle = mca_part_ucx_trial_settle(send->super.total);
    return OMPI_SUCCESS;
}

uint64_t mca_part_ucx_bundle_size_next(mca_part_ucx_bundle_size_t *size)
{
    uint64_t now = mca_part_ucx_clock_ns();
    bool large = mca_part_ucx_trial_next(&size->trial,
                                         0 == size->began_ns ? 0 : now - size->began_ns);

    size->began_ns = now;
    return size->most[large ? 1 : 0];
}
