# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced by the scripts of bench/: what all of them do. Those that read options have functions
# usage and take_option.

python3=python3 # see need_python

# The folder of the sources.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() {
    printf '\n== %s\n' "$*" >&2
}

# read_options NAMES KIND WORD...: hands every word of a command line to the script's take_option,
# and with it the next one if it is one of these options, which need a value (a folder, ...). Ends
# the script for -h, and, with its usage, for a word that take_option does not take.
read_options() {
    local valued=" $1 " kind=$2 option
    shift 2
    while (( $# )); do
        option=$1
        shift
        case $option in
            -h | --help) usage; exit 0 ;;
        esac
        if [[ $valued != *" $option "* ]]; then
            take_option "$option" || { usage >&2; exit 2; }
        elif (( $# )); then
            take_option "$option" "$1"
            shift
        else
            echo "${0##*/}: $option needs a $kind" >&2
            exit 2
        fi
    done
}

# help_in WORD...: ends the script with its usage if some word asks for it; the others are for the
# program that it calls.
help_in() {
    local word
    for word in "$@"; do
        case $word in
            -h | --help) usage; exit 0 ;;
        esac
    done
}

# Which python3 reads TOML: that on PATH, or the system's. Ends the script where none does. None at
# all is fetched.
need_python() {
    for python3 in python3 /usr/bin/python3; do
        ! "$python3" -c 'import tomllib' 2>/dev/null || return 0
    done
    python3=python3
    if command -v python3 >/dev/null; then
        echo "${0##*/}: $(python3 --version) is on PATH; 3.11 or later is needed" >&2
        exit 2
    fi
}

# get_build OPTION OF build.sh...: sets build, and takes its env.sh.
get_build() {
    need_python # before minutes are spent
    build=$("$top/config/build.sh" --also python3 "$@" --try iproute2 --try hostname)
    # shellcheck source=/dev/null
    . "$build/env.sh"
}

# The folder of the results, made, with its whole path.
make_folder() {
    mkdir -p "$1" && (cd "$1" && pwd)
}

# no_cluster TEXT...: whether this machine or user cannot have virtual hosts; then it says so, and
# why.
no_cluster() {
    local reason
    ! reason=$("$top/test/vcluster" check 2>&1) || return 1
    say "No virtual hosts here$*"
    printf '   %s\n' "${reason//$'\n'/$'\n'   }" >&2
}

# Prints a python3 that can draw; none: a status. The one on PATH need not be the one whose
# matplotlib the packages bring.
find_plotter() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import tomllib, matplotlib' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

# The same, for scripts that go on without; then it says that there are no plots.
want_plotter() {
    find_plotter || {
        say "No $1: python3 has no matplotlib (Debian: apt install python3-matplotlib)"
        return 1
    }
}
