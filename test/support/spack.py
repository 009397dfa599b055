# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads packaging/spack/package.py without Spack: stand-ins for what the recipe uses of it.

    spack.py arguments OMPI UCX yes|no     what configure gets (no: ~fortran), one per line
    spack.py environment PREFIX            what loading it sets, as NAME=VALUE
    spack.py url                           where the sources are
"""

import pathlib
import sys
import types

RECIPE = pathlib.Path(__file__).parents[2] / "packaging" / "spack" / "package.py"


class Prefix(str):
    """A folder; its attributes are those below it."""

    def __getattr__(self, name):
        return Prefix(f"{self}/{name}")


class EnvironmentModifications(dict):
    """What a recipe changes; only what ours does."""

    set = dict.__setitem__


class AutotoolsPackage:
    """The base class: configure, make, make install."""

    def __init__(self, variants, prefixes):
        self.variants = variants
        self.prefix = Prefix(prefixes.get("", ""))
        self.spec = {
            name: types.SimpleNamespace(prefix=Prefix(folder)) for name, folder in prefixes.items()
        }

    def enable_or_disable(self, name):
        """As Spack's."""
        return [f"--{'enable' if self.variants[name] else 'disable'}-{name}"]


def stand_ins():
    """The modules that the recipe imports; names that Spack does not have are not there either."""

    def directive(*_arguments, **_options):
        pass

    package = types.ModuleType("spack.package")
    package.EnvironmentModifications = EnvironmentModifications
    package.join_path = lambda *parts: "/".join(parts)
    for name in ("depends_on", "license", "variant", "version"):
        setattr(package, name, directive)
    autotools = types.ModuleType("spack_repo.builtin.build_systems.autotools")
    autotools.AutotoolsPackage = AutotoolsPackage
    modules = {"spack.package": package, "spack_repo.builtin.build_systems.autotools": autotools}
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        modules[name] = types.ModuleType(name)
    return modules


def main(what, *values):
    sys.modules.update(stand_ins())
    recipe = {}
    exec(compile(RECIPE.read_text(), str(RECIPE), "exec"), recipe)
    recipe = recipe["MpixPartitioned"]
    if what == "arguments":
        ompi, ucx, fortran = values
        package = recipe({"fortran": fortran == "yes"}, {"openmpi": ompi, "ucx": ucx})
        print(*package.configure_args(), sep="\n")
    elif what == "environment":
        env = EnvironmentModifications()
        recipe({}, {"": values[0]}).setup_run_environment(env)
        print(*(f"{name}={value}" for name, value in env.items()), sep="\n")
    else:
        print(recipe.url)


main(*sys.argv[1:])
