/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links on the made-up network: pieces of any size that lie anywhere are marked in any order, some
 * leave in bundles. When a piece is reported its bytes are there, each is reported once per epoch
 * at either end, and what is queued together leaves together. Senders with a lead run ahead of their
 * receivers, as far as they may and no further. Then bundles that nobody should have sent: they are
 * refused, whatever is wrong with them.
 */
#include "unit.h"

#include "channel.h"

#include "channel/part_ucx_bundle.h"
#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_delivery.h"
#include "channel/part_ucx_lead.h"
#include "channel/part_ucx_sending.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

enum { MOST_PIECES = 80, MOST_BYTES = 9000 };

/* A link whose two ends are in this process. */
typedef struct link_t {
    uint32_t count;
    mca_part_ucx_piece_t source[MOST_PIECES], target[MOST_PIECES];
    mca_part_ucx_send_t *send;
    mca_part_ucx_recv_t *recv;
    atomic_uint sent[MOST_PIECES], arrived[MOST_PIECES]; /* last epoch */
    atomic_uint send_finished, recv_finished;            /* how many epochs */
    atomic_int error;
    uint32_t order[MOST_PIECES];
} link_t;

static link_t line;

/* ---- contents ---- */

static unsigned char byte_at(uint32_t piece, uint32_t epoch, uint64_t position)
{
    return (unsigned char) (((piece * 131 + epoch) * 2654435761u + position * 40503u) >> 7 | 1);
}

static unsigned char *memory_of(const mca_part_ucx_piece_t *piece)
{
    return (void *) (uintptr_t) piece->address;
}

static void fill(uint32_t piece, uint32_t epoch)
{
    for (uint64_t i = 0; i < line.source[piece].bytes; ++i) {
        memory_of(&line.source[piece])[i] = byte_at(piece, epoch, i);
    }
}

static bool is_there(uint32_t piece, uint32_t epoch)
{
    for (uint64_t i = 0; i < line.target[piece].bytes; ++i) {
        if (memory_of(&line.target[piece])[i] != byte_at(piece, epoch, i)) {
            return false;
        }
    }
    return true;
}

/* ---- observers ---- */

static void arrived(void *context, uint32_t piece)
{
    uint32_t epoch = atomic_load(&line.recv->super.epoch);

    (void) context;
    if (epoch == atomic_exchange(&line.arrived[piece], epoch)) {
        unit_thread_fail("piece %u arrives twice", piece);
    }
    if (!is_there(piece, epoch)) {
        unit_thread_fail("piece %u of %u bytes is reported before its bytes", piece,
                         (unsigned) line.target[piece].bytes);
    }
}

static void sent(void *context, uint32_t piece)
{
    uint32_t epoch = atomic_load(&line.send->super.epoch);

    (void) context;
    if (epoch == atomic_exchange(&line.sent[piece], epoch)) {
        unit_thread_fail("the source of piece %u is free twice", piece);
    }
    if (0 != line.source[piece].bytes) {
        memset(memory_of(&line.source[piece]), 0, line.source[piece].bytes); /* it is ours again */
    }
}

static void send_over(void *context, int error)
{
    (void) context;
    atomic_fetch_add(&line.send_finished, 1);
    atomic_fetch_or(&line.error, error);
}

static void recv_over(void *context, int error)
{
    (void) context;
    atomic_fetch_add(&line.recv_finished, 1);
    atomic_fetch_or(&line.error, error);
}

static const mca_part_ucx_observer_t sending = {.moved = sent, .finished = send_over};
static const mca_part_ucx_observer_t receiving = {.moved = arrived, .finished = recv_over};

/* ---- links ---- */

static void describe(mca_part_ucx_channel_t *end, const mca_part_ucx_piece_t *piece,
                     const mca_part_ucx_observer_t *observer)
{
    end->comm = channel_communicator();
    OBJ_RETAIN(end->comm);
    end->datatype = &ompi_mpi_byte.dt;
    OBJ_RETAIN(end->datatype);
    end->observer = observer;
    end->partitions = line.count;
    end->contiguous = true;
    end->piece = piece;
    assert_true(mca_part_ucx_map_init_pieces(&end->map, piece, line.count,
                                             (uint32_t) mca_part_ucx_paths.count));
}

