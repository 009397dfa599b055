#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What breaks while a job runs: a process dies, a cable is pulled, a link becomes slow, what PMIx knows
# is old. On this machine, and on the virtual cluster where that works. Nothing may hang, nothing that
# is reported may be wrong. Prints TAP. Runs in test/ of the build. MPIX_TEST_SET=quick: on the cluster
# only what no single host can show.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
survivor=$(pwd)/helpers/survivor
random=$(pwd)/stress/random
deserter=$(pwd)/helpers/deserter
unchanged=$(pwd)/helpers/unchanged
late=$(pwd)/mpi/x12_late
stale=$(pwd)/helpers/.libs/stale_copy.so
vcluster=$here/vcluster
output=$(mktemp)
trap 'rm -f "$output" "$output.over"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")
export MPIX_TEST_TIMEOUT=100
two=(mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none)
three=(mpirun --np 3 --map-by :OVERSUBSCRIBE --bind-to none)
dashes=() # what the launcher wants in front of the program
if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    two=("$vcluster" run --np 2)
    three=("$vcluster" run --np 3)
    dashes=(--)
fi

# job COMMAND...: its output in $output; its status, 124 when it hangs.
job() {
    timeout --kill-after=5 110 "$@" >"$output" 2>&1 </dev/null
}

said() {
    grep -qE -- "$1" "$output" || {
        echo "not said: $1" >>"$output"
        return 1
    }
}

# goes_on BYTES [OPTION...]. What mpirun says of such a job is not judged, nor its status.
goes_on() {
    local bytes=$1
    shift
    job "${three[@]}" --with-ft ulfm --mca part ucx "$@" -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" dies "$bytes" || true
    said 'rank 0: its send to rank 1 ends with MPI_SUCCESS' &&
        said 'rank 0: its receive from rank 2 ends with MPI_ERR_(PROC_FAILED|OTHER)' &&
        said 'rank 1: its receive from rank 0 ends with MPI_SUCCESS' &&
        said 'rank 1: its send to rank 2 ends with MPI_ERR_(PROC_FAILED|OTHER)' &&
        said 'rank 0: it goes on' && said 'rank 1: it goes on'
}

# init_ends: a process dies at any of the points at which the ranks agree in the init of a
# collective: three on the first of a communicator, and five.
init_ends() {
    local agreements
    for agreements in 1 2 3 4 5 6 7 8; do
        job "${three[@]}" --with-ft ulfm --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
            "$deserter" "$agreements" || true
        said 'rank 0: it ends with MPI_ERR_(PROC_FAILED|OTHER)' &&
            said 'rank 1: it ends with MPI_ERR_(PROC_FAILED|OTHER)' || {
            echo "agreements: $agreements" >>"$output"
            return 1
        }
    done
}

# The same with a persistent collective of MPI; and while one is in flight. Its communicator's handler
# is called, once on each rank.
persistent_ends() {
    local served=(--mca coll_pschedule_persistent on) agreements rank
    for agreements in 2 5 6 8; do
        job "${three[@]}" --with-ft ulfm --mca part ucx "${served[@]}" -x MPIX_TEST_TIMEOUT \
            "${dashes[@]}" "$deserter" "$agreements" persistent || true
        said 'rank 0: it ends with MPI_ERR_(PROC_FAILED|OTHER)' &&
            said 'rank 1: it ends with MPI_ERR_(PROC_FAILED|OTHER)' || return 1
    done
    job "${three[@]}" --with-ft ulfm --mca part ucx "${served[@]}" -x MPIX_TEST_TIMEOUT \
        "${dashes[@]}" "$unchanged" dies || true
    for rank in 0 1; do
        said "rank $rank: its handler is called for MPI_ERR_(PROC_FAILED|OTHER)" &&
            said "rank $rank: it ends with MPI_ERR_(PROC_FAILED|OTHER)" || return 1
    done
    said 'MPI_ERR_PROC_FAILED' && (($(grep -c 'its handler is called' "$output") == 2))
}

