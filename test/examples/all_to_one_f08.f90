! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! All to one: every rank draws a part of a picture, line by line; threads of the root take lines as
! they come, each line by one of them. docs/fortran.md quotes this program.
!
!     mpifort -fopenmp all_to_one_f08.f90 $(pkg-config --cflags --libs mpix_partitioned_fortran)
!     mpirun -n 4 --mca part ucx ./a.out
program all_to_one
   use mpi_f08
   use mpix_partitioned_f08
   implicit none
   integer, parameter :: lines = 48, root = 0
   integer(MPI_COUNT_KIND), parameter :: width = 640
   integer, asynchronous, allocatable :: part(:, :), picture(:, :)
   integer :: provided, rank, ranks, line, wrong
   type(MPI_Request) :: request

   call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
   if (provided < MPI_THREAD_MULTIPLE) call MPI_Abort(MPI_COMM_WORLD, 1)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   allocate (part(width, 0:lines - 1))
   allocate (picture(width, 0:merge(ranks * lines, 1, rank == root) - 1))
   wrong = 0

   ! At the root, partition r * lines + i is line i of rank r.
   call MPIX_Pgather_init(part, lines, width, MPI_INTEGER, picture, lines, width, MPI_INTEGER, root, &
      MPI_COMM_WORLD, MPI_INFO_NULL, request)
   call MPI_Start(request)
   !$omp parallel reduction(+:wrong)
   !$omp do schedule(dynamic)
   do line = 0, lines - 1
      call draw(part(:, line), rank * lines + line)
      call MPI_Pready(line, request)
   end do
   !$omp end do nowait
   if (rank == root) wrong = wrong + take_lines()
   !$omp end parallel
   call MPI_Wait(request, MPI_STATUS_IGNORE)
   call MPI_Request_free(request)

   print '(a, i0, a, i0, a)', "rank ", rank, ": ", wrong, " wrong lines"
   call MPI_Finalize()
   if (wrong > 0) error stop 1

contains

   subroutine draw(of_line, number)
      integer, intent(out) :: of_line(:)
      integer, intent(in) :: number
      integer :: i

      of_line = [(1000 * number + i, i = 1, size(of_line))]
   end subroutine draw

   ! Any number of threads may do this at the same time: each line is given to one of them.
   integer function take_lines()
      integer :: number, expected(width)
      logical :: flag

      take_lines = 0
      do
         call MPIX_Parrived_any(request, number, flag)
         if (flag .and. number == MPI_UNDEFINED) exit ! all lines have been given to somebody
         if (.not. flag) cycle
         call draw(expected, number)
         if (any(picture(:, number) /= expected)) take_lines = take_lines + 1
      end do
   end function take_lines

end program all_to_one
