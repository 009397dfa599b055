/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers in memory of an accelerator, which neither component can move: an error on every rank,
 * before a byte is touched, and not a crash later. MPI's persistent collectives are handed on.
 * Memory that processor and accelerator share is like any other. The accelerator is made up:
 * Open MPI is told which addresses are in its memory.
 *
 * Run with coll_pschedule_persistent on.
 */

#include "ompi_config.h"

#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include "opal/mca/accelerator/accelerator.h"

#define CUT   2
#define COUNT 50
#define TAG   126

static int from[CUT * COUNT];
static int to[CUT * COUNT];

/* What is said of `from`. */
static int on_device;
static uint64_t device_flags;

static int check_address(const void *address, int *device, uint64_t *flags)
{
    bool here = address >= (const void *) from && address < (const void *) (from + CUT * COUNT);

    *device = 0;
    *flags = device_flags;
    return here ? on_device : 0;
}

static int psend(MPI_Comm comm, MPI_Request *request)
{
    return MPI_Psend_init(from, CUT, COUNT, MPI_INT, mt_rank(), TAG, comm, MPI_INFO_NULL, request);
}

static int precv(MPI_Comm comm, MPI_Request *request)
{
    return MPI_Precv_init(from, CUT, COUNT, MPI_INT, mt_rank(), TAG, comm, MPI_INFO_NULL, request);
}

static int pallreduce(MPI_Comm comm, MPI_Request *request)
{
    return MPIX_Pallreduce_init(from, to, CUT, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                request);
}

static int pbcast(MPI_Comm comm, MPI_Request *request)
{
    return MPIX_Pbcast_init(from, CUT, COUNT, MPI_INT, 0, comm, MPI_INFO_NULL, request);
}

static void refused(MPI_Comm comm, int (*init)(MPI_Comm comm, MPI_Request *request),
                    const char *what, int error_class)
{
    MPI_Request request = MPI_REQUEST_NULL;

    mt_stage("%s", what);
    mt_expect(comm, init(comm, &request), error_class, what);
    mt_check(MPI_REQUEST_NULL == request, "%s: there is a request", what);
}

/* One rank's buffer is on the device; all hear of it. */
static void refused_on_one(MPI_Comm comm)
{
    int last = mt_size() - 1;

    on_device = mt_rank() == last;
    refused(comm, pallreduce, "MPIX_Pallreduce_init on one rank",
            mt_rank() == last ? MPI_ERR_BUFFER : MPI_ERR_OTHER);
}

/* The made-up device is one for as long as the call lasts: what it is handed on to works. */
static void handed_on(void)
{
    long long before = pc_handed_on();
    MPI_Request request;

    on_device = 1;
    mt_success(MPI_Allreduce_init(from, to, CUT * COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &request),
               "MPI_Allreduce_init");
    on_device = 0;
    mt_check(pc_handed_on() == before + 1, "it was not handed on");
    mt_free(&request);
}

static void shared_memory_is_served(void)
{
    MPI_Request request;

    on_device = 1;
    device_flags = MCA_ACCELERATOR_FLAGS_UNIFIED_MEMORY;
    for (int i = 0; i < CUT * COUNT; i++) {
        from[i] = i + mt_rank();
    }
    mt_success(pallreduce(MPI_COMM_WORLD, &request), "MPIX_Pallreduce_init");
    mt_success(MPI_Start(&request), "MPI_Start");
    mt_success(MPI_Pready_range(0, CUT - 1, request), "MPI_Pready_range");
    mt_finish(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < CUT * COUNT; i++) {
        int sum = mt_size() * i + mt_size() * (mt_size() - 1) / 2;

        mt_check(sum == to[i], "element %d is %d, not %d", i, to[i], sum);
    }
    mt_free(&request);
    on_device = 0;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    opal_accelerator.check_addr = check_address;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    on_device = 1;
    refused(comm, psend, "MPI_Psend_init", MPI_ERR_BUFFER);
    refused(comm, precv, "MPI_Precv_init", MPI_ERR_BUFFER);
    refused(comm, pallreduce, "MPIX_Pallreduce_init", MPI_ERR_BUFFER);
    refused(comm, pbcast, "MPIX_Pbcast_init", MPI_ERR_BUFFER);
    refused_on_one(comm);
    mt_result("memory of an accelerator is refused");
    handed_on();
    mt_result("MPI's persistent collective on such memory is handed on");
    shared_memory_is_served();
    mt_result("memory that the processor shares with it is served");
    MPI_Comm_free(&comm);
    return mt_end();
}
