#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the tests with several versions of Open MPI and UCX and inside an Open MPI source tree, each
# from a clean copy of the sources, and prints one table. The last line is "N passed, N failed", the sums.
set -euo pipefail

usage() {
    cat <<'END'
usage: test/environments.sh [--list] [--clean] [NAME[:quick[:GROUP,...]]...] [-- ARGUMENT OF test/run.sh...]
  host       this machine, with the stack that config/stack.sh chooses
  ucx-1.18   this machine, UCX 1.18.1 from a wheel and an Open MPI 5 built for it
  ucx-1.22   the same with UCX 1.22.0
  debian13   a Debian 13 root, everything from packages (needs root and debootstrap)
  packages   the Debian packages, in the Debian 13 root: test/check-packages.sh
  slurm      the Debian 13 root: the tests on several hosts, started by Slurm's srun
  recipes    this machine, an Open MPI with Fortran: the recipes for RPM, EasyBuild and Spack
  unstable   a Debian unstable root with Open MPI 6, everything from packages (likewise)
  packages-unstable  the Debian packages, in that root
  fortran    this machine, an Open MPI with Fortran: only what is in Fortran
  in-tree    this machine, an Open MPI built with our folders in its source tree: test/in-tree.sh,
             which has few tests of its own, the same with :quick; no arguments of test/run.sh
  in-tree-dso  the same with the components as files of their own
  clients    this machine: programs of others, got from the network; only where it is named
Without NAME: all; NAME:quick runs the quick tests only, NAME:quick:GROUP,... those of these groups of
test/run.sh. --list prints the names, --clean removes the
roots and the source trees that were made.
Roots, trees, logs and compiled objects are kept in ${XDG_CACHE_HOME:-~/.cache}/mpix-partitioned.
END
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpix-partitioned
all=(host ucx-1.18 ucx-1.22 fortran recipes debian13 packages slurm unstable packages-unstable \
    in-tree in-tree-dso)
names=() run_arguments=() rows=()
# Each has its own libraries and components: none of a build whose env.sh this shell has sourced.
unset LD_LIBRARY_PATH PKG_CONFIG_PATH OMPI_MCA_mca_base_component_path \
    PMIX_MCA_mca_base_component_path
passed_sum=0 failed_sum=0
work=""

# shellcheck source=/dev/null
. "$top/config/stack.d/packages.sh"

say() {
    echo "environments: $*" >&2
}

# For packages.sh.
note() {
    say "$@"
}

die() {
    echo "environments: error: $*" >&2
    exit 1
}

parse_arguments() {
    while (( $# )); do
        case "$1" in
            --list) printf '%s\n' "${all[@]}"; exit 0 ;;
            --clean) rm -rf --one-file-system "$cache/roots" "$cache/in-tree"; exit 0 ;;
            -h | --help) usage; exit 0 ;;
            --) shift; run_arguments=("$@"); break ;;
            *) [[ " ${all[*]} clients " == *" ${1%%:*} "* && $1 =~ ^[^:]+(:quick(:[a-z,]+)?)?$ ]] ||
                   { usage >&2; die "unknown environment $1"; }
               names+=("$1") ;;
        esac
        shift
    done
    (( ${#names[@]} )) || names=("${all[@]}")
}

# keep_objects: what was compiled in an earlier run, of the same sources in another folder, is not
# compiled again, if ccache is here or can be installed: its compilers come first in PATH.
keep_objects() {
    # What packages.sh asks for.
    # shellcheck disable=SC2034
    local no_install=0 lists_refreshed=0 log_dir=$cache/log folder

    command -v ccache >/dev/null || (try_packages ccache) || true
    for folder in /usr/lib/ccache /usr/lib64/ccache; do
        [[ ! -x $folder/gcc ]] || export PATH=$folder:$PATH
    done
    export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
}

# take_quick_shell: libtool, which is one long script, takes half the time in it.
take_quick_shell() {
    [[ ! -x /bin/dash ]] || export CONFIG_SHELL=/bin/dash
}

# run_on_host DIR STACK-OPTIONS ARGUMENT... The stack is made without ccache: its mpicc would name it.
run_on_host() {
    (
        cd "$1"
        export MPIX_STACK_FLAGS=$2
        shift 2
        config/stack.sh && keep_objects && take_quick_shell && bash test/run.sh "$@"
    )
}

# own_mirror: the mirror that this machine uses for its own suite.
own_mirror() {
    local entry

    entry=$(apt_source_entry any) || return 1
    sed -E 's/^deb-src (\[[^]]*\] )?([^ ]+) .*/\2/' <<<"$entry"
}

# need_roots NAME...: ends the script here, with one sentence, if some environment cannot have a root.
need_roots() {
    local name
    # What packages.sh asks for.
    # shellcheck disable=SC2034
    local no_install=0 lists_refreshed=0 log_dir=$cache/log

    for name in "$@"; do
        case ${name%%:*} in
            debian13 | packages | slurm | unstable | packages-unstable)
                (( EUID == 0 )) || die "$name needs root"
                need_packages debootstrap
                need_commands debootstrap
                return ;;
        esac
    done
}

# make_root SUITE: prints the folder of a root with that suite; made once, then kept.
make_root() {
    local suite=$1 root=$cache/roots/$1 mirror script=()

    if [[ ! -d $root ]]; then
        mirror=$(own_mirror) || die "no entry of this machine's APT lists names a mirror"
        # An older debootstrap may not know the suite's name; all of them are made in one way.
        [[ -e /usr/share/debootstrap/scripts/$suite ]] ||
            script=(/usr/share/debootstrap/scripts/sid)
        say "making a root with Debian $suite (log: $cache/log/root-$suite.log)"
        rm -rf --one-file-system "$cache/roots/new-$suite"
        debootstrap --variant=minbase --include=ca-certificates "$suite" \
            "$cache/roots/new-$suite" "$mirror" "${script[@]}" >"$cache/log/root-$suite.log" 2>&1 ||
            die "debootstrap failed: $cache/log/root-$suite.log"
        mv "$cache/roots/new-$suite" "$root"
    fi
    echo "$root"
}

# What runs as the first process of a root: a file system of its own, which the kernel takes away
# with the last process however that ends, then the tests.
# shellcheck disable=SC2016
root_script='
set -euo pipefail
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=0755 tmpfs "$root/run"
# Process numbers start over in each run, and mpirun names folders in /tmp after its own.
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
# Debian builds Open MPI with IPv6, and its TCP does not find the way to the own host if the only
# IPv6 address is a local one. It has Fortran.
exec chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    OMPI_MCA_btl_tcp_disable_family=6 MPIX_STACK_FLAGS=--fortran \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    bash -c "cd /root/mpix-partitioned && config/stack.sh --fortran && exec bash \"\$@\"" run "$@"
'

# run_in_root SUITE SCRIPT ARGUMENT... A shell of its own, which gives the lock back.
run_in_root() (
    local root lock

    # The sources lie in the root, and packages are installed there: one run at a time.
    mkdir -p "$cache/roots"
    exec {lock}>"$cache/roots/$1.lock"
    flock -n "$lock" || { say "another run is at work in this root, waiting for it"; flock "$lock"; }
    root=$(make_root "$1") || exit
    shift
    rm -rf "$root/root/mpix-partitioned"
    "$top/config/sources.sh" --tracked --copy "$root/root/mpix-partitioned"
    unshare --mount --pid --fork --kill-child bash -c "$root_script" environments "$root" "$@"
)

# run_environment NAME DIR ARGUMENT...
run_environment() {
    local name=$1 dir=$2

    shift 2
    case "$name" in
        host) run_on_host "$dir" "" "$@" ;;
        ucx-1.18) run_on_host "$dir" "--ucx wheel:1.18.1" "$@" ;;
        ucx-1.22) run_on_host "$dir" "--ucx wheel:1.22.0" "$@" ;;
        fortran) run_on_host "$dir" --fortran "$@" fortran ;;
        recipes) run_on_host "$dir" --fortran "$@" recipes ;;
        clients) run_on_host "$dir" "" "$@" clients ;;
        debian13) run_in_root trixie test/run.sh "$@" ;;
        packages) run_in_root trixie test/check-packages.sh ;;
        slurm) run_in_root trixie test/run.sh "$@" slurm ;;
        unstable) run_in_root sid test/run.sh "$@" ;;
        packages-unstable) run_in_root sid test/check-packages.sh ;;
        in-tree) bash "$dir/test/in-tree.sh" ;;
        in-tree-dso) bash "$dir/test/in-tree.sh" --dso ;;
    esac
}

