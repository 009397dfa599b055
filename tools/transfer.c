/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned transfers (see transfer.h).
 */
#include "transfer.h"

#include <stdlib.h>

#include "job.h"

/* Enough that every path gets some of them. */
enum { PARTITIONS = 64, TAG = 7 };

bool info_transfer_any_stuck;

static unsigned char byte_at(const info_transfer_t *transfer, size_t index)
{
    return (unsigned char) (index * 31 + (index >> 8) + transfer->seed);
}

static void fill(info_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->bytes; ++i) {
        transfer->buffer[i] = transfer->sends ? (char) byte_at(transfer, i) : 0;
    }
}

bool info_transfer_is_right(const info_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->bytes; ++i) {
        if (byte_at(transfer, i) != (unsigned char) transfer->buffer[i]) {
            return false;
        }
    }
    return true;
}

info_outcome_t info_transfer_open(info_transfer_t *transfer, MPI_Comm comm, int peer, bool sends,
                                  size_t bytes)
{
    MPI_Count count = (MPI_Count) (bytes / PARTITIONS);
    int rank, rc;

    MPI_Comm_rank(comm, &rank);
    *transfer = (info_transfer_t) {.request = MPI_REQUEST_NULL,
                                   .bytes = (size_t) count * PARTITIONS,
                                   .sends = sends,
                                   .seed = (unsigned) (sends ? rank : peer)};
    transfer->buffer = malloc(transfer->bytes + 1);
    if (NULL == transfer->buffer) {
        info_die("no memory for a buffer of %zu bytes", bytes);
    }
    fill(transfer);
    if (sends) {
        rc = MPI_Psend_init(transfer->buffer, PARTITIONS, count, MPI_BYTE, peer, TAG, comm,
                            MPI_INFO_NULL, &transfer->request);
    } else {
        rc = MPI_Precv_init(transfer->buffer, PARTITIONS, count, MPI_BYTE, peer, TAG, comm,
                            MPI_INFO_NULL, &transfer->request);
    }
    if (MPI_SUCCESS != rc) {
        transfer->request = MPI_REQUEST_NULL;
        return INFO_REFUSED;
    }
    return INFO_ARRIVED;
}

/* Begin a round of it. */
static info_outcome_t launch(info_transfer_t *transfer)
{
    int rc = MPI_Start(&transfer->request);

    transfer->active = MPI_SUCCESS == rc;
    if (transfer->sends && MPI_SUCCESS == rc) {
        rc = MPI_Pready_range(0, PARTITIONS - 1, transfer->request);
    }
    return MPI_SUCCESS == rc ? INFO_ARRIVED : INFO_REFUSED;
}

/* Wait for its end. */
static info_outcome_t land(info_transfer_t *transfer, double deadline)
{
    int done = 0;

    while (!done) {
        if (MPI_SUCCESS != MPI_Test(&transfer->request, &done, MPI_STATUS_IGNORE)) {
            transfer->request = MPI_REQUEST_NULL; /* Open MPI has freed it */
            transfer->active = false;
            return INFO_REFUSED;
        }
        if (!done && info_now() > deadline) {
            return INFO_STUCK;
        }
    }
    transfer->active = false;
    return INFO_ARRIVED;
}

info_outcome_t info_transfer_round(info_transfer_t *transfer, double seconds)
{
    double deadline = info_now() + seconds;
    info_outcome_t outcome = launch(transfer);

    return INFO_ARRIVED == outcome ? land(transfer, deadline) : outcome;
}

void info_transfer_close(info_transfer_t *transfer)
{
    if (transfer->active) { /* whoever may still read or write the buffer must find it */
        info_transfer_any_stuck = true;
        return;
    }
    if (MPI_REQUEST_NULL != transfer->request) {
        MPI_Request_free(&transfer->request);
    }
    free(transfer->buffer);
}

info_outcome_t info_transfer_to_self(MPI_Comm comm, int rank, size_t bytes, double seconds)
{
    double deadline = info_now() + seconds;
    info_transfer_t send, recv = {.request = MPI_REQUEST_NULL};
    info_outcome_t outcome = info_transfer_open(&send, comm, rank, true, bytes);

    if (INFO_ARRIVED == outcome) {
        outcome = info_transfer_open(&recv, comm, rank, false, bytes);
    }
    if (INFO_ARRIVED == outcome) {
        outcome = launch(&recv);
    }
    if (INFO_ARRIVED == outcome) {
        outcome = launch(&send);
    }
    if (INFO_ARRIVED == outcome) {
        outcome = land(&recv, deadline);
    }
    if (INFO_ARRIVED == outcome) {
        outcome = land(&send, deadline);
    }
    if (INFO_ARRIVED == outcome && !info_transfer_is_right(&recv)) {
        outcome = INFO_WRONG;
    }
    info_transfer_close(&send);
    info_transfer_close(&recv);
    return outcome;
}

const char *info_transfer_text(info_outcome_t outcome)
{
    switch (outcome) {
    case INFO_REFUSED:
        return "MPI refuses it";
    case INFO_STUCK:
        return "nothing arrives";
    case INFO_WRONG:
        return "other bytes arrive than were sent";
    default:
        return "";
    }
}
