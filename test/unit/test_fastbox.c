/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fast boxes of a link, both ends in this process: pieces reach their places and are reported once,
 * after their bytes, in any order and by any thread; nothing is put beyond the credit; who sleeps
 * is woken; a sender that cannot view the boxes does without; what has failed stays away.
 */
#include "ompi_config.h"

#include "unit.h"

#include "line.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_fastbox.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static const fakeucx_options_t network = {.seed = 1};

static char *area;

/* As set-up leaves it. `viewed`: the sender can reach the boxes. */
static void make(uint32_t count, const uint64_t *bytes, bool viewed)
{
    mca_part_ucx_targets_t *targets = calloc(1, sizeof(*targets));
    uint64_t largest = 0, total = 0, size;

    line_make(count, bytes);
    for (uint32_t i = 0; i < count; ++i) {
        largest = bytes[i] > largest ? bytes[i] : largest;
        total += bytes[i];
    }
    mca_part_ucx_params.shared_eager_limit = 16384;
    size = mca_part_ucx_fastbox_bytes(count, largest, total);
    assert_int_not_equal(0, size);
    area = aligned_alloc(PART_UCX_BOXES_LINE, size);
    assert_non_null(area);
    memset(area, 0, size);
    assert_true(mca_part_ucx_fastbox_make(line.recv, (uint64_t) (uintptr_t) area));
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_credit_build(line.recv));
    mca_part_ucx_fastbox_build(line.recv);
    assert_int_equal((uintptr_t) area, mca_part_ucx_fastbox_offer(line.recv));
    line.send->credit = mca_part_ucx_credit_epochs(line.recv);
    line.send->endpoint[0]->peer = line.send->super.peer;
    assert_non_null(targets);
    targets->view = (mca_part_ucx_shm_view_t) {
        .base = (uint64_t) (uintptr_t) area, .bytes = size, .here = viewed ? area : NULL};
    line.send->targets = targets;
    mca_part_ucx_fastbox_attach(line.send, mca_part_ucx_fastbox_offer(line.recv));
    assert_int_equal(viewed, mca_part_ucx_send_is_boxed(line.send));
    mca_part_ucx_delivery_prepare(line.send);
}

static void drop(void)
{
    mca_part_ucx_fastbox_end(line.recv);
    line.send->targets->view.here = NULL; /* it was not mapped */
    line_free();
    free(area);
}

static const mca_part_ucx_boxed_t *boxed(void)
{
    return line.recv->boxed;
}

static mca_part_ucx_path_t *its_path(void)
{
    return line.recv->endpoint->path;
}

/* ---- which links ---- */

static void small_links_have_boxes(void **state)
{
    (void) state;
    channel_paths_open(1, &network);
    mca_part_ucx_params.shared_eager_limit = 16384;
    assert_int_equal(64 + 16 * 64, mca_part_ucx_fastbox_bytes(1, 0, 0));
    assert_int_equal(64 + 16 * 64, mca_part_ucx_fastbox_bytes(1, 56, 56));
    assert_int_equal(64 + 16 * 128, mca_part_ucx_fastbox_bytes(1, 57, 57));
    assert_int_equal(64 + 16 * 16 * 64, mca_part_ucx_fastbox_bytes(16, 8, 128));
    assert_int_equal(64 + 8 * 4160, mca_part_ucx_fastbox_bytes(1, 4096, 4096));
    assert_int_equal(0, mca_part_ucx_fastbox_bytes(17, 8, 136));
    assert_int_equal(0, mca_part_ucx_fastbox_bytes(1, 8192, 8192));
    assert_int_equal(0, mca_part_ucx_fastbox_bytes(16, 512, 1000)); /* as large as the largest */
    assert_int_equal(0, mca_part_ucx_fastbox_bytes(1, UINT64_MAX, UINT64_MAX));
    mca_part_ucx_params.shared_eager_limit = 0; /* the user wants no messages that carry bytes */
    assert_int_equal(0, mca_part_ucx_fastbox_bytes(1, 8, 8));
    channel_paths_close();
}

/* A peer may say what it likes: what is not a line of the view, or too much for boxes, is refused.
 */
