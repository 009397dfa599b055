# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Fortran modules: where Open MPI has Fortran, with the compiler that it was built for.

# A Fortran program that hands a section of an array to C, and C that looks at its description. It
# shows that the C compiler's header describes what this Fortran compiler makes.
m4_define([MPIX_FORTRAN_C_HALF], [[
#include <ISO_Fortran_binding.h>
#include <stddef.h>
int mpix_section(const CFI_cdesc_t *a, const int *absent)
{
    return NULL == absent && 2 == a->rank && 4 == a->elem_len && 3 == a->dim[0].extent
           && 8 == a->dim[0].sm && 2 == a->dim[1].extent && 24 == a->dim[1].sm;
}
]])

m4_define([MPIX_FORTRAN_HALF], [[
program section
   use mpi_f08, only: MPI_Comm, MPI_COMM_WORLD, MPI_IN_PLACE
   use mpi, only: MPI_COUNT_KIND
   use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
   implicit none
   interface
      integer(c_int) function look(a, absent) bind(C, name="mpix_section")
         import :: c_int
         type(*), dimension(..), intent(in), asynchronous :: a
         integer, optional, intent(in) :: absent
      end function look
   end interface
   real :: a(6, 2)
   integer(MPI_COUNT_KIND) :: count
   integer(c_int64_t) :: long
   if (kind(count) /= kind(long) .or. kind(1) /= c_int) stop 2
   if (look(a(1:5:2, :)) /= 1) stop 3
end program section
]])

# MPIX_FORTRAN_PROGRAMS: before AC_PROG_FC. MPIFORT beside mpicc, FC as it says unless the user has
# set it, MPI_FCFLAGS and MPI_FCLIBS. FC=no where there is none.
AC_DEFUN([MPIX_FORTRAN_PROGRAMS], [
    AC_ARG_ENABLE([fortran],
                  [AS_HELP_STRING([--enable-fortran],
                                  [fail without the Fortran modules; --disable-fortran leaves them
                                   out (default: they are built where Open MPI has Fortran)])],
                  [], [enable_fortran=auto])
    mpix_fc=
    AC_PATH_PROGS([MPIFORT], [mpifort$mpix_suffix mpifort], [no], [$OMPI_BINDIR])
    AS_IF([test "$MPIFORT" != no && test "$enable_fortran" != no],
          [mpix_fc=`"$MPIFORT" --showme:command 2>/dev/null`
           MPI_FCFLAGS=`"$MPIFORT" --showme:compile 2>/dev/null`
           MPI_FCLIBS=`"$MPIFORT" --showme:link 2>/dev/null`])
    AS_IF([test -n "$mpix_fc"], [test -n "$FC" || FC=$mpix_fc], [FC=no])
])

# MPIX_FORTRAN_RUNS: sets mpix_fortran to yes, or to what is missing.
AC_DEFUN([MPIX_FORTRAN_RUNS], [
    AC_MSG_CHECKING([whether $FC has Open MPI's modules and describes arrays as $CC does])
    cat >conftest.c <<'END'
MPIX_FORTRAN_C_HALF
END
    cat >conftestf.f90 <<'END'
MPIX_FORTRAN_HALF
END
    AS_IF([! $CC $CFLAGS -c conftest.c -o conftestc.o >&AS_MESSAGE_LOG_FD 2>&1],
          [mpix_fortran="no: $CC has no ISO_Fortran_binding.h"],
          [! $FC $FCFLAGS $MPI_FCFLAGS conftestf.f90 conftestc.o -o conftest$EXEEXT \
               $MPI_FCLIBS >&AS_MESSAGE_LOG_FD 2>&1],
          [mpix_fortran="no: $FC cannot compile with Open MPI's modules mpi and mpi_f08"],
          [! env LD_LIBRARY_PATH="$OMPI_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
               ./conftest$EXEEXT >&AS_MESSAGE_LOG_FD 2>&1],
          [mpix_fortran="no: $FC and $CC do not describe arrays alike"],
          [mpix_fortran=yes])
    rm -f conftest.c conftestf.f90 conftestc.o conftest$EXEEXT
    AC_MSG_RESULT([$mpix_fortran])
])

# MPIX_CHECK_FORTRAN: after AC_PROG_FC. HAVE_FORTRAN, and mpix_fortran for the summary.
AC_DEFUN([MPIX_CHECK_FORTRAN], [
    AC_ARG_WITH([fortran-moddir],
                [AS_HELP_STRING([--with-fortran-moddir=DIR],
                                [where the compiled Fortran modules go
                                 (default: LIBDIR/mpix-partitioned/fortran)])],
                [MPIX_FORTRAN_MODDIR=$withval],
                [MPIX_FORTRAN_MODDIR='${libdir}/mpix-partitioned/fortran'])
    AS_IF([test "$enable_fortran" = no], [mpix_fortran="left out (--disable-fortran)"],
          [test -z "$mpix_fc"], [mpix_fortran="no: this Open MPI was built without Fortran"],
          [! command -v $FC >/dev/null], [mpix_fortran="no: $FC, the compiler of this Open MPI, is missing"],
          [MPIX_FORTRAN_RUNS])
    AS_IF([test "$enable_fortran" = yes && test "$mpix_fortran" != yes],
          [AC_MSG_ERROR([--enable-fortran: $mpix_fortran])])
    AC_LANG_PUSH([Fortran])
    AS_IF([test "$mpix_fortran" = yes], [AC_OPENMP])
    AC_LANG_POP([Fortran])
    AM_CONDITIONAL([HAVE_FORTRAN], [test "$mpix_fortran" = yes])
    AS_IF([test "$mpix_fortran" = yes],
          [mpix_fortran="$FC, modules mpix_partitioned_f08 and mpix_partitioned"],
          [MPIX_FORTRAN_MODDIR=])
    dnl For config.log, where test/run.sh reads it.
    AC_SUBST([mpix_fortran])
    AM_SUBST_NOTMAKE([mpix_fortran])
    AC_SUBST([MPI_FCFLAGS])
    AC_SUBST([MPI_FCLIBS])
    AC_SUBST([MPIX_FORTRAN_MODDIR])
])
