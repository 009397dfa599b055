/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What c26a_accelerator checks with a made-up device, on a CUDA device: its memory is refused,
 * MPI's persistent collectives on it are handed on, and managed memory is like any other, small and
 * large, also where the device has written it last. Skipped without a device, and where Open MPI is
 * built without CUDA. Nothing of CUDA is needed to build it.
 *
 * Run with coll_pschedule_persistent on.
 */
#include "ompi_config.h"

#include "../../bench/libraries/cuda.h"
#include "../support/pcoll.h"

#include <mpix_partitioned.h>

#include "opal/mca/accelerator/accelerator.h"

#include <dlfcn.h>
#include <stdint.h>

#define CUT     4
#define TAG     127
#define GLOBAL  1u /* CU_MEM_ATTACH_GLOBAL */
#define SMALL   1024
#define LARGE   (1 << 20) /* ints of a partition: far beyond what leaves eagerly */
#define ROUNDS  3
#define PATTERN 0x5a

/* cuMemAllocManaged of CUDA's driver; 0 is success. */
typedef int allocate_managed_t(unsigned long long *address, size_t bytes, unsigned flags);

static int *managed_memory(size_t bytes)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    unsigned long long address = 0;
    allocate_managed_t *allocate;

    *(void **) &allocate = dlsym(library, "cuMemAllocManaged"); /* as POSIX has it */
    mt_check(NULL != allocate && 0 == allocate(&address, bytes, GLOBAL), "no managed memory");
    return (int *) (uintptr_t) address;
}

static bool open_mpi_knows(const int *memory)
{
    uint64_t flags;
    int device;

    return NULL != opal_accelerator.check_addr
           && 0 < opal_accelerator.check_addr(memory, &device, &flags);
}

static bool all_agree(bool one)
{
    int each = one, all;

    MPI_Allreduce(&each, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return 0 != all;
}

/* ---- memory of the device ---- */

static void is_refused(MPI_Comm comm, int *memory)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int peer = 1 - mt_rank();

    mt_expect(comm,
              MPI_Psend_init(memory, CUT, SMALL, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request),
              MPI_ERR_BUFFER, "MPI_Psend_init");
    mt_expect(comm,
              MPI_Precv_init(memory, CUT, SMALL, MPI_INT, peer, TAG, comm, MPI_INFO_NULL, &request),
              MPI_ERR_BUFFER, "MPI_Precv_init");
    mt_expect(comm,
              MPIX_Pbcast_init(memory, CUT, SMALL, MPI_INT, 0, comm, MPI_INFO_NULL, &request),
              MPI_ERR_BUFFER, "MPIX_Pbcast_init");
    mt_check(MPI_REQUEST_NULL == request, "there is a request");
    mt_result("memory of the device is refused");
}

static void is_handed_on(int *memory)
{
    long long before = pc_handed_on();
    static int copy[SMALL];
    MPI_Request request = MPI_REQUEST_NULL;

    mt_success(MPI_Bcast_init(memory, SMALL, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               "MPI_Bcast_init");
    mt_check(pc_handed_on() == before + 1, "it was not handed on");
    cuda_set((char *) memory, 0 == mt_rank() ? PATTERN : 0, sizeof(copy));
    mt_success(MPI_Start(&request), "MPI_Start");
    mt_finish(&request, MPI_STATUS_IGNORE);
    cuda_read(copy, (const char *) memory, sizeof(copy));
    mt_check(0 == mt_differ(copy, sizeof(copy), PATTERN), "bytes differ");
    mt_free(&request);
    mt_result("MPI's persistent broadcast on it is handed on, and right");
}

/* ---- managed memory ---- */

static void round_of(MPI_Request *request, int *memory, size_t bytes, unsigned char value)
{
    bool sends = 0 == mt_rank();

    cuda_set((char *) memory, sends ? value : 0, bytes); /* the device has the pages */
    mt_success(MPI_Start(request), "MPI_Start");
    if (sends) {
        mt_success(MPI_Pready_range(0, CUT - 1, *request), "MPI_Pready_range");
    }
    mt_finish(request, MPI_STATUS_IGNORE);
    mt_check(0 == mt_differ(memory, bytes, value), "bytes of value %d differ", value);
}

static void is_sent(int count)
{
    size_t bytes = (size_t) CUT * (size_t) count * sizeof(int);
    int *memory = managed_memory(bytes);
    MPI_Request request = MPI_REQUEST_NULL;

    mt_success(0 == mt_rank() ? MPI_Psend_init(memory, CUT, count, MPI_INT, 1, TAG, MPI_COMM_WORLD,
                                               MPI_INFO_NULL, &request)
                              : MPI_Precv_init(memory, CUT, count, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                                               MPI_INFO_NULL, &request),
               "init");
    for (unsigned char i = 1; i <= ROUNDS; ++i) {
        round_of(&request, memory, bytes, i);
    }
    mt_free(&request);
    cuda_free((char *) memory);
    mt_result("managed memory is sent and received, %d ints a partition", count);
}

static void is_reduced(int count)
{
    size_t bytes = (size_t) CUT * (size_t) count * sizeof(int);
    int *from = managed_memory(bytes), *to = managed_memory(bytes);
    MPI_Request request = MPI_REQUEST_NULL;

    mt_success(MPIX_Pallreduce_init(from, to, CUT, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &request),
               "MPIX_Pallreduce_init");
    for (unsigned char i = 1; i <= ROUNDS; ++i) {
        cuda_set((char *) from, i, bytes);
        cuda_set((char *) to, 0, bytes);
        mt_success(MPI_Start(&request), "MPI_Start");
        mt_success(MPI_Pready_range(0, CUT - 1, request), "MPI_Pready_range");
        mt_finish(&request, MPI_STATUS_IGNORE);
        mt_check(0 == mt_differ(to, bytes, (unsigned char) (2 * i)), "a sum is wrong");
    }
    mt_free(&request);
    cuda_free((char *) from);
    cuda_free((char *) to);
    mt_result("managed memory is reduced, %d ints a partition", count);
}

int main(int argc, char **argv)
{
    int *memory = NULL;
    MPI_Comm comm;
    bool here;

    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 2);
    here = all_agree(NULL == cuda_open(0));
    if (here) {
        memory = (int *) (void *) cuda_allocate(CUT * SMALL * sizeof(int));
        here = all_agree(open_mpi_knows(memory));
    }
    if (!here) {
        cuda_free((char *) memory);
        mt_skip("no CUDA device, or Open MPI is built without CUDA", "memory of a CUDA device");
        return mt_end();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_errors_watch(comm);
    is_refused(comm, memory);
    is_handed_on(memory);
    is_sent(SMALL);
    is_sent(LARGE);
    is_reduced(SMALL);
    is_reduced(LARGE / 4);
    cuda_free((char *) memory);
    MPI_Comm_free(&comm);
    return mt_end();
}