static void what_is_offered_is_checked(void **state)
{
    static const uint64_t bytes[] = {64, 64};
    uint64_t offer;

    (void) state;
    channel_paths_open(1, &network);
    make(2, bytes, true);
    offer = mca_part_ucx_fastbox_offer(line.recv);
    for (uint64_t off = 1; off <= 64; off *= 2) {
        line.send->targets->boxes.area = NULL;
        mca_part_ucx_fastbox_attach(line.send, offer + off);
        assert_false(mca_part_ucx_send_is_boxed(line.send));
        mca_part_ucx_fastbox_attach(line.send, offer - off);
        assert_false(mca_part_ucx_send_is_boxed(line.send));
    }
    for (uint64_t large = 4096; 0 != large; large *= 2) {
        line.source[1].bytes = large - sizeof(mca_part_ucx_box_t);
        mca_part_ucx_fastbox_attach(line.send, offer);
        assert_false(mca_part_ucx_send_is_boxed(line.send));
    }
    line.source[1].bytes = 64;
    mca_part_ucx_fastbox_attach(line.send, offer);
    assert_true(mca_part_ucx_send_is_boxed(line.send));
    drop();
    channel_paths_close();
}

/* One that never meets its other end has no path yet. */
static void one_that_meets_nobody_ends(void **state)
{
    static const uint64_t bytes[] = {8};
    mca_part_ucx_endpoint_t *endpoint;

    (void) state;
    channel_paths_open(1, &network);
    make(1, bytes, true);
    endpoint = line.recv->endpoint;
    line.recv->endpoint = NULL;
    mca_part_ucx_fastbox_end(line.recv);
    line.recv->endpoint = endpoint;
    drop();
    channel_paths_close();
}

/* ---- what moves ---- */

static void run(unit_random_t *random, uint32_t epochs)
{
    uint32_t left = 0;

    for (unsigned i = 0; i < 400000
                         && (epochs != atomic_load(&line.send_finished)
                             || epochs != atomic_load(&line.recv_finished));
         ++i) {
        (void) line_step(random, epochs, &left);
        assert_false(unit_thread_failed());
    }
    line_finish(epochs);
}

static uint32_t choose(unit_random_t *random, uint64_t *bytes)
{
    uint32_t count = 1 + unit_below(random, 16);
    uint32_t below = 4u << unit_below(random, 6);

    for (uint32_t i = 0; i < count; ++i) {
        bytes[i] = 0 == unit_below(random, 4) ? 0 : unit_below(random, below);
    }
    return count;
}

/* No message carries data, and READY is seldom. */
static void pieces_go_into_boxes(void **state)
{
    unit_random_t random = unit_stream(21);

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        fakeucx_options_t any = {.seed = unit_random(&random),
                                 .at_once = 50 * unit_below(&random, 3)};
        const uint32_t epochs = 40;
        uint64_t bytes[16];
        uint32_t count = choose(&random, bytes);

        channel_paths_open(1 + unit_below(&random, 4), &any);
        make(count, bytes, true);
        run(&random, epochs);
        assert_int_equal(0, LINE_COUNTED(messages));
        assert_int_equal(epochs * count, LINE_COUNTED(boxed_units));
        assert_true(fakeucx_messages() <= 1 + epochs / (line.send->credit / 2));
        assert_null(boxed()->back);
        drop();
        channel_paths_close();
    }
}

/* A sender that cannot view them sends messages, and the boxes are not looked at any more. */
static void a_sender_without_a_view(void **state)
{
    unit_random_t random = unit_stream(22);

    (void) state;
    for (uint32_t round = unit_repeat(50); round > 0; --round) {
        fakeucx_options_t any = {.seed = unit_random(&random),
                                 .at_once = 50 * unit_below(&random, 3)};
        uint64_t bytes[16];
        uint32_t count = choose(&random, bytes);

        channel_paths_open(1 + unit_below(&random, 4), &any);
        make(count, bytes, false);
        run(&random, 20);
        assert_int_not_equal(0, LINE_COUNTED(messages));
        assert_false(atomic_load(&boxed()->used));
        drop();
        channel_paths_close();
    }
}

/* Nothing is put before READY lets it, nor beyond the credit, and nothing gets to its place before
 * its epoch. */
