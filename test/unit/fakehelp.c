/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for mca_part_ucx_help() (see fakehelp.h).
 */
#include "fakehelp.h"

#include "process/part_ucx_help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static unsigned count;
static char last_topic[64];
static char last_text[2048];

void __wrap_mca_part_ucx_help(const char *topic, ...);

void __wrap_mca_part_ucx_help(const char *topic, ...)
{
    va_list args;

    ++count;
    (void) snprintf(last_topic, sizeof(last_topic), "%s", topic);
    (void) snprintf(last_text, sizeof(last_text), "(no such topic)");
    va_start(args, topic);
    for (const mca_part_ucx_help_topic_t *t = mca_part_ucx_help_topics; NULL != t->name; ++t) {
        if (0 == strcmp(topic, t->name)) {
            (void) vsnprintf(last_text, sizeof(last_text), t->text, args);
            break;
        }
    }
    va_end(args);
}

void fakehelp_reset(void)
{
    count = 0;
    last_topic[0] = '\0';
    last_text[0] = '\0';
}

unsigned fakehelp_count(void)
{
    return count;
}

bool fakehelp_said(const char *topic, const char *part)
{
    return 0 != count && 0 == strcmp(topic, last_topic) && NULL != strstr(last_text, part);
}
