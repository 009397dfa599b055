# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Only for a build inside an Open MPI source tree: its configure calls this. The functions work
# with every part component, so there is nothing to ask for.

AC_DEFUN([OMPI_MPIEXT_partitioned_CONFIG], [
    AC_CONFIG_FILES([ompi/mpiext/partitioned/Makefile ompi/mpiext/partitioned/c/Makefile])
    AM_CONDITIONAL([MPIX_OUT_OF_TREE], [false])
    AS_IF([test "$ENABLE_partitioned" = 1 || test "$ENABLE_EXT_ALL" = 1], [$1], [$2])
])
