# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What may break on one host as between hosts: to be sourced by faults.sh and faults-hosts.sh, in test/
# of the build. A case is a function, for check of tap.sh.

survivor=$(pwd)/helpers/survivor
deserter=$(pwd)/helpers/deserter
unchanged=$(pwd)/helpers/unchanged
scarce_channels=$(pwd)/mpi/x18_scarce_memory
scarce_collectives=$(pwd)/coll/c29_scarce_memory
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
    four=("$vcluster" run --np 4)
    dashes=(--)
fi

# job COMMAND...: its output in $output; its status, 124 when it hangs.
job() {
    timeout --kill-after=5 110 "$@" >"$output" 2>&1 </dev/null
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

# dies_in_phase: of two hosts with two ranks each a rank dies in an allreduce that has phases within
# the hosts and between them: the first of its host, or another one.
dies_in_phase() {
    local case algorithm victim rank
    for case in lanes:1 lanes:2 hosts:2 hosts:3; do
        algorithm=${case%:*} victim=${case#*:}
        job "${four[@]}" --with-ft ulfm --mca part ucx --mca coll_pschedule_persistent on \
            --mca coll_pschedule_verbose 1 --mca coll_pschedule_allreduce_algorithm "$algorithm" \
            -x UCX_TLS=tcp,sm,self -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$unchanged" dies "$victim" || true
        said "on 4 ranks: $algorithm \(forced\)" && said 'those of a host share memory' || return 1
        for rank in 0 1 2 3; do
            ((rank == victim)) || said "rank $rank: it ends with MPI_ERR_(PROC_FAILED|OTHER)" || {
                echo "case: $case" >>"$output"
                return 1
            }
        done
    done
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
        -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$unchanged" revokes &&
        said 'rank 0: its handler is called for MPI_ERR_REVOKED' &&
        said 'rank 0: it ends with MPI_ERR_REVOKED' && said 'rank 1: it ends with MPI_ERR_REVOKED'
}

# A communicator is revoked on which requests wait, one of them for a request that is never made.
is_revoked() {
    job "${three[@]}" --with-ft ulfm --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" revokes && said 'rank 0: its send to rank 1 ends with MPI_ERR_REVOKED' &&
        said 'rank 0: its send to rank 2 ends with MPI_ERR_REVOKED' &&
        said 'rank 2: its receive from rank 0 ends with MPI_ERR_REVOKED'
}

# gives_back [OPTION...]: after an error of that kind a buffer is its user's again.
gives_back() {
    job "${three[@]}" --with-ft ulfm --mca part ucx "$@" -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" reuses &&
        said 'rank 0: its send ends with MPI_ERR_REVOKED' &&
        said 'rank 1: its receive ends with MPI_ERR_REVOKED' &&
        said 'rank 1: others have written 0 bytes' && not_said 'Assertion|UCX  WARN'
}

# memory_runs_out STEP: once on one rank, at another place in each job, while it makes its first
# channel or collective.
memory_runs_out() {
    local nth step=$(($1 * (${MPIX_TEST_LEAN:-0} ? 5 : 1)))
    for ((nth = 1; nth <= 50; nth += step)); do
        job "${two[@]}" --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$scarce_channels" \
            $((nth % 2)) $nth $nth || return 1
    done
    for ((nth = 1; nth <= 100; nth += 7 * step)); do
        job "${three[@]}" --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" "$scarce_collectives" \
            $((nth % 2)) $nth $nth || return 1
    done
}

# A matched send that was never started is freed on a revoked communicator: its receive hears of it.
is_freed() {
    job "${two[@]}" --with-ft ulfm --mca part ucx -x MPIX_TEST_TIMEOUT "${dashes[@]}" \
        "$survivor" frees &&
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
