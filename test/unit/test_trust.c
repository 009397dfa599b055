/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that nobody should have sent: a stranger's, who knows no key and nonce of a channel, and
 * those of the peer once more. They are dropped and counted. No byte is written, no flag set,
 * nothing counted twice, no gate opened, no request failed, and nothing is kept.
 */
#include "unit.h"

#include "channel.h"
#include "api/part_ucx_epoch.h"

#include <stdlib.h>
#include <string.h>

#define PATHS 2u

static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};

/* Two partitions in a unit, four units on two paths. */
static const channel_plan_t small = {.total = 8 * 64,
                                     .send_partitions = 8,
                                     .recv_partitions = 8,
                                     .slices = 1,
                                     .group = 2,
                                     .method = PART_UCX_METHOD_MESSAGE};

/* One unit, which is offered. */
static const channel_plan_t large = {.total = 20000,
                                     .send_partitions = 4,
                                     .recv_partitions = 4,
                                     .slices = 1,
                                     .group = 4,
                                     .method = PART_UCX_METHOD_MESSAGE};

static channel_t channel;
static uint64_t strays, repeats; /* counted up to here */

static uint64_t newly(uint64_t now, uint64_t *before)
{
    uint64_t more = now - *before;

    *before = now;
    return more;
}

static uint64_t new_strays(void)
{
    return newly(atomic_load(&mca_part_ucx_process.strays), &strays);
}

static uint64_t new_repeats(void)
{
    return newly(atomic_load(&mca_part_ucx_process.repeats), &repeats);
}

static void drive(void)
{
    for (unsigned i = 0; i < 100; ++i) {
        channel_progress();
    }
}

static void begin(const channel_plan_t *plan)
{
    static const fakeucx_options_t overtaking = {.put_in_place = true};

    /* What is kept must not hold up what comes after it. */
    channel_paths_open(PATHS, &large == plan ? &overtaking : &network);
    memset(&channel, 0, sizeof(channel));
    channel_make(&channel, plan);
    (void) new_strays();
    (void) new_repeats();
}

static void end(void)
{
    channel_free(&channel);
    channel_paths_close();
}

/* Of a message: it is taken, or, if it is an offer that nobody wants, refused. */
static void over(void *request, ucs_status_t status, void *user_data)
{
    UNIT_CHECK(*(const ucs_status_t *) user_data == status, "%s", ucs_status_string(status));
    if (NULL != request) {
        ucp_request_free(request);
    }
}

/* Send what anybody may send, over a path, and let it come. Offers are refused. */
static void say(unsigned path, unsigned id, const void *header, size_t header_length,
                const void *data, size_t length, unsigned flags)
{
    static ucs_status_t taken = UCS_OK, refused = UCS_ERR_CANCELED;
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_USER_DATA
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = flags,
                                 .cb.send = over,
                                 .user_data = UCP_AM_SEND_FLAG_RNDV == flags ? &refused : &taken};
    ucs_status_ptr_t request;

    mca_part_ucx_path_lock(&mca_part_ucx_paths.path[path]);
    request = ucp_am_send_nbx(fakeucx_endpoint(path), id, header, header_length, data, length,
                              &param);
    mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[path]);
    assert_false(UCS_PTR_IS_ERR(request));
    drive();
}

static mca_part_ucx_data_header_t data_header(uint32_t epoch, uint32_t segment, uint32_t count)
{
    return (mca_part_ucx_data_header_t) {.key = channel.recv->super.key,
                                         .nonce = channel.recv->super.nonce,
                                         .epoch = epoch,
                                         .segment = segment,
                                         .count = count};
}

static mca_part_ucx_event_t event_to_send(uint32_t epoch)
{
    return (mca_part_ucx_event_t) {.key = channel.send->super.key,
                                   .nonce = channel.send->super.nonce,
                                   .from = channel.recv->super.key,
                                   .epoch = epoch};
}

