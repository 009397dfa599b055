# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# An optional FFTW for the local transforms of bench/kernels/fft. Nothing else uses it.

# MPIX_CHECK_FFTW: --with-fftw; sets FFTW_CFLAGS and FFTW_LIBS, mpix_fftw for the summary, and the
# conditional HAVE_FFTW.
AC_DEFUN([MPIX_CHECK_FFTW], [
    AC_ARG_WITH([fftw],
                [AS_HELP_STRING([--without-fftw],
                                [no bench/kernels/fft, also where FFTW is installed])],
                [], [with_fftw=auto])
    mpix_fftw="none: no bench/kernels/fft (Debian: apt install libfftw3-dev)"
    mpix_have_fftw=no
    AS_CASE([$with_fftw],
            [auto|yes],
            [PKG_CHECK_MODULES([FFTW], [fftw3 >= 3.3],
                 [mpix_have_fftw=yes
                  mpix_fftw=`$PKG_CONFIG --modversion fftw3`],
                 [AS_IF([test "$with_fftw" = yes],
                        [AC_MSG_ERROR([--with-fftw: none found (Debian: apt install libfftw3-dev)])])])],
            [no], [],
            [AC_MSG_ERROR([--with-fftw=$with_fftw: say no, or have pkg-config find the library
(PKG_CONFIG_PATH)])])
    AM_CONDITIONAL([HAVE_FFTW], [test "$mpix_have_fftw" = yes])
])
