/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links whose senders have credit, on the made-up network: they run ahead of their receivers, as
 * far as they may and no further. Nothing is placed or reported before its epoch has started there,
 * nothing twice, and READY is said when half of the credit is used up.
 */
#include "unit.h"

#include "line.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_credit_limits.h"
#include "channel/part_ucx_delivery.h"

#include "ompi/constants.h"

/* As set-up leaves it when the receiver keeps memory for epochs to come. */
static void make(uint32_t count, const uint64_t *bytes, bool network)
{
    line_make(count, bytes);
    line.recv->network = network;
    mca_part_ucx_params.eager_limit = mca_part_ucx_params.shared_eager_limit = 16384;
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_credit_build(line.recv));
}

static void make_with_credit(uint32_t count, const uint64_t *bytes, bool network)
{
    make(count, bytes, network);
    assert_non_null(line.recv->credit);
    line.send->credit = mca_part_ucx_credit_epochs(line.recv);
    mca_part_ucx_delivery_prepare(line.send);
}

/* Returns how far the sender was ahead, at most. */
static uint32_t run_ahead(unit_random_t *random, uint32_t epochs)
{
    uint32_t left = 0, most = 0;

    for (unsigned i = 0; i < 400000 && (epochs != atomic_load(&line.send_finished)
                                        || epochs != atomic_load(&line.recv_finished)); ++i) {
        uint32_t ahead = line_step(random, epochs, &left);

        most = ahead > most ? ahead : most;
        assert_false(unit_thread_failed());
    }
    line_finish(epochs);
    return most;
}

static void senders_run_ahead(void **state)
{
    unit_random_t random = unit_stream(3);
    uint32_t used_up = 0;

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random),
                                     .at_once = 50 * unit_below(&random, 3)};
        const uint32_t epochs = 80;
        uint64_t bytes[20];
        uint32_t count = 1 + unit_below(&random, 20);
        uint32_t below = 4u << unit_below(&random, 7);
        uint32_t most;

        for (uint32_t i = 0; i < count; ++i) {
            bytes[i] = 0 == unit_below(&random, 4) ? 0 : unit_below(&random, below);
        }
        channel_paths_open(1 + unit_below(&random, 4), &network);
        make_with_credit(count, bytes, 0 == round % 4);
        most = run_ahead(&random, epochs);
        /* It begins one more, and waits in it. */
        assert_true(most <= line.send->credit + 1);
        used_up += most >= line.send->credit;
        /* READY of the first epoch, and each time that half of the credit is used up. */
        assert_true(fakeucx_messages() - LINE_COUNTED(messages)
                    <= 1 + epochs / (line.send->credit / 2));
        line_free();
        channel_paths_close();
    }
    assert_true(used_up > 0);
}

/* The fewer bytes, the more credit. */
static void few_bytes_lead_far(void **state)
{
    static const fakeucx_options_t network = {.seed = 1};
    static const struct {
        uint64_t bytes;
        uint32_t network, host, boxes;
    } rows[] = {{0, 63, 63, 15}, {1, 63, 63, 15}, {260, 63, 63, 15}, {512, 63, 32, 15},
                {1024, 63, 16, 15}, {2048, 63, 8, 8}, {3000, 63, 5, 5}, {4096, 63, 4, 4},
                {8192, 62, 4, 4}, {16384, 30, 0, 0}};

    (void) state;
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); ++i) {
        bool over_network = 0 == i % 2;
        uint32_t expected = over_network ? rows[i / 2].network : rows[i / 2].host;

        channel_paths_open(1, &network);
        make(1, &rows[i / 2].bytes, over_network);
        assert_int_equal(expected, mca_part_ucx_credit_epochs(line.recv));
        /* Rows of boxes take turns. */
        assert_int_equal(rows[i / 2].boxes,
                         mca_part_ucx_credit_limits_of_boxes(1, rows[i / 2].bytes));
        line_free();
        channel_paths_close();
    }
}

/* Another link; what those before have had stays. */
static void one_more(void)
{
    atomic_store(&line.recv->credit, NULL);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_credit_build(line.recv));
}