static bool is_untouched(void)
{
    static const unsigned char nothing[20000];

    return 0 == memcmp(nothing, channel.target, channel.plan.total);
}

static void start_both(uint32_t epoch)
{
    channel_start(&channel.recv->super);
    channel_start(&channel.send->super);
    for (uint32_t i = 0; i < channel.plan.send_partitions; ++i) {
        channel_fill(&channel, epoch, i);
    }
    drive();
}

static void finish_both(uint32_t epoch)
{
    channel_finish(&channel.recv->super);
    channel_finish(&channel.send->super);
    for (uint32_t i = 0; i < channel.plan.recv_partitions; ++i) {
        assert_true(channel_is_there(&channel, epoch, i));
    }
}

static void whole_epoch(uint32_t epoch)
{
    start_both(epoch);
    assert_int_equal(MPI_SUCCESS,
                     channel_pready(&channel, 0, channel.plan.send_partitions - 1));
    finish_both(epoch);
}

/* With a key and a nonce of which one at least is wrong. */
static void strangers_are_not_heard(void **state)
{
    static const unsigned char junk[64] = {0x77};
    unit_random_t random = unit_stream(1);
    uint64_t said = 0;

    (void) state;
    begin(&small);
    start_both(1);
    for (unsigned i = 0; i < unit_repeat(2000); ++i) {
        mca_part_ucx_data_header_t head = data_header(1, unit_below(&random, 9), 1);
        mca_part_ucx_event_t event = event_to_send(2);
        bool key_is_right = 0 == unit_below(&random, 2);
        uint32_t wrong = 1u << unit_below(&random, 32);

        event.reason = PART_UCX_END_FREED;
        head.nonce ^= key_is_right ? wrong : 0;
        event.nonce ^= key_is_right ? wrong : 0;
        head.key ^= key_is_right ? 0 : (uint64_t) (0x80000000u | wrong) << 32;
        event.key ^= key_is_right ? 0 : (uint64_t) (0x80000000u | wrong) << 32;
        say(unit_below(&random, PATHS), PART_UCX_AM_DATA, &head, sizeof(head), junk, sizeof(junk),
            0);
        say(0, PART_UCX_AM_OFFER, &head, sizeof(head), junk, sizeof(junk), UCP_AM_SEND_FLAG_RNDV);
        say(unit_below(&random, PATHS), PART_UCX_AM_PLACED, &head, sizeof(head), NULL, 0, 0);
        say(unit_below(&random, PATHS), PART_UCX_AM_READY, &event, sizeof(event), NULL, 0, 0);
        say(unit_below(&random, PATHS), PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
        said += 5;
    }
    /* Of no length that a header has. */
    for (size_t length = 0; length < sizeof(mca_part_ucx_data_header_t); ++length, said += 2) {
        say(0, PART_UCX_AM_DATA, junk, length, junk, 8, 0);
        say(0, PART_UCX_AM_END, junk, length, NULL, 0, 0);
    }
    say(0, PART_UCX_AM_DATA, junk, sizeof(junk), junk, 8, 0);
    say(0, PART_UCX_AM_END, junk, sizeof(junk), NULL, 0, 0);
    said += 2;
    assert_int_equal(said, new_strays());
    assert_int_equal(0, new_repeats());
    assert_true(is_untouched());
    for (uint32_t i = 0; i < small.recv_partitions; ++i) {
        assert_false(channel_parrived(&channel, i, i));
    }
    assert_int_equal(MPI_SUCCESS, atomic_load(&channel.recv->super.error));
    assert_int_equal(MPI_SUCCESS, atomic_load(&channel.send->super.error));
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, small.send_partitions - 1));
    finish_both(1);
    end();
}

