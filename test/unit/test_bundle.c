/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Bundles of links on the made-up network: pieces of any size that lie anywhere are marked in any
 * order, and what is queued together leaves together. Then bundles that nobody should have sent:
 * they are refused, whatever is wrong with them.
 */
#include "unit.h"

#include "line.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 9000 };

/* ---- what leaves together ---- */

/* All are marked, then READY comes: one message, or as few as the limits allow. */
static void expect_messages(uint32_t count, const uint64_t *bytes, uint64_t messages)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    uint64_t total = 0;

    channel_paths_open(3, &network);
    line_make(count, bytes);
    mca_part_ucx_channel_start_met(&line.send->super);
    for (uint32_t i = 0; i < count; ++i) {
        total += bytes[i];
        line_mark(i);
    }
    line_drive(10);
    assert_int_equal(0, LINE_COUNTED(messages)); /* nothing leaves before READY */
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_finish(1);
    assert_int_equal(messages, LINE_COUNTED(messages));
    assert_int_equal(count, LINE_COUNTED(units));
    assert_int_equal(total, LINE_COUNTED(bytes));
    line_free();
    channel_paths_close();
}

static void queued_pieces_leave_together(void **state)
{
    static const uint64_t one[] = {100};
    static const uint64_t nothing[] = {0};
    static const uint64_t few[] = {100, 0, 200, 8, 0};
    static const uint64_t with_large[] = {100, 5000, 8};
    static const uint64_t full[] = {2048, 2032, 8}; /* 4096 with the list, and one more */
    uint64_t many[LINE_MOST_PIECES] = {0};

    (void) state;
    expect_messages(1, one, 1);
    expect_messages(1, nothing, 1);
    expect_messages(5, few, 1);
    expect_messages(3, with_large, 2);
    expect_messages(3, full, 2);
    expect_messages(LINE_MOST_PIECES, many, 2); /* PART_UCX_BUNDLE_MOST */
}

/* Operations are shared with sends whose data have gaps: packing writes up to so many bytes more
 * than a unit has, because it begins with a whole element. */
enum { PACKED_BEYOND = 31 };

static unsigned look_at_staging(void)
{
    unsigned bundles = 0;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        for (const mca_part_ucx_op_t *op = mca_part_ucx_paths.path[i].free_ops; NULL != op;
             op = op->next) {
            if (NULL != op->staging) {
                ++bundles;
                assert_true(malloc_usable_size(op->staging) >= op->staging_size + PACKED_BEYOND);
            }
        }
    }
    return bundles;
}

static void room_for_packing(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t bytes[] = {1000, 1000};

    (void) state;
    channel_paths_open(1, &network);
    line_make(2, bytes);
    mca_part_ucx_channel_start_met(&line.send->super);
    line_mark(0);
    line_mark(1);
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_finish(1);
    assert_int_equal(1, look_at_staging());
    line_free();
    channel_paths_close();
}

/* What is marked while the link runs does not wait for what is not. */
static void nobody_waits(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true};
    static const uint64_t bytes[] = {64, 64, 64};

    (void) state;
    channel_paths_open(2, &network);
    line_make(3, bytes);
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    line_drive(50);
    for (uint32_t i = 0; i < 3; ++i) {
        line_mark(i);
        line_drive(200);
        assert_int_equal(1, atomic_load(&line.arrived[i]));
        assert_int_equal(i + 1, LINE_COUNTED(messages));
    }
    line_finish(1);
    line_free();
    channel_paths_close();
}

/* ---- any pieces ---- */

static uint64_t any_size(unit_random_t *random)
{
    switch (unit_below(random, 4)) {
    case 0:
        return 0;
    case 1:
        return unit_below(random, MOST_BYTES);
    default:
        return unit_below(random, 600);
    }
}

static void run_epoch(unit_random_t *random, uint32_t epoch)
{
    bool late = 0 != unit_below(random, 2);

    unit_order(random, line.order, line.count);
    for (int turn = 0; turn < 2; ++turn) {
        mca_part_ucx_channel_start_met((0 == turn) == late ? &line.send->super
                                                           : &line.recv->super);
        line_drive(unit_below(random, 3));
    }
    for (uint32_t i = 0; i < line.count; ++i) {
        line_mark(line.order[i]);
        line_drive(unit_below(random, 8) / 7);
    }
    line_finish(epoch);
}

/* One piece of each epoch: on which path did it leave? */
static unsigned path_of_epoch(uint32_t epoch)
{
    uint64_t before[4];
    unsigned found = 4;

    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    line_drive(100); /* READY is another message */
    for (unsigned i = 0; i < 4; ++i) {
        before[i] = fakeucx_counts(i).messages;
    }
    line_mark(0);
    line_finish(epoch);
    for (unsigned i = 0; i < 4; ++i) {
        found = before[i] != fakeucx_counts(i).messages ? i : found;
    }
    return found;
}

/* What leaves alone takes another path in each epoch, and links that begin with different ones take
 * different ones in the same epoch. */
