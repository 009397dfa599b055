/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared segments (see part_ucx_shm.h).
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif

#include "base/part_ucx_shm.h"

#include "base/part_ucx_memory_size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process may have 65530 mappings by default, and needs some for other things. */
#define MOST_VIEWS 16384

/* Bytes whose pages are made in one call. */
#define STEP (UINT64_C(1) << 20)

static atomic_int views;

/* Bytes of the segments that this process has made, and what they may be, once known. */
static atomic_uint_least64_t made;
static atomic_uint_least64_t share;
static atomic_uint sharing = 1;

/* What the kernel takes for so many bytes. */
static uint64_t in_pages(uint64_t bytes)
{
    uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

/* ---- of this process ---- */

#ifdef MFD_CLOEXEC

/* Of all memory one segment may take a sixteenth, and those of all processes a fourth. */
static uint64_t share_of_memory(void)
{
    if (0 == atomic_load(&share)) {
        atomic_store(&share, mca_part_ucx_memory_size() / 4 + 1);
    }
    return atomic_load(&share) / atomic_load(&sharing);
}

/* Taking all pages at once must not bring the system down, nor exceed a limit, which is answered
 * with a signal. */
static bool is_modest(uint64_t bytes)
{
    uint64_t most = share_of_memory(), taken = in_pages(bytes);
    struct rlimit files;

    return bytes <= atomic_load(&share) / 4 && taken <= most && atomic_load(&made) <= most - taken
           && 0 == getrlimit(RLIMIT_FSIZE, &files) && bytes <= files.rlim_cur;
}

static int unnamed_file(void)
{
    int file = -1;

#    ifdef MFD_NOEXEC_SEAL
    file = memfd_create("mpix-partitioned", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
#    endif
    /* Kernels before 6.3 do not know that flag. */
    return -1 != file ? file : memfd_create("mpix-partitioned", MFD_CLOEXEC);
}

/* With its pages: one that is missing later is a signal for whoever writes there. A signal of the
 * program's, such as a profiler's, undoes what a call has done so far: so in small steps. */
static bool populate(int file, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += STEP) {
        uint64_t step = bytes - at < STEP ? bytes - at : STEP;

        while (0 != fallocate(file, 0, (off_t) at, (off_t) step)) {
            if (EINTR != errno) {
                return false;
            }
        }
    }
    return true;
}

static int new_file(uint64_t bytes)
{
    int file = is_modest(bytes) ? unnamed_file() : -1;

    if (-1 != file && (0 != ftruncate(file, (off_t) bytes) || !populate(file, bytes))) {
        close(file);
        file = -1;
    }
    return file;
}

#else

static int new_file(uint64_t bytes)
{
    (void) bytes;
    return -1;
}

#endif

static char *map(int file, uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return MAP_FAILED == memory ? NULL : memory;
}

/* Not mapped. */
static bool make(mca_part_ucx_shm_t *shm, uint64_t bytes)
{
    int file = new_file(bytes);
    struct stat status;

    *shm = (mca_part_ucx_shm_t) {.file = -1};
    if (-1 == file) {
        return false;
    }
    if (0 != fstat(file, &status)) {
        close(file);
        return false;
    }
    *shm = (mca_part_ucx_shm_t) {.bytes = bytes,
                                 .device = (uint64_t) status.st_dev,
                                 .inode = (uint64_t) status.st_ino,
                                 .file = file,
                                 .process = (int32_t) getpid()};
    return true;
}

void mca_part_ucx_shm_among(unsigned processes)
{
    atomic_store(&sharing, processes);
}

bool mca_part_ucx_shm_make(mca_part_ucx_shm_t *shm, uint64_t bytes)
{
    if (!make(shm, bytes)) {
        return false;
    }
    atomic_fetch_add(&made, in_pages(bytes));
    shm->base = (uint64_t) (uintptr_t) map(shm->file, bytes);
    if (0 == shm->base) {
        atomic_fetch_sub(&made, in_pages(bytes));
        mca_part_ucx_shm_free(shm);
        return false;
    }
    return true;
}

bool mca_part_ucx_shm_beacon(mca_part_ucx_shm_t *shm)
{
    return make(shm, 1);
}

void mca_part_ucx_shm_hide(mca_part_ucx_shm_t *shm)
{
    if (0 != shm->bytes && -1 != shm->file) {
        close(shm->file);
        shm->file = -1;
    }
}

void mca_part_ucx_shm_free(mca_part_ucx_shm_t *shm)
{
    mca_part_ucx_shm_hide(shm);
    if (0 != shm->base) {
        (void) munmap((void *) (uintptr_t) shm->base, shm->bytes);
        atomic_fetch_sub(&made, in_pages(shm->bytes));
    }
    *shm = (mca_part_ucx_shm_t) {.file = -1};
}

/* ---- of others ---- */

static bool is_meant(const mca_part_ucx_shm_t *shm, const struct stat *status)
{
    return S_ISREG(status->st_mode) && (uint64_t) status->st_dev == shm->device
           && (uint64_t) status->st_ino == shm->inode && (uint64_t) status->st_size >= shm->bytes;
}

static int open_described(const mca_part_ucx_shm_t *shm)
{
    struct stat status;
    char name[64];
    int file = -1;

    (void) snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int) shm->process, (int) shm->file);
    /* Looked at before it is opened: what to open may do something, as with a terminal. */
    if (0 == stat(name, &status) && is_meant(shm, &status)) {
        file = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY);
    }
    if (-1 != file && (0 != fstat(file, &status) || !is_meant(shm, &status))) {
        close(file);
        file = -1;
    }
    return file;
}

bool mca_part_ucx_shm_found(const mca_part_ucx_shm_t *shm)
{
    int file = open_described(shm);

    if (-1 != file) {
        close(file);
    }
    return -1 != file;
}

/* False: no more of them. */
static bool take_view(void)
{
    bool one = atomic_fetch_add(&views, 1) < MOST_VIEWS;

    if (!one) {
        atomic_fetch_sub(&views, 1);
    }
    return one;
}

bool mca_part_ucx_shm_open(mca_part_ucx_shm_view_t *view, const mca_part_ucx_shm_t *shm)
{
    int file = open_described(shm);

    *view = (mca_part_ucx_shm_view_t) {0};
    if (-1 == file) {
        return false;
    }
    if (take_view()) {
        *view = (mca_part_ucx_shm_view_t) {
            .base = shm->base, .bytes = shm->bytes, .here = map(file, shm->bytes)};
        atomic_fetch_sub(&views, NULL == view->here ? 1 : 0);
    }
    close(file);
    return NULL != view->here;
}

void mca_part_ucx_shm_close(mca_part_ucx_shm_view_t *view)
{
    if (NULL != view->here) {
        (void) munmap(view->here, view->bytes);
        view->here = NULL;
        atomic_fetch_sub(&views, 1);
    }
}
