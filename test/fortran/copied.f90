! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Must not compile: the compiler would have to hand over a copy, which would be gone when the
! request starts.
program copied
   use mpi_f08
   use mpix_partitioned_f08
   implicit none
   real, asynchronous :: a(8)
   integer :: which(4) = [1, 3, 5, 7]
   type(MPI_Request) :: request

   call MPIX_Pbcast_init(a(which), 1, 4_MPI_COUNT_KIND, MPI_REAL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
      request)
end program copied