/* What all links together keep is bounded: the more there are the less the next one has, and in the
 * end the least, or none. It comes back. */
static void expect_total(uint64_t bytes, uint32_t first, uint32_t beyond)
{
    static const fakeucx_options_t network = {.seed = 1};

    for (unsigned round = 0; round < 2; ++round) {
        uint64_t kept = 0, least = (PART_UCX_CREDIT_LEAST + 1) * (bytes + 1);
        uint32_t links = 0, before = first, epochs;

        channel_paths_open(1, &network);
        make(1, &bytes, true);
        assert_int_equal(first, mca_part_ucx_credit_epochs(line.recv));
        while ((epochs = mca_part_ucx_credit_epochs(line.recv)) > PART_UCX_CREDIT_LEAST) {
            uint64_t own = (epochs + 1) * (bytes + 1);

            assert_true(epochs <= before);
            assert_true(own <= (PART_UCX_CREDIT_LINKS_TOTAL - kept) / PART_UCX_CREDIT_LINKS_SHARE);
            kept += own;
            before = epochs;
            ++links;
            one_more();
        }
        assert_true(links > PART_UCX_CREDIT_LINKS_SHARE);
        for (; kept + least <= PART_UCX_CREDIT_LINKS_TOTAL; kept += least) {
            assert_int_equal(PART_UCX_CREDIT_LEAST, mca_part_ucx_credit_epochs(line.recv));
            one_more();
        }
        assert_int_equal(beyond, mca_part_ucx_credit_epochs(line.recv));
        line_free();
        channel_paths_close();
    }
}

static void all_links_of_a_process(void **state)
{
    (void) state;
    expect_total(8192, 62, 4);
    expect_total(16384, 30, 0);
}

/* Nothing is written before its epoch has started, nothing leaves beyond the credit, and a repeated
 * piece of a later epoch is kept once. */
static void the_lead_is_kept(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t bytes[] = {64};
    uint64_t repeats = atomic_load(&mca_part_ucx_process.repeats);
    mca_part_ucx_data_header_t header;
    unsigned char data[64] = {0};
    uint32_t credit;
    bool kept;

    (void) state;
    channel_paths_open(2, &network);
    make_with_credit(1, bytes, true);
    credit = line.send->credit;
    mca_part_ucx_channel_start_met(&line.recv->super);
    for (uint32_t epoch = 1; epoch <= credit + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.send->super);
        line_mark(0);
        line_drive(100);
        assert_int_equal(epoch < credit + 2 ? epoch : epoch - 1,
                         atomic_load(&line.send_finished));
        assert_true(line_is_there(0, 1));
        assert_int_equal(1, atomic_load(&line.recv_finished));
    }
    header = (mca_part_ucx_data_header_t) {.epoch = 3, .segment = 0, .count = 1};
    assert_int_equal(PART_UCX_REPEATED,
                     mca_part_ucx_credit_keep(line.recv, &header, data, 64, &kept));
    assert_int_equal(PART_UCX_WRONG,
                     mca_part_ucx_credit_keep(line.recv, &header, data, 63, &kept));
    header.epoch = credit + 2; /* one too far */
    assert_false(mca_part_ucx_credit_covers(line.recv, header.epoch));
    for (uint32_t epoch = 2; epoch <= credit + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.recv->super);
        line_drive(100);
        assert_true(line_is_there(0, epoch));
        assert_int_equal(epoch, atomic_load(&line.recv_finished));
    }
    assert_int_equal(repeats, atomic_load(&mca_part_ucx_process.repeats));
    line_finish(credit + 2);
    line_free();
    channel_paths_close();
}

