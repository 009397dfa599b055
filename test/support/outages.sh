# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs with part_ucx_failover whose paths die: to be sourced by outages.sh and outages-collectives.sh,
# in test/ of the build. A case is a function, for check of tap.sh.

vcluster=$here/vcluster
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
# shellcheck source=test/support/storm.sh
. "$here/support/storm.sh"
storm_hosts=2
storm_paths=3
storm_rate=250mbit
storm_longest=150
shown=("$output")
export MPIX_TEST_TIMEOUT=100

# with_failover OPTION... -- PROGRAM ARGS...: its output in $output; its status, 124 when it hangs.
# The PML stays on eth0. On two hosts, or `ranks`; or with --host-ranks first, as test/vcluster has it.
with_failover() {
    local failover=${failover:-on}
    [[ $1 == --host-ranks ]] || set -- --np "${ranks:-2}" "$@"
    timeout --kill-after=5 110 "$vcluster" run "${@:1:2}" --mca btl_tcp_if_include eth0 \
        --mca part ucx --mca part_ucx_failover "$failover" --mca part_ucx_verbose 1 -x MPIX_TEST_TIMEOUT \
        "${@:3}" >"$output" 2>&1 </dev/null
}

# begins SECONDS: so long after the job has its paths; not at all if it never has them.
begins() {
    storm_begins "$output" 30 && sleep "$1"
}

# links PATH:HOST:STATE:SECONDS...: change links (of all hosts: HOST `all`), and wait after each.
links() {
    local change path host state seconds
    for change in "$@"; do
        IFS=: read -r path host state seconds <<<"$change"
        if [[ $host == all ]]; then
            "$vcluster" link --path "$path" "$state"
        else
            "$vcluster" link --path "$path" --host "$host" "$state"
        fi
        sleep "$seconds"
    done
}

repair() {
    local host path
    links 1:all:up:0 2:all:up:0
    for host in h0 h1 h2 h3; do
        for path in 1 2; do
            storm_forget "$path" "$host"
        done
    done
}
