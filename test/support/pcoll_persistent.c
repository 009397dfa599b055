/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of MPI-4: MPI_<kind>_init of a pc_t, its partitions taken together. The lists that a
 * call is given are overwritten and freed when it returns.
 *
 * With MPIX_TEST_PERSISTENT programs make these instead of partitioned ones. Every one of them must
 * be served by coll/pschedule, which its counter shows.
 */

#include "pcoll_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block, or blocks that are all alike. */
typedef struct {
    const void *buffer;
    int count;
    MPI_Datatype type;
} even_t;

/* Blocks that differ. */
typedef struct {
    int blocks;
    int *counts;
    int *displs;
    MPI_Aint *wide;
    MPI_Datatype *types;
} lists_t;

bool pc_is_persistent(void)
{
    return NULL != getenv("MPIX_TEST_PERSISTENT");
}

/* ---- the counters ---- */

typedef struct {
    const char *name;
    bool looked_for;
    bool found;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
} variable_t;

static void look_for(variable_t *variable)
{
    int index, count, provided;

    variable->looked_for = true;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_SUCCESS == MPI_T_pvar_get_index(variable->name, MPI_T_PVAR_CLASS_COUNTER, &index)) {
        variable->found = true;
        MPI_T_pvar_session_create(&variable->session);
        MPI_T_pvar_handle_alloc(variable->session, index, NULL, &variable->handle, &count);
    }
}

static long long read_variable(variable_t *variable)
{
    unsigned long long value = 0;

    if (!variable->looked_for) {
        look_for(variable);
    }
    if (!variable->found) {
        return -1;
    }
    MPI_T_pvar_read(variable->session, variable->handle, &value);
    return (long long) value;
}

long long pc_served(void)
{
    static variable_t variable = {.name = "coll_pschedule_persistent_served"};

    return read_variable(&variable);
}

long long pc_handed_on(void)
{
    static variable_t variable = {.name = "coll_pschedule_persistent_handed_on"};

    return read_variable(&variable);
}

long long pc_handed_back(void)
{
    static variable_t variable = {.name = "coll_pschedule_persistent_handed_back"};

    return read_variable(&variable);
}

/* ---- arguments ---- */

static bool in_place_here(const pc_t *pc)
{
    return pc->spec.in_place && pc->trait->in_place
           && (!pc->trait->rooted || pc->rank == pc->spec.root);
}

static int elements(const pc_side_t *side, int block)
{
    return side->cuts[block] * (int) side->counts[block];
}

static even_t even_side(const pc_side_t *side, bool in_place)
{
    if (0 == side->blocks) {
        return (even_t){in_place ? MPI_IN_PLACE : NULL, 0, MPI_INT};
    }
    return (even_t){side->origin, elements(side, 0), side->types[0]};
}

static lists_t make_lists(const pc_side_t *side)
{
    size_t room = (size_t) side->blocks + 1;
    lists_t lists = {side->blocks, mt_alloc(room * sizeof(int)), mt_alloc(room * sizeof(int)),
                     mt_alloc(room * sizeof(MPI_Aint)), mt_alloc(room * sizeof(MPI_Datatype))};

    for (int b = 0; b < side->blocks; b++) {
        lists.counts[b] = elements(side, b);
        lists.displs[b] = NULL == side->displs ? 0 : (int) side->displs[b];
        lists.wide[b] = NULL == side->displs ? 0 : side->displs[b];
        lists.types[b] = side->types[b];
    }
    return lists;
}

static void spoil_lists(lists_t *lists)
{
    size_t room = (size_t) lists->blocks + 1;

    memset(lists->counts, 0x55, room * sizeof(int));
    memset(lists->displs, 0x55, room * sizeof(int));
    memset(lists->wide, 0x55, room * sizeof(MPI_Aint));
    memset(lists->types, 0x55, room * sizeof(MPI_Datatype));
    free(lists->counts);
    free(lists->displs);
    free(lists->wide);
    free(lists->types);
}

/* ---- calls ---- */

static int init_movement(pc_t *pc, even_t send, even_t recv, const lists_t *s, const lists_t *r,
                         MPI_Request *request)
{
    void *to = (void *) recv.buffer;
    MPI_Comm comm = pc->spec.comm;
    int root = pc->spec.root;

    switch (pc->spec.kind) {
    case PC_BCAST:
        recv = pc->rank == root ? send : recv;
        return MPI_Bcast_init((void *) recv.buffer, recv.count, recv.type, root, comm,
                              MPI_INFO_NULL, request);
    case PC_GATHER:
        return MPI_Gather_init(send.buffer, send.count, send.type, to, recv.count, recv.type, root,
                               comm, MPI_INFO_NULL, request);
    case PC_GATHERV:
        return MPI_Gatherv_init(send.buffer, send.count, send.type, to, r->counts, r->displs,
                                recv.type, root, comm, MPI_INFO_NULL, request);
    case PC_SCATTER:
        return MPI_Scatter_init(send.buffer, send.count, send.type, to, recv.count, recv.type,
                                root, comm, MPI_INFO_NULL, request);
    case PC_SCATTERV:
        return MPI_Scatterv_init(send.buffer, s->counts, s->displs, send.type, to, recv.count,
                                 recv.type, root, comm, MPI_INFO_NULL, request);
    case PC_ALLGATHER:
        return MPI_Allgather_init(send.buffer, send.count, send.type, to, recv.count, recv.type,
                                  comm, MPI_INFO_NULL, request);
    case PC_ALLGATHERV:
        return MPI_Allgatherv_init(send.buffer, send.count, send.type, to, r->counts, r->displs,
                                   recv.type, comm, MPI_INFO_NULL, request);
    case PC_ALLTOALL:
        return MPI_Alltoall_init(send.buffer, send.count, send.type, to, recv.count, recv.type,
                                 comm, MPI_INFO_NULL, request);
    case PC_ALLTOALLV:
        return MPI_Alltoallv_init(send.buffer, s->counts, s->displs, send.type, to, r->counts,
                                  r->displs, recv.type, comm, MPI_INFO_NULL, request);
    default:
        return MPI_Alltoallw_init(send.buffer, s->counts, s->displs, s->types, to, r->counts,
                                  r->displs, r->types, comm, MPI_INFO_NULL, request);
    }
}

