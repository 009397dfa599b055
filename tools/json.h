/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON (RFC 8259): commas, indentation and escapes.
 */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct info_json_t {
    FILE *out;
    int depth;
    bool first; /**< nothing written yet at this depth */
} info_json_t;

/** Objects and arrays; `key` is NULL in arrays and at the top. */
void info_json_open(info_json_t *json, const char *key, char bracket);
void info_json_close(info_json_t *json, char bracket);

/** Values. A text that is NULL or empty is null, and so is a number that is `unknown`. */
void info_json_text(info_json_t *json, const char *key, const char *text);
void info_json_bool(info_json_t *json, const char *key, bool value);
void info_json_number(info_json_t *json, const char *key, long long value);
void info_json_known(info_json_t *json, const char *key, long long value, long long unknown);
void info_json_real(info_json_t *json, const char *key, double value);

#endif /* TOOLS_JSON_H */
