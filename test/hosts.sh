#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Collectives on four virtual hosts with four ranks each, which share memory, placed host by host and in
# turns: each against the blocking one. (Other programs have two hosts.) Prints TAP. Runs in test/ of the
# build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vcluster=$here/vcluster
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")
export MPIX_TEST_TIMEOUT=250

# program NAME PLACEMENT...: options of mpirun. It prints results of its own, which are one of this.
program() {
    local name=$1
    shift
    timeout --kill-after=5 260 "$vcluster" run "$@" -x UCX_TLS=tcp,sm,self --mca part ucx \
        --mca coll_pschedule_verbose 1 -x MPIX_TEST_TIMEOUT -- "coll/$name" >"$output" 2>&1 </dev/null &&
        ! grep -q '^not ok' "$output" && grep -q "16 ranks on 4 hosts, 4 to 4 on each, $order" "$output" &&
        grep -q 'those of a host share memory' "$output"
}

by_host() {
    order='host by host' program "$1" --ppn 4
}

in_turns() {
    order='in another order' program "$1" --np 16 --map-by node
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    check '4 x 4, host by host: data movement' by_host c01_data_movement
    check '4 x 4, in turns: data movement' in_turns c01_data_movement
    check '4 x 4, host by host: a lone partition arrives' by_host c07_lone_partition
    check '4 x 4, in turns: reductions' in_turns c02_reductions
    tap_cluster_end
fi
tap_in_cluster --hosts 4 --paths 2 --rate none
tap_end
