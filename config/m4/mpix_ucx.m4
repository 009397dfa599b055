# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds UCX, its version, and makes sure that Open MPI uses the same one.

m4_define([MPIX_UCX_HINT],
          [Debian: apt install libucx-dev; or name an installation with --with-ucx=DIR.])

m4_define([MPIX_UCX_MAIN], [[
    unsigned major, minor, patch;
    FILE *report = fopen("conftest.ucx", "w");
    ucp_get_version(&major, &minor, &patch);
    if (NULL == report) {
        return 1;
    }
    fprintf(report, "%u.%u.%u %u.%u\n", major, minor, patch, UCP_API_MAJOR, UCP_API_MINOR);
    fclose(report);
    return 0;
]])

# MPIX_LIBUCP_OF(FILE): the libucp that the dynamic linker gives FILE.
AC_DEFUN([MPIX_LIBUCP_OF], [`ldd $1 2>/dev/null | sed -n 's/.*libucp\.so.* => \(@<:@^ @:>@*\).*/\1/p' | sed 1q`])

# MPIX_OMPI_LIBUCP: mpix_ompi_libucp, the libucp that Open MPI loads, if it does.
AC_DEFUN([MPIX_OMPI_LIBUCP], [
    mpix_ompi_libucp=
    for mpix_file in "$OMPI_LIBDIR"/libmpi.so "$OMPI_LIBDIR"/libopen-pal.so \
                     "$OMPI_PKGLIBDIR"/mca_*ucx*.so; do
        test -n "$mpix_ompi_libucp" || mpix_ompi_libucp=MPIX_LIBUCP_OF(["$mpix_file"])
    done
    # A UCX outside of the system's folders that has its headers beside it.
    mpix_ompi_ucx=`AS_ECHO(["$mpix_ompi_libucp"]) | sed -n 's,/lib\(64\)\{0\,1\}/libucp.*,,p'`
    AS_IF([test "$with_ucx" = yes && test -r "$mpix_ompi_ucx/include/ucp/api/ucp.h" &&
           test "$mpix_ompi_ucx" != /usr],
          [with_ucx=$mpix_ompi_ucx])
])

# MPIX_UCX_FLAGS: UCX_CPPFLAGS, UCX_LDFLAGS, UCX_LIBS and UCX_LIBDIR from --with-ucx or pkg-config.
AC_DEFUN([MPIX_UCX_FLAGS], [
    AC_ARG_WITH([ucx],
                [AS_HELP_STRING([--with-ucx=DIR],
                                [UCX installation to build for (default: the one Open MPI was built
                                 for)])],
                [], [with_ucx=yes])
    MPIX_ABSOLUTE([ucx])
    MPIX_OMPI_LIBUCP
    UCX_LIBS="-lucp -luct -lucs -lucm"
    UCX_LIBDIR=
    AS_CASE([$with_ucx],
        [no], [AC_MSG_ERROR([--without-ucx: there is nothing to build without UCX])],
        [yes], [PKG_CHECK_EXISTS([ucx],
                   [UCX_CPPFLAGS=`$PKG_CONFIG --cflags ucx`
                    UCX_LDFLAGS=`$PKG_CONFIG --libs-only-L ucx`
                    UCX_LIBDIR=`$PKG_CONFIG --variable=libdir ucx`
                    AS_CASE([$UCX_LIBDIR],
                            [MPIX_LINKER_FOLDERS|''], [UCX_LIBDIR=],
                            [UCX_LDFLAGS="$UCX_LDFLAGS -Wl,-rpath,$UCX_LIBDIR"])],
                   [UCX_CPPFLAGS=
                    UCX_LDFLAGS=])],
        [AS_IF([test ! -r "$with_ucx/include/ucp/api/ucp.h"],
               [AC_MSG_ERROR([no UCX: there is no include/ucp/api/ucp.h in $with_ucx.])])
         UCX_LIBDIR=$with_ucx/lib
         AS_IF([test -e "$with_ucx/lib64/libucp.so"], [UCX_LIBDIR=$with_ucx/lib64])
         UCX_CPPFLAGS="-isystem $with_ucx/include"
         UCX_LDFLAGS="-L$UCX_LIBDIR -Wl,-rpath,$UCX_LIBDIR"])
    AC_SUBST([UCX_CPPFLAGS])
    AC_SUBST([UCX_LDFLAGS])
    AC_SUBST([UCX_LIBS])
    AC_SUBST([UCX_LIBDIR])
])