/* What was under way to a channel that is gone is late, but no stranger's. */
static void late_messages_are_no_strangers(void **state)
{
    mca_part_ucx_data_header_t head;

    (void) state;
    begin(&small);
    whole_epoch(1);
    head = data_header(1, 0, 2);
    channel_free(&channel);
    say(0, PART_UCX_AM_PLACED, &head, sizeof(head), NULL, 0, 0);
    assert_int_equal(0, new_strays());
    head.key ^= UINT64_C(1) << 63;
    say(0, PART_UCX_AM_PLACED, &head, sizeof(head), NULL, 0, 0);
    assert_int_equal(1, new_strays());
    channel_paths_close();
}

/* Two processes, or two channels of one, do not begin with the same key or nonce. */
static void keys_begin_anywhere(void **state)
{
    uint64_t keys[16], nonces = 0;

    (void) state;
    for (unsigned i = 0; i < 16; ++i) {
        begin(&small); /* a table of its own */
        keys[i] = channel.send->super.key;
        nonces |= channel.send->super.nonce ^ channel.recv->super.nonce;
        for (unsigned j = 0; j < i; ++j) {
            assert_true(keys[i] >> 32 != keys[j] >> 32);
        }
        end();
    }
    assert_true(__builtin_popcountll(nonces) > 16);
}

/* A unit comes again while others are missing: the receive must not count it, nor change what the
 * program has been told is its own. Over its path, and over another. */
static void data_come_once(void **state)
{
    static unsigned char other[128];

    (void) state;
    begin(&small);
    for (uint32_t epoch = 1; epoch < 4; ++epoch) {
        mca_part_ucx_data_header_t head = data_header(epoch, 0, 2);

        start_both(epoch);
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, 1));
        drive();
        assert_true(channel_parrived(&channel, 0, 1));
        memset(channel.target, 0x55, 128); /* the program's */
        channel.recv->writable = true;     /* as over shared memory */
        for (unsigned i = 0; i < 10; ++i) {
            say(i % PATHS, PART_UCX_AM_DATA, &head, sizeof(head), other, sizeof(other), 0);
            say(i % PATHS, PART_UCX_AM_PLACED, &head, sizeof(head), NULL, 0, 0);
            head.count = 1 + i % 2; /* or a part of it */
            say(0, PART_UCX_AM_PLACED, &head, sizeof(head), NULL, 0, 0);
            head.count = 2;
        }
        assert_int_equal(30, new_repeats());
        channel.recv->writable = false;
        if (epoch > 1) {
            head.epoch = epoch - 1;
            say(0, PART_UCX_AM_DATA, &head, sizeof(head), other, sizeof(other), 0);
            assert_int_equal(1, new_repeats());
        }
        for (unsigned i = 0; i < 128; ++i) {
            assert_int_equal(0x55, channel.target[i]);
        }
        assert_false(channel_complete(&channel.recv->super));
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 2, 7));
        channel_finish(&channel.recv->super);
        channel_finish(&channel.send->super);
        assert_true(channel_is_there(&channel, epoch, 7));
    }
    assert_int_equal(0, new_strays());
    end();
}

/* READY of an epoch once more must not open the gate of the next one. */
static void ready_comes_once(void **state)
{
    mca_part_ucx_event_t event;

    (void) state;
    begin(&small);
    for (uint32_t epoch = 1; epoch < 5; ++epoch) {
        whole_epoch(epoch);
        event = event_to_send(epoch);
        for (unsigned i = 0; i < 3; ++i) {
            say(i % PATHS, PART_UCX_AM_READY, &event, sizeof(event), NULL, 0, 0);
        }
        event.epoch = epoch + 2; /* never said so early */
        say(0, PART_UCX_AM_READY, &event, sizeof(event), NULL, 0, 0);
        assert_int_equal(4, new_repeats());
        event.epoch = epoch + 1;
        event.from ^= UINT64_C(1) << 40; /* of a receive that is not ours */
        say(0, PART_UCX_AM_READY, &event, sizeof(event), NULL, 0, 0);
        assert_int_equal(1, new_strays());
        event.from = 0; /* of none: a send that has met nobody has that for its peer */
        say(0, PART_UCX_AM_READY, &event, sizeof(event), NULL, 0, 0);
        assert_int_equal(1, new_strays());
    }
    /* The send starts, the receive does not: nothing may leave. */
    channel_start(&channel.send->super);
    assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, small.send_partitions - 1));
    drive();
    assert_int_equal(small.send_partitions, atomic_load(&channel.send->remaining));
    for (uint32_t i = 0; i < small.send_partitions; ++i) {
        channel_fill(&channel, 5, i);
    }
    channel_start(&channel.recv->super);
    finish_both(5);
    end();
}

