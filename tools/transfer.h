/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned transfers that may fail, or never end: one direction between two processes.
 */
#ifndef TOOLS_TRANSFER_H
#define TOOLS_TRANSFER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** What went wrong. */
typedef enum info_outcome_t {
    INFO_ARRIVED,
    INFO_REFUSED, /**< MPI says so */
    INFO_STUCK,   /**< not there in time */
    INFO_WRONG    /**< other bytes than were sent */
} info_outcome_t;

typedef struct info_transfer_t {
    MPI_Request request;
    char *buffer;
    size_t bytes;
    bool sends;
    unsigned seed;  /**< of the bytes */
    bool active;    /**< started, and not known to have ended */
} info_transfer_t;

/** Set when any transfer has not ended: then MPI_Finalize may not return. */
extern bool info_transfer_any_stuck;

/** Make one end. */
info_outcome_t info_transfer_open(info_transfer_t *transfer, MPI_Comm comm, int peer, bool sends,
                                  size_t bytes);

/** One round; `seconds` at most. */
info_outcome_t info_transfer_round(info_transfer_t *transfer, double seconds);

/** After a round, on the receiver: are the bytes those that were sent? */
bool info_transfer_is_right(const info_transfer_t *transfer);

/** Free it, unless it is active. */
void info_transfer_close(info_transfer_t *transfer);

/** One round from this process to itself, every byte compared. */
info_outcome_t info_transfer_to_self(MPI_Comm comm, int rank, size_t bytes, double seconds);

/** What to say of an outcome. */
const char *info_transfer_text(info_outcome_t outcome);

#endif /* TOOLS_TRANSFER_H */