static void paths_take_turns(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t bytes[] = {64};
    unsigned path[2][4];

    (void) state;
    for (unsigned first = 0; first < 2; ++first) {
        channel_paths_open(4, &network);
        line_make(1, bytes);
        line.send->first = (uint8_t) first;
        for (uint32_t epoch = 1; epoch <= 4; ++epoch) {
            path[first][epoch - 1] = path_of_epoch(epoch);
            assert_true(path[first][epoch - 1] < 4);
        }
        line_free();
        channel_paths_close();
    }
    for (unsigned i = 0; i < 4; ++i) {
        assert_int_equal((path[0][i] + 1) % 4, path[1][i]);
        assert_int_equal((path[0][0] + i) % 4, path[0][i]);
    }
}

static void any_pieces(void **state)
{
    unit_random_t random = unit_stream(1);
    uint64_t units = 0, messages = 0;

    (void) state;
    for (uint32_t round = unit_repeat(300); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random),
                                     .at_once = 50 * unit_below(&random, 3),
                                     .lazy = 20 * unit_below(&random, 3)};
        uint64_t bytes[LINE_MOST_PIECES];
        uint32_t count = 1 + unit_below(&random, LINE_MOST_PIECES);

        for (uint32_t i = 0; i < count; ++i) {
            bytes[i] = any_size(&random);
        }
        channel_paths_open(1 + unit_below(&random, 4), &network);
        mca_part_ucx_params.window = 0 == unit_below(&random, 3) ? 4096 : 524288;
        line_make(count, bytes);
        for (uint32_t epoch = 1; epoch <= 3; ++epoch) {
            run_epoch(&random, epoch);
        }
        units += LINE_COUNTED(units);
        messages += LINE_COUNTED(messages);
        line_free();
        channel_paths_close();
    }
    assert_true(messages < units / 2); /* else nothing much has been tested */
}
/* ---- threads ---- */

enum { MARKERS = 3 };

static void mark_some(unsigned index, void *context)
{
    (void) context;
    if (MARKERS == index) {
        for (unsigned i = 0; i < 100; ++i) {
            channel_progress();
        }
        return;
    }
    for (uint32_t i = index; i < line.count; i += MARKERS) {
        line_mark(i);
        if (0 == i % 4) {
            mca_part_ucx_paths_drive_pushed();
        }
    }
    mca_part_ucx_paths_drive_pushed();
}

static void many_threads(void **state)
{
    unit_random_t random = unit_stream(2);

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random), .at_once = 30};
        uint64_t bytes[LINE_MOST_PIECES];

        for (uint32_t i = 0; i < LINE_MOST_PIECES; ++i) {
            bytes[i] = unit_below(&random, 200);
        }
        channel_paths_open(1 + unit_below(&random, 3), &network);
        line_make(LINE_MOST_PIECES, bytes);
        for (uint32_t epoch = 1; epoch <= 2; ++epoch) {
            mca_part_ucx_channel_start_met(&line.send->super);
            mca_part_ucx_channel_start_met(&line.recv->super);
            unit_threads(MARKERS + 1, mark_some, NULL);
            line_finish(epoch);
        }
        line_free();
        channel_paths_close();
    }
}

/* ---- what is no bundle of this link ---- */

enum { LISTED = 3 };

static const uint64_t listed[LISTED] = {16, 0, 40};

typedef struct bundle_t {
    mca_part_ucx_data_header_t header;
    mca_part_ucx_bundled_t entry[LISTED];
    char bytes[56];
} bundle_t;

static bundle_t good_bundle(void)
{
    bundle_t bundle = {.header = {.epoch = 1, .segment = 2, .count = LISTED},
                       .entry = {{2, 40}, {1, 0}, {0, 16}}};

    bundle.header.key = line.recv->super.key;
    bundle.header.nonce = line.recv->super.nonce;
    for (uint32_t i = 0; i < 40; ++i) {
        bundle.bytes[i] = (char) line_byte(2, 1, i);
    }
    for (uint32_t i = 0; i < 16; ++i) {
        bundle.bytes[40 + i] = (char) line_byte(0, 1, i);
    }
    return bundle;
}

static void ignore(void *request, ucs_status_t status, void *user_data)
{
    (void) status, (void) user_data;
    if (NULL != request) {
        ucp_request_free(request);
    }
}

static void say(const bundle_t *bundle, size_t length, unsigned flags)
{
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK
                                                 | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = flags,
                                 .cb.send = ignore};

    mca_part_ucx_path_lock(&mca_part_ucx_paths.path[0]);
    (void) ucp_am_send_nbx(fakeucx_endpoint(0), PART_UCX_AM_BUNDLE, &bundle->header,
                           sizeof(bundle->header), bundle->entry, length, &param);
    mca_part_ucx_path_unlock(&mca_part_ucx_paths.path[0]);
    line_drive(50);
}

static void begin_listed(void)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};

    channel_paths_open(1, &network);
    line_make(LISTED, listed);
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_drive(20);
}

static void end_listed(void)
{
    line_free();
    channel_paths_close();
}

static bool is_untouched(void)
{
    for (uint32_t i = 0; i < LISTED; ++i) {
        for (uint64_t j = 0; j < listed[i]; ++j) {
            if (0 != line_memory(&line.target[i])[j]) {
                return false;
            }
        }
        if (0 != atomic_load(&line.arrived[i])) {
            return false;
        }
    }
    return true;
}

