/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the partitioned collectives: MPI_P*_init when asked for, MPIX_P*_init, and PMPIX_P*_init
 * are the same functions; a tool that defines an MPIX_ name gets the calls, and calls the PMPIX_
 * one.
 */

#define MPIX_PARTITIONED_MPI_NAMES
#include "../support/mpitest.h"

#include <mpix_partitioned.h>

typedef void (*function_t)(void);

#define NAMES(name)                                                               \
    {                                                                             \
        #name, (function_t) MPI_P##name##_init, (function_t) MPIX_P##name##_init, \
            (function_t) PMPIX_P##name##_init                                     \
    }

static const struct {
    const char *name;
    function_t mpi;
    function_t mpix;
    function_t pmpix;
} names[] = {
    NAMES(bcast),
    NAMES(gather),
    NAMES(gatherv),
    NAMES(scatter),
    NAMES(scatterv),
    NAMES(allgather),
    NAMES(allgatherv),
    NAMES(alltoall),
    NAMES(alltoallv),
    NAMES(alltoallw),
    NAMES(reduce),
    NAMES(allreduce),
    NAMES(reduce_scatter_block),
    NAMES(reduce_scatter),
    NAMES(scan),
    NAMES(exscan),
    NAMES(neighbor_allgather),
    NAMES(neighbor_allgatherv),
    NAMES(neighbor_alltoall),
    NAMES(neighbor_alltoallv),
    NAMES(neighbor_alltoallw),
};

#define COUNT ((int) (sizeof(names) / sizeof(names[0])))

/* What a profiling tool does. */
static int calls;

int MPIX_Pbcast_init(void *buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int root,
                     MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    calls++;
    return PMPIX_Pbcast_init(buffer, partitions, count, datatype, root, comm, info, request);
}

int MPIX_Parrived_any(MPI_Request request, int *partition, int *flag)
{
    calls++;
    return PMPIX_Parrived_any(request, partition, flag);
}

static void same_functions(void)
{
    mt_check(21 == COUNT, "there are %d names", COUNT);
    for (int i = 0; i < COUNT; i++) {
        bool ours = (function_t) MPIX_Pbcast_init == names[i].mpix;

        mt_check(names[i].mpi == names[i].mpix, "MPI_P%s_init is another function", names[i].name);
        mt_check(ours != (names[i].mpix == names[i].pmpix), "MPIX_P%s_init and its PMPIX_ name",
                 names[i].name);
        for (int k = 0; k < i; k++) {
            mt_check(names[k].mpix != names[i].mpix, "P%s_init is P%s_init", names[k].name,
                     names[i].name);
        }
    }
}

static void intercepted(void)
{
    MPI_Request request;
    int value = 0 == mt_rank() ? 42 : 0;
    int partition = -1, flag = 0;

    mt_success(MPI_Pbcast_init(&value, 1, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
               "MPI_Pbcast_init");
    mt_check(1 == calls, "the tool has seen %d calls", calls);
    MPI_Start(&request);
    if (0 == mt_rank()) {
        MPI_Pready(0, request);
    }
    mt_finish(&request, MPI_STATUS_IGNORE);
    mt_check(42 == value, "the value is %d", value);
    mt_success(MPIX_Parrived_any(request, &partition, &flag), "MPIX_Parrived_any");
    mt_check(2 == calls, "the tool has seen %d calls", calls);
    mt_check(1 == flag && (0 == mt_rank() ? MPI_UNDEFINED : 0) == partition, "partition %d",
             partition);
    mt_free(&request);
}

int main(int argc, char **argv)
{
    mt_begin(&argc, &argv, MPI_THREAD_SINGLE, 1);
    same_functions();
    mt_result("MPI_, MPIX_ and PMPIX_ names are the same 21 functions");
    if (mt_component_is("ucx")) {
        intercepted();
        mt_result("a tool gets the calls of MPIX_ names");
    } else {
        mt_skip("part/ucx only", "a tool gets the calls of MPIX_ names");
    }
    return mt_end();
}
