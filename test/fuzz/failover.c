/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of failover: two processes on cables that are made up (twins.h), a channel and a link
 * that fail over, in their second epoch, of which a part has been sent. Then any message comes to
 * any end by any path, between paths that are given up and come back. Whatever comes:
 *
 *   - who does not know key and nonce changes nothing, and is counted;
 *   - DOWN of a generation that is not the present one gives up no path that works;
 *   - what is counted as missing is what has not arrived;
 *   - as long as nobody who knows key and nonce lies, both ends come to the end of their epoch, and
 *     with all bytes if no path was given up;
 *   - everything can be taken down afterwards, and nothing is left.
 */
#include "fuzz.h"

#include "unit.h"

#include "line.h"
#include "twins.h"

#include "path/part_ucx_failover_outage.h"

#include <string.h>

#include "ompi/constants.h"

#define CABLES 2u
#define PATHS  (SIDES * CABLES)

static const channel_plan_t plan = {.total = 8 * 64,
                                    .send_partitions = 8,
                                    .recv_partitions = 4,
                                    .slices = 1,
                                    .group = 2,
                                    .method = PART_UCX_METHOD_MESSAGE};
static const uint64_t pieces[] = {16, 0, 40, 300};
#define PIECES ((uint32_t) (sizeof(pieces) / sizeof(pieces[0])))

static channel_t channel;
static bool lies;     /* somebody who knows key and nonce has said something of data */
static bool misleads; /* or of paths: an end may believe that the other one has agreed */
static bool lost;     /* a path has been given up */

/* ---- the world ---- */

static void start_link(void)
{
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
}

static void begin(void)
{
    lies = misleads = lost = false;
    twins_open(CABLES);
    cables.resets = true; /* an end that hears a lie is deaf alone */
    twins_make(&channel, &plan);
    twins_make_line(PIECES, pieces);
    twins_epoch(&channel, 1);
    start_link();
    for (uint32_t i = 0; i < PIECES; ++i) {
        line_mark(i);
    }
    twins_drive(10);
    start_link();
    line_mark(2);
    twins_start(&channel, 2);
    twins_mark(&channel, 2, 3);
}

static bool runs(void)
{
    return atomic_load(&channel.send->super.running) || atomic_load(&channel.recv->super.running)
           || atomic_load(&line.send->super.running) || atomic_load(&line.recv->super.running);
}

/* The rest of the epoch: it ends, and well if nothing was wrong. */
static void end_epoch(void)
{
    (void) channel_pready(&channel, 0, 1);
    (void) channel_pready(&channel, 4, plan.send_partitions - 1);
    for (uint32_t i = 0; i < PIECES; ++i) {
        if (2 != i) {
            line_mark(i);
        }
    }
    for (unsigned i = 0; i < 60 && runs(); ++i) {
        twins_pass(1);
    }
    FUZZ_CHECK(lies || misleads || !runs());
    if (lies || misleads || lost) {
        return;
    }
    for (uint32_t i = 0; i < plan.recv_partitions; ++i) {
        FUZZ_CHECK(channel_is_there(&channel, 2, i));
    }
    for (uint32_t i = 0; i < PIECES; ++i) {
        FUZZ_CHECK(line_is_there(i, 2));
    }
    FUZZ_CHECK(MPI_SUCCESS == atomic_load(&line.error)
               && MPI_SUCCESS == channel_outcome(&channel.send->super)
               && MPI_SUCCESS == channel_outcome(&channel.recv->super));
}

static void end(void)
{
    mca_part_ucx_channel_t *const ends[] = {&channel.send->super, &channel.recv->super,
                                            &line.send->super, &line.recv->super};

    for (unsigned i = 0; i < 4; ++i) {
        if (atomic_load(&ends[i]->running)) {
            mca_part_ucx_channel_fail(ends[i], MPI_ERR_OTHER);
        }
    }
    for (unsigned i = 0; i < 60 && runs(); ++i) {
        twins_pass(1);
    }
    FUZZ_CHECK(!runs());
    twins_drive(10);
    FUZZ_CHECK(channel_test(&channel.send->super) && channel_test(&channel.recv->super));
    channel_free(&channel);
    line_free();
    twins_close();
}

