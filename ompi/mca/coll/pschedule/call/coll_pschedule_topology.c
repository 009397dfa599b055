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

#include "call/coll_pschedule_agree.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/runtime/ompi_rte.h"

typedef mca_coll_pschedule_topology_t topology_t;

/* What each rank tells all others. */
typedef struct seat_t {
    uint64_t host;            /* the machine's */
    uint64_t number;          /* for the map: the same, or made up */
    mca_coll_pschedule_processors_t processors;
    uint32_t reserved;        /* 0 */
    mca_part_ucx_shm_t probe; /* what the other ranks of the host look for, as processes may be kept
                               * from seeing each other's */
} seat_t;

_Static_assert(0 == sizeof(seat_t) % sizeof(uint64_t), "seats are numbers");

/* ---- made-up hosts ---- */

static uint32_t count_entries(const char *text)
{
    uint32_t count = 1;

    for (; '\0' != *text; ++text) {
        count += ',' == *text;
    }
    return count;
}

/* Reads a number; NULL when there is none, or when something else follows than a comma. */
static const char *read_entry(const char *text, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9') {
        return NULL;
    }
    *number = strtoull(text, &end, 10);
    return ',' == *end ? end + 1 : '\0' == *end ? end : NULL;
}

bool mca_coll_pschedule_topology_is_list(const char *text)
{
    uint64_t number;

    for (uint32_t left = count_entries(text); 0 < left; --left) {
        text = read_entry(text, &number);
        if (NULL == text) {
            return false;
        }
    }
    return true;
}

static uint64_t made_up_host(const char *list)
{
    uint32_t entry = (uint32_t) OMPI_PROC_MY_NAME->vpid % count_entries(list);
    uint64_t number = 0;

    for (uint32_t i = 0; i <= entry && NULL != list; ++i) {
        list = read_entry(list, &number);
    }
    return number;
}

/* ---- processors ---- */

static mca_coll_pschedule_processors_t my_processors(void)
{
    mca_coll_pschedule_processors_t mine = {0};
    cpu_set_t set[COLL_PSCHEDULE_PROCESSORS / CPU_SETSIZE];

    if (0 != sched_getaffinity(0, sizeof(set), set)) {
        return mine;
    }
    for (uint32_t i = 0; i < COLL_PSCHEDULE_PROCESSORS; ++i) {
        if (CPU_ISSET_S(i, sizeof(set), set)) {
            mine.lowest = 0 == mine.count ? i : mine.lowest;
            mine.highest = i;
            ++mine.count;
        }
    }
    return mine;
}

/* 0: not known; also of several machines that are made up to be one. */
static uint32_t all_processors(const seat_t *seat, uint32_t size)
{
    mca_coll_pschedule_union_t all = {.sum = 0};

    for (uint32_t i = 0; i < size; ++i) {
        all.unknown = all.unknown || seat[i].host != seat[0].host;
        mca_coll_pschedule_union_add(&all, &seat[i].processors);
    }
    return mca_coll_pschedule_union_count(&all);
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
    return first == rank || links->sees(&seat[first].probe);
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
    if (good && 1 == topology->hosts.count) {
        topology->hosts.processors = all_processors(seat, size);
    }
    free(number);
    return good;
}

/* Every rank has links, and room for what the others tell. */
static void find_out(topology_t *topology, ompi_communicator_t *comm,
                     const mca_part_ucx_link_api_t *links, const char *made_up, seat_t *seat)
{
    uint32_t rank = (uint32_t) ompi_comm_rank(comm), size = (uint32_t) ompi_comm_size(comm);
    seat_t mine = {.host = links->host(), .processors = my_processors()};
    bool good;

    mine.number = NULL == made_up ? mine.host : made_up_host(made_up);
    (void) links->probe(&mine.probe);
    good = exchange(comm, &mine, seat) && make_map(topology, seat, rank, size);
    topology->hosts.shares = all(comm, good && sees_first(seat, rank, links));
    topology->known = all(comm, good);
    links->unshare(&mine.probe); /* all have looked */
}

void mca_coll_pschedule_topology_agree(topology_t *topology, ompi_communicator_t *comm,
                                       const mca_part_ucx_link_api_t *links, const char *made_up)
{
    seat_t *seat;

    if (topology->known) {
        return;
    }
    seat = calloc((size_t) ompi_comm_size(comm), sizeof(*seat));
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