static int init_neighbors(pc_t *pc, even_t send, even_t recv, const lists_t *s, const lists_t *r,
                          MPI_Request *request)
{
    void *to = (void *) recv.buffer;
    MPI_Comm comm = pc->spec.comm;

    if (PC_NEIGHBOR_ALLTOALL == pc->spec.kind) { /* Open MPI compares both in any case */
        send = 0 == s->blocks ? (even_t){NULL, recv.count, recv.type} : send;
        recv = 0 == r->blocks ? (even_t){NULL, send.count, send.type} : recv;
    }
    switch (pc->spec.kind) {
    case PC_NEIGHBOR_ALLGATHER:
        return MPI_Neighbor_allgather_init(send.buffer, send.count, send.type, to, recv.count,
                                           recv.type, comm, MPI_INFO_NULL, request);
    case PC_NEIGHBOR_ALLGATHERV:
        return MPI_Neighbor_allgatherv_init(send.buffer, send.count, send.type, to, r->counts,
                                            r->displs, recv.type, comm, MPI_INFO_NULL, request);
    case PC_NEIGHBOR_ALLTOALL:
        return MPI_Neighbor_alltoall_init(send.buffer, send.count, send.type, to, recv.count,
                                          recv.type, comm, MPI_INFO_NULL, request);
    case PC_NEIGHBOR_ALLTOALLV:
        return MPI_Neighbor_alltoallv_init(send.buffer, s->counts, s->displs, send.type, to,
                                           r->counts, r->displs, recv.type, comm, MPI_INFO_NULL,
                                           request);
    default:
        return MPI_Neighbor_alltoallw_init(send.buffer, s->counts, s->wide, s->types, to,
                                           r->counts, r->wide, r->types, comm, MPI_INFO_NULL,
                                           request);
    }
}

/* `blocks`: counts of the blocks, on whichever side they are. */
static int init_reduction(pc_t *pc, even_t send, even_t recv, const lists_t *blocks,
                          MPI_Request *request)
{
    int count = pc->send.blocks > 0 ? send.count : recv.count;
    MPI_Datatype type = pc->send.blocks > 0 ? send.type : recv.type;
    void *to = (void *) recv.buffer;
    MPI_Op op = pc_op(pc->spec.op);
    MPI_Comm comm = pc->spec.comm;

    switch (pc->spec.kind) {
    case PC_REDUCE:
        return MPI_Reduce_init(send.buffer, to, count, type, op, pc->spec.root, comm,
                               MPI_INFO_NULL, request);
    case PC_ALLREDUCE:
        return MPI_Allreduce_init(send.buffer, to, count, type, op, comm, MPI_INFO_NULL, request);
    case PC_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block_init(send.buffer, to, count, type, op, comm, MPI_INFO_NULL,
                                             request);
    case PC_REDUCE_SCATTER:
        return MPI_Reduce_scatter_init(send.buffer, to, blocks->counts, type, op, comm,
                                       MPI_INFO_NULL, request);
    case PC_SCAN:
        return MPI_Scan_init(send.buffer, to, count, type, op, comm, MPI_INFO_NULL, request);
    default:
        return MPI_Exscan_init(send.buffer, to, count, type, op, comm, MPI_INFO_NULL, request);
    }
}

int pc_init_persistent(pc_t *pc, MPI_Request *request)
{
    even_t send = even_side(&pc->send, in_place_here(pc));
    even_t recv = even_side(&pc->recv, in_place_here(pc));
    lists_t s = make_lists(&pc->send);
    lists_t r = make_lists(&pc->recv);
    int error;

    if (pc->trait->neighbors) {
        error = init_neighbors(pc, send, recv, &s, &r, request);
    } else if (pc->trait->reduces) {
        error = init_reduction(pc, send, recv, pc->send.blocks > 0 ? &s : &r, request);
    } else {
        error = init_movement(pc, send, recv, &s, &r, request);
    }
    spoil_lists(&s);
    spoil_lists(&r);
    return error;
}

/* ---- mode auto ---- */

static char settings[] = "/tmp/mpix-serve-all.XXXXXX";

void pc_serve_all(void)
{
    FILE *file = fdopen(mkstemp(settings), "w");

    if (NULL == file) {
        perror(settings);
        exit(1);
    }
    fprintf(file, "version = 1\n");
    for (int kind = 0; kind < PC_KINDS; kind++) {
        fprintf(file, "persistent_%s = served\n", pc_traits[kind].name);
    }
    fclose(file);
    setenv("OMPI_MCA_coll_pschedule_tuning_file", settings, 1);
}

void pc_serve_all_over(void)
{
    unlink(settings);
}
