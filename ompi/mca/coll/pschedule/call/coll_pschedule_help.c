/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user (see coll_pschedule_help.h).
 */
#include "call/coll_pschedule_help.h"

int mca_coll_pschedule_output = -1;

static const mca_part_ucx_help_file_t help_file = {.component = "coll/pschedule",
                                                   .name = "help-coll-pschedule.txt",
                                                   .topics = mca_coll_pschedule_help_topics};

void mca_coll_pschedule_help(const char *topic, ...)
{
    va_list args;

    va_start(args, topic);
    mca_part_ucx_show(&help_file, topic, args);
    va_end(args);
}