/* The source and the target of a piece, of so many bytes exactly, for the address sanitizer. */
static void make_piece(uint32_t piece, uint64_t bytes)
{
    line.source[piece] = (mca_part_ucx_piece_t) {
        .address = (uint64_t) (uintptr_t) calloc(1, bytes), .bytes = bytes};
    line.target[piece] = (mca_part_ucx_piece_t) {
        .address = (uint64_t) (uintptr_t) calloc(1, bytes), .bytes = bytes};
}

static void make_link(uint32_t count, const uint64_t *bytes)
{
    memset(&line, 0, sizeof(line));
    line.count = count;
    for (uint32_t i = 0; i < count; ++i) {
        make_piece(i, bytes[i]);
    }
    line.send = mca_part_ucx_send_new();
    line.recv = mca_part_ucx_recv_new();
    assert_true(NULL != line.send && NULL != line.recv);
    channel_meet(line.send, line.recv, PART_UCX_METHOD_MESSAGE);
    describe(&line.send->super, line.source, &sending);
    describe(&line.recv->super, line.target, &receiving);
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_build(line.recv));
    mca_part_ucx_lead_free(line.recv); /* of those that lead: make_leading() */
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_sending_build(line.send));
}

static void free_link(void)
{
    mca_part_ucx_table_remove(&mca_part_ucx_channels, line.send->super.key);
    mca_part_ucx_table_remove(&mca_part_ucx_channels, line.recv->super.key);
    mca_part_ucx_channel_destroy(&line.send->super);
    mca_part_ucx_channel_destroy(&line.recv->super);
    for (uint32_t i = 0; i < line.count; ++i) {
        free(memory_of(&line.source[i]));
        free(memory_of(&line.target[i]));
    }
}

static void drive(unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i) {
        channel_progress();
    }
}

static void mark(uint32_t piece)
{
    fill(piece, atomic_load(&line.send->super.epoch));
    mca_part_ucx_gate_mark_piece(line.send, piece);
}

static void finish(uint32_t epochs)
{
    for (unsigned i = 0; i < 100000 && (epochs != atomic_load(&line.send_finished)
                                        || epochs != atomic_load(&line.recv_finished)); ++i) {
        channel_progress();
    }
    assert_int_equal(epochs, atomic_load(&line.send_finished));
    assert_int_equal(epochs, atomic_load(&line.recv_finished));
    assert_int_equal(MPI_SUCCESS, atomic_load(&line.error));
    assert_false(unit_thread_failed());
    for (uint32_t i = 0; i < line.count; ++i) {
        assert_true(is_there(i, atomic_load(&line.recv->super.epoch)));
        assert_int_equal(epochs, atomic_load(&line.sent[i]));
    }
}

static uint64_t counted(size_t offset)
{
    uint64_t sum = 0;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        sum += atomic_load((atomic_uint_least64_t *) (void *)
                           ((char *) &mca_part_ucx_paths.path[i].counters + offset));
    }
    return sum;
}

#define COUNTED(counter) counted(offsetof(mca_part_ucx_counters_t, counter))

/* ---- what leaves together ---- */

/* All are marked, then READY comes: one message, or as few as the limits allow. */
static void expect_messages(uint32_t count, const uint64_t *bytes, uint64_t messages)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    uint64_t total = 0;

    channel_paths_open(3, &network);
    make_link(count, bytes);
    mca_part_ucx_channel_start_met(&line.send->super);
    for (uint32_t i = 0; i < count; ++i) {
        total += bytes[i];
        mark(i);
    }
    drive(10);
    assert_int_equal(0, COUNTED(messages)); /* nothing leaves before READY */
    mca_part_ucx_channel_start_met(&line.recv->super);
    finish(1);
    assert_int_equal(messages, COUNTED(messages));
    assert_int_equal(count, COUNTED(units));
    assert_int_equal(total, COUNTED(bytes));
    free_link();
    channel_paths_close();
}

