/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user, from help-coll-pschedule.txt.
 */
#ifndef COLL_PSCHEDULE_HELP_H
#define COLL_PSCHEDULE_HELP_H

#include "api/part_ucx_show.h"

/* Made at build time from help-coll-pschedule.txt. */
extern const mca_part_ucx_help_topic_t mca_coll_pschedule_help_topics[];

/** Show the text of a topic, its conversions filled in from the other arguments, to the user. */
void mca_coll_pschedule_help(const char *topic, ...);

#endif /* COLL_PSCHEDULE_HELP_H */
