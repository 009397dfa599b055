/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts, chunks and pieces of ranges (see coll_pschedule_pieces.h).
 */
#include "plan/coll_pschedule_pieces.h"

#include "plan/coll_pschedule_shapes.h"

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

uint64_t mca_coll_pschedule_largest(uint64_t bytes, uint64_t chunk, uint32_t element)
{
    uint32_t count = mca_coll_pschedule_chunks(bytes, chunk, element);

    return 0 == count ? 0 : mca_coll_pschedule_largest_part(bytes, count, element);
}

/* ---- how large a chunk is ---- */

uint64_t mca_coll_pschedule_short_chunk(const mca_coll_pschedule_problem_t *problem,
                                        uint64_t per_rank, uint64_t smallest)
{
    uint64_t chunk = problem->common_bytes / (per_rank * (uint64_t) problem->size);
    uint64_t least = mca_coll_pschedule_least_chunk(problem);

    smallest = smallest < least ? least : smallest;
    chunk = chunk < smallest ? smallest : chunk;
    return chunk < problem->chunk ? chunk : problem->chunk;
}

uint64_t mca_coll_pschedule_least_chunk(const mca_coll_pschedule_problem_t *problem)
{
    /* Where contributions differ, the largest may be one partition. */
    uint64_t largest = problem->uniform ? problem->common_bytes / problem->common_partitions
                                        : problem->common_bytes;

    /* Twice as much as it seems: whole elements may fill little more than half of a chunk. */
    uint64_t keys = largest / (COLL_PSCHEDULE_KEY_PIECES / 2) + 1;
    /* Half of 32 bits: partitions, whose last pieces are short, may need as many more. */
    uint64_t count = problem->common_bytes / (UINT64_C(1) << 31) + 1;

    return keys < count ? count : keys;
}

/*
 * Several transfers should be under way at any time, or paths idle while a rank reduces what came
 * last. A rank of a reduction deals with an N-th of the vector at a time; it is cut in so many
 * pieces, as long as they are not so small that their number costs more. More of them gain nothing
 * between slow links, and cost where processors are the limit (docs/history.md, section 22).
 */
#define PIECES_UNDER_WAY 4u
#define SMALLEST_CHUNK   16384u

void mca_coll_pschedule_fit_chunk(mca_coll_pschedule_problem_t *problem)
{
    uint64_t least = mca_coll_pschedule_least_chunk(problem);

    if (mca_coll_pschedule_shapes[problem->collective].reduces && !problem->one_host) {
        problem->chunk = mca_coll_pschedule_short_chunk(problem, PIECES_UNDER_WAY, SMALLEST_CHUNK);
    }
    /* More pieces than there are keys for would be needed for a partition of 60 GiB. */
    problem->chunk = problem->chunk < least ? least : problem->chunk;
}
