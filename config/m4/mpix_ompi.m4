# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds an installed Open MPI, its version and the flags to compile MPI programs.

m4_define([MPIX_OMPI_HINT],
          [Run config/stack.sh to get one, or name an installation with --with-ompi=DIR.])

# MPIX_OMPI_PATH(NAME, [OMPI_INFO = "$OMPI_INFO"]): what "ompi_info --path NAME" says.
AC_DEFUN([MPIX_OMPI_PATH],
         [`m4_default([$2], ["$OMPI_INFO"]) --path $1 --parsable 2>/dev/null | sed -n 's/^path:$1://p'`])

# MPIX_OMPI_PROGRAMS: MPICC, OMPI_INFO, MPIRUN, all from one folder.
AC_DEFUN([MPIX_OMPI_PROGRAMS], [
    AC_ARG_WITH([ompi],
                [AS_HELP_STRING([--with-ompi=DIR],
                                [Open MPI installation to build for (default: that of MPICC, else
                                 the first 5 or later on PATH that has its internal headers, else
                                 what config/stack.sh built)])],
                [], [with_ompi=yes])
    MPIX_ABSOLUTE([ompi])
    AS_CASE([$with_ompi],
            [no], [AC_MSG_ERROR([--without-ompi: there is nothing to build without Open MPI])],
            [yes], [mpix_cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpix-partitioned
                    # The folder itself: "current" may be another one tomorrow.
                    mpix_current=`readlink -f "$mpix_cache/stack/current"`
                    mpix_ompi_path=$PATH$PATH_SEPARATOR$mpix_current/bin],
            [mpix_ompi_path=$with_ompi/bin])
    # Module systems and EasyBuild export MPICC, often without a folder.
    AS_IF([test "$with_ompi" != yes], [MPICC=])
    AS_CASE([$MPICC], [''|*/*], [], [MPICC=`command -v "$MPICC"`])
    # One that is old, or without internal headers, is only taken, for the message about it, when
    # there is no other.
    mpix_unfit_mpicc=
    mpix_other_mpicc=
    AC_CACHE_CHECK([for Open MPI's mpicc], [ac_cv_path_MPICC],
        [AC_PATH_PROGS_FEATURE_CHECK([MPICC], [mpicc mpicc.openmpi],
            [AS_CASE([`"$ac_path_MPICC" --showme:version 2>/dev/null`],
                     [*'Open MPI '@<:@1234@:>@.*], [: "${mpix_unfit_mpicc:=$ac_path_MPICC}"],
                     [*'Open MPI '*],
                     [mpix_dir=`AS_DIRNAME(["$ac_path_MPICC"])`
                      mpix_dir=MPIX_OMPI_PATH([pkgincludedir], ["$mpix_dir/ompi_info"])
                      AS_IF([test "$with_ompi" != yes || test -r "$mpix_dir/ompi_config.h"],
                            [ac_cv_path_MPICC=$ac_path_MPICC ac_path_MPICC_found=:],
                            [: "${mpix_unfit_mpicc:=$ac_path_MPICC}"])],
                     [mpix_other_mpicc=$ac_path_MPICC])],
            [ac_cv_path_MPICC=${mpix_unfit_mpicc:-no}], [$mpix_ompi_path])])
    AS_IF([test "$ac_cv_path_MPICC" = no],
          [AS_IF([test -n "$mpix_other_mpicc"],
                 [AC_MSG_ERROR([$mpix_other_mpicc is not Open MPI's. MPIX_OMPI_HINT])])
           AS_IF([test "$with_ompi" = yes],
                 [AC_MSG_ERROR([no Open MPI: mpicc is not on PATH. MPIX_OMPI_HINT])],
                 [AC_MSG_ERROR([no Open MPI: there is no mpicc in $with_ompi/bin.])])])
    MPICC=$ac_cv_path_MPICC
    mpix_ompi_bindir=`AS_DIRNAME(["$MPICC"])`
    AS_CASE([$MPICC], [*.openmpi], [mpix_suffix=.openmpi], [mpix_suffix=])
    AC_PATH_PROGS([OMPI_INFO], [ompi_info], [no], [$mpix_ompi_bindir])
    AC_PATH_PROGS([MPIRUN], [mpirun$mpix_suffix mpirun], [no], [$mpix_ompi_bindir])
    AS_IF([test "$OMPI_INFO" = no || test "$MPIRUN" = no],
          [AC_MSG_ERROR([Open MPI in $mpix_ompi_bindir is incomplete: ompi_info or mpirun is missing
beside mpicc (Debian: apt install openmpi-bin).])])
    AC_SUBST([MPICC])
    AC_SUBST([OMPI_BINDIR], [$mpix_ompi_bindir])
])

# MPIX_OMPI_VERSION: OMPI_VERSION and OMPI_MAJOR; refuses what cannot work.
AC_DEFUN([MPIX_OMPI_VERSION], [
    AC_MSG_CHECKING([for the version of Open MPI])
    OMPI_VERSION=`"$MPICC" --showme:version 2>/dev/null | sed -n 's/.*Open MPI \(@<:@^ @:>@*\) .*/\1/p'`
    AC_MSG_RESULT([$OMPI_VERSION])
    OMPI_MAJOR=`AS_ECHO(["$OMPI_VERSION"]) | sed 's/@<:@^0-9@:>@.*//'`
    AS_IF([test -z "$OMPI_MAJOR"], [AC_MSG_ERROR([$MPICC does not tell its version.])])
    AS_IF([test "$OMPI_MAJOR" -lt 5],
          [AC_MSG_ERROR([Open MPI $OMPI_VERSION ($MPICC) is too old: partitioned communication needs
Open MPI 5 or later. MPIX_OMPI_HINT])])
    AS_IF([test "$OMPI_MAJOR" -gt 6],
          [AC_MSG_WARN([Open MPI $OMPI_VERSION is newer than the versions this was tried with (5, 6).])])
    mpix_info_version=`"$OMPI_INFO" --parsable 2>/dev/null | sed -n 's/^ompi:version:full://p'`
    AS_IF([test "$mpix_info_version" != "$OMPI_VERSION"],
          [AC_MSG_ERROR([$MPICC belongs to Open MPI $OMPI_VERSION, $OMPI_INFO to "$mpix_info_version":
two installations are mixed. Name the one to use with --with-ompi=DIR.])])
    AC_SUBST([OMPI_VERSION])
    AC_DEFINE_UNQUOTED([MPIX_BUILT_OMPI_VERSION], ["$OMPI_VERSION"],
                       [Version of the Open MPI that this is built for])
])

# MPIX_OMPI_DLOPEN: refuse an Open MPI that cannot load components.
AC_DEFUN([MPIX_OMPI_DLOPEN], [
    AC_MSG_CHECKING([whether Open MPI loads components at run time])
    mpix_dlopen=`"$OMPI_INFO" --parsable 2>/dev/null | sed -n 's/^option:dlopen://p'`
    AC_MSG_RESULT([$mpix_dlopen])
    AS_IF([test "$mpix_dlopen" != yes],
          [AC_MSG_ERROR([Open MPI $OMPI_VERSION ($MPICC) was built without dlopen support, so it cannot
load a component from outside. Use one that was configured without --disable-dlopen.])])
])

# MPIX_CHECK_OMPI: all of the above; MPI_CPPFLAGS and MPI_LIBS compile and link MPI programs.
AC_DEFUN([MPIX_CHECK_OMPI], [
    MPIX_OMPI_PROGRAMS
    MPIX_OMPI_VERSION
    MPIX_OMPI_DLOPEN
    OMPI_LIBDIR=MPIX_OMPI_PATH([libdir])
    OMPI_PKGLIBDIR=MPIX_OMPI_PATH([pkglibdir])
    OMPI_PKGINCLUDEDIR=MPIX_OMPI_PATH([pkgincludedir])
    MPI_CPPFLAGS=`"$MPICC" --showme:compile`
    MPI_LIBS=`"$MPICC" --showme:link`
    AC_SUBST([OMPI_LIBDIR])
    AC_SUBST([OMPI_PKGLIBDIR])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
])
