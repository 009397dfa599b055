/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared segments: what is written to a view is in the segment, no range beyond it is in the view,
 * only the segment that is meant is opened, and no file stays open.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif

#include "unit.h"

#include "base/part_ucx_memory_size.h"
#include "base/part_ucx_shm.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 100000u

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (NULL != readdir(folder)) {
        ++count;
    }
    closedir(folder);
    return count;
}

/* Asked of the system itself: what is skipped must not be up to what is tested. */
static bool is_seen(pid_t process, int file)
{
    char name[64];
    int again;

    (void) snprintf(name, sizeof(name), "/proc/%ld/fd/%d", (long) process, file);
    again = open(name, O_RDWR | O_CLOEXEC);
    return -1 != again && 0 == close(again);
}

static void skip_without(void)
{
    mca_part_ucx_shm_t shm;
    mca_part_ucx_shm_view_t view;
    bool here = false;

#ifdef MFD_CLOEXEC
    int file = memfd_create("test", MFD_CLOEXEC);

    if (-1 != file) {
        here = 0 == fallocate(file, 0, 0, 1) && is_seen(getpid(), file);
        close(file);
    }
#endif
    if (!here) {
        print_message("this system has no such memory, or does not let processes see each other\n");
        skip();
    }
    assert_true(mca_part_ucx_shm_make(&shm, 1));
    assert_true(mca_part_ucx_shm_open(&view, &shm));
    mca_part_ucx_shm_close(&view);
    mca_part_ucx_shm_free(&shm);
}

/* A child makes a segment, describes it, and says whether it has got what the parent writes. (The
 * other way round, some systems would not let the child look into its parent.) */
static void live(const int *to_parent, const int *to_child)
{
    mca_part_ucx_shm_t shm;
    const unsigned char *memory;
    char go;

    if (!mca_part_ucx_shm_make(&shm, BYTES)
        || sizeof(shm) != write(to_parent[1], &shm, sizeof(shm))
        || 1 != read(to_child[0], &go, 1)) {
        _exit(1);
    }
    memory = (const unsigned char *) (uintptr_t) shm.base;
    _exit(7 == memory[0] && 7 == memory[BYTES - 2] && 9 == memory[BYTES - 1] ? 0 : 2);
}

static void carries_bytes(void **state)
{
    int to_parent[2], to_child[2], status;
    mca_part_ucx_shm_view_t view;
    mca_part_ucx_shm_t shm;
    uint64_t base;
    pid_t child;

    (void) state;
    skip_without();
    assert_int_equal(0, pipe(to_parent));
    assert_int_equal(0, pipe(to_child));
    child = fork();
    assert_int_not_equal(-1, child);
    if (0 == child) {
        live(to_parent, to_child);
    }
    assert_int_equal(sizeof(shm), read(to_parent[0], &shm, sizeof(shm)));
    if (is_seen(child, shm.file)) {
        assert_true(mca_part_ucx_shm_open(&view, &shm));
        base = view.base;
        assert_int_equal(0, *mca_part_ucx_shm_at(&view, base + BYTES - 1, 1));
        memset(mca_part_ucx_shm_at(&view, base, BYTES), 7, BYTES);
        *mca_part_ucx_shm_at(&view, base + BYTES - 1, 1) = 9;
        mca_part_ucx_shm_close(&view);
        assert_int_equal(1, write(to_child[1], "g", 1));
        assert_int_equal(child, waitpid(child, &status, 0));
        assert_int_equal(0, status);
    } else {
        (void) kill(child, SIGKILL);
        (void) waitpid(child, &status, 0);
        print_message("this system does not let a process see its child\n");
        skip();
    }
}

/* Views outlive the file and the segment; a segment that is hidden is not found any more. */
static void outlives(void **state)
{
    int before = open_files();
    mca_part_ucx_shm_t shm;
    mca_part_ucx_shm_view_t view, late;

    (void) state;
    skip_without();
    assert_true(mca_part_ucx_shm_make(&shm, BYTES));
    assert_true(mca_part_ucx_shm_open(&view, &shm));
    mca_part_ucx_shm_hide(&shm);
    assert_int_equal(before, open_files());
    assert_false(mca_part_ucx_shm_open(&late, &shm));
    assert_null(mca_part_ucx_shm_at(&late, 0, 0));
    view.here[5] = 3;
    assert_int_equal(3, ((const char *) (uintptr_t) shm.base)[5]);
    mca_part_ucx_shm_free(&shm);
    mca_part_ucx_shm_free(&shm);
    assert_int_equal(3, view.here[5]);
    mca_part_ucx_shm_close(&view);
    assert_null(view.here);
}

static void ranges(void **state)
{
    char memory[16];
    mca_part_ucx_shm_view_t view = {.base = 1000, .bytes = sizeof(memory), .here = memory};
    mca_part_ucx_shm_view_t none = {.base = 1000, .bytes = sizeof(memory)};

    (void) state;
    assert_ptr_equal(memory, mca_part_ucx_shm_at(&view, 1000, 16));
    assert_ptr_equal(memory + 15, mca_part_ucx_shm_at(&view, 1015, 1));
    assert_null(mca_part_ucx_shm_at(&view, 1000, 17));
    assert_null(mca_part_ucx_shm_at(&view, 1015, 2));
    assert_null(mca_part_ucx_shm_at(&view, 999, 1));
    assert_null(mca_part_ucx_shm_at(&view, 1017, 1));
    assert_null(mca_part_ucx_shm_at(&view, 1001, UINT64_MAX));
    assert_null(mca_part_ucx_shm_at(&none, 1000, 1));
}

