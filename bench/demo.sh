#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The demonstration: from a fresh checkout to a table and a plot of a partitioned transfer over
# 1, 2, 4 and 8 paths beside stock Open MPI.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/demo.sh [--quick] [--one-host] [--out DIR]
  --quick      a minute and a half instead of about four (fewer samples, a rougher plot)
  --one-host   do not make the virtual cluster, compare through shared memory
  --out DIR    put the results into DIR (default: bench/results/demo)

Gets and builds what is missing (Open MPI, UCX, part/ucx), makes two virtual hosts with four network
paths of 250 Mbit/s between them, and compares, in one run, the bandwidth of part/ucx on 1, 2, 4 and
8 paths with that of Open MPI's part/persist and of MPI_Isend over all paths. Ends with a table,
CSV files and a plot. Without the privileges for the virtual hosts it compares on this host alone.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/demo
quick=0 one_host=0
# Of the virtual network: what the plot draws as its limit.
paths=4 rate_mbit=250

take_option() {
    case $1 in
        --quick) quick=1 ;;
        --one-host) one_host=1 ;;
        --out) out=$2 ;;
        *) return 1 ;;
    esac
}

# Sets one_host, and says why, when this machine or user cannot have the virtual hosts.
check_cluster() {
    if (( ! one_host )) &&
        no_cluster ', so this is the version for one host, through shared memory:'; then
        one_host=1
    fi
}

compare() {
    # Whether a claim holds is for claims.sh to judge, with longer runs.
    "$python3" "$top/bench/scripts/compare.py" --out "$out" --bin "$build/bench/p2p" --quick \
        --reps $((quick ? 1 : 2)) --claims-only --no-verdicts "$@"
}

# A few more transfers on the cluster, for the summary that part/ucx prints at the end.
show_paths() {
    local lines
    say "What each path carried in a few more transfers of 16 MiB (part_ucx_verbose)"
    lines=$("$top/test/vcluster" with --hosts 2 --paths "$paths" --rate "${rate_mbit}mbit" -- \
        "$top/test/vcluster" run --np 2 --mca part ucx --mca part_ucx_paths "$paths" \
        --mca part_ucx_verbose 1 --mca pml ob1 --mca btl self,tcp -- \
        "$build/bench/p2p/part_bw" -m 16M -r 1 -i 1 -x 0 2>&1) || true
    grep -E 'path [0-9]+ .*: sent [1-9]' <<<"$lines" || printf '%s\n' "$lines"
}

plot() {
    local case=$1 python
    shift
    python=$(want_plotter plot) || return 0
    "$python" "$top/bench/scripts/plot.py" --out "$out" --case "$case" --png "$out/$case.png" "$@"
    say "Plot: $out/$case.png"
}

main() {
    read_options --out folder "$@"
    local begin=$SECONDS
    say "Open MPI, UCX and part/ucx: what is missing is fetched and built"
    get_build --try python3-matplotlib
    out=$(make_folder "$out")
    rm -f "$out"/{bandwidth,early,host}.{json,png}
    check_cluster
    if (( one_host )); then
        say "Bandwidth on this host"
        compare host
        plot host
    else
        say "Bandwidth between two virtual hosts with $paths paths of $rate_mbit Mbit/s"
        compare bandwidth early
        plot bandwidth --wire-mbit "$rate_mbit" --wire-paths "$paths"
        show_paths
    fi
    say "Done in $((SECONDS - begin)) s; tables as CSV in $out"
    "$python3" "$top/bench/scripts/summary.py" --out "$out" --wire $((paths * rate_mbit / 8))
}

main "$@"
