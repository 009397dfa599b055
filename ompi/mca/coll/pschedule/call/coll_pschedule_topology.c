/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Hosts of a communicator (see coll_pschedule_topology.h).
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "call/coll_pschedule_topology.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "call/coll_pschedule_agree.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/runtime/ompi_rte.h"

typedef mca_coll_pschedule_topology_t topology_t;

/* What each rank tells all others. */
typedef struct seat_t {
    uint64_t host;             /* the machine's */
    uint64_t number;           /* for the map: the same, or made up */
    mca_part_ucx_shm_t beacon; /* what the other ranks of the host look for, as processes may be
                                * kept from seeing each other's */
} seat_t;

_Static_assert(0 == sizeof(seat_t) % sizeof(uint64_t), "seats are numbers");

/* ---- made-up hosts ---- */

bool mca_coll_pschedule_topology_is_list(const char *text)
{
    do {
        size_t digits = strspn(text, "0123456789");

        if (0 == digits) {
            return false;
        }
        text += digits;
    } while (',' == *text++);
    return '\0' == text[-1];
}

/* Of a list that is one. */
static uint64_t made_up_host(const char *list)
{
    uint32_t entries = 1;

    for (const char *comma = strchr(list, ','); NULL != comma; comma = strchr(comma + 1, ',')) {
        ++entries;
    }
    for (uint32_t i = (uint32_t) OMPI_PROC_MY_NAME->vpid % entries; i > 0; --i) {
        list = strchr(list, ',') + 1;
    }
    return strtoull(list, NULL, 10);
}

/* ---- exchange ---- */

/* Is something so on all ranks? Not when that cannot be found out. */
static bool all(ompi_communicator_t *comm, bool mine)
{
    return MPI_SUCCESS
           == mca_coll_pschedule_agree_on_outcome(comm, mine ? MPI_SUCCESS : MPI_ERR_OTHER);
}

static bool exchange(ompi_communicator_t *comm, const seat_t *mine, seat_t *seat)
{
    mca_coll_base_comm_coll_t *coll = comm->c_coll;
    int count = (int) (sizeof(*mine) / sizeof(uint64_t));

    return OMPI_SUCCESS == coll->coll_allgather(mine, count, &ompi_mpi_uint64_t.dt, seat, count,
                                                &ompi_mpi_uint64_t.dt, comm,
                                                coll->coll_allgather_module);
}

/* Does this rank see what the first one of its host has made? */
static bool sees_first(const seat_t *seat, uint32_t rank, const mca_part_ucx_link_api_t *links)
{
    uint32_t first = 0;

    while (seat[first].host != seat[rank].host) {
        ++first;
    }
    return first == rank || links->sees(&seat[first].beacon);
}

/* Make the map of what all have told. */
static bool make_map(topology_t *topology, const seat_t *seat, uint32_t rank, uint32_t size)
{
    uint64_t *number = calloc(size, sizeof(*number));
    bool good;

    topology->beside = calloc(size, sizeof(*topology->beside));
    if (NULL == number || NULL == topology->beside) {
        free(number);
        return false;
    }
    for (uint32_t i = 0; i < size; ++i) {
        number[i] = seat[i].number;
        topology->beside[i] = seat[i].host == seat[rank].host;
    }
    good = mca_coll_pschedule_hosts_make(&topology->hosts, number, size);
    free(number);
    return good;
}

/* How many processors all ranks together may run on; 0: not known, as a rank says, or does not know
 * of its own because the machine has too many. */
static uint32_t count_processors(ompi_communicator_t *comm, bool unknown)
{
    enum { WORDS = 4096 / 64 };
    mca_coll_base_comm_coll_t *coll = comm->c_coll;
    uint64_t mine[WORDS + 1] = {0}, together[WORDS + 1]; /* a bit for each; then: not known */
    uint32_t count = 0;
    bool good;

    unknown = unknown || 0 != sched_getaffinity(0, WORDS * sizeof(*mine), (void *) mine);
    mine[WORDS] = unknown;
    good = OMPI_SUCCESS
           == coll->coll_allreduce(mine, together, WORDS + 1, &ompi_mpi_uint64_t.dt,
                                   &ompi_mpi_op_bor.op, comm, coll->coll_allreduce_module);
    if (!all(comm, good) || 0 != together[WORDS]) {
        return 0; /* on all ranks */
    }
    for (int i = 0; i < WORDS; ++i) {
        count += (uint32_t) __builtin_popcountll(together[i]);
    }
    return count;
}

/* Every rank has links, and room for what the others tell. */
static void find_out(topology_t *topology, ompi_communicator_t *comm,
                     const mca_part_ucx_link_api_t *links, const char *made_up, seat_t *seat)
{
    uint32_t rank = (uint32_t) ompi_comm_rank(comm), size = (uint32_t) ompi_comm_size(comm);
    seat_t mine = {.host = links->host()};
    bool good;

    mine.number = NULL == made_up ? mine.host : made_up_host(made_up);
    (void) links->beacon(&mine.beacon);
    good = exchange(comm, &mine, seat) && make_map(topology, seat, rank, size);
    topology->hosts.shares = all(comm, good && sees_first(seat, rank, links));
    topology->known = all(comm, good);
    if (topology->known && 1 == topology->hosts.count) {
        /* Not of several machines that are made up to be one. */
        topology->hosts.processors = count_processors(comm, mine.host != seat[0].host);
    }
    links->unshare(&mine.beacon); /* all have looked */
}

void mca_coll_pschedule_topology_agree(topology_t *topology, ompi_communicator_t *comm,
                                       const mca_part_ucx_link_api_t *links, const char *made_up)
{
    seat_t *seat = calloc((size_t) ompi_comm_size(comm), sizeof(*seat));

    if (all(comm, NULL != seat && NULL != links)) {
        find_out(topology, comm, links, made_up, seat);
    }
    if (!topology->known) {
        mca_coll_pschedule_topology_free(topology);
    }
    free(seat);
}

void mca_coll_pschedule_topology_free(topology_t *topology)
{
    mca_coll_pschedule_hosts_free(&topology->hosts);
    free(topology->beside);
    *topology = (topology_t) {0};
}
