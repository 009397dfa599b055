/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON (see json.h).
 */
#include "json.h"

static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; '\0' != *at; ++at) {
        unsigned char c = (unsigned char) *at;

        if ('"' == c || '\\' == c) {
            fprintf(out, "\\%c", c);
        } else if ('\n' == c) {
            fputs("\\n", out);
        } else if (c < 0x20 || c >= 0x7f) {
            fprintf(out, "\\u%04x", c); /* names of unknown encoding: their bytes */
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void begin(info_json_t *json, const char *key)
{
    if (json->depth > 0) {
        fprintf(json->out, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    }
    json->first = false;
    if (NULL != key) {
        quote(json->out, key);
        fputs(": ", json->out);
    }
}

void info_json_open(info_json_t *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->out);
    ++json->depth;
    json->first = true;
}

void info_json_close(info_json_t *json, char bracket)
{
    --json->depth;
    if (!json->first) {
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->out);
    json->first = false;
    if (0 == json->depth) {
        fputc('\n', json->out);
    }
}

void info_json_text(info_json_t *json, const char *key, const char *text)
{
    begin(json, key);
    if (NULL == text || '\0' == text[0]) {
        fputs("null", json->out);
    } else {
        quote(json->out, text);
    }
}

void info_json_bool(info_json_t *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

void info_json_number(info_json_t *json, const char *key, long long value)
{
    begin(json, key);
    fprintf(json->out, "%lld", value);
}

void info_json_known(info_json_t *json, const char *key, long long value, long long unknown)
{
    if (value == unknown) {
        info_json_text(json, key, NULL);
    } else {
        info_json_number(json, key, value);
    }
}

void info_json_real(info_json_t *json, const char *key, double value)
{
    begin(json, key);
    fprintf(json->out, "%.3f", value);
}
