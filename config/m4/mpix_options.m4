# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Options that change how our own code is compiled and where it is installed.

# MPIX_CHECK_CFLAG(FLAG, [VARIABLE]): append FLAG to MPIX_CFLAGS or VARIABLE if the compiler takes it.
AC_DEFUN([MPIX_CHECK_CFLAG], [
    AC_MSG_CHECKING([whether $CC takes $1])
    mpix_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
                      [AC_MSG_RESULT([yes])
                       m4_default([$2], [MPIX_CFLAGS])="$m4_default([$2], [MPIX_CFLAGS]) $1"],
                      [AC_MSG_RESULT([no])])
    CFLAGS=$mpix_save_CFLAGS
])

# MPIX_ABSOLUTE(NAME): the folder that --with-NAME names, from the root; make works in many folders.
AC_DEFUN([MPIX_ABSOLUTE], [
    AS_CASE([$with_$1], [yes|no|/*], [],
            [mpix_dir=`cd "$with_$1" 2>/dev/null && pwd`
             AS_IF([test -z "$mpix_dir"], [AC_MSG_ERROR([--with-]m4_translit([$1], [_], [-])[: there is no folder $with_$1])])
             with_$1=$mpix_dir])
])

# MPIX_COMPILER_OPTIONS: warnings; sets MPIX_CFLAGS, and mpix_visibility_flags for the component.
AC_DEFUN([MPIX_COMPILER_OPTIONS], [
    AC_ARG_ENABLE([picky],
                  [AS_HELP_STRING([--disable-picky], [compile without -Wall -Wextra])],
                  [mpix_picky=$enableval], [mpix_picky=yes])
    AC_ARG_ENABLE([werror],
                  [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
                  [mpix_werror=$enableval], [mpix_werror=no])
    MPIX_CFLAGS="-pthread"
    MPIX_CHECK_CFLAG([-fvisibility=hidden], [mpix_visibility_flags])
    AS_IF([test "$mpix_picky" != no],
          [MPIX_CHECK_CFLAG([-Wall])
           MPIX_CHECK_CFLAG([-Wextra])])
    AS_IF([test "$mpix_werror" != no], [MPIX_CFLAGS="$MPIX_CFLAGS -Werror"])
    AC_SUBST([MPIX_CFLAGS])
    # Every Makefile.am gets it; one that sets AM_CFLAGS itself puts $(MPIX_CFLAGS) into it.
    AC_SUBST([AM_CFLAGS], ['$(MPIX_CFLAGS)'])
])

# MPIX_CHECK_SANITIZER: --enable-sanitizer=LIST. Call it last: what it adds to CFLAGS and LDFLAGS must not
# change the outcome of other checks.
AC_DEFUN([MPIX_CHECK_SANITIZER], [
    AC_ARG_ENABLE([sanitizer],
                  [AS_HELP_STRING([--enable-sanitizer=LIST],
                                  [compile with sanitizers: address,undefined or thread])],
                  [], [enable_sanitizer=no])
    AS_CASE([$enable_sanitizer],
            [no], [],
            [yes], [enable_sanitizer=address,undefined])
    AS_CASE([,$enable_sanitizer,],
            [*,address,*thread,*|*,thread,*address,*],
            [AC_MSG_ERROR([--enable-sanitizer: address and thread exclude each other])])
    mpix_sanitizer_flags=
    AS_IF([test "$enable_sanitizer" != no],
          [mpix_sanitizer_flags="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer -g"
           AS_CASE([,$enable_sanitizer,],
                   [*,undefined,*],
                   [mpix_sanitizer_flags="$mpix_sanitizer_flags -fno-sanitize-recover=undefined"])
           # Open MPI's headers use fences, which the thread sanitizer does not know, in every file.
           AS_CASE([,$enable_sanitizer,],
                   [*,thread,*],
                   [MPIX_CHECK_CFLAG([-Wtsan], [mpix_tsan_flags])
                    test -z "$mpix_tsan_flags" ||
                        mpix_sanitizer_flags="$mpix_sanitizer_flags -Wno-tsan"])
           CFLAGS="$CFLAGS $mpix_sanitizer_flags"
           LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizer"
           AC_MSG_CHECKING([whether $CC can link with -fsanitize=$enable_sanitizer])
           AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes])],
                          [AC_MSG_RESULT([no])
                           AC_MSG_ERROR([$CC does not support --enable-sanitizer=$enable_sanitizer])])])
    AC_SUBST([MPIX_SANITIZER], [$enable_sanitizer])
    AM_CONDITIONAL([MPIX_SANITIZED], [test "$enable_sanitizer" != no])
])

# MPIX_CHECK_NO_UNDEFINED: have the linker refuse a component with symbols that nobody defines; sets
# MPIX_NO_UNDEFINED. Sanitizer runtimes are resolved late and do not allow it.
AC_DEFUN([MPIX_CHECK_NO_UNDEFINED], [
    MPIX_NO_UNDEFINED=
    AS_IF([test "$enable_sanitizer" = no],
          [AC_MSG_CHECKING([whether the linker takes -z defs])
           mpix_save_LDFLAGS=$LDFLAGS
           LDFLAGS="$LDFLAGS -Wl,-z,defs"
           AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
                          [AC_MSG_RESULT([yes])
                           MPIX_NO_UNDEFINED="-Wl,-z,defs"],
                          [AC_MSG_RESULT([no])])
           LDFLAGS=$mpix_save_LDFLAGS])
    AC_SUBST([MPIX_NO_UNDEFINED])
])

# MPIX_COMPONENT_DIR: where the component is installed; sets ompilibdir. Needs MPIX_CHECK_OMPI.
AC_DEFUN([MPIX_COMPONENT_DIR], [
    AC_ARG_WITH([component-dir],
                [AS_HELP_STRING([--with-component-dir=DIR],
                                [where to install the component: a folder of its own, "system" for
                                 Open MPI's own component folder or "user" for
                                 ~/.openmpi/components (default: LIBDIR/mpix-partitioned/openmpi,
                                 which env.sh puts on the component path)])],
                [], [with_component_dir=])
    AS_CASE([$with_component_dir],
            [''|yes], [ompilibdir='${libdir}/mpix-partitioned/openmpi'],
            [no], [AC_MSG_ERROR([--without-component-dir makes no sense: name a folder])],
            [system], [ompilibdir=$OMPI_PKGLIBDIR],
            [user], [ompilibdir=$HOME/.openmpi/components],
            [/*], [ompilibdir=$with_component_dir],
            [AC_MSG_ERROR([--with-component-dir=$with_component_dir: give an absolute path])])
    AC_SUBST([ompilibdir])
    # Folders that are on Open MPI's default component path must not be put there a second time.
    mpix_env_component_dir=$ompilibdir
    AS_CASE([$ompilibdir],
            ["$OMPI_PKGLIBDIR"|"$HOME/.openmpi/components"], [mpix_env_component_dir=])
    AC_SUBST([MPIX_ENV_COMPONENT_DIR], [$mpix_env_component_dir])
])
