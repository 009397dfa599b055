/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers of Fortran (see mpix_fortran.h). They come as descriptors, so the compiler has not copied
 * them: a copy would be gone when the request starts.
 */
#include "mpix_fortran.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "call/coll_pschedule_call.h"

/* Fortran's constants are variables, known by their addresses. */
static _Atomic(const void *) fortran_bottom;
static _Atomic(const void *) fortran_in_place;

void mpix_fortran_take_constants(const void *bottom, const void *in_place)
{
    atomic_store(&fortran_bottom, bottom);
    atomic_store(&fortran_in_place, in_place);
}

static bool is_contiguous(const CFI_cdesc_t *buffer)
{
    CFI_index_t step = (CFI_index_t) buffer->elem_len;

    for (int i = 0; i < buffer->rank; ++i) {
        const CFI_dim_t *dimension = &buffer->dim[i];

        if (0 == dimension->extent) {
            return true; /* there is nothing in it */
        }
    }
    for (int i = 0; i < buffer->rank; ++i) {
        const CFI_dim_t *dimension = &buffer->dim[i];

        if (1 != dimension->extent && step != dimension->sm) {
            return false;
        }
        if (dimension->extent < 0) {
            return true; /* the last one of an array of assumed size */
        }
        step *= dimension->extent;
    }
    return true;
}

void *mpix_fortran_buffer(const CFI_cdesc_t *buffer)
{
    if (NULL == atomic_load(&fortran_in_place)) {
        mpix_fortran_tell_constants();
    }
    if (buffer->base_addr == atomic_load(&fortran_in_place)) {
        return MPI_IN_PLACE;
    }
    if (buffer->base_addr == atomic_load(&fortran_bottom)) {
        return MPI_BOTTOM;
    }
    return is_contiguous(buffer) ? buffer->base_addr : COLL_PSCHEDULE_SCATTERED;
}
