! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Each of the 21 collectives gives what Open MPI's blocking one gives, twice, from Fortran; also in
! place. Data is that of the blocking call plus a number that changes with the iteration.
#include "fortest.h"

program collectives
   USE_MPI
   USE_MPIX
   implicit none
   integer, parameter :: cut = 3, elements = 4, block = cut * elements, room = 16 * block * 8
   integer(MPI_COUNT_KIND), parameter :: few = elements, blocks_of = block
   integer, asynchronous, save :: send(room), recv(room)
   integer :: expected(room), base_send(room), base_recv(room)
   integer :: rank, ranks, wrong, tests, failed, ierror, i
   ! Blocks of different sizes: rank r has r + 1 partitions of `few` elements, with a gap after each.
   integer, allocatable :: parts(:), counts(:), places(:)
   integer(MPI_COUNT_KIND), allocatable :: per_part(:)
   integer(MPI_ADDRESS_KIND), allocatable :: displs(:)
   T_REQUEST :: request
   T_OP :: user_op
#ifdef TEST_F08
   procedure(MPI_User_function) :: add_up
#else
   external :: add_up
#endif

   call begin()
   allocate (parts(ranks), counts(ranks), places(ranks), per_part(ranks), displs(ranks))
   parts = [(i, i = 1, ranks)]
   counts = parts * elements
   per_part = few
   places = [(sum(counts(1:i - 1)) + i - 1, i = 1, ranks)]
   displs = places
   call MPI_Op_create(add_up, .true., user_op, ierror)

   call one_to_all()
   call all_to_one()
   call all_to_all()
   call uneven_all_to_all()
   call reductions()
   call scattered_reductions()

   call MPI_Op_free(user_op, ierror)
   call finish()

contains

