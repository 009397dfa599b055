/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One number of many, by which ranks find out whether they go by the same ones.
 */
#ifndef COLL_PSCHEDULE_MIX_H
#define COLL_PSCHEDULE_MIX_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t mca_coll_pschedule_mix(uint32_t mixed, uint64_t number)
{
    return (mixed * 1000003u + (uint32_t) number) * 1000003u + (uint32_t) (number >> 32);
}

static inline uint32_t mca_coll_pschedule_mix_all(uint32_t mixed, const uint32_t number[],
                                                  size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        mixed = mca_coll_pschedule_mix(mixed, number[i]);
    }
    return mixed;
}

#endif /* COLL_PSCHEDULE_MIX_H */
