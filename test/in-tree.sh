#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds Open MPI from source with our components and functions inside its tree, installs it into a
# folder of its own, and runs programs of the tests with it. docs/in-tree.md says what comes out.
set -euo pipefail

usage() {
    cat <<'END_USAGE'
usage: test/in-tree.sh [--dso] [--fresh] [--dir DIR]
  --dso       part/ucx and coll/pschedule as files of their own; default: inside libmpi
  --fresh     from the beginning: do not go on from the tree of the last good run
  --dir DIR   from the beginning, in DIR, and keep everything there
The first run takes ten minutes on two cores. The tree of a good run is kept (half a GB, in
${XDG_CACHE_HOME:-~/.cache}/mpix-partitioned/in-tree), so that later ones build what has changed.
Ends with a line "N passed, N failed".
END_USAGE
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpix-partitioned
folders=(ompi/mca/part/ucx ompi/mca/coll/pschedule ompi/mpiext/partitioned)
variant=libmpi options=(--with-ucx --enable-mpi-ext=partitioned)
# What is at work is in $dir; the tree of the last good run, as a whole or not at all, in $good.
dir="" good="" fresh=0 temp_dir="" log_dir=""
ompi_source="" ucx_version="" ucx_dir="" no_install=0 lists_refreshed=0
made_from="" passed=0 failed=0 failures=""

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
            --dso) variant=dso; options+=(--enable-mca-dso=part-ucx,coll-pschedule) ;;
            --fresh) fresh=1 ;;
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
    local log=$log_dir/$1.log what=$2 started=$SECONDS
    shift 2

    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" | sed 's/^/    /' >&2
        die "$what failed; the folder $dir is left as it is, all output is in $log"
    fi
    say "$what: $(( SECONDS - started )) s"
}

# choose_folder: where to work. Libtool and configure write down where they are, so that a tree can
# be kept elsewhere, and used at its place only.
choose_folder() {
    local state=$cache/in-tree/$variant lock

    if [[ -n $dir ]]; then
        mkdir -p "$dir"
        dir=$(cd "$dir" && pwd)
        [[ ! -e $dir/openmpi ]] || die "$dir/openmpi is there already; name another folder"
    else
        dir=$state/work good=$state/good
        mkdir -p "$state"
        exec {lock}>"$state/lock"
        flock -n "$lock" || { say "another run is at work in $state, waiting for it"; flock "$lock"; }
        # Left by a run that has failed, or was interrupted.
        rm -rf "$dir" "$state/old"
        (( ! fresh )) || rm -rf "$good"
    fi
}

# get_ready: packages, and what a tree must have been made from so that make alone can go on there.
get_ready() {
    log_dir=$cache/log
    mkdir -p "$log_dir"
    need_packages gcc g++ make autoconf automake libtool flex perl pkg-config libhwloc-dev \
        libevent-dev libucx-dev zlib1g-dev xz-utils bzip2
    need_commands gcc make autoconf automake libtoolize flex perl pkg-config
    ucx_version=$(pkg-config --modversion ucx) || die "pkg-config does not find UCX"
    made_from=$(
        ompi_stamp
        echo "here ${options[*]}"
        echo "in $dir"
        # What autogen.pl and configure see of our folders.
        our_sources | grep '/Makefile\.am$'
        our_sources | grep '/configure\.m4$' | (cd "$top" && xargs sha256sum)
        for package in hwloc libevent; do
            echo "$package $(pkg-config --modversion "$package")"
        done
        for program in gcc ld make autoconf automake libtoolize; do
            "$program" --version | sed -n 1p
        done
    )
}

# good_tree_suits: there is one, made from the same things.
good_tree_suits() {
    [[ -n $good && $(cat "$good/made-from" 2>/dev/null) == "$made_from" ]]
}

# our_sources: the files of our three folders. As from a fresh checkout: what an own build has left
# there does not belong into the tree.
our_sources() {
    (cd "$top" && config/sources.sh) | grep -E "^($(IFS='|'; echo "${folders[*]}"))/"
}

# differing_sources FOLDER: what must be copied or removed so that our folders there are as here.
# Files Makefile.in are autogen.pl's.
differing_sources() {
    local file

    our_sources >"$dir/sources"
    while read -r file; do
        if [[ ! -e $1/$file ]]; then
            echo "new $file"
        elif ! cmp -s "$top/$file" "$1/$file"; then
            echo "changed $file"
        fi
    done <"$dir/sources"
    (cd "$1" && find "${folders[@]}" -type f ! -name Makefile.in 2>/dev/null) | sort |
        grep -vxFf "$dir/sources" | sed 's/^/gone /' || true
}

# update_sources LIST: what has changed gets the present time, whatever it has here (a checkout of
# something older must be built again, too); the rest keeps its own and is not built again.
update_sources() {
    local how file

    while read -r how file; do
        echo "$how $file"
        # As a step it does not end by set -e.
        if [[ $how == gone ]]; then
            rm "$dir/openmpi/$file" || return 1
        else
            mkdir -p "$dir/openmpi/${file%/*}" || return 1
            cp "$top/$file" "$dir/openmpi/$file" || return 1
        fi
    done <<<"$1"
}

# forget_objects: Make does not see that an object is one too many.
forget_objects() {
    (cd "$dir/build" && find "${folders[@]}" -type f ! -name Makefile ! -path '*/.deps/*' -delete)
}

