/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hosts of a job (see tune_hosts.h).
 */
#include "tune_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "tune_variable.h"

/* The host of a rank in a list of made-up ones such as 0,0,1,1, which may be shorter. */
static int made_up_host(const char *list, int rank)
{
    int count = 1;
    const char *at = list;

    for (const char *c = list; '\0' != *c; ++c) {
        count += ',' == *c;
    }
    for (int skip = rank % count; skip > 0; --skip) {
        at = strchr(at, ',') + 1;
    }
    return (int) strtol(at, NULL, 10);
}

/* A number that the ranks of a host have in common: the first of them. */
static int real_host(int rank)
{
    MPI_Comm comm;
    int first = rank;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    return first;
}

void tune_hosts_learn(tune_hosts_t *hosts)
{
    char list[4096];
    int host, index, on, leads;

    MPI_Comm_rank(MPI_COMM_WORLD, &hosts->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &hosts->size);
    tune_variable_text("hosts", list, sizeof(list));
    host = '\0' == list[0] ? real_host(hosts->rank) : made_up_host(list, hosts->rank);
    MPI_Comm_split(MPI_COMM_WORLD, host, hosts->rank, &hosts->local);
    MPI_Comm_rank(hosts->local, &index);
    MPI_Comm_size(hosts->local, &on);
    MPI_Comm_split(MPI_COMM_WORLD, index, hosts->rank, &hosts->lane);
    leads = hosts->leads = 0 == index;
    MPI_Allreduce(&leads, &hosts->hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&on, &hosts->fewest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&on, &hosts->most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    hosts->rides = index < hosts->fewest;
}

void tune_hosts_forget(tune_hosts_t *hosts)
{
    MPI_Comm_free(&hosts->local);
    MPI_Comm_free(&hosts->lane);
}
