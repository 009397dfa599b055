/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What UCX has been told (see part_ucx_ucx_settings.h). Its configuration has what counts; the only
 * way to see a value of it is to have it printed.
 */
#include "path/part_ucx_ucx_settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *transports;
static char *devices;

/* The value that a line of the text gives to a variable; NULL: none, or "all". To be freed. */
static char *value_of(const char *text, const char *variable)
{
    size_t length = strlen(variable);
    const char *line = text;
    char *value = NULL;

    while (NULL != line && (0 != strncmp(line, variable, length) || '=' != line[length])) {
        line = strchr(line, '\n');
        line = NULL == line ? NULL : line + 1;
    }
    if (NULL != line) {
        value = strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    }
    if (NULL != value && ('\0' == value[0] || 0 == strcmp("all", value))) {
        free(value);
        value = NULL;
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

static void read_once(void)
{
    ucp_config_t *config;

    if (UCS_OK == ucp_config_read(NULL, NULL, &config)) {
        print(config);
        ucp_config_release(config);
    }
}

const char *mca_part_ucx_settings_transports(void)
{
    (void) pthread_once(&once, read_once);
    return transports;
}

const char *mca_part_ucx_settings_devices(void)
{
    (void) pthread_once(&once, read_once);
    return devices;
}
