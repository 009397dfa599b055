/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a bundle: a list of pieces and their bytes, as they come in a message. Nothing in it is
 * believed before all of it has been checked against the link's map. Neither UCX nor MPI.
 */
#ifndef PART_UCX_BUNDLE_READ_H
#define PART_UCX_BUNDLE_READ_H

#include "channel/part_ucx_map.h"
#include "channel/part_ucx_message.h"

#include <stddef.h>

/** Bytes of a list of so many pieces, in front of theirs. */
static inline size_t mca_part_ucx_bundle_list_bytes(uint32_t count)
{
    return count * sizeof(mca_part_ucx_bundled_t);
}

/** The n-th entry of a list of pieces, which may lie anywhere. */
mca_part_ucx_bundled_t mca_part_ucx_bundle_entry(const void *list, uint32_t n);

/**
 * Is this what a sender of this link may have put together? The header's count is one that a bundle
 * has, its first piece is the list's, there is nothing but the list and the bytes of its pieces,
 * each piece is one of the link's and has its length. Whether a piece is there twice is not asked.
 */
bool mca_part_ucx_bundle_is_good(const mca_part_ucx_map_t *map,
                                 const mca_part_ucx_data_header_t *header, const void *data,
                                 size_t length);

#endif /* PART_UCX_BUNDLE_READ_H */
