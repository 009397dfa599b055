#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of others that nobody changed, and that use persistent collectives: mpi4py's own tests, got
# from its source package. All that can be is served here, which the counters show (docs/clients.md).
# On this machine, and on the virtual cluster where that works. Prints TAP. Runs in test/ of the
# build; CLIENTS_RANKS says on how many ranks (default: 1 2 3 4 5).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=4.1.2
work=${CLIENTS_WORK:-}
if [[ -z $work ]]; then
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
fi

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
python=$work/venv/bin/python
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
read -ra ranks <<<"${CLIENTS_RANKS:-1 2 3 4 5}"
launcher=(mpirun --map-by :OVERSUBSCRIBE --bind-to none)
dashes=() # what the launcher wants in front of the program
where=''
if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    launcher=("$here/vcluster" run --shared)
    dashes=(--)
    where='hosts: '
fi

# mpi4py of that version, and its source package, whose tests are not installed.
gets_mpi4py() {
    python3 -m venv "$work/venv" >"$output" 2>&1 &&
        timeout 300 "$python" -m pip install -q "mpi4py==$version" numpy 'setuptools>=77' wheel \
            >>"$output" 2>&1 </dev/null &&
        (cd "$work" && timeout 120 "$python" -m pip download -q --no-deps --no-build-isolation \
            --no-binary mpi4py "mpi4py==$version") >>"$output" 2>&1 </dev/null &&
        tar -C "$work" -xzf "$work/mpi4py-$version.tar.gz"
}

# passes RANKS TESTS SERVED: and on every rank calls were served, unless there is only one rank, or
# nothing to serve.
passes() {
    timeout --kill-after=5 600 "${launcher[@]}" --np "$1" \
        --mca mpi_yield_when_idle 1 --mca part ucx --mca coll_pschedule_persistent on \
        --mca coll_pschedule_verbose 1 "${dashes[@]}" \
        "$python" "$work/mpi4py-$version/test/main.py" -q "$2" >"$output" 2>&1 </dev/null || return 1
    (($(grep -c '^OK' "$output") == $1)) || return 1
    [[ $1 == 1 || $3 == none ]] ||
        (($(grep -Ec 'persistent collectives: [1-9][0-9]* served' "$output") == $1))
}

all_pass() {
    local n tests
    for n in "${ranks[@]}"; do
        for tests in test_cco_pr_buf test_cco_pr_vec test_cco_pr_ngh_buf; do
            check "${where}mpi4py $version, $tests on $n ranks" passes "$n" "$tests" all
        done
        check "${where}mpi4py $version, test_p2p_buf_part on $n ranks" \
            passes "$n" test_p2p_buf_part none
    done
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    output=$work/output-cluster
    shown=("$output")
    all_pass
    tap_cluster_end
fi
if ! command -v python3 >/dev/null; then
    skip 'mpi4py' 'no python3'
elif ! gets_mpi4py; then
    skip 'mpi4py' "it cannot be fetched: $(tail -n 1 "$output")"
else
    all_pass
    export CLIENTS_WORK=$work
    tap_in_cluster --hosts 3 --paths 2 --rate none
fi
tap_end
