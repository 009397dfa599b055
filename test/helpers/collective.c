/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A partitioned collective where there may be none: says what MPIX_Pallreduce_init returns, and
 * shows that MPI goes on. For jobs.sh.
 *
 *   collective fatal         errors end the job
 *   collective descriptors   there are two descriptors left when paths are open
 *   collective raised        the same, but the process may raise the limit
 */

#include "../support/mpitest.h"

#include <mpix_partitioned.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Two more than are open. */
static void leave_few_descriptors(bool for_good)
{
    DIR *folder = opendir("/proc/self/fd");
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 2;
    while (NULL != readdir(folder)) {
        ++limit.rlim_cur;
    }
    closedir(folder);
    limit.rlim_max = for_good ? limit.rlim_cur : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int make(int *in, int *out, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPIX_Pallreduce_init(in, out, 1, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                                    &request);

    if (MPI_SUCCESS == code) {
        MPI_Request_free(&request);
    }
    return code;
}

int main(int argc, char **argv)
{
    const char *how = argc < 2 ? "" : argv[1];
    int in = 1;
    int out = 0;
    int rank = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (0 != strcmp(how, "fatal")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (0 == strcmp(how, "descriptors") || 0 == strcmp(how, "raised")) {
        make(&in, &out, MPI_COMM_SELF);
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* Open MPI has its own */
        leave_few_descriptors(0 == strcmp(how, "descriptors"));
    }
    printf("RESULT %s\n", mt_class_name(mt_error_class(make(&in, &out, MPI_COMM_WORLD))));
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("RESULT sum %d\n", out);
    MPI_Finalize();
    return 0;
}
