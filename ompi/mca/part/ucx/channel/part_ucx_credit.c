/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments that come before their epoch (see part_ucx_credit.h).
 *
 * The lock decides which of two is first: a message that looks whether its epoch has started, or
 * MPI_Start. It is held for as long as a few kilobytes take, and taken under the lock of a path.
 */
#include "channel/part_ucx_credit.h"

#include "api/part_ucx_epoch.h"
#include "channel/part_ucx_bundle_read.h"
#include "channel/part_ucx_credit_limits.h"
#include "channel/part_ucx_ready.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"

static_assert(1 == sizeof(bool), "kept segments are looked for with memchr");

/* An epoch to come. */
typedef struct slot_t {
    uint32_t epoch; /* 0: none */
    bool *kept;     /* per segment; a byte each */
    char *bytes;    /* of all segments, one after the other */
} slot_t;

/* Bytes, and of which kind. */
typedef struct account_t {
    _Atomic uint64_t *kept;
    uint64_t bytes;
} account_t;

/* It is made with a match. A thread may still look at that of a match that has been undone, so that
 * stays until the channel is freed. */
struct mca_part_ucx_credit_t {
    mca_part_ucx_credit_t *earlier; /* of the match before */
    mca_part_ucx_lock_t lock;
    atomic_bool wants_each; /* the sender has asked for READY in each epoch */
    uint32_t told;     /* epoch of the last READY; of who starts the receive */
    uint32_t epochs;   /* how far ahead the sender may be */
    account_t account; /* what counts for one of the totals */
    uint32_t *offset;  /* of a link: per piece, in the bytes of a slot; else NULL */
    uint32_t used;     /* slots that are an epoch's */
    uint32_t slots;    /* one more than `epochs`: that of the epoch that starts is being emptied */
    slot_t slot[];
};

/* What all receives of users' channels keep, and those of links. */
static _Atomic uint64_t user_bytes;
static _Atomic uint64_t link_bytes;

/* ---- making ---- */

/* May that be kept beside what is? */
static bool charge(const account_t *account, uint64_t most)
{
    if (atomic_fetch_add(account->kept, account->bytes) + account->bytes <= most) {
        return true;
    }
    atomic_fetch_sub(account->kept, account->bytes);
    return false;
}

static void give_back(account_t *account)
{
    atomic_fetch_sub(account->kept, account->bytes);
    account->bytes = 0;
}

/* No more than fit into a link's share of what is left, but the least. */
static uint32_t shared_epochs(uint32_t epochs, uint64_t slot)
{
    uint64_t kept = atomic_load(&link_bytes);
    uint64_t left = kept < PART_UCX_CREDIT_LINKS_TOTAL ? PART_UCX_CREDIT_LINKS_TOTAL - kept : 0;
    uint64_t slots = left / PART_UCX_CREDIT_LINKS_SHARE / slot;

    return slots > epochs                 ? epochs
           : slots > PART_UCX_CREDIT_LEAST ? (uint32_t) slots - 1
                                           : PART_UCX_CREDIT_LEAST;
}

/* Epochs for which memory may be kept. Both ends calculate those of links with boxes, where there
 * is little: that is not charged. */
static uint32_t charged_epochs(const mca_part_ucx_recv_t *recv, account_t *account)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    uint64_t slot = map->total + map->segments; /* there is one at least */
    uint32_t epochs = mca_part_ucx_credit_limits_epochs(recv);
    bool link = NULL != recv->super.piece;

    *account = (account_t) {.kept = link ? &link_bytes : &user_bytes};
    if (0 == epochs || NULL != mca_part_ucx_recv_boxed(recv)) {
        return epochs;
    }
    epochs = link && recv->network ? shared_epochs(epochs, slot) : epochs;
    account->bytes = (epochs + 1) * slot;
    if (charge(account, link ? PART_UCX_CREDIT_LINKS_TOTAL : PART_UCX_CREDIT_USER_TOTAL)) {
        return epochs;
    }
    account->bytes = 0;
    return link && map->total <= PART_UCX_CREDIT_BYTES ? PART_UCX_CREDIT_LEAST : 0;
}