/* ---- what must hold ---- */

/* What a stranger must not change. */
typedef struct picture_t {
    uint32_t remaining[4];
    struct {
        int state;
        uint32_t generation, heard_down, heard_back;
        bool asked;
    } end[PATHS];
} picture_t;

static picture_t picture(void)
{
    picture_t now;

    memset(&now, 0, sizeof(now));
    now.remaining[0] = atomic_load(&channel.send->remaining);
    now.remaining[1] = atomic_load(&channel.recv->remaining);
    now.remaining[2] = atomic_load(&line.send->remaining);
    now.remaining[3] = atomic_load(&line.recv->remaining);
    for (unsigned i = 0; i < PATHS; ++i) {
        mca_part_ucx_failover_outage_t *outage = &twins_endpoint(i / CABLES, i % CABLES)->outage;

        now.end[i].state = atomic_load(&outage->state);
        now.end[i].generation = atomic_load(&outage->generation);
        now.end[i].heard_down = atomic_load(&outage->heard_down);
        now.end[i].heard_back = atomic_load(&outage->heard_back);
        now.end[i].asked = atomic_load(&outage->wants_down);
    }
    return now;
}

static bool all_up(void)
{
    for (unsigned i = 0; i < CABLES; ++i) {
        if (PART_UCX_ENDPOINT_UP != twins_states(i)) {
            return false;
        }
    }
    return true;
}

/* Nothing has been heard that has still to be heeded. */
static bool all_settled(void)
{
    for (unsigned i = 0; i < PATHS; ++i) {
        if (mca_part_ucx_failover_outage_is_agreed(twins_endpoint(i / CABLES, i % CABLES))) {
            return false;
        }
    }
    return !cables_busy();
}

static void check_counts(void)
{
    mca_part_ucx_arrivals_t *arrivals = atomic_load(&channel.recv->arrivals);
    uint32_t epoch = atomic_load(&channel.recv->super.epoch);
    uint32_t missing = 0;

    for (uint32_t i = 0; i < arrivals->map.segments; ++i) {
        missing += epoch != atomic_load(&arrivals->flag[mca_part_ucx_map_flag(&arrivals->map, i)]);
    }
    if (PART_UCX_MATCHED == mca_part_ucx_channel_state(&channel.recv->super)) {
        FUZZ_CHECK(missing == atomic_load(&channel.recv->remaining));
    }
    FUZZ_CHECK(atomic_load(&channel.send->remaining) <= 2 * plan.send_partitions + 1 + CABLES);
    FUZZ_CHECK(NULL == fakeucx_violation());
}

/* ---- messages ---- */

static unsigned id_of(const fuzz_message_t *message)
{
    return fuzz_ids[message->id % FUZZ_IDS];
}

static bool is_of_path(unsigned id)
{
    return PART_UCX_AM_DOWN == id || PART_UCX_AM_BACK == id;
}

static bool knows(const fuzz_message_t *message)
{
    return (FUZZ_KEY | FUZZ_NONCE) == (message->right & (FUZZ_KEY | FUZZ_NONCE));
}

/* The two ends of what a message is for: the one addressed, and the other one. */
static void ends_of(const fuzz_message_t *message, const mca_part_ucx_channel_t *end[2])
{
    unsigned id = id_of(message);
    bool link = 0 != (message->right & FUZZ_LINK);
    bool to_send = (PART_UCX_AM_READY == id || PART_UCX_AM_END == id)
                   != (0 != (message->right & FUZZ_SECOND));
    const mca_part_ucx_channel_t *send = link ? &line.send->super : &channel.send->super;
    const mca_part_ucx_channel_t *recv = link ? &line.recv->super : &channel.recv->super;

    end[0] = to_send ? send : recv;
    end[1] = to_send ? recv : send;
}

