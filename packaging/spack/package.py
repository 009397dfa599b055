# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Recipe for Spack 1.0 and later: packages/mpix_partitioned/package.py of a repository."""

import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class MpixPartitioned(AutotoolsPackage):
    """Partitioned communication of MPI 4 over every network path, and partitioned collectives,
    beside an Open MPI that stays as it is."""

    homepage = "https://mpix-partitioned.example/"
    # Nothing is published yet: Spack takes the tarball of `make dist` from the current folder.
    url = f"file://{os.getcwd()}/mpix-partitioned-0.2.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    # Its sum is known when it is released (docs/releasing.md); until then: spack install --no-checksum.
    version("0.2.0")

    variant("fortran", default=True, description="Build the Fortran modules")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("ucx@1.13:")
    # It must have its internal headers (--with-devel-headers), for which Spack has no variant: an
    # external one in packages.yaml (docs/install.md).
    depends_on("openmpi@5:6")
    depends_on("openmpi +fortran", when="+fortran")

    def configure_args(self):
        spec = self.spec
        return [
            f"--with-ompi={spec['openmpi'].prefix}",
            f"--with-ucx={spec['ucx'].prefix}",
            *self.enable_or_disable("fortran"),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        component_path = join_path(self.prefix.lib, "mpix-partitioned", "openmpi")
        env.set(
            "OMPI_MCA_mca_base_component_path", f"{component_path}:SYSTEM_DEFAULT:USER_DEFAULT"
        )
        env.set("PMIX_MCA_mca_base_component_path", ":")
