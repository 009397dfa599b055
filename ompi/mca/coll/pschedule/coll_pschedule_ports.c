/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports: links of part/ucx, opened, started, marked and closed (see coll_pschedule_ports.h).
 */
#include "coll_pschedule_ports.h"

#include "coll_pschedule_memory.h"
#include "coll_pschedule_request.h"

#include "call/coll_pschedule_help.h"

#include <stdlib.h>

/* Seconds after which a link that no answer has come for is given up. All ranks are inside init by
 * then: its other end has lost a message for lack of memory, or been stopped. */
#define SILENCE_S 120

/* Seconds that no turn of waiting takes by itself. */
#define STOPPED_S 2.0

static void port_moved(void *context, uint32_t piece)
{
    mca_coll_pschedule_port_t *port = context;

    mca_coll_pschedule_engine_moved(&port->owner->engine, port->first + piece);
}

static void port_finished(void *context, int error)
{
    mca_coll_pschedule_port_t *port = context;
    mca_coll_pschedule_request_t *request = port->owner;
    unsigned none = 0;

    if (MPI_SUCCESS != error) {
        (void) atomic_compare_exchange_strong(&request->broken, &none,
                                              (unsigned) (port - request->port) + 1);
    }
    mca_coll_pschedule_request_settle(request, error);
}

static const mca_part_ucx_observer_t observer = {.moved = port_moved, .finished = port_finished};

/* `boxes`: where the next ones lie in the shared memory. */
static int open_port(mca_coll_pschedule_request_t *request, uint32_t index,
                     const mca_coll_pschedule_topology_t *topology,
                     const mca_coll_pschedule_match_t *match, uint64_t *boxes)
{
    const mca_coll_pschedule_link_t *link = &request->plan->link[index];
    bool shares = 0 != request->shm.base && topology->beside[link->peer];
    uint64_t bytes = shares ? mca_coll_pschedule_memory_boxes(request, link) : 0;
    mca_coll_pschedule_port_t *port = &request->port[index];
    mca_part_ucx_link_init_t init = {.comm = request->comm,
                                     .peer = link->peer,
                                     .count = link->count,
                                     .piece = &request->piece[link->first],
                                     .number = match->number,
                                     .fingerprint = match->fingerprint,
                                     .warm = NULL != request->buffers.op,
                                     .shm = shares ? &request->shm : NULL,
                                     .boxes = 0 != bytes ? *boxes : 0,
                                     .observer = &observer,
                                     .context = port};

    port->owner = request;
    port->first = link->first;
    *boxes += bytes;
    return link->is_send ? request->links->open_send(&init, &port->link)
                         : request->links->open_recv(&init, &port->link);
}

static void place_pieces(mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;

    for (uint32_t i = 0; i < plan->transfers; ++i) {
        const mca_coll_pschedule_transfer_t *transfer = &plan->transfer[i];
        uintptr_t base = (uintptr_t) request->buffers.base[transfer->place.space];

        request->piece[i] = (mca_part_ucx_piece_t) {.address = base + transfer->place.offset,
                                                    .bytes = transfer->bytes};
    }
}

/* Links are sorted by peer. A persistent collective is handed on: there is nothing to tell. */
int mca_coll_pschedule_ports_have_room(const mca_coll_pschedule_request_t *request)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    unsigned peers = 0;

    for (uint32_t i = 0; i < plan->links; ++i) {
        bool seen = i > 0 && plan->link[i].peer == plan->link[i - 1].peer;

        peers += !seen && request->links->is_new(request->comm, plan->link[i].peer);
    }
    if (request->links->has_room(peers)) {
        return MPI_SUCCESS;
    }
    if (NULL == request->front) {
        mca_coll_pschedule_help("descriptors", peers, request->links->network_paths());
    }
    return MPI_ERR_NO_MEM;
}

