! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Each of the five neighbourhood collectives gives what Open MPI's blocking one gives, from Fortran,
! on each kind of topology.
#include "fortest.h"

program neighbors
   USE_MPI
   USE_MPIX
   implicit none
   integer, parameter :: cut = 2, elements = 3, block = cut * elements, room = 64 * block
   integer(MPI_COUNT_KIND), parameter :: few = elements
   integer, asynchronous, save :: send(room), recv(room)
   integer :: expected(room), rank, ranks, wrong, tests, failed, ierror, i, me
   T_REQUEST :: request
   T_COMM :: cart, graph, spread

   call begin()
   ! A ring, from all three.
   call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., cart, ierror)
   call MPI_Graph_create(MPI_COMM_WORLD, ranks, [(2 * i, i = 1, ranks)], &
      [(modulo(i - 1, ranks), modulo(i + 1, ranks), i = 0, ranks - 1)], .false., graph, ierror)
   ! Each hears from one, and speaks to another.
   call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, ranks)], [1], 1, &
      [modulo(rank + 1, ranks)], [1], MPI_INFO_NULL, .false., spread, ierror)

   call all_of(cart, "cart", 2, 2)
   call all_of(graph, "graph", 2, 2)
   call all_of(spread, "distributed graph", 1, 1)

   call MPI_Comm_free(cart, ierror)
   call MPI_Comm_free(graph, ierror)
   call MPI_Comm_free(spread, ierror)
   call finish()

contains

#include "fortest.inc"

   subroutine verify(marks, arrives, length, text)
      integer, intent(in) :: marks, arrives, length
      character(*), intent(in) :: text
      integer :: epoch

      do epoch = 0, 1
         send = [(1000 * rank + i, i = 1, room)] + 100000 * epoch
         recv = -1
         call iterate(request, marks, arrives)
         call MPI_F_sync_reg(recv)
         call check(all(recv(:length) == expected(:length) + 100000 * epoch), text//": wrong")
         call check(all(recv(length + 1:) == -1), text//": written behind the end")
      end do
      call MPI_Request_free(request, ierror)
      call result(text)
   end subroutine verify

   subroutine all_of(comm, kind_of, sources, destinations)
      T_COMM, intent(in) :: comm
      character(*), intent(in) :: kind_of
      integer, intent(in) :: sources, destinations
      integer :: parts(2), counts(2), places(2)
      integer(MPI_COUNT_KIND) :: per_part(2)
      integer(MPI_ADDRESS_KIND) :: displs(2)
      T_TYPE :: types(2)

      parts = cut
      counts = block
      per_part = few
      places = [0, block]
      displs = places
      types = MPI_INTEGER
      call MPI_Comm_rank(comm, me, ierror)
      call check(me == rank, "another order of ranks")
      send = [(1000 * rank + i, i = 1, room)]

      call MPI_Neighbor_allgather(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, comm, &
         ierror)
      call MPIX_Pneighbor_allgather_init(send, cut, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, &
         comm, MPI_INFO_NULL, request, ierror)
      call verify(cut, sources * cut, sources * block, kind_of//": neighbor_allgather")
      call MPIX_Pneighbor_allgatherv_init(send, cut, few, MPI_INTEGER, recv, parts, per_part, &
         displs, MPI_INTEGER, comm, MPI_INFO_NULL, request, ierror)
      call verify(cut, sources * cut, sources * block, kind_of//": neighbor_allgatherv")

      send = [(1000 * rank + i, i = 1, room)]
      call MPI_Neighbor_alltoall(send, block, MPI_INTEGER, expected, block, MPI_INTEGER, comm, ierror)
      call MPIX_Pneighbor_alltoall_init(send, cut, few, MPI_INTEGER, recv, cut, few, MPI_INTEGER, &
         comm, MPI_INFO_NULL, request, ierror)
      call verify(destinations * cut, sources * cut, sources * block, &
         kind_of//": neighbor_alltoall")
      call MPIX_Pneighbor_alltoallv_init(send, parts, per_part, displs, MPI_INTEGER, recv, parts, &
         per_part, displs, MPI_INTEGER, comm, MPI_INFO_NULL, request, ierror)
      call verify(destinations * cut, sources * cut, sources * block, &
         kind_of//": neighbor_alltoallv")
      call MPIX_Pneighbor_alltoallw_init(send, parts, per_part, 4 * displs, types, recv, parts, &
         per_part, 4 * displs, types, comm, MPI_INFO_NULL, request, ierror)
      call verify(destinations * cut, sources * cut, sources * block, &
         kind_of//": neighbor_alltoallw")
   end subroutine all_of

end program neighbors
