# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the internal headers and libraries of Open MPI that a component is built from, and makes
# sure that they describe the library that is installed.

# What our sources include. The order of the classes is that of the report on a mismatch.
m4_define([MPIX_INTERNALS_PROLOGUE], [[
#include "ompi_config.h"
#include <stdio.h>
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/part/base/base.h"
#include "ompi/mca/part/part.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/threads.h"
#include "opal/mca/threads/tsd.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/show_help.h"
]])

m4_define([MPIX_LAYOUT_MAIN], [[
    struct { const char *name; unsigned long ours, theirs; } classes[] = {
        {"ompi_request_t", sizeof(ompi_request_t), ompi_request_t_class.cls_sizeof},
        {"ompi_communicator_t", sizeof(ompi_communicator_t), ompi_communicator_t_class.cls_sizeof},
        {"ompi_group_t", sizeof(ompi_group_t), ompi_group_t_class.cls_sizeof},
        {"ompi_datatype_t", sizeof(ompi_datatype_t), ompi_datatype_t_class.cls_sizeof},
        {"ompi_op_t", sizeof(ompi_op_t), ompi_op_t_class.cls_sizeof},
        {"ompi_proc_t", sizeof(ompi_proc_t), ompi_proc_t_class.cls_sizeof},
        {"opal_convertor_t", sizeof(opal_convertor_t), opal_convertor_t_class.cls_sizeof},
        {"opal_mutex_t", sizeof(opal_mutex_t), opal_mutex_t_class.cls_sizeof},
    };
    FILE *report = fopen("conftest.layout", "w");
    int differ = 0;
    if (NULL == report || NULL == PMIx_Get_version()) {
        return 2;
    }
    for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (classes[i].ours != classes[i].theirs) {
            fprintf(report, "%s: %lu bytes by the headers, %lu in the library\n", classes[i].name,
                    classes[i].ours, classes[i].theirs);
            differ = 1;
        }
    }
    fclose(report);
    return differ;
]])

# MPIX_OMPI_SOURCE: --with-ompi-source=DIR, exactly the installed version; sets mpix_source_flags.
AC_DEFUN([MPIX_OMPI_SOURCE], [
    AC_ARG_WITH([ompi-source],
                [AS_HELP_STRING([--with-ompi-source=DIR],
                                [source tree of exactly the installed Open MPI, for headers that the
                                 installation lacks (default: our own stand-ins)])],
                [], [with_ompi_source=no])
    MPIX_ABSOLUTE([ompi_source])
    mpix_source_flags=
    AS_CASE([$with_ompi_source],
            [no], [],
            [yes], [AC_MSG_ERROR([--with-ompi-source needs a folder])],
            [AC_MSG_CHECKING([for the version of the Open MPI source tree])
             AS_IF([test ! -r "$with_ompi_source/VERSION" || test ! -d "$with_ompi_source/opal/mca/threads"],
                   [AC_MSG_RESULT([none])
                    AC_MSG_ERROR([$with_ompi_source is no Open MPI source tree.])])
             mpix_source_version=`. "$with_ompi_source/VERSION" >/dev/null 2>&1
                                  AS_ECHO(["$major.$minor.$release$greek"])`
             AC_MSG_RESULT([$mpix_source_version])
             AS_IF([test "$mpix_source_version" != "$OMPI_VERSION"],
                   [AC_MSG_ERROR([$with_ompi_source holds Open MPI $mpix_source_version, installed is
$OMPI_VERSION ($MPICC). Headers of another version would corrupt memory; give the source of
exactly the installed version, or leave --with-ompi-source out.])])
             mpix_source_flags="-isystem $with_ompi_source"])
])

