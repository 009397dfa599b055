/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Jobs that test MPI-4's persistent collectives in place of partitioned ones. Part of pcoll.h.
 */
#ifndef MPIX_TEST_PCOLL_PERSISTENT_H
#define MPIX_TEST_PCOLL_PERSISTENT_H

#include <stdbool.h>

/* Does the job test MPI-4's persistent collectives (MPIX_TEST_PERSISTENT)? Then pc_open makes
 * those, pc_start writes all contributions before it starts, and pc_mark and pc_arrived do
 * nothing. */
bool pc_is_persistent(void);

/* Around the beginning of MPI: mode auto serves persistent collectives of all kinds, as a file says
 * (coll_pschedule_tuning_file). */
void pc_serve_all(void);
void pc_serve_all_over(void);

/* Persistent collectives that coll/pschedule has made in this process, and that others have; of the
 * former, those that others serve after a trial. -1: the component is not there. */
long long pc_served(void);
long long pc_handed_on(void);
long long pc_handed_back(void);

#endif
