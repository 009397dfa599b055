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
#include <stdlib.h>

#define EXPORTED EARLY __attribute__((visibility("default")))

#if defined(__SANITIZE_ADDRESS__)
#    define REAL(name) __interceptor_##name
#else
#    define REAL(name) __libc_##name
#endif

extern void *REAL(malloc)(size_t bytes);
extern void *REAL(calloc)(size_t count, size_t bytes);
extern void *REAL(realloc)(void *memory, size_t bytes);

EARLY static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *malloc(size_t bytes)
{
    return mt_scarce_refused(__builtin_return_address(0)) ? none() : REAL(malloc)(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    return mt_scarce_refused(__builtin_return_address(0)) ? none() : REAL(calloc)(count, bytes);
}

EXPORTED void *realloc(void *memory, size_t bytes)
{
    return mt_scarce_refused(__builtin_return_address(0)) ? none() : REAL(realloc)(memory, bytes);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    static int (*real)(void **memory, size_t alignment, size_t bytes);

    if (mt_scarce_refused(__builtin_return_address(0))) {
        return ENOMEM;
    }
    if (NULL == real) {
        *(void **) &real = dlsym(RTLD_NEXT, "posix_memalign");
    }
    return real(memory, alignment, bytes);
}

bool mt_scarce_later(void)
{
    return false;
}
