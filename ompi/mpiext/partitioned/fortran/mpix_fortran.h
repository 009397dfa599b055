/*
 * Copyright (c) 2026 The mpix-partitioned authors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From arguments of Fortran to those of C, for the functions that generate.awk makes. Handles are
 * converted by MPI's own functions.
 */
#ifndef MPIX_FORTRAN_H
#define MPIX_FORTRAN_H

#include <ISO_Fortran_binding.h>
#include <mpi.h>

/** Which blocks an array of datatypes is for. */
typedef enum mpix_fortran_side_t { MPIX_FORTRAN_SENDS, MPIX_FORTRAN_RECEIVES } mpix_fortran_side_t;

/**
 * The address of a buffer. C's MPI_IN_PLACE and MPI_BOTTOM for those of Fortran; for a section of
 * an array with gaps COLL_PSCHEDULE_SCATTERED, which init refuses on all ranks.
 */
void *mpix_fortran_buffer(const CFI_cdesc_t *buffer);

/** One datatype for each rank of `comm`, or for each of its neighbours where it has a topology and
 * this is a neighbourhood collective. Freed by the caller; NULL when memory is short. */
MPI_Datatype *mpix_fortran_types(const MPI_Fint *types, const MPI_Fint *comm,
                                 mpix_fortran_side_t side, int neighborhood);

/** Freed by the caller; NULL for a negative count, and when memory is short. */
MPI_Request *mpix_fortran_requests(int count, const MPI_Fint *requests);

/** Handles that Fortran does not know become null handles, which the functions refuse. */
MPI_Comm mpix_fortran_comm(const MPI_Fint *comm);
MPI_Datatype mpix_fortran_datatype(const MPI_Fint *datatype);
MPI_Info mpix_fortran_info(const MPI_Fint *info);
MPI_Op mpix_fortran_op(const MPI_Fint *op);
MPI_Request mpix_fortran_request(const MPI_Fint *request);

/** Set ierror, if the caller has given one. */
void mpix_fortran_return(MPI_Fint *ierror, int error);

/** In mpix_fortran_constants.f90: hands in the addresses of Fortran's constants, below. */
void mpix_fortran_tell_constants(void);
void mpix_fortran_take_constants(const void *bottom, const void *in_place);

#endif /* MPIX_FORTRAN_H */
