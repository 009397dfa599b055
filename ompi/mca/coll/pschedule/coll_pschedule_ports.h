/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ports: the ends that this rank has of the links of its plan. A link of a plan is all transfers
 * to, or from, one other rank; a link of part/ucx carries them.
 */
#ifndef COLL_PSCHEDULE_PORTS_H
#define COLL_PSCHEDULE_PORTS_H

#include "call/coll_pschedule_topology.h"

#include "api/part_ucx_link.h"

struct mca_coll_pschedule_request_t;

/** One end of a link, and what its observer needs. */
typedef struct mca_coll_pschedule_port_t {
    struct mca_coll_pschedule_request_t *owner;
    mca_part_ucx_link_t *link;
    uint32_t first; /**< the plan's number of its first transfer */
    bool abandoned; /**< of the final task */
} mca_coll_pschedule_port_t;

/** What the other end of a link has, too. */
typedef struct mca_coll_pschedule_match_t {
    int number;           /**< how many inits of the communicator have opened links before */
    uint32_t fingerprint; /**< of the collective and its arguments */
} mca_coll_pschedule_match_t;

/** Are there descriptors for all connections that the plan's links need? Before they are opened, as
 * it is too late when they run out. MPI_SUCCESS, or an MPI error class; the user has been told. */
int mca_coll_pschedule_ports_have_room(const struct mca_coll_pschedule_request_t *request);

/** Open the links of the plan. Returns an MPI error class. */
int mca_coll_pschedule_ports_open(struct mca_coll_pschedule_request_t *request,
                                  const mca_coll_pschedule_topology_t *topology,
                                  const mca_coll_pschedule_match_t *match);

/** Wait until it is known of every link whether its other end is there. Returns an MPI error class,
 * that of the first link that failed. */
int mca_coll_pschedule_ports_await(struct mca_coll_pschedule_request_t *request);

/** Begin an epoch of all that send, or of all that receive. */
void mca_coll_pschedule_ports_start(struct mca_coll_pschedule_request_t *request, bool sends);

/** A transfer of the plan may leave: the `send` of the engine. */
bool mca_coll_pschedule_ports_send(void *request, uint32_t transfer);

/** MPIX_Pbuf_prepare of all links that send. Returns an MPI error class. */
int mca_coll_pschedule_ports_prepare(struct mca_coll_pschedule_request_t *request);

/** Close what has been opened. */
void mca_coll_pschedule_ports_close(struct mca_coll_pschedule_request_t *request);

/** Give up all links of a request that has failed. False: call again. From the final task. */
bool mca_coll_pschedule_ports_abandon(struct mca_coll_pschedule_request_t *request);

#endif /* COLL_PSCHEDULE_PORTS_H */
