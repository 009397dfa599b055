#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Several config/stack.sh at a time, in a cache folder of their own with made-up installations in it:
# "current" always leads somewhere and to the right one, who has to wait says so, and a lock whose
# holder was killed is free. Prints TAP.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stack=$here/../config/stack.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/mpix-stack.XXXXXX")
cache=$work/mpix-partitioned
export XDG_CACHE_HOME=$work PKG_CONFIG_PATH=$work/pkgconfig
unset MPIX_STACK_FLAGS
number=0 failed=0

clean_up() {
    local process
    for process in $(jobs -p); do
        kill -KILL "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}

report() {
    local status=0
    number=$((number + 1))
    ("${@:2}") >"$work/said" 2>&1 || status=$?
    if ((status == 0)); then
        echo "ok $number - $1"
    else
        sed 's/^/# /' "$work/said"
        echo "not ok $number - $1"
        failed=$((failed + 1))
    fi
}

# make_ucx VERSION: what stack.sh looks for in a UCX.
make_ucx() {
    mkdir -p "$work/ucx-$1/include/ucp/api"
    : >"$work/ucx-$1/include/ucp/api/ucp.h"
    printf '#define UCP_API_MAJOR %s\n#define UCP_API_MINOR %s\n' "${1%.*}" "${1#*.}" \
        >"$work/ucx-$1/include/ucp/api/ucp_version.h"
}

# make_ompi UCX-VERSION UCX-FOLDER: an Open MPI that stack.sh has built for it.
make_ompi() {
    local ompi_pinned ompi_stamp
    # shellcheck disable=SC2034
    local ucx_version=$1 ucx_dir=$2
    # shellcheck source=config/stack.d/ompi.sh
    . "$here/../config/stack.d/ompi.sh"
    local prefix=$cache/stack/openmpi-$ompi_pinned+ucx-$1
    mkdir -p "$prefix/bin" "$prefix/include"
    : >"$prefix/include/ompi_config.h"
    ompi_stamp >"$prefix/mpix-stack.stamp"
    printf '#!/bin/sh\necho "mpicc: Open MPI %s (Language: C)"\n' "$ompi_pinned" >"$prefix/bin/mpicc"
    printf '#!/bin/sh\necho "path:$2:%s/include"\n' "$prefix" >"$prefix/bin/ompi_info"
    chmod +x "$prefix/bin"/*
}

current() {
    basename "$(readlink "$cache/stack/current")"
}

# For the system's UCX (it gets "current") and for others, all at the same time.
together() {
    local turn process processes=() reader
    rm -f "$cache/stack/current"
    "$stack" --build --no-install --quiet --ucx "$work/ucx-1.91"
    [[ $(current) == *+ucx-1.91 ]] || { echo "the only one is not current"; return 1; }
    while [[ -e $cache/stack/current/bin/mpicc ]]; do :; done &
    reader=$!
    for turn in 1 2 3; do
        "$stack" --build --no-install --quiet --ucx "$work/ucx-1.91" & processes+=($!)
        "$stack" --build --no-install --quiet --ucx "$work/ucx-1.92" & processes+=($!)
        "$stack" --build --no-install --quiet & processes+=($!)
    done
    for process in "${processes[@]}"; do
        wait "$process" || { echo "one of them ends with status $?"; return 1; }
    done
    kill "$reader" || { echo "for a moment current led nowhere"; return 1; }
    [[ $(current) == *+ucx-1.90 ]] || { echo "current is $(current)"; return 1; }
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
    local tenth
    for ((tenth = 0; tenth < 10 * $1; tenth++)); do
        ! "${@:2}" || return 0
        sleep 0.1
    done
    echo "not within $1 s: ${*:2}"
    return 1
}

has_ended() {
    ! kill -0 "$1" 2>/dev/null
}

killed_holder() {
    local holder waiting
    rm -f "$cache/stack/current"
    # Holds the lock as stack.sh does, and what it has started does not.
    bash -c 'exec 9>"$0"; flock 9; echo held >"$1"; while :; do sleep 1 9>&-; done' \
        "$cache/lock" "$work/held" &
    holder=$!
    wait_for 20 test -s "$work/held" || return 1
    "$stack" --build --no-install --quiet >"$work/waiting" 2>&1 &
    waiting=$!
    wait_for 30 grep -q 'another stack.sh is at work' "$work/waiting" || return 1
    has_ended "$waiting" && { echo "it does not wait"; return 1; }
    kill -KILL "$holder"
    wait_for 30 has_ended "$waiting" || return 1
    wait "$waiting" || { echo "it ends with status $?"; return 1; }
    [[ $(current) == *+ucx-1.90 ]]
}

trap clean_up EXIT
mkdir -p "$work/pkgconfig"
printf 'Name: ucx\nDescription: made up\nVersion: 1.90\n' >"$work/pkgconfig/ucx.pc"
make_ucx 1.91
make_ucx 1.92
(make_ompi 1.90 "")
(make_ompi 1.91 "$work/ucx-1.91")
(make_ompi 1.92 "$work/ucx-1.92")
echo "1..2"
report "several at a time, for several UCX: current always leads to one, and at last to the system's" \
    together
report "who waits for another one says so, and goes on when that is killed" killed_holder
((failed == 0))