new_tree() {
    mkdir -p "$dir/tmp" "$dir/log" "$dir/openmpi" "$dir/build"
    temp_dir=$dir/tmp log_dir=$dir/log
    need_space 1500 "$dir"
    fetch_ompi_source
    step unpack "unpack Open MPI $ompi_pinned" \
        tar -xf "$ompi_source" --strip-components=1 -C "$dir/openmpi"
    step copy "copy our folders into it" update_sources "$(differing_sources "$dir/openmpi")"
    step autogen "autogen.pl" env -C "$dir/openmpi" perl autogen.pl --force
    step configure "configure" env -C "$dir/build" ../openmpi/configure "--prefix=$dir/prefix" \
        "${ompi_options[@]}" "${options[@]}"
}

# continue_tree: the one of the last good run, with our folders as they are now. When a file came or
# went, or a Makefile.am changed, they are built from the beginning.
continue_tree() {
    local differing

    step restore "copy the tree of the last good run" cp -a "$good" "$dir"
    log_dir=$dir/log
    rm -rf "$log_dir" "$dir/prefix" "$dir/programs"
    mkdir "$log_dir"
    differing=$(differing_sources "$dir/openmpi")
    [[ -n $differing ]] || return 0
    step copy "copy $(wc -l <<<"$differing") files that have changed" update_sources "$differing"
    if grep -qE '^(new|gone) |/Makefile\.am$' <<<"$differing"; then
        forget_objects
    fi
}

# keep_tree: renamed when it is whole, so that no run can trust half a tree.
keep_tree() {
    echo "$made_from" >"$dir/made-from"
    [[ ! -e $good ]] || mv "$good" "$(dirname "$good")/old"
    mv "$dir" "$good"
    rm -rf "$(dirname "$good")/old"
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
        echo "not ok $name"
        failures+="$name"$'\n'$(sed 's/^/    /' <<<"$output")$'\n'
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
    [[ -z $missing ]] || { echo "libmpi does not export $missing"; return 1; }
}

# check_component FRAMEWORK NAME
check_component() {
    "$dir/prefix/bin/ompi_info" --parsable | grep "^mca:$1:$2:version:"
}

# The components are where this variant has them.
check_places() {
    local files

    files=$(find "$dir/prefix/lib/openmpi" -name '*part_ucx*' -o -name '*coll_pschedule*')
    echo "in lib/openmpi: $files"
    if [[ $variant == dso ]]; then
        [[ $files == */mca_part_ucx.so* && $files == */mca_coll_pschedule.so* ]]
    else
        [[ -z $files ]]
    fi
}

# Open MPI's own header of all extensions has ours.
check_mpi_ext() {
    "$dir/prefix/bin/mpicc" -Werror -x c -o "$dir/programs/mpi-ext" - <<'END_PROGRAM'
#include <mpi.h>
#include <mpi-ext.h>
#if !OMPI_HAVE_MPI_EXT_PARTITIONED
#error mpi-ext.h does not know the extension
#endif
int main(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    return MPIX_Pbuf_prepare(&request) != PMPIX_Pbuf_prepare(&request);
}
END_PROGRAM
}

# run_program SOURCE RANKS: with the functions of the installed libmpi, as its mpicc finds them.
run_program() {
    local program

    program=$dir/programs/$(basename "$1" .c)
    "$dir/prefix/bin/mpicc" -std=c11 -D_GNU_SOURCE -O1 -g -fopenmp -I"$top/test/support" \
        -o "$program" "$top/test/$1" "$top"/test/support/*.c -lm
    timeout 180 "$dir/prefix/bin/mpirun" --map-by :OVERSUBSCRIBE --mca part ucx --np "$2" "$program"
}

test_installation() {
    # As in launch.sh.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mkdir -p "$dir/programs"
    result "symbols of libmpi" check_symbols
    result "places of the components" check_places
    result "component part/ucx" check_component part ucx
    result "component coll/pschedule" check_component coll pschedule
    result "mpi-ext.h" check_mpi_ext
    result "mpi/s34a_arrived_is_readable" run_program mpi/s34a_arrived_is_readable.c 2
    result "mpi/x01_pbuf_prepare" run_program mpi/x01_pbuf_prepare.c 2
    result "coll/c02_reductions" run_program coll/c02_reductions.c 3
    result "coll/c10_take_work" run_program coll/c10_take_work.c 3
    result "examples/reductions" run_program examples/reductions.c 4
}

main() {
    parse_options "$@"
    choose_folder
    get_ready
    if good_tree_suits; then
        continue_tree
    else
        new_tree
    fi
    step make "make" make -C "$dir/build" -j"$(nproc)"
    check_warnings
    step install "make install" make -C "$dir/build" install
    # As stack.sh says it; environments.sh reads it.
    echo "stack: Open MPI $ompi_pinned  $dir/prefix/bin (our folders are inside: $variant)"
    echo "stack: UCX $ucx_version  of the system"
    test_installation
    if (( failed )); then
        printf '== failures; everything is in %s\n%s' "$dir" "$failures"
    elif [[ -n $good ]]; then
        keep_tree
    fi
    echo "$passed passed, $failed failed"
    (( failed == 0 ))
}

{ main "$@"; exit; }