static void queued_pieces_leave_together(void **state)
{
    static const uint64_t one[] = {100};
    static const uint64_t few[] = {100, 0, 200, 8, 0};
    static const uint64_t with_large[] = {100, 5000, 8};
    static const uint64_t full[] = {2048, 2032, 8}; /* 4096 with the list, and one more */
    uint64_t many[MOST_PIECES] = {0};

    (void) state;
    expect_messages(1, one, 1);
    expect_messages(5, few, 1);
    expect_messages(3, with_large, 2);
    expect_messages(3, full, 2);
    expect_messages(MOST_PIECES, many, 2); /* PART_UCX_BUNDLE_MOST */
}

/* What is marked while the link runs does not wait for what is not. */
static void nobody_waits(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true};
    static const uint64_t bytes[] = {64, 64, 64};

    (void) state;
    channel_paths_open(2, &network);
    make_link(3, bytes);
    mca_part_ucx_channel_start_met(&line.recv->super);
    mca_part_ucx_channel_start_met(&line.send->super);
    drive(50);
    for (uint32_t i = 0; i < 3; ++i) {
        mark(i);
        drive(200);
        assert_int_equal(1, atomic_load(&line.arrived[i]));
        assert_int_equal(i + 1, COUNTED(messages));
    }
    finish(1);
    free_link();
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
        drive(unit_below(random, 3));
    }
    for (uint32_t i = 0; i < line.count; ++i) {
        mark(line.order[i]);
        drive(unit_below(random, 8) / 7);
    }
    finish(epoch);
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
        uint64_t bytes[MOST_PIECES];
        uint32_t count = 1 + unit_below(&random, MOST_PIECES);

        for (uint32_t i = 0; i < count; ++i) {
            bytes[i] = any_size(&random);
        }
        channel_paths_open(1 + unit_below(&random, 4), &network);
        mca_part_ucx_params.window = 0 == unit_below(&random, 3) ? 4096 : 524288;
        make_link(count, bytes);
        for (uint32_t epoch = 1; epoch <= 3; ++epoch) {
            run_epoch(&random, epoch);
        }
        units += COUNTED(units);
        messages += COUNTED(messages);
        free_link();
        channel_paths_close();
    }
    assert_true(messages < units / 2); /* else nothing much has been tested */
}

/* ---- a lead ---- */

/* As set-up leaves it when the receiver keeps memory for epochs to come. */
static void make_leading(uint32_t count, const uint64_t *bytes)
{
    make_link(count, bytes);
    mca_part_ucx_params.shared_eager_limit = 16384;
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_lead_build(line.recv));
    assert_non_null(line.recv->lead);
    line.send->lead = mca_part_ucx_lead_epochs(line.recv);
    assert_int_equal(PART_UCX_LEAD_EPOCHS, line.send->lead);
    mca_part_ucx_delivery_prepare(line.send);
}

static unsigned all_messages(void)
{
    unsigned sum = 0;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        sum += fakeucx_counts((unsigned) i).messages;
    }
    return sum;
}

/* Whichever end can begins its next epoch. Returns how far the sender is ahead. */
static uint32_t step_ends(unit_random_t *random, uint32_t epochs, uint32_t *left)
{
    uint32_t sends = atomic_load(&line.send->super.epoch);
    uint32_t recvs = atomic_load(&line.recv->super.epoch);

    if (0 != *left && 0 == unit_below(random, 2)) {
        mark(line.order[--*left]);
    } else if (sends < epochs && sends == atomic_load(&line.send_finished) && 0 == *left) {
        unit_order(random, line.order, line.count);
        mca_part_ucx_channel_start_met(&line.send->super);
        *left = line.count;
    } else if (recvs < epochs && recvs == atomic_load(&line.recv_finished)
               && 0 == unit_below(random, 20)) {
        mca_part_ucx_channel_start_met(&line.recv->super);
    }
    drive(unit_below(random, 3));
    return sends > recvs ? sends - recvs : 0;
}

