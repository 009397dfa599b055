/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files pcoll_*.c share with each other and not with test programs.
 */

#ifndef MPIX_TEST_PCOLL_INTERNAL_H
#define MPIX_TEST_PCOLL_INTERNAL_H

#include "pcoll.h"

/* Elements in the block from a rank to a rank (neighbours may be MPI_PROC_NULL). */
int pc_elements(const pc_spec_t *spec, int from, int to);
/* Partitions of a block on a rank. */
int pc_cut(const pc_spec_t *spec, int rank, bool sending, int block);
/* Fills in both sides and the lists of partitions. */
void pc_layout(pc_t *pc);
void pc_layout_free(pc_t *pc);
/* Writes the bytes of a contribution's stream. */
void pc_stream(const pc_t *pc, const pc_part_t *part, int version, unsigned char *out);
/* What MPI's own collective makes of a version: the stream of all partitions of the result. */
void pc_reference(pc_t *pc, int version, unsigned char *result);
/* The call of MPI-4. */
int pc_init_persistent(pc_t *pc, MPI_Request *request);
void pc_pack(const pc_part_t *part, unsigned char *out);
void pc_unpack(const pc_part_t *part, const unsigned char *in);

#endif
