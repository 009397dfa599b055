/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Mistakes of users, those that the arguments name, one after the other on two ranks that go on
 * after each. For jobs.sh, which looks at what the user is told; each mistake has a tag of its own,
 * so that the text can be recognised.
 */

#include "../support/side.h"

#include <mpix_partitioned.h>

#include <stdlib.h>
#include <string.h>

static void expect(int code, int error_class, const char *what)
{
    mt_check(error_class == mt_error_class(code), "%s returned %s", what,
             mt_class_name(mt_error_class(code)));
}

/* One side of a channel from rank 0 to rank 1. */
static void open_side(mt_side_t *side, int partitions, size_t bytes, int tag, MPI_Comm comm)
{
    mt_one_way(side, partitions, bytes, tag, comm);
}

/* Waits for the end of a request that fails, if it should; frees it and the buffer. */
static void end_with(mt_side_t *side, int error_class)
{
    int code = MPI_SUCCESS;

    if (mt_check(mt_wait(&side->request, 30.0, MPI_STATUS_IGNORE, &code), "no end")) {
        expect(code, error_class, "completion");
    }
    if (MPI_REQUEST_NULL != side->request) {
        MPI_Request_free(&side->request);
    }
    free(side->buffer);
}

static void argument(MPI_Comm comm)
{
    char buffer[4] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    if (0 == mt_rank()) {
        expect(MPI_Psend_init(buffer, 0, 4, MPI_BYTE, 1, 301, comm, MPI_INFO_NULL, &request),
               MPI_ERR_ARG, "MPI_Psend_init");
    }
}

/* Three wrong calls on an active send. */
static void active(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 4, 100, 302, comm);
    mt_start(&side);
    if (0 == mt_rank()) {
        expect(MPI_Pready(4, side.request), MPI_ERR_ARG, "MPI_Pready");
        expect(MPI_Cancel(&side.request), MPI_ERR_REQUEST, "MPI_Cancel");
        expect(MPI_Request_free(&side.request), MPI_ERR_REQUEST, "MPI_Request_free");
        mt_send_partition(&side, -1, 0);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

static void size(MPI_Comm comm)
{
    mt_side_t side;
    bool sends = 0 == mt_rank();

    open_side(&side, sends ? 2 : 4, sends ? 100 : 60, 303, comm);
    mt_start(&side);
    end_with(&side, MPI_ERR_TRUNCATE);
}

/* The receiver frees its request, and the sender starts once more. */
static void freed(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 2, 100, 304, comm);
    mt_cycle(&side, 0);
    if (1 == mt_rank()) {
        mt_drop(&side);
    }
    mt_sync();
    if (0 == mt_rank()) {
        mt_start(&side);
        end_with(&side, MPI_ERR_OTHER);
    }
}

/* The receiver has started, then is elsewhere for a while: what it would fetch is not fetched. */
static void stalled(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 4, 1 << 20, 305, comm);
    mt_cycle(&side, 0);
    mt_start(&side);
    mt_sync();
    if (0 == mt_rank()) {
        mt_sleep(0.3); /* now it is elsewhere */
        mt_send_partition(&side, -1, 1);
        mt_progress(5.0);
    } else {
        mt_sleep(5.5);
    }
    mt_finish(&side.request, MPI_STATUS_IGNORE);
    mt_drop(&side);
}

static void source(MPI_Comm comm)
{
    char buffer[4] = {0};
    MPI_Comm promised = mt_dup_with(comm, "mpi_assert_no_any_source", "true");
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_set_errhandler(promised, MPI_ERRORS_RETURN);
    expect(MPI_Psend_init(buffer, 1, 4, MPI_BYTE, 1 - mt_rank(), 306, promised, MPI_INFO_NULL,
                          &request),
           MPI_ERR_COMM, "MPI_Psend_init");
    MPI_Comm_free(&promised);
}

static void alltoall_in_place(MPI_Comm comm)
{
    int buffer[2 * 2 * 3] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    expect(MPIX_Palltoall_init(MPI_IN_PLACE, 2, 3, MPI_INT, buffer, 2, 3, MPI_INT, comm,
                               MPI_INFO_NULL, &request),
           MPI_ERR_ARG, "MPIX_Palltoall_init");
}

static void bcast_in_place(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;

    expect(MPIX_Pbcast_init(MPI_IN_PLACE, 2, 3, MPI_INT, 0, comm, MPI_INFO_NULL, &request),
           MPI_ERR_ARG, "MPIX_Pbcast_init");
}

/* Every rank takes itself for the root. */
static void root(MPI_Comm comm)
{
    int buffer[2 * 3] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPIX_Pbcast_init(buffer, 2, 3, MPI_INT, mt_rank(), comm, MPI_INFO_NULL, &request);

    mt_check(MPI_SUCCESS != code, "MPIX_Pbcast_init succeeded");
}

/* Ends the job: what MPIX functions have to say is told with the error. */
static void prepare(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 2, 100, 308, comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPIX_Pbuf_prepare(&side.request);
    mt_check(false, "MPIX_Pbuf_prepare of a request that was never started came back");
}

/* No mistake. */
static void channel(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 2, 100, 307, comm);
    mt_cycle(&side, 0);
    mt_drop(&side);
}

/* Neither, but jobs.sh has given the ranks settings that let it fail. */
static void no_channel(MPI_Comm comm)
{
    mt_side_t side;

    open_side(&side, 2, 100, 308, comm);
    mt_start(&side);
    end_with(&side, MPI_ERR_OTHER);
}

/* Ends the program: before MPI_Init there is no communicator. */
static void too_early(void)
{
    char buffer[4] = {0};
    MPI_Request request = MPI_REQUEST_NULL;

    MPIX_Pbcast_init(buffer, 1, 4, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static const struct {
    const char *name;
    void (*make)(MPI_Comm comm);
} mistakes[] = {
    {"argument", argument},
    {"active", active},
    {"size", size},
    {"freed", freed},
    {"stalled", stalled},
    {"source", source},
    {"alltoall-in-place", alltoall_in_place},
    {"bcast-in-place", bcast_in_place},
    {"root", root},
    {"prepare", prepare},
    {"channel", channel},
    {"no-channel", no_channel},
};

static void make_mistake(const char *name, MPI_Comm comm)
{
    bool made = false;

    mt_stage("%s", name);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        if (0 == strcmp(name, mistakes[i].name)) {
            mistakes[i].make(comm);
            made = true;
        }
    }
    mt_check(made, "there is no mistake \"%s\"", name);
    mt_result("%s", name);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    if (argc > 1 && 0 == strcmp(argv[1], "too-early")) {
        too_early();
    }
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++) {
        make_mistake(argv[i], comm);
    }
    MPI_Comm_free(&comm);
    return mt_end();
}
