# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Configuration of part/ucx: what our own configure.ac and a build inside an Open MPI source tree
# share, and the entry point of the latter.

# PART_UCX_CHECK_DECLS: features of UCX newer than 1.13. Needs UCX in CPPFLAGS.
AC_DEFUN([PART_UCX_CHECK_DECLS], [
    AC_CHECK_DECLS([UCP_EP_ATTR_FIELD_TRANSPORTS, UCP_OP_ATTR_FIELD_MEMH,
                    UCP_AM_SEND_FLAG_COPY_HEADER, UCP_MEM_MAP_SYMMETRIC_RKEY],
                   [], [], [[#include <ucp/api/ucp.h>]])
])

# MCA_ompi_part_ucx_CONFIG(IF-OK, IF-NOT): called by Open MPI's configure.
AC_DEFUN([MCA_ompi_part_ucx_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/part/ucx/Makefile])
    OMPI_CHECK_UCX([part_ucx], [part_ucx_happy=yes], [part_ucx_happy=no])
    AS_IF([test "$part_ucx_happy" = yes],
          [part_ucx_save_CPPFLAGS=$CPPFLAGS
           CPPFLAGS="$CPPFLAGS $part_ucx_CPPFLAGS"
           AC_CHECK_DECLS([UCP_OP_ATTR_FLAG_MULTI_SEND], [], [part_ucx_happy=no],
                          [[#include <ucp/api/ucp.h>]])
           PART_UCX_CHECK_DECLS
           CPPFLAGS=$part_ucx_save_CPPFLAGS])
    AS_IF([test "$part_ucx_happy" = yes], [$1], [$2])
    part_ucx_OMPI_LIBS='$(top_builddir)/ompi/lib$(OMPI_LIBMPI_NAME).la'
    AC_SUBST([part_ucx_CPPFLAGS])
    AC_SUBST([part_ucx_LDFLAGS])
    AC_SUBST([part_ucx_LIBS])
    AC_SUBST([part_ucx_OMPI_LIBS])
])
