#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What users of srun see: Slurm shows nothing of what its PMIx server is given to log. Prints TAP.
# Runs in test/ of the build, while test/slurm.sh has Slurm up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$(cd .. && pwd)/bench
tools=$(cd .. && pwd)/tools
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")

# job OPTION... -- COMMAND...
job() {
    timeout --kill-after=5 90 "$here/slurm.sh" run --np 2 "$@" >"$output" 2>&1 </dev/null
}

# Rank 1 has another component.
# shellcheck disable=SC2016
absent_is_told() {
    fails job -- bash -c 'if [[ $PMIX_RANK == 1 ]]; then export OMPI_MCA_part=persist; fi; "$@"' \
        absent "$bench/p2p/part_bw" -m 1K:1K -p 8 -P 8 || return 1
    grep -qaE 'rank 1 on host h1 does not run the part component ucx' "$output"
}

# An error of this component, and what it says of itself.
argument_is_told() {
    job -- ./helpers/misuse argument || return 1
    grep -qa 'tag 301' "$output"
}

tool_tells() {
    job -- "$tools/part_ucx_info" --no-bandwidth && grep -qaE 'eth3' "$output" &&
        grep -qa 'Nothing needs attention' "$output"
}

export OMPI_MCA_part=ucx MPIX_TEST_TIMEOUT=60
check 'a peer without the component is named' absent_is_told
check 'a wrong argument is told' argument_is_told
check 'part_ucx_info runs as a job of srun, and finds nothing wrong' tool_tells
tap_end
