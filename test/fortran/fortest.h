! Copyright (c) 2026 The mpix-partitioned authors
! SPDX-License-Identifier: BSD-3-Clause
!
! Which module a test uses: the same source is compiled for both.
#ifdef TEST_F08
#define USE_MPI use mpi_f08
#define USE_MPIX use mpix_partitioned_f08
#define T_COMM type(MPI_Comm)
#define T_TYPE type(MPI_Datatype)
#define T_OP type(MPI_Op)
#define T_INFO type(MPI_Info)
#define T_REQUEST type(MPI_Request)
#define T_STATUS type(MPI_Status)
#define T_ERRHANDLER type(MPI_Errhandler)
#else
#define USE_MPI use mpi
#define USE_MPIX use mpix_partitioned
#define T_COMM integer
#define T_TYPE integer
#define T_OP integer
#define T_INFO integer
#define T_REQUEST integer
#define T_ERRHANDLER integer
#endif
