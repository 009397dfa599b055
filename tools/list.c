/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Growing arrays (see list.h).
 */
#include "list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

void *info_list_add(info_list_t *list)
{
    char *items = realloc(list->items, ((size_t) list->count + 1) * list->size);

    if (NULL == items) {
        info_die("out of memory");
    }
    list->items = items;
    items += (size_t) list->count * list->size;
    ++list->count;
    return memset(items, 0, list->size);
}

void *info_list_at(const info_list_t *list, int index)
{
    return (char *) list->items + (size_t) index * list->size;
}

void info_list_free(info_list_t *list)
{
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

info_finding_t *info_find(info_list_t *findings, info_severity_t severity, const char *format, ...)
{
    info_finding_t *finding = info_list_add(findings);
    va_list args;

    finding->severity = severity;
    va_start(args, format);
    vsnprintf(finding->what, sizeof(finding->what), format, args);
    va_end(args);
    return finding;
}

void info_todo(info_finding_t *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(finding->todo, sizeof(finding->todo), format, args);
    va_end(args);
}

void info_copy(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", NULL == text ? "" : text);
}

void info_append(char *to, size_t size, const char *format, ...)
{
    size_t used = strlen(to);
    va_list args;

    va_start(args, format);
    vsnprintf(to + used, size - used, format, args);
    va_end(args);
}
