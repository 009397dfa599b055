/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many messages a message is. Where links are slow it is faster in small ones over all paths,
 * and what comes early is seen early; where messages are the limit, each of them costs. No device
 * says which is so, and both ends have cut it as fits slow links (part_ucx_map.h). So the sender
 * tries another way (base/part_ucx_trial.h), an epoch at a time:
 *
 *   spread  a message of fewer units than paths: further cut, so that each path has a part
 *   join    neighbouring units leave in one message, once all of them are marked, or what is marked
 *           of them has waited as partly filled units do (part_ucx_post.c)
 *
 * Where both can be, they are tried in turns until one of them is better.
 *
 * The receiver need not know: any neighbouring segments may come in a message, by any path.
 */
#ifndef PART_UCX_REGROUP_H
#define PART_UCX_REGROUP_H

#include "base/part_ucx_trial.h"
#include "channel/part_ucx_send.h"

/** Of a send that could be cut in another way. */
typedef struct mca_part_ucx_regroup_t {
    mca_part_ucx_trial_t trial;
    uint32_t group[2]; /**< segments in a unit: as both ends have agreed, and the other way: fewer
                        * if it is spread, more if it is joined */
    uint32_t next;     /**< those of the way after that; as agreed: there are only two */
} mca_part_ucx_regroup_t;

/** Make it, if there is another way, before the send's units are. Returns an Open MPI code. */
int mca_part_ucx_regroup_build(mca_part_ucx_send_t *send);

/** Another receive has taken the place of the one that it was made for: no other way any more, if
 * that one takes data otherwise. The first epoch may be starting. */
void mca_part_ucx_regroup_adapt(mca_part_ucx_send_t *send);

/** Units that there may be. */
uint32_t mca_part_ucx_regroup_units(const mca_part_ucx_send_t *send);

/** May a unit have several segments, so that some of them may leave alone? */
bool mca_part_ucx_regroup_fills(const mca_part_ucx_send_t *send);

/** An epoch starts: cut it. Nothing of the one before is left. */
void mca_part_ucx_regroup(mca_part_ucx_send_t *send);

#endif /* PART_UCX_REGROUP_H */
