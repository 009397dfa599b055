! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! What works on every partitioned request, and what is wrong, from Fortran: classes of errors, once
! for the right communicator, on all ranks; nobody waits for ever, and the communicator works
! afterwards. The library beside this program (intercept.c) counts calls as a profiler does.
#include "fortest.h"

program requests
   USE_MPI
   USE_MPIX
   use, intrinsic :: iso_c_binding, only: c_int
   implicit none
   interface
      integer(c_int) function intercepted() bind(C, name="test_intercepted")
         import :: c_int
      end function intercepted
   end interface
   integer, parameter :: cut = 4
   integer(MPI_COUNT_KIND), parameter :: few = 5
   integer, asynchronous, save :: send(400), recv(400), grid(20, 20)
   integer :: rank, ranks, wrong, tests, failed, ierror, i, raised
   common /count_of_errors/ raised
   T_REQUEST :: request, other
   T_COMM :: comm
   T_ERRHANDLER :: handler
#ifdef TEST_F08
   procedure(MPI_Comm_errhandler_function) :: count_error
#else
   external :: count_error
#endif

   call begin()
   raised = 0
   call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
   call MPI_Comm_create_errhandler(count_error, handler, ierror)
   call MPI_Comm_set_errhandler(comm, handler, ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)

   call point_to_point()
   call prepared()
   call taken_one_by_one()
   call taken_in_groups()
   call profiled()
   call sections()
   call addresses()
   call handles()
   call not_partitioned()
#ifdef TEST_F08
   call without_ierror()
#endif
   call still_works()

   call MPI_Comm_free(comm, ierror)
   call finish()

contains

