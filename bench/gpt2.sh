#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# GPT-2: from a fresh checkout to tables, CSV and plots of a training whose gradients are summed up
# by partitioned allreduces, beside MPI_Allreduce, on virtual clusters of 2, 4 and 8 hosts.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/gpt2.sh [--quick] [--hosts N]... [--rate MBIT] [--reps N] [--steps N] [--out DIR]
  --quick      less than two minutes instead of half an hour (a smaller batch, few steps, one round)
  --hosts N    this number of hosts only; may be repeated (default: 2, 4 and 8)
  --rate MBIT  Mbit/s of each of the four paths of a host, instead of the rate with which the wire
               needs as long for the gradients as a step computes
  --reps N     runs of every contender, in alternating order
  --steps N    steps of every run
  --table      run nothing, print and plot what is there
  --out DIR    put the results into DIR (default: bench/results/gpt2)

Gets and builds what is missing. For each number of hosts it measures how long a step computes,
chooses the rate of the paths by it, says so, and lets all contenders take turns. Ends with the
times of a step, of the first iteration, and a table: claim, needed, seen, holds. May be interrupted
at any time: what was measured until then is shown, and nothing stays behind. The exit status is 0
only if all hosts ran, and every claim holds.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/gpt2
table=0 options=()

take_option() {
    case $1 in
        --quick) options+=(--quick) ;;
        --table) table=1; options+=(--table) ;;
        --hosts | --rate | --reps | --steps) options+=("$1" "${2%mbit}") ;;
        --out) out=$2 ;;
        *) return 1 ;;
    esac
}

plot() {
    local python
    python=$(want_plotter plots) || return 0
    "$python" "$top/bench/scripts/gpt2_plot.py" --out "$out"
}

main() {
    read_options '--hosts --rate --reps --steps --out' value "$@"
    local begin=$SECONDS status=0
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    get_build --try python3-matplotlib --try libopenblas-dev
    if (( ! table )) && no_cluster :; then
        say "The trainer runs without them, too: bench/gpt2/README.md"
        exit 1
    fi
    out=$(make_folder "$out")
    # It ends by itself when interrupted, and shows what there is.
    trap : INT
    "$python3" "$top/bench/scripts/gpt2.py" --bin "$build/bench/gpt2" --out "$out" "${options[@]}" ||
        status=$?
    trap - INT
    (( status != 2 )) || exit 2 # the options were wrong, and it has said so
    plot || status=1
    say "Done in $((SECONDS - begin)) s; numbers.csv, claims.csv, plots and runs.log: $out"
    return "$status"
}

main "$@"