/* An offer once more, of an epoch that is being fetched, that has come, or that has not begun. */
static void offers_come_once(void **state)
{
    mca_part_ucx_data_header_t head;

    (void) state;
    begin(&large);
    whole_epoch(1);
    for (uint32_t epoch = 2; epoch < 5; ++epoch) {
        unsigned held;

        channel_start(&channel.send->super); /* its offer is kept */
        for (uint32_t i = 0; i < large.send_partitions; ++i) {
            channel_fill(&channel, epoch, i);
        }
        assert_int_equal(MPI_SUCCESS, channel_pready(&channel, 0, large.send_partitions - 1));
        drive();
        head = data_header(epoch, 0, large.send_partitions);
        held = fakeucx_in_flight();
        for (unsigned i = 0; i < 20; ++i) {
            say(0, PART_UCX_AM_OFFER, &head, sizeof(head), channel.source, large.total,
                UCP_AM_SEND_FLAG_RNDV);
        }
        assert_int_equal(held, fakeucx_in_flight()); /* none is kept */
        assert_int_equal(20, new_repeats());
        channel_start(&channel.recv->super);
        fakeucx_stopped = true; /* it is being fetched */
        (void) mca_part_ucx_path_drive(&mca_part_ucx_paths.path[0], false);
        fakeucx_stopped = false;
        say(0, PART_UCX_AM_OFFER, &head, sizeof(head), channel.source, large.total,
            UCP_AM_SEND_FLAG_RNDV);
        finish_both(epoch);
        say(0, PART_UCX_AM_OFFER, &head, sizeof(head), channel.source, large.total,
            UCP_AM_SEND_FLAG_RNDV);
        assert_int_equal(2, new_repeats());
        assert_int_equal(0, atomic_load(&channel.recv->fetching));
    }
    end();
}

