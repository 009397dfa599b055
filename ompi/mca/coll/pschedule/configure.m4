# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# coll/pschedule in an Open MPI source tree. It needs no library of its own: part/ucx, without which
# it declines every call at run time, brings UCX.

# MCA_ompi_coll_pschedule_CONFIG(IF-OK, IF-NOT): called by Open MPI's configure.
AC_DEFUN([MCA_ompi_coll_pschedule_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/pschedule/Makefile])
    part_ucx_OMPI_LIBS='$(top_builddir)/ompi/lib$(OMPI_LIBMPI_NAME).la'
    AC_SUBST([part_ucx_OMPI_LIBS])
    $1
])
