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

# PART_UCX_CHECK(PREFIX, IF-OK, IF-NOT): can Open MPI's configure build part/ucx? Sets
# PREFIX_{CPPFLAGS,LDFLAGS,LIBS}.
AC_DEFUN([PART_UCX_CHECK], [
    OMPI_CHECK_UCX([$1], [$1_happy=yes], [$1_happy=no])
    AS_IF([test "$$1_happy" = yes],
          [$1_save_CPPFLAGS=$CPPFLAGS
           CPPFLAGS="$CPPFLAGS $$1_CPPFLAGS"
           AC_CHECK_DECLS([UCP_OP_ATTR_FLAG_MULTI_SEND], [], [$1_happy=no],
                          [[#include <ucp/api/ucp.h>]])
           PART_UCX_CHECK_DECLS
           CPPFLAGS=$$1_save_CPPFLAGS])
    AS_IF([test "$$1_happy" = yes], [$2], [$3])
])

# MCA_ompi_part_ucx_CONFIG(IF-OK, IF-NOT): called by Open MPI's configure.
AC_DEFUN([MCA_ompi_part_ucx_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/part/ucx/Makefile])
    PART_UCX_CHECK([part_ucx], [$1], [$2])
    part_ucx_OMPI_LIBS='$(top_builddir)/ompi/lib$(OMPI_LIBMPI_NAME).la'
    AC_SUBST([part_ucx_CPPFLAGS])
    AC_SUBST([part_ucx_LDFLAGS])
    AC_SUBST([part_ucx_LIBS])
    AC_SUBST([part_ucx_OMPI_LIBS])
])
