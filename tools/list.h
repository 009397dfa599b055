/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A growing array of records, findings foremost; and texts that end in time.
 */
#ifndef TOOLS_LIST_H
#define TOOLS_LIST_H

#include <stddef.h>

#include "facts.h"

typedef struct info_list_t {
    void *items;
    int count;
    size_t size; /**< of a record */
} info_list_t;

#define INFO_LIST_OF(type) {.items = NULL, .count = 0, .size = sizeof(type)}

/** A new record at the end, all zero. Without memory the program ends. */
void *info_list_add(info_list_t *list);

void *info_list_at(const info_list_t *list, int index);

void info_list_free(info_list_t *list);

/** A finding with a text; what to do about it is set by info_todo(). */
info_finding_t *info_find(info_list_t *findings, info_severity_t severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void info_todo(info_finding_t *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Copy or append a text, cut off where the room ends. */
void info_copy(char *to, size_t size, const char *text);
void info_append(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** For arrays. */
#define INFO_COPY(to, text) info_copy((to), sizeof(to), (text))

#endif /* TOOLS_LIST_H */
