/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages, business cards: what part/ucx writes is read as it was written; what is cut off,
 * too long, or wrong in any field is refused.
 */
#include "unit.h"

#include "path/part_ucx_business_card.h"
#include "wireup/part_ucx_read.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 24u /* bytes of a remote key */
#define CARD 40u

/* One message, in memory of exactly its length, for the address sanitizer. */
static bool reads(const void *message, size_t length)
{
    mca_part_ucx_wire_announce_t announce;
    mca_part_ucx_read_accept_t accept;
    mca_part_ucx_wire_refuse_t refuse;
    mca_part_ucx_wire_header_t header;
    unsigned char *copy = malloc(0 == length ? 1 : length);
    const char *card;
    bool good;

    assert_non_null(copy);
    memcpy(copy, message, length);
    good = mca_part_ucx_read_header(copy, length, &header);
    if (good && PART_UCX_WIRE_ANNOUNCE == header.kind) {
        good = mca_part_ucx_read_announce(copy, length, &announce, &card);
    } else if (good && PART_UCX_WIRE_ACCEPT == header.kind) {
        good = mca_part_ucx_read_accept(copy, length, &accept);
    } else if (good && PART_UCX_WIRE_REFUSE == header.kind) {
        good = mca_part_ucx_read_refuse(copy, length, &refuse);
    } else if (good) {
        good = mca_part_ucx_read_short(copy, length, &header);
    }
    free(copy);
    return good;
}

/* It is good, and no shorter and no longer one is. */
static void length_counts(const void *message, size_t length)
{
    unsigned char *longer = calloc(1, length + 1);

    assert_non_null(longer);
    memcpy(longer, message, length);
    assert_true(reads(longer, length));
    assert_false(reads(longer, length + 1));
    for (size_t i = 0; i < length; ++i) {
        UNIT_CHECK(!reads(longer, i), "%zu of %zu bytes are read", i, length);
    }
    free(longer);
}

static mca_part_ucx_wire_header_t header_of(mca_part_ucx_wire_kind_t kind)
{
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = UINT64_C(0x1234567800000001)};
}

/* ---- ANNOUNCE ---- */

typedef struct announce_t {
    mca_part_ucx_wire_announce_t fixed;
    char card[CARD];
} announce_t;

static announce_t good_announce(void)
{
    return (announce_t) {.fixed = {.header = header_of(PART_UCX_WIRE_ANNOUNCE),
                                   .tag = 7,
                                   .partitions = 12,
                                   .total = 12000,
                                   .card_bytes = CARD,
                                   .space = PART_UCX_SPACE_USER,
                                   .send_nonce = 99}};
}

#define WRONG_ANNOUNCE(field, value)                     \
    do {                                                 \
        announce_t wrong = good_announce();              \
        wrong.fixed.field = (value);                     \
        assert_false(reads(&wrong, sizeof(wrong)));      \
    } while (0)

static void announce(void **state)
{
    announce_t message = good_announce();

    (void) state;
    length_counts(&message, sizeof(message));
    message.fixed.total = 0;
    assert_true(reads(&message, sizeof(message)));
    WRONG_ANNOUNCE(partitions, 0); /* it was divided by */
    WRONG_ANNOUNCE(partitions, UINT32_MAX);
    WRONG_ANNOUNCE(partitions, 11); /* of 12000 bytes */
    WRONG_ANNOUNCE(total, UINT64_MAX);
    WRONG_ANNOUNCE(tag, -1);
    WRONG_ANNOUNCE(space, 2);
    WRONG_ANNOUNCE(space, UINT32_MAX);
    WRONG_ANNOUNCE(fingerprint, 1); /* only links have one */
    WRONG_ANNOUNCE(card_bytes, CARD + 1);
    WRONG_ANNOUNCE(card_bytes, UINT32_MAX);
    WRONG_ANNOUNCE(header.send_key, 0);
    message.fixed = (mca_part_ucx_wire_announce_t) {.header = message.fixed.header,
                                                    .partitions = 11,
                                                    .total = 12000,
                                                    .card_bytes = CARD,
                                                    .fingerprint = 5,
                                                    .space = PART_UCX_SPACE_LINK};
    assert_true(reads(&message, sizeof(message))); /* pieces are of any size */
    message.fixed.tag = 1; /* of the second init */
    assert_true(reads(&message, sizeof(message)));
    message.fixed.tag = -1;
    assert_false(reads(&message, sizeof(message)));
}

/* ---- ACCEPT ---- */

typedef struct record_t {
    mca_part_ucx_wire_pair_t pair;
    char keys[2 * KEYS];
} record_t;

typedef struct accept_t {
    mca_part_ucx_wire_accept_t fixed;
    record_t record[2];
    char card[CARD];
} accept_t;

