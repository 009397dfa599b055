/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process holds (see usage.h).
 */

#include "usage.h"

#include "mpitest.h"

#include <dirent.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a process may grow in every quarter of the iterations: buffers of the transports that are
 * filled by need (UCX 1.22 takes and gives back some 200 kB at a time). 100000 iterations that lose
 * 8 bytes each would show as 180 kB. */
#define RESIDENT_SLACK (128 * 1024)
#define MALLOC_SLACK   (80 * 1024)

/* What malloc may have handed out more at the end of every part: in some of them transports take
 * nothing. One object of 32 bytes in each of 10 iterations is more. */
#define PART_SLACK 256
#define GIVEN_BACK (32 * 1024)

#define QUARTERS 4

mt_usage_t mt_usage(void)
{
    mt_usage_t usage = {0, 0, 0, 0};
    unsigned long pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    DIR *files = opendir("/proc/self/fd");

    if (NULL != file && 2 == fscanf(file, "%*u %lu %lu", &pages, &shared)) {
        usage.resident = pages * (size_t) sysconf(_SC_PAGESIZE);
        usage.shared = shared * (size_t) sysconf(_SC_PAGESIZE);
    }
    if (NULL != file) {
        fclose(file);
    }
    while (NULL != files && NULL != readdir(files)) {
        usage.files++;
    }
    if (NULL != files) {
        closedir(files);
    }
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    usage.handed_out = info.uordblks + info.hblkhd;
#endif
    return usage;
}

void mt_watch_begin(void)
{
    setenv("UCX_RCACHE_ENABLE", "n", 0);
}

/* What peers still owe, such as the end of a request, comes before anybody looks. */
static mt_usage_t look(void)
{
    mt_sync();
    mt_progress(0.02);
    return mt_usage();
}

void mt_look(mt_watch_t *watch, int i, int count)
{
    int warm_up = count / 10;

    for (int k = 0; k < MT_LOOKS; k++) {
        if (i == warm_up + (count - warm_up) * k / MT_LOOKS) {
            watch->look[k] = look();
        }
    }
}

static size_t growth(size_t from, size_t to)
{
    return to > from ? to - from : 0;
}

/* What malloc has handed out more in every part, at least. Where much has been given back, nothing
 * can be said. */
static size_t least_growth(const mt_watch_t *watch, const mt_usage_t *after)
{
    char text[12 * MT_LOOKS] = "";
    size_t least = SIZE_MAX;
    int used = 0;

    for (int k = 0; k < MT_LOOKS; k++) {
        size_t from = watch->look[k].handed_out;
        size_t to = k + 1 < MT_LOOKS ? watch->look[k + 1].handed_out : after->handed_out;
        size_t grown = growth(from, to);

        used += snprintf(text + used, sizeof(text) - (size_t) used, " %zu", grown % 1000000000);
        if (from <= to + GIVEN_BACK && grown < least) {
            least = grown;
        }
    }
    mt_note("malloc grew in %d parts by%s", MT_LOOKS, text);
    return SIZE_MAX == least ? 0 : least;
}

void mt_expect_flat(const mt_watch_t *watch, const char *what)
{
    mt_usage_t after = look();
    size_t resident = SIZE_MAX;
    size_t handed_out = SIZE_MAX;
    size_t least = least_growth(watch, &after);

    for (int k = 0; k < QUARTERS; k++) {
        const mt_usage_t *from = &watch->look[k * MT_LOOKS / QUARTERS];
        const mt_usage_t *to =
            k + 1 < QUARTERS ? &watch->look[(k + 1) * MT_LOOKS / QUARTERS] : &after;
        size_t more_resident = growth(from->resident, to->resident);
        size_t more_handed_out = growth(from->handed_out, to->handed_out);

        mt_note("quarter %d: resident %zu -> %zu, malloc %zu -> %zu, files %d -> %d", k + 1,
                from->resident, to->resident, from->handed_out, to->handed_out, from->files,
                to->files);
        resident = more_resident < resident ? more_resident : resident;
        handed_out = more_handed_out < handed_out ? more_handed_out : handed_out;
    }
    mt_check(resident <= RESIDENT_SLACK, "%s: resident size grew by %zu in every quarter", what,
             resident);
    mt_check(handed_out <= MALLOC_SLACK, "%s: malloc grew by %zu in every quarter", what,
             handed_out);
    mt_check(least <= PART_SLACK, "%s: malloc grew by %zu in every part", what, least);
    mt_check(after.files <= watch->look[0].files, "%s: %d more open files", what,
             after.files - watch->look[0].files);
}

size_t mt_available_memory(void)
{
    size_t kib = 0;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        if (1 == sscanf(line, "MemAvailable: %zu kB", &kib)) {
            break;
        }
    }
    if (NULL != file) {
        fclose(file);
    }
    return kib * 1024;
}
