#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds Open MPI from source with our components and functions inside its tree, installs it into a
# folder of its own, and runs programs of the tests with it. docs/in-tree.md says what comes out.
set -euo pipefail

usage() {
    cat <<'END_USAGE'
usage: test/in-tree.sh [--dso] [--dir DIR]
  --dso       part/ucx and coll/pschedule as files of their own; default: inside libmpi
  --dir DIR   work and install there and keep it (default: a folder that is removed in the end)
Takes a quarter of an hour on two cores and 2 GB. Ends with a line "N passed, N failed".
END_USAGE
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpix-partitioned
dir="" temp_dir="" log_dir="" ompi_source="" dso_options=()
no_install=0 lists_refreshed=0 passed=0 failed=0

# The same source, and the same way to get it and packages, as config/stack.sh.
# shellcheck source=/dev/null
. "$top/config/stack.d/packages.sh"
# shellcheck source=/dev/null
. "$top/config/stack.d/ompi.sh"

say() {
    echo "in-tree: $*" >&2
}

die() {
    echo "in-tree: error: $*" >&2
    exit 1
}

parse_options() {
    while (( $# )); do
        case "$1" in
            --dso) dso_options=(--enable-mca-dso=part-ucx,coll-pschedule) ;;
            --dir) (( $# > 1 )) || die "--dir needs a folder"
                   dir=$2; shift ;;
            -h | --help) usage; exit 0 ;;
            *) usage >&2; die "unknown option $1" ;;
        esac
        shift
    done
}

# step NAME WHAT COMMAND...: its output goes to a log, whose end is shown when it fails.
step() {
    local log=$log_dir/$1.log what=$2
    shift 2

    say "$what"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" | sed 's/^/    /' >&2
        die "$what failed; the folder $dir is left as it is, all output is in $log"
    fi
}

copy_into_tree() {
    (cd "$top" && config/sources.sh | grep '^ompi/' | tar -cf - -T -) | tar -xf - -C "$dir/openmpi"
}

# The compiler has nothing to say about our files, whatever it says about others.
check_warnings() {
    if grep -E '/(part/ucx|coll/pschedule|mpiext/partitioned)/.*warning:' "$log_dir/make.log"; then
        die "the compiler warns about our files"
    fi
}

# result NAME COMMAND...: count it, and show its output when it fails.
result() {
    local name=$1 output
    shift

    # mpirun puts a NUL behind messages.
    if output=$("$@" 2>&1 | tr -d '\000') && ! grep -qE '^(not ok|Bail out)' <<<"$output"; then
        echo "ok $name"
        passed=$(( passed + 1 ))
    else
        sed 's/^/    /' <<<"$output"
        echo "not ok $name"
        failed=$(( failed + 1 ))
    fi
}

# Every function that the public headers declare is exported by libmpi.
check_symbols() {
    local exported missing

    exported=$(nm -D --defined-only "$dir/prefix/lib/libmpi.so" | awk '{ print $NF }' | sort -u)
    missing=$(sed -nE 's/^int (P?MPIX_[A-Z][a-z_]+)\(.*/\1/p' \
        "$top"/ompi/mpiext/partitioned/c/mpix_partitioned*.h | sort -u |
        comm -23 - <(echo "$exported"))
    [[ -z $missing ]] || { echo "libmpi does not export" $missing; return 1; }
}

# check_component FRAMEWORK NAME
check_component() {
    "$dir/prefix/bin/ompi_info" --parsable | grep "^mca:$1:$2:version:"
}

# run_program SOURCE RANKS: with the functions of the installed libmpi, as its mpicc finds them.
run_program() {
    local program=$dir/programs/$(basename "$1" .c)

    mkdir -p "$dir/programs"
    "$dir/prefix/bin/mpicc" -std=c11 -D_GNU_SOURCE -O1 -g -fopenmp -I"$top/test/support" \
        -o "$program" "$top/test/$1" "$top"/test/support/*.c -lm
    timeout 180 "$dir/prefix/bin/mpirun" --map-by :OVERSUBSCRIBE --mca part ucx --np "$2" "$program"
}

test_installation() {
    # As in launch.sh.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    result "symbols of libmpi" check_symbols
    result "component part/ucx" check_component part ucx
    result "component coll/pschedule" check_component coll pschedule
    result "mpi/s34a_arrived_is_readable" run_program mpi/s34a_arrived_is_readable.c 2
    result "mpi/x01_pbuf_prepare" run_program mpi/x01_pbuf_prepare.c 2
    result "coll/c02_reductions" run_program coll/c02_reductions.c 3
    result "coll/c10_take_work" run_program coll/c10_take_work.c 3
    result "examples/reductions" run_program examples/reductions.c 4
}

main() {
    local keep=yes

    parse_options "$@"
    [[ -n $dir ]] || { dir=$(mktemp -d); keep=no; }
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    [[ ! -e $dir/openmpi ]] || die "$dir/openmpi is there already; name another folder"
    temp_dir=$dir/tmp log_dir=$dir/log
    mkdir -p "$temp_dir" "$log_dir" "$dir/openmpi" "$dir/build" "$cache"
    need_packages gcc g++ make autoconf automake libtool flex perl pkg-config libhwloc-dev \
        libevent-dev libucx-dev zlib1g-dev xz-utils bzip2
    need_commands gcc make autoconf automake libtoolize flex perl pkg-config
    fetch_ompi_source
    step unpack "unpack Open MPI $ompi_pinned" \
        tar -xf "$ompi_source" --strip-components=1 -C "$dir/openmpi"
    step copy "copy our folders into it" copy_into_tree
    step autogen "autogen.pl" env -C "$dir/openmpi" perl autogen.pl --force
    step configure "configure" env -C "$dir/build" ../openmpi/configure "--prefix=$dir/prefix" \
        "${ompi_options[@]}" --with-ucx --enable-mpi-ext=partitioned "${dso_options[@]}"
    step make "make" make -C "$dir/build" -j"$(nproc)"
    check_warnings
    step install "make install" make -C "$dir/build" install
    test_installation
    echo "$passed passed, $failed failed"
    (( failed == 0 )) || { say "everything is in $dir"; exit 1; }
    [[ $keep == yes ]] || rm -rf "$dir"
}

{ main "$@"; exit; }