/* The header as the fuzzer wants it, with what it cannot guess; its length. */
static size_t make_header(const fuzz_message_t *message, const uint8_t *data, size_t size,
                          mca_part_ucx_event_t *event)
{
    mca_part_ucx_data_header_t *head = (mca_part_ucx_data_header_t *) (void *) event;
    mca_part_ucx_failover_news_t *down = (mca_part_ucx_failover_news_t *) (void *) event;
    const mca_part_ucx_channel_t *end[2];
    unsigned id = id_of(message);
    bool is_event = PART_UCX_AM_READY == id || PART_UCX_AM_END == id || PART_UCX_AM_ASK == id;
    uint32_t *nonce = is_of_path(id) ? &down->nonce : is_event ? &event->nonce : &head->nonce;

    ends_of(message, end);
    memset(event, 0, sizeof(*event));
    memcpy(event, data, size < sizeof(*event) ? size : sizeof(*event));
    event->key = 0 != (message->right & FUZZ_KEY) ? end[0]->key : event->key | 0x800000u;
    if (0 != (message->right & FUZZ_NONCE)) {
        *nonce = end[0]->nonce;
    } else if (end[0]->nonce == *nonce) {
        *nonce ^= 1;
    }
    if (is_event && 0 != (message->right & FUZZ_FROM)) {
        event->from = end[1]->key;
    }
    return sizeof(*event) - (message->cut < sizeof(*event) ? message->cut : sizeof(*event));
}

/* Does it say of an endpoint that its present generation is given up, or one that may follow? */
static bool gives_up(const fuzz_message_t *message, const mca_part_ucx_event_t *header)
{
    const mca_part_ucx_failover_news_t *down =
        (const mca_part_ucx_failover_news_t *) (const void *) header;

    if (PART_UCX_AM_DOWN != id_of(message) || !knows(message) || 0 != message->cut) {
        return false;
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        uint32_t own = twins_generation(i / CABLES, i % CABLES);

        if (down->generation == own || down->generation == own + 1) {
            return true;
        }
    }
    return false;
}

static void hand_over(const fuzz_message_t *message, const mca_part_ucx_event_t *header,
                      size_t length, const void *bytes)
{
    void *exact = malloc(length + (0 == length)); /* for the address sanitizer */

    FUZZ_CHECK(NULL != exact);
    memcpy(exact, header, length);
    cables_say(message->path % PATHS, id_of(message), exact, length, bytes, message->length);
    free(exact);
}

static void one_message(const fuzz_message_t *message, const uint8_t *data, size_t header_bytes,
                        const void *bytes)
{
    uint64_t strays = atomic_load(&mca_part_ucx_process.strays);
    unsigned id = id_of(message);
    bool whole = 0 == message->cut, was_up = all_up() && all_settled(), lawful;
    mca_part_ucx_event_t header;
    size_t length = make_header(message, data, header_bytes, &header);
    picture_t before = picture(), after;

    lawful = gives_up(message, &header);
    misleads = misleads || lawful || (knows(message) && PART_UCX_AM_BACK == id);
    lies = lies || (knows(message) && whole && !is_of_path(id) && PART_UCX_AM_PROBE != id);
    hand_over(message, &header, length, bytes);
    after = picture();
    if (!knows(message) || !whole || PART_UCX_AM_PROBE == id) {
        FUZZ_CHECK(0 == memcmp(&before, &after, sizeof(before)));
        FUZZ_CHECK(PART_UCX_AM_PROBE == id || !whole || 0 == (message->right & FUZZ_KEY)
                   || strays < atomic_load(&mca_part_ucx_process.strays));
    }
    check_counts();
    if (0 != (message->right & FUZZ_START)) {
        twins_pass(1.5);
        FUZZ_CHECK(!was_up || lawful || lies || all_up());
        check_counts();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bytes[65536];
    fuzz_message_t message;

    begin();
    for (unsigned count = 0; size >= sizeof(message) && count < 32; ++count) {
        size_t header, left;

        memcpy(&message, data, sizeof(message));
        data += sizeof(message);
        size -= sizeof(message);
        header = size < sizeof(mca_part_ucx_event_t) ? size : sizeof(mca_part_ucx_event_t);
        left = size - header < message.length ? size - header : message.length;
        memset(bytes, 0, message.length);
        memcpy(bytes, data + header, left);
        if (0 != (message.right & FUZZ_RENDEZVOUS)) {
            lost = true;
            twins_give_up(message.path / CABLES % SIDES, message.path % CABLES);
        }
        one_message(&message, data, header, bytes);
        data += header + left;
        size -= header + left;
    }
    end_epoch();
    end();
    return 0;
}
