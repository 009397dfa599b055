/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How large a bundle of a link may be. Over slow links small ones are faster: pieces take all
 * paths, and the next rank has the first ones soon. Where messages are the limit, large ones are.
 * No device says which is so: a link that would have fewer messages with large ones tries them
 * (base/part_ucx_trial.h), an epoch at a time. The links of a collective start together on all
 * ranks, so all of them try in the same rounds, and each judges by how long its rounds take.
 */
#ifndef PART_UCX_BUNDLE_SIZE_H
#define PART_UCX_BUNDLE_SIZE_H

#include "base/part_ucx_trial.h"
#include "channel/part_ucx_message.h"
#include "channel/part_ucx_send.h"

/** Bytes that a piece takes of a bundle. */
static inline uint64_t mca_part_ucx_bundle_size_share(uint64_t bytes)
{
    return bytes + sizeof(mca_part_ucx_bundled_t);
}

/**
 * Is a piece small enough for bundles of `most` bytes? Two of them are; and what has no bytes is.
 *
 * @param largest  bytes of one that is put into bundles, whatever their size
 */
static inline bool mca_part_ucx_bundle_size_fits(uint64_t bytes, uint64_t most, uint64_t largest)
{
    return 0 == bytes
           || (bytes <= largest && mca_part_ucx_bundle_size_share(bytes) <= most / 2);
}

/** Of a link with two ways. */
typedef struct mca_part_ucx_bundle_size_t {
    mca_part_ucx_trial_t trial;
    uint64_t most[2]; /**< bytes, with the list: small ones, large ones */
} mca_part_ucx_bundle_size_t;

/**
 * The link is known.
 *
 * @param[out] most     bytes of a bundle, with its list, in the first epoch
 * @param[out] largest  bytes of a piece that is put into bundles
 * @param[out] size     what is needed if another size may be better, else NULL
 * @return Open MPI code
 */
int mca_part_ucx_bundle_size_make(const mca_part_ucx_send_t *send, uint64_t *most,
                                  uint64_t *largest, mca_part_ucx_bundle_size_t **size);

/** The same in the epoch that starts. */
uint64_t mca_part_ucx_bundle_size_next(mca_part_ucx_bundle_size_t *size);

#endif /* PART_UCX_BUNDLE_SIZE_H */
