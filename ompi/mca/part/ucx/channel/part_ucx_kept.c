/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies of pieces (see part_ucx_kept.h).
 *
 * A piece is at one place at a time: in the queue of one path, or due at one pair. So threads do
 * not meet here, and what one has copied reaches the next through the word that hands it on.
 */
#include "channel/part_ucx_kept.h"

#include <stdlib.h>
#include <string.h>

struct mca_part_ucx_kept_t {
    char *bytes;      /* of all pieces, one after the other */
    uint64_t *offset; /* per piece, in these */
    uint32_t *epoch;  /* per piece, the last one in which it was copied */
};

void mca_part_ucx_kept_free(mca_part_ucx_kept_t *kept)
{
    if (NULL != kept) {
        free(kept->bytes);
        free(kept->offset);
        free(kept->epoch);
        free(kept);
    }
}

mca_part_ucx_kept_t *mca_part_ucx_kept_make(const mca_part_ucx_map_t *map)
{
    mca_part_ucx_kept_t *kept = calloc(1, sizeof(*kept));
    uint64_t at = 0;

    if (NULL == kept) {
        return NULL;
    }
    kept->bytes = malloc(map->total + 1);
    kept->offset = calloc(map->segments, sizeof(*kept->offset));
    kept->epoch = calloc(map->segments, sizeof(*kept->epoch));
    if (NULL == kept->bytes || NULL == kept->offset || NULL == kept->epoch) {
        mca_part_ucx_kept_free(kept);
        return NULL;
    }
    for (uint32_t i = 0; i < map->segments; ++i) {
        kept->offset[i] = at;
        at += map->piece[i].bytes;
    }
    return kept;
}

const void *mca_part_ucx_kept_at(const mca_part_ucx_send_t *send, uint32_t piece)
{
    return send->kept->bytes + send->kept->offset[piece];
}

const void *mca_part_ucx_kept_copy(mca_part_ucx_send_t *send, uint32_t piece)
{
    const mca_part_ucx_piece_t *source = &send->super.piece[piece];
    char *copy = send->kept->bytes + send->kept->offset[piece];
    uint32_t epoch = mca_part_ucx_send_epoch(send);

    if (epoch != send->kept->epoch[piece]) {
        send->kept->epoch[piece] = epoch;
        if (0 != source->bytes) {
            memcpy(copy, (const void *) (uintptr_t) source->address, source->bytes);
        }
        send->super.observer->moved(send->super.context, piece); /* it only queues */
    }
    return copy;
}
