/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages, into the component's own handlers on a network that is made up: one channel with
 * messages that carry their data, one whose message is offered. They are in their second epoch, of
 * which a part has been sent. Whatever comes then:
 *
 *   - who does not know key and nonce changes nothing;
 *   - what is counted as missing is what has not arrived;
 *   - no byte outside of the receive buffers is touched (the address sanitizer sees that), and
 *     nothing goes against the rules of UCX.
 */
#include "fuzz.h"

#include "unit.h"

#include "channel.h"

#include <string.h>

#define PATHS    2u
#define CHANNELS 2u

static const channel_plan_t plans[CHANNELS] = {{.total = 8 * 64,
                                                .send_partitions = 8,
                                                .recv_partitions = 4,
                                                .slices = 1,
                                                .group = 2,
                                                .method = PART_UCX_METHOD_MESSAGE},
                                               {.total = 20000,
                                                .send_partitions = 4,
                                                .recv_partitions = 4,
                                                .slices = 1,
                                                .group = 4,
                                                .method = PART_UCX_METHOD_MESSAGE}};

/* Bytes that an offer says it has, and that a message may carry. */
static unsigned char offered[65536];

static void drive(unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i) {
        channel_progress();
    }
}

/* There is no Open MPI that could show it. */
void __wrap_mca_part_ucx_help(const char *topic, ...);
void __wrap_mca_part_ucx_help(const char *topic, ...)
{
    (void) topic;
}

/* ---- the world ---- */

static void begin(channel_t channel[CHANNELS])
{
    static const fakeucx_options_t network = {.put_in_place = true, .seed = 1};

    channel_paths_open(PATHS, &network);
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_t *one = &channel[i];

        channel_make(one, &plans[i]);
        channel_start(&one->recv->super);
        channel_start(&one->send->super);
        FUZZ_CHECK(MPI_SUCCESS == channel_pready(one, 0, plans[i].send_partitions - 1));
        for (unsigned turn = 0; turn < 1000 && !channel_test(&one->recv->super); ++turn) {
            channel_progress();
        }
        for (unsigned turn = 0; turn < 1000 && !channel_test(&one->send->super); ++turn) {
            channel_progress();
        }
    }
    channel_start(&channel[0].recv->super);
    channel_start(&channel[0].send->super);
    FUZZ_CHECK(MPI_SUCCESS == channel_pready(&channel[0], 2, 3));
    channel_start(&channel[1].send->super);
    FUZZ_CHECK(MPI_SUCCESS == channel_pready(&channel[1], 0, 3)); /* its offer waits */
    drive(100);
}

/* Whatever state they are in: nothing is driven any more. */
static void end(channel_t channel[CHANNELS])
{
    for (unsigned i = 0; i < PATHS; ++i) {
        mca_part_ucx_paths.path[i].user->detach(&mca_part_ucx_paths.path[i]);
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        channel_free(&channel[i]);
    }
    for (unsigned i = 0; i < PATHS; ++i) {
        mca_part_ucx_path_free_ops(&mca_part_ucx_paths.path[i]);
    }
    free(mca_part_ucx_paths.path);
    mca_part_ucx_paths.path = NULL;
    mca_part_ucx_paths.count = 0;
    mca_part_ucx_table_destroy(&mca_part_ucx_channels);
    fakeucx_close();
}

/* ---- what must hold ---- */

static void check_counts(channel_t *one)
{
    mca_part_ucx_arrivals_t *arrivals = atomic_load(&one->recv->arrivals);
    uint32_t epoch = atomic_load(&one->recv->super.epoch);
    uint32_t missing = 0;

    for (uint32_t i = 0; i < arrivals->map.segments; ++i) {
        missing += epoch != atomic_load(&arrivals->flag[mca_part_ucx_map_flag(&arrivals->map, i)]);
    }
    if (PART_UCX_MATCHED == mca_part_ucx_channel_state(&one->recv->super)) {
        FUZZ_CHECK(missing == atomic_load(&one->recv->remaining));
        FUZZ_CHECK(0 == missing || !channel_complete(&one->recv->super));
    }
    FUZZ_CHECK(atomic_load(&one->send->remaining) <= one->plan.send_partitions);
}

/* ---- messages ---- */

