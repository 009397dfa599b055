/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking each segment once (see part_ucx_failover_dedup.h).
 */
#include "channel/part_ucx_failover_dedup.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_failover_ready.h"
#include "process/part_ucx_process.h"

/* Copy neighbouring segments to their places; false: the channel has failed. */
static bool store(mca_part_ucx_recv_t *recv, uint32_t first, uint32_t count, const char *data,
                  uint64_t begin)
{
    uint64_t offset, length;

    mca_part_ucx_map_range(&recv->super.map, first, count, &offset, &length);
    return mca_part_ucx_recv_store(recv, first, offset, length, data + (offset - begin));
}

/* Segments that nobody else has taken, claimed one by one, from `first` on. */
static uint32_t claim(mca_part_ucx_arrivals_t *arrivals, uint32_t epoch, uint32_t first,
                      uint32_t end)
{
    uint32_t count = 0;

    while (first + count < end
           && mca_part_ucx_arrivals_reserve(arrivals, epoch, first + count, 1)) {
        ++count;
    }
    return count;
}

/* How many segments were new. */
static uint32_t take_new(mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                         const void *data, uint64_t begin)
{
    mca_part_ucx_arrivals_t *arrivals = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);
    uint32_t end = header->segment + header->count;
    uint32_t taken = 0;

    for (uint32_t at = header->segment; at < end;) {
        uint32_t run = claim(arrivals, header->epoch, at, end);

        if (0 != run && !store(recv, at, run, data, begin)) {
            return 0;
        }
        if (0 != run) {
            mca_part_ucx_arrivals_set(arrivals, header->epoch, at, run);
        }
        taken += run;
        at += 0 != run ? run : 1;
    }
    if (0 == taken) {
        atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
    }
    return taken;
}

/* As of a segment with a flag: forward only. */
static bool claim_piece(mca_part_ucx_recv_t *recv, uint32_t piece, uint32_t epoch)
{
    uint32_t before = atomic_load(&recv->came[piece]);

    while (mca_part_ucx_epoch_is_later(epoch, before)) {
        if (atomic_compare_exchange_weak(&recv->came[piece], &before, epoch)) {
            return true;
        }
    }
    atomic_fetch_add_explicit(&mca_part_ucx_process.repeats, 1, memory_order_relaxed);
    return false;
}

/* How many pieces were new: one, or none. */
static uint32_t take_piece(mca_part_ucx_recv_t *recv, uint32_t piece, uint32_t epoch,
                           const void *data)
{
    const mca_part_ucx_piece_t *place = &recv->super.piece[piece];

    if (!claim_piece(recv, piece, epoch)) {
        return 0;
    }
    mca_part_ucx_piece_store(place, data);
    recv->super.observer->moved(recv->super.context, piece); /* cheap */
    return 1;
}

/* So much less is missing. The receive may be gone when the path's lock is released. */
static void count(mca_part_ucx_recv_t *recv, const mca_part_ucx_path_t *path, uint32_t taken)
{
    if (0 != taken && atomic_fetch_sub(&recv->remaining, taken) == taken) {
        mca_part_ucx_failover_ready_complete(recv, path);
        mca_part_ucx_recv_finish(recv);
    }
}

void mca_part_ucx_failover_dedup_take(mca_part_ucx_recv_t *recv, mca_part_ucx_path_t *path,
                                      const mca_part_ucx_data_header_t *header, const void *data,
                                      size_t length)
{
    uint64_t begin, bytes = length;
    mca_part_ucx_verdict_t verdict = mca_part_ucx_recv_judge_range(recv, header, &bytes, &begin);

    if (PART_UCX_TAKE != verdict) {
        mca_part_ucx_recv_refuse(recv, header, verdict);
        return;
    }
    count(recv, path,
          NULL == recv->super.piece ? take_new(recv, header, data, begin)
                                    : take_piece(recv, header->segment, header->epoch, data));
}

void mca_part_ucx_failover_dedup_take_bundle(mca_part_ucx_recv_t *recv, mca_part_ucx_path_t *path,
                                             const mca_part_ucx_data_header_t *header,
                                             const void *data, size_t length)
{
    const char *bytes = (const char *) data + mca_part_ucx_bundle_list_bytes(header->count);
    mca_part_ucx_verdict_t verdict = mca_part_ucx_recv_judge_list(recv, header, data, length);
    uint32_t taken = 0;

    if (PART_UCX_TAKE != verdict) {
        mca_part_ucx_recv_refuse(recv, header, verdict);
        return;
    }
    for (uint32_t i = 0; i < header->count; ++i) {
        mca_part_ucx_bundled_t entry = mca_part_ucx_bundle_entry(data, i);

        taken += take_piece(recv, entry.piece, header->epoch, bytes);
        bytes += entry.length;
    }
    count(recv, path, taken);
}
