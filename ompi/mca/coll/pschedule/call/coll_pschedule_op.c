/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions and copies (see coll_pschedule_op.h).
 */
#include "call/coll_pschedule_op.h"

#include "call/coll_pschedule_hash.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"

/* So many pieces of an element are looked at in one go. */
#define PARTS 16

/* What the compiler may assume of the address of any type. */
#define ALIGN ((ptrdiff_t) _Alignof(max_align_t))

mca_coll_pschedule_element_t mca_coll_pschedule_element(MPI_Datatype datatype)
{
    mca_coll_pschedule_element_t element = {.direct = true};
    ptrdiff_t lb, extent, true_lb, true_extent, lead;
    size_t size;

    ompi_datatype_type_size(datatype, &size);
    ompi_datatype_get_extent(datatype, &lb, &extent);
    ompi_datatype_get_true_extent(datatype, &true_lb, &true_extent);
    if (0 == size || ompi_datatype_is_contiguous_memory_layout(datatype, 2)) {
        element.bytes = extent > 0 ? (uint64_t) extent : 1;
        element.shift = 0 == size ? 0 : -true_lb;
        return element;
    }
    element.direct = false;
    /* Data must be as far from an aligned address as in the user's buffer. */
    lead = (true_lb % ALIGN + ALIGN) % ALIGN;
    element.shift = lead - true_lb;
    element.one_by_one = lead + true_extent > extent;
    element.bytes = (uint64_t) (element.one_by_one
                                    ? (lead + true_extent + ALIGN - 1) / ALIGN * ALIGN
                                    : extent);
    return element;
}

uint64_t mca_coll_pschedule_element_layout(MPI_Datatype datatype)
{
    ptrdiff_t shift = mca_coll_pschedule_element(datatype).shift;
    uint64_t result = COLL_PSCHEDULE_HASH_SEED, begin = 0, end = 0;
    opal_convertor_t convertor;
    int over = 0;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super, 1, NULL, 0,
                                             &convertor);
    while (!over) {
        struct iovec part[PARTS];
        uint32_t parts = PARTS;
        size_t bytes = SIZE_MAX;

        over = opal_convertor_raw(&convertor, part, &parts, &bytes);
        for (uint32_t i = 0; i < parts; ++i) {
            uint64_t at = (uint64_t) ((ptrdiff_t) (intptr_t) part[i].iov_base + shift);

            if (at != end) { /* not next to the last one */
                result = mca_coll_pschedule_hash(mca_coll_pschedule_hash(result, begin), end);
                begin = at;
            }
            end = at + part[i].iov_len;
        }
        over = over || 0 == parts;
    }
    OBJ_DESTRUCT(&convertor);
    return mca_coll_pschedule_hash(mca_coll_pschedule_hash(result, begin), end);
}

int mca_coll_pschedule_op_check(MPI_Op op, MPI_Datatype datatype, const char **why)
{
    *why = "the operator is null, or one that reductions do not have";
    if (NULL == op || MPI_OP_NULL == op || MPI_REPLACE == op || MPI_NO_OP == op) {
        return MPI_ERR_OP;
    }
    if (!ompi_op_is_intrinsic(op)) {
        return MPI_SUCCESS;
    }
    *why = "the predefined operator is not defined for the datatype";
    if (!ompi_datatype_is_predefined(datatype) || -1 == ompi_op_ddt_map[datatype->id]
        || NULL == op->o_func.intrinsic.fns[ompi_op_ddt_map[datatype->id]]) {
        return MPI_ERR_OP;
    }
    return MPI_SUCCESS;
}

void mca_coll_pschedule_op_retain(mca_coll_pschedule_buffers_t *buffers, MPI_Op op,
                                  MPI_Datatype datatype)
{
    buffers->op = op;
    buffers->datatype = datatype;
    buffers->element = mca_coll_pschedule_element(datatype);
    if (!ompi_op_is_intrinsic(op)) {
        OBJ_RETAIN(op);
    }
    if (!ompi_datatype_is_predefined(datatype)) {
        OBJ_RETAIN(datatype);
    }
}

void mca_coll_pschedule_op_release(mca_coll_pschedule_buffers_t *buffers)
{
    if (NULL != buffers->op && !ompi_op_is_intrinsic(buffers->op)) {
        OBJ_RELEASE(buffers->op);
    }
    if (NULL != buffers->datatype && !ompi_datatype_is_predefined(buffers->datatype)) {
        OBJ_RELEASE(buffers->datatype);
    }
    buffers->op = NULL;
    buffers->datatype = NULL;
}

/* to = from op to */
static void reduce(const mca_coll_pschedule_buffers_t *buffers, char *from, char *to,
                   uint64_t elements)
{
    /* The functions count in int. */
    uint64_t most = buffers->element.one_by_one ? 1 : INT_MAX;

    from += buffers->element.shift;
    to += buffers->element.shift;
    while (elements > 0) {
        uint64_t count = elements < most ? elements : most;

        ompi_op_reduce(buffers->op, from, to, (size_t) count, buffers->datatype);
        from += count * buffers->element.bytes;
        to += count * buffers->element.bytes;
        elements -= count;
    }
}

static void reduce_in_mode(const mca_coll_pschedule_buffers_t *buffers, char *from, char *to,
                           uint64_t elements)
{
    mca_coll_pschedule_float_mode_t own = mca_coll_pschedule_float_mode();
    bool alike = mca_coll_pschedule_float_mode_is(&own, &buffers->float_mode);

    if (!alike) {
        mca_coll_pschedule_float_mode_set(&buffers->float_mode);
    }
    reduce(buffers, from, to, elements);
    if (!alike) {
        mca_coll_pschedule_float_mode_set(&own);
    }
}

void mca_coll_pschedule_buffers_operate(const mca_coll_pschedule_buffers_t *buffers,
                                        const mca_coll_pschedule_operation_t *operation,
                                        bool do_reduce)
{
    char *from = buffers->base[operation->from.space] + operation->from.offset;
    char *to = buffers->base[operation->to.space] + operation->to.offset;

    if (do_reduce) {
        reduce_in_mode(buffers, from, to, operation->bytes / buffers->element.bytes);
    } else {
        memcpy(to, from, operation->bytes);
    }
}
