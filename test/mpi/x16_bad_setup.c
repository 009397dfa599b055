/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Set-up messages that are no good, sent to a running process the way good ones go: through the
 * PML, with the tag of its listeners. Rank 1 sends them. Rank 0 says so, drops them, and goes on:
 * channels work between them. A send that gets an answer that cannot be right ends with an error.
 */

#include "ompi_config.h"

#include "../support/side.h"

#include "wireup/part_ucx_listener.h"
#include "wireup/part_ucx_read.h"
#include "wireup/part_ucx_wire.h"

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"

#include <stdlib.h>
#include <string.h>

#define TAG        116
#define PARTITIONS 8
#define RANDOM     60

/* A good one and what is wrong with it. */
static char message[PART_UCX_WIRE_MAX];
static mca_part_ucx_wire_announce_t *const announce
    = (mca_part_ucx_wire_announce_t *) (void *) message;
static mca_part_ucx_wire_accept_t *const answer = (mca_part_ucx_wire_accept_t *) (void *) message;

static mca_part_ucx_wire_header_t header(unsigned kind, uint64_t key)
{
    return (mca_part_ucx_wire_header_t) {.magic = PART_UCX_WIRE_MAGIC,
                                         .version = PART_UCX_WIRE_VERSION,
                                         .kind = (uint16_t) kind,
                                         .send_key = key};
}

static void send_raw(MPI_Comm comm, size_t length)
{
    mt_success(MCA_PML_CALL(send(message, length, &ompi_mpi_byte.dt, 0, PART_UCX_LISTENER_TAG,
                                 MCA_PML_BASE_SEND_STANDARD, comm)),
               "a set-up message");
}

/* ANNOUNCE of a peer that is known: good but for what the caller changes. */
static size_t announcement(void)
{
    memset(message, 0, sizeof(message));
    *announce = (mca_part_ucx_wire_announce_t) {.header = header(PART_UCX_WIRE_ANNOUNCE, 77),
                                                .tag = TAG + 1,
                                                .partitions = PARTITIONS,
                                                .total = 64,
                                                .send_nonce = 5};
    return sizeof(*announce);
}

static void bad_announcements(MPI_Comm comm)
{
    for (size_t length = 0; length < sizeof(*announce); length += 8) {
        (void) announcement();
        send_raw(comm, length);
    }
    size_t length = announcement();
    announce->partitions = 0;
    send_raw(comm, length);
    (void) announcement();
    announce->total = UINT64_MAX;
    send_raw(comm, length);
    (void) announcement();
    announce->card_bytes = UINT32_MAX;
    send_raw(comm, length);
    (void) announcement();
    announce->card_bytes = 4096; /* it is there, and says nothing */
    send_raw(comm, length + 4096);
    (void) announcement();
    memset(message + length, 0xff, 4096); /* as many paths as there can be numbers */
    announce->card_bytes = 4096;
    send_raw(comm, length + 4096);
    (void) announcement();
    announce->space = 99;
    send_raw(comm, length);
    (void) announcement();
    announce->header.version = PART_UCX_WIRE_VERSION + 1;
    send_raw(comm, length);
    (void) announcement();
    announce->header.kind = 200;
    send_raw(comm, length);
}

/* Of every kind, for keys that nobody has. */
static void bad_others(MPI_Comm comm)
{
    for (unsigned kind = PART_UCX_WIRE_ACCEPT; kind <= PART_UCX_WIRE_GAVE_UP; kind++) {
        for (size_t length = 0; length < 400; length += 40) {
            mt_fill(message, sizeof(message), kind, (unsigned) length);
            *(mca_part_ucx_wire_header_t *) (void *) message = header(kind, 1234567 + length);
            send_raw(comm, length);
        }
    }
}

static void random_ones(MPI_Comm comm)
{
    for (unsigned i = 0; i < RANDOM; i++) {
        size_t length = 16 + (size_t) (i * 977) % 3000;

        mt_fill(message, sizeof(message), 42, i);
        if (0 != i % 4) {
            *(mca_part_ucx_wire_header_t *) (void *) message = header(1 + i % 5, i);
        }
        send_raw(comm, length);
    }
}

/* A round of good channels both ways, which rank 0 can only make if it goes on. */
static void good_round(int iteration)
{
    mt_both_ways(MPI_COMM_WORLD, mt_rank(), 1 - mt_rank(), TAG + 10 + iteration);
}

/* Rank 1 answers the send of rank 0 itself, on a communicator where it has no listener. */
static void bad_answer(MPI_Comm comm, void (*spoil)(void))
{
    mca_part_ucx_wire_header_t asked;
    mt_side_t side;

    if (0 == mt_rank()) {
        mt_errors_clear();
        mt_psend(&side, PARTITIONS, 64, 1, TAG, comm);
        MPI_Start(&side.request);
        MPI_Pready_range(0, PARTITIONS - 1, side.request);
        mt_expect(comm, MPI_Wait(&side.request, MPI_STATUS_IGNORE), MPI_ERR_OTHER,
                  "completion of a send that got a bad answer");
        mt_drop(&side);
    } else {
        mt_success(MCA_PML_CALL(recv(message, sizeof(message), &ompi_mpi_byte.dt, 0,
                                     PART_UCX_LISTENER_TAG, comm, MPI_STATUS_IGNORE)),
                   "ANNOUNCE");
        memcpy(&asked, message, sizeof(asked));
        memset(message, 0, sizeof(message));
        *answer = (mca_part_ucx_wire_accept_t) {.header = header(PART_UCX_WIRE_ACCEPT,
                                                                 asked.send_key),
                                                .recv_key = 99, .data = 4096, .flags = 4096,
                                                .partitions = PARTITIONS, .slices = 1, .group = 1,
                                                .method = PART_UCX_METHOD_MESSAGE, .pairs = 1};
        spoil();
        send_raw(comm, sizeof(*answer) + sizeof(mca_part_ucx_wire_pair_t));
        /* What rank 0 says to that is for nobody. */
        mt_success(MCA_PML_CALL(recv(message, sizeof(message), &ompi_mpi_byte.dt, 0,
                                     PART_UCX_LISTENER_TAG, comm, MPI_STATUS_IGNORE)),
                   "GAVE_UP");
    }
}