static void the_lead_is_kept(void **state)
{
    static const uint64_t bytes[] = {64};
    uint32_t credit;

    (void) state;
    channel_paths_open(2, &network);
    make(1, bytes, true);
    credit = line.send->credit;
    mca_part_ucx_channel_start_met(&line.send->super);
    line_mark(0);
    line_drive(100);
    assert_int_equal(0, atomic_load(&line.send_finished)); /* the receiver has said nothing */
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_drive(100);
    for (uint32_t epoch = 2; epoch <= credit + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.send->super);
        line_mark(0);
        line_drive(100);
        assert_int_equal(epoch < credit + 2 ? epoch : epoch - 1, atomic_load(&line.send_finished));
        assert_true(line_is_there(0, 1));
        assert_int_equal(1, atomic_load(&line.recv_finished));
    }
    for (uint32_t epoch = 2; epoch <= credit + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.recv->super);
        line_drive(100);
        assert_true(line_is_there(0, epoch));
        assert_int_equal(epoch, atomic_load(&line.recv_finished));
    }
    line_finish(credit + 2);
    drop();
    channel_paths_close();
}

/* Numbers of epochs go round; every place is used, and none twice at a time. */
static void epochs_go_round(void **state)
{
    static const uint64_t bytes[] = {64, 0, 8};
    unit_random_t random = unit_stream(23);

    (void) state;
    for (uint32_t before = 1; before < 40; ++before) {
        uint32_t epoch = UINT32_MAX - before;

        channel_paths_open(2, &network);
        make(3, bytes, true);
        line_grow_old(epoch);
        for (uint32_t i = 1; i <= 40; ++i) {
            mca_part_ucx_channel_start_met(&line.send->super);
            mca_part_ucx_channel_start_met(&line.recv->super);
            for (uint32_t piece = 0; piece < 3; ++piece) {
                line_mark(piece);
                line_drive(unit_below(&random, 3));
            }
            for (unsigned j = 0; j < 10000 && i != atomic_load(&line.recv_finished); ++j) {
                channel_progress();
            }
            assert_int_equal(i, atomic_load(&line.recv_finished));
            assert_int_equal(i, atomic_load(&line.send_finished));
            assert_false(unit_thread_failed());
        }
        drop();
        channel_paths_close();
    }
}

/* ---- that this test can fail ---- */

/* A piece that counts before its bytes are there is noticed, as is one that is put twice. */
static void what_is_wrong_is_noticed(void **state)
{
    static const uint64_t bytes[] = {16};
    mca_part_ucx_box_t *box;

    (void) state;
    channel_paths_open(1, &network);
    make(1, bytes, true);
    mca_part_ucx_channel_start_met(&line.recv->super);
    line_drive(10);
    box = mca_part_ucx_boxes_box(&boxed()->boxes, 1, 0);
    atomic_store(&box->epoch, 1); /* without its bytes */
    line_drive(10);
    assert_true(unit_thread_failed());
    unit_thread_forget();
    assert_int_equal(1, atomic_load(&line.recv_finished));
    mca_part_ucx_channel_start_met(&line.recv->super);
    atomic_store(&mca_part_ucx_boxes_box(&boxed()->boxes, 2, 0)->epoch, 1); /* of another epoch */
    line_drive(10);
    assert_int_equal(1, atomic_load(&line.recv_finished));
    mca_part_ucx_channel_finish(&line.recv->super);
    drop();
    channel_paths_close();
}

/* A message that is dropped says nothing about its sender. */
static void what_is_dropped_changes_nothing(void **state)
{
    static const uint64_t bytes[] = {16};
    mca_part_ucx_data_header_t header = {.epoch = 1, .segment = 0, .count = 1};
    uint64_t length = 16, offset;

    (void) state;
    channel_paths_open(1, &network);
    make(1, bytes, true);
    for (uint32_t epoch = 1; epoch <= 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.recv->super);
        mca_part_ucx_channel_start_met(&line.send->super);
        line_drive(10);
        if (2 == epoch) {
            assert_int_equal(PART_UCX_REPEATED, mca_part_ucx_recv_judge(line.recv, its_path(),
                                                                        &header, &length, &offset));
        }
        assert_true(atomic_load(&boxed()->used));
        line_mark(0);
        line_finish(epoch);
    }
    drop();
    channel_paths_close();
}

/* ---- sleep ---- */

static bool doze(void)
{
    bool good;

    mca_part_ucx_path_lock(its_path());
    good = mca_part_ucx_fastbox_doze(its_path());
    mca_part_ucx_path_unlock(its_path());
    return good;
}

