/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading a business card (see part_ucx_business_card.h).
 */
#include "path/part_ucx_business_card.h"

#include <string.h>

static bool is_path(const mca_part_ucx_wire_path_t *record)
{
    static const uint8_t none[sizeof(record->zero)];
    const mca_part_ucx_subnet_t *subnet = &record->subnet;

    return record->kind <= PART_UCX_DEVICE_RDMA && record->puts <= 1 && record->fails_over <= 1
           && NULL != memchr(record->name, '\0', sizeof(record->name))
           && (0 == subnet->family || (4 == subnet->family && subnet->prefix <= 32)
               || (6 == subnet->family && subnet->prefix <= 128))
           && 0 == memcmp(none, record->zero, sizeof(none));
}

/* Its length; 0: it is not whole, or wrong. */
static size_t read_path(mca_part_ucx_business_card_path_t *path, const char *at, size_t size)
{
    mca_part_ucx_wire_path_t *record = &path->record;

    if (size < sizeof(*record)) {
        return 0;
    }
    memcpy(record, at, sizeof(*record));
    if (size - sizeof(*record) < record->address_bytes || !is_path(record)) {
        return 0;
    }
    path->address = at + sizeof(*record);
    return sizeof(*record) + record->address_bytes;
}

bool mca_part_ucx_business_card_read(mca_part_ucx_business_card_t *card, const void *bytes,
                                     size_t size)
{
    const char *at = bytes;

    if (size < sizeof(card->head)) {
        return false;
    }
    memcpy(&card->head, at, sizeof(card->head));
    if (0 == card->head.paths || card->head.paths > PART_UCX_MAX_PATHS
        || card->head.process > INT32_MAX) {
        return false;
    }
    at += sizeof(card->head);
    size -= sizeof(card->head);
    for (uint32_t i = 0; i < card->head.paths; ++i) {
        size_t used = read_path(&card->path[i], at, size);

        if (0 == used) {
            return false;
        }
        at += used;
        size -= used;
    }
    return 0 == size;
}
