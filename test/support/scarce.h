/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that runs out for the two components, and for nobody else: once, at a place that the test
 * says. For programs that are linked with scarce.c.
 */
#ifndef MPIX_TEST_SCARCE_H
#define MPIX_TEST_SCARCE_H

/* The components' `nth` request for memory of this process from now on fails; 0: none does. How
 * many there have been since the last call; -1: the components are not files of their own. */
long mt_scarce(long nth);

#endif
