/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From the arguments of a buffer to its blocks (see coll_pschedule_layout.h).
 */
#include "call/coll_pschedule_layout.h"

#include <stdlib.h>

#include "api/part_ucx_accelerator.h"

#include "ompi/datatype/ompi_datatype.h"

static int check_lists(const mca_coll_pschedule_side_t *side, mca_coll_pschedule_form_t form,
                       const char **why)
{
    *why = "an array of partitions, counts, displacements or datatypes is NULL";
    switch (form) {
    case COLL_PSCHEDULE_FORM_TYPED:
        if (NULL == side->datatype_list) {
            return MPI_ERR_ARG;
        }
        /* fall through */
    case COLL_PSCHEDULE_FORM_SPREAD:
        if (NULL == side->displacements) {
            return MPI_ERR_ARG;
        }
        /* fall through */
    case COLL_PSCHEDULE_FORM_STACKED:
        return NULL == side->partition_list || NULL == side->count_list ? MPI_ERR_ARG
                                                                        : MPI_SUCCESS;
    default:
        return MPI_SUCCESS;
    }
}

static int check_datatype(MPI_Datatype datatype, const char **why)
{
    if (NULL == datatype || MPI_DATATYPE_NULL == datatype
        || !opal_datatype_is_valid(&datatype->super)) {
        *why = "the datatype is null or not valid";
        return MPI_ERR_TYPE;
    }
    if (!ompi_datatype_is_committed(datatype)) {
        *why = "the datatype is not committed";
        return MPI_ERR_TYPE;
    }
    return MPI_SUCCESS;
}

/* Fill in a block but for its offset; *span is the distance to the block after it. */
static int set_block(mca_coll_pschedule_area_t *area, MPI_Datatype datatype, int partitions,
                     MPI_Count count, ptrdiff_t *span, const char **why)
{
    ptrdiff_t elements, bytes, extent, lb;
    size_t size;
    int error = check_datatype(datatype, why);

    if (MPI_SUCCESS != error) {
        return error;
    }
    if (partitions <= 0) {
        *why = "the number of partitions is not positive";
        return MPI_ERR_ARG;
    }
    if (count < 0) {
        *why = "the count is negative";
        return MPI_ERR_COUNT;
    }
    ompi_datatype_type_size(datatype, &size);
    ompi_datatype_get_extent(datatype, &lb, &extent);
    if (__builtin_mul_overflow(count, partitions, &elements)
        || __builtin_mul_overflow(elements, size, &bytes)
        || __builtin_mul_overflow(elements, extent, span)) {
        *why = "the buffer is larger than the address space";
        return MPI_ERR_COUNT;
    }
    *area = (mca_coll_pschedule_area_t) {.datatype = datatype,
                                         .count = (size_t) count,
                                         .partitions = (uint32_t) partitions,
                                         .bytes = (uint64_t) bytes};
    return MPI_SUCCESS;
}

/* The displacement of block `index` in bytes; `dense` is where it would lie without one. */
static int find_offset(const mca_coll_pschedule_side_t *side, mca_coll_pschedule_form_t form,
                       uint32_t index, ptrdiff_t dense, mca_coll_pschedule_area_t *area,
                       const char **why)
{
    ptrdiff_t lb, extent = 1;

    if (COLL_PSCHEDULE_FORM_EVEN == form || COLL_PSCHEDULE_FORM_STACKED == form) {
        area->offset = dense;
        return MPI_SUCCESS;
    }
    if (0 == area->bytes) {
        area->offset = 0; /* wherever: nothing is there */
        return MPI_SUCCESS;
    }
    if (COLL_PSCHEDULE_FORM_SPREAD == form) {
        ompi_datatype_get_extent(area->datatype, &lb, &extent);
    }
    if (__builtin_mul_overflow(side->displacements[index], extent, &area->offset)) {
        *why = "a displacement reaches beyond the address space";
        return MPI_ERR_ARG;
    }
    return MPI_SUCCESS;
}

static int check_kind(const void *address, const char **why)
{
    if (mca_part_ucx_is_on_accelerator(address)) {
        *why = "the buffer is in memory of an accelerator (copy it to host memory)";
        return MPI_ERR_BUFFER;
    }
    return MPI_SUCCESS;
}

