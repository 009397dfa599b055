/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user, from help-part-ucx.txt.
 */

#ifndef PART_UCX_HELP_H
#define PART_UCX_HELP_H

#include "part_ucx_show.h"

/* Made at build time from help-part-ucx.txt. */
extern const mca_part_ucx_help_topic_t mca_part_ucx_help_topics[];

/** Show the text of a topic, its conversions filled in from the other arguments, to the user. */
void mca_part_ucx_help(const char *topic, ...);

#endif /* PART_UCX_HELP_H */