# While a persistent collective is tried beside that of another component: in a turn of this one, in
# its last round, which votes; in one of the other, in its last round; and at a change.
tried_ends() {
    local starts
    for starts in 4 9 10 13 26 31 32; do
        job "${three[@]}" --with-ft ulfm --mca part ucx --mca coll_pschedule_persistent_trial 1 \
            --mca coll_pschedule_verbose 1 -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$deserter" "$starts" tried || true
        said 'rank 0: it ends with MPI_ERR_(PROC_FAILED|REVOKED|OTHER)' &&
            said 'rank 1: it ends with MPI_ERR_(PROC_FAILED|REVOKED|OTHER)' &&
            said 'persistent allreduce on .*: served' || {
            echo "starts: $starts" >>"$output"
            return 1
        }
    done
}

persistent_is_revoked() {
    job "${three[@]}" --with-ft ulfm --mca part ucx --mca coll_pschedule_persistent on \
        -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$unchanged" revokes || true
    said 'rank 0: its handler is called for MPI_ERR_REVOKED' &&
        said 'rank 0: it ends with MPI_ERR_REVOKED' && said 'rank 1: it ends with MPI_ERR_REVOKED'
}

# A communicator is revoked on which requests wait, one of them for a request that is never made.
is_revoked() {
    job "${three[@]}" --with-ft ulfm --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" revokes || true
    said 'rank 0: its send to rank 1 ends with MPI_ERR_REVOKED' &&
        said 'rank 0: its send to rank 2 ends with MPI_ERR_REVOKED' &&
        said 'rank 2: its receive from rank 0 ends with MPI_ERR_REVOKED'
}

# gives_back [OPTION...]: after an error of that kind a buffer is its user's again.
gives_back() {
    job "${three[@]}" --with-ft ulfm --mca part ucx "$@" -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" reuses || true
    said 'rank 0: its send ends with MPI_ERR_REVOKED' &&
        said 'rank 1: its receive ends with MPI_ERR_REVOKED' &&
        said 'rank 1: others have written 0 bytes' && ! said 'Assertion|UCX  WARN'
}

# A matched send that was never started is freed on a revoked communicator: its receive hears of it.
is_freed() {
    job "${two[@]}" --with-ft ulfm --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" frees || true
    said 'rank 1: its receive ends with MPI_ERR_REVOKED' &&
        said 'rank 1: it has waited for a moment'
}

also_gives_back() {
    gives_back && gives_back --mca part_ucx_delivery flush
}

# Without fault tolerance Open MPI ends the whole job, and says why.
is_ended() {
    local status=0 since=$SECONDS
    job "${three[@]}" --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$survivor" dies 65536 ||
        status=$?
    # 137, of the process that dies, is also that of a job that had to be killed.
    ((status != 0 && status != 124 && SECONDS - since < 110)) && said 'signal 9|abort' && ! grep -q 'goes on' "$output"
}

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

# First what needs hosts.
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
    check 'hosts: a communicator is revoked' is_revoked
    check 'hosts: a send is freed unstarted on a revoked communicator' is_freed
    check 'hosts: nobody writes into a buffer that was given back' also_gives_back
    check 'hosts: a process dies, mpirun ends the job' is_ended
    check 'hosts: a link becomes slower and faster, and every byte is right' outlasts_slow_link
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    cluster_cases
    tap_cluster_end
fi
check 'a process dies, the others go on' goes_on 65536
check 'one dies with a window of offers that it has not fetched' \
    goes_on 1048576 --mca part_ucx_async off --mca part_ucx_shared_copy receiver
check 'a process dies in the init of a collective' init_ends
check 'a process dies in a persistent collective, and in its init' persistent_ends
check 'a process dies while a persistent collective is tried beside another' tried_ends
check 'a communicator is revoked' is_revoked
check 'a communicator is revoked on which a persistent collective is in flight' persistent_is_revoked
check 'a send is freed unstarted on a revoked communicator' is_freed
check 'nobody writes into a buffer that was given back' also_gives_back
check 'a process dies, mpirun ends the job' is_ended
tap_in_cluster --hosts 3 --paths 2 --rate 50mbit
tap_end