/* END says the same twice: it is heard once. What an end of another channel says is not. */
static void ends_come_once(void **state)
{
    mca_part_ucx_event_t event;

    (void) state;
    begin(&small);
    whole_epoch(1);
    event = event_to_send(1);
    event.reason = PART_UCX_END_FREED;
    event.from ^= UINT64_C(1) << 40;
    say(0, PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
    event.from ^= UINT64_C(1) << 40;
    event.reason = 0;
    say(0, PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
    event.reason = PART_UCX_END_REVOKED + 1;
    say(0, PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
    assert_int_equal(3, new_strays());
    assert_true(0 == atomic_load(&channel.send->super.said.from));
    whole_epoch(2);
    event.epoch = 2;
    event.reason = PART_UCX_END_FREED;
    say(0, PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
    assert_int_equal(0, new_repeats());
    event.reason = PART_UCX_END_REVOKED; /* else it would fail at once */
    say(0, PART_UCX_AM_END, &event, sizeof(event), NULL, 0, 0);
    assert_int_equal(1, new_repeats());
    assert_int_equal(PART_UCX_MATCHED, mca_part_ucx_channel_state(&channel.send->super));
    end();
}

static mca_part_ucx_verdict_t judge_piece(uint32_t piece, unsigned path, uint64_t length)
{
    mca_part_ucx_data_header_t head = data_header(1, piece, 1);
    uint64_t offset;

    return mca_part_ucx_recv_judge(channel.recv, &mca_part_ucx_paths.path[path], &head, &length,
                                   &offset);
}

/* Pieces of a link come over any path, each once. */
static void pieces_come_once(void **state)
{
    mca_part_ucx_arrivals_t *arrivals;

    (void) state;
    begin(&small);
    arrivals = atomic_exchange(&channel.recv->arrivals, NULL); /* as if it were a link */
    channel.recv->came = calloc(small.send_partitions, sizeof(*channel.recv->came));
    channel.recv->super.piece = (const mca_part_ucx_piece_t *) (const void *) &small;
    atomic_store(&channel.recv->super.epoch, 1);
    for (uint32_t i = 0; i < small.send_partitions; ++i) {
        assert_int_equal(PART_UCX_TAKE, judge_piece(i, i % PATHS, 64));
        assert_int_equal(PART_UCX_REPEATED, judge_piece(i, i & 1, 64));
        assert_int_equal(PART_UCX_WRONG, judge_piece(i, 0, 63));
    }
    channel.recv->super.piece = NULL;
    atomic_store(&channel.recv->super.epoch, 0);
    atomic_store(&channel.recv->arrivals, arrivals);
    end();
}

/* ---- what is wrong though it has key and nonce ---- */

typedef struct {
    uint32_t epoch, segment, count, length, path;
} misfit_t;

/* A message for a receive that has started: where it says that it belongs is not written to,
 * whatever it says; and the receive does not wait for ever. */
static void expect_wrong(const misfit_t *misfit, unsigned id, unsigned flags)
{
    static const unsigned char junk[256] = {0x77};
    mca_part_ucx_data_header_t head;

    begin(&small);
    channel_start(&channel.recv->super);
    head = data_header(misfit->epoch, misfit->segment, misfit->count);
    say(misfit->path, id, &head, sizeof(head), junk, misfit->length, flags);
    assert_true(is_untouched());
    assert_int_equal(MPI_ERR_INTERN, atomic_load(&channel.recv->super.error));
    for (unsigned turn = 0; turn < 100 && !channel_complete(&channel.recv->super); ++turn) {
        channel_watch();
        channel_progress();
    }
    assert_int_equal(MPI_ERR_INTERN, channel_outcome(&channel.recv->super));
    end();
}

static void what_does_not_fit_is_not_used(void **state)
{
    static const misfit_t wrong[] = {
        {2, 0, 2, 128, 0},          {1, 0, 0, 0, 0},           {1, 8, 1, 64, 0},
        {1, UINT32_MAX, 2, 128, 0}, {1, 0, UINT32_MAX, 64, 0}, {1, 7, 2, 128, 1},
        {1, 0, 2, 127, 0},          {1, 0, 2, 129, 0},         {1, 0, 2, 0, 0},
        {0, 0, 2, 128, 0},
    };
    static const misfit_t good = {1, 0, 2, 128, 0}, placed = {1, 0, 2, 0, 0};

    (void) state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        expect_wrong(&wrong[i], PART_UCX_AM_DATA, 0);
        expect_wrong(&wrong[i], PART_UCX_AM_OFFER, UCP_AM_SEND_FLAG_RNDV);
    }
    /* Nobody may write into the buffer of a receive whose data are messages. */
    expect_wrong(&placed, PART_UCX_AM_PLACED, 0);
    /* An OFFER is a rendezvous, and nothing else is. */
    expect_wrong(&good, PART_UCX_AM_OFFER, 0);
    expect_wrong(&good, PART_UCX_AM_DATA, UCP_AM_SEND_FLAG_RNDV);
    expect_wrong(&placed, PART_UCX_AM_PLACED, UCP_AM_SEND_FLAG_RNDV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_are_not_heard),
        cmocka_unit_test(late_messages_are_no_strangers),
        cmocka_unit_test(keys_begin_anywhere),
        cmocka_unit_test(data_come_once),
        cmocka_unit_test(ready_comes_once),
        cmocka_unit_test(offers_come_once),
        cmocka_unit_test(ends_come_once),
        cmocka_unit_test(pieces_come_once),
        cmocka_unit_test(what_does_not_fit_is_not_used),
    };

    return UNIT_RUN(tests);
}
