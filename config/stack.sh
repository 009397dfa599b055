#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes sure that there are an Open MPI 5 or later with development headers, a UCX 1.13 or later, and
# the tools to build this project, and says where. What is there is used; what packages have is
# installed from them; else Open MPI is built from source into the user's cache folder.
set -euo pipefail

usage() {
    cat <<'END'
usage: config/stack.sh [option...]
  --ompi DIR         use the Open MPI installed in DIR
  --ucx DIR          use the UCX installed in DIR, and an Open MPI that was built for it
  --ucx wheel:VER    the same with a UCX from a Python wheel (1.18.1 or 1.22.0)
  --also PACKAGE     make sure that this package is installed, too (repeat for more)
  --try PACKAGE      the same where packages can be installed, else go on without it
  --no-install       never install packages: print the command that would and stop
  --fortran          use or build an Open MPI with Fortran, for its modules (needs gfortran)
  --build            build Open MPI even if there is one on PATH or in packages
  --export           print shell commands that select the stack, for eval
  --quiet            say only what goes wrong
Environment: XDG_CACHE_HOME (default ~/.cache) holds mpix-partitioned/, where things are built;
MPIX_STACK_FLAGS holds options that come before those of the command line.
END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in say packages ucx ompi; do
    # shellcheck source=/dev/null
    . "$here/stack.d/$part.sh"
done

# Tools that every build of this project needs; elsewhere than on Debian they are only looked for.
tool_packages=(gcc make autoconf automake libtool pkg-config libhwloc-dev)
tool_commands=(gcc make autoconf automake libtoolize pkg-config)

cache=${XDG_CACHE_HOME:-$HOME/.cache}/mpix-partitioned
log_dir=$cache/log
temp_dir=""
step_pid=""
quiet=0 no_install=0 lists_refreshed=0 force_build=0 print_export=0 want_fortran=0
wanted_ompi="" wanted_ucx="" also=() try=()
ompi_version="" ompi_bin="" ompi_prefix="" ompi_how="" ompi_source=""
ucx_version="" ucx_dir=""

# need_value OPTION NUMBER-OF-ARGUMENTS
need_value() {
    (( $2 >= 2 )) || die "$1 needs a value"
}

parse_options() {
    while (( $# )); do
        case "$1" in
            --ompi) need_value "$1" $#; wanted_ompi=$2; shift ;;
            --ucx) need_value "$1" $#; wanted_ucx=$2; shift ;;
            --also) need_value "$1" $#; also+=("$2"); shift ;;
            --try) need_value "$1" $#; try+=("$2"); shift ;;
            --no-install) no_install=1 ;;
            --fortran) want_fortran=1 ;;
            --build) force_build=1 ;;
            --export) print_export=1 ;;
            --quiet) quiet=1 ;;
            -h | --help) usage; exit 0 ;;
            *) usage >&2; die "unknown option $1" ;;
        esac
        shift
    done
}

cleanup() {
    kill_step
    [[ -z $temp_dir ]] || rm -rf "$temp_dir"
}

interrupted() {
    trap - INT TERM HUP
    note "interrupted; nothing half done is left, run it again to go on"
    exit 130
}

# remove_leftovers: what a stack.sh that was killed left behind: its folder, and the step that may
# still be at work there.
remove_leftovers() {
    local dir pid

    for dir in "$cache"/tmp.*; do
        [[ -d $dir ]] || continue
        pid=$(cat "$dir/step" 2>/dev/null || true)
        if [[ -n $pid && $(readlink "/proc/$pid/cwd") == "$dir"/* ]]; then
            kill -KILL -- "-$pid" 2>/dev/null || true
            sleep 1
        fi
        rm -rf "$dir"
    done
}

# lock_cache: before anything in the cache folder is changed; one stack.sh at a time.
lock_cache() {
    [[ -z $temp_dir ]] || return 0
    local status=0
    exec 9>"$cache/lock"
    flock -n 9 || status=$?
    if ((status == 1)); then
        note "another stack.sh is at work in $cache, waiting for it"
        flock 9
    elif ((status != 0)); then
        note "$cache is on a file system without locks: start one stack.sh at a time"
    fi
    remove_leftovers
    temp_dir=$(mktemp -d "$cache/tmp.XXXXXX")
}

choose_ucx() {
    case "$wanted_ucx" in
        "") ;;
        /usr | /usr/) use_system_ucx ;;
        wheel:*) use_ucx_wheel "${wanted_ucx#wheel:}" ;;
        *) use_ucx_dir "$wanted_ucx" ;;
    esac
}

# The UCX of an Open MPI that was there already, unless one was named.
adopt_ucx() {
    local libucp dir

    [[ -z $ucx_version ]] || return 0
    libucp=$(libucp_of "$ompi_bin")
    dir=$(dirname "$(dirname "${libucp:-/usr/lib/x}")")
    case "$dir" in
        / | /usr | /usr/lib | /lib) ;;
        *) if [[ -r $dir/include/ucp/api/ucp.h ]]; then
               use_ucx_dir "$dir"
               return 0
           fi ;;
    esac
    use_system_ucx
}

choose_ompi() {
    if [[ -n $wanted_ompi ]]; then
        [[ -d $wanted_ompi ]] || die "--ompi $wanted_ompi: there is no such folder"
        wanted_ompi=$(cd "$wanted_ompi" && pwd)
        try_mpicc "$wanted_ompi/bin/mpicc" "named by --ompi" ||
            die "the Open MPI in $wanted_ompi cannot be used"
        ompi_prefix=$wanted_ompi
    elif (( ! force_build )) && { ompi_on_path || ompi_from_packages; }; then
        :
    else
        [[ -n $ucx_version ]] || use_system_ucx
        ompi_from_cache || die "the Open MPI that was built cannot be used"
    fi
    adopt_ucx
    # What configure gets travels as the words of one string.
    [[ $ompi_prefix$ucx_dir != *[[:space:]\'\"]* ]] ||
        die "there are spaces or quotes in the names of these folders: $ompi_prefix $ucx_dir"
}

configure_flags() {
    printf '%s' "${ompi_prefix:+--with-ompi=$ompi_prefix}"
    printf '%s' "${ucx_dir:+${ompi_prefix:+ }--with-ucx=$ucx_dir}"
}

summary() {
    local flags

    flags=$(configure_flags)
    say "Open MPI $ompi_version  $ompi_bin ($ompi_how)"
    say "UCX $ucx_version  ${ucx_dir:-of the system}"
    say "next: ./autogen.sh && ./configure${flags:+ $flags} && make"
}

# For eval: the stack in front on PATH, and the arguments that configure needs.
print_exports() {
    echo "export MPIX_CONFIGURE_FLAGS='$(configure_flags)'"
    # Behind everything else a folder of the system would be too late, in front too early.
    case ":$PATH:" in
        *":$ompi_bin:"*) [[ -n $ompi_prefix ]] || return 0 ;;
    esac
    echo "export PATH='$ompi_bin':\"\$PATH\""
}

main() {
    local flags=()

    read -ra flags <<<"${MPIX_STACK_FLAGS:-}"
    parse_options "${flags[@]}" "$@"
    trap cleanup EXIT
    trap interrupted INT TERM HUP
    mkdir -p "$log_dir"
    (( ! want_fortran )) || choose_fortran
    need_packages "${tool_packages[@]}" "${also[@]}"
    try_packages "${try[@]}"
    need_commands "${tool_commands[@]}"
    choose_ucx
    choose_ompi
    summary
    (( ! print_export )) || print_exports
}

# In one piece, so that bash does not read on in a file that was changed meanwhile.
{ main "$@"; exit; }
