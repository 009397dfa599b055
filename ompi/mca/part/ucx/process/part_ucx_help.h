/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user, from help-part-ucx.txt.
 */

#ifndef PART_UCX_HELP_H
#define PART_UCX_HELP_H

#include "api/part_ucx_show.h"

#include <stddef.h>

/* Made at build time from help-part-ucx.txt. */
extern const mca_part_ucx_help_topic_t mca_part_ucx_help_topics[];

/** Show the text of a topic, its conversions filled in from the other arguments, to the user. */
void mca_part_ucx_help(const char *topic, ...);

/**
 * From now on append the messages of this thread to `text` instead of showing them, as far as they
 * fit into `size` bytes; with NULL show them again.
 */
void mca_part_ucx_help_divert(char *text, size_t size);

#endif /* PART_UCX_HELP_H */