#include "fortest.inc"

   ! Of what was called last.
   subroutine expect_error(class, text)
      integer, intent(in) :: class
      character(*), intent(in) :: text
      integer :: found, code

      call MPI_Error_class(ierror, found, code)
      call check(found == class, text//": another class")
      call check(raised == 1, text//": the handler did not run once")
      raised = 0
   end subroutine expect_error

   subroutine make_sum()
      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
         request, ierror)
      call check(ierror == MPI_SUCCESS, "init fails")
      send = rank
      recv = -1
   end subroutine make_sum

   subroutine mark_all()
      integer :: partition

      do partition = 0, cut - 1
         call MPI_Pready(partition, request, ierror)
      end do
   end subroutine mark_all

   subroutine complete(text)
      character(*), intent(in) :: text

      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      call MPI_F_sync_reg(recv)
      call check(all(recv(:20) == ranks * (ranks - 1) / 2), text//": wrong sums")
      call MPI_Request_free(request, ierror)
      call result(text)
   end subroutine complete

   ! Round a ring, by Open MPI's own functions. Those of mpi_f08 of Open MPI 5.0.7 lack an argument
   ! (docs/fortran.md), so those of the module mpi make the requests of both.
   subroutine point_to_point()
#ifdef TEST_F08
      use mpi, only: psend_init => MPI_Psend_init, precv_init => MPI_Precv_init
#endif
      T_REQUEST :: both(2)
      integer :: next, before, partition

      next = modulo(rank + 1, ranks)
      before = modulo(rank - 1, ranks)
      send = rank
      recv = -1
#ifdef TEST_F08
      call psend_init(send, cut, few, MPI_INTEGER%MPI_VAL, next, 3, comm%MPI_VAL, &
         MPI_INFO_NULL%MPI_VAL, both(1)%MPI_VAL, ierror)
      call precv_init(recv, cut, few, MPI_INTEGER%MPI_VAL, before, 3, comm%MPI_VAL, &
         MPI_INFO_NULL%MPI_VAL, both(2)%MPI_VAL, ierror)
#else
      call MPI_Psend_init(send, cut, few, MPI_INTEGER, next, 3, comm, MPI_INFO_NULL, both(1), ierror)
      call MPI_Precv_init(recv, cut, few, MPI_INTEGER, before, 3, comm, MPI_INFO_NULL, both(2), ierror)
#endif
      call MPI_Startall(2, both, ierror)
      do partition = 0, cut - 1
         call MPI_Pready(partition, both(1), ierror)
      end do
      call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, ierror)
      call MPI_F_sync_reg(recv)
      call check(all(recv(:20) == before), "point to point: wrong data")
      call check(all(recv(21:) == -1), "point to point: more than that is written")
      call MPI_Request_free(both(1), ierror)
      call MPI_Request_free(both(2), ierror)
      call result("Psend_init and Precv_init")
   end subroutine point_to_point

   subroutine prepared()
      T_REQUEST :: both(2)

      call make_sum()
      call MPI_Start(request, ierror)
      call MPIX_Pbuf_prepare(request, ierror)
      call check(ierror == MPI_SUCCESS, "Pbuf_prepare fails")
      call mark_all()
      call complete("Pbuf_prepare")

      call make_sum()
      call MPIX_Pbcast_init(grid, 1, few, MPI_INTEGER, 0, comm, MPI_INFO_NULL, other, ierror)
      both = [request, other]
      call MPI_Startall(2, both, ierror)
      call MPIX_Pbuf_prepareall(2, both, ierror)
      call check(ierror == MPI_SUCCESS, "Pbuf_prepareall fails")
      request = both(1)
      other = both(2)
      call mark_all()
      if (rank == 0) call MPI_Pready(0, other, ierror)
      call MPI_Wait(other, MPI_STATUS_IGNORE, ierror)
      call MPI_Request_free(other, ierror)
      call complete("Pbuf_prepareall")
      call MPIX_Pbuf_prepareall(-1, both, ierror)
      call expect_error(MPI_ERR_ARG, "Pbuf_prepareall of -1 requests")
      call result("Pbuf_prepareall refuses a negative count")
   end subroutine prepared

   subroutine taken_one_by_one()
      logical :: flag, seen(0:cut - 1)
      integer :: partition

      call make_sum()
      call MPI_Start(request, ierror)
      call mark_all()
      seen = .false.
      do
         call MPIX_Parrived_any(request, partition, flag, ierror)
         if (flag .and. partition == MPI_UNDEFINED) exit
         if (.not. flag) cycle
         call check(partition >= 0 .and. partition < cut, "no such partition")
         call check(.not. seen(partition), "a partition twice")
         seen(partition) = .true.
         call check(recv(partition * 5 + 1) == ranks * (ranks - 1) / 2, "it was not there")
      end do
      call check(all(seen), "a partition was not reported")
      call complete("Parrived_any")
   end subroutine taken_one_by_one

   subroutine taken_in_groups()
      integer :: list(2), number, total

      call make_sum()
      call MPI_Start(request, ierror)
      call mark_all()
      total = 0
      do
         list = -7
         call MPIX_Parrived_some(request, 2, number, list, ierror)
         if (number == MPI_UNDEFINED) exit
         call check(all(list(number + 1:) == -7), "more was written than reported")
         total = total + number
      end do
      call check(total == cut, "not all were reported")
      call complete("Parrived_some")
   end subroutine taken_in_groups

   subroutine profiled()
      integer :: before

      before = intercepted()
      call make_sum()
      call check(intercepted() == before + 1, "a tool that intercepts C does not see the call")
      call MPI_Request_free(request, ierror)
      call PMPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
         request, ierror)
      call check(intercepted() == before + 1, "a tool sees the call of the profiling name")
      send = rank
      call MPI_Start(request, ierror)
      call PMPIX_Pbuf_prepare(request, ierror)
      call mark_all()
      call complete("PMPIX names are the same functions, past the tool")
   end subroutine profiled

   ! Sections of arrays. What is one range of memory is used where it lies, other ones are refused:
   ! on all ranks, also if it is wrong on one of them.
   subroutine sections()
      send = rank
      call MPIX_Pallreduce_init(send(41:60), grid(:, 7), cut, few, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call check(ierror == MPI_SUCCESS, "a contiguous section is refused")
      grid = -1
      call MPI_Start(request, ierror)
      call mark_all()
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      call MPI_F_sync_reg(grid)
      call check(all(grid(:, 7) == ranks * (ranks - 1) / 2), "a section was copied")
      call check(all(grid(:, :6) == -1) .and. all(grid(:, 8:) == -1), "written elsewhere")
      call MPI_Request_free(request, ierror)
      call result("contiguous sections are used where they lie")

      call MPIX_Pallreduce_init(send, grid(7, :), cut, few, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_BUFFER, "a row")
      call MPIX_Pallreduce_init(send(40:2:-2), recv, cut, few, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_BUFFER, "backwards")
      if (rank == 0) then
         call MPIX_Pbcast_init(grid(:, ::2), cut, few, MPI_INTEGER, 0, comm, MPI_INFO_NULL, request, &
            ierror)
         call expect_error(MPI_ERR_BUFFER, "every second column")
      else
         call MPIX_Pbcast_init(recv, cut, few, MPI_INTEGER, 0, comm, MPI_INFO_NULL, request, ierror)
         call expect_error(MPI_ERR_OTHER, "another rank's column")
      end if
      call check(request == MPI_REQUEST_NULL, "a request was made")
      call result("sections with gaps are refused on all ranks")
      call shapes(grid, 20, send)
   end subroutine sections

   ! Arrays of other shapes, all contiguous.
   subroutine shapes(assumed_size, columns, assumed_shape)
      integer, intent(in) :: columns
      integer, asynchronous :: assumed_size(20, *)
      integer, asynchronous :: assumed_shape(:)
      integer, allocatable, asynchronous :: nothing(:)

      call MPIX_Pallreduce_init(assumed_shape, assumed_size, cut, few, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call check(ierror == MPI_SUCCESS, "an array of assumed size is refused")
      call MPI_Request_free(request, ierror)
      call MPIX_Pallreduce_init(assumed_shape, assumed_size(1, columns), cut, few, MPI_INTEGER, &
         MPI_SUM, comm, MPI_INFO_NULL, request, ierror)
      call check(ierror == MPI_SUCCESS, "an element is refused")
      call MPI_Request_free(request, ierror)
      allocate (nothing(0))
      call MPIX_Pallreduce_init(nothing, recv, cut, 0_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call check(ierror == MPI_SUCCESS, "an empty array is refused")
      call MPI_Request_free(request, ierror)
      call check(raised == 0, "a handler ran")
      call result("arrays of assumed size, elements and empty arrays are taken")
   end subroutine shapes

   subroutine addresses()
      call MPIX_Pallreduce_init(MPI_BOTTOM, recv, cut, few, MPI_INTEGER, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_BUFFER, "MPI_BOTTOM")
      call MPIX_Palltoall_init(MPI_IN_PLACE, cut, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, &
         comm, MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_ARG, "alltoall in place")
      call result("MPI_BOTTOM, and MPI_IN_PLACE where it may not be, are Fortran's own")
   end subroutine addresses

   subroutine handles()
      call MPIX_Pallreduce_init(send, recv, 0, few, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
         request, ierror)
      call expect_error(MPI_ERR_ARG, "no partitions")
      call MPIX_Pallreduce_init(send, recv, cut, -few, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
         request, ierror)
      call expect_error(MPI_ERR_COUNT, "a negative count")
      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_DATATYPE_NULL, MPI_SUM, comm, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_TYPE, "MPI_DATATYPE_NULL")
      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, MPI_OP_NULL, comm, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_OP, "MPI_OP_NULL")
      call MPIX_Pbcast_init(send, cut, few, MPI_INTEGER, ranks, comm, MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_ROOT, "a root that is no rank")
      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, MPI_COMM_NULL, &
         MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_COMM, "MPI_COMM_NULL")
      call unknown_handles()
      call without_topology()
      call result("wrong arguments have the classes that they have in C")
   end subroutine handles

   ! Numbers that no handle has.
   subroutine unknown_handles()
      T_TYPE :: datatype
      T_OP :: op
      T_COMM :: nowhere