# MPIX_UCX_VERSION: UCX_VERSION (of the library) and UCX_API (of the headers); they must agree.
AC_DEFUN([MPIX_UCX_VERSION], [
    AC_MSG_CHECKING([for the version of UCX])
    rm -f conftest.ucx
    AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <ucp/api/ucp.h>
#include <ucp/api/ucp_version.h>]], [MPIX_UCX_MAIN])],
        [UCX_VERSION=`sed 's/ .*//' conftest.ucx`
         UCX_API=`sed 's/.* //' conftest.ucx`],
        [UCX_VERSION=none],
        [AC_COMPUTE_INT([mpix_ucx_major], [UCP_API_MAJOR], [[#include <ucp/api/ucp_version.h>]])
         AC_COMPUTE_INT([mpix_ucx_minor], [UCP_API_MINOR], [[#include <ucp/api/ucp_version.h>]])
         UCX_API=$mpix_ucx_major.$mpix_ucx_minor
         UCX_VERSION=$UCX_API.0])
    rm -f conftest.ucx
    AC_MSG_RESULT([$UCX_VERSION])
    AS_IF([test "$UCX_VERSION" = none],
          [AC_MSG_ERROR([no UCX: a program with ucp/api/ucp.h and -lucp cannot be built and run
(config.log has the details). MPIX_UCX_HINT])])
    AS_CASE([$UCX_VERSION],
            [$UCX_API.*], [],
            [AC_MSG_ERROR([the headers of UCX are version $UCX_API, its library is $UCX_VERSION: two
installations are mixed. Name the one to use with --with-ucx=DIR.])])
    AS_VERSION_COMPARE([$UCX_VERSION], [1.13],
          [AC_MSG_ERROR([UCX $UCX_VERSION is too old: 1.13 or later is needed. MPIX_UCX_HINT])])
    AC_SUBST([UCX_VERSION])
    AC_DEFINE_UNQUOTED([MPIX_BUILT_UCX_VERSION], ["$UCX_VERSION"],
                       [Version of the UCX that this is built for])
])

# MPIX_UCX_SAME_AS_OMPI: two versions of UCX in one process do not work: whichever library is loaded
# first serves both, and Open MPI is first.
AC_DEFUN([MPIX_UCX_SAME_AS_OMPI], [
    AC_MSG_CHECKING([whether Open MPI uses the same UCX])
    mpix_our_libucp=
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <ucp/api/ucp.h>]],
                                    [[return NULL == ucp_get_version_string();]])],
                   [mpix_our_libucp=MPIX_LIBUCP_OF([./conftest$EXEEXT])])
    AS_IF([test -z "$mpix_ompi_libucp" || test -z "$mpix_our_libucp"],
              [mpix_same_ucx="it uses none"],
          [test "`readlink -f "$mpix_ompi_libucp"`" = "`readlink -f "$mpix_our_libucp"`"],
              [mpix_same_ucx=yes],
          [mpix_same_ucx=no])
    AC_MSG_RESULT([$mpix_same_ucx])
    AS_IF([test "$mpix_same_ucx" = no],
          [AC_MSG_ERROR([Open MPI $OMPI_VERSION loads $mpix_ompi_libucp, this build would load
$mpix_our_libucp (UCX $UCX_VERSION). There can be one UCX in a process: name
the one that Open MPI was built with by --with-ucx=DIR, or use another Open MPI.])])
])

# MPIX_CHECK_UCX: all of it. Needs MPIX_CHECK_OMPI and PART_UCX_CHECK_DECLS.
AC_DEFUN([MPIX_CHECK_UCX], [
    MPIX_UCX_FLAGS
    mpix_save_CPPFLAGS=$CPPFLAGS
    mpix_save_LDFLAGS=$LDFLAGS
    mpix_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $UCX_CPPFLAGS"
    LDFLAGS="$LDFLAGS $UCX_LDFLAGS"
    LIBS="$UCX_LIBS $LIBS"
    MPIX_UCX_VERSION
    MPIX_UCX_SAME_AS_OMPI
    PART_UCX_CHECK_DECLS
    CPPFLAGS=$mpix_save_CPPFLAGS
    LDFLAGS=$mpix_save_LDFLAGS
    LIBS=$mpix_save_LIBS
])