/* Numbers of epochs go round. */
static void leads_go_round(void **state)
{
    unit_random_t random = unit_stream(4);
    static const fakeucx_options_t network = {.seed = 1};
    static const uint64_t bytes[] = {64, 0, 8};
    uint32_t epoch = UINT32_MAX - 4;

    (void) state;
    channel_paths_open(2, &network);
    make_with_credit(3, bytes, true);
    line_grow_old(epoch);
    for (uint32_t i = 1; i <= 8; ++i) {
        for (uint32_t turn = 0; turn < 2; ++turn) {
            mca_part_ucx_channel_start_met((turn + i) % 2 ? &line.send->super
                                                          : &line.recv->super);
            line_drive(unit_below(&random, 20));
        }
        for (uint32_t piece = 0; piece < 3; ++piece) {
            line_mark(piece);
        }
        for (unsigned j = 0; j < 10000 && i != atomic_load(&line.recv_finished); ++j) {
            channel_progress();
        }
        assert_int_equal(i, atomic_load(&line.recv_finished));
        for (unsigned j = 0; j < 10000 && i != atomic_load(&line.send_finished); ++j) {
            channel_progress();
        }
        assert_int_equal(i, atomic_load(&line.send_finished));
        assert_int_equal(MPI_SUCCESS, atomic_load(&line.error));
        assert_false(unit_thread_failed());
    }
    assert_int_equal(5, atomic_load(&line.recv->super.epoch));
    line_free();
    channel_paths_close();
}

/* From this epoch on the sender is ahead as far as it may. Its places in memory, 31, do not go
 * round as the numbers do. */
static void lead_from(uint32_t begin)
{
    static const fakeucx_options_t network = {.in_order = true};
    static const uint64_t bytes[] = {16384};
    enum { EPOCHS = 80 };
    uint32_t sent = 0, received = 0, most = 0;

    channel_paths_open(2, &network);
    make_with_credit(1, bytes, true);
    line_grow_old(begin);
    while (received < EPOCHS) {
        if (sent < EPOCHS && sent == atomic_load(&line.send_finished)) {
            ++sent;
            mca_part_ucx_channel_start_met(&line.send->super);
            line_mark(0);
        } else {
            ++received;
            mca_part_ucx_channel_start_met(&line.recv->super);
        }
        line_drive(100);
        assert_int_equal(received, atomic_load(&line.recv_finished));
        assert_int_equal(MPI_SUCCESS, atomic_load(&line.error));
        assert_false(unit_thread_failed());
        most = sent - received > most ? sent - received : most;
    }
    assert_true(most > line.send->credit);
    line_free();
    channel_paths_close();
}

static void leads_pass_the_end(void **state)
{
    (void) state;
    for (uint32_t before = 0; before < 8; ++before) {
        lead_from(UINT32_MAX - before);
    }
}

/* ---- threads ---- */

enum { LEADING_EPOCHS = 40 };

/* The two ends go on as fast as they can, each in a thread; others make progress. */
static void run_end(unsigned index, void *context)
{
    mca_part_ucx_channel_t *end = 0 == index ? &line.send->super : &line.recv->super;
    const atomic_uint *finished = 0 == index ? &line.send_finished : &line.recv_finished;
    const atomic_uint *last = index < 2 ? finished : &line.recv_finished;

    (void) context;
    for (uint32_t epoch = 1; index < 2 && epoch <= LEADING_EPOCHS; ++epoch) {
        mca_part_ucx_channel_start_met(end);
        for (uint32_t i = 0; 0 == index && i < line.count; ++i) {
            line_mark(i);
        }
        line_progress_until(finished, epoch);
    }
    line_progress_until(last, LEADING_EPOCHS);
}

static void threads_run_ahead(void **state)
{
    unit_random_t random = unit_stream(5);

    (void) state;
    for (uint32_t round = unit_repeat(40); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random), .at_once = 30};
        uint64_t bytes[20];

        for (uint32_t i = 0; i < 20; ++i) {
            bytes[i] = unit_below(&random, 200);
        }
        channel_paths_open(1 + unit_below(&random, 3), &network);
        make_with_credit(20, bytes, false);
        unit_threads(3, run_end, NULL);
        line_finish(LEADING_EPOCHS);
        line_free();
        channel_paths_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(senders_run_ahead),
        cmocka_unit_test(few_bytes_lead_far),
        cmocka_unit_test(all_links_of_a_process),
        cmocka_unit_test(the_lead_is_kept),
        cmocka_unit_test(leads_go_round),
        cmocka_unit_test(leads_pass_the_end),
        cmocka_unit_test(threads_run_ahead),
    };

    return UNIT_RUN(tests);
}
