/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links that are made up, for requests of coll/pschedule: both ends of all of them are in this
 * process, what is under way arrives in random order, and any end may break. Also stands in for the
 * threads that make progress: what part/ucx would defer is kept until it is drawn.
 */
#ifndef MPIX_UNIT_FAKELINKS_H
#define MPIX_UNIT_FAKELINKS_H

#include "api/part_ucx_link.h"

#include "unit.h"

/** The table of functions, as part/ucx has it; without `prepare`, `state` and `raise`. */
extern const mca_part_ucx_link_api_t fakelinks_api;

/** Begin; `completed` is told of requests that complete. */
void fakelinks_open(uint64_t seed, void (*completed)(ompi_request_t *request));
void fakelinks_close(void);

/** Something happens, if anything can: a message arrives, or deferred or final tasks run. */
void fakelinks_step(void);

/** Is nothing under way? */
bool fakelinks_quiet(void);

/** A transfer fails at one end; the other one hears of it only from its peer. @return the rank of
 * the broken end, -1 when no link is in an epoch */
int fakelinks_break(void);

/** How many epochs of requests have begun and not ended. */
int fakelinks_active(void);

/** What was wrong, or NULL; and something else that is. The first counts. */
const char *fakelinks_fault(void);
void fakelinks_blame(const char *what);

#endif /* MPIX_UNIT_FAKELINKS_H */
