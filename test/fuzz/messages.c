/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages, into the component's own handlers on a network that is made up: one channel with
 * messages that carry their data, one whose message is offered, and the receiving end of a link,
 * whose pieces come alone, in bundles, and for epochs to come. The channels are in their second
 * epoch, of which a part has been sent, the link is in its first. Whatever comes then:
 *
 *   - who does not know key and nonce changes nothing;
 *   - what is counted as missing is what has not arrived;
 *   - no byte outside of the receive buffers is touched (the address sanitizer sees that), and
 *     nothing goes against the rules of UCX.
 */
#include "fuzz.h"

#include "unit.h"

#include "channel.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_recv_side.h"
#include "channel/part_ucx_send_side.h"

#include <string.h>

#include "ompi/constants.h"

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

/* ---- the link ---- */

#define PIECES 4u

static struct {
    mca_part_ucx_send_t *send;
    mca_part_ucx_recv_t *recv;
    mca_part_ucx_piece_t piece[PIECES];
    unsigned moved[PIECES]; /* in this epoch */
} wire;

static void wire_moved(void *context, uint32_t piece)
{
    (void) context;
    FUZZ_CHECK(piece < PIECES && 1 == ++wire.moved[piece]);
}

static void wire_finished(void *context, int error)
{
    (void) context, (void) error;
}

static void describe(mca_part_ucx_channel_t *end)
{
    static const mca_part_ucx_observer_t observer = {.moved = wire_moved,
                                                     .finished = wire_finished};

    end->comm = channel_communicator();
    OBJ_RETAIN(end->comm);
    end->datatype = &ompi_mpi_byte.dt;
    OBJ_RETAIN(end->datatype);
    end->observer = &observer;
    end->partitions = PIECES;
    end->contiguous = true;
    end->piece = wire.piece;
    FUZZ_CHECK(mca_part_ucx_map_init_pieces(&end->map, wire.piece, PIECES, PATHS));
}

static void wire_start(void)
{
    memset(wire.moved, 0, sizeof(wire.moved));
    mca_part_ucx_channel_start_met(&wire.recv->super);
    drive(20);
}

static void wire_begin(void)
{
    static const uint64_t bytes[PIECES] = {16, 0, 40, 300};

    for (uint32_t i = 0; i < PIECES; ++i) {
        wire.piece[i] = (mca_part_ucx_piece_t) {
            .address = (uint64_t) (uintptr_t) calloc(1, bytes[i]), .bytes = bytes[i]};
    }
    wire.send = mca_part_ucx_send_new();
    wire.recv = mca_part_ucx_recv_new();
    channel_meet(wire.send, wire.recv, PART_UCX_METHOD_MESSAGE);
    describe(&wire.send->super);
    describe(&wire.recv->super);
    FUZZ_CHECK(OMPI_SUCCESS == mca_part_ucx_recv_side_build(wire.recv)
               && NULL != wire.recv->credit);
    FUZZ_CHECK(OMPI_SUCCESS == mca_part_ucx_send_side_build(wire.send));
    wire.send->credit = mca_part_ucx_credit_epochs(wire.recv);
    wire_start();
}

static void wire_end(void)
{
    mca_part_ucx_channel_destroy(&wire.send->super);
    mca_part_ucx_channel_destroy(&wire.recv->super);
    for (uint32_t i = 0; i < PIECES; ++i) {
        free((void *) (uintptr_t) wire.piece[i].address);
    }
}

/* What is missing is what has not been reported. */
static void wire_check(void)
{
    uint32_t missing = 0;

    for (uint32_t i = 0; i < PIECES; ++i) {
        missing += 0 == wire.moved[i];
    }
    if (PART_UCX_MATCHED == mca_part_ucx_channel_state(&wire.recv->super)) {
        FUZZ_CHECK(missing == atomic_load(&wire.recv->remaining));
        FUZZ_CHECK((0 == missing) != atomic_load(&wire.recv->super.running));
    }
}

/* ---- the world ---- */

