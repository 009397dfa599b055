/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The arithmetic that builders share: keys of transfers, and how ranges are cut in parts, chunks
 * and pieces.
 */
#ifndef COLL_PSCHEDULE_PIECES_H
#define COLL_PSCHEDULE_PIECES_H

#include "plan/coll_pschedule_problem.h"

enum { COLL_PSCHEDULE_KEY_PARTITIONS = 1 << 24, COLL_PSCHEDULE_KEY_PIECES = 1 << 20 };

/** A key that sorts by phase, then step, then partition, then piece. */
static inline uint64_t mca_coll_pschedule_key(uint32_t phase, uint32_t step, uint32_t partition,
                                              uint32_t piece)
{
    return (uint64_t) (phase & 0xfu) << 60 | (uint64_t) (step & 0xffffu) << 44
           | (uint64_t) (partition & 0xffffffu) << 20 | (piece & (COLL_PSCHEDULE_KEY_PIECES - 1));
}

/** A range of bytes. */
typedef struct mca_coll_pschedule_range_t {
    uint64_t offset;
    uint64_t bytes;
} mca_coll_pschedule_range_t;

/** Part `index` of `parts` nearly equal ones of a range, on element boundaries. */
mca_coll_pschedule_range_t mca_coll_pschedule_part(mca_coll_pschedule_range_t range,
                                                   uint32_t index, uint32_t parts,
                                                   uint32_t element);

/** Partition `index` of a cut. */
mca_coll_pschedule_range_t mca_coll_pschedule_partition(const mca_coll_pschedule_cut_t *cut,
                                                        uint32_t index);

/** How many transfers of at most `chunk` bytes a range needs: 0 when it is empty. */
uint32_t mca_coll_pschedule_chunks(uint64_t bytes, uint64_t chunk, uint32_t element);

/** Pieces of a contribution: none spans two partitions of its contributor, none exceeds a chunk. */
uint32_t mca_coll_pschedule_pieces(const mca_coll_pschedule_cut_t *cut, uint64_t chunk);

/** Piece `index` of those: its range within the contribution, and the partition it belongs to. */
mca_coll_pschedule_range_t mca_coll_pschedule_piece(const mca_coll_pschedule_cut_t *cut,
                                                    uint64_t chunk, uint32_t index,
                                                    uint32_t *partition);

/** Bytes up to a multiple of 64, as scratch memory is given. */
static inline uint64_t mca_coll_pschedule_padded(uint64_t bytes)
{
    return (bytes + 63) & ~UINT64_C(63);
}

/** Bytes of the largest of `parts` (at least 1) parts that a range is cut in. */
static inline uint64_t mca_coll_pschedule_largest_part(uint64_t bytes, uint64_t parts,
                                                       uint32_t element)
{
    return (bytes / element + parts - 1) / parts * element;
}

/** Bytes of the largest of the chunks that a range is cut in. */
uint64_t mca_coll_pschedule_largest(uint64_t bytes, uint64_t chunk, uint32_t element);

/** The most that a chunk has: at least an element. */
static inline uint64_t mca_coll_pschedule_whole_chunk(const mca_coll_pschedule_problem_t *problem)
{
    return problem->chunk < problem->element ? problem->element : problem->chunk;
}

/** Of parts of at most `part` bytes, no chunk has more bytes than this. (Those of the largest part
 * may have less: parts that are shorter by an element may be cut in fewer chunks.) */
static inline uint64_t mca_coll_pschedule_chunk_bound(const mca_coll_pschedule_problem_t *problem,
                                                      uint64_t part)
{
    uint64_t chunk = mca_coll_pschedule_whole_chunk(problem);

    return part < chunk ? part : chunk;
}

/* ---- how large a chunk is; the same on all ranks ---- */

/** A chunk for data that run from rank to rank: `per_rank` chunks for each rank, but none below
 * `smallest` bytes, where what a transfer costs by itself would count, and none above the
 * problem's. */
uint64_t mca_coll_pschedule_short_chunk(const mca_coll_pschedule_problem_t *problem,
                                        uint64_t per_rank, uint64_t smallest);

/** The smallest chunk with which the pieces of every partition have keys, and those of every
 * contribution can be counted. */
uint64_t mca_coll_pschedule_least_chunk(const mca_coll_pschedule_problem_t *problem);

/** Fit the chunk of a problem, as the user wants it, to what it shall cut. */
void mca_coll_pschedule_fit_chunk(mca_coll_pschedule_problem_t *problem);

#endif /* COLL_PSCHEDULE_PIECES_H */
