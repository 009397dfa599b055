! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Reductions: the gradients of a network of layers are summed over all ranks. They are calculated
! from the last layer to the first; while those of one layer are summed, those of the next are
! calculated, and each layer is updated as soon as its sum is there. Threads mark, and threads ask.
! docs/fortran.md quotes this program.
!
!     mpifort -fopenmp reductions_f08.f90 $(pkg-config --cflags --libs mpix_partitioned_fortran)
!     mpirun -n 4 --mca part ucx ./a.out
program reductions
   use mpi_f08
   use mpix_partitioned_f08
   implicit none
   integer, parameter :: layers = 8, steps = 5
   integer(MPI_COUNT_KIND), parameter :: weights = 20000
   ! A request reads and writes it while other statements run: asynchronous.
   real, asynchronous, allocatable :: gradients(:, :)
   integer :: provided, rank, ranks, step, layer, wrong
   type(MPI_Request) :: request

   call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
   if (provided < MPI_THREAD_MULTIPLE) call MPI_Abort(MPI_COMM_WORLD, 1)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   allocate (gradients(weights, layers))
   wrong = 0

   ! In place: partition i is column i + 1, this rank's contribution until it is marked, and the sum
   ! when it has arrived.
   call MPIX_Pallreduce_init(MPI_IN_PLACE, gradients, layers, weights, MPI_REAL, MPI_SUM, &
      MPI_COMM_WORLD, MPI_INFO_NULL, request)
   do step = 1, steps
      call MPI_Start(request)
      !$omp parallel reduction(+:wrong)
      !$omp do schedule(dynamic)
      do layer = layers, 1, -1
         call calculate(gradients(:, layer), layer)
         call MPI_Pready(layer - 1, request)
      end do
      !$omp end do nowait
      !$omp do schedule(dynamic)
      do layer = layers, 1, -1
         call await(layer - 1)
         wrong = wrong + count_wrong(gradients(:, layer), layer)
      end do
      !$omp end do
      !$omp end parallel
      call MPI_Wait(request, MPI_STATUS_IGNORE)
   end do
   call MPI_Request_free(request)

   print '(a, i0, a, i0, a)', "rank ", rank, ": ", wrong, " wrong sums"
   call MPI_Finalize()
   if (wrong > 0) error stop 1

contains

   ! Whole numbers: their sum is exact in any order.
   pure real function gradient(of_rank, layer, weight)
      integer, intent(in) :: of_rank, layer, weight

      gradient = real(mod(of_rank + step + layer + weight, 97))
   end function gradient

   subroutine calculate(of_layer, layer)
      real, intent(out) :: of_layer(:)
      integer, intent(in) :: layer
      integer :: i

      of_layer = [(gradient(rank, layer, i), i = 1, size(of_layer))]
   end subroutine calculate

   subroutine await(partition)
      use, intrinsic :: iso_c_binding, only: c_int
      interface
         integer(c_int) function sched_yield() bind(C)
            import :: c_int
         end function sched_yield
      end interface
      integer, intent(in) :: partition
      logical :: arrived
      integer :: ignored

      do
         call MPI_Parrived(request, partition, arrived)
         if (arrived) exit
         ignored = sched_yield()
      end do
   end subroutine await

   integer function count_wrong(total, layer)
      real, intent(in) :: total(:)
      integer, intent(in) :: layer
      integer :: i, r

      count_wrong = 0
      do i = 1, size(total)
         if (total(i) /= sum([(gradient(r, layer, i), r = 0, ranks - 1)])) &
            count_wrong = count_wrong + 1
      end do
   end function count_wrong

end program reductions
