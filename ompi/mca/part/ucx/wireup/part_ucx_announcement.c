/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Announcements that are kept (see part_ucx_announcement.h).
 */
#include "wireup/part_ucx_announcement.h"

#include "path/part_ucx_guests.h"
#include "process/part_ucx_reserve.h"

#include <assert.h>

typedef mca_part_ucx_announcement_t announcement_t;

static_assert(sizeof(announcement_t) <= PART_UCX_RESERVE_BYTES, "announcements can be kept");

announcement_t *mca_part_ucx_announcement_new(ompi_communicator_t *comm)
{
    announcement_t *announcement = mca_part_ucx_reserve_calloc(sizeof(*announcement));

    if (NULL != announcement) {
        announcement->listener = mca_part_ucx_listener_get(comm);
    }
    if (NULL == announcement || NULL == announcement->listener) {
        mca_part_ucx_reserve_free(announcement);
        return NULL;
    }
    return announcement;
}

void mca_part_ucx_announcement_free(announcement_t *announcement)
{
    mca_part_ucx_sender_forget(&announcement->sender);
    if (NULL != announcement->peer) {
        mca_part_ucx_guests_leave(announcement->peer);
    }
    mca_part_ucx_listener_put(announcement->listener);
    mca_part_ucx_reserve_free(announcement);
}

mca_part_ucx_sender_t *mca_part_ucx_announcement_refused(const ompi_communicator_t *comm,
                                                         int source, uint64_t send_key)
{
    mca_part_ucx_sender_t *sender = mca_part_ucx_sender_find(NULL, send_key);
    const mca_part_ucx_match_key_t *key;

    if (NULL == sender) {
        return NULL;
    }
    key = &PART_UCX_CONTAINER(sender, announcement_t, sender)->entry.key;
    return key->comm == comm && key->source == source ? sender : NULL;
}
