/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for mca_part_ucx_help() (linked with --wrap): keeps what a user would have been told.
 */
#ifndef MPIX_UNIT_FAKEHELP_H
#define MPIX_UNIT_FAKEHELP_H

#include <stdbool.h>

/** Forget what has been said. */
void fakehelp_reset(void);

/** How many messages there were since then. */
unsigned fakehelp_count(void);

/** Was the last message of this topic, and does it contain `part`? */
bool fakehelp_said(const char *topic, const char *part);

#endif /* MPIX_UNIT_FAKEHELP_H */
