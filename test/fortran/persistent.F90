! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! MPI's persistent collectives from Fortran, which this package serves: arrays of the program stay
! the program's when a request is freed, and what the bindings have made for it does not.
#include "fortest.h"

program persistent
   USE_MPI
   implicit none
   integer, parameter :: block = 700, most = 64
   integer, asynchronous, save :: send(block*most), recv(block*most)
   integer, asynchronous, save :: fixed(most), places(most)
   integer, asynchronous, allocatable :: counts(:)
   integer :: rank, ranks, wrong, tests, failed, ierror, i
   T_REQUEST :: request

   call begin()
   fixed = block
   do i = 1, most
      places(i) = (i - 1)*block
   end do
   allocate (counts(ranks))
   counts = block

   do i = 1, 3
      call scatter_sum(fixed)
      call scatter_sum(counts)
   end do
   call result("reduce_scatter: counts in an array that is static, and in one that is allocated")
   do i = 1, 3
      call exchange()
   end do
   call result("alltoallw: types that the bindings convert")
   deallocate (counts)
   call finish()

contains

#include "fortest.inc"

   subroutine run(text)
      character(*), intent(in) :: text
      integer :: round

      call check(ierror == MPI_SUCCESS, text//": init fails")
      do round = 1, 2
         recv = -1
         call MPI_Start(request, ierror)
         call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
         call check(ierror == MPI_SUCCESS, text//": fails")
      end do
      call MPI_Request_free(request, ierror)
   end subroutine run

   subroutine scatter_sum(list)
      integer, asynchronous, intent(in) :: list(*)

      send = rank + 1
      call MPI_Reduce_scatter_init(send, recv, list, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
         MPI_INFO_NULL, request, ierror)
      call run("reduce_scatter")
      call check(all(recv(1:block) == ranks*(ranks + 1)/2), "reduce_scatter: a wrong sum")
      call check(all(list(1:ranks) == block), "reduce_scatter: its counts have changed")
   end subroutine scatter_sum

   subroutine exchange()
      T_TYPE, asynchronous :: types(most)
      integer, asynchronous :: bytes(most)
      integer :: from

      types = MPI_INTEGER
      bytes = 4*places
      send = rank
      call MPI_Alltoallw_init(send, fixed, bytes, types, recv, fixed, bytes, types, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call run("alltoallw")
      do from = 0, ranks - 1
         call check(all(recv(from*block + 1:(from + 1)*block) == from), "alltoallw: wrong data")
      end do
   end subroutine exchange
end program persistent
