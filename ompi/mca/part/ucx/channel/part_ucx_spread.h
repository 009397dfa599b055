/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message so small that both ends have cut it into fewer units than there are paths
 * (part_ucx_map.h). Where links are slow, it is faster in more and smaller ones, over all paths;
 * where messages are the limit, each of them costs. No device says which is so. So the sender tries
 * both (base/part_ucx_trial.h), an epoch at a time. The receiver need not know: what a sender cuts
 * smaller is still a part of a unit, and may come by any path.
 */
#ifndef PART_UCX_SPREAD_H
#define PART_UCX_SPREAD_H

#include "base/part_ucx_trial.h"
#include "channel/part_ucx_send.h"

/** Of a send that could be spread. */
typedef struct mca_part_ucx_spread_t {
    mca_part_ucx_trial_t trial;
    uint64_t began_ns; /**< when the last epoch was started; 0: none yet */
    uint32_t group[2]; /**< segments in a unit: as both ends have agreed, and spread */
} mca_part_ucx_spread_t;

/** Make it, if the send could be spread, before its units are. Returns an Open MPI code. */
int mca_part_ucx_spread_build(mca_part_ucx_send_t *send);

/** Another receive has taken the place of the one that it was made for: not spread any more, if
 * that one takes data otherwise. The first epoch may be starting. */
void mca_part_ucx_spread_adapt(mca_part_ucx_send_t *send);

/** Units that there may be. */
uint32_t mca_part_ucx_spread_units(const mca_part_ucx_send_t *send);

/** An epoch starts: cut it. Nothing of the one before is left. */
void mca_part_ucx_spread(mca_part_ucx_send_t *send);

#endif /* PART_UCX_SPREAD_H */
