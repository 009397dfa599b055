/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tuning files (see coll_pschedule_tuning.h).
 */
#include "algorithms/coll_pschedule_tuning.h"

#include "plan/coll_pschedule_mix.h"
#include "plan/coll_pschedule_shapes.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512 }; /* bytes of a line, at most */

const mca_coll_pschedule_constant_t mca_coll_pschedule_constants[COLL_PSCHEDULE_CONSTANTS]
    = {{"latency", offsetof(mca_coll_pschedule_rates_t, latency), 0},
       {"local_latency", offsetof(mca_coll_pschedule_rates_t, local_latency), 0},
       {"bandwidth", offsetof(mca_coll_pschedule_rates_t, bandwidth), 1},
       {"host_bandwidth", offsetof(mca_coll_pschedule_rates_t, host_bandwidth), 0},
       {"copy_bandwidth", offsetof(mca_coll_pschedule_rates_t, copy_bandwidth), 0}};

unsigned *mca_coll_pschedule_constant(mca_coll_pschedule_rates_t *rates, int index)
{
    return (unsigned *) (void *) ((char *) rates + mca_coll_pschedule_constants[index].offset);
}

/* ---- reading ---- */

typedef struct reader_t {
    mca_coll_pschedule_tuning_t *tuning;
    const char *name; /* of the file */
    unsigned line;
    bool versioned; /* the version has been seen */
} reader_t;

static bool complain(reader_t *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(reader_t *reader, const char *format, ...)
{
    char *fault = reader->tuning->fault;
    size_t size = sizeof(reader->tuning->fault);
    size_t length = (size_t) snprintf(fault, size, "%s, line %u: ", reader->name, reader->line);
    va_list arguments;

    va_start(arguments, format);
    if (length < size) {
        (void) vsnprintf(fault + length, size - length, format, arguments);
    }
    va_end(arguments);
    return false;
}

/* Digits only, which fit. What follows them is in `end`. */
static bool read_number(const char *text, uint64_t *number, const char **end)
{
    char *after;

    if (!isdigit((unsigned char) *text)) {
        return false;
    }
    errno = 0;
    *number = strtoull(text, &after, 10);
    *end = after;
    return 0 == errno;
}

/* 5, 5-9, 5- or -9. */
static bool read_span(const char *text, mca_coll_pschedule_span_t *span)
{
    const char *at = text;
    bool from = '-' != *text;

    *span = (mca_coll_pschedule_span_t) {.least = 0, .most = UINT64_MAX};
    if (from && !read_number(text, &span->least, &at)) {
        return false;
    }
    if ('\0' == *at) {
        span->most = span->least;
        return true;
    }
    if ('-' != *at++) {
        return false;
    }
    if ('\0' == *at) {
        return from;
    }
    return read_number(at, &span->most, &at) && '\0' == *at && span->least <= span->most;
}

static bool take_version(reader_t *reader, const char *value)
{
    uint64_t number;
    const char *end;

    if (!read_number(value, &number, &end) || '\0' != *end
        || COLL_PSCHEDULE_TUNING_VERSION != number) {
        return complain(reader, "version \"%s\" is not known here; this is %d", value,
                        COLL_PSCHEDULE_TUNING_VERSION);
    }
    reader->versioned = true;
    return true;
}

static bool take_constant(reader_t *reader, int index, const char *value)
{
    mca_coll_pschedule_tuning_t *tuning = reader->tuning;
    const mca_coll_pschedule_constant_t *constant = &mca_coll_pschedule_constants[index];
    uint64_t number;
    const char *end;

    if (!read_number(value, &number, &end) || '\0' != *end || number < constant->least
        || number > INT_MAX) {
        return complain(reader, "%s is \"%s\", not a number from %u to %d", constant->name, value,
                        constant->least, INT_MAX);
    }
    if (0 != (tuning->given & 1u << index)) {
        return complain(reader, "%s is there twice", constant->name);
    }
    tuning->given |= 1u << index;
    *mca_coll_pschedule_constant(&tuning->rates, index) = (unsigned) number;
    return true;
}

/* ---- wishes ---- */

static int find_row(mca_coll_pschedule_collective_t collective, const char *name)
{
    for (int i = 0; NULL != mca_coll_pschedule_algorithms[i]; ++i) {
        if (mca_coll_pschedule_serves(mca_coll_pschedule_algorithms[i], collective)
            && 0 == strcmp(name, mca_coll_pschedule_algorithms[i]->name)) {
            return i + 1;
        }
    }
    return 0;
}

static mca_coll_pschedule_span_t *span_of(mca_coll_pschedule_wish_t *wish, const char *name)
{
    return 0 == strcmp(name, "ranks")   ? &wish->ranks
           : 0 == strcmp(name, "hosts") ? &wish->hosts
           : 0 == strcmp(name, "bytes") ? &wish->bytes
                                        : NULL;
}

static bool add_wish(reader_t *reader, mca_coll_pschedule_wish_t wish)
{
    mca_coll_pschedule_tuning_t *tuning = reader->tuning;
    mca_coll_pschedule_wish_t *more
        = realloc(tuning->wish, (tuning->wishes + 1) * sizeof(*tuning->wish));

    if (NULL == more) {
        return complain(reader, "out of memory");
    }
    tuning->wish = more;
    tuning->wish[tuning->wishes++] = wish;
    return true;
}

static mca_coll_pschedule_tuned_t find_tuned(const char *word)
{
    return 0 == strcmp(word, "served")      ? COLL_PSCHEDULE_TUNED_SERVED
           : 0 == strcmp(word, "handed_on") ? COLL_PSCHEDULE_TUNED_HANDED_ON
                                            : COLL_PSCHEDULE_TUNED_NOT;
}

static bool take_wish(reader_t *reader, mca_coll_pschedule_collective_t collective,
                      bool persistent, char *value)
{
    static const mca_coll_pschedule_span_t any = {.least = 0, .most = UINT64_MAX};
    mca_coll_pschedule_wish_t wish = {.collective = collective, .persistent = persistent,
                                      .ranks = any, .hosts = any, .bytes = any};
    char *rest = NULL;
    const char *word = strtok_r(value, " \t", &rest);

    word = NULL == word ? "" : word;
    wish.row = persistent ? (int) find_tuned(word) : find_row(collective, word);
    if (0 == wish.row && persistent) {
        return complain(reader, "\"%s\" is neither served nor handed_on", word);
    }
    if (0 == wish.row) {
        return complain(reader, "%s has no algorithm \"%s\"", mca_coll_pschedule_names[collective],
                        word);
    }
    while (NULL != (word = strtok_r(NULL, " \t", &rest))) {
        mca_coll_pschedule_span_t *span = span_of(&wish, word);
        const char *range = strtok_r(NULL, " \t", &rest);

        if (NULL == span) {
            return complain(reader, "\"%s\" is none of ranks, hosts, bytes", word);
        }
        if (NULL == range || !read_span(range, span)) {
            return complain(reader, "\"%s\" is no range of %s", NULL == range ? "" : range, word);
        }
    }
    return add_wish(reader, wish);
}

/* ---- lines ---- */

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (isspace((unsigned char) *text)) {
        ++text;
    }
    while (end > text && isspace((unsigned char) end[-1])) {
        *--end = '\0';
    }
    return text;
}