#ifdef TEST_F08
      datatype%MPI_VAL = 123456
      op%MPI_VAL = 123456
      nowhere%MPI_VAL = -5
#else
      datatype = 123456
      op = 123456
      nowhere = -5
#endif
      call MPIX_Pscan_init(send, recv, cut, few, datatype, MPI_SUM, comm, MPI_INFO_NULL, request, &
         ierror)
      call expect_error(MPI_ERR_TYPE, "an unknown datatype")
      call MPIX_Pscan_init(send, recv, cut, few, MPI_INTEGER, op, comm, MPI_INFO_NULL, request, &
         ierror)
      call expect_error(MPI_ERR_OP, "an unknown operator")
      call MPIX_Pscan_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, nowhere, MPI_INFO_NULL, &
         request, ierror)
      call expect_error(MPI_ERR_COMM, "an unknown communicator")
   end subroutine unknown_handles

   subroutine without_topology()
      integer :: parts(1)
      integer(MPI_COUNT_KIND) :: counts(1)
      integer(MPI_ADDRESS_KIND) :: displs(1)
      T_TYPE :: types(1)

      parts = 1
      counts = 1
      displs = 0
      types = MPI_INTEGER
      call MPIX_Pneighbor_alltoallw_init(send, parts, counts, displs, types, recv, parts, counts, &
         displs, types, comm, MPI_INFO_NULL, request, ierror)
      call expect_error(MPI_ERR_TOPOLOGY, "no topology")
   end subroutine without_topology

   ! Their errors go to MPI_COMM_SELF.
   subroutine not_partitioned()
      integer :: partition, list(1)
      logical :: flag

      request = MPI_REQUEST_NULL
      call MPIX_Pbuf_prepare(request, ierror)
      call expect_error(MPI_ERR_REQUEST, "Pbuf_prepare of MPI_REQUEST_NULL")
      call MPIX_Parrived_any(request, partition, flag, ierror)
      call check(ierror == MPI_SUCCESS .and. flag .and. partition == MPI_UNDEFINED, &
         "Parrived_any of MPI_REQUEST_NULL")
      call MPI_Send_init(send, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm, request, ierror)
      call MPIX_Parrived_some(request, 1, partition, list, ierror)
      if (ierror /= MPI_SUCCESS) call expect_error(MPI_ERR_REQUEST, "Parrived_some of another kind")
      call MPI_Request_free(request, ierror)
      call make_sum()
      call MPIX_Parrived_some(request, -1, partition, list, ierror)
      call expect_error(MPI_ERR_ARG, "Parrived_some of -1")
      call MPIX_Pbuf_prepare(request, ierror)
      call expect_error(MPI_ERR_REQUEST, "Pbuf_prepare of a request that was not started")
      call MPI_Request_free(request, ierror)
      call result("requests that are null, of another kind or inactive")
   end subroutine not_partitioned

#ifdef TEST_F08
   subroutine without_ierror()
      integer :: partition, list(1)
      logical :: flag

      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, comm, MPI_INFO_NULL, &
         request)
      send = rank
      call MPI_Start(request)
      call MPIX_Pbuf_prepare(request)
      call mark_all()
      call MPIX_Parrived_any(request, partition, flag)
      call MPIX_Parrived_some(request, 0, partition, list)
      call complete("ierror may be left out")
   end subroutine without_ierror
#endif

   subroutine still_works()
      call check(raised == 0, "a handler ran")
      call make_sum()
      call iterate(request, cut, cut)
      call complete("the communicator works afterwards")
   end subroutine still_works

end program requests

! Not inside of the program: the address of an internal procedure needs code on the stack.
subroutine count_error(which, code)
   USE_MPI
   implicit none
   T_COMM :: which
   integer :: code, raised
   common /count_of_errors/ raised

   raised = raised + 1
   if (code == MPI_SUCCESS) print '(a)', "# a handler without an error"
   if (which == MPI_COMM_WORLD) print '(a)', "# the handler of another communicator"
end subroutine count_error
