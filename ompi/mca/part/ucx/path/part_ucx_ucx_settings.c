/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What UCX has been told (see part_ucx_ucx_settings.h). The environment counts before files. What
 * files say is in UCX's configuration; the only way to see a value of it is to have it printed, and
 * UCX prints at most PRINTED bytes of one.
 */
#include "path/part_ucx_ucx_settings.h"

#include "process/part_ucx_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *transports;
static char *devices;

/* Of a value that UCX may have cut: without its last word. */
#define PRINTED 125

/* The value that a line of the text gives to a variable; NULL: none. To be freed. */
static char *value_of(const char *text, const char *variable)
{
    size_t length = strlen(variable);
    const char *line = text;
    char *value = NULL, *comma;

    while (NULL != line && (0 != strncmp(line, variable, length) || '=' != line[length])) {
        line = strchr(line, '\n');
        line = NULL == line ? NULL : line + 1;
    }
    if (NULL != line) {
        value = strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    }
    comma = NULL == value || strlen(value) < PRINTED ? NULL : strrchr(value, ',');
    if (NULL != comma) {
        *comma = '\0';
        PART_UCX_VERBOSE(1, "%s in ucx.conf is too long; this of it counts: %s", variable, value);
    }
    return value;
}

static void print(const ucp_config_t *config)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    if (NULL == file) {
        return;
    }
    ucp_config_print(config, file, NULL, UCS_CONFIG_PRINT_CONFIG);
    if (0 == fclose(file)) {
        transports = value_of(text, "UCX_TLS");
        devices = value_of(text, "UCX_NET_DEVICES");
    }
    free(text);
}

/* "all" is what UCX does without. */
static const char *what_counts(const char *variable, const char *from_file)
{
    const char *value = getenv(variable);

    value = NULL != value ? value : from_file;
    return NULL == value || '\0' == value[0] || 0 == strcmp("all", value) ? NULL : value;
}

static void read_once(void)
{
    ucp_config_t *config;

    if (NULL != getenv("UCX_TLS") && NULL != getenv("UCX_NET_DEVICES")) {
        return;
    }
    if (UCS_OK == ucp_config_read(NULL, NULL, &config)) {
        print(config);
        ucp_config_release(config);
    }
}

const char *mca_part_ucx_settings_transports(void)
{
    (void) pthread_once(&once, read_once);
    return what_counts("UCX_TLS", transports);
}

const char *mca_part_ucx_settings_devices(void)
{
    (void) pthread_once(&once, read_once);
    return what_counts("UCX_NET_DEVICES", devices);
}