#define PERSISTENT "persistent_"

static bool take_pair(reader_t *reader, const char *name, char *value)
{
    bool persistent = 0 == strncmp(name, PERSISTENT, sizeof(PERSISTENT) - 1);
    const char *collective = name + (persistent ? sizeof(PERSISTENT) - 1 : 0);

    if (0 == strcmp(name, "version")) {
        return take_version(reader, value);
    }
    if (!reader->versioned) {
        return complain(reader, "\"version = %d\" must come first", COLL_PSCHEDULE_TUNING_VERSION);
    }
    for (int i = 0; i < COLL_PSCHEDULE_CONSTANTS; ++i) {
        if (0 == strcmp(name, mca_coll_pschedule_constants[i].name)) {
            return take_constant(reader, i, value);
        }
    }
    for (int i = 0; i < COLL_PSCHEDULE_COLLECTIVES; ++i) {
        if (0 == strcmp(collective, mca_coll_pschedule_names[i])) {
            return take_wish(reader, (mca_coll_pschedule_collective_t) i, persistent, value);
        }
    }
    return complain(reader, "\"%s\" is not known", name);
}

static bool take_line(reader_t *reader, char *line)
{
    char *equals, *text;

    line[strcspn(line, "#")] = '\0';
    text = trim(line);
    if ('\0' == *text) {
        return true;
    }
    equals = strchr(text, '=');
    if (NULL == equals) {
        return complain(reader, "no NAME = VALUE");
    }
    *equals = '\0';
    return take_pair(reader, trim(text), trim(equals + 1));
}