int mca_coll_pschedule_ports_open(mca_coll_pschedule_request_t *request,
                                  const mca_coll_pschedule_topology_t *topology,
                                  const mca_coll_pschedule_match_t *match)
{
    const mca_coll_pschedule_plan_t *plan = request->plan;
    uint64_t boxes = request->boxes;
    int error = MPI_SUCCESS;

    request->port = calloc(plan->links + 1, sizeof(*request->port));
    if (NULL == request->port) {
        return MPI_ERR_NO_MEM;
    }
    place_pieces(request);
    for (uint32_t i = 0; i < plan->links && MPI_SUCCESS == error; ++i) {
        error = open_port(request, i, topology, match, &boxes);
    }
    return error;
}

/* With fault tolerance: who has died does not answer, nor who has left init because of that. */
static int broken(ompi_communicator_t *comm)
{
    int error = MPI_SUCCESS;

#if OPAL_ENABLE_FT_MPI
    (void) ompi_comm_iface_coll_check(comm, &error);
#else
    (void) comm;
#endif
    return error;
}

/* Who has been stopped for a while, as by a debugger or the queue of jobs, has not waited. */
static void wait_on(double *now, double *deadline)
{
    double before = *now;

    opal_progress();
    *now = PMPI_Wtime();
    *deadline += *now - before > STOPPED_S ? *now - before : 0;
}

/* MPI_SUCCESS, or why the link cannot be used. */
static int await_link(mca_coll_pschedule_request_t *request, uint32_t index, double *deadline)
{
    double now = PMPI_Wtime();
    int error = broken(request->comm);
    int state;

    while (MPI_ERR_PENDING == (state = request->links->state(request->port[index].link))
           && MPI_SUCCESS == error && now < *deadline) {
        wait_on(&now, deadline);
        error = broken(request->comm);
    }
    if (MPI_ERR_PENDING != state) {
        return state;
    }
    if (MPI_SUCCESS == error) {
        mca_coll_pschedule_help("silent", request->plan->link[index].peer, SILENCE_S);
        error = MPI_ERR_OTHER;
    }
    return error;
}

int mca_coll_pschedule_ports_await(mca_coll_pschedule_request_t *request)
{
    double deadline = PMPI_Wtime() + SILENCE_S;
    int error = MPI_SUCCESS;

    for (uint32_t i = 0; i < request->plan->links; ++i) {
        int link_error = await_link(request, i, &deadline);

        error = MPI_SUCCESS == error ? link_error : error;
    }
    return error;
}

void mca_coll_pschedule_ports_start(mca_coll_pschedule_request_t *request, bool sends)
{
    for (uint32_t i = 0; i < request->plan->links; ++i) {
        if (sends == request->plan->link[i].is_send) {
            request->links->start(request->port[i].link);
        }
    }
}

bool mca_coll_pschedule_ports_send(void *context, uint32_t transfer)
{
    mca_coll_pschedule_request_t *request = context;
    const mca_coll_pschedule_port_t *port = &request->port[request->plan->transfer[transfer].link];

    return request->links->mark(port->link, transfer - port->first);
}

int mca_coll_pschedule_ports_prepare(mca_coll_pschedule_request_t *request)
{
    int error = MPI_SUCCESS;

    for (uint32_t i = 0; i < request->plan->links && MPI_SUCCESS == error; ++i) {
        if (request->plan->link[i].is_send) {
            error = request->links->await(request->port[i].link);
        }
    }
    return error;
}

void mca_coll_pschedule_ports_close(mca_coll_pschedule_request_t *request)
{
    for (uint32_t i = 0; NULL != request->port && i < request->plan->links; ++i) {
        if (NULL != request->port[i].link) {
            request->links->close(request->port[i].link);
        }
    }
}

bool mca_coll_pschedule_ports_abandon(mca_coll_pschedule_request_t *request)
{
    bool all = true;

    /* None waits for another: the other ends of all have to give up, too. */
    for (uint32_t i = 0; i < request->plan->links; ++i) {
        mca_coll_pschedule_port_t *port = &request->port[i];

        port->abandoned = port->abandoned || request->links->abandon(port->link);
        all = all && port->abandoned;
    }
    return all;
}