/* All of it in one piece of memory: the slots, of a link the offsets, then what each slot holds. */
static mca_part_ucx_credit_t *allocate(const mca_part_ucx_map_t *map, uint32_t slots)
{
    size_t offsets = NULL == map->piece ? 0 : map->segments * sizeof(uint32_t);
    size_t held = map->segments * sizeof(bool) + map->total;
    mca_part_ucx_credit_t *credit
        = calloc(1, sizeof(*credit) + slots * (sizeof(slot_t) + held) + offsets);
    char *at;

    if (NULL == credit) {
        return NULL;
    }
    at = (char *) &credit->slot[slots];
    credit->offset = 0 == offsets ? NULL : (uint32_t *) (void *) at;
    at += offsets;
    credit->slots = slots;
    for (uint32_t i = 0; i < slots; ++i, at += held) {
        credit->slot[i].bytes = at;
        credit->slot[i].kept = (bool *) (at + map->total);
    }
    return credit;
}

static void fill_offsets(uint32_t *offset, const mca_part_ucx_map_t *map)
{
    uint32_t at = 0;

    for (uint32_t i = 0; NULL != offset && i < map->segments; ++i) {
        offset[i] = at;
        at += (uint32_t) map->piece[i].bytes;
    }
}

int mca_part_ucx_credit_build(mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    account_t account;
    uint32_t epochs = charged_epochs(recv, &account);
    mca_part_ucx_credit_t *credit;

    if (0 == epochs) {
        return OMPI_SUCCESS;
    }
    credit = allocate(map, epochs + 1);
    if (NULL == credit) {
        give_back(&account);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    fill_offsets(credit->offset, map);
    credit->account = account;
    credit->epochs = epochs;
    credit->earlier = recv->credits;
    recv->credits = credit;
    recv->credit = credit;
    return OMPI_SUCCESS;
}

void mca_part_ucx_credit_end(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = atomic_exchange(&recv->credit, NULL);

    if (NULL != credit) {
        give_back(&credit->account);
    }
}

void mca_part_ucx_credit_free(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credits;

    while (NULL != credit) {
        mca_part_ucx_credit_t *earlier = credit->earlier;

        give_back(&credit->account);
        free(credit);
        credit = earlier;
    }
    recv->credits = NULL;
    recv->credit = NULL;
}

uint32_t mca_part_ucx_credit_epochs(const mca_part_ucx_recv_t *recv)
{
    const mca_part_ucx_credit_t *credit = recv->credit;

    return NULL == credit ? 0 : credit->epochs;
}

/* ---- what comes ---- */

/* Numbers go round, and leave out two: then the distance looks longer, at both ends alike. */
static bool covers(mca_part_ucx_recv_t *recv, const mca_part_ucx_credit_t *credit, uint32_t epoch)
{
    uint32_t armed = atomic_load_explicit(&recv->armed, memory_order_acquire);
    int32_t ahead = mca_part_ucx_epoch_steps(armed, epoch);

    return NULL != credit && 0 != epoch && ahead > 0 && ahead <= (int32_t) credit->epochs;
}

bool mca_part_ucx_credit_covers(mca_part_ucx_recv_t *recv, uint32_t epoch)
{
    return covers(recv, recv->credit, epoch);
}

/* The slot with this epoch, which may be 0: a free one. NULL: there is none. `from`: where it is,
 * but for those whose place was taken when numbers went round. */
static slot_t *seek(mca_part_ucx_credit_t *credit, uint32_t epoch, uint32_t from)
{
    for (uint32_t i = 0; i < credit->slots; ++i) {
        slot_t *slot = &credit->slot[(from + i) % credit->slots];

        if (epoch == slot->epoch) {
            return slot;
        }
    }
    return NULL;
}

static slot_t *find(mca_part_ucx_credit_t *credit, uint32_t epoch)
{
    return 0 == credit->used ? NULL : seek(credit, epoch, epoch % credit->slots);
}

static bool is_bundle(const mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header)
{
    return NULL != recv->super.piece && header->count > 1;
}

static slot_t *slot_for(mca_part_ucx_credit_t *credit, uint32_t epoch)
{
    slot_t *slot = find(credit, epoch);

    if (NULL != slot) {
        return slot;
    }
    slot = seek(credit, 0, epoch % credit->slots);
    if (NULL != slot) {
        slot->epoch = epoch;
        ++credit->used;
    }
    return slot;
}

/* The n-th segment that a message brings: of a bundle from its list. */
static mca_part_ucx_bundled_t entry_of(const mca_part_ucx_recv_t *recv,
                                       const mca_part_ucx_data_header_t *header,
                                       const char *data, uint32_t n)
{
    mca_part_ucx_bundled_t entry = {.piece = header->segment + n};
    uint64_t offset, length;

    if (is_bundle(recv, header)) {
        return mca_part_ucx_bundle_entry(data, n);
    }
    mca_part_ucx_map_range(&recv->super.map, entry.piece, 1, &offset, &length);
    entry.length = (uint32_t) length;
    return entry;
}

/* Where a segment is kept. */
static char *place_of(const mca_part_ucx_recv_t *recv, const mca_part_ucx_credit_t *credit,
                      const slot_t *slot, uint32_t segment)
{
    uint64_t offset, length;

    if (NULL != credit->offset) {
        return slot->bytes + credit->offset[segment];
    }
    mca_part_ucx_map_range(&recv->super.map, segment, 1, &offset, &length);
    return slot->bytes + offset;
}

/* The next kept segments from *first on that are copied and told of together: of a link one, of a
 * user's channel neighbours in a unit. How many; 0: there is none. */
static uint32_t next_run(const mca_part_ucx_recv_t *recv, const slot_t *slot, uint32_t *first)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    uint32_t begin, count, run = 1;

    while (*first < map->segments && !slot->kept[*first]) {
        ++*first;
    }
    if (*first == map->segments) {
        return 0;
    }
    mca_part_ucx_map_unit(map, mca_part_ucx_map_unit_of(map, *first), &begin, &count);
    while (*first + run < begin + count && slot->kept[*first + run]) {
        ++run;
    }
    return run;
}

