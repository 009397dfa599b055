/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operator of a reduction, and the elements that it works on.
 *
 * Plans move and reduce elements of a fixed number of bytes, one after another. Of a datatype
 * without gaps that is what the user has. An element of any other is laid out by itself, with its
 * gaps, so that the operator finds it as in the user's buffer.
 */
#ifndef COLL_PSCHEDULE_OP_H
#define COLL_PSCHEDULE_OP_H

#include "call/coll_pschedule_buffer.h"
#include "plan/coll_pschedule_plan.h"

mca_coll_pschedule_element_t mca_coll_pschedule_element(MPI_Datatype datatype);

/** A number for where the bytes of an element lie, in the order of the datatype: where ranks have
 * the same one, elements look the same, gaps and all. */
uint64_t mca_coll_pschedule_element_layout(MPI_Datatype datatype);

/** May an operator be used with a datatype? Returns an MPI error class; the datatype is valid. */
int mca_coll_pschedule_op_check(MPI_Op op, MPI_Datatype datatype, const char **why);

/** Keep operator and datatype until mca_coll_pschedule_op_release(). */
void mca_coll_pschedule_op_retain(mca_coll_pschedule_buffers_t *buffers, MPI_Op op,
                                  MPI_Datatype datatype);

void mca_coll_pschedule_op_release(mca_coll_pschedule_buffers_t *buffers);

/** Do a reduction or a copy of the plan. */
void mca_coll_pschedule_buffers_operate(const mca_coll_pschedule_buffers_t *buffers,
                                        const mca_coll_pschedule_operation_t *operation,
                                        bool reduce);

#endif /* COLL_PSCHEDULE_OP_H */