static accept_t good_accept(void)
{
    const record_t record = {.pair = {.data_rkey_bytes = KEYS, .flag_rkey_bytes = KEYS}};

    return (accept_t) {.fixed = {.header = header_of(PART_UCX_WIRE_ACCEPT),
                                 .recv_key = 77,
                                 .data = 0x10000,
                                 .flags = 0x20000,
                                 .partitions = 3,
                                 .slices = 2,
                                 .group = 1,
                                 .method = PART_UCX_METHOD_FLUSH,
                                 .pairs = 2,
                                 .card_bytes = CARD},
                       .record = {record, record}};
}

#define WRONG_ACCEPT(field, value)                       \
    do {                                                 \
        accept_t wrong = good_accept();                  \
        wrong.field = (value);                           \
        assert_false(reads(&wrong, sizeof(wrong)));      \
    } while (0)

static void accept_of_puts(void **state)
{
    accept_t message = good_accept();

    (void) state;
    length_counts(&message, sizeof(message));
    message.fixed.method = PART_UCX_METHOD_CHAINED;
    assert_true(reads(&message, sizeof(message)));
    WRONG_ACCEPT(fixed.header.send_key, 0);
    WRONG_ACCEPT(fixed.recv_key, 0);
    WRONG_ACCEPT(fixed.data, 0);
    WRONG_ACCEPT(fixed.flags, 0);
    WRONG_ACCEPT(fixed.partitions, 0);
    WRONG_ACCEPT(fixed.slices, 0);
    WRONG_ACCEPT(fixed.group, 0);
    WRONG_ACCEPT(fixed.group, 2); /* beside slices */
    WRONG_ACCEPT(fixed.method, PART_UCX_METHOD_AUTO);
    WRONG_ACCEPT(fixed.method, 4);
    WRONG_ACCEPT(fixed.method, PART_UCX_METHOD_FLUSH | PART_UCX_EAGER_ONLY);
    WRONG_ACCEPT(fixed.method, PART_UCX_METHOD_FLUSH | PART_UCX_CMA_ALLOWED);
    WRONG_ACCEPT(fixed.method, PART_UCX_METHOD_FLUSH | 0x400u);
    WRONG_ACCEPT(fixed.method, PART_UCX_METHOD_MESSAGE); /* with keys */
    WRONG_ACCEPT(fixed.pairs, 0);
    WRONG_ACCEPT(fixed.pairs, 1);
    WRONG_ACCEPT(fixed.pairs, 3);
    WRONG_ACCEPT(fixed.pairs, PART_UCX_MAX_PATHS + 1);
    WRONG_ACCEPT(fixed.pairs, UINT32_MAX);
    WRONG_ACCEPT(fixed.card_bytes, UINT32_MAX);
    WRONG_ACCEPT(fixed.credit, PART_UCX_CREDIT_MOST + 1);
    WRONG_ACCEPT(record[1].pair.send_path, PART_UCX_MAX_PATHS);
    WRONG_ACCEPT(record[0].pair.recv_path, UINT32_MAX);
    WRONG_ACCEPT(record[0].pair.data_rkey_bytes, UINT32_MAX);
    WRONG_ACCEPT(record[0].pair.flag_rkey_bytes, UINT32_MAX);
    WRONG_ACCEPT(fixed.shm.bytes, 4096); /* of no process */
    WRONG_ACCEPT(fixed.shm.base, 4096);  /* of no bytes */
}

/* Puts without keys: UCX was given NULL. */
static void puts_need_keys(void **state)
{
    accept_t message = good_accept();
    char *begin = (char *) &message;

    (void) state;
    message.fixed.pairs = 1;
    message.record[0].pair.data_rkey_bytes = 0;
    message.record[0].pair.flag_rkey_bytes = 0;
    memmove(message.record[0].keys, message.card, CARD);
    assert_false(reads(&message, (size_t) (message.record[0].keys - begin) + CARD));
    message.record[0].pair.flag_rkey_bytes = KEYS;
    message.fixed.card_bytes = 0;
    assert_false(reads(&message, (size_t) (message.record[0].keys - begin) + KEYS));
    message.record[0].pair.flag_rkey_bytes = 0;
    message.record[0].pair.data_rkey_bytes = KEYS;
    assert_false(reads(&message, (size_t) (message.record[0].keys - begin) + KEYS));
    message.record[0].pair.flag_rkey_bytes = KEYS;
    assert_true(reads(&message, (size_t) (message.record[0].keys - begin) + 2 * KEYS));
}