/* Whatever of it has not come before. */
static mca_part_ucx_verdict_t keep_all(const mca_part_ucx_recv_t *recv,
                                       mca_part_ucx_credit_t *credit,
                                       const mca_part_ucx_data_header_t *header,
                                       const char *data, size_t length)
{
    const char *bytes
        = data + (is_bundle(recv, header) ? mca_part_ucx_bundle_list_bytes(header->count) : 0);
    slot_t *slot = slot_for(credit, header->epoch);
    bool fresh = false;

    if (NULL == slot) {
        return PART_UCX_WRONG;
    }
    if (NULL == recv->super.piece
        && NULL == memchr(slot->kept + header->segment, true, header->count)) {
        memcpy(place_of(recv, credit, slot, header->segment), data, length);
        memset(slot->kept + header->segment, true, header->count);
        return PART_UCX_TAKE;
    }
    for (uint32_t i = 0; i < header->count; ++i) {
        mca_part_ucx_bundled_t entry = entry_of(recv, header, data, i);

        if (!slot->kept[entry.piece] && 0 != entry.length) {
            memcpy(place_of(recv, credit, slot, entry.piece), bytes, entry.length);
        }
        fresh = fresh || !slot->kept[entry.piece];
        slot->kept[entry.piece] = true;
        bytes += entry.length;
    }
    return fresh ? PART_UCX_TAKE : PART_UCX_REPEATED;
}

static bool fits(const mca_part_ucx_recv_t *recv, const mca_part_ucx_data_header_t *header,
                 const void *data, size_t length)
{
    const mca_part_ucx_map_t *map = &recv->super.map;
    uint64_t offset, expected;

    if (is_bundle(recv, header)) {
        return mca_part_ucx_bundle_is_good(map, header, data, length);
    }
    return mca_part_ucx_map_names(map, header->segment, header->count, &offset, &expected)
           && expected == length;
}

mca_part_ucx_verdict_t mca_part_ucx_credit_keep(mca_part_ucx_recv_t *recv,
                                                const mca_part_ucx_data_header_t *header,
                                                const void *data, size_t length, bool *kept)
{
    mca_part_ucx_credit_t *credit = recv->credit;
    mca_part_ucx_verdict_t verdict = PART_UCX_TAKE;

    *kept = false;
    if (NULL == credit || PART_UCX_MATCHED != mca_part_ucx_channel_state(&recv->super)) {
        return PART_UCX_USELESS;
    }
    if (!fits(recv, header, data, length)) {
        return PART_UCX_WRONG;
    }
    mca_part_ucx_lock_wait(&credit->lock);
    if (covers(recv, credit, header->epoch)) {
        *kept = true;
        verdict = keep_all(recv, credit, header, data, length);
        if (PART_UCX_TAKE == verdict) { /* before the epoch starts and looks */
            mca_part_ucx_recv_not_boxed(recv);
        }
    }
    mca_part_ucx_lock_release(&credit->lock);
    return verdict;
}

