/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * S11. Total sizes that differ are an error on both sides, not corruption and not a hang: the
 * requests complete with MPI_ERR_TRUNCATE through the communicator's handler, nothing is written
 * beyond the receive buffer, and the key works again afterwards.
 */

#include "../support/side.h"

#include <stdlib.h>
#include <string.h>

#define TAG   11
#define GUARD 4096

typedef struct {
    int partitions[2]; /* sender, receiver */
    int count[2];      /* bytes of one partition */
    bool late_receiver;
    bool second_receiver; /* the send has met a receive that fits, and that was freed unstarted */
} sizes_t;

/* Both sides: the receiver brings and frees a receive that fits, before the one that does not. */
static void meet_first(const sizes_t *sizes, MPI_Comm comm)
{
    mt_side_t fits;

    if (!sizes->second_receiver) {
        return;
    }
    mt_sync();
    if (1 == mt_rank()) {
        mt_precv(&fits, sizes->partitions[0], (size_t) sizes->count[0], 0, TAG, comm);
    }
    mt_progress(0.3);
    mt_sync();
    if (1 == mt_rank()) {
        mt_drop(&fits);
    }
}

static void finish_with_truncate(MPI_Request *request, MPI_Comm comm)
{
    int code = MPI_SUCCESS;
    MPI_Status status;

    mt_errors_clear();
    if (!mt_check(mt_wait(request, 10.0, &status, &code), "no end")) {
        return;
    }
    mt_expect(comm, code, MPI_ERR_TRUNCATE, "completion of a mismatched request");
    mt_free_failed(request);
}

static void send(const sizes_t *sizes, MPI_Comm comm)
{
    size_t bytes = (size_t) sizes->partitions[0] * (size_t) sizes->count[0];
    unsigned char *buffer = mt_alloc(bytes);
    MPI_Request request = MPI_REQUEST_NULL;

    memset(buffer, 0x11, bytes);
    mt_success(MPI_Psend_init(buffer, sizes->partitions[0], sizes->count[0], MPI_BYTE, 1, TAG, comm,
                              MPI_INFO_NULL, &request),
               "MPI_Psend_init");
    meet_first(sizes, comm);
    if (sizes->second_receiver) {
        mt_progress(0.3); /* hears of the other size before it starts */
    }
    mt_success(MPI_Start(&request), "MPI_Start");
    for (int i = 0; i < sizes->partitions[0]; i++) {
        int code = MPI_Pready(i, request); /* the mismatch may be known by now */
        mt_check(MPI_SUCCESS == code || MPI_ERR_TRUNCATE == mt_error_class(code),
                 "MPI_Pready(%d) returned %s", i, mt_class_name(mt_error_class(code)));
    }
    if (sizes->late_receiver) {
        mt_sync();
    }
    finish_with_truncate(&request, comm);
    free(buffer);
}

static void receive(const sizes_t *sizes, MPI_Comm comm)
{
    size_t bytes = (size_t) sizes->partitions[1] * (size_t) sizes->count[1];
    unsigned char *memory = mt_alloc(bytes + GUARD);
    MPI_Request request = MPI_REQUEST_NULL;

    memset(memory, (int) MT_SENTINEL, bytes + GUARD);
    if (sizes->late_receiver) {
        mt_sync();
    }
    meet_first(sizes, comm);
    mt_success(MPI_Precv_init(memory, sizes->partitions[1], sizes->count[1], MPI_BYTE, 0, TAG, comm,
                              MPI_INFO_NULL, &request),
               "MPI_Precv_init");
    mt_success(MPI_Start(&request), "MPI_Start");
    finish_with_truncate(&request, comm);
    size_t spilled = mt_differ(memory + bytes, GUARD, (unsigned char) MT_SENTINEL);
    mt_check(0 == spilled, "%zu bytes were written beyond the receive buffer", spilled);
    free(memory);
}

static void key_still_works(MPI_Comm comm)
{
    mt_side_t side;

    mt_one_way(&side, 3, 100, TAG, comm);
    mt_cycle(&side, 0);
    mt_cycle(&side, 1);
    mt_drop(&side);
    mt_expect_quiet("a channel after a mismatch");
}

/* A receive has failed because its send, of another size, does not start; then that send is freed
 * unstarted. The receive waits for no other one, and is in nobody's way, before the program has
 * looked at it and after. */
static void send_is_freed_unstarted(MPI_Comm comm)
{
    unsigned char buffer[400];
    MPI_Request request = MPI_REQUEST_NULL;

    if (0 == mt_rank()) {
        mt_success(MPI_Psend_init(buffer, 4, 100, MPI_BYTE, 1, TAG, comm, MPI_INFO_NULL, &request),
                   "MPI_Psend_init");
    } else {
        mt_success(MPI_Precv_init(buffer, 4, 50, MPI_BYTE, 0, TAG, comm, MPI_INFO_NULL, &request),
                   "MPI_Precv_init");
        mt_success(MPI_Start(&request), "MPI_Start");
    }
    mt_progress(4.5); /* part_ucx_watchdog.c: after two seconds, and it looks once a second */
    mt_sync();
    if (0 == mt_rank()) {
        mt_success(MPI_Request_free(&request), "MPI_Request_free");
    }
    mt_sync();
    mt_progress(0.3);
    key_still_works(comm);
    mt_result("the key works while a receive that has failed is there");
    if (1 == mt_rank()) {
        finish_with_truncate(&request, comm);
    }
    mt_result("that receive ends with MPI_ERR_TRUNCATE");
    mt_errors_clear();
    key_still_works(comm);
    mt_result("the key works afterwards");
}

int main(int argc, char **argv)
{
    static const sizes_t cases[] = {
        {{4, 4}, {64, 32}, false, false},        {{4, 4}, {32, 64}, false, false},
        {{8, 4}, {64, 64}, false, false},        {{2, 4}, {64, 64}, true, false},
        {{4, 1}, {64, 255}, true, false},        {{1, 3}, {100000, 100000}, false, false},
        {{3, 1}, {100000, 299999}, true, false}, {{4, 4}, {0, 32}, false, false},
        {{4, 4}, {32, 0}, false, false},         {{4, 4}, {64, 32}, false, true},
        {{2, 2}, {100000, 100001}, false, true},
    };
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        mt_errors_watch(comm);
        mt_errors_clear();
        if (0 == mt_rank()) {
            send(&cases[i], comm);
        } else {
            receive(&cases[i], comm);
        }
        mt_result("%d x %d bytes sent to %d x %d bytes: MPI_ERR_TRUNCATE on both sides%s",
                  cases[i].partitions[0], cases[i].count[0], cases[i].partitions[1],
                  cases[i].count[1], cases[i].late_receiver     ? " (receiver comes late)"
                  : cases[i].second_receiver ? " (second receiver)"
                                             : "");
        mt_errors_clear();
        key_still_works(comm);
        mt_result("the key works after the mismatch");
        MPI_Comm_free(&comm);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_check(MPI_Comm_c2f(comm) < 8, "communicators stay: this one is number %d",
             (int) MPI_Comm_c2f(comm));
    mt_result("communicators go that had failed requests");
    mt_errors_watch(comm);
    send_is_freed_unstarted(comm);
    MPI_Comm_free(&comm);
    return mt_end();
}
