# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# An optional CBLAS for the matrix products of bench/gpt2. Nothing else uses it.

# MPIX_LINK_CBLAS(CFLAGS, LIBS, IF-YES, IF-NO): is cblas_sgemm there? Also sets mpix_openblas.
AC_DEFUN([MPIX_LINK_CBLAS], [
    mpix_save_CPPFLAGS=$CPPFLAGS
    mpix_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $1"
    LIBS="$2 $LIBS"
    mpix_openblas=no
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]],
                        [[float x = 1.0f;
                          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1, 1, 1, 1.0f, &x, 1, &x,
                                      1, 0.0f, &x, 1);]])],
        [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]], [[openblas_set_num_threads(1);]])],
                        [mpix_openblas=yes])
         mpix_linked=yes],
        [mpix_linked=no])
    CPPFLAGS=$mpix_save_CPPFLAGS
    LIBS=$mpix_save_LIBS
    AS_IF([test "$mpix_linked" = yes], [$3], [$4])
])

# MPIX_CHECK_CBLAS: --with-cblas; sets CBLAS_CFLAGS and CBLAS_LIBS, and mpix_cblas for the summary.
# OpenBLAS comes first: it can be told how many threads it may use.
AC_DEFUN([MPIX_CHECK_CBLAS], [
    AC_ARG_WITH([cblas],
                [AS_HELP_STRING([--without-cblas],
                                [bench/gpt2: matrix products by a plain OpenMP loop, also where
                                 OpenBLAS or another CBLAS is installed])],
                [], [with_cblas=auto])
    AS_CASE([$with_cblas],
            [auto|yes|no], [],
            [AC_MSG_ERROR([--with-cblas=$with_cblas: say no, or have pkg-config find the library
(PKG_CONFIG_PATH)])])
    mpix_cblas=
    AS_IF([test "$with_cblas" != no],
          [for mpix_module in openblas cblas blas; do
               AS_IF([test -z "$mpix_cblas" && $PKG_CONFIG --exists $mpix_module],
                     [CBLAS_CFLAGS=`$PKG_CONFIG --cflags $mpix_module`
                      CBLAS_LIBS=`$PKG_CONFIG --libs $mpix_module`
                      MPIX_LINK_CBLAS([$CBLAS_CFLAGS], [$CBLAS_LIBS],
                          [mpix_cblas="$mpix_module `$PKG_CONFIG --modversion $mpix_module`"])])
           done
           AS_IF([test -z "$mpix_cblas"],
                 [CBLAS_CFLAGS=
                  CBLAS_LIBS=-lcblas
                  MPIX_LINK_CBLAS([], [-lcblas], [mpix_cblas=-lcblas])])
           AS_IF([test -z "$mpix_cblas" && test "$with_cblas" = yes],
                 [AC_MSG_ERROR([--with-cblas: none found (Debian: apt install libopenblas-dev)])])])
    AC_MSG_CHECKING([for a CBLAS])
    AS_IF([test -n "$mpix_cblas"],
          [CBLAS_CFLAGS="$CBLAS_CFLAGS -DGPT2_HAVE_CBLAS=1"
           AS_IF([test "$mpix_openblas" = yes],
                 [CBLAS_CFLAGS="$CBLAS_CFLAGS -DGPT2_HAVE_OPENBLAS=1"])],
          [CBLAS_CFLAGS=
           CBLAS_LIBS=
           mpix_cblas="none: bench/gpt2 multiplies by itself, slowly (Debian: apt install libopenblas-dev)"])
    AC_MSG_RESULT([$mpix_cblas])
    AC_SUBST([CBLAS_CFLAGS])
    AC_SUBST([CBLAS_LIBS])
    # sqrtf that sets errno cannot be used on whole vectors.
    MPIX_CHECK_CFLAG([-fno-math-errno], [GPT2_CFLAGS])
    AC_SUBST([GPT2_CFLAGS])
])
