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

#include "part_ucx_shm.h"

#include "part_ucx_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- of this process ---- */

#ifdef MFD_CLOEXEC

static int new_file(uint64_t bytes)
{
    int file = memfd_create("mpix-partitioned", MFD_CLOEXEC);

    /* Pages come when they are written to, as those of malloc() do. */
    if (-1 != file && 0 != ftruncate(file, (off_t) bytes)) {
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

bool mca_part_ucx_shm_make(mca_part_ucx_shm_t *shm, uint64_t bytes)
{
    int file = new_file(bytes);
    struct stat status = {0};
    char *memory = NULL;

    *shm = (mca_part_ucx_shm_t) {.file = -1};
    if (-1 == file) {
        return false;
    }
    if (0 == fstat(file, &status)) {
        memory = map(file, bytes);
    }
    if (NULL == memory) {
        close(file);
        return false;
    }
    *shm = (mca_part_ucx_shm_t) {.base = (uint64_t) (uintptr_t) memory,
                                 .bytes = bytes,
                                 .device = (uint64_t) status.st_dev,
                                 .inode = (uint64_t) status.st_ino,
                                 .file = file};
    return true;
}

void mca_part_ucx_shm_seal(mca_part_ucx_shm_t *shm)
{
    if (0 != shm->base && -1 != shm->file) {
        close(shm->file);
        shm->file = -1;
    }
}

void mca_part_ucx_shm_free(mca_part_ucx_shm_t *shm)
{
    if (0 != shm->base) {
        mca_part_ucx_shm_seal(shm);
        (void) munmap((void *) (uintptr_t) shm->base, shm->bytes);
        shm->base = 0;
    }
}

/* ---- of others ---- */

static int open_described(int32_t process, const mca_part_ucx_shm_t *shm)
{
    struct stat status;
    char name[64];
    int file;

    (void) snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int) process, (int) shm->file);
    file = open(name, O_RDWR | O_CLOEXEC);
    if (-1 != file
        && (0 != fstat(file, &status) || (uint64_t) status.st_dev != shm->device
            || (uint64_t) status.st_ino != shm->inode
            || (uint64_t) status.st_size < shm->bytes)) {
        close(file);
        file = -1;
    }
    return file;
}

bool mca_part_ucx_shm_open(mca_part_ucx_shm_view_t *view, int32_t process, uint64_t described_at)
{
    mca_part_ucx_shm_t shm;
    int file;

    *view = (mca_part_ucx_shm_view_t) {0};
    if (!mca_part_ucx_place_read(process, described_at, &shm, sizeof(shm)) || -1 == shm.file) {
        return false;
    }
    file = open_described(process, &shm);
    if (-1 == file) {
        return false;
    }
    *view = (mca_part_ucx_shm_view_t) {
        .base = shm.base, .bytes = shm.bytes, .here = map(file, shm.bytes)};
    close(file);
    return NULL != view->here;
}

void mca_part_ucx_shm_close(mca_part_ucx_shm_view_t *view)
{
    if (NULL != view->here) {
        (void) munmap(view->here, view->bytes);
        view->here = NULL;
    }
}
