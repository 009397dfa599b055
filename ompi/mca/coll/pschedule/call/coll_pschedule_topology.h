/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks of a communicator are on which host, and whether those of a host share memory: found
 * out once per communicator, by the first partitioned collective on it, and the same on all ranks.
 *
 * Hosts are told apart by what the machine says of itself (base/part_ucx_host.h). For trying
 * placements, and for tests, the MCA variable coll_pschedule_hosts makes hosts up: algorithms are
 * chosen and built for these; how bytes move depends on the real ones.
 */
#ifndef COLL_PSCHEDULE_TOPOLOGY_H
#define COLL_PSCHEDULE_TOPOLOGY_H

#include "plan/coll_pschedule_hosts.h"

#include "api/part_ucx_link.h"

/** Begins with all 0. */
typedef struct mca_coll_pschedule_topology_t {
    bool known;                       /**< on all ranks or on none */
    mca_coll_pschedule_hosts_t hosts; /**< made up where the variable says so */
    bool *beside;                     /**< per rank: on this process's real host */
} mca_coll_pschedule_topology_t;

/**
 * Find out. Collective; a rank that cannot, because it has no links or no
 * memory, takes part all the same, and then it stays unknown on all ranks.
 *
 * @param links    of part/ucx after prepare(), or NULL
 * @param made_up  a list of numbers such as "0,0,1,1": the host of each process by its rank in its
 *                 job, from the beginning again where the list is shorter; or NULL
 */
void mca_coll_pschedule_topology_agree(mca_coll_pschedule_topology_t *topology,
                                       ompi_communicator_t *comm,
                                       const mca_part_ucx_link_api_t *links, const char *made_up);

void mca_coll_pschedule_topology_free(mca_coll_pschedule_topology_t *topology);

/** Is a text such a list? */
bool mca_coll_pschedule_topology_is_list(const char *text);

#endif /* COLL_PSCHEDULE_TOPOLOGY_H */
