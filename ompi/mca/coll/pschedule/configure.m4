# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# coll/pschedule in an Open MPI source tree. It is built when part/ucx is, whose links it uses; the
# outcome for part/ucx itself is not known yet, because coll is configured before part.

# MCA_ompi_coll_pschedule_CONFIG(IF-OK, IF-NOT): called by Open MPI's configure.
AC_DEFUN([MCA_ompi_coll_pschedule_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/pschedule/Makefile])
    MCA_COMPONENT_BUILD_CHECK([ompi], [part], [ucx],
        [PART_UCX_CHECK([coll_pschedule], [], [])],
        [coll_pschedule_happy=no])
    AS_IF([test "$coll_pschedule_happy" = yes],
          [OPAL_MCA_CHECK_DEPENDENCY([ompi], [coll], [pschedule], [ompi], [part], [ucx])
           $1],
          [$2])
])
