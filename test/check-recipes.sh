#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The recipes of packaging/ for package managers that are at hand: `make distcheck` makes the tarball,
# RPM and EasyBuild build it by their recipes, and so does what the recipe for Spack says (Spack
# itself cannot be had from a package registry: support/spack.py stands in for it). With what each has
# installed, and what it sets, a job runs. Prints TAP. Runs in test/ of the build; test/environments.sh
# recipes gets what is needed. By hand: check-recipes.sh [distcheck|rpm|easybuild|spack]...
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
name=$(make_variable distdir)
version=$(make_variable PACKAGE_VERSION)
tarball=$work/$name.tar.gz
recipes=$here/../packaging
ompi=$(dirname "$(make_variable OMPI_BINDIR)")
ucx=$(dirname "$(make_variable UCX_LIBDIR)")
[[ $ucx == /* ]] || ucx=/usr
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
parts=("$@")

wanted() {
    ((${#parts[@]} == 0)) || [[ " ${parts[*]} " == *" $1 "* ]]
}

makes_tarball() {
    make -C .. dist >"$output" 2>&1 </dev/null && mv "../$name.tar.gz" "$work"
}

# From sources that cannot be written, in another folder; installed, removed, cleaned. Its tests are
# those of test/run.sh.
passes_distcheck() {
    make -C .. -j"$(nproc)" distcheck TESTS= >"$output" 2>&1 </dev/null && mv "../$name.tar.gz" "$work"
}

# in_clean VARIABLE=VALUE... COMMAND...: with Open MPI on the paths, and nothing of this build.
in_clean() {
    env -i HOME="$work" PATH="$ompi/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
        "$@" >>"$output" 2>&1 </dev/null
}

# run_job VARIABLE=VALUE... PROGRAM: an example of the documents, whose status is its result.
run_job() {
    in_clean "${@:1:$#-1}" timeout --kill-after=5 90 mpirun --np 3 --map-by :OVERSUBSCRIBE \
        --bind-to none --mca part ucx "${@: -1}"
}

# make_program NAME VARIABLE=VALUE...: that example, with what pkg-config says in that environment.
make_program() {
    # shellcheck disable=SC2016
    in_clean "${@:2}" bash -c 'mpicc -fopenmp -o "$1" "$2" \
        $(pkg-config --cflags --libs mpix_partitioned)' bash "$work/$1" "$here/examples/reductions.c"
}

# ---- RPM ----

rpms=$work/rpm/RPMS/$(uname -m)
unpacked=$work/rpm/unpacked

# Not a distribution that has RPMs of what it needs: --nodeps.
rpm_builds() {
    mkdir -p "$work/rpm/SOURCES" && cp "$tarball" "$work/rpm/SOURCES" &&
        in_clean rpmbuild -bb --nodeps --define "_topdir $work/rpm" --define "mpi_home $ompi" \
            "$recipes/rpm/mpix-partitioned.spec"
}

# has_files PACKAGE FILE...: in this RPM, below the folder of Open MPI.
has_files() {
    local file
    rpm -qlp "$rpms/$1-$version"-*.rpm >"$work/list" 2>>"$output" || return 1
    for file in "${@:2}"; do
        grep -qxF "$ompi/$file" "$work/list" || { echo "$1 lacks $file" >>"$output"; return 1; }
    done
}

# has_none PATTERN: in the list of has_files.
has_none() {
    ! grep -E "$1" "$work/list" >>"$output"
}

# rpmbuild itself refuses files that are in no package.
rpm_is_split() {
    has_files mpix-partitioned-openmpi bin/part_ucx_info lib/openmpi/mca_part_ucx.so \
        lib/openmpi/mca_coll_pschedule.so lib/libmpix_partitioned.so.0 &&
        has_none '\.(h|pc|mod|la)$|/libmpix[^/]*\.so$|/cmake/|/man3/' &&
        has_files mpix-partitioned-openmpi-devel lib/libmpix_partitioned.so \
            lib/pkgconfig/mpix_partitioned.pc lib/cmake/mpix_partitioned/mpix_partitioned-config.cmake &&
        has_none '/mca_|/bin/|\.so\.0'
}

rpm_names_no_build() {
    mkdir -p "$unpacked" &&
        for file in "$rpms"/*.rpm; do
            rpm2archive - <"$file" | tar -xzf - -C "$unpacked" || return 1
        done >>"$output" 2>&1
    ! grep -rlF "$work" "$unpacked" >>"$output"
}

rpm_passes_rpmlint() {
    in_clean rpmlint -c "$recipes/rpm/rpmlint.toml" "$recipes/rpm/mpix-partitioned.spec" \
        "$rpms"/*.rpm && grep -E ' 0 errors, 0 warnings' "$output"
}

rpm_runs() {
    make_program rpm-job PKG_CONFIG_SYSROOT_DIR="$unpacked" \
        PKG_CONFIG_PATH="$unpacked$ompi/lib/pkgconfig" &&
        run_job LD_LIBRARY_PATH="$unpacked$ompi/lib" PMIX_MCA_mca_base_component_path=: \
            OMPI_MCA_mca_base_component_path="$unpacked$ompi/lib/openmpi:SYSTEM_DEFAULT:USER_DEFAULT" \
            "$work/rpm-job"
}

check_rpm() {
    if ! command -v rpmbuild >/dev/null; then
        skip 'RPM' 'no rpmbuild (Debian: rpm)'
    elif [[ $(make_variable OMPI_PKGLIBDIR) != "$ompi/lib/openmpi" ]]; then
        skip 'RPM' 'this Open MPI is not in a folder of its own, as it is where there are RPMs'
    else
        check 'RPM: rpmbuild makes packages from the tarball' rpm_builds
        check 'RPM: what runs and what compiles are two packages' rpm_is_split
        check 'RPM: no file names a folder of the build' rpm_names_no_build
        check 'RPM: a job runs with what the packages have' rpm_runs
        if command -v rpmlint >/dev/null; then
            check 'RPM: rpmlint finds neither errors nor warnings' rpm_passes_rpmlint
        else
            skip 'RPM: rpmlint' 'no rpmlint'
        fi
    fi
}

# ---- EasyBuild ----

easyconfig=$(echo "$recipes/easybuild/mpix-partitioned-$version"-*.eb)
modules=/usr/share/modules/init/bash
lmod=/usr/share/lmod/lmod/init/bash

# Its checks of style want pycodestyle.
gets_easybuild() {
    python3 -m venv "$work/venv" >"$output" 2>&1 &&
        "$work/venv/bin/python" -m pip install -q easybuild pycodestyle >>"$output" 2>&1 </dev/null
}

# eb ARGUMENT...: with Open MPI and UCX as its modules would name them, and folders of its own. Root
# may, in a test.
eb() {
    # shellcheck disable=SC2016
    in_clean EASYBUILD_PREFIX="$work/eb" EASYBUILD_SOURCEPATH="$work" \
        EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES=1 EASYBUILD_CHECK_EBROOT_ENV_VARS=ignore \
        EASYBUILD_MODULES_TOOL="$tool" EASYBUILD_MODULE_SYNTAX="$syntax" \
        EBROOTOPENMPI="$ompi" EBROOTUCX="$ucx" EB_PYTHON="$work/venv/bin/python" \
        PYTHONDONTWRITEBYTECODE=1 \
        bash -c '. "$0" && exec "$@"' "$init" "$work/venv/bin/eb" "$@"
}

# With the sum of this tarball, which the file gets when there is a release.
eb_passes_checks() {
    cp "$easyconfig" "$work" && eb --inject-checksums --force "$work/$(basename "$easyconfig")" &&
        eb --check-contrib "$work/$(basename "$easyconfig")"
}

# Each dependency is a file that EasyBuild has for this toolchain.
eb_resolves() {
    eb --dry-run --robot "$easyconfig" && grep -q 'module: UCX' "$output" &&
        ! grep -i 'missing\|not found' "$output"
}

# Compiler, Open MPI, UCX and hwloc are those of this stack instead of EasyBuild's, which would build
# all of them. It ends with the sanity check of the recipe, in the module that it has made.
eb_builds() {
    eb --try-toolchain=system,system --disable-map-toolchains \
        --filter-deps=hwloc,UCX,pkgconf "$easyconfig" &&
        grep -q 'COMPLETED: Installation ended successfully' "$output"
}

# with_eb_module COMMAND...
with_eb_module() {
    # shellcheck disable=SC2016
    in_clean bash -c '. "$0" && module use "$1" && module load mpix-partitioned && shift && "$@"' \
        "$init" "$work/eb/modules/all" "$@"
}

# shellcheck disable=SC2016
eb_module_runs() {
    with_eb_module bash -c 'mpicc -fopenmp -o "$1" "$2" $(pkg-config --cflags --libs mpix_partitioned)' \
        bash "$work/eb-job" "$here/examples/reductions.c" &&
        with_eb_module timeout --kill-after=5 90 mpirun --np 3 --map-by :OVERSUBSCRIBE --bind-to none \
            --mca part ucx "$work/eb-job"
}

check_easybuild() {
    local init=$modules tool=EnvironmentModules syntax=Tcl
    [[ -r $modules ]] || init=$lmod tool=Lmod syntax=Lua
    if [[ ! -r $init ]]; then
        skip 'EasyBuild' 'neither Environment Modules nor Lmod (Debian: environment-modules, lmod)'
    elif ! gets_easybuild; then
        skip 'EasyBuild' "it cannot be installed: $(tail -n 1 "$output")"
    else
        check 'EasyBuild: its checks of style and contributions' eb_passes_checks
        check 'EasyBuild: every dependency is known' eb_resolves
        check "EasyBuild: builds the tarball; its sanity check ($tool)" eb_builds
        check "EasyBuild: a job runs with its module ($tool)" eb_module_runs
    fi
}

# ---- Spack ----

# What the recipe hands to configure, with and without its variant.
spack_builds() {
    local arguments fortran=yes
    [[ -n $(make_variable MPIX_FORTRAN_MODDIR) ]] || fortran=no
    mapfile -t arguments < <(python3 "$here/support/spack.py" arguments "$ompi" "$ucx" "$fortran")
    ((${#arguments[@]} == 3)) && mkdir "$work/spack" &&
        tar -xzf "$tarball" -C "$work/spack" --strip-components=1 &&
        in_clean env -C "$work/spack" bash -c './configure --prefix="$0/prefix" "$@" &&
            make -j"$(nproc)" CFLAGS=-O0 && make install' "$work/spack" "${arguments[@]}"
}

spack_runs() {
    local set
    mapfile -t set < <(python3 "$here/support/spack.py" environment "$work/spack/prefix")
    ((${#set[@]} == 2)) && make_program spack-job PKG_CONFIG_PATH="$work/spack/prefix/lib/pkgconfig" &&
        run_job LD_LIBRARY_PATH="$work/spack/prefix/lib" "${set[@]}" "$work/spack-job"
}

# Where `spack install` is started.
spack_finds_tarball() {
    [[ $(cd "$work" && python3 "$here/support/spack.py" url) == "file://$tarball" ]]
}

check_spack() {
    if command -v python3 >/dev/null; then
        check 'Spack (without Spack): the recipe names the tarball' spack_finds_tarball
        check 'Spack (without Spack): builds with the arguments of the recipe' spack_builds
        check 'Spack (without Spack): a job runs with what the recipe sets' spack_runs
    else
        skip 'Spack' 'no python3'
    fi
    skip 'Spack: spack install' 'Spack is in no package registry; run nowhere yet'
}

if wanted distcheck; then
    check 'make distcheck' passes_distcheck
else
    check 'make dist' makes_tarball
fi
for part in rpm easybuild spack; do
    ! wanted "$part" || "check_$part"
done
tap_end
