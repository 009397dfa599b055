#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Paths that die while collectives run with part_ucx_failover: they go on over the others, with every
# element right. As outages.sh. With MPIX_TEST_SET=quick only random faults, and a large one.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/support/outages.sh
. "$here/support/outages.sh"
collectives=$(pwd)/helpers/outage_collectives
mixed=$(pwd)/stress/mixed

# Channels and collectives, with random faults (storm.sh has more). Whether any of these lasts long
# enough is a matter of time, so the first is one that does: later, TCP may have learned from a path
# that was slow to be patient for longer than a cable is out.
collectives_go_on() {
    local status=0
    (RANDOM=2 && begins 2 && links 1:h1:down:4 1:h1:up:0 && storm_faults 10 && storm_over) &
    with_failover --mca part_ucx_devices all --mca part_ucx_path_timeout 1 -- \
        "$mixed" --seconds 20 || status=$?
    wait
    ((status == 0)) && said '^ok 1 - [0-9]+ rounds' && said 'path 1: no way'
}

# Several in flight on four hosts: one end's cable, all cables of a path, another end's for good.
all_in_flight() {
    local status=0 rank ranks=4
    (begins 2 && links 1:h1:down:5 1:h1:up:0 2:all:down:6 2:all:up:4 1:h0:down:0) &
    with_failover --mca part_ucx_devices all -- "$collectives" 24 1024 || status=$?
    wait
    repair
    for rank in 0 1 2 3; do
        said "rank $rank: epochs, all elements right" || return 1
    done
    ((status == 0)) && said 'path 1: no way' && said 'path 2: no way'
}

# One large collective, and a cable for good.
large_allreduce() {
    local status=0 ranks=4
    (begins 3 && links 1:h3:down:0) &
    with_failover --mca part_ucx_devices all -- "$collectives" 12 16384 alone || status=$?
    wait
    repair
    ((status == 0)) && said 'rank 0: epochs, all elements right' && said 'path 1: no way'
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    check 'random faults, channels and collectives go on' collectives_go_on
    check 'a path is cut, a large allreduce goes on' large_allreduce
    [[ ${MPIX_TEST_SET:-} != quick ]] || tap_cluster_end
    check 'paths are cut, collectives in flight go on' all_in_flight
    tap_cluster_end
fi
tap_in_cluster --hosts 4 --paths 3 --rate 250mbit
tap_end
