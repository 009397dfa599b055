#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The faults of faults.sh on the virtual cluster, where that works, and those that need hosts: a cable
# is pulled, a link becomes slow, what PMIx knows is old. Nothing may hang, nothing that is reported
# may be wrong. Prints TAP. Runs in test/ of the build. MPIX_TEST_SET=quick: only what no single host
# can show.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/support/faults.sh
. "$here/support/faults.sh"
random=$(pwd)/stress/random
late=$(pwd)/mpi/x12_late
stale=$(pwd)/helpers/.libs/stale_copy.so

# At the third epoch the cable of one of two paths is pulled, for as long as it takes to be noticed.
pull_cable() {
    for ((i = 0; i < 300; i++)); do
        ! grep -q 'RESULT epoch 2' "$output" || break
        sleep 0.1
    done
    "$vcluster" link --path 1 --host h1 down
    sleep 5
    "$vcluster" link --path 1 --host h1 up
}

outlasts_pulled_cable() {
    local status=0
    : >"$output"
    pull_cable &
    job "$vcluster" run --np 2 --mca btl_tcp_if_include eth0 --mca part ucx \
        --mca part_ucx_devices all --mca part_ucx_stall_warning 2 -x MPIX_TEST_TIMEOUT -- \
        "$survivor" cut || status=$?
    wait
    ((status == 0)) && said 'RESULT epoch 13' && said 'has not advanced for 2 seconds'
}

# Random channels, every byte compared, while a link of two becomes slower and faster.
change_rate() {
    local rate
    while [[ ! -e $output.over ]] && kill -0 $$; do
        for rate in 10mbit 50mbit 2mbit none 25mbit; do
            "$vcluster" rate --path 1 $rate >/dev/null
            sleep 1
        done
    done
    "$vcluster" rate --path 1 50mbit >/dev/null
}

outlasts_slow_link() {
    local status=0
    rm -f "$output.over"
    change_rate &
    job "$vcluster" run --np 2 --mca part ucx -x MPIX_TEST_TIMEOUT -- \
        "$random" --seconds 20 || status=$?
    touch "$output.over"
    wait
    rm -f "$output.over"
    ((status == 0)) && said '^ok'
}

# What the daemon of a host has copied of a peer is older than its presence: it is late, not absent.
waits_for_late() {
    local status=0 rank
    job "$vcluster" run --np 4 --mca pml ob1 --mca part ucx -x LD_PRELOAD="$stale" \
        -x MPIX_TEST_TIMEOUT -- "$late" 10 8 || status=$?
    for rank in 1 3; do
        said "btl.tcp.* of rank $rank is known" || return 1
    done
    ((status == 0)) && said '^ok 1'
}

cluster_cases() {
    check 'hosts: one dies with a window of offers that it has not fetched' \
        goes_on 1048576 --mca part_ucx_async off --mca part_ucx_eager_limit 65536
    check 'hosts: a cable is pulled for some seconds: a warning, and no byte is lost' \
        outlasts_pulled_cable
    check 'hosts: PMIx has an old copy of what a late peer has published' waits_for_late
    [[ ${MPIX_TEST_SET:-} != quick ]] || return 0
    check 'hosts: a process dies, the others go on' goes_on 65536
    check 'hosts: a process dies in the init of a collective' init_ends
    check 'hosts: a process dies in a persistent collective' persistent_ends
    check 'hosts: a process dies while one is tried beside another' tried_ends
    check 'hosts: a process dies within a host, or between hosts' dies_in_phase
    check 'hosts: a communicator is revoked' is_revoked
    check 'hosts: a send is freed unstarted on a revoked communicator' is_freed
    check 'hosts: nobody writes into a buffer that was given back' also_gives_back
    check 'hosts: a process dies, mpirun ends the job' is_ended
    check 'hosts: memory runs out in the first init of a process' memory_runs_out 3
    check 'hosts: a link becomes slower and faster, and every byte is right' outlasts_slow_link
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    cluster_cases
    tap_cluster_end
fi
tap_in_cluster --hosts 3 --paths 2 --rate 50mbit
tap_end
