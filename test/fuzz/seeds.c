/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what the fuzzer begins with: one good message of each kind. Run again after a change of
 * their structures (test/fuzz.sh --seeds).
 *
 * Argument: the folder of the corpus.
 */
#include "fuzz.h"

#include "channel/part_ucx_message.h"
#include "path/part_ucx_business_card.h"
#include "wireup/part_ucx_wire.h"

#include <stdbool.h>
#include <string.h>

static unsigned char bytes[4096];
static size_t used;

static void append(const void *what, size_t length)
{
    memcpy(bytes + used, what, length);
    used += length;
}

static void write_seed(const char *folder, const char *target, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s/%s", folder, target, name);
    file = fopen(path, "w");
    if (NULL == file || used != fwrite(bytes, 1, used, file) || 0 != fclose(file)) {
        perror(path);
        exit(1);
    }
    used = 0;
}

/* ---- set-up ---- */

static mca_part_ucx_wire_header_t header_of(mca_part_ucx_wire_kind_t kind)
{
    static const fuzz_send_t send = {.total = 12000, .partitions = 12};

    append(&send, sizeof(send));
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = 0x1234567800000001};
}

#define CARD_BYTES \
    (sizeof(mca_part_ucx_wire_peer_t) + 2 * (sizeof(mca_part_ucx_wire_path_t) + 16))

static void append_card(void)
{
    mca_part_ucx_wire_peer_t head = {.paths = 2, .process = 4711};
    mca_part_ucx_wire_path_t path = {.kind = PART_UCX_DEVICE_TCP,
                                     .address_bytes = 16,
                                     .subnet = {.family = 4, .prefix = 24},
                                     .name = "eth0"};

    append(&head, sizeof(head));
    for (int i = 0; i < 2; ++i) {
        append(&path, sizeof(path));
        append("0123456789abcdef", 16);
        path.kind = PART_UCX_DEVICE_SHARED;
    }
}

static void announces(const char *folder)
{
    mca_part_ucx_wire_announce_t announce = {.header = header_of(PART_UCX_WIRE_ANNOUNCE),
                                             .tag = 7,
                                             .partitions = 12,
                                             .total = 12000,
                                             .card_bytes = CARD_BYTES};

    append(&announce, sizeof(announce));
    append_card();
    write_seed(folder, "setup", "announce");
    (void) header_of(PART_UCX_WIRE_ANNOUNCE);
    announce.tag = 0;
    announce.card_bytes = 0;
    announce.fingerprint = 99;
    announce.space = PART_UCX_SPACE_LINK;
    append(&announce, sizeof(announce));
    write_seed(folder, "setup", "announce-link");
}

static void accept_of(const char *folder, mca_part_ucx_method_t method, uint32_t keys,
                      const char *name)
{
    mca_part_ucx_wire_accept_t accept = {.header = header_of(PART_UCX_WIRE_ACCEPT),
                                         .recv_key = 77,
                                         .data = 0x10000,
                                         .flags = 0x20000,
                                         .partitions = 3,
                                         .slices = 1,
                                         .group = 4,
                                         .method = method,
                                         .pairs = 2,
                                         .card_bytes = CARD_BYTES};
    mca_part_ucx_wire_pair_t pair = {.data_rkey_bytes = keys, .flag_rkey_bytes = keys};

    append(&accept, sizeof(accept));
    for (int i = 0; i < 2; ++i) {
        append(&pair, sizeof(pair));
        append("0123456789abcdef", keys);
        append("0123456789abcdef", keys);
    }
    append_card();
    write_seed(folder, "setup", name);
}

static void others(const char *folder)
{
    mca_part_ucx_wire_refuse_t refuse = {.header = header_of(PART_UCX_WIRE_REFUSE),
                                         .total = 5,
                                         .partitions = 1,
                                         .reason = PART_UCX_REFUSE_SIZE};
    mca_part_ucx_wire_header_t withdraw;

    append(&refuse, sizeof(refuse));
    write_seed(folder, "setup", "refuse");
    withdraw = header_of(PART_UCX_WIRE_WITHDRAW);
    append(&withdraw, sizeof(withdraw));
    write_seed(folder, "setup", "withdraw");
}

