/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading set-up messages (see part_ucx_read.h).
 */
#include "wireup/part_ucx_read.h"

#include <string.h>

/* A channel has no more segments, so no more partitions. */
#define MOST_PARTITIONS (UINT32_MAX / 2)

/* No message is larger than memory can be. */
#define MOST_BYTES ((uint64_t) PTRDIFF_MAX)

bool mca_part_ucx_read_header(const void *message, size_t length,
                              mca_part_ucx_wire_header_t *header)
{
    if (length < sizeof(*header)) {
        return false;
    }
    memcpy(header, message, sizeof(*header));
    return true;
}

static bool is_count(uint32_t partitions)
{
    return 0 != partitions && partitions <= MOST_PARTITIONS;
}

bool mca_part_ucx_read_announce(const void *message, size_t length,
                                mca_part_ucx_wire_announce_t *announce, const char **card)
{
    bool link;

    if (length < sizeof(*announce)) {
        return false;
    }
    memcpy(announce, message, sizeof(*announce));
    *card = (const char *) message + sizeof(*announce);
    link = PART_UCX_SPACE_LINK == announce->space;
    return announce->card_bytes == length - sizeof(*announce) && 0 != announce->header.send_key
           && is_count(announce->partitions) && announce->total <= MOST_BYTES
           && announce->space <= PART_UCX_SPACE_LINK && announce->tag >= 0
           && (link
               || (0 == announce->fingerprint && 0 == announce->total % announce->partitions));
}

/* All 0, or a segment of a process. */
static bool is_segment(const mca_part_ucx_shm_t *shm)
{
    static const mca_part_ucx_shm_t none;

    return 0 == shm->bytes ? 0 == memcmp(shm, &none, sizeof(none))
                           : shm->process > 0 && shm->file >= 0
                                 && shm->bytes <= MOST_BYTES
                                 && shm->base <= UINT64_MAX - shm->bytes;
}

static bool is_method(const mca_part_ucx_wire_accept_t *accept)
{
    /* As a number: an enumeration might not hold it. */
    uint32_t method = accept->method & ~(PART_UCX_EAGER_ONLY | PART_UCX_CMA_ALLOWED);

    if (PART_UCX_METHOD_FLUSH == method || PART_UCX_METHOD_CHAINED == method) {
        return method == accept->method && 0 != accept->data && 0 != accept->flags;
    }
    return PART_UCX_METHOD_MESSAGE == method;
}

/* A record and its keys: puts need both, messages none. Its length; 0: not whole, or wrong. */
static size_t read_pair(mca_part_ucx_read_pair_t *read, bool puts, const char *at, size_t size)
{
    mca_part_ucx_wire_pair_t *pair = &read->pair;
    size_t keys;

    if (size < sizeof(*pair)) {
        return 0;
    }
    memcpy(pair, at, sizeof(*pair));
    keys = (size_t) pair->data_rkey_bytes + pair->flag_rkey_bytes;
    if (size - sizeof(*pair) < keys || pair->send_path >= PART_UCX_MAX_PATHS
        || pair->recv_path >= PART_UCX_MAX_PATHS || puts != (0 != pair->data_rkey_bytes)
        || puts != (0 != pair->flag_rkey_bytes)) {
        return 0;
    }
    read->data_rkey = at + sizeof(*pair);
    read->flag_rkey = read->data_rkey + pair->data_rkey_bytes;
    return sizeof(*pair) + keys;
}

static bool read_pairs(mca_part_ucx_read_accept_t *read, const char *at, size_t size)
{
    bool puts = PART_UCX_METHOD_MESSAGE != mca_part_ucx_read_method(&read->accept);

    for (uint32_t i = 0; i < read->accept.pairs; ++i) {
        size_t used = read_pair(&read->pair[i], puts, at, size);

        if (0 == used) {
            return false;
        }
        at += used;
        size -= used;
    }
    read->card = at;
    return size == read->accept.card_bytes;
}

bool mca_part_ucx_read_accept(const void *message, size_t length, mca_part_ucx_read_accept_t *read)
{
    mca_part_ucx_wire_accept_t *accept = &read->accept;

    if (length < sizeof(*accept)) {
        return false;
    }
    memcpy(accept, message, sizeof(*accept));
    return 0 != accept->header.send_key && 0 != accept->recv_key
           && accept->credit <= PART_UCX_CREDIT_MOST && is_count(accept->partitions)
           && 0 != accept->slices && 0 != accept->group
           && (1 == accept->slices || 1 == accept->group) && is_segment(&accept->shm)
           && is_method(accept) && 0 != accept->pairs && accept->pairs <= PART_UCX_MAX_PATHS
           && read_pairs(read, (const char *) message + sizeof(*accept), length - sizeof(*accept));
}

bool mca_part_ucx_read_refuse(const void *message, size_t length,
                              mca_part_ucx_wire_refuse_t *refuse)
{
    if (length != sizeof(*refuse)) {
        return false;
    }
    memcpy(refuse, message, sizeof(*refuse));
    return 0 != refuse->header.send_key && is_count(refuse->partitions)
           && refuse->total <= MOST_BYTES
           && (PART_UCX_REFUSE_SIZE == refuse->reason || PART_UCX_REFUSE_FAILURE == refuse->reason);
}

bool mca_part_ucx_read_short(const void *message, size_t length,
                             mca_part_ucx_wire_header_t *header)
{
    return length == sizeof(*header) && mca_part_ucx_read_header(message, length, header)
           && 0 != header->send_key;
}
