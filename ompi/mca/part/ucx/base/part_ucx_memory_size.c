/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory, and its limits (see part_ucx_memory_size.h).
 */
#include "base/part_ucx_memory_size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The two versions of control groups: where the memory's are, and what their limit is called. */
typedef struct version_t {
    const char *folder, *limit;
} version_t;

static const version_t first = {"/memory", "memory.limit_in_bytes"};
static const version_t second = {"", "memory.max"};

/* "max", which is none, is no number. */
static uint64_t read_limit(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t limit = UINT64_MAX;

    if (NULL != file) {
        if (1 != fscanf(file, "%" SCNu64, &limit)) {
            limit = UINT64_MAX;
        }
        (void) fclose(file);
    }
    return limit;
}

/* Of a group and those above it, whose names are in front of its own. */
static uint64_t least_limit(const char *mount, const version_t *version, char *group)
{
    uint64_t least = UINT64_MAX;
    char *end;

    do {
        char path[4096];
        int length = snprintf(path, sizeof(path), "%s%s%s/%s", mount, version->folder, group,
                              version->limit);
        uint64_t limit = length < (int) sizeof(path) ? read_limit(path) : UINT64_MAX;

        least = limit < least ? limit : least;
        end = strrchr(group, '/');
        if (NULL != end) {
            *end = '\0';
        }
    } while (NULL != end);
    return least;
}

/* A line of the file: number, controllers, group. The second version has no controllers. */
static char *group_of(char *line, const version_t **version)
{
    char *controllers = strchr(line, ':');
    char *group = NULL == controllers ? NULL : strchr(++controllers, ':');

    if (NULL == group) {
        return NULL;
    }
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    *version = '\0' == controllers[0] ? &second : &first;
    return '\0' == controllers[0] || 0 == strcmp("memory", controllers) ? group : NULL;
}

uint64_t mca_part_ucx_memory_limit(const char *groups, const char *mount)
{
    FILE *file = fopen(groups, "re");
    uint64_t least = UINT64_MAX;
    char line[2048];

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        const version_t *version;
        char *group = group_of(line, &version);

        if (NULL != group) {
            uint64_t limit = least_limit(mount, version, group);

            least = limit < least ? limit : least;
        }
    }
    if (NULL != file) {
        (void) fclose(file);
    }
    return least;
}

uint64_t mca_part_ucx_memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t size = 0 < pages && 0 < page ? (uint64_t) pages * (uint64_t) page : 0;
    uint64_t limit = mca_part_ucx_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup");

    return limit < size ? limit : size;
}