# MPIX_TRY_INTERNALS(FLAGS, [IF-OK], [IF-NOT]): compile everything we include. The first error of
# the compiler is in mpix_first_error when that fails.
AC_DEFUN([MPIX_TRY_INTERNALS], [
    mpix_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([MPIX_INTERNALS_PROLOGUE], [])],
                      [mpix_first_error=],
                      [mpix_first_error=`sed -n 's/.*error: *//p' conftest.err | sed 1q`
                       AS_IF([test -z "$mpix_first_error"], [mpix_first_error="see config.log"])])
    CPPFLAGS=$mpix_save_CPPFLAGS
    AS_IF([test -z "$mpix_first_error"], [$2], [$3])
])

# MPIX_INTERNAL_FLAGS: mpix_internal_flags and mpix_missing_headers (what stands in for headers that
# are not installed).
AC_DEFUN([MPIX_INTERNAL_FLAGS], [
    # System headers, so that -Wall -Wextra stays about our own code.
    mpix_internal_flags=
    for mpix_flag in $MPI_CPPFLAGS "-I$OMPI_PKGINCLUDEDIR"; do
        mpix_dir=`AS_ECHO(["$mpix_flag"]) | sed -n 's/^-I//p'`
        AS_CASE([" $mpix_internal_flags /usr/include "],
                [*" $mpix_dir "*], [],
                [AS_IF([test -n "$mpix_dir"],
                       [mpix_internal_flags="$mpix_internal_flags -isystem $mpix_dir"],
                       [mpix_internal_flags="$mpix_internal_flags $mpix_flag"])])
    done
    mpix_internal_flags="$mpix_internal_flags `AS_ECHO(["$PMIX_CFLAGS"]) | sed 's/-I/-isystem /g'`"
    AC_MSG_CHECKING([for Open MPI's internal headers])
    AS_IF([test ! -r "$OMPI_PKGINCLUDEDIR/ompi_config.h"],
          [AC_MSG_RESULT([missing])
           AC_MSG_ERROR([Open MPI $OMPI_VERSION ($MPICC) came without its internal headers: there is no
$OMPI_PKGINCLUDEDIR/ompi_config.h. It must be configured with
--with-devel-headers (Debian: the package libopenmpi-dev has them). MPIX_OMPI_HINT])])
    mpix_missing_headers=nothing
    MPIX_TRY_INTERNALS([$mpix_internal_flags], [],
        [AS_IF([test -n "$mpix_source_flags"],
               [mpix_missing_headers="the source tree"
                mpix_internal_flags="$mpix_internal_flags $mpix_source_flags"],
               [mpix_missing_headers="our own stand-ins"
                mpix_internal_flags="$mpix_internal_flags -isystem \$(top_srcdir)/config/compat"])])
    MPIX_TRY_INTERNALS([`AS_ECHO(["$mpix_internal_flags"]) | sed "s,.(top_srcdir),$srcdir,"`],
        [AC_MSG_RESULT([found; $mpix_missing_headers for what is not installed])],
        [AC_MSG_RESULT([incomplete])
                 AC_MSG_ERROR([Open MPI's internal headers cannot be compiled: $mpix_first_error
Give the source tree of Open MPI $OMPI_VERSION with --with-ompi-source=DIR (config.log has the details).])])
])

# MPIX_WITH_INTERNALS(BODY): BODY with the internal headers in CPPFLAGS; restores CPPFLAGS and LIBS.
AC_DEFUN([MPIX_WITH_INTERNALS], [
    mpix_save_CPPFLAGS=$CPPFLAGS
    mpix_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS `AS_ECHO(["$mpix_internal_flags"]) | sed "s,.(top_srcdir),$srcdir,"`"
    $1
    CPPFLAGS=$mpix_save_CPPFLAGS
    LIBS=$mpix_save_LIBS
])

# MPIX_INTERNAL_LIBS: mpix_internal_libs, what defines the internal symbols. Open MPI 6 moved them
# from libmpi to libopen_mpi. mpix_library_libs: those of them that libmpix_partitioned uses.
AC_DEFUN([MPIX_INTERNAL_LIBS], [
    AC_MSG_CHECKING([for the libraries with Open MPI's internals])
    mpix_internal_libs=no
    MPIX_WITH_INTERNALS([
        for mpix_libs in "-lopen-pal" "-lopen_mpi -lopen-pal"; do
            LIBS="$MPI_LIBS $mpix_libs $PMIX_LIBS $mpix_save_LIBS"
            AC_LINK_IFELSE([AC_LANG_PROGRAM([MPIX_INTERNALS_PROLOGUE], [MPIX_LAYOUT_MAIN])],
                           [mpix_internal_libs="$MPI_LIBS $mpix_libs $PMIX_LIBS"
                            mpix_library_libs="$MPI_LIBS ${mpix_libs%-lopen-pal}"
                            break])
        done])
    AC_MSG_RESULT([$mpix_internal_libs])
    AS_IF([test "$mpix_internal_libs" = no],
          [AC_MSG_ERROR([programs cannot be linked with Open MPI's internal libraries (config.log has
the details).])])
])

# MPIX_INTERNAL_LAYOUT: a header that does not describe the library corrupts memory in silence.
# Every class of Open MPI knows its size; compare it with what the headers make of it.
AC_DEFUN([MPIX_INTERNAL_LAYOUT], [
    AC_MSG_CHECKING([whether the internal headers describe the library])
    rm -f conftest.layout
    mpix_save_library_path=$LD_LIBRARY_PATH
    # The wrapper compilers of some builds of Open MPI leave no rpath.
    LD_LIBRARY_PATH=$OMPI_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    MPIX_WITH_INTERNALS([
        LIBS="$mpix_internal_libs $mpix_save_LIBS"
        AC_RUN_IFELSE([AC_LANG_PROGRAM([MPIX_INTERNALS_PROLOGUE], [MPIX_LAYOUT_MAIN])],
            [mpix_layout=yes],
            [mpix_layout=no
             mpix_layout_report=`cat conftest.layout 2>/dev/null`],
            [mpix_layout="not checked, cross compiling"])])
    LD_LIBRARY_PATH=$mpix_save_library_path
    rm -f conftest.layout
    AC_MSG_RESULT([$mpix_layout])
    AS_IF([test "$mpix_layout" = no && test -z "$mpix_layout_report"],
          [AC_MSG_ERROR([a program linked with Open MPI $OMPI_VERSION does not run (config.log has the
details).])])
    AS_IF([test "$mpix_layout" = no],
          [AC_MSG_ERROR([the internal headers do not describe the installed Open MPI $OMPI_VERSION:
$mpix_layout_report
They are of another version or of a build with other options (debugging, for one). Use the headers
that were installed with the library.])])
])

# MPIX_CHECK_PMIX: PMIX_CFLAGS and PMIX_LIBS of the PMIx that Open MPI uses: its own copy when it
# was installed with it, else the system's.
AC_DEFUN([MPIX_CHECK_PMIX], [
    AC_MSG_CHECKING([for Open MPI's own PMIx])
    mpix_ompi_incdir=MPIX_OMPI_PATH([incdir])
    AS_IF([test -r "$mpix_ompi_incdir/pmix.h" && test -e "$OMPI_LIBDIR/libpmix.so"],
          [AC_MSG_RESULT([yes])
           PMIX_CFLAGS=
           PMIX_LIBS=-lpmix],
          [AC_MSG_RESULT([no])
           PKG_CHECK_MODULES([PMIX], [pmix], [],
               [AC_MSG_ERROR([Open MPI's internal headers need those of PMIx, which are not there.
Debian: apt install libpmix-dev])])])
])

# MPIX_CHECK_OMPI_INTERNALS: all of it.
AC_DEFUN([MPIX_CHECK_OMPI_INTERNALS], [
    MPIX_OMPI_SOURCE
    MPIX_CHECK_PMIX
    MPIX_INTERNAL_FLAGS
    MPIX_INTERNAL_LIBS
    MPIX_INTERNAL_LAYOUT
])
