/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loading and storing of partitions (see coll_pschedule_staging.h). Nothing here changes between
 * calls, so different partitions may be loaded and stored at the same time.
 */
#include "call/coll_pschedule_staging.h"

#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/proc/proc.h"
#include "opal/datatype/opal_convertor.h"

typedef mca_coll_pschedule_strip_t strip_t;
typedef mca_coll_pschedule_strips_t strips_t;

int mca_coll_pschedule_strips_make(strips_t *strips, const mca_coll_pschedule_layout_t *layout,
                                   char *memory, const mca_coll_pschedule_block_t *block)
{
    strips->strip = calloc((size_t) layout->blocks + 1, sizeof(*strips->strip));
    if (NULL == strips->strip) {
        return MPI_ERR_NO_MEM;
    }
    strips->count = layout->blocks;
    for (uint32_t i = 0; i < layout->blocks; ++i) {
        const mca_coll_pschedule_area_t *area = &layout->area[i];
        ptrdiff_t lb, extent;

        ompi_datatype_get_extent(area->datatype, &lb, &extent);
        strips->strip[i] = (strip_t) {.user = layout->buffer + area->offset,
                                      .copy = memory + block[i].offset,
                                      .count = area->count,
                                      .user_step = (ptrdiff_t) area->count * extent,
                                      .copy_step = block[i].cut.bytes / area->partitions,
                                      .datatype = area->datatype,
                                      .first = block[i].first};
        if (!ompi_datatype_is_predefined(area->datatype)) {
            OBJ_RETAIN(area->datatype);
        }
    }
    return MPI_SUCCESS;
}

static void free_strips(strips_t *strips)
{
    for (uint32_t i = 0; i < strips->count; ++i) {
        if (!ompi_datatype_is_predefined(strips->strip[i].datatype)) {
            OBJ_RELEASE(strips->strip[i].datatype);
        }
    }
    free(strips->strip);
}

void mca_coll_pschedule_staging_free(mca_coll_pschedule_staging_t *staging)
{
    if (NULL == staging) {
        return;
    }
    free_strips(&staging->load);
    free_strips(&staging->store);
    free(staging->memory[0]);
    free(staging->memory[1]);
    free(staging);
}

/* The strip that a partition belongs to: the last whose first partition is not beyond it. */
static const strip_t *find_strip(const strips_t *strips, uint32_t partition)
{
    uint32_t low = 0, high = strips->count - 1;

    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;

        if (strips->strip[middle].first <= partition) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &strips->strip[low];
}

/* ---- data movement: packed ---- */

static void convert(const strip_t *strip, char *user, char *copy, bool store)
{
    struct iovec vector = {.iov_base = copy, .iov_len = strip->copy_step};
    const opal_datatype_t *datatype = &strip->datatype->super;
    uint32_t vectors = 1;
    size_t bytes = strip->copy_step;
    opal_convertor_t convertor;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (store) {
        (void) opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, datatype,
                                                        strip->count, user,
                                                        CONVERTOR_SKIP_ACCELERATOR_INIT,
                                                        &convertor);
        (void) opal_convertor_unpack(&convertor, &vector, &vectors, &bytes);
    } else {
        (void) opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, datatype,
                                                        strip->count, user,
                                                        CONVERTOR_SKIP_ACCELERATOR_INIT,
                                                        &convertor);
        (void) opal_convertor_pack(&convertor, &vector, &vectors, &bytes);
    }
    OBJ_DESTRUCT(&convertor);
}

/* ---- reductions: element by element ---- */

/* Copies data only: what is in the gaps of the target stays. */
static void copy_elements(const strip_t *strip, const mca_coll_pschedule_element_t *element,
                          char *user, char *copy, bool store)
{
    ptrdiff_t lb, extent;
    size_t calls = element->one_by_one ? strip->count : 1;
    size_t each = element->one_by_one ? 1 : strip->count;

    ompi_datatype_get_extent(strip->datatype, &lb, &extent);
    copy += element->shift;
    for (size_t i = 0; i < calls; ++i) {
        (void) ompi_datatype_copy_content_same_ddt(strip->datatype, each, store ? user : copy,
                                                   store ? copy : user);
        user += extent;
        copy += element->bytes;
    }
}

/* ---- both ---- */

void mca_coll_pschedule_buffers_stage(const mca_coll_pschedule_buffers_t *buffers,
                                      uint32_t partition, bool store)
{
    const mca_coll_pschedule_staging_t *staging = buffers->staging;
    const strip_t *strip = find_strip(store ? &staging->store : &staging->load, partition);
    uint32_t index = partition - strip->first;
    char *user = strip->user + (ptrdiff_t) index * strip->user_step;
    char *copy = strip->copy + index * strip->copy_step;

    if (0 == strip->copy_step) {
        return;
    }
    if (NULL != buffers->op) {
        copy_elements(strip, &buffers->element, user, copy, store);
    } else {
        convert(strip, user, copy, store);
    }
}