int mca_coll_pschedule_layout_address(const void *buffer, uint64_t bytes, const char **why)
{
    if (0 == bytes) {
        return MPI_SUCCESS;
    }
    if (NULL == buffer) {
        *why = "the buffer is NULL (MPI_BOTTOM is not supported)";
        return MPI_ERR_BUFFER;
    }
    if (COLL_PSCHEDULE_SCATTERED == buffer) {
        *why = "the buffer is a section of an array that is not contiguous in memory (describe it "
               "by a datatype, and give its first element)";
        return MPI_ERR_BUFFER;
    }
    return check_kind(buffer, why);
}

static int make_blocks(mca_coll_pschedule_layout_t *layout, const mca_coll_pschedule_side_t *side,
                       mca_coll_pschedule_form_t form, const char **why)
{
    ptrdiff_t dense = 0, span = 0, bytes = 0;
    int partitions = 0;

    for (uint32_t i = 0; i < layout->blocks; ++i) {
        mca_coll_pschedule_area_t *area = &layout->area[i];
        bool even = COLL_PSCHEDULE_FORM_EVEN == form;
        bool typed = COLL_PSCHEDULE_FORM_TYPED == form;
        int error = set_block(area, typed ? side->datatype_list[i] : side->datatype,
                              even ? side->partitions : side->partition_list[i],
                              even ? side->count : side->count_list[i], &span, why);

        if (MPI_SUCCESS == error) {
            error = find_offset(side, form, i, dense, area, why);
        }
        if (MPI_SUCCESS != error) {
            return error;
        }
        if (__builtin_add_overflow(partitions, (int) area->partitions, &partitions)) {
            *why = "the blocks have more partitions in total than an int can number";
            return MPI_ERR_ARG;
        }
        if (__builtin_add_overflow(dense, span, &dense)
            || __builtin_add_overflow(bytes, (ptrdiff_t) area->bytes, &bytes)) {
            *why = "the buffer is larger than the address space";
            return MPI_ERR_COUNT;
        }
    }
    return MPI_SUCCESS;
}

int mca_coll_pschedule_layout_check(const mca_coll_pschedule_layout_t *layout, const char **why)
{
    uint64_t bytes = 0;
    int error;

    for (uint32_t i = 0; i < layout->blocks; ++i) {
        bytes += layout->area[i].bytes;
    }
    error = mca_coll_pschedule_layout_address(layout->buffer, bytes, why);
    for (uint32_t i = 0; i < layout->blocks && MPI_SUCCESS == error; ++i) {
        const mca_coll_pschedule_area_t *area = &layout->area[i];
        ptrdiff_t lb = 0, extent;

        if (0 != area->bytes) {
            ompi_datatype_get_true_extent(area->datatype, &lb, &extent);
            error = check_kind(layout->buffer + area->offset + lb, why);
        }
    }
    return error;
}

int mca_coll_pschedule_layout_make(mca_coll_pschedule_layout_t *layout,
                                   const mca_coll_pschedule_side_t *side,
                                   mca_coll_pschedule_form_t form, uint32_t blocks,
                                   const char **why)
{
    int error = MPI_SUCCESS;

    *layout = (mca_coll_pschedule_layout_t) {.buffer = (char *) (uintptr_t) side->buffer};
    if (0 == blocks) {
        return MPI_SUCCESS; /* a topology without neighbours: nothing is significant */
    }
    error = check_lists(side, form, why);
    if (MPI_SUCCESS != error) {
        return error;
    }
    layout->area = calloc(blocks, sizeof(*layout->area));
    if (NULL == layout->area) {
        *why = "memory is short";
        return MPI_ERR_NO_MEM;
    }
    layout->blocks = blocks;
    return make_blocks(layout, side, form, why);
}

int mca_coll_pschedule_layout_single(mca_coll_pschedule_layout_t *layout, char *buffer,
                                     const mca_coll_pschedule_area_t *area, ptrdiff_t offset)
{
    *layout = (mca_coll_pschedule_layout_t) {.buffer = buffer};
    layout->area = malloc(sizeof(*layout->area));
    if (NULL == layout->area) {
        return MPI_ERR_NO_MEM;
    }
    layout->blocks = 1;
    layout->area[0] = *area;
    layout->area[0].offset = offset;
    return MPI_SUCCESS;
}

void mca_coll_pschedule_layout_free(mca_coll_pschedule_layout_t *layout)
{
    free(layout->area);
    *layout = (mca_coll_pschedule_layout_t) {0};
}