/* ---- active messages ---- */

/* How an input names a message. */
static uint8_t place_of(unsigned id)
{
    uint8_t place = 0;

    while (place < FUZZ_IDS - 1 && id != fuzz_ids[place]) {
        ++place;
    }
    return place;
}

static void append_data(unsigned id, unsigned right, uint32_t segment, uint32_t count,
                        uint16_t length)
{
    fuzz_message_t message = {.id = place_of(id),
                              .path = (uint8_t) (segment / 2 % 2),
                              .right = (uint8_t) (right | FUZZ_KEY | FUZZ_NONCE),
                              .length = length};
    mca_part_ucx_data_header_t head = {.epoch = 2, .segment = segment, .count = count};

    append(&message, sizeof(message));
    append(&head, sizeof(head));
    append("\0\0\0\0\0\0\0", sizeof(mca_part_ucx_event_t) - sizeof(head));
}

static void append_event(unsigned id, uint32_t epoch, uint16_t reason)
{
    fuzz_message_t message = {.id = place_of(id),
                              .right = FUZZ_KEY | FUZZ_NONCE | FUZZ_FROM};
    mca_part_ucx_event_t event = {.epoch = epoch, .reason = reason};

    append(&message, sizeof(message));
    append(&event, sizeof(event));
}

/* Two pieces of the link, and their bytes. */
static void append_bundle(uint32_t epoch, unsigned right, uint32_t first, uint32_t first_length,
                          uint32_t second, uint32_t second_length)
{
    mca_part_ucx_bundled_t entry[] = {{first, first_length}, {second, second_length}};
    fuzz_message_t message = {.id = place_of(PART_UCX_AM_BUNDLE),
                              .right = (uint8_t) (right | FUZZ_KEY | FUZZ_NONCE | FUZZ_LINK),
                              .length = (uint16_t) (sizeof(entry) + first_length
                                                    + second_length)};
    mca_part_ucx_data_header_t head = {.epoch = epoch, .segment = first, .count = 2};

    append(&message, sizeof(message));
    append(&head, sizeof(head));
    append("\0\0\0\0\0\0\0", sizeof(mca_part_ucx_event_t) - sizeof(head));
    append(entry, sizeof(entry));
    memset(bytes + used, 'b', first_length + second_length);
    used += first_length + second_length;
}

static void bundles(const char *folder)
{
    append_bundle(1, 0, 2, 40, 1, 0);
    append_bundle(1, 0, 2, 40, 1, 0);
    append_bundle(1, 0, 0, 16, 3, 300);
    write_seed(folder, "messages", "bundle");
    append_bundle(2, 0, 2, 40, 1, 0);
    append_bundle(3, 0, 0, 16, 1, 0);
    append_bundle(1, 0, 0, 16, 1, 0);
    append_bundle(1, 0, 2, 40, 3, 300);
    append_bundle(2, FUZZ_START, 0, 16, 3, 300);
    append_bundle(3, FUZZ_START, 2, 40, 3, 300);
    write_seed(folder, "messages", "bundle-later");
}

/* ---- failover ---- */

/* The endpoint of B at cable 0, or of A: paths as failover.c has them. */
static void append_down(unsigned id, unsigned right, bool to_send, uint32_t generation,
                        uint32_t answer)
{
    fuzz_message_t message = {.id = place_of(id),
                              .path = to_send ? 1 : 3,
                              .right = (uint8_t) (right | FUZZ_KEY | FUZZ_NONCE | FUZZ_START
                                                  | (to_send ? FUZZ_SECOND : 0))};
    mca_part_ucx_failover_news_t down = {.generation = generation,
                                         .from_path = to_send ? 2 : 0,
                                         .to_path = to_send ? 0 : 2,
                                         .answer = answer};

    append(&message, sizeof(message));
    append(&down, sizeof(down));
}

