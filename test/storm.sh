#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
#     storm.sh FAULTS [SEED]
#
# Random faults of paths under random channels and collectives with part_ucx_failover: one job after
# the other, until there have been so many faults. One path stays: it carries the messages of Open
# MPI and its launcher, and is the one that is left. Every byte is checked; no job may hang or fail.
# In a virtual cluster of its own. Prints TAP. Runs in test/ of a build; FAULTS is 1000 unless it is
# said otherwise.
#
# STORM_SHOW=1 shows the faults, STORM_HOSTS, STORM_PATHS, STORM_SPARED (the path that stays, 0),
# STORM_TIMEOUT (part_ucx_path_timeout) and STORM_SECONDS (of a job) change what they say,
# STORM_OPTIONS are further ones of mpirun.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vcluster=$here/vcluster
wanted=${1:-${STORM_FAULTS:-1000}}
seed=${2:-${STORM_SEED:-$((10#$(date +%s) % 100000))}}
seconds=${STORM_SECONDS:-60}
storm_hosts=${STORM_HOSTS:-4}
storm_paths=${STORM_PATHS:-3}
storm_spared=${STORM_SPARED:-0}
storm_rate=250mbit
output=$(mktemp)
trap 'rm -f "$output"' EXIT
export STORM_FAULTS=$wanted STORM_SEED=$seed MPIX_TEST_TIMEOUT=$((seconds + 60))
export PRTE_MCA_prte_if_include=eth$storm_spared

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
# shellcheck source=test/support/storm.sh
. "$here/support/storm.sh"
shown=("$output")

# The job, with faults while it runs.
job() {
    local pid status=0
    # shellcheck disable=SC2086
    timeout --kill-after=5 $((seconds + 120)) "$vcluster" run --np "$storm_hosts" \
        --mca btl_tcp_if_include "eth$storm_spared" --mca part ucx --mca part_ucx_failover on \
        --mca part_ucx_verbose 1 --mca part_ucx_devices all \
        --mca part_ucx_path_timeout "${STORM_TIMEOUT:-1}" -x MPIX_TEST_TIMEOUT ${STORM_OPTIONS:-} \
        -- "$PWD/stress/mixed" --seconds "$seconds" --seed "$seed" >"$output" 2>&1 </dev/null &
    pid=$!
    sleep 2
    while kill -0 "$pid" 2>/dev/null && ((faults < wanted)); do
        storm_faults 1
    done
    storm_over
    wait "$pid" || status=$?
    ((status == 0)) && grep -qaE '^ok 1 - [0-9]+ rounds' "$output"
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    RANDOM=$seed
    while ((faults < wanted && failed == 0)); do
        first=$((faults + 1))
        check "random channels and collectives, faults from $first on, seed $seed" job
        echo "# $faults faults, $(grep -caE "no way to" "$output" || true) endpoints lost," \
            "$(grep -caE "is back\$" "$output" || true) back, $(grep -aoE "[0-9]+ rounds" "$output" || true)"
        seed=$((seed + 1))
    done
    tap_cluster_end
fi
tap_in_cluster --hosts "$storm_hosts" --paths "$storm_paths" --rate "$storm_rate"
tap_end