/* ---- READY ---- */

/*
 * Who starts an epoch arms the receive, then looks whether READY is asked for; a handler that is
 * asked says so, then looks for which epoch the receive is armed. One of them sees the other.
 */
static bool is_due(mca_part_ucx_recv_t *recv, mca_part_ucx_credit_t *credit)
{
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    bool due = 0 == credit->told || atomic_load(&credit->wants_each)
               || mca_part_ucx_epoch_steps(credit->told, epoch) >= (int32_t) credit->epochs / 2;
    uint32_t last;

    /* A sender that has been freed has sent what there is. */
    due = due && !mca_part_ucx_channel_peer_ended(&recv->super, &last);
    credit->told = due ? epoch : credit->told;
    return due;
}

void mca_part_ucx_credit_asked(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credit;

    if (NULL != credit && PART_UCX_MATCHED == mca_part_ucx_channel_state(&recv->super)) {
        atomic_store(&credit->wants_each, true);
        mca_part_ucx_ready_queue(recv->ready); /* of an epoch that has been said it is not again */
    }
}

/* ---- the epoch starts ---- */

/* From now on what comes again is seen to have come. */
static void note_kept(mca_part_ucx_recv_t *recv, uint32_t epoch, uint32_t first, uint32_t count)
{
    mca_part_ucx_arrivals_t *arrivals
        = atomic_load_explicit(&recv->arrivals, memory_order_relaxed);

    if (NULL == arrivals) {
        atomic_store_explicit(&recv->came[first], epoch, memory_order_relaxed);
    } else {
        mca_part_ucx_arrivals_set(arrivals, epoch | PART_UCX_FETCHING, first, count);
    }
}

bool mca_part_ucx_credit_arm(mca_part_ucx_recv_t *recv)
{
    mca_part_ucx_credit_t *credit = recv->credit;
    uint32_t epoch = mca_part_ucx_recv_epoch(recv);
    const slot_t *slot;
    uint32_t run;

    mca_part_ucx_lock_wait(&credit->lock);
    slot = find(credit, epoch);
    for (uint32_t i = 0; NULL != slot && 0 != (run = next_run(recv, slot, &i)); i += run) {
        note_kept(recv, epoch, i, run);
    }
    atomic_store(&recv->armed, epoch);
    mca_part_ucx_lock_release(&credit->lock);
    return is_due(recv, credit);
}

/* Of one run; false: it does not fit the datatype. */
static bool deliver_run(mca_part_ucx_recv_t *recv, const mca_part_ucx_credit_t *credit,
                        slot_t *slot, uint32_t first, uint32_t count)
{
    uint64_t offset, length;

    memset(slot->kept + first, 0, count * sizeof(*slot->kept));
    mca_part_ucx_map_range(&recv->super.map, first, count, &offset, &length);
    return mca_part_ucx_recv_store(recv, first, offset, length,
                                   place_of(recv, credit, slot, first));
}

void mca_part_ucx_credit_deliver(mca_part_ucx_recv_t *recv, uint32_t epoch)
{
    mca_part_ucx_credit_t *credit = recv->credit;
    uint32_t run;
    slot_t *slot;

    mca_part_ucx_lock_wait(&credit->lock);
    slot = find(credit, epoch); /* nothing comes into it any more */
    mca_part_ucx_lock_release(&credit->lock);
    for (uint32_t i = 0; NULL != slot && 0 != (run = next_run(recv, slot, &i)); i += run) {
        if (deliver_run(recv, credit, slot, i, run)) {
            mca_part_ucx_recv_arrived(recv, epoch, i, run);
        }
    }
    if (NULL != slot) {
        mca_part_ucx_lock_wait(&credit->lock);
        slot->epoch = 0;
        --credit->used;
        mca_part_ucx_lock_release(&credit->lock);
    }
}
