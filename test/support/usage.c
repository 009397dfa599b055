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
#include <stdio.h>
#include <unistd.h>

/* What a process may grow after the warm-up, whatever the number of iterations: buffers of the
 * transports that are filled by need (UCX 1.22 takes and gives back some 200 kB at a time). 100000
 * iterations that lose 8 bytes each would show as 400 kB in both halves. */
#define RESIDENT_SLACK (512 * 1024)
#define MALLOC_SLACK   (160 * 1024)

static mt_usage_t measure(void)
{
    mt_usage_t usage = {0, 0, 0};
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    DIR *files = opendir("/proc/self/fd");

    if (NULL != file && 1 == fscanf(file, "%*u %lu", &pages)) {
        usage.resident = pages * (size_t) sysconf(_SC_PAGESIZE);
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

void mt_look(mt_watch_t *watch, int i, int count)
{
    int warm_up = count / 10;

    if (i == warm_up) {
        watch->begin = measure();
    } else if (i == warm_up + (count - warm_up) / 2) {
        watch->middle = measure();
    }
}

static size_t growth(size_t from, size_t to)
{
    return to > from ? to - from : 0;
}

/* What is lost is lost in both halves. Buffers of the transports may also grow later, when one of
 * the ranks was held up and much lay waiting; but then once. */
void mt_expect_flat(const mt_watch_t *watch, const char *what)
{
    mt_usage_t after = measure();
    size_t first = growth(watch->begin.resident, watch->middle.resident);
    size_t second = growth(watch->middle.resident, after.resident);
    size_t early = growth(watch->begin.handed_out, watch->middle.handed_out);
    size_t late = growth(watch->middle.handed_out, after.handed_out);

    mt_note("resident %zu -> %zu -> %zu, malloc %zu -> %zu -> %zu, files %d -> %d",
            watch->begin.resident, watch->middle.resident, after.resident,
            watch->begin.handed_out, watch->middle.handed_out, after.handed_out,
            watch->begin.files, after.files);
    mt_check((first < second ? first : second) <= RESIDENT_SLACK / 2,
             "%s: resident size grew by %zu, then by %zu", what, first, second);
    mt_check((early < late ? early : late) <= MALLOC_SLACK,
             "%s: malloc grew by %zu, then by %zu", what, early, late);
    mt_check(after.files <= watch->begin.files, "%s: %d more open files", what,
             after.files - watch->begin.files);
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