static void run_leading(unit_random_t *random, uint32_t epochs, uint32_t *most)
{
    uint32_t left = 0;

    for (unsigned i = 0; i < 400000 && (epochs != atomic_load(&line.send_finished)
                                        || epochs != atomic_load(&line.recv_finished)); ++i) {
        uint32_t ahead = step_ends(random, epochs, &left);

        *most = ahead > *most ? ahead : *most;
        assert_false(unit_thread_failed());
    }
    finish(epochs);
}

static void senders_lead(void **state)
{
    unit_random_t random = unit_stream(3);
    uint32_t most = 0;

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random),
                                     .at_once = 50 * unit_below(&random, 3)};
        const uint32_t epochs = 12;
        uint64_t bytes[20];
        uint32_t count = 1 + unit_below(&random, 20);

        for (uint32_t i = 0; i < count; ++i) {
            bytes[i] = 0 == unit_below(&random, 4) ? 0 : unit_below(&random, 400);
        }
        channel_paths_open(1 + unit_below(&random, 4), &network);
        make_leading(count, bytes);
        run_leading(&random, epochs, &most);
        /* READY of the first epoch, and of every second one. */
        assert_true(all_messages() - COUNTED(messages) <= 1 + epochs / 2);
        free_link();
        channel_paths_close();
    }
    /* It begins one more, and waits in it: the last READY is of one epoch before, at the least. */
    assert_uint_in_range(most, PART_UCX_LEAD_EPOCHS, PART_UCX_LEAD_EPOCHS + 1);
}

/* Nothing is written before its epoch has started, nothing leaves beyond the lead, and a repeated
 * piece of a later epoch is kept once. */
static void the_lead_is_kept(void **state)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};
    static const uint64_t bytes[] = {64};
    uint64_t repeats = atomic_load(&mca_part_ucx_process.repeats);
    mca_part_ucx_data_header_t header;
    unsigned char data[64] = {0};
    bool kept;

    (void) state;
    channel_paths_open(2, &network);
    make_leading(1, bytes);
    mca_part_ucx_channel_start_met(&line.recv->super);
    for (uint32_t epoch = 1; epoch <= PART_UCX_LEAD_EPOCHS + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.send->super);
        mark(0);
        drive(100);
        assert_int_equal(epoch < PART_UCX_LEAD_EPOCHS + 2 ? epoch : epoch - 1,
                         atomic_load(&line.send_finished));
        assert_true(is_there(0, 1));
        assert_int_equal(1, atomic_load(&line.recv_finished));
    }
    header = (mca_part_ucx_data_header_t) {.epoch = 3, .segment = 0, .count = 1};
    assert_int_equal(PART_UCX_REPEATED,
                     mca_part_ucx_lead_keep(line.recv, &header, data, 64, &kept));
    assert_int_equal(PART_UCX_WRONG,
                     mca_part_ucx_lead_keep(line.recv, &header, data, 63, &kept));
    header.epoch = PART_UCX_LEAD_EPOCHS + 2; /* one too far */
    assert_false(mca_part_ucx_lead_is_later(line.recv, header.epoch));
    for (uint32_t epoch = 2; epoch <= PART_UCX_LEAD_EPOCHS + 2; ++epoch) {
        mca_part_ucx_channel_start_met(&line.recv->super);
        drive(100);
        assert_true(is_there(0, epoch));
        assert_int_equal(epoch, atomic_load(&line.recv_finished));
    }
    assert_int_equal(repeats, atomic_load(&mca_part_ucx_process.repeats));
    finish(PART_UCX_LEAD_EPOCHS + 2);
    free_link();
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
    make_leading(3, bytes);
    atomic_store(&line.send->super.epoch, epoch);
    atomic_store(&line.send->ready_epoch, epoch);
    atomic_store(&line.send->heeded, epoch);
    atomic_store(&line.recv->super.epoch, epoch);
    atomic_store(&line.recv->armed, epoch);
    for (uint32_t i = 1; i <= 8; ++i) {
        for (uint32_t turn = 0; turn < 2; ++turn) {
            mca_part_ucx_channel_start_met((turn + i) % 2 ? &line.send->super
                                                          : &line.recv->super);
            drive(unit_below(&random, 20));
        }
        for (uint32_t piece = 0; piece < 3; ++piece) {
            mark(piece);
        }
        for (unsigned j = 0; j < 10000 && i != atomic_load(&line.recv_finished); ++j) {
            channel_progress();
        }
        assert_int_equal(i, atomic_load(&line.recv_finished));
        for (unsigned j = 0; j < 10000 && i != atomic_load(&line.send_finished); ++j) {
            channel_progress();
        }
        assert_int_equal(i, atomic_load(&line.send_finished));
        assert_false(unit_thread_failed());
    }
    assert_int_equal(5, atomic_load(&line.recv->super.epoch));
    free_link();
    channel_paths_close();
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
        mark(i);
        if (0 == i % 4) {
            mca_part_ucx_paths_push();
        }
    }
    mca_part_ucx_paths_push();
}