static void receive_raw(MPI_Comm comm, unsigned kind, mca_part_ucx_wire_header_t *came)
{
    mt_success(MCA_PML_CALL(recv(message, sizeof(message), &ompi_mpi_byte.dt, 0,
                                 PART_UCX_LISTENER_TAG, comm, MPI_STATUS_IGNORE)),
               "a set-up message");
    memcpy(came, message, sizeof(*came));
    mt_check(kind == came->kind, "a message of kind %u, not %u", came->kind, kind);
}

/* A receive that meets a send which has failed and is freed meanwhile must not wait for ever. */
static void accept_nobody(MPI_Comm comm)
{
    mca_part_ucx_wire_header_t came;
    uint64_t nobody;

    receive_raw(comm, PART_UCX_WIRE_ANNOUNCE, &came);
    memset(message, 0, sizeof(message));
    nobody = came.send_key ^ UINT64_C(1) << 60;
    answer->header = header(PART_UCX_WIRE_ACCEPT, nobody);
    send_raw(comm, sizeof(*answer));
    receive_raw(comm, PART_UCX_WIRE_GAVE_UP, &came);
    mt_check(nobody == came.send_key, "GAVE_UP is of another send");
    mt_sync();
    receive_raw(comm, PART_UCX_WIRE_WITHDRAW, &came);
    memset(message, 0, sizeof(message));
    answer->header = header(PART_UCX_WIRE_WITHDRAWN, came.send_key);
    send_raw(comm, sizeof(answer->header));
}

static void to_nobody(void)
{
    MPI_Comm comm;
    mt_side_t side;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (0 == mt_rank()) {
        mt_psend(&side, PARTITIONS, 64, 1, TAG, comm);
        mt_sync();
        mt_drop(&side);
    } else {
        accept_nobody(comm);
    }
    mt_sync();
    MPI_Comm_free(&comm);
}

static void no_pairs(void)
{
    answer->pairs = 0;
}

static void puts_without_keys(void)
{
    answer->method = PART_UCX_METHOD_FLUSH;
}

static void no_such_path(void)
{
    mca_part_ucx_wire_pair_t *pair = (mca_part_ucx_wire_pair_t *) (void *) (answer + 1);

    pair->send_path = 31;
}

static void no_group(void)
{
    answer->group = 0;
}

/* Rank 1 announces a send and says that it has failed, before there is a receive. This one must not
 * wait for it; it meets the next send if the failed one has been withdrawn. */
static void failed_meanwhile(MPI_Comm comm, bool withdrawn)
{
    mt_side_t side;

    if (1 == mt_rank()) {
        size_t length = announcement();

        announce->header.send_key = 78; /* one of the bad ones has been kept */
        announce->tag = TAG;
        send_raw(comm, length);
        announce->header.kind = PART_UCX_WIRE_GAVE_UP;
        send_raw(comm, sizeof(announce->header));
        announce->header.kind = PART_UCX_WIRE_WITHDRAW;
        if (withdrawn) {
            send_raw(comm, sizeof(announce->header));
        }
    }
    mt_both_ways(comm, mt_rank(), 1 - mt_rank(), TAG + 1); /* set up behind those messages */
    if (withdrawn) {
        mt_both_ways(comm, mt_rank(), 1 - mt_rank(), TAG);
    } else if (0 == mt_rank()) {
        mt_precv(&side, PARTITIONS, 8, 1, TAG, comm);
        MPI_Start(&side.request);
        mt_check(MPI_ERR_OTHER == mt_outcome(&side, 30), "a receive whose send had failed");
        mt_drop(&side);
    }
}

int main(int argc, char **argv)
{
    void (*const spoils[])(void) = {no_pairs, puts_without_keys, no_such_path, no_group};
    void (*const all[])(MPI_Comm) = {bad_announcements, bad_others, random_ones};

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    good_round(0);
    for (int i = 0; i < 3; i++) {
        if (1 == mt_rank()) {
            all[i](MPI_COMM_WORLD);
        }
        good_round(1 + i);
    }
    mt_result("bad set-up messages are dropped, and channels go on");
    for (int i = 0; i < 4; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mt_errors_watch(comm);
        bad_answer(comm, spoils[i]);
    }
    good_round(4);
    mt_result("a send whose answer cannot be right ends with an error");
    to_nobody();
    mt_result("a receive that has met a send that is gone is told");
    for (int withdrawn = 0; withdrawn < 2; withdrawn++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mt_errors_watch(comm);
        failed_meanwhile(comm, withdrawn);
        MPI_Comm_free(&comm);
    }
    mt_result("a send fails before there is a receive: that fails, too, unless it was withdrawn");
    return mt_end();
}
