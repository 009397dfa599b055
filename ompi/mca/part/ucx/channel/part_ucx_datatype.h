/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data that is not one range of memory: packing and unpacking parts of a message with Open
 * MPI's convertor. Positions are in the packed stream of the whole message.
 */
#ifndef PART_UCX_DATATYPE_H
#define PART_UCX_DATATYPE_H

#include "ompi_config.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

#include <stdbool.h>
#include <stdint.h>

/** Are `elements` of a type in `buffer` one range of memory? If so, *data is its first byte. */
bool mca_part_ucx_datatype_contiguous(const ompi_datatype_t *datatype, size_t elements,
                                      const void *buffer, char **data);

/**
 * Can slices of a message be unpacked, which begin at multiples of 64 bytes? Depends on the basic
 * types only, so all receives that fit a send agree.
 */
bool mca_part_ucx_datatype_may_be_cut(const ompi_datatype_t *datatype);

/** Convertors for `count` paths over the whole message; NULL when memory is short. */
opal_convertor_t *mca_part_ucx_datatype_convertors(const ompi_datatype_t *datatype,
                                                   size_t elements, const void *buffer,
                                                   bool is_send, uint32_t count);

/** Release them. */
void mca_part_ucx_datatype_release(opal_convertor_t *convertor, uint32_t count);

/** Let *staging hold `length` bytes, and what packing as many writes beyond them: all who share it
 * let it grow so. False: memory is short. */
bool mca_part_ucx_datatype_grow(void **staging, size_t *staging_size, size_t length);

/**
 * Pack bytes offset..offset+length-1 into *staging, which grows as needed.
 *
 * @return where they are in *staging, or NULL when memory is short or the convertor fails
 */
const void *mca_part_ucx_datatype_pack(opal_convertor_t *convertor, uint64_t offset,
                                       uint64_t length, void **staging, size_t *staging_size);

/** Unpack bytes offset..offset+length-1 from `source`; false when the convertor fails. */
bool mca_part_ucx_datatype_unpack(opal_convertor_t *convertor, uint64_t offset, uint64_t length,
                                  const void *source);

#endif /* PART_UCX_DATATYPE_H */
