/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the support library share with each other and not with test programs.
 */

#ifndef MPIX_TEST_INTERNAL_H
#define MPIX_TEST_INTERNAL_H

#include "mpitest.h"

/* The communicator of results. */
MPI_Comm mt_private_comm(void);

/* Properties reported so far (the watchdog numbers its own line after them). */
int mt_properties(void);

/* Arms the deadline of the program: MPIX_TEST_TIMEOUT seconds, or 60. */
void mt_watchdog_start(int rank);

/* From now on a hang cannot be reported as a property any more. */
void mt_watchdog_plan_printed(void);

void mt_watchdog_stop(void);

/* Gives back the error handlers. */
void mt_errors_release(void);

#endif
