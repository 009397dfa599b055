/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a bundle (see part_ucx_bundle_read.h).
 */
#include "channel/part_ucx_bundle_read.h"

#include <string.h>

mca_part_ucx_bundled_t mca_part_ucx_bundle_entry(const void *list, uint32_t n)
{
    mca_part_ucx_bundled_t entry;

    /* UCX does not promise alignment. */
    memcpy(&entry, (const char *) list + n * sizeof(entry), sizeof(entry));
    return entry;
}

bool mca_part_ucx_bundle_is_good(const mca_part_ucx_map_t *map,
                                 const mca_part_ucx_data_header_t *header, const void *data,
                                 size_t length)
{
    uint32_t count = header->count;
    uint64_t bytes = mca_part_ucx_bundle_list_bytes(count);

    if (NULL == map->piece || count < 2 || count > PART_UCX_BUNDLE_MOST || bytes > length
        || header->segment != mca_part_ucx_bundle_entry(data, 0).piece) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        mca_part_ucx_bundled_t entry = mca_part_ucx_bundle_entry(data, i);

        if (entry.piece >= map->segments || entry.length != map->piece[entry.piece].bytes) {
            return false;
        }
        bytes += entry.length; /* no overflow: few entries of 32 bits */
    }
    return bytes == length;
}
