/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies of pieces (see part_ucx_failover_resend_buffer.h).
 *
 * A piece is at one place at a time: in the queue of one path, or due at one pair. So threads do
 * not meet here, and what one has copied reaches the next through the word that hands it on.
 */
#include "channel/part_ucx_failover_resend_buffer.h"

#include <stdlib.h>

struct mca_part_ucx_failover_resend_buffer_t {
    char *bytes;      /* of all pieces, one after the other */
    uint64_t *offset; /* per piece, in these */
    uint32_t *epoch;  /* per piece, the last one in which it was copied */
};

void mca_part_ucx_failover_resend_buffer_free(mca_part_ucx_failover_resend_buffer_t *buffer)
{
    if (NULL != buffer) {
        free(buffer->bytes);
        free(buffer->offset);
        free(buffer->epoch);
        free(buffer);
    }
}

mca_part_ucx_failover_resend_buffer_t *
mca_part_ucx_failover_resend_buffer_make(const mca_part_ucx_map_t *map)
{
    mca_part_ucx_failover_resend_buffer_t *buffer = calloc(1, sizeof(*buffer));
    uint64_t at = 0;

    if (NULL == buffer) {
        return NULL;
    }
    buffer->bytes = malloc(map->total + 1);
    buffer->offset = calloc(map->segments, sizeof(*buffer->offset));
    buffer->epoch = calloc(map->segments, sizeof(*buffer->epoch));
    if (NULL == buffer->bytes || NULL == buffer->offset || NULL == buffer->epoch) {
        mca_part_ucx_failover_resend_buffer_free(buffer);
        return NULL;
    }
    for (uint32_t i = 0; i < map->segments; ++i) {
        buffer->offset[i] = at;
        at += map->piece[i].bytes;
    }
    return buffer;
}

const void *mca_part_ucx_failover_resend_buffer_at(const mca_part_ucx_send_t *send, uint32_t piece)
{
    return send->resend_buffer->bytes + send->resend_buffer->offset[piece];
}

const void *mca_part_ucx_failover_resend_buffer_copy(mca_part_ucx_send_t *send, uint32_t piece)
{
    const mca_part_ucx_piece_t *source = &send->super.piece[piece];
    mca_part_ucx_failover_resend_buffer_t *buffer = send->resend_buffer;
    char *copy = buffer->bytes + buffer->offset[piece];
    uint32_t epoch = mca_part_ucx_send_epoch(send);

    if (epoch != buffer->epoch[piece]) {
        buffer->epoch[piece] = epoch;
        mca_part_ucx_piece_load(source, copy);
        send->super.observer->moved(send->super.context, piece); /* cheap */
    }
    return copy;
}
