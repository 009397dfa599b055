/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A link on the made-up network, both ends in this process (channel.h opens the paths). When a
 * piece is reported its bytes are compared, and that each is reported once per epoch at either end.
 */
#ifndef MPIX_UNIT_LINE_H
#define MPIX_UNIT_LINE_H

#include "channel.h"

enum { LINE_MOST_PIECES = 80 };

/* A link whose two ends are in this process. */
typedef struct line_t {
    uint32_t count;
    mca_part_ucx_piece_t source[LINE_MOST_PIECES], target[LINE_MOST_PIECES];
    mca_part_ucx_send_t *send;
    mca_part_ucx_recv_t *recv;
    atomic_uint sent[LINE_MOST_PIECES], arrived[LINE_MOST_PIECES]; /* last epoch */
    atomic_uint send_finished, recv_finished;            /* how many epochs */
    atomic_int error;
    uint32_t order[LINE_MOST_PIECES];
} line_t;

extern line_t line;


/** Make it of pieces of so many bytes, matched, without credit; free it. */
void line_make(uint32_t count, const uint64_t *bytes);
void line_free(void);

/** What a piece holds in an epoch, and where that is. */
unsigned char line_byte(uint32_t piece, uint32_t epoch, uint64_t position);
unsigned char *line_memory(const mca_part_ucx_piece_t *piece);
bool line_is_there(uint32_t piece, uint32_t epoch);

/** Write a piece for the present epoch, and mark it. */
void line_mark(uint32_t piece);

/** As if both ends, which have credit, had finished this epoch. */
void line_grow_old(uint32_t epoch);

/** One step of two ends that run as far as they may, up to an epoch: the sender marks one of the
 * `left` pieces of its epoch, or an end that can begins its next one. Returns how far the sender is
 * ahead. */
uint32_t line_step(unit_random_t *random, uint32_t epochs, uint32_t *left);

/** Make progress so often. */
void line_drive(unsigned turns);

/** Any thread: make progress until an end (line.send_finished or line.recv_finished) has finished
 * so many epochs, or a thread has failed. As long as it takes: on a busy machine the others may not
 * run for a while. A test that hangs is ended (UNIT_RUN). */
void line_progress_until(const atomic_uint *finished, uint32_t epochs);

/** Wait until both ends have finished so many epochs, which must have ended well. */
void line_finish(uint32_t epochs);

/** Sum of a counter of all paths. */
uint64_t line_counted(size_t offset);
#define LINE_COUNTED(counter) line_counted(offsetof(mca_part_ucx_counters_t, counter))

#endif /* MPIX_UNIT_LINE_H */
