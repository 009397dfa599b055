/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers (see part_ucx_random.h).
 */
#include "base/part_ucx_random.h"

#include <errno.h>
#include <sys/random.h>

/* The system gives up to 256 bytes at once, whole. */
enum { STOCK = 64 };

bool mca_part_ucx_random(void *bytes, size_t size)
{
    char *at = bytes;

    while (0 != size) {
        ssize_t got = getrandom(at, size, 0);

        if (got < 0 && EINTR == errno) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t) got;
    }
    return true;
}

bool mca_part_ucx_random_word(uint32_t *word)
{
    static uint32_t stock[STOCK];
    static uint32_t left;

    if (0 == left) {
        if (!mca_part_ucx_random(stock, sizeof(stock))) {
            return false;
        }
        left = STOCK;
    }
    *word = stock[--left];
    stock[left] = 0; /* who reads this memory later does not learn it */
    return true;
}
