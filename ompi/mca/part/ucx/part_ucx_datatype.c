/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing and unpacking of non-contiguous messages (see part_ucx_datatype.h).
 */
#include "part_ucx_datatype.h"

#include <stdlib.h>

#include "ompi/proc/proc.h"

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

opal_convertor_t *mca_part_ucx_datatype_convertors(const ompi_datatype_t *datatype,
                                                   size_t elements, const void *buffer,
                                                   bool is_send, uint32_t count)
{
    opal_convertor_t *convertor = calloc(count, sizeof(*convertor));
    int rc = OPAL_SUCCESS;

    for (uint32_t i = 0; NULL != convertor && i < count; ++i) {
        OBJ_CONSTRUCT(&convertor[i], opal_convertor_t);
        if (is_send) {
            rc = opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                          &datatype->super, elements, buffer, 0,
                                                          &convertor[i]);
        } else {
            rc = opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                          &datatype->super, elements, buffer, 0,
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

const void *mca_part_ucx_datatype_pack(opal_convertor_t *convertor, uint64_t offset,
                                       uint64_t length, void **staging, size_t *staging_size)
{
    size_t position = offset;
    size_t packed = length;
    uint32_t vectors = 1;
    struct iovec vector;

    if (*staging_size < length || NULL == *staging) {
        /* Grows to the largest unit during the first iteration and stays. */
        void *grown = realloc(*staging, length + 1);

        if (NULL == grown) {
            return NULL;
        }
        *staging = grown;
        *staging_size = length;
    }
    if (0 == length) {
        return *staging;
    }
    vector.iov_base = *staging;
    vector.iov_len = length;
    opal_convertor_set_position(convertor, &position);
    if (position != offset || opal_convertor_pack(convertor, &vector, &vectors, &packed) < 0
        || packed != length) {
        return NULL;
    }
    return *staging;
}

bool mca_part_ucx_datatype_unpack(opal_convertor_t *convertor, uint64_t offset, uint64_t length,
                                  const void *source)
{
    size_t position = offset;
    size_t unpacked = length;
    uint32_t vectors = 1;
    struct iovec vector = {.iov_base = (void *) (uintptr_t) source, .iov_len = length};

    if (0 == length) {
        return true;
    }
    opal_convertor_set_position(convertor, &position);
    return position == offset
           && opal_convertor_unpack(convertor, &vector, &vectors, &unpacked) >= 0
           && unpacked == length;
}
