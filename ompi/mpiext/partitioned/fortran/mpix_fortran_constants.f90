! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Tells C where Fortran's MPI_BOTTOM and MPI_IN_PLACE are: buffers that stand for something else.

subroutine mpix_fortran_tell_constants() bind(C, name="mpix_fortran_tell_constants")
   use mpi, only: MPI_BOTTOM, MPI_IN_PLACE
   implicit none
   interface
      subroutine take_constants(bottom, in_place) bind(C, name="mpix_fortran_take_constants")
         type(*), intent(in) :: bottom, in_place
      end subroutine take_constants
   end interface

   call take_constants(MPI_BOTTOM, MPI_IN_PLACE)
end subroutine mpix_fortran_tell_constants