static void sent(void *request, ucs_status_t status, void *user_data)
{
    (void) status, (void) user_data;
    if (NULL != request) {
        ucp_request_free(request);
    }
}

static void post(const fuzz_message_t *message, const void *header, size_t header_length,
                 const void *data)
{
    bool offer = 0 != (message->right & FUZZ_RENDEZVOUS);
    unsigned path = message->path % PATHS;
    unsigned id = PART_UCX_AM_DATA + message->id % PART_UCX_AM_END;
    ucp_request_param_t param = {.flags = offer ? UCP_AM_SEND_FLAG_RNDV : 0, .cb.send = sent};

    mca_part_ucx_path_lock(&mca_part_ucx_paths.path[path]);
    (void) ucp_am_send_nbx(fakeucx_endpoint(path), id, header, header_length, data,
                           message->length, &param);
    mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[path]);
    drive(20);
}

/* The header as the fuzzer wants it, with what it cannot guess. */
static size_t make_header(const fuzz_message_t *message, const channel_t *one, const uint8_t *data,
                          size_t size, mca_part_ucx_event_t *event)
{
    mca_part_ucx_data_header_t *head = (mca_part_ucx_data_header_t *) (void *) event;
    bool is_data = message->id % PART_UCX_AM_END < PART_UCX_AM_READY - PART_UCX_AM_DATA;
    const mca_part_ucx_channel_t *to = is_data ? &one->recv->super : &one->send->super;
    const mca_part_ucx_channel_t *from = is_data ? &one->send->super : &one->recv->super;
    size_t length = is_data ? sizeof(*head) : sizeof(*event);

    memset(event, 0, sizeof(*event));
    memcpy(event, data, size < length ? size : length);
    /* Else they are wrong for sure. */
    event->key = 0 != (message->right & FUZZ_KEY) ? to->key : event->key | 0x800000u;
    if (0 != (message->right & FUZZ_NONCE)) {
        *(is_data ? &head->nonce : &event->nonce) = to->nonce;
    } else if (to->nonce == (is_data ? head->nonce : event->nonce)) {
        *(is_data ? &head->nonce : &event->nonce) ^= 1;
    }
    if (!is_data && 0 != (message->right & FUZZ_FROM)) {
        event->from = from->key;
    }
    return length - (message->cut < length ? message->cut : length);
}

static void one_message(channel_t channel[CHANNELS], const fuzz_message_t *message,
                        const uint8_t *data, size_t size)
{
    channel_t *one = &channel[0 != (message->right & FUZZ_SECOND)];
    bool stranger = (FUZZ_KEY | FUZZ_NONCE) != (message->right & (FUZZ_KEY | FUZZ_NONCE));
    uint64_t strays = atomic_load(&mca_part_ucx_process.strays);
    uint32_t remaining[CHANNELS];
    mca_part_ucx_event_t header;
    size_t length = make_header(message, one, data, size, &header);
    bool whole = 0 == message->cut;

    if (0 != (message->right & FUZZ_START)
        && NULL != channel_request(&one->recv->super)->any.super.req_complete
        && OMPI_REQUEST_INACTIVE == channel_request(&one->recv->super)->any.super.req_state) {
        channel_start(&one->recv->super);
        drive(50);
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        remaining[i] = atomic_load(&channel[i].recv->remaining);
    }
    post(message, &header, length, offered);
    for (unsigned i = 0; i < CHANNELS && (stranger || !whole); ++i) {
        FUZZ_CHECK(remaining[i] == atomic_load(&channel[i].recv->remaining));
    }
    if (stranger && whole && 0 != (message->right & FUZZ_KEY)) {
        FUZZ_CHECK(strays < atomic_load(&mca_part_ucx_process.strays));
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        check_counts(&channel[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    channel_t channel[CHANNELS] = {0};
    fuzz_message_t message;

    begin(channel);
    for (unsigned count = 0; size >= sizeof(message) && count < 64; ++count) {
        size_t header = sizeof(mca_part_ucx_event_t);

        memcpy(&message, data, sizeof(message));
        data += sizeof(message);
        size -= sizeof(message);
        one_message(channel, &message, data, size);
        header = size < header ? size : header;
        data += header;
        size -= header;
    }
    FUZZ_CHECK(NULL == fakeucx_violation());
    end(channel);
    return 0;
}
