/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing and unpacking of non-contiguous messages (see part_ucx_datatype.h).
 */
#include "channel/part_ucx_datatype.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/proc/proc.h"

/* Bytes of the largest basic datatype, MPI_C_LONG_DOUBLE_COMPLEX. */
#define LARGEST_ELEMENT 32u

/* Bytes of the largest one of which the convertor of Open MPI 5 unpacks a part without writing
 * beyond an array of its own (opal_unpack_partial_predefined()). */
#define LARGEST_CUT 16u

bool mca_part_ucx_datatype_contiguous(const ompi_datatype_t *datatype, size_t elements,
                                      const void *buffer, char **data)
{
    ptrdiff_t true_lb, true_extent;

    /* Open MPI only wants to know whether there is more than one. */
    if (!opal_datatype_is_contiguous_memory_layout(&datatype->super, elements > 1 ? 2 : 1)) {
        return false;
    }
    (void) opal_datatype_get_true_extent(&datatype->super, &true_lb, &true_extent);
    *data = (char *) (uintptr_t) buffer + true_lb;
    return true;
}

bool mca_part_ucx_datatype_may_be_cut(const ompi_datatype_t *datatype)
{
    size_t smallest = SIZE_MAX, largest = 0;

    for (uint32_t i = 0; i < OPAL_DATATYPE_MAX_PREDEFINED; ++i) {
        size_t size = opal_datatype_local_sizes[i];

        if (0 != (datatype->super.bdt_used >> i & 1)) {
            smallest = size < smallest ? size : smallest;
            largest = size > largest ? size : largest;
        }
    }
    return largest <= LARGEST_CUT || largest == smallest;
}

opal_convertor_t *mca_part_ucx_datatype_convertors(const ompi_datatype_t *datatype,
                                                   size_t elements, const void *buffer,
                                                   bool is_send, uint32_t count)
{
    opal_convertor_t *convertor = calloc(count, sizeof(*convertor));
    int rc = OPAL_SUCCESS;

    /* Completes the type's description, here and not when a convertor is moved first, as Open MPI 6
     * would: two threads might do so at the same time, on two paths, and one would see it half
     * done and take data from elsewhere. */
    (void) opal_datatype_compute_remote_size(&datatype->super, opal_datatype_local_sizes);

    /* Memory that an accelerator shares with the processor is copied by the processor: an
     * accelerator would have to know the thread, and wait for its kernels. */
    for (uint32_t i = 0; NULL != convertor && i < count; ++i) {
        OBJ_CONSTRUCT(&convertor[i], opal_convertor_t);
        if (is_send) {
            rc = opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                          &datatype->super, elements, buffer,
                                                          CONVERTOR_SKIP_ACCELERATOR_INIT,
                                                          &convertor[i]);
        } else {
            rc = opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                          &datatype->super, elements, buffer,
                                                          CONVERTOR_SKIP_ACCELERATOR_INIT,
                                                          &convertor[i]);
        }
        if (OPAL_SUCCESS != rc) {
            mca_part_ucx_datatype_release(convertor, i + 1);
            return NULL;
        }
    }
    return convertor;
}

void mca_part_ucx_datatype_release(opal_convertor_t *convertor, uint32_t count)
{
    for (uint32_t i = 0; NULL != convertor && i < count; ++i) {
        OBJ_DESTRUCT(&convertor[i]);
    }
    free(convertor);
}

/*
 * Move the convertor; returns where it is then. Open MPI (at least up to 5.0.9) moves it forward
 * wrongly from within a loop of the type's description, or from the middle of a basic element: data
 * would come from elsewhere, or its stack grow beyond its memory. From the beginning it moves
 * rightly, and skips whole loops.
 */
static size_t seek(opal_convertor_t *convertor, size_t offset)
{
    size_t begin = 0;

    if (offset != convertor->bConverted) {
        (void) opal_convertor_set_position(convertor, &begin);
    }
    (void) opal_convertor_set_position(convertor, &offset);
    return offset;
}

/* Pack up to `size` bytes from where the convertor is; how many it has packed, 0 on failure. */
static size_t pack_some(opal_convertor_t *convertor, void *target, size_t size)
{
    struct iovec vector = {.iov_base = target, .iov_len = size};
    uint32_t vectors = 1;

    return opal_convertor_pack(convertor, &vector, &vectors, &size) < 0 ? 0 : size;
}

/*
 * The convertor stands before a basic element of which only the first `length` bytes are wanted.
 * It says nothing of the element's size, and what comes after it is not to be read: it may belong
 * to a partition that has not been marked.
 */
static bool pack_begin_of_element(opal_convertor_t *convertor, char *target, size_t length)
{
    char element[LARGEST_ELEMENT];

    for (size_t size = length + 1; size <= sizeof(element); ++size) {
        if (pack_some(convertor, element, size) > length) {
            memcpy(target, element, length);
            return true;
        }
    }
    return false;
}

bool mca_part_ucx_datatype_grow(void **staging, size_t *staging_size, size_t length)
{
    void *grown;

    if (*staging_size >= length && NULL != *staging) {
        return true;
    }
    /* Grows to the largest unit during the first iteration and stays. */
    grown = realloc(*staging, length + LARGEST_ELEMENT);
    if (NULL == grown) {
        return false;
    }
    *staging = grown;
    *staging_size = length;
    return true;
}

/*
 * A slice may begin and end in the middle of a basic element. Open MPI's convertor unpacks such
 * halves, but packs whole elements only: it steps back to where the first one begins, and leaves
 * the last one out.
 */
const void *mca_part_ucx_datatype_pack(opal_convertor_t *convertor, uint64_t offset,
                                       uint64_t length, void **staging, size_t *staging_size)
{
    size_t skip, wanted, packed;

    if (!mca_part_ucx_datatype_grow(staging, staging_size, length)) {
        return NULL;
    }
    if (0 == length) {
        return *staging;
    }
    skip = offset - seek(convertor, offset);
    if (skip >= LARGEST_ELEMENT) {
        return NULL;
    }
    wanted = skip + length;
    packed = pack_some(convertor, *staging, wanted);
    if (packed != wanted
        && (packed > wanted
            || !pack_begin_of_element(convertor, (char *) *staging + packed, wanted - packed))) {
        return NULL;
    }
    return (char *) *staging + skip;
}

bool mca_part_ucx_datatype_unpack(opal_convertor_t *convertor, uint64_t offset, uint64_t length,
                                  const void *source)
{
    size_t unpacked = length;
    uint32_t vectors = 1;
    struct iovec vector = {.iov_base = (void *) (uintptr_t) source, .iov_len = length};

    if (0 == length) {
        return true;
    }
    return offset == seek(convertor, offset)
           && opal_convertor_unpack(convertor, &vector, &vectors, &unpacked) >= 0
           && unpacked == length;
}
