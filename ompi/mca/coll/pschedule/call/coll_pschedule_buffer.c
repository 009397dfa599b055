/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the blocks of a call lie (see coll_pschedule_buffer.h).
 */
#include "call/coll_pschedule_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "call/coll_pschedule_staging.h"
#include "ompi/datatype/ompi_datatype.h"

/* Blocks of data movement in staging memory begin at cache lines. */
#define LINE 64u

enum { SEND = COLL_PSCHEDULE_SPACE_SEND, RECV = COLL_PSCHEDULE_SPACE_RECV };

typedef mca_coll_pschedule_arguments_t arguments_t;
typedef mca_coll_pschedule_layout_t layout_t;
typedef mca_coll_pschedule_block_t block_t;

/* ---- in the user's buffer ---- */

static ptrdiff_t first_byte(const mca_coll_pschedule_area_t *area)
{
    ptrdiff_t true_lb, true_extent;

    ompi_datatype_get_true_extent(area->datatype, &true_lb, &true_extent);
    return area->offset + true_lb;
}

/* Is the data of every block one range of memory? */
static bool has_no_gaps(const arguments_t *arguments, const layout_t *layout)
{
    if (arguments->shape->reduces) {
        return 0 == layout->blocks
               || mca_coll_pschedule_element(arguments->call->send.datatype).direct;
    }
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        const mca_coll_pschedule_area_t *area = &layout->area[i];
        size_t elements = area->count * area->partitions;

        if (0 != area->bytes
            && !ompi_datatype_is_contiguous_memory_layout(area->datatype, elements > 1 ? 2 : 1)) {
            return false;
        }
    }
    return true;
}

/* Offsets count from the lowest block, as displacements may be negative. Returns its address. */
static char *place_in_buffer(const layout_t *layout, block_t *block)
{
    ptrdiff_t lowest = PTRDIFF_MAX;

    for (uint32_t i = 0; i < layout->blocks; ++i) {
        if (0 != layout->area[i].bytes && first_byte(&layout->area[i]) < lowest) {
            lowest = first_byte(&layout->area[i]);
        }
    }
    if (PTRDIFF_MAX == lowest) {
        return layout->buffer; /* no data at all */
    }
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        if (0 != layout->area[i].bytes) {
            block[i].offset = (uint64_t) (first_byte(&layout->area[i]) - lowest);
        }
    }
    return layout->buffer + lowest;
}

/* ---- in staging memory ---- */

/* Blocks of a reduction lie as in the user's buffer: in place, the plan compares offsets of results
 * with offsets of contributions of any block. Returns its address, or NULL when memory is short. */
static char *place_in_staging(mca_coll_pschedule_buffers_t *buffers, int space,
                              const layout_t *layout, block_t *block)
{
    uint64_t total = 0;
    void *memory;

    if (NULL == buffers->staging) {
        buffers->staging = calloc(1, sizeof(*buffers->staging));
    }
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        uint64_t bytes = block[i].cut.bytes;

        block[i].offset = total;
        total += NULL != buffers->op ? bytes : mca_coll_pschedule_padded(bytes);
    }
    /* The gaps between elements travel, too, so they must have a value. */
    if (NULL == buffers->staging || 0 != posix_memalign(&memory, LINE, total + LINE)) {
        return NULL;
    }
    memset(memory, 0, total + LINE);
    buffers->staging->memory[space] = memory;
    return memory;
}

/* ---- both ---- */

/* Place the blocks of a buffer; *staged tells where. */
static int place(const arguments_t *arguments, mca_coll_pschedule_buffers_t *buffers, int space,
                 const layout_t *layout, block_t *block, bool *staged)
{
    *staged = !has_no_gaps(arguments, layout);
    if (!*staged) {
        buffers->base[space] = place_in_buffer(layout, block);
        return MPI_SUCCESS;
    }
    buffers->base[space] = place_in_staging(buffers, space, layout, block);
    return NULL == buffers->base[space] ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* In place: both are in RECV, and the blocks of one are among those of the other. */
static int place_together(const arguments_t *arguments, mca_coll_pschedule_buffers_t *buffers,
                          block_t *send, block_t *recv, bool *staged)
{
    int error;

    if (arguments->shape->reduces) {
        error = place(arguments, buffers, RECV, &arguments->send, send, staged);
        if (arguments->recv.blocks > 0) {
            recv[0].offset = 0;
        }
        return error;
    }
    error = place(arguments, buffers, RECV, &arguments->recv, recv, staged);
    send[0].offset = recv[arguments->rank].offset;
    return error;
}

static int place_all(const arguments_t *arguments, mca_coll_pschedule_buffers_t *buffers,
                     block_t *send, block_t *recv, bool staged[2])
{
    int error;

    if (arguments->in_place) {
        error = place_together(arguments, buffers, send, recv, &staged[RECV]);
        staged[SEND] = staged[RECV];
        return error;
    }
    error = place(arguments, buffers, SEND, &arguments->send, send, &staged[SEND]);
    if (MPI_SUCCESS != error) {
        return error;
    }
    return place(arguments, buffers, RECV, &arguments->recv, recv, &staged[RECV]);
}

/* What comes from MPI_PROC_NULL arrives, but nothing is written. */
static void skip_nobody(const arguments_t *arguments, mca_coll_pschedule_strips_t *strips)
{
    for (uint32_t i = 0; arguments->shape->neighbors && i < strips->count; ++i) {
        if (COLL_PSCHEDULE_NOBODY == arguments->neighbors.source[i].rank) {
            strips->strip[i].copy_step = 0;
        }
    }
}

int mca_coll_pschedule_buffers_make(const arguments_t *arguments,
                                    mca_coll_pschedule_buffers_t *buffers, block_t *send,
                                    block_t *recv)
{
    bool staged[2] = {false, false};
    int contributions = arguments->in_place ? RECV : SEND;
    int error;

    *buffers = (mca_coll_pschedule_buffers_t) {.op = NULL};
    if (arguments->shape->reduces) {
        mca_coll_pschedule_op_retain(buffers, arguments->call->op, arguments->call->send.datatype);
    }
    error = place_all(arguments, buffers, send, recv, staged);
    buffers->loads = staged[SEND] && arguments->send.blocks > 0;
    buffers->stores = staged[RECV] && arguments->recv.blocks > 0
                      && !(COLL_PSCHEDULE_EXSCAN == arguments->call->collective
                           && 0 == arguments->rank); /* whose result is nothing */
    if (MPI_SUCCESS == error && buffers->loads) {
        error = mca_coll_pschedule_strips_make(&buffers->staging->load, &arguments->send,
                                               buffers->base[contributions], send);
    }
    if (MPI_SUCCESS == error && buffers->stores) {
        error = mca_coll_pschedule_strips_make(&buffers->staging->store, &arguments->recv,
                                               buffers->base[RECV], recv);
        skip_nobody(arguments, &buffers->staging->store);
    }
    return error;
}

void mca_coll_pschedule_buffers_release(mca_coll_pschedule_buffers_t *buffers)
{
    mca_coll_pschedule_op_release(buffers);
    mca_coll_pschedule_staging_free(buffers->staging);
    buffers->staging = NULL;
}