# from_log LOG EXPRESSION: the last match.
from_log() {
    sed -nE "s/$2/\\1/p" "$1" | tail -n 1
}

# test_environment NAME[:quick[:GROUP,...]]: run it, add a row to the table and to the sums.
test_environment() {
    local name=${1%%:*} started=$SECONDS rc=0 arguments=(--werror "${run_arguments[@]}")
    local log=$cache/log/environment-$name.log result passed failed skipped groups=()

    [[ $1 == "$name" ]] || arguments+=(--quick)
    if [[ $1 == *:quick:* ]]; then
        IFS=, read -ra groups <<<"${1##*:}"
        arguments+=(--lean "${groups[@]}")
    fi
    say "$name ... (log: $log)"
    case "$name" in
        debian13 | packages | slurm | unstable | packages-unstable) ;;
        *) "$top/config/sources.sh" --tracked --copy "$work/$name" ;;
    esac
    run_environment "$name" "$work/$name" "${arguments[@]}" >"$log" 2>&1 || rc=$?
    result=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1 || true)
    passed=${result%% *}
    failed=$(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"$result")
    skipped=$(sed -nE 's/.* ([0-9]+) skipped$/\1/p' <<<"$result")
    # No result, or a failure that it does not show, counts as one.
    if [[ -z $result ]] || { (( rc )) && (( failed == 0 )); }; then
        passed=${passed:-0}
        failed=$(( ${failed:-0} + 1 ))
        tail -n 20 "$log" | sed 's/^/    /' >&2
    fi
    (( failed == 0 )) || sed -n '/^== failures/,$p' "$log" | head -n 60 >&2
    passed_sum=$(( passed_sum + passed ))
    failed_sum=$(( failed_sum + failed ))
    rows+=("$(printf '%-17s %-10s %-10s %7d %7d %7d %6d:%02d' "$name" \
        "$(from_log "$log" '^stack: Open MPI ([^ ]+).*')" \
        "$(from_log "$log" '^stack: UCX ([^ ]+).*')" "$passed" "$failed" "${skipped:-0}" \
        $(( (SECONDS - started) / 60 )) $(( (SECONDS - started) % 60 )))")
    say "$name: $passed passed, $failed failed"
    if (( failed )) && [[ -d $work/$name ]]; then
        say "$name: its build is kept in $work/$name"
    else
        rm -rf "${work:?}/$name"
    fi
}

main() {
    local name

    parse_arguments "$@"
    mkdir -p "$cache/log"
    need_roots "${names[@]}"
    work=$(mktemp -d "${TMPDIR:-/tmp}/mpix-environments.XXXXXX")
    trap 'rmdir "$work" 2>/dev/null || true' EXIT
    trap 'rm -rf "$work"; exit 130' INT TERM
    for name in "${names[@]}"; do
        test_environment "$name"
    done
    printf '%-17s %-10s %-10s %7s %7s %7s %9s\n' environment "Open MPI" UCX passed failed skipped \
        minutes
    printf '%s\n' "${rows[@]}"
    echo "$passed_sum passed, $failed_sum failed"
    (( failed_sum == 0 && passed_sum > 0 ))
}

{ main "$@"; exit; }
