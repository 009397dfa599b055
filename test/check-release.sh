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

# The library that the program finds is the installed one, and so are the components.
runs() {
    as_user ldd "$work/reductions" && grep -qF "$prefix/lib/libmpix_partitioned.so" "$output" &&
        as_user ompi_info --param part ucx --level 9 &&
        grep -q 'part_ucx_paths' "$output" && run_example
}

explains() {
    as_user part_ucx_info --help
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
check 'the tarball is configured and built, in the folder of its sources' builds
check 'it is installed into a folder of the user' installs
check 'a program compiles with what pkg-config says' compiles
check 'it runs with the installed library and components' runs
check 'it runs with the components in ~/.openmpi' runs_from_home
check 'part_ucx_info is a command' explains
check 'make uninstall leaves no file' leaves_nothing
tap_end
