#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Real nodes: from a fresh checkout to tables of how part/ucx does with several ranks per host and
# more ranks than processors, on virtual hosts.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/nodes.sh [--quick] [--out DIR] [--reps N] [--table] [topic | case...]
  topic        helper: the helper thread (part_ucx_async): auto beside on and off, and MPI_Isend
  case         one case of bench/scripts/nodes.toml; --list shows them. All by default
  --quick      three rounds instead of nine
  --reps N     rounds of every case, in alternating order
  --table      run nothing, print what is there
  --out DIR    put the results into DIR (default: bench/results/nodes)

Gets and builds what is missing, makes virtual hosts with four paths between them, lets all
contenders of a case take turns, and ends with one table: claim, needed, seen, holds. May be
interrupted at any time. The exit status is 0 only if every claim holds.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
data=$top/bench/scripts/nodes.toml
out=$top/bench/results/nodes
options=() cases=()

helper=(allreduce-block allreduce-round allgather-block reduce-scatter-block bcast-round
    alltoall-block allgather-small-round pairs pairs-bound alone-bound late-alone late-computing
    late-threads computing)

take_option() {
    case $1 in
        --quick | --table | --list) options+=("$1") ;;
        --reps) options+=("$1" "$2") ;;
        --out) out=$2 ;;
        -*) return 1 ;;
        helper) cases+=("${helper[@]}") ;;
        *) cases+=("$1") ;;
    esac
}

main() {
    read_options '--reps --out' value "$@"
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    get_build
    out=$(make_folder "$out")
    exec python3 "$top/bench/scripts/compare.py" --data "$data" --bin "$build/bench" --out "$out" \
        "${options[@]}" "${cases[@]}"
}

main "$@"