static void who_sleeps_is_woken(void **state)
{
    static const uint64_t bytes[] = {16, 16, 16};
    uint64_t messages;

    (void) state;
    channel_paths_open(1, &network);
    make(3, bytes, true);
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    line_drive(100);
    messages = fakeucx_messages();
    line_mark(0);
    line_drive(10);
    assert_int_equal(messages, fakeucx_messages()); /* somebody looks */
    line_mark(1);
    assert_false(doze()); /* it would miss that */
    line_drive(10);
    messages = fakeucx_messages();
    assert_true(doze());
    line_mark(2);
    line_drive(10);
    assert_int_equal(messages + 1, fakeucx_messages());
    line_finish(1);
    drop();
    channel_paths_close();
}

/* ---- failure ---- */

static void what_has_failed_stays_away(void **state)
{
    static const uint64_t bytes[] = {16, 16};

    (void) state;
    channel_paths_open(1, &network);
    make(2, bytes, true);
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    line_drive(100);
    line_mark(0);
    line_drive(10);
    assert_non_null(boxed()->back);
    mca_part_ucx_channel_fail(&line.send->super, MPI_ERR_OTHER);
    assert_false(mca_part_ucx_gate_mark_piece(line.send, 1)); /* it goes nowhere */
    assert_int_equal(0, atomic_load(&mca_part_ucx_boxes_box(&boxed()->boxes, 1, 1)->epoch));
    assert_int_equal(0, atomic_load(&line.send->unit[1].marks)); /* nobody is in there */
    atomic_store(&mca_part_ucx_boxes_box(&boxed()->boxes, 1, 1)->epoch, 1);
    mca_part_ucx_channel_fail(&line.recv->super, MPI_ERR_OTHER);
    line_drive(10);
    assert_null(boxed()->back);
    assert_int_equal(0, atomic_load(&line.arrived[1]));
    mca_part_ucx_channel_finish(&line.send->super);
    mca_part_ucx_channel_finish(&line.recv->super);
    drop();
    channel_paths_close();
}

/* ---- threads ---- */

enum { EPOCHS = 200 };

/* The two ends go on as fast as they can, each in a thread; a third one makes progress, and now and
 * then goes to sleep. */
static void run_end(unsigned index, void *context)
{
    mca_part_ucx_channel_t *end = 0 == index ? &line.send->super : &line.recv->super;
    const atomic_uint *finished = 0 == index ? &line.send_finished : &line.recv_finished;

    (void) context;
    for (uint32_t epoch = 1; index < 2 && epoch <= EPOCHS; ++epoch) {
        mca_part_ucx_channel_start_met(end);
        for (uint32_t i = 0; 0 == index && i < line.count; ++i) {
            line_mark(i);
        }
        line_progress_until(finished, epoch);
    }
    while (2 == index && EPOCHS != atomic_load(finished) && !unit_thread_failed()) {
        (void) doze();
        channel_progress();
    }
    line_progress_until(&line.recv_finished, EPOCHS);
}

static void threads_run_ahead(void **state)
{
    unit_random_t random = unit_stream(24);

    (void) state;
    for (uint32_t round = unit_repeat(40); round > 0; --round) {
        fakeucx_options_t any = {.seed = unit_random(&random), .at_once = 30};
        uint64_t bytes[16];
        uint32_t count = choose(&random, bytes);

        channel_paths_open(1 + unit_below(&random, 3), &any);
        make(count, bytes, true);
        unit_threads(3, run_end, NULL);
        line_finish(EPOCHS);
        assert_int_equal(0, LINE_COUNTED(messages));
        drop();
        channel_paths_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_links_have_boxes),
        cmocka_unit_test(what_is_offered_is_checked),
        cmocka_unit_test(one_that_meets_nobody_ends),
        cmocka_unit_test(pieces_go_into_boxes),
        cmocka_unit_test(a_sender_without_a_view),
        cmocka_unit_test(the_lead_is_kept),
        cmocka_unit_test(epochs_go_round),
        cmocka_unit_test(what_is_wrong_is_noticed),
        cmocka_unit_test(what_is_dropped_changes_nothing),
        cmocka_unit_test(who_sleeps_is_woken),
        cmocka_unit_test(what_has_failed_stays_away),
        cmocka_unit_test(threads_run_ahead),
    };

    return UNIT_RUN(tests);
}
