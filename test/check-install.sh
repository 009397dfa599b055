#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# `make install`, `make uninstall` and `make dist` of this build: everything gets where it belongs,
# under DESTDIR and nowhere else, nothing is left, and the tarball has what the sources have. Prints
# TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$work/output")
# `make check` may have started this: its options and variables are not meant for what follows.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# run_make TARGET [ARGUMENT...]: in the top folder of the build.
run_make() {
    make -C .. "$@" >"$work/output" 2>&1 </dev/null
}

installs() {
    run_make install "DESTDIR=$work/root"
}

# has FILE...: in the tree that was installed, where DESTDIR stands for /.
has() {
    local file
    for file in "$@"; do
        [[ -s $work/root$file ]] || { echo "missing: $file" >>"$work/output"; return 1; }
    done
}

is_complete() {
    has "$(make_variable ompilibdir)"/mca_{part_ucx,coll_pschedule}.so \
        "$(make_variable libdir)"/libmpix_partitioned.so "$(make_variable pkgconfigdir)/mpix_partitioned.pc" \
        "$(make_variable cmakedir)"/mpix_partitioned-config{,-version}.cmake \
        "$(make_variable includedir)"/mpix_partitioned{,_collectives,_neighbors}.h \
        "$(make_variable bindir)"/{part_ucx_info,pschedule_tune} \
        "$(make_variable mpixdatadir)"/{env.sh,examples/{exchange.c,train.py}} \
        "$(make_variable modulefiledir)/$(make_variable PACKAGE_VERSION)" \
        "$(make_variable mandir)/man3/MPIX_Pallreduce_init.3" &&
        bash -n "$work/root$(make_variable mpixdatadir)/env.sh"
}

# Open MPI looks at every file of a folder with components.
has_only_components() {
    local others
    others=$(find "$work/root$(make_variable ompilibdir)" -type f ! -name 'mca_*.so')
    [[ -z $others ]] || { echo "besides components: $others" >>"$work/output"; return 1; }
}

# others_than EXPRESSION LIBRARY: visible names that do not match.
others_than() {
    local others
    nm -D --defined-only "$work/root$2" | awk '{ print $3 }' >"$work/symbols"
    others=$(grep -Ev "$1" "$work/symbols" || true)
    [[ -s $work/symbols && -z $others ]] || { echo "others: $others" >"$work/output"; return 1; }
}

# Each function has both names.
shows_only_its_own() {
    others_than '^P?MPIX_' "$(make_variable libdir)/libmpix_partitioned.so" &&
        (($(grep -c '^PMPIX_' "$work/symbols") >= 25)) &&
        (($(grep -c '^MPIX_' "$work/symbols") == $(grep -c '^PMPIX_' "$work/symbols")))
}

# What is below libmpi is libmpi's choice: two of those in one process do not work.
needs_only_mpi() {
    readelf -d "$work/root$(make_variable libdir)/libmpix_partitioned.so" >"$work/list" &&
        grep -q 'NEEDED.*libmpi\.so' "$work/list" && ! grep 'NEEDED.*libopen-' "$work/list" &&
        ! grep -E "^dependency_libs='.+'" "$work/root$(make_variable libdir)"/*.la
} >"$work/output" 2>&1

# The env.sh of this build and of the installation, the latter before and after: it counts, nothing is
# there twice, and what was there stays behind.
selects_the_last() {
    local installed variable
    installed=$work/root$(make_variable mpixdatadir)/env.sh
    for variable in OMPI_MCA_mca_base_component_path LD_LIBRARY_PATH MANPATH; do
        # shellcheck disable=SC2016
        env -i PATH=/bin:/usr/bin HOME=/ LD_LIBRARY_PATH=/mine::/yours MANPATH=/mine: \
            sh -eu -c '. "$1"; . "$2"; . "$1"; eval "echo \"\$$3\""' \
            sh "$installed" ../env.sh "$variable" >"$work/list" || return 1
        # shellcheck disable=SC2016
        env -i PATH=/bin:/usr/bin HOME=/ sh -eu -c '. "$1"; eval "echo \"\$$2\""' \
            sh "$installed" "$variable" >"$work/first" || return 1
        [[ $(cut -d: -f1 "$work/list") == "$(cut -d: -f1 "$work/first")" &&
            -z $(tr : '\n' <"$work/list" | grep . | sort | uniq -d) ]] ||
            { echo "$variable: $(<"$work/list")" >"$work/output"; return 1; }
        case $variable in
            LD_LIBRARY_PATH) [[ $(<"$work/list") == *:/mine::/yours ]] ;;
            MANPATH) [[ $(<"$work/list") == *:/mine: ]] ;;
        esac || { echo "$variable: $(<"$work/list")" >"$work/output"; return 1; }
    done
}

leaves_nothing() {
    local left
    run_make uninstall "DESTDIR=$work/root"
    left=$(find "$work/root" ! -type d)
    [[ -z $left ]] || { echo "left: $left" >>"$work/output"; return 1; }
}

# Its hook fails if a source is missing in it.
makes_tarball() {
    local tarball
    tarball=$(make_variable distdir).tar.gz
    run_make dist && tar -tzf "../$tarball" >"$work/list" && rm "../$tarball" &&
        grep -q '/configure$' "$work/list" && grep -q '/MANIFEST$' "$work/list"
}

check 'make install' installs
check 'everything is installed where it belongs' is_complete
check 'the folder of the components has nothing else' has_only_components
check 'the library shows MPIX_ and PMPIX_ names, and no other' shows_only_its_own
check 'the library needs no inner library of Open MPI' needs_only_mpi
check 'of two env.sh the one that was sourced last counts' selects_the_last
check 'make uninstall leaves no file' leaves_nothing
check 'make dist' makes_tarball
tap_end