static void accept_of_messages(void **state)
{
    struct {
        mca_part_ucx_wire_accept_t fixed;
        mca_part_ucx_wire_pair_t pair[2];
    } message = {.fixed = good_accept().fixed};

    (void) state;
    message.fixed.method = PART_UCX_METHOD_MESSAGE | PART_UCX_EAGER_ONLY | PART_UCX_CMA_ALLOWED;
    message.fixed.data = 0;
    message.fixed.flags = 0;
    message.fixed.card_bytes = 0;
    length_counts(&message, sizeof(message));
    message.fixed.shm = (mca_part_ucx_shm_t) {
        .base = 0x7000, .bytes = 4096, .file = 5, .process = 1234};
    assert_true(reads(&message, sizeof(message)));
    message.fixed.shm.base = UINT64_MAX;
    assert_false(reads(&message, sizeof(message)));
    message.fixed.shm.base = 0x7000;
    message.fixed.shm.process = -1;
    assert_false(reads(&message, sizeof(message)));
    message.fixed.shm.process = 1234;
    message.fixed.shm.bytes = UINT64_MAX;
    assert_false(reads(&message, sizeof(message)));
}

/* ---- the others ---- */

static void refuse(void **state)
{
    mca_part_ucx_wire_refuse_t message = {.header = header_of(PART_UCX_WIRE_REFUSE),
                                          .total = 5,
                                          .partitions = 1,
                                          .reason = PART_UCX_REFUSE_SIZE};

    (void) state;
    length_counts(&message, sizeof(message));
    message.reason = 0;
    assert_false(reads(&message, sizeof(message)));
    message.reason = PART_UCX_REFUSE_FAILURE + 1;
    assert_false(reads(&message, sizeof(message)));
    message.reason = PART_UCX_REFUSE_FAILURE;
    message.partitions = 0;
    assert_false(reads(&message, sizeof(message)));
}

static void short_ones(void **state)
{
    mca_part_ucx_wire_header_t message = header_of(PART_UCX_WIRE_WITHDRAW);

    (void) state;
    length_counts(&message, sizeof(message));
    message.send_key = 0;
    assert_false(reads(&message, sizeof(message)));
}

/* ---- business cards ---- */

typedef struct card_t {
    mca_part_ucx_wire_peer_t head;
    struct {
        mca_part_ucx_wire_path_t record;
        char address[16];
    } path[2];
} card_t;

static card_t good_card(void)
{
    card_t card = {.head = {.paths = 2, .process = 4711}};

    for (unsigned i = 0; i < 2; ++i) {
        card.path[i].record = (mca_part_ucx_wire_path_t) {.kind = PART_UCX_DEVICE_TCP,
                                                          .address_bytes = 16,
                                                          .subnet = {.family = 4, .prefix = 24},
                                                          .name = "eth0"};
    }
    return card;
}

static bool card_reads(const void *bytes, size_t length)
{
    mca_part_ucx_business_card_t card;
    char *copy = malloc(0 == length ? 1 : length);
    bool good;

    assert_non_null(copy);
    memcpy(copy, bytes, length);
    good = mca_part_ucx_business_card_read(&card, copy, length);
    free(copy);
    return good;
}

#define WRONG_CARD(field, value)                         \
    do {                                                 \
        card_t wrong = good_card();                      \
        wrong.field = (value);                           \
        assert_false(card_reads(&wrong, sizeof(wrong))); \
    } while (0)

static void business_cards(void **state)
{
    card_t card = good_card();
    char longer[sizeof(card) + 1] = {0};

    (void) state;
    memcpy(longer, &card, sizeof(card));
    assert_true(card_reads(longer, sizeof(card)));
    assert_false(card_reads(longer, sizeof(longer)));
    for (size_t i = 0; i < sizeof(card); ++i) {
        UNIT_CHECK(!card_reads(longer, i), "%zu of %zu bytes are read", i, sizeof(card));
    }
    WRONG_CARD(head.paths, 0);
    WRONG_CARD(head.paths, 1);
    WRONG_CARD(head.paths, PART_UCX_MAX_PATHS + 1);
    WRONG_CARD(head.paths, UINT32_MAX);
    WRONG_CARD(head.process, UINT32_MAX);
    WRONG_CARD(path[0].record.kind, 3);
    WRONG_CARD(path[0].record.address_bytes, UINT32_MAX);
    WRONG_CARD(path[1].record.address_bytes, 17);
    WRONG_CARD(path[1].record.subnet.family, 5);
    WRONG_CARD(path[1].record.subnet.prefix, 33);
    WRONG_CARD(path[0].record.puts, 2);
    WRONG_CARD(path[0].record.zero[3], 1);
    WRONG_CARD(path[0].record.fails_over, 2);
    card = good_card();
    memset(card.path[1].record.name, 'x', sizeof(card.path[1].record.name)); /* without an end */
    assert_false(card_reads(&card, sizeof(card)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(announce),
        cmocka_unit_test(accept_of_puts),
        cmocka_unit_test(puts_need_keys),
        cmocka_unit_test(accept_of_messages),
        cmocka_unit_test(refuse),
        cmocka_unit_test(short_ones),
        cmocka_unit_test(business_cards),
    };

    return UNIT_RUN(tests);
}