static void begin(channel_t channel[CHANNELS])
{
    static const fakeucx_options_t network = {.put_in_place = true, .seed = 1};

    channel_paths_open(PATHS, &network);
    mca_part_ucx_params.shared_eager_limit = 16384; /* the first one has credit, and the link */
    mca_part_ucx_params.credit = 4096;
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
    wire_begin();
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
    wire_end();
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

static unsigned id_of(const fuzz_message_t *message)
{
    return fuzz_ids[message->id % FUZZ_IDS];
}

static void post(const fuzz_message_t *message, const void *header, size_t header_length,
                 const void *data)
{
    bool offer = 0 != (message->right & FUZZ_RENDEZVOUS);
    unsigned path = message->path % PATHS;
    unsigned id = id_of(message);
    ucp_request_param_t param = {.flags = offer ? UCP_AM_SEND_FLAG_RNDV : 0, .cb.send = sent};

    mca_part_ucx_path_lock(&mca_part_ucx_paths.path[path]);
    (void) ucp_am_send_nbx(fakeucx_endpoint(path), id, header, header_length, data,
                           message->length, &param);
    mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[path]);
    drive(20);
}

/* The header as the fuzzer wants it, with what it cannot guess. */
static size_t make_header(const fuzz_message_t *message, const mca_part_ucx_send_t *send,
                          const mca_part_ucx_recv_t *recv, const uint8_t *data, size_t size,
                          mca_part_ucx_event_t *event)
{
    mca_part_ucx_data_header_t *head = (mca_part_ucx_data_header_t *) (void *) event;
    mca_part_ucx_failover_news_t *down = (mca_part_ucx_failover_news_t *) (void *) event;
    unsigned id = id_of(message);
    bool of_path = PART_UCX_AM_DOWN == id || PART_UCX_AM_BACK == id;
    bool asks = PART_UCX_AM_ASK == id;
    bool is_data = PART_UCX_AM_READY != id && PART_UCX_AM_END != id && !asks && !of_path;
    uint32_t *nonce = is_data ? &head->nonce : of_path ? &down->nonce : &event->nonce;
    const mca_part_ucx_channel_t *to = is_data || asks ? &recv->super : &send->super;
    const mca_part_ucx_channel_t *from = is_data || asks ? &send->super : &recv->super;
    size_t length = is_data ? sizeof(*head) : sizeof(*event);

    memset(event, 0, sizeof(*event));
    memcpy(event, data, size < length ? size : length);
    /* Else they are wrong for sure. */
    event->key = 0 != (message->right & FUZZ_KEY) ? to->key : event->key | 0x800000u;
    if (0 != (message->right & FUZZ_NONCE)) {
        *nonce = to->nonce;
    } else if (to->nonce == *nonce) {
        *nonce ^= 1;
    }
    if (!is_data && !of_path && 0 != (message->right & FUZZ_FROM)) {
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
    size_t length = make_header(message, one->send, one->recv, data, size, &header);
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
    if (stranger && whole && 0 != (message->right & FUZZ_KEY)
        && PART_UCX_AM_PROBE != id_of(message)) {
        FUZZ_CHECK(strays < atomic_load(&mca_part_ucx_process.strays));
    }
    for (unsigned i = 0; i < CHANNELS; ++i) {
        check_counts(&channel[i]);
    }
}

/* The same for the link; returns how many bytes of the input are its data. */
static size_t one_for_link(const fuzz_message_t *message, const uint8_t *data, size_t size)
{
    static unsigned char bytes[65536];
    bool stranger = (FUZZ_KEY | FUZZ_NONCE) != (message->right & (FUZZ_KEY | FUZZ_NONCE));
    uint32_t remaining;
    mca_part_ucx_event_t header;
    size_t length = make_header(message, wire.send, wire.recv, data, size, &header);
    size_t skip = size < sizeof(header) ? size : sizeof(header);
    size_t left = size - skip < message->length ? size - skip : message->length;

    memset(bytes, 0, message->length);
    memcpy(bytes, data + skip, left);
    if (0 != (message->right & FUZZ_START) && !atomic_load(&wire.recv->super.running)) {
        wire_start();
    }
    remaining = atomic_load(&wire.recv->remaining);
    post(message, &header, length, bytes);
    FUZZ_CHECK((!stranger && 0 == message->cut)
               || remaining == atomic_load(&wire.recv->remaining));
    wire_check();
    return left;
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
        header = size < header ? size : header;
        if (0 != (message.right & FUZZ_LINK)) {
            header += one_for_link(&message, data, size);
        } else {
            one_message(channel, &message, data, size);
        }
        data += header;
        size -= header;
    }
    FUZZ_CHECK(NULL == fakeucx_violation());
    end(channel);
    return 0;
}