#include "fortest.inc"

   subroutine prepare()
      base_send = [(1000 * rank + i, i = 1, room)]
      base_recv = -1
      send = base_send
      expected = -1
   end subroutine prepare

   ! Two iterations. The first `length` elements must be those expected, with what `shift`
   ! contributors have added. In place: what changes with the iteration is in recv.
   subroutine verify(marks, arrives, length, shift, in_place, text)
      integer, intent(in) :: marks, arrives, length, shift
      logical, intent(in) :: in_place
      character(*), intent(in) :: text
      integer :: epoch

      do epoch = 0, 1
         send = base_send + 100000 * epoch
         recv = base_recv + merge(100000 * epoch, 0, in_place)
         call iterate(request, marks, arrives)
         call MPI_F_sync_reg(recv)
         do i = 1, length
            if (expected(i) /= -1 .and. recv(i) /= expected(i) + 100000 * epoch * shift) then
               call check(.false., text//": wrong elements")
               exit
            end if
         end do
      end do
      call MPI_Request_free(request, ierror)
      call check(request == MPI_REQUEST_NULL, text//": not freed")
      call result(text)
   end subroutine verify

   subroutine one_to_all()
      integer :: root
      logical :: is_root

      root = ranks - 1
      is_root = rank == root
      call prepare()
      if (is_root) base_recv = base_send
      expected(:block) = base_send(:block)
      call MPI_Bcast(expected, block, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
      call MPIX_Pbcast_init(recv, cut, few, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, &
         request, ierror)
      call verify(merge(cut, 0, is_root), merge(0, cut, is_root), block, 1, is_root, "bcast")

      call prepare()
      call MPI_Scatter(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, root, &
         MPI_COMM_WORLD, ierror)
      call MPIX_Pscatter_init(send, cut, few, MPI_INTEGER, recv, 1, blocks_of, MPI_INTEGER, root, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(merge(ranks * cut, 0, is_root), 1, block, 1, .false., "scatter")

      call prepare()
      if (is_root) then
         call MPI_Scatter(send, block, MPI_INTEGER, MPI_IN_PLACE, block, MPI_INTEGER, root, &
            MPI_COMM_WORLD, ierror)
         call MPIX_Pscatter_init(send, cut, few, MPI_INTEGER, MPI_IN_PLACE, cut, few, MPI_INTEGER, &
            root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      else
         call MPI_Scatter(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, root, &
            MPI_COMM_WORLD, ierror)
         call MPIX_Pscatter_init(send, cut, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, root, &
            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      end if
      call verify(merge(ranks * cut, 0, is_root), merge(0, cut, is_root), block, 1, .false., &
         "scatter, in place at the root")

      call prepare()
      call MPI_Scatterv(send, counts, places, MPI_INTEGER, expected, counts(rank + 1), MPI_INTEGER, &
         root, MPI_COMM_WORLD, ierror)
      call MPIX_Pscatterv_init(send, parts, per_part, displs, MPI_INTEGER, recv, rank + 1, few, &
         MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(merge(sum(parts), 0, is_root), rank + 1, counts(rank + 1), 1, .false., "scatterv")
   end subroutine one_to_all

   subroutine all_to_one()
      logical :: is_root

      is_root = rank == 0
      call prepare()
      call MPI_Gather(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, 0, MPI_COMM_WORLD, &
         ierror)
      call MPIX_Pgather_init(send, cut, few, MPI_INTEGER, recv, 1, blocks_of, MPI_INTEGER, 0, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(cut, merge(ranks, 0, is_root), ranks * block, 1, .false., "gather")

      call prepare()
      expected(:block) = base_send(:block)
      if (is_root) then
         base_recv(:block) = base_send(:block)
         call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, expected, block, MPI_INTEGER, 0, &
            MPI_COMM_WORLD, ierror)
         call MPIX_Pgather_init(MPI_IN_PLACE, 1, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, 0, &
            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      else
         call MPI_Gather(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, 0, &
            MPI_COMM_WORLD, ierror)
         call MPIX_Pgather_init(send, cut, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, 0, &
            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
         expected = -1
      end if
      call verify(cut, merge(ranks * cut, 0, is_root), ranks * block, 1, is_root, &
         "gather, in place at the root")

      call prepare()
      call MPI_Gatherv(send, counts(rank + 1), MPI_INTEGER, expected, counts, places, MPI_INTEGER, &
         0, MPI_COMM_WORLD, ierror)
      call MPIX_Pgatherv_init(send, rank + 1, few, MPI_INTEGER, recv, parts, per_part, displs, &
         MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(rank + 1, merge(sum(parts), 0, is_root), places(ranks) + counts(ranks), 1, &
         .false., "gatherv")
   end subroutine all_to_one

   subroutine all_to_all()
      call prepare()
      call MPI_Allgather(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, MPI_COMM_WORLD, &
         ierror)
      call MPIX_Pallgather_init(send, cut, few, MPI_INTEGER, recv, 1, blocks_of, MPI_INTEGER, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(cut, ranks, ranks * block, 1, .false., "allgather")

      call prepare()
      base_recv(rank * block + 1:(rank + 1) * block) = base_send(:block)
      expected = base_recv
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, expected, block, MPI_INTEGER, &
         MPI_COMM_WORLD, ierror)
      call MPIX_Pallgather_init(MPI_IN_PLACE, 1, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(cut, ranks * cut, ranks * block, 1, .true., "allgather in place")

      call prepare()
      call MPI_Alltoall(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, MPI_COMM_WORLD, &
         ierror)
      call MPIX_Palltoall_init(send, cut, few, MPI_INTEGER, recv, 1, blocks_of, MPI_INTEGER, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(ranks * cut, ranks, ranks * block, 1, .false., "alltoall")
   end subroutine all_to_all

   subroutine uneven_all_to_all()
      integer :: given(ranks), own(ranks), taken(ranks)
      integer(MPI_ADDRESS_KIND) :: bytes_from(ranks), bytes_to(ranks), to(ranks)
      T_TYPE :: pair, from_types(ranks), to_types(ranks)

      call prepare()
      call MPI_Allgatherv(send, counts(rank + 1), MPI_INTEGER, expected, counts, places, &
         MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call MPIX_Pallgatherv_init(send, rank + 1, few, MPI_INTEGER, recv, parts, per_part, displs, &
         MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(rank + 1, sum(parts), places(ranks) + counts(ranks), 1, .false., "allgatherv")

      ! To rank r go r + 1 partitions; from each come as many as this rank's number plus 1.
      taken = counts(rank + 1)
      given = rank + 1
      own = [((i - 1) * counts(rank + 1), i = 1, ranks)]
      to = own
      call prepare()
      call MPI_Alltoallv(send, counts, places, MPI_INTEGER, expected, taken, own, MPI_INTEGER, &
         MPI_COMM_WORLD, ierror)
      call MPIX_Palltoallv_init(send, parts, per_part, displs, MPI_INTEGER, recv, given, per_part, &
         to, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(sum(parts), ranks * (rank + 1), ranks * counts(rank + 1), 1, .false., "alltoallv")

      ! The same, to odd ranks as pairs: displacements in bytes, a datatype for each block.
      call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
      call MPI_Type_commit(pair, ierror)
      from_types = MPI_INTEGER
      to_types = merge(MPI_INTEGER, pair, mod(rank, 2) == 0)
      bytes_from = displs * 4
      bytes_to = to * 4
      call prepare()
      call MPI_Alltoallv(send, counts, places, MPI_INTEGER, expected, taken, own, MPI_INTEGER, &
         MPI_COMM_WORLD, ierror)
      call MPIX_Palltoallw_init(send, parts, per_part, bytes_from, from_types, recv, given, &
         per_part / merge(1, 2, mod(rank, 2) == 0), bytes_to, to_types, MPI_COMM_WORLD, &
         MPI_INFO_NULL, request, ierror)
      call MPI_Type_free(pair, ierror)
      call verify(sum(parts), ranks * (rank + 1), ranks * counts(rank + 1), 1, .false., "alltoallw")
   end subroutine uneven_all_to_all

   subroutine reductions()
      logical :: is_root

      is_root = rank == ranks - 1
      call prepare()
      call MPI_Reduce(send, expected, block, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, ierror)
      call MPIX_Preduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, ranks - 1, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(cut, merge(cut, 0, is_root), block, ranks, .false., "reduce")

      call prepare()
      call MPI_Allreduce(send, expected, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      if (is_root) then
         base_recv = base_send
         call MPIX_Preduce_init(MPI_IN_PLACE, recv, cut, few, MPI_INTEGER, MPI_SUM, ranks - 1, &
            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      else
         call MPIX_Preduce_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, ranks - 1, &
            MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
         expected = -1
      end if
      call verify(cut, merge(cut, 0, is_root), block, ranks, is_root, "reduce, in place at the root")

      call prepare()
      call MPI_Allreduce(send, expected, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      call MPIX_Pallreduce_init(send, recv, cut, few, MPI_INTEGER, user_op, MPI_COMM_WORLD, &
         MPI_INFO_NULL, request, ierror)
      call verify(cut, cut, block, ranks, .false., "allreduce, with an operator of Fortran")

      base_recv = base_send
      call MPIX_Pallreduce_init(MPI_IN_PLACE, recv, cut, few, MPI_INTEGER, MPI_SUM, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(cut, cut, block, ranks, .true., "allreduce in place")

      call prepare()
      call MPI_Scan(send, expected, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      call MPIX_Pscan_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
         MPI_INFO_NULL, request, ierror)
      call verify(cut, cut, block, rank + 1, .false., "scan")

      call prepare()
      call MPI_Exscan(send, expected, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      if (rank == 0) expected = -1
      call MPIX_Pexscan_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
         MPI_INFO_NULL, request, ierror)
      call verify(cut, cut, block, rank, .false., "exscan")
   end subroutine reductions

   subroutine scattered_reductions()
      call prepare()
      call MPI_Reduce_scatter_block(send, expected, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
         ierror)
      call MPIX_Preduce_scatter_block_init(send, recv, cut, few, MPI_INTEGER, MPI_SUM, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(ranks * cut, cut, block, ranks, .false., "reduce_scatter_block")

      base_recv = base_send
      call MPIX_Preduce_scatter_block_init(MPI_IN_PLACE, recv, cut, few, MPI_INTEGER, MPI_SUM, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(ranks * cut, cut, block, ranks, .true., "reduce_scatter_block in place")

      call prepare()
      call MPI_Reduce_scatter(send, expected, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
      call MPIX_Preduce_scatter_init(send, recv, parts, per_part, MPI_INTEGER, MPI_SUM, &
         MPI_COMM_WORLD, MPI_INFO_NULL, request, ierror)
      call verify(sum(parts), rank + 1, counts(rank + 1), ranks, .false., "reduce_scatter")
   end subroutine scattered_reductions

end program collectives

! Not inside of the program: the address of an internal procedure needs code on the stack.
subroutine add_up(a, b, n, datatype)
   USE_MPI
   use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
   implicit none
   integer :: n
   T_TYPE :: datatype
#ifdef TEST_F08
   type(c_ptr), value :: a, b
   integer, pointer :: from(:), to(:)

   call c_f_pointer(a, from, [n])
   call c_f_pointer(b, to, [n])
   to = to + from
#else
   integer :: a(n), b(n)

   b = b + a
#endif
   if (datatype /= MPI_INTEGER) error stop 2
end subroutine add_up