static void many_threads(void **state)
{
    unit_random_t random = unit_stream(2);

    (void) state;
    for (uint32_t round = unit_repeat(100); round > 0; --round) {
        fakeucx_options_t network = {.seed = unit_random(&random), .at_once = 30};
        uint64_t bytes[MOST_PIECES];

        for (uint32_t i = 0; i < MOST_PIECES; ++i) {
            bytes[i] = unit_below(&random, 200);
        }
        channel_paths_open(1 + unit_below(&random, 3), &network);
        make_link(MOST_PIECES, bytes);
        for (uint32_t epoch = 1; epoch <= 2; ++epoch) {
            mca_part_ucx_channel_start_met(&line.send->super);
            mca_part_ucx_channel_start_met(&line.recv->super);
            unit_threads(MARKERS + 1, mark_some, NULL);
            finish(epoch);
        }
        free_link();
        channel_paths_close();
    }
}

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
            mark(i);
        }
        for (unsigned i = 0; i < 4000000 && epoch != atomic_load(finished)
                             && !unit_thread_failed(); ++i) {
            channel_progress();
        }
    }
    for (unsigned i = 0; i < 4000000 && LEADING_EPOCHS != atomic_load(last)
                         && !unit_thread_failed(); ++i) {
        channel_progress();
    }
}

static void threads_lead(void **state)
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
        make_leading(20, bytes);
        unit_threads(3, run_end, NULL);
        finish(LEADING_EPOCHS);
        free_link();
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
        bundle.bytes[i] = (char) byte_at(2, 1, i);
    }
    for (uint32_t i = 0; i < 16; ++i) {
        bundle.bytes[40 + i] = (char) byte_at(0, 1, i);
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
    drive(50);
}

static void begin_listed(void)
{
    static const fakeucx_options_t network = {.put_in_place = true, .in_order = true};

    channel_paths_open(1, &network);
    make_link(LISTED, listed);
    mca_part_ucx_channel_start_met(&line.recv->super);
    drive(20);
}

static void end_listed(void)
{
    free_link();
    channel_paths_close();
}

static bool is_untouched(void)
{
    for (uint32_t i = 0; i < LISTED; ++i) {
        for (uint64_t j = 0; j < listed[i]; ++j) {
            if (0 != memory_of(&line.target[i])[j]) {
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
        assert_true(is_there(i, 1));
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
        cmocka_unit_test(nobody_waits),
        cmocka_unit_test(any_pieces),
        cmocka_unit_test(senders_lead),
        cmocka_unit_test(the_lead_is_kept),
        cmocka_unit_test(leads_go_round),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(threads_lead),
        cmocka_unit_test(good_ones_are_taken_once),
        cmocka_unit_test(twins_are_one),
        cmocka_unit_test(strangers_are_not_heard),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return UNIT_RUN(tests);
}