static void append_ready(unsigned right, uint32_t epoch, uint32_t done)
{
    fuzz_message_t message = {.id = place_of(PART_UCX_AM_READY),
                              .right = (uint8_t) (right | FUZZ_KEY | FUZZ_NONCE | FUZZ_FROM)};
    mca_part_ucx_event_t event = {.epoch = epoch, .done = done};

    append(&message, sizeof(message));
    append(&event, sizeof(event));
}

static void append_bytes(unsigned length)
{
    memset(bytes + used, 'd', length);
    used += length;
}

static void failover(const char *folder)
{
    append_down(PART_UCX_AM_DOWN, 0, false, 0, 0);
    append_down(PART_UCX_AM_DOWN, 0, false, 0, 0); /* old by now */
    append_down(PART_UCX_AM_DOWN, 0, true, 1, 0);
    append_down(PART_UCX_AM_DOWN, 0, true, 7, 1);
    write_seed(folder, "failover", "down");
    append_down(PART_UCX_AM_DOWN, FUZZ_RENDEZVOUS, true, 0, 1);
    append_down(PART_UCX_AM_BACK, 0, false, 1, 0);
    append_down(PART_UCX_AM_BACK, 0, true, 1, 0);
    append_down(PART_UCX_AM_BACK, 0, true, 9, 0);
    write_seed(folder, "failover", "back");
    append_down(PART_UCX_AM_PROBE, 0, false, 0, 0);
    append_down(PART_UCX_AM_PROBE, FUZZ_RENDEZVOUS, true, 0, 0);
    write_seed(folder, "failover", "probe");
    append_ready(0, 2, 1);
    append_ready(FUZZ_LINK, 2, 1);
    append_ready(FUZZ_RENDEZVOUS, 2, 2);
    append_ready(0, 3, 2);
    write_seed(folder, "failover", "ready");
    append_data(PART_UCX_AM_DATA, FUZZ_START, 0, 2, 128);
    append_bytes(128);
    append_data(PART_UCX_AM_DATA, FUZZ_RENDEZVOUS, 1, 3, 192);
    append_bytes(192);
    append_bundle(2, FUZZ_START, 2, 40, 1, 0);
    append_bundle(2, 0, 0, 16, 3, 300);
    write_seed(folder, "failover", "data");
}

static void messages(const char *folder)
{
    append_data(PART_UCX_AM_DATA, 0, 0, 2, 128);
    append_data(PART_UCX_AM_DATA, 0, 0, 2, 128);
    append_data(PART_UCX_AM_PLACED, 0, 4, 2, 0);
    append_data(PART_UCX_AM_PLACED, 0, 2, 1, 0);
    write_seed(folder, "messages", "data");
    append_data(PART_UCX_AM_OFFER, FUZZ_SECOND | FUZZ_RENDEZVOUS, 0, 4, 20000);
    append_data(PART_UCX_AM_OFFER, FUZZ_SECOND | FUZZ_RENDEZVOUS | FUZZ_START, 0, 4, 20000);
    write_seed(folder, "messages", "offer");
    append_event(PART_UCX_AM_READY, 2, 0);
    append_event(PART_UCX_AM_READY, 3, 0);
    append_event(PART_UCX_AM_END, 2, PART_UCX_END_FREED);
    append_event(PART_UCX_AM_END, 1, PART_UCX_END_FAILED);
    append_data(PART_UCX_AM_DATA, 0, 0, 2, 128);
    write_seed(folder, "messages", "events");
    append_event(PART_UCX_AM_ASK, 2, 0);
    append_event(PART_UCX_AM_ASK, 1, 0);
    append_event(PART_UCX_AM_READY, 3, 0);
    write_seed(folder, "messages", "ask");
    append_down(PART_UCX_AM_DOWN, 0, false, 0, 0);
    append_down(PART_UCX_AM_BACK, 0, true, 1, 0);
    append_down(PART_UCX_AM_PROBE, 0, false, 0, 0);
    write_seed(folder, "messages", "failover");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";

    announces(folder);
    accept_of(folder, PART_UCX_METHOD_MESSAGE, 0, "accept-message");
    accept_of(folder, PART_UCX_METHOD_FLUSH, 16, "accept-flush");
    others(folder);
    messages(folder);
    bundles(folder);
    failover(folder);
    return 0;
}
