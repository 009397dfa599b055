/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that runs out (see scarce.h): malloc and its like of this program, which all libraries
 * get. Who is asked looks where the call comes from.
 */
#include "scarce.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Called before the address sanitizer has begun. */
#define EARLY __attribute__((no_sanitize("address", "undefined")))

#define EXPORTED EARLY __attribute__((visibility("default")))

#if defined(__SANITIZE_ADDRESS__)
#    define REAL(name) __interceptor_##name
#else
#    define REAL(name) __libc_##name
#endif

extern void *REAL(malloc)(size_t bytes);
extern void *REAL(calloc)(size_t count, size_t bytes);
extern void *REAL(realloc)(void *memory, size_t bytes);

typedef struct range_t {
    uintptr_t begin, end;
} range_t;

static range_t components[2];
static atomic_long left;  /* so many requests for memory are granted, then one is not; 0: all are */
static atomic_long asked; /* since mt_scarce */

/* The code of a component, whose file is called so. */
static int find(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *names[] = {"mca_part_ucx.so", "mca_coll_pschedule.so"};

    (void) size, (void) data;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; NULL != strstr(info->dlpi_name, names[i]) && j < info->dlpi_phnum; ++j) {
            if (PT_LOAD == info->dlpi_phdr[j].p_type && 0 != (info->dlpi_phdr[j].p_flags & PF_X)) {
                components[i].begin = info->dlpi_addr + info->dlpi_phdr[j].p_vaddr;
                components[i].end = components[i].begin + info->dlpi_phdr[j].p_memsz;
            }
        }
    }
    return 0;
}

long mt_scarce(long nth)
{
    (void) dl_iterate_phdr(find, NULL);
    if (0 == components[0].begin || 0 == components[1].begin) {
        return -1;
    }
    atomic_store(&left, nth);
    return atomic_exchange(&asked, 0);
}

EARLY static bool refused(void *caller)
{
    uintptr_t at = (uintptr_t) caller;

    for (int i = 0; i < 2; ++i) {
        if (at >= components[i].begin && at < components[i].end) {
            (void) atomic_fetch_add(&asked, 1);
            return atomic_load(&left) > 0 && 1 == atomic_fetch_sub(&left, 1);
        }
    }
    return false;
}

/* MPIX_TEST_SCARCE_SHOW=1 shows who gets none. */
EARLY static void *none(void)
{
    void *frames[24];

    if (NULL != getenv("MPIX_TEST_SCARCE_SHOW")) {
        backtrace_symbols_fd(frames, backtrace(frames, 24), STDERR_FILENO);
    }
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? none() : REAL(malloc)(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? none() : REAL(calloc)(count, bytes);
}

EXPORTED void *realloc(void *memory, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? none() : REAL(realloc)(memory, bytes);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    static int (*real)(void **memory, size_t alignment, size_t bytes);

    if (refused(__builtin_return_address(0))) {
        return ENOMEM;
    }
    if (NULL == real) {
        *(void **) &real = dlsym(RTLD_NEXT, "posix_memalign");
    }
    return real(memory, alignment, bytes);
}
