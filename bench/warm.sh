#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The first rounds of a channel, with part/ucx and part/persist.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/warm.sh [option...]
  --quick      two minutes instead of five: fewer turns
  --only WHAT  host (this one), or cluster (two virtual hosts, four paths of 250 Mbit/s)
  --rounds N   turns of every case
  --out DIR    put the results into DIR (default: bench/results/warm)

Builds what is missing, lets both components take turns with messages from 1 KiB to 1 MiB in 32
partitions, and ends with a Markdown table: microseconds of the init call, of the first rounds, and
of later ones, of the first, the second and the tenth channel of a pair. The table as CSV and a
picture, round against time, are in the folder of the results. The exit status is 1 if a run failed,
130 when interrupted.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/warm
options=()

take_option() {
    case $1 in
        --quick) options+=("$1") ;;
        --only | --rounds) options+=("$1" "$2") ;;
        --out) out=$2 ;;
        *) return 1 ;;
    esac
}

main() {
    read_options '--only --rounds --out' value "$@"
    get_build --try python3-matplotlib
    out=$(make_folder "$out")
    exec "$(find_plotter || echo python3)" "$top/bench/scripts/warm.py" --bin "$build/bench/p2p" \
        --out "$out" "${options[@]}"
}

main "$@"
