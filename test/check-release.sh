#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The package as a user gets it: the tarball of `make dist` is unpacked, configured for the Open MPI
# of this build, built and installed into a folder of the user's; there, with nothing but its env.sh,
# a program is compiled with what pkg-config says, and runs; in the end all is removed again. Prints
# TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
prefix=$work/prefix
home=$work/home
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
# `make check` may have started this: its options and variables are not meant for what follows.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

unpacks() {
    local name
    name=$(make_variable distdir)
    mkdir "$work/sources" "$home"
    make -C .. dist >"$output" 2>&1 </dev/null && mv "../$name.tar.gz" "$work" &&
        tar -xzf "$work/$name.tar.gz" -C "$work/sources" --strip-components=1 >>"$output" 2>&1
}

# Again, from the checkout with other dates of files, and from the unpacked distribution's MANIFEST.
is_reproducible() {
    local name
    name=$(make_variable distdir)
    (umask 027 && make -C .. dist) >"$output" 2>&1 </dev/null &&
        cmp "../$name.tar.gz" "$work/$name.tar.gz" >>"$output" 2>&1 && rm "../$name.tar.gz"
}

# In the folder of the sources, as all other builds of the tests are not; with the options of this
# build, but another prefix; quickly.
builds() {
    local options
    eval "options=($(../config.status --config))"
    (cd "$work/sources" && ./configure "${options[@]}" --prefix="$prefix" \
        --with-component-dir="$prefix/components" && make -j"$(nproc)" CFLAGS=-O0) >"$output" 2>&1 \
        </dev/null
}

installs() {
    make -C "$work/sources" install >"$output" 2>&1 </dev/null
}

# as_user COMMAND...: with env.sh of the installation, and nothing of the environment of this build.
as_user() {
    # shellcheck disable=SC2016
    env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
        bash -c '. "$0" && "$@"' "$(echo "$prefix"/share/*/env.sh)" "$@" >"$output" 2>&1 </dev/null
}

# An example of the documents, whose status is its result.
run_example() {
    as_user timeout --kill-after=5 90 mpirun --np 3 --map-by :OVERSUBSCRIBE --bind-to none \
        --mca part ucx "$work/reductions"
}

compiles() {
    # shellcheck disable=SC2016
    as_user bash -c 'mpicc -fopenmp -o "$1" "$2" $(pkg-config --cflags --libs mpix_partitioned)' \
        bash "$work/reductions" "$here/examples/reductions.c"
}

# compiles_as TEXT COMPILER STANDARD SUFFIX: the header alone, without a warning; what Open MPI's own
# header has to say in that language is not ours.
compiles_as() {
    echo '#include <mpix_partitioned.h>' >"$work/header.$4"
    if ! command -v "$2" >"$output"; then
        skip "$1" "no $2"
    else
        # shellcheck disable=SC2016
        check "$1" as_user bash -c '"$1" "$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            $(pkg-config --cflags mpix_partitioned) \
            $(mpicc --showme:incdirs | sed "s/^/ /; s/ / -isystem /g") "$3"' \
            bash "$2" "-std=$3" "$work/header.$4"
    fi
}

# A project as a user writes it, in C and C++.
make_project() {
    mkdir "$work/project" && cp "$here/examples/reductions.c" "$work/project" &&
        cat >"$work/project/CMakeLists.txt" <<'END' &&
cmake_minimum_required(VERSION 3.16)
project(example LANGUAGES C CXX)
find_package(OpenMP REQUIRED)
find_package(mpix_partitioned 0.1...<1 REQUIRED)
message(STATUS "Open MPI ${mpix_partitioned_OMPI_VERSION}")
add_executable(reductions reductions.c)
target_link_libraries(reductions PRIVATE mpix_partitioned::mpix_partitioned OpenMP::OpenMP_C)
add_executable(version version.cc)
target_link_libraries(version PRIVATE mpix_partitioned::mpix_partitioned)
END
        cat >"$work/project/version.cc" <<'END'
#include <mpix_partitioned.h>

int main()
{
    int (*prepare)(MPI_Request *) = MPIX_Pbuf_prepare;

    return nullptr == prepare;
}
END
}

builds_with_cmake() {
    make_project && as_user cmake -S "$work/project" -B "$work/project/build" \
        -DCMAKE_PREFIX_PATH="$prefix" && as_user cmake --build "$work/project/build" &&
        as_user "$work/project/build/version" && cp "$work/project/build/reductions" "$work" &&
        run_example
}

# One that another version was asked for is told so.
refuses_other_version() {
    sed -i 's/mpix_partitioned 0.1...<1/mpix_partitioned 0.9/' "$work/project/CMakeLists.txt"
    ! as_user cmake -S "$work/project" -B "$work/project/other" \
        -DCMAKE_PREFIX_PATH="$prefix" && grep -q 'compatible with requested version' "$output"
}