static void good_ones_are_taken_once(void **state)
{
    uint64_t repeats = atomic_load(&mca_part_ucx_process.repeats);
    bundle_t bundle;

    (void) state;
    begin_listed();
    bundle = good_bundle();
    bundle.header.count = 2; /* its third piece is missing yet */
    bundle.entry[2] = (mca_part_ucx_bundled_t) {0, 0};
    memmove(&bundle.entry[2], bundle.bytes, 40);
    say(&bundle, 2 * sizeof(bundle.entry[0]) + 40, 0);
    assert_int_equal(1, atomic_load(&line.recv->remaining));
    bundle = good_bundle(); /* two have come before */
    say(&bundle, sizeof(bundle.entry) + 56, 0);
    assert_int_equal(repeats + 2, atomic_load(&mca_part_ucx_process.repeats));
    assert_int_equal(1, atomic_load(&line.recv_finished));
    say(&bundle, sizeof(bundle.entry) + 56, 0);
    assert_int_equal(repeats + 3, atomic_load(&mca_part_ucx_process.repeats));
    assert_int_equal(PART_UCX_MATCHED, mca_part_ucx_channel_state(&line.recv->super));
    assert_false(unit_thread_failed());
    for (uint32_t i = 0; i < LISTED; ++i) {
        assert_true(line_is_there(i, 1));
    }
    end_listed();
}

/* A piece that is twice in one bundle is taken once. */
static void twins_are_one(void **state)
{
    bundle_t bundle;

    (void) state;
    begin_listed();
    bundle = good_bundle();
    bundle.header.segment = 1;
    bundle.entry[0] = bundle.entry[2] = (mca_part_ucx_bundled_t) {1, 0};
    say(&bundle, sizeof(bundle.entry), 0);
    assert_int_equal(2, atomic_load(&line.recv->remaining));
    assert_false(unit_thread_failed());
    end_listed();
}

static void strangers_are_not_heard(void **state)
{
    uint64_t strays = atomic_load(&mca_part_ucx_process.strays);
    bundle_t bundle;

    (void) state;
    begin_listed();
    bundle = good_bundle();
    bundle.header.nonce ^= 1;
    say(&bundle, sizeof(bundle.entry) + 56, 0);
    bundle = good_bundle();
    bundle.header.key ^= UINT64_C(0x80000000) << 32;
    say(&bundle, sizeof(bundle.entry) + 56, 0);
    assert_int_equal(strays + 2, atomic_load(&mca_part_ucx_process.strays));
    assert_true(is_untouched());
    end_listed();
}

/* Its receive fails: a defect must not leave it waiting. */
static void expect_refused(const bundle_t *bundle, size_t length, unsigned flags)
{
    say(bundle, length, flags);
    assert_true(is_untouched());
    assert_int_equal(MPI_ERR_INTERN, atomic_load(&line.recv->super.error));
    end_listed();
}

static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        size_t offset; /* of 32 bits of the bundle */
        uint32_t value;
    } wrong[] = {{offsetof(bundle_t, header.epoch), 3},
                 {offsetof(bundle_t, header.epoch), 0},
                 {offsetof(bundle_t, header.segment), 1},
                 {offsetof(bundle_t, header.count), 0},
                 {offsetof(bundle_t, header.count), 1},
                 {offsetof(bundle_t, header.count), 2},
                 {offsetof(bundle_t, header.count), 4},
                 {offsetof(bundle_t, header.count), PART_UCX_BUNDLE_MOST + 1},
                 {offsetof(bundle_t, header.count), UINT32_MAX},
                 {offsetof(bundle_t, entry[1].piece), LISTED},
                 {offsetof(bundle_t, entry[2].piece), UINT32_MAX},
                 {offsetof(bundle_t, entry[1].length), 1},
                 {offsetof(bundle_t, entry[2].length), 15},
                 {offsetof(bundle_t, entry[2].length), UINT32_MAX}};
    bundle_t bundle;

    (void) state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        begin_listed();
        bundle = good_bundle();
        memcpy((char *) &bundle + wrong[i].offset, &wrong[i].value, sizeof(wrong[i].value));
        expect_refused(&bundle, sizeof(bundle.entry) + 56, 0);
    }
    for (size_t length = 0; length < sizeof(bundle.entry) + 56; ++length) {
        begin_listed();
        bundle = good_bundle();
        expect_refused(&bundle, length, 0);
    }
    begin_listed();
    bundle = good_bundle();
    expect_refused(&bundle, sizeof(bundle.entry) + 56, UCP_AM_SEND_FLAG_RNDV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queued_pieces_leave_together),
        cmocka_unit_test(room_for_packing),
        cmocka_unit_test(nobody_waits),
        cmocka_unit_test(paths_take_turns),
        cmocka_unit_test(any_pieces),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(good_ones_are_taken_once),
        cmocka_unit_test(twins_are_one),
        cmocka_unit_test(strangers_are_not_heard),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return UNIT_RUN(tests);
}
