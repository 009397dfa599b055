/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages: what is read well is used as set-up uses it, and stays within its message, its
 * send, its map.
 */
#include "fuzz.h"

#include "channel/part_ucx_map.h"
#include "path/part_ucx_business_card.h"
#include "wireup/part_ucx_read.h"

#include <string.h>

/* Maps of more segments are right, too, but take long to look at. */
#define MOST_SEGMENTS 4096u

static volatile unsigned sum; /* so that what is looked at is looked at */

static void touch(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        sum += (unsigned char) bytes[i];
    }
}

static void use_card(const char *bytes, size_t size)
{
    mca_part_ucx_business_card_t card;

    if (!mca_part_ucx_business_card_read(&card, bytes, size)) {
        return;
    }
    FUZZ_CHECK(0 != card.head.paths && card.head.paths <= PART_UCX_MAX_PATHS);
    for (uint32_t i = 0; i < card.head.paths; ++i) {
        touch(card.path[i].address, card.path[i].record.address_bytes);
        sum += (unsigned) strlen(card.path[i].record.name);
    }
}

/* Every segment in its place, and every receive partition covered. */
static void use_map(const mca_part_ucx_map_t *map)
{
    uint64_t offset, length;
    uint32_t first, last;

    FUZZ_CHECK(0 != map->units && 0 != map->segments && map->flags >= map->segments);
    for (uint32_t i = 0; i < map->segments && i < MOST_SEGMENTS; ++i) {
        FUZZ_CHECK(mca_part_ucx_map_names(map, i, 1, &offset, &length));
        FUZZ_CHECK(offset <= map->total && length <= map->total - offset);
        FUZZ_CHECK(mca_part_ucx_map_flag(map, i) < map->flags);
        FUZZ_CHECK(mca_part_ucx_map_unit_of(map, i) < map->units);
    }
    FUZZ_CHECK(!mca_part_ucx_map_names(map, map->segments, 1, &offset, &length));
    FUZZ_CHECK(!mca_part_ucx_map_names(map, 0, UINT32_MAX, &offset, &length));
    for (uint32_t i = 0; i < map->recv_partitions && i < MOST_SEGMENTS; ++i) {
        mca_part_ucx_map_cover(map, i, &first, &last);
        FUZZ_CHECK(first <= last && last < map->segments);
    }
}

/* As the receiver does. */
static void use_announce(const mca_part_ucx_wire_announce_t *announce)
{
    static const mca_part_ucx_map_limits_t limits = {
        .pairs = 4, .unit_min = 4096, .unit_max = 262144, .stripe_min = 16384};
    mca_part_ucx_map_t map;
    uint32_t slices, group;

    if (PART_UCX_SPACE_USER == announce->space) {
        mca_part_ucx_map_choose(announce->total, announce->partitions, &limits, &slices, &group);
        FUZZ_CHECK(mca_part_ucx_map_init(&map, announce->total, announce->partitions, 1, slices,
                                         group, limits.pairs));
        use_map(&map);
    }
}

/* As the sender does. */
static void use_accept(const mca_part_ucx_read_accept_t *read, const fuzz_send_t *send)
{
    const mca_part_ucx_wire_accept_t *accept = &read->accept;
    bool puts = PART_UCX_METHOD_MESSAGE != mca_part_ucx_read_method(accept);
    mca_part_ucx_map_t map;

    for (uint32_t i = 0; i < accept->pairs; ++i) {
        const mca_part_ucx_read_pair_t *pair = &read->pair[i];

        FUZZ_CHECK(puts == (0 != pair->pair.data_rkey_bytes)
                   && puts == (0 != pair->pair.flag_rkey_bytes));
        touch(pair->data_rkey, pair->pair.data_rkey_bytes);
        touch(pair->flag_rkey, pair->pair.flag_rkey_bytes);
    }
    use_card(read->card, accept->card_bytes);
    if (mca_part_ucx_map_init(&map, send->total % PTRDIFF_MAX, send->partitions,
                              accept->partitions, accept->slices, accept->group,
                              accept->pairs)) {
        use_map(&map);
    }
}

static void use_message(const void *message, size_t length, const fuzz_send_t *send)
{
    mca_part_ucx_wire_announce_t announce;
    mca_part_ucx_read_accept_t accept;
    mca_part_ucx_wire_refuse_t refuse;
    mca_part_ucx_wire_header_t header;
    const char *card;

    if (mca_part_ucx_read_announce(message, length, &announce, &card)) {
        use_card(card, announce.card_bytes);
        use_announce(&announce);
    }
    if (mca_part_ucx_read_accept(message, length, &accept)) {
        use_accept(&accept, send);
    }
    (void) mca_part_ucx_read_refuse(message, length, &refuse);
    (void) mca_part_ucx_read_short(message, length, &header);
    use_card(message, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_send_t send;
    void *message;

    if (size < sizeof(send)) {
        return 0;
    }
    memcpy(&send, data, sizeof(send));
    size -= sizeof(send);
    message = malloc(0 == size ? 1 : size); /* aligned as a receive buffer, and no byte longer */
    if (NULL != message) {
        memcpy(message, data + sizeof(send), size);
        use_message(message, size, &send);
        free(message);
    }
    return 0;
}
