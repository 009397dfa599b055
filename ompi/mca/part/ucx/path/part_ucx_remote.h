/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Remote paths: the paths of a peer, as its business card describes them, and our endpoints to
 * them. All functions here run under the set-up lock.
 */
#ifndef PART_UCX_REMOTE_H
#define PART_UCX_REMOTE_H

#include "api/part_ucx_device.h"
#include "path/part_ucx_business_card.h"
#include "path/part_ucx_endpoint.h"

/** A path of a peer, as it described itself. */
typedef struct mca_part_ucx_remote_t {
    mca_part_ucx_device_kind_t kind;
    mca_part_ucx_subnet_t subnet;
    bool puts;
    bool fails_over; /**< mca_part_ucx_path_t has the same */
    char name[PART_UCX_NAME_MAX];
    ucp_address_t *address;
    uint32_t address_bytes;
    _Atomic(mca_part_ucx_endpoint_t *) *endpoint; /**< by our path, each made on first use; handlers
                                                   * look here without the set-up lock */
    int endpoints;                      /**< our paths; these may be gone before their peers are */
    mca_part_ucx_endpoint_t *former;    /**< to addresses that it had before */
} mca_part_ucx_remote_t;

/** Make one of each path of a card. NULL: no memory. */
mca_part_ucx_remote_t *mca_part_ucx_remotes_new(const mca_part_ucx_business_card_t *card);

/** Its owner has opened paths of shared memory again, or not: learn where they are now. `count`:
 * how many were on the first card, and are on this one. Returns an Open MPI code. */
int mca_part_ucx_remotes_renew(mca_part_ucx_remote_t *remote, uint32_t count,
                               const mca_part_ucx_business_card_t *card);

/** Free so many, with the endpoints to them, and the array; `remote`: may be NULL. */
void mca_part_ucx_remotes_free(mca_part_ucx_remote_t *remote, uint32_t count);

/** Forget what was made for a path of ours. Is anything left? */
bool mca_part_ucx_remotes_forget(mca_part_ucx_remote_t *remote, uint32_t count, int path);

/** Both our path and the peer's fail over: endpoints between them may be lost. */
static inline bool mca_part_ucx_remote_fails_over(const mca_part_ucx_path_t *path,
                                                  const mca_part_ucx_remote_t *remote)
{
    return path->fails_over && remote->fails_over;
}

#endif /* PART_UCX_REMOTE_H */
