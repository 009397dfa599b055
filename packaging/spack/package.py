# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe: goes to var/spack/repos/.../packages/mpix-partitioned/package.py of a repository."""

from spack.package import *


class MpixPartitioned(AutotoolsPackage):
    """Partitioned communication of MPI 4 over every network path, and partitioned collectives,
    beside an Open MPI that stays as it is."""

    homepage = "https://mpix-partitioned.example/"
    url = "https://mpix-partitioned.example/releases/mpix-partitioned-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("fortran", default=True, description="Build the Fortran modules")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("ucx@1.13:")
    # It must have its internal headers (--with-devel-headers), for which Spack has no variant yet.
    depends_on("openmpi@5:")

    def configure_args(self):
        spec = self.spec
        return [
            f"--with-ompi={spec['openmpi'].prefix}",
            f"--with-ucx={spec['ucx'].prefix}",
            *self.enable_or_disable("fortran"),
        ]

    def setup_run_environment(self, env):
        component_path = join_path(self.prefix.lib, "mpix-partitioned", "openmpi")
        env.set(
            "OMPI_MCA_mca_base_component_path", f"{component_path}:SYSTEM_DEFAULT:USER_DEFAULT"
        )
        env.set("PMIX_MCA_mca_base_component_path", ":")
