/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash of a sequence of numbers (FNV-1a), which ranks compare instead of the sequence.
 */
#ifndef COLL_PSCHEDULE_HASH_H
#define COLL_PSCHEDULE_HASH_H

#include <stdint.h>

/** Of no numbers. */
#define COLL_PSCHEDULE_HASH_SEED UINT64_C(0xcbf29ce484222325)

/** Of those of `seed`, and one more. */
static inline uint64_t mca_coll_pschedule_hash(uint64_t seed, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        seed = (seed ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
    }
    return seed;
}

#endif /* COLL_PSCHEDULE_HASH_H */
