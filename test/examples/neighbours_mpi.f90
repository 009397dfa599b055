! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Neighbours: a field that is spread over a ring of ranks, each with a margin of one column and one
! row around its own part; with the older module mpi. Columns are contiguous in Fortran, rows are
! not: a section like field(1, :) is not handed over, its first element and a datatype are. Each side
! is a block of its own. docs/fortran.md quotes this program.
!
!     mpifort neighbours_mpi.f90 $(pkg-config --cflags --libs mpix_partitioned_fortran)
!     mpirun -n 4 --mca part ucx ./a.out
program neighbours
   use mpi
   use mpix_partitioned
   implicit none
   integer, parameter :: n = 32, steps = 3
   double precision, asynchronous, save :: field(0:n + 1, 0:n + 1)
   integer :: ierror, rank, ranks, grid, row, column, request, step, wrong, side
   integer :: shape(2), places(2), sources(4), types(4), partitions(4)
   integer(MPI_COUNT_KIND) :: counts(4)
   integer(MPI_ADDRESS_KIND) :: sends(4), receives(4)
   ! Volatile: module mpi of Open MPI 5.0.7 says that MPI_Parrived only reads it.
   logical, volatile :: arrived

   call MPI_Init(ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   shape = 0
   call MPI_Dims_create(ranks, 2, shape, ierror)
   call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.true., .true.], .false., grid, ierror)
   call MPI_Comm_rank(grid, rank, ierror)
   call MPI_Cart_coords(grid, rank, 2, places, ierror)
   call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, row, ierror)
   call MPI_Type_commit(row, ierror)
   call MPI_Type_contiguous(n, MPI_DOUBLE_PRECISION, column, ierror)
   call MPI_Type_commit(column, ierror)
   call MPI_Cart_shift(grid, 0, 1, sources(1), sources(2), ierror)
   call MPI_Cart_shift(grid, 1, 1, sources(3), sources(4), ierror)

   ! The order of blocks: in each dimension the neighbour before, then the one behind.
   types = [row, row, column, column]
   partitions = 1
   counts = 1
   sends = [at(1, 1), at(n, 1), at(1, 1), at(1, n)]
   receives = [at(0, 1), at(n + 1, 1), at(1, 0), at(1, n + 1)]
   call MPIX_Pneighbor_alltoallw_init(field, partitions, counts, sends, types, field, partitions, &
      counts, receives, types, grid, MPI_INFO_NULL, request, ierror)
   wrong = 0
   do step = 1, steps
      call MPI_Start(request, ierror)
      field(1:n, 1:n) = value_of(rank)
      do side = 0, 3
         call MPI_Pready(side, request, ierror)
      end do
      do side = 0, 3
         arrived = .false.
         do while (.not. arrived)
            call MPI_Parrived(request, side, arrived, ierror)
         end do
         call MPI_F_sync_reg(field)
         if (any(margin(side) /= value_of(sources(side + 1)))) wrong = wrong + 1
      end do
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
   end do
   call MPI_Request_free(request, ierror)

   print '(a, i0, a, i0, a)', "rank ", rank, ": ", wrong, " wrong margins"
   call MPI_Finalize(ierror)
   if (wrong > 0) error stop 1

contains

   ! Where an element lies, in bytes from the beginning.
   integer(MPI_ADDRESS_KIND) function at(i, j)
      integer, intent(in) :: i, j

      at = (i + j * (n + 2)) * (storage_size(field) / 8)
   end function at

   double precision function value_of(of_rank)
      integer, intent(in) :: of_rank

      value_of = 100 * step + of_rank
   end function value_of

   function margin(side)
      integer, intent(in) :: side
      double precision :: margin(n)

      select case (side)
      case (0)
         margin = field(0, 1:n)
      case (1)
         margin = field(n + 1, 1:n)
      case (2)
         margin = field(1:n, 0)
      case default
         margin = field(1:n, n + 1)
      end select
   end function margin

end program neighbours
