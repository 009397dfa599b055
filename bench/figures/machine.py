# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the numbers were measured on and with."""

import ctypes
import hashlib
import os
import platform
import re
import subprocess

# What decides the numbers of every program, beside its own folder: see source_state().
SHARED_SOURCES = ("ompi/", "bench/common/", "bench/coll/mpix.h", "config/compat/", "config/m4/", "configure.ac",
                  "test/vcluster", "bench/scripts/same_device_order.sh")


# What begins like this settles how libraries move data. env.sh sets the other one for each folder.
SETTLING = ("UCX_", "OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_", "MPIR_CVAR_", "FI_")
OF_ENV_SH = "OMPI_MCA_mca_base_component_path"


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def hashes_of(values):
    """{value: hash} of those values of settings that are files."""
    return {value: hash_of(value) for value in values if os.path.isfile(value)}


def output(*words, cwd=None):
    """What a command prints; "" if it cannot run or fails."""
    try:
        run = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def _file(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _match(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip().strip('"') if match else "unknown"


def _ucx_version():
    try:
        library = ctypes.CDLL("libucp.so.0")
    except OSError:
        return "unknown"
    library.ucp_get_version_string.restype = ctypes.c_char_p
    return library.ucp_get_version_string().decode()


def _ompi_version():
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        said = subprocess.run(["mpirun", "--version"], env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout
    except OSError as error:
        return str(error)
    return _match(r"\(Open MPI\) (\S+)", said)


def algorithms():
    """{MCA variable: the values that it knows}, of the variables of coll/pschedule that force an
    algorithm; empty when ompi_info does not tell."""
    found, variable = {}, None
    for line in output("ompi_info", "--param", "coll", "pschedule", "--level", "9").splitlines():
        match = re.search(r'parameter "(coll_pschedule_\w+_algorithm)"', line)
        variable = match[1] if match else variable
        if variable and "Valid values:" in line:
            found[variable] = re.findall(r"\d+\|(\w+)", line)
    return found


class Machine:
    """Facts of this machine and of the software, asked for once."""

    def __init__(self, repository, libraries, programs):
        """programs: the folder bench/ of a build."""
        self.repository = repository
        self.environment = {name: value for name, value in os.environ.items()
                            if name.startswith(SETTLING) and name != OF_ENV_SH}
        self.configured = output(os.path.join(programs, os.pardir, "config.status"), "--config")
        self._files = None
        self._states = {}
        memory = int(_match(r"^MemTotal:\s+(\d+)", _file("/proc/meminfo")) or 0)
        self.hardware = {
            "processor": _match(r"^model name\s*: (.*)", _file("/proc/cpuinfo")),
            "cores": str(os.cpu_count()),
            "memory": f"{memory / 2**20:.0f} GiB",
            "kernel": platform.release(),
            "system": _match(r"^PRETTY_NAME=(.*)", _file("/etc/os-release")),
        }
        self.software = {
            "Open MPI": _ompi_version(),
            "UCX": _ucx_version(),
            "compiler": output("gcc", "--version").partition("\n")[0] or "unknown",
            "Python": platform.python_version(),
        }
        for library in libraries:
            self.software[f"--mpi {library.name}"] = library.version
        self.commit = self._commit()

    def _commit(self):
        described = output("git", "describe", "--always", "--dirty", "--abbrev=12",
                           cwd=self.repository)
        return described or "not a git checkout"

    def versions(self):
        """What a number depends on beside the command and the sources."""
        kept = ("processor", "cores", "kernel")
        return {"environment": self.environment, "configured": self.configured,
                **{name: self.hardware[name] for name in kept},
                **{name: self.software[name] for name in ("Open MPI", "UCX", "compiler")}}

    def source_state(self, program):
        """A hash of all sources that a program's numbers depend on, committed or not."""
        folder = os.path.dirname(program)
        if folder not in self._states:
            self._states[folder] = self._hash(SHARED_SOURCES + (f"bench/{folder}/",))
        return self._states[folder]

    def _hash(self, places):
        if self._files is None:
            listed = output("config/sources.sh", cwd=self.repository)
            self._files = listed.splitlines()
        digest = hashlib.sha256()
        for name in sorted(self._files):
            if name.startswith(places) and not name.endswith((".md", ".txt")):
                digest.update(name.encode() + b"\0")
                digest.update(bytes.fromhex(hash_of(os.path.join(self.repository, name))))
        return digest.hexdigest()
