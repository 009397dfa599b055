/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the processes of a communicator are.
 */
#ifndef COLL_PSCHEDULE_HOSTS_H
#define COLL_PSCHEDULE_HOSTS_H

#include <stdbool.h>

struct ompi_communicator_t;

/** Are they all on one host? All of them should find the same. */
bool mca_coll_pschedule_is_on_one_host(struct ompi_communicator_t *comm);

#endif /* COLL_PSCHEDULE_HOSTS_H */
