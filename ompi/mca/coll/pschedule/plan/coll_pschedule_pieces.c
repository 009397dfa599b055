/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The arithmetic that builders share: parts, chunks and pieces of ranges.
 */
#include "plan/coll_pschedule_plan.h"

/* value * index / parts without overflow, for index <= parts. */
static uint64_t share(uint64_t value, uint32_t index, uint32_t parts)
{
    return value / parts * index + value % parts * index / parts;
}

mca_coll_pschedule_range_t mca_coll_pschedule_part(mca_coll_pschedule_range_t range,
                                                   uint32_t index, uint32_t parts,
                                                   uint32_t element)
{
    uint64_t elements = range.bytes / element;
    uint64_t begin = share(elements, index, parts) * element;
    uint64_t end = share(elements, index + 1, parts) * element;

    return (mca_coll_pschedule_range_t) {.offset = range.offset + begin, .bytes = end - begin};
}

mca_coll_pschedule_range_t mca_coll_pschedule_partition(const mca_coll_pschedule_cut_t *cut,
                                                        uint32_t index)
{
    uint64_t bytes = cut->bytes / cut->partitions;

    return (mca_coll_pschedule_range_t) {.offset = index * bytes, .bytes = bytes};
}

uint32_t mca_coll_pschedule_chunks(uint64_t bytes, uint64_t chunk, uint32_t element)
{
    uint64_t elements = bytes / element;
    uint64_t most = chunk / element;

    most = 0 == most ? 1 : most;
    return (uint32_t) (elements / most + (0 != elements % most));
}

uint32_t mca_coll_pschedule_pieces(const mca_coll_pschedule_cut_t *cut, uint64_t chunk)
{
    return mca_coll_pschedule_chunks(cut->bytes / cut->partitions, chunk, 1) * cut->partitions;
}

mca_coll_pschedule_range_t mca_coll_pschedule_piece(const mca_coll_pschedule_cut_t *cut,
                                                    uint64_t chunk, uint32_t index,
                                                    uint32_t *partition)
{
    uint32_t each = mca_coll_pschedule_chunks(cut->bytes / cut->partitions, chunk, 1);

    *partition = index / each;
    return mca_coll_pschedule_part(mca_coll_pschedule_partition(cut, *partition), index % each,
                                   each, 1);
}
