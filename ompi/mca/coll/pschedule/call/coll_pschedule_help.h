/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user: what must be acted on, from help-coll-pschedule.txt, and the lines of
 * coll_pschedule_verbose.
 */
#ifndef COLL_PSCHEDULE_HELP_H
#define COLL_PSCHEDULE_HELP_H

#include "opal/util/output.h"

#include "api/part_ucx_show.h"

/* Made at build time from help-coll-pschedule.txt. */
extern const mca_part_ucx_help_topic_t mca_coll_pschedule_help_topics[];

/** Show the text of a topic, its conversions filled in from the other arguments, to the user. */
void mca_coll_pschedule_help(const char *topic, ...);

#define COLL_PSCHEDULE_VERBOSE(level, ...) \
    opal_output_verbose((level), mca_coll_pschedule_output, "coll/pschedule: " __VA_ARGS__)

/** Output stream of the component; its verbosity is coll_pschedule_verbose. */
extern int mca_coll_pschedule_output;

#endif /* COLL_PSCHEDULE_HELP_H */