# Nor is it found beside another Open MPI than it was built for: here it says that of itself.
refuses_other_mpi() {
    sed -i 's/mpix_partitioned 0.9/mpix_partitioned 0.1/' "$work/project/CMakeLists.txt"
    cp -r "$prefix/lib/cmake/mpix_partitioned" "$work/project/package" &&
        sed -i -E '/_mpix_wanted "|built for Open MPI/s/[0-9]+\.[0-9]+\.[0-9]+[a-z0-9]*/9.9.9/' \
            "$work/project/package/mpix_partitioned-config.cmake" &&
        ! as_user cmake -S "$work/project" -B "$work/project/third" \
            -Dmpix_partitioned_DIR="$work/project/package" &&
        grep -q 'was built for Open MPI 9.9.9' "$output"
}

# The library that the program finds is the installed one, and so are the components.
runs() {
    as_user ldd "$work/reductions" && grep -qF "$prefix/lib/libmpix_partitioned.so" "$output" &&
        as_user ompi_info --param part ucx --level 9 &&
        grep -q 'part_ucx_paths' "$output" && run_example
}

# with_module COMMAND...: in a shell that has loaded the module file, and nothing else.
# shellcheck disable=SC2016
with_module() {
    env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
        bash -c '. "$0" && module use "$1" && module load mpix-partitioned && shift && "$@"' \
        "$modules" "$prefix/share/mpix-partitioned/modulefiles" "$@" >"$output" 2>&1 </dev/null
}

# What it has changed is as before when it is unloaded.
# shellcheck disable=SC2016
unloads() {
    with_module bash -c '. "$0"
        module unload mpix-partitioned
        module unuse "$1/share/mpix-partitioned/modulefiles"
        env | sort' "$modules" "$prefix" && ! grep -F "$prefix" "$output" &&
        ! grep -E '^(OMPI_MCA_mca_base|PMIX_MCA_mca_base)' "$output"
}

runs_with_module() {
    with_module timeout --kill-after=5 90 mpirun --np 3 --map-by :OVERSUBSCRIBE --bind-to none \
        --mca part ucx "$work/reductions" && with_module man -w MPIX_Pallreduce_init &&
        with_module pkg-config --cflags mpix_partitioned && grep -qF "$prefix" "$output"
}

explains() {
    as_user part_ucx_info --help
}

# What programs were linked with is there as it was; new functions may be.
keeps_abi() {
    local description
    for description in "$here"/abi/*.abi; do
        echo "against $(basename "$description" .abi):" >>"$output"
        abidiff --no-added-syms --headers-dir2 "$here/../ompi/mpiext/partitioned/c" \
            --drop-private-types "$description" \
            ../ompi/mpiext/partitioned/c/.libs/libmpix_partitioned.so >>"$output" 2>&1 || return 1
    done
}

# Stock Open MPI finds components in this folder by itself. (The one that env.sh names must be there:
# Open MPI looks no further than a folder that is not.)
runs_from_home() {
    local status
    make -C "$work/sources" install-data ompilibdir="$home/.openmpi/components" >"$output" 2>&1 \
        </dev/null && mv "$prefix/components" "$work/elsewhere" && mkdir "$prefix/components" &&
        run_example
    status=$?
    rm -rf "$home/.openmpi" "$prefix/components"
    mv "$work/elsewhere" "$prefix/components"
    return "$status"
}

leaves_nothing() {
    local left
    make -C "$work/sources" uninstall >"$output" 2>&1 </dev/null
    left=$(find "$prefix" ! -type d)
    [[ -z $left ]] || { echo "left: $left" >>"$output"; return 1; }
}

check 'make dist, and the tarball unpacks' unpacks
check 'make dist makes the same bytes again' is_reproducible
check 'the tarball is configured and built, in the folder of its sources' builds
check 'it is installed into a folder of the user' installs
check 'a program compiles with what pkg-config says' compiles
check 'it runs with the installed library and components' runs
check 'it runs with the components in ~/.openmpi' runs_from_home
check 'part_ucx_info is a command' explains
if command -v abidiff >/dev/null; then
    check 'programs linked with an earlier release run with this library (abidiff)' keeps_abi
else
    skip 'programs linked with an earlier release' 'no abidiff (Debian: abigail-tools)'
fi
modules=/usr/share/modules/init/bash
[[ -r $modules ]] || modules=/usr/share/lmod/lmod/init/bash
if [[ -r $modules ]]; then
    check 'it runs with the module file' runs_with_module
    check 'unloading the module takes everything back' unloads
else
    skip 'it runs with the module file' \
        'neither Environment Modules nor Lmod (Debian: environment-modules, lmod)'
fi
compiles_as 'the header is C23' gcc c2x c
compiles_as 'the header is C++17' g++ c++17 cc
if command -v cmake g++ >/dev/null; then
    check 'a project finds it with CMake, in C and C++, and runs' builds_with_cmake
    check 'a project that wants another version is told' refuses_other_version
    check 'a project with another Open MPI is told' refuses_other_mpi
else
    skip 'a project finds it with CMake, in C and C++, and runs' 'no cmake, or no g++'
fi
check 'make uninstall leaves no file' leaves_nothing
tap_end
