/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A link on the made-up network (see line.h).
 */
#include "ompi_config.h"

#include "line.h"

#include "channel/part_ucx_credit.h"
#include "channel/part_ucx_recv_side.h"
#include "channel/part_ucx_send_side.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

line_t line;

/* ---- contents ---- */

unsigned char line_byte(uint32_t piece, uint32_t epoch, uint64_t position)
{
    return (unsigned char) (((piece * 131 + epoch) * 2654435761u + position * 40503u) >> 7 | 1);
}

unsigned char *line_memory(const mca_part_ucx_piece_t *piece)
{
    return (void *) (uintptr_t) piece->address;
}

static void fill(uint32_t piece, uint32_t epoch)
{
    for (uint64_t i = 0; i < line.source[piece].bytes; ++i) {
        line_memory(&line.source[piece])[i] = line_byte(piece, epoch, i);
    }
}

bool line_is_there(uint32_t piece, uint32_t epoch)
{
    for (uint64_t i = 0; i < line.target[piece].bytes; ++i) {
        if (line_memory(&line.target[piece])[i] != line_byte(piece, epoch, i)) {
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
    if (!line_is_there(piece, epoch)) {
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
        /* It is ours again. */
        memset(line_memory(&line.source[piece]), 0, line.source[piece].bytes);
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
    assert_true(mca_part_ucx_map_init_pieces(&end->map, piece, line.count, end->pairs));
}

/* Pieces without bytes are nowhere, as those of a plan without scratch memory. */
static uint64_t memory_of(uint64_t bytes)
{
    return 0 == bytes ? 0 : (uint64_t) (uintptr_t) calloc(1, bytes);
}

/* The source and the target of a piece, of so many bytes exactly, for the address sanitizer. */
static void make_piece(uint32_t piece, uint64_t bytes)
{
    line.source[piece]
        = (mca_part_ucx_piece_t) {.address = memory_of(bytes), .bytes = bytes};
    line.target[piece]
        = (mca_part_ucx_piece_t) {.address = memory_of(bytes), .bytes = bytes};
}

void line_make(uint32_t count, const uint64_t *bytes)
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
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_recv_side_build(line.recv));
    mca_part_ucx_credit_free(line.recv); /* of those that have some: make_with_credit() */
    assert_int_equal(OMPI_SUCCESS, mca_part_ucx_send_side_build(line.send));
}

void line_free(void)
{
    mca_part_ucx_table_remove(&mca_part_ucx_channels, line.send->super.key);
    mca_part_ucx_table_remove(&mca_part_ucx_channels, line.recv->super.key);
    mca_part_ucx_channel_destroy(&line.send->super);
    mca_part_ucx_channel_destroy(&line.recv->super);
    for (uint32_t i = 0; i < line.count; ++i) {
        free(line_memory(&line.source[i]));
        free(line_memory(&line.target[i]));
    }
}

void line_drive(unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i) {
        channel_progress();
    }
}

void line_mark(uint32_t piece)
{
    fill(piece, atomic_load(&line.send->super.epoch));
    if (mca_part_ucx_gate_mark_piece(line.send, piece)) {
        sent(NULL, piece); /* it has left */
    }
}

void line_progress_until(const atomic_uint *finished, uint32_t epochs)
{
    while (epochs != atomic_load(finished) && !unit_thread_failed()) {
        channel_progress_in_turn();
    }
}

void line_grow_old(uint32_t epoch)
{
    atomic_store(&line.send->super.epoch, epoch);
    atomic_store(&line.send->super.ended, epoch);
    atomic_store(&line.send->ready_epoch, epoch);
    atomic_store(&line.send->heeded, epoch);
    atomic_store(&line.send->begun, epoch);
    atomic_store(&line.send->opened, epoch);
    atomic_store(&line.recv->super.epoch, epoch);
    atomic_store(&line.recv->super.ended, epoch);
    atomic_store(&line.recv->armed, epoch);
}

uint32_t line_step(unit_random_t *random, uint32_t epochs, uint32_t *left)
{
    uint32_t sends = atomic_load(&line.send->super.epoch);
    uint32_t recvs = atomic_load(&line.recv->super.epoch);

    if (0 != *left && 0 == unit_below(random, 2)) {
        line_mark(line.order[--*left]);
    } else if (sends < epochs && sends == atomic_load(&line.send_finished) && 0 == *left) {
        unit_order(random, line.order, line.count);
        mca_part_ucx_channel_start_met(&line.send->super);
        *left = line.count;
    } else if (recvs < epochs && recvs == atomic_load(&line.recv_finished)
               && 0 == unit_below(random, 20)) {
        mca_part_ucx_channel_start_met(&line.recv->super);
    }
    line_drive(unit_below(random, 3));
    return sends > recvs ? sends - recvs : 0;
}

void line_finish(uint32_t epochs)
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
        assert_true(line_is_there(i, atomic_load(&line.recv->super.epoch)));
        assert_int_equal(epochs, atomic_load(&line.sent[i]));
    }
}

uint64_t line_counted(size_t offset)
{
    uint64_t sum = 0;

    for (int i = 0; i < mca_part_ucx_paths.count; ++i) {
        sum += atomic_load((atomic_uint_least64_t *) (void *)
                           ((char *) &mca_part_ucx_paths.path[i].counters + offset));
    }
    return sum;
}
