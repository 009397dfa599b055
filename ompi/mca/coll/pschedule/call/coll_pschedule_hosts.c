/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where processes are (see coll_pschedule_hosts.h).
 */
#include "ompi_config.h"

#include "call/coll_pschedule_hosts.h"

#include "ompi/communicator/communicator.h"
#include "ompi/proc/proc.h"

bool mca_coll_pschedule_is_on_one_host(ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_group_size(comm->c_local_group); ++i) {
        /* Processes of this host are always known; others need not be looked up for this. */
        const ompi_proc_t *proc = ompi_group_peer_lookup_existing(comm->c_local_group, i);

        if (NULL == proc || !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            return false;
        }
    }
    return true;
}