bool mca_coll_pschedule_tuning_read(mca_coll_pschedule_tuning_t *tuning, FILE *file,
                                    const char *name)
{
    reader_t reader = {.tuning = tuning, .name = name};
    char line[LINE];
    bool good = true;

    mca_coll_pschedule_tuning_free(tuning); /* what another file has said */
    while (good && NULL != fgets(line, sizeof(line), file)) {
        ++reader.line;
        good = NULL != strchr(line, '\n') || feof(file)
                   ? take_line(&reader, line)
                   : complain(&reader, "more than %d bytes", LINE - 2);
    }
    if (good && ferror(file)) {
        good = complain(&reader, "cannot be read");
    }
    if (good && !reader.versioned) {
        good = complain(&reader, "there is no \"version = %d\"", COLL_PSCHEDULE_TUNING_VERSION);
    }
    return good;
}

void mca_coll_pschedule_tuning_free(mca_coll_pschedule_tuning_t *tuning)
{
    free(tuning->wish);
    *tuning = (mca_coll_pschedule_tuning_t) {.given = 0};
}

/* ---- using ---- */

static bool within(mca_coll_pschedule_span_t span, uint64_t number)
{
    return span.least <= number && number <= span.most;
}

/* Of the first line that fits; 0: none does. */
static int find_wish(const mca_coll_pschedule_tuning_t *tuning,
                     const mca_coll_pschedule_problem_t *problem, bool persistent)
{
    uint64_t hosts = NULL != problem->hosts ? problem->hosts->count
                     : problem->one_host    ? 1
                                            : (uint64_t) problem->size;

    for (uint32_t i = 0; i < tuning->wishes; ++i) {
        const mca_coll_pschedule_wish_t *wish = &tuning->wish[i];

        if (wish->collective == problem->collective && wish->persistent == persistent
            && within(wish->ranks, (uint64_t) problem->size) && within(wish->hosts, hosts)
            && within(wish->bytes, problem->common_bytes)) {
            return wish->row;
        }
    }
    return 0;
}

int mca_coll_pschedule_tuning_row(const mca_coll_pschedule_tuning_t *tuning,
                                  const mca_coll_pschedule_problem_t *problem)
{
    return find_wish(tuning, problem, false);
}

mca_coll_pschedule_tuned_t
mca_coll_pschedule_tuning_persistent(const mca_coll_pschedule_tuning_t *tuning,
                                     const mca_coll_pschedule_problem_t *problem)
{
    return (mca_coll_pschedule_tuned_t) find_wish(tuning, problem, true);
}

bool mca_coll_pschedule_tuning_may_serve(const mca_coll_pschedule_tuning_t *tuning,
                                         mca_coll_pschedule_collective_t collective,
                                         uint64_t bytes)
{
    for (uint32_t i = 0; i < tuning->wishes; ++i) {
        const mca_coll_pschedule_wish_t *wish = &tuning->wish[i];

        if (wish->persistent && wish->collective == collective
            && COLL_PSCHEDULE_TUNED_SERVED == wish->row
            && (UINT64_MAX == bytes || within(wish->bytes, bytes))) {
            return true;
        }
    }
    return false;
}

static uint32_t mix_span(uint32_t mixed, mca_coll_pschedule_span_t span)
{
    return mca_coll_pschedule_mix(mca_coll_pschedule_mix(mixed, span.least), span.most);
}

static uint32_t mix_wish(uint32_t mixed, const mca_coll_pschedule_wish_t *wish)
{
    mixed = mix_span(mca_coll_pschedule_mix(mixed, (uint64_t) wish->row), wish->ranks);
    return mix_span(mix_span(mixed, wish->hosts), wish->bytes);
}

uint32_t mca_coll_pschedule_tuning_number(const mca_coll_pschedule_tuning_t *tuning,
                                          mca_coll_pschedule_collective_t collective)
{
    uint32_t mixed = 0;

    for (uint32_t i = 0; i < tuning->wishes; ++i) {
        if (!tuning->wish[i].persistent && tuning->wish[i].collective == collective) {
            mixed = mix_wish(mixed, &tuning->wish[i]);
        }
    }
    return mixed;
}

uint32_t mca_coll_pschedule_tuning_persistent_number(const mca_coll_pschedule_tuning_t *tuning)
{
    uint32_t mixed = 0;

    for (uint32_t i = 0; i < tuning->wishes; ++i) {
        if (tuning->wish[i].persistent) {
            mixed = mca_coll_pschedule_mix(mixed, (uint64_t) tuning->wish[i].collective + 1);
            mixed = mix_wish(mixed, &tuning->wish[i]);
        }
    }
    return mixed;
}
