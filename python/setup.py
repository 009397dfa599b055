# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the library and its Open MPI are: pkg-config and mpicc say it (source env.sh before)."""

import os
import shlex
import subprocess
import sys

from setuptools import Extension, setup


def ask(*command):
    try:
        return shlex.split(subprocess.check_output(command, text=True))
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"mpix-partitioned: {command[0]} does not know the library or its Open MPI; source "
                 "the env.sh that was installed with the library, then try again")


def mpi4py_include():
    import mpi4py

    return mpi4py.get_include()


def extension():
    folder = ask("pkg-config", "--variable=libdir", "mpix_partitioned")
    mpicc = os.environ.get("MPICC", "mpicc")
    return Extension(
        "mpix_partitioned._core",
        ["src/mpix_partitioned/_core.pyx"],
        include_dirs=[mpi4py_include()],
        extra_compile_args=(ask("pkg-config", "--cflags", "mpix_partitioned")
                            + ask(mpicc, "--showme:compile")),
        extra_link_args=(ask("pkg-config", "--libs", "mpix_partitioned")
                         + ask(mpicc, "--showme:link")),
        runtime_library_dirs=folder)


# Made anew each time: what was made for another installation of the library looks up to date.
setup(ext_modules=[extension()], options={"build_ext": {"force": True}})
