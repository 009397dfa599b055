/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages to the user (see part_ucx_help.h).
 */
#include "process/part_ucx_help.h"

#include "base/part_ucx_thread_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mca_part_ucx_help_file_t help_file = {.component = "part/ucx",
                                                   .name = "help-part-ucx.txt",
                                                   .topics = mca_part_ucx_help_topics};

/* Where the messages of this thread go, if they are not shown. */
static PART_UCX_THREAD_LOCAL struct {
    char *text;
    size_t size;
} diverted;

static void append(const char *topic, va_list args)
{
    char *text = mca_part_ucx_show_text(&help_file, topic, args);
    size_t used = strlen(diverted.text);

    snprintf(diverted.text + used, diverted.size - used, "%s", NULL == text ? topic : text);
    free(text);
}

void mca_part_ucx_help(const char *topic, ...)
{
    va_list args;

    va_start(args, topic);
    if (NULL != diverted.text) {
        append(topic, args);
    } else {
        mca_part_ucx_show(&help_file, topic, args);
    }
    va_end(args);
}

void mca_part_ucx_help_divert(char *text, size_t size)
{
    diverted.text = text;
    diverted.size = size;
    if (NULL != text) {
        text[0] = '\0';
    }
}
