/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Showing messages to the user (see part_ucx_show.h).
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "opal/util/output.h"
#include "opal/util/printf.h"

#include "api/part_ucx_show.h"

#define HELP_RULE "--------------------------------------------------------------------------\n"

enum { HELP_DIRECTIVES = 3 };

/* What PMIx reads until it calls back. */
typedef struct help_log_t {
    pmix_info_t message;
    pmix_info_t directives[HELP_DIRECTIVES];
    char *text;
} help_log_t;

static const char *help_find(const mca_part_ucx_help_file_t *file, const char *topic)
{
    for (const mca_part_ucx_help_topic_t *t = file->topics; NULL != t->name; ++t) {
        if (0 == strcmp(topic, t->name)) {
            return t->text;
        }
    }
    return NULL;
}

static void help_log_free(help_log_t *log)
{
    PMIX_INFO_DESTRUCT(&log->message);
    for (int i = 0; i < HELP_DIRECTIVES; ++i) {
        PMIX_INFO_DESTRUCT(&log->directives[i]);
    }
    free(log->text);
    free(log);
}

static void help_logged(pmix_status_t status, void *arg)
{
    help_log_t *log = arg;

    if (PMIX_SUCCESS != status && PMIX_OPERATION_SUCCEEDED != status) {
        opal_output(0, "%s", log->text);
    }
    help_log_free(log);
}

/* Does the server of this process show what it is given to log? PRRTE's does, the first message of
 * each topic, and how many others there are; Slurm's says that it has, and nobody sees it. */
static bool help_is_shown(void)
{
    const char *job = getenv("PMIX_NAMESPACE");

    return NULL != job && 0 == strncmp(job, "prte", strlen("prte"));
}

/* Takes text. */
static void help_deliver(const mca_part_ucx_help_file_t *file, const char *topic, char *text)
{
    help_log_t *log = help_is_shown() ? calloc(1, sizeof(*log)) : NULL;
    bool aggregate = true;

    if (NULL == log) {
        opal_output(0, "%s", text);
        free(text);
        return;
    }
    log->text = text;
    PMIX_INFO_LOAD(&log->message, PMIX_LOG_STDERR, text, PMIX_STRING);
    PMIX_INFO_LOAD(&log->directives[0], PMIX_LOG_AGG, &aggregate, PMIX_BOOL);
    PMIX_INFO_LOAD(&log->directives[1], PMIX_LOG_KEY, file->name, PMIX_STRING);
    PMIX_INFO_LOAD(&log->directives[2], PMIX_LOG_VAL, topic, PMIX_STRING);
    if (PMIX_SUCCESS
        != PMIx_Log_nb(&log->message, 1, log->directives, HELP_DIRECTIVES, help_logged, log)) {
        /* Before the runtime is up or after it went away; the callback will not be called. */
        help_logged(PMIX_ERROR, log);
    }
}

char *mca_part_ucx_show_text(const mca_part_ucx_help_file_t *file, const char *topic,
                             va_list args)
{
    const char *format = help_find(file, topic);
    char *text = NULL;

    if (NULL == format || opal_vasprintf(&text, format, args) < 0) {
        return NULL;
    }
    return text;
}

void mca_part_ucx_show(const mca_part_ucx_help_file_t *file, const char *topic, va_list args)
{
    char *body;
    char *framed = NULL;

    if (NULL == help_find(file, topic)) {
        opal_output(0, "%s: no message for topic \"%s\" in %s", file->component, topic,
                    file->name);
        return;
    }
    body = mca_part_ucx_show_text(file, topic, args);
    if (NULL == body || opal_asprintf(&framed, HELP_RULE "%s" HELP_RULE, body) < 0) {
        opal_output(0, "%s: %s (out of memory)", file->component, topic);
    } else {
        help_deliver(file, topic, framed);
    }
    free(body);
}
