#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Paths that die while a job runs with part_ucx_failover: partitioned requests go on over the others,
# with every byte right (collectives: outages-collectives.sh). What only looks like that is not taken
# for it. On the virtual cluster, whose links are really cut. Prints TAP. Runs in test/ of the build.
# With MPIX_TEST_SET=quick only a cut, and all cut.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/support/outages.sh
. "$here/support/outages.sh"
outage=$(pwd)/helpers/outage
survivor=$(pwd)/helpers/survivor
stress=$(pwd)/stress/random

# Random channels, with one end's cable out, then both ends' of another path.
stress_goes_on() {
    local status=0
    (begins 3 && links 1:h1:down:6 2:all:down:0) &
    with_failover --mca part_ucx_devices all -- "$stress" --seconds 20 || status=$?
    wait
    repair
    ((status == 0)) && said '^ok 1 - [0-9]+ rounds' && said 'path 1: no way to .* no carrier' &&
        said 'path 2: no way'
}

# A cable that is out for a moment; then another path dies somewhere between the switches: both
# hosts have their carriers, and nothing comes through.
stream_goes_on() {
    local status=0
    (begins 2 && links 2:h0:down:1 2:h0:up:2 && storm_deafen 1 h0 && storm_deafen 1 h1) &
    with_failover --mca part_ucx_devices all -- "$outage" goes-on 14 || status=$?
    wait
    storm_heal 1 h0 && storm_heal 1 h1
    repair
    ((status == 0)) && said 'path 1: no way to .* does not acknowledge' &&
        said 'rank 0: epochs, all bytes right' &&
        said 'rank 1: epochs, all bytes right' && said 'rank 0: seconds of the slowest epoch: [0-5]\.'
}

# Cut and back, again and again: each path comes back, and can die once more.
paths_come_back() {
    local status=0
    (begins 2 && links 1:h1:down:3 1:h1:up:3 2:all:down:3 2:all:up:3 1:h0:down:3 1:h0:up:0) &
    with_failover --mca part_ucx_devices all --mca part_ucx_path_timeout 1 -- \
        "$stress" --seconds 25 || status=$?
    wait
    repair
    ((status == 0)) && said '^ok 1 - [0-9]+ rounds' && said 'path 1: the way to h. is back' &&
        said 'path 2: the way to h. is back'
}

# The error of before, soon, and on both ends; and on those of requests that are made later.
all_are_cut() {
    local rank status=0
    (begins 2 && links 1:h1:down:0 2:h1:down:0) &
    with_failover --mca part_ucx_devices eth1,eth2 -- "$outage" ends || status=$?
    wait
    repair
    ((status == 0)) || return 1
    for rank in 0 1; do
        said "rank $rank: its send ends with MPI_ERR_OTHER" &&
            said "rank $rank: its receive ends with MPI_ERR_OTHER" &&
            said "rank $rank: its next send ends with MPI_ERR_OTHER" &&
            said "rank $rank: its next receive ends with MPI_ERR_OTHER" &&
            said "rank $rank: seconds from the last good epoch: [0-6]\\." || return 1
    done
}

# A process dies, and with it all paths to it. Those of its neighbour on the host are let alone.
neighbours_stay() {
    local status=0
    with_failover --host-ranks 1,2 --with-ft ulfm --mca part_ucx_devices all -- \
        "$survivor" dies 65536 || status=$? # mpirun has lost a process
    ((status != 124)) && said 'rank 0: its send to rank 1 ends with MPI_SUCCESS' &&
        said 'rank 1: its receive from rank 0 ends with MPI_SUCCESS' &&
        said 'rank 0: its receive from rank 2 ends with MPI_ERR_PROC_FAILED' &&
        said 'rank 0: it goes on' && said 'rank 1: it goes on'
}

# What does not fail over ends with an error, also where nothing is under way: on both ends of the
# connections, which are cut at one.
connections_are_cut() {
    local failover=off status=0
    (
        for _ in {1..300}; do
            ! grep -qa 'rank 0: waits' "$output" || break
            sleep 0.2
        done
        sleep 1
        "$vcluster" on h1 ss --kill dst 10.77.1.1 >/dev/null
    ) &
    with_failover --mca part_ucx_devices eth1 -- "$outage" waits || status=$?
    wait
    ((status == 0)) && said 'rank 0: its receive ends with MPI_ERR_OTHER' &&
        said 'rank 0: in time: yes' && said 'rank 1: its send ends with MPI_ERR_OTHER' &&
        said 'the connection over "eth1" to host h. is lost'
}

# What is no outage has happened.
was_held_up() {
    said 'seconds of the slowest epoch: [1-9]'
}

# A stopped process, for longer than part_ucx_path_timeout.
is_no_outage() {
    with_failover --mca part_ucx_devices all -- "$outage" stops &&
        said 'rank 0: epochs, all bytes right' && was_held_up && not_said 'no way'
}

# A link of which next to nothing is left for a while.
slow_path() {
    local status=0
    (begins 2 && "$vcluster" rate --path 1 1mbit && sleep 6 && "$vcluster" rate --path 1 250mbit) &
    with_failover --mca part_ucx_devices all -- "$outage" goes-on 12 || status=$?
    wait
    ((status == 0)) && said 'rank 0: epochs, all bytes right' && was_held_up && not_said 'no way'
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    check 'a path is cut, a stream goes on, late by seconds' stream_goes_on
    check 'all paths are cut: an error on both ends' all_are_cut
    [[ ${MPIX_TEST_SET:-} != quick ]] || tap_cluster_end
    check 'connections are cut that do not fail over: an error on both ends' connections_are_cut
    check 'paths are cut, random channels go on' stress_goes_on
    check 'paths come back, and are cut again' paths_come_back
    check 'a process dies, its neighbour on the host goes on' neighbours_stay
    check 'a process that is stopped is no outage' is_no_outage
    check 'a path that becomes slow is no outage' slow_path
    tap_cluster_end
fi
tap_in_cluster --hosts 4 --paths 3 --rate 250mbit
tap_end
