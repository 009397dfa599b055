/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One channel between the two processes of twins.h, epoch after epoch.
 */
#ifndef MPIX_UNIT_COURSE_H
#define MPIX_UNIT_COURSE_H

#include "twins.h"

typedef struct course_t {
    channel_t channel; /**< twelve partitions, each a unit */
    uint32_t epoch;    /**< the present or last one */
} course_t;

extern course_t course;

/** Over so many cables; the second: while the device of a side at cable 0 is gone. */
void course_begin(unsigned cables);
void course_begin_without(unsigned cables, unsigned side);
void course_end(void);

/** The next epoch: both ends are started and all is marked; all has come and is right; both. */
void course_start(void);
void course_finish(void);
void course_epoch(void);

#endif /* MPIX_UNIT_COURSE_H */
