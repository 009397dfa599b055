/*
 * Copyright (c) 2026 The mpix-partitioned authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A number that differs when any bit of the data does: FNV-1a on words instead of bytes, with the
 * upper half folded into the lower one, which a multiplication alone does not reach.
 */
#include "hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 32);
}

uint64_t gpt2_hash(uint64_t start, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    uint64_t hash = start ^ UINT64_C(0xcbf29ce484222325);
    uint64_t word = 0;
    for (; sizeof(word) <= bytes; bytes -= sizeof(word), from += sizeof(word)) {
        memcpy(&word, from, sizeof(word));
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, from, bytes);
    return mix(hash, word ^ ((uint64_t) bytes << 56));
}
