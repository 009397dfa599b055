/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * part_ucx_delivery.c, compiled again with a longer table, and counters (see delivery_table.h). It
 * defines all that the component's own object does, so the linker leaves that one out.
 */
#include "delivery_table.h"

#include "channel/part_ucx_delivery.c"

#include "channel/part_ucx_am.h"
#include "channel/part_ucx_put.h"
#include "unit.h"

#include <string.h>

const mca_part_ucx_delivery_t *const delivery_rows[] = {PART_UCX_DELIVERIES(ADDRESS)};
unsigned delivery_counts[DELIVERY_ROWS];

unsigned delivery_row(const char *name)
{
    unsigned row = 0;

    while (row < DELIVERY_ROWS && 0 != strcmp(name, delivery_rows[row]->name)) {
        ++row;
    }
    UNIT_CHECK(row < DELIVERY_ROWS, "no row %s", name);
    return row;
}

unsigned delivery_count(const char *name)
{
    return delivery_counts[delivery_row(name)];
}

static void note(const mca_part_ucx_transfer_t *transfer)
{
    ++delivery_counts[transfer->row];
}

bool __real_mca_part_ucx_put_post(mca_part_ucx_transfer_t *transfer,
                                  const mca_part_ucx_parcel_t *parcel);
bool __wrap_mca_part_ucx_put_post(mca_part_ucx_transfer_t *transfer,
                                  const mca_part_ucx_parcel_t *parcel);
bool __wrap_mca_part_ucx_put_post(mca_part_ucx_transfer_t *transfer,
                                  const mca_part_ucx_parcel_t *parcel)
{
    note(transfer);
    return __real_mca_part_ucx_put_post(transfer, parcel);
}

ucs_status_ptr_t __real_mca_part_ucx_am_post(mca_part_ucx_transfer_t *transfer, unsigned id,
                                             const void *source, uint64_t length);
ucs_status_ptr_t __wrap_mca_part_ucx_am_post(mca_part_ucx_transfer_t *transfer, unsigned id,
                                             const void *source, uint64_t length);
ucs_status_ptr_t __wrap_mca_part_ucx_am_post(mca_part_ucx_transfer_t *transfer, unsigned id,
                                             const void *source, uint64_t length)
{
    note(transfer);
    return __real_mca_part_ucx_am_post(transfer, id, source, length);
}

/* The receiver is about to be told: are the bytes there? */
static void check_in_place(const mca_part_ucx_transfer_t *transfer)
{
    mca_part_ucx_send_t *send = mca_part_ucx_send_in(transfer);
    uint64_t offset, length;

    mca_part_ucx_map_range(&send->super.map, transfer->header.segment, transfer->header.count,
                           &offset, &length);
    assert_memory_equal((void *) (uintptr_t) (send->remote_data + offset),
                        mca_part_ucx_channel_at(&send->super, offset), length);
}

void __real_mca_part_ucx_am_post_placed(mca_part_ucx_transfer_t *transfer);
void __wrap_mca_part_ucx_am_post_placed(mca_part_ucx_transfer_t *transfer);
void __wrap_mca_part_ucx_am_post_placed(mca_part_ucx_transfer_t *transfer)
{
    note(transfer);
    check_in_place(transfer);
    __real_mca_part_ucx_am_post_placed(transfer);
}
