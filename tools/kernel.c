/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel tells (see kernel.h).
 */
#include "kernel.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_line(char *text, size_t size, const char *path)
{
    FILE *file = fopen(path, "r");
    bool read = NULL != file && NULL != fgets(text, (int) size, file);

    if (NULL != file) {
        fclose(file);
    }
    if (!read) {
        text[0] = '\0';
    }
    text[strcspn(text, "\n")] = '\0';
    return read;
}

bool info_kernel_line(char *text, size_t size, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    return read_line(text, size, path);
}

long long info_kernel_number(long long otherwise, const char *format, ...)
{
    char path[PATH_MAX], text[64], *end;
    long long number;
    va_list args;

    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    if (!read_line(text, sizeof(text), path)) {
        return otherwise;
    }
    number = strtoll(text, &end, 10);
    return end == text ? otherwise : number;
}

int info_kernel_relaxed_ordering(const char *device)
{
    enum { STATUS = 0x06, HAS_LIST = 0x10, LIST = 0x34, PCI_EXPRESS = 0x10, CONTROL = 8 };
    uint8_t config[256];
    char path[PATH_MAX];
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/config", device);
    file = fopen(path, "rb");
    if (NULL == file) {
        return -1;
    }
    length = fread(config, 1, sizeof(config), file);
    fclose(file);
    if (length < sizeof(config) || 0 == (config[STATUS] & HAS_LIST)) {
        return -1;
    }
    /* A list of capabilities; each says where the next one is, and none is visited twice. */
    for (int at = config[LIST], left = 48; at >= 0x40 && at < 0xf0 && left > 0; --left) {
        if (PCI_EXPRESS == config[at]) {
            return config[at + CONTROL] >> 4 & 1;
        }
        at = config[at + 1];
    }
    return -1;
}

static int is_no_dot(const struct dirent *entry)
{
    return '.' != entry->d_name[0];
}

void info_kernel_names(const char *folder, void (*visit)(const char *name, void *context),
                       void *context)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_no_dot, alphasort);

    for (int i = 0; i < count; ++i) {
        visit(entries[i]->d_name, context);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}
