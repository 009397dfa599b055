#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What jobs do while cables are pulled and plugged in: bandwidth over time, and a training.
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
usage: bash bench/outages.sh [option...] [bandwidth] [gpt2]
  bandwidth   a stream of messages between two hosts with four paths of 250 Mbit/s, by a fixed
              timetable of cuts: part/ucx with part_ucx_failover, and MPI_Isend over four paths
  gpt2        a training of GPT-2 by partitioned allreduces on four hosts with four paths, once
              without cuts, and once with a cable out for 8 of every 20 s
              Without a word: both
  --quick     one cut each, one run of each: about three minutes instead of a quarter of an hour
  --reps N    runs of every contender of the bandwidth
  --table     run nothing, print and draw what is there
  --out DIR   put the results into DIR (default: bench/results/outages)

Builds what is missing. Cables are those of virtual hosts, and are really cut. Ends with a table of
the bandwidth during and after each outage, a table of claims, and a picture. May be interrupted at
any time: what was measured until then is shown, and nothing stays behind. The exit status is 0 only
if every claim holds.
END_OF_USAGE
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/outages
table=0 options=()

take_option() {
    case $1 in
        --quick | bandwidth | gpt2) options+=("$1") ;;
        --table) table=1 options+=("$1") ;;
        --reps) options+=("$1" "$2") ;;
        --out) out=$2 ;;
        *) return 1 ;;
    esac
}

main() {
    read_options '--reps --out' value "$@"
    get_build --try python3-matplotlib --try libopenblas-dev
    if ((!table)) && no_cluster ', and cables can only be pulled there'; then
        exit 1
    fi
    out=$(make_folder "$out")
    exec "$(find_plotter || echo python3)" "$top/bench/scripts/outages.py" --bin "$build/bench" \
        --out "$out" "${options[@]}"
}

main "$@"