/* A number of a file may mean another one by now, or one that is too short. */
static void refuses_others(void **state)
{
    int before = open_files();
    mca_part_ucx_shm_t shm, other, wrong;
    mca_part_ucx_shm_view_t view;

    (void) state;
    skip_without();
    assert_true(mca_part_ucx_shm_make(&shm, BYTES));
    assert_true(mca_part_ucx_shm_make(&other, BYTES));
    wrong = shm;
    wrong.file = other.file;
    assert_false(mca_part_ucx_shm_open(&view, &wrong));
    wrong = shm;
    wrong.bytes = BYTES + 1;
    assert_false(mca_part_ucx_shm_open(&view, &wrong));
    wrong = (mca_part_ucx_shm_t) {0};
    assert_false(mca_part_ucx_shm_open(&view, &wrong));
    assert_null(view.here);
    mca_part_ucx_shm_free(&other);
    mca_part_ucx_shm_free(&shm);
    assert_int_equal(before, open_files());
}

/* What is only looked for: found while it is there, and nothing is mapped or stays open. */
static void beacons(void **state)
{
    int before = open_files();
    mca_part_ucx_shm_t shm, wrong;

    (void) state;
    skip_without();
    assert_true(mca_part_ucx_shm_beacon(&shm));
    assert_int_equal(0, shm.base);
    assert_true(mca_part_ucx_shm_found(&shm));
    wrong = shm;
    ++wrong.inode;
    assert_false(mca_part_ucx_shm_found(&wrong));
    wrong = shm;
    mca_part_ucx_shm_free(&shm);
    assert_false(mca_part_ucx_shm_found(&wrong));
    mca_part_ucx_shm_free(&shm);
    assert_int_equal(before, open_files());
}

/* Without files or memory there is an answer, and nothing is kept. */
static void runs_out(void **state)
{
    struct rlimit usual, none;
    mca_part_ucx_shm_t shm = {.base = 1};

    (void) state;
    skip_without();
    assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &usual));
    none = usual;
    none.rlim_cur = 0;
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &none));
    assert_false(mca_part_ucx_shm_make(&shm, BYTES));
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &usual));
    assert_int_equal(0, shm.base);
    assert_false(mca_part_ucx_shm_make(&shm, UINT64_C(1) << 62));
    assert_int_equal(0, shm.base);
    /* Where a larger file would be a signal. */
    assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &usual));
    none = usual;
    none.rlim_cur = BYTES - 1;
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &none));
    assert_false(mca_part_ucx_shm_make(&shm, BYTES));
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &usual));
}

/* All segments of a process are no more than its share; what is given back may be taken again. */
static void has_a_share(void **state)
{
    enum { MOST = 64 };
    uint64_t bytes = mca_part_ucx_memory_size() / (4 * 1024 * 10); /* ten make a share of 1024 */
    mca_part_ucx_shm_t shm[MOST];
    int count = 0;

    (void) state;
    skip_without();
    mca_part_ucx_shm_among(1024);
    while (count < MOST && mca_part_ucx_shm_make(&shm[count], bytes)) {
        ++count;
    }
    assert_true(9 <= count && count <= 10);
    mca_part_ucx_shm_free(&shm[--count]);
    assert_true(mca_part_ucx_shm_make(&shm[count], bytes));
    assert_false(mca_part_ucx_shm_make(&shm[count + 1], bytes));
    for (; count >= 0; --count) {
        mca_part_ucx_shm_free(&shm[count]);
    }
    mca_part_ucx_shm_among(1);
}

static void put_text(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    (void) snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(0, fclose(file));
}

/* Made-up control groups: /a has a limit, /a/b has a lower one or none, /c none. */
static uint64_t limit_with(const char *folder, const char *lines)
{
    char path[256];

    put_text(folder, "cgroup", lines);
    (void) snprintf(path, sizeof(path), "%s/cgroup", folder);
    return mca_part_ucx_memory_limit(path, folder);
}

static void heeds_control_groups(void **state)
{
    static const char *const folders[] = {"memory", "memory/a", "memory/a/b", "a", "a/b", "c"};
    char folder[] = "/tmp/test_shm.XXXXXX", path[256];

    (void) state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); ++i) {
        (void) snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
        assert_int_equal(0, mkdir(path, 0700));
    }
    put_text(folder, "a/memory.max", "5000\n");
    put_text(folder, "a/b/memory.max", "max\n");
    put_text(folder, "memory/a/memory.limit_in_bytes", "7000\n");
    put_text(folder, "memory/a/b/memory.limit_in_bytes", "6000\n");
    assert_int_equal(5000, limit_with(folder, "0::/a/b\n"));
    assert_int_equal(5000, limit_with(folder, "0::/a\n"));
    assert_true(UINT64_MAX == limit_with(folder, "0::/c\n"));
    assert_true(UINT64_MAX == limit_with(folder, "0::/\n"));
    assert_int_equal(6000, limit_with(folder, "9:name=systemd:/a\n4:memory:/a/b\n0::/\n"));
    assert_int_equal(7000, limit_with(folder, "4:memory:/a\n3:cpuset:/a/b\n"));
    assert_int_equal(5000, limit_with(folder, "4:memory:/a/b\n0::/a/b\n"));
    assert_true(UINT64_MAX == limit_with(folder, "no group\n\n::\n"));
    assert_true(UINT64_MAX == mca_part_ucx_memory_limit("/nowhere/cgroup", folder));
    (void) snprintf(path, sizeof(path), "rm -rf %s", folder);
    assert_int_equal(0, system(path));
    assert_true(mca_part_ucx_memory_size() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_bytes), cmocka_unit_test(outlives),
        cmocka_unit_test(ranges),        cmocka_unit_test(refuses_others),
        cmocka_unit_test(beacons),        cmocka_unit_test(runs_out),
        cmocka_unit_test(has_a_share),   cmocka_unit_test(heeds_control_groups),
    };

    return UNIT_RUN(tests);
}
