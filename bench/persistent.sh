#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# MPI's persistent collectives as programs get them, beside those of Open MPI's other components.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/persistent.sh [option...] [place...]
  --quick      about ten minutes instead of two hours: fewer sizes, one turn
  --mode MODE  coll_pschedule_persistent: auto (default), or on, which serves all that can be served
  --rate MBIT  Mbit/s of each of the four paths of a virtual host (default 100). With so high a rate
               that the processors are the limit, what hosts cannot gain by their links is seen
  --coll LIST  these collectives, separated by commas (default: all 21)
  --reps N     turns of every size
  --out DIR    put the results into DIR (default: bench/results/persistent)
  place        host-2, host-4, host-8 (ranks on this host), 8x1, 4x4, 4x4-round (virtual hosts x
               ranks, four paths; neighbours on a host, or going round the hosts); all of them by
               default

Gets and builds what is missing. A program measures each collective in three ways, sample by sample
in turn: persistent as programs get it, persistent of the other components, blocking. Requests that
this package hands on are those of the other components, and are not measured. It ends with a table
for each place, of how many times faster the first way is than the second, and one of claims. The
tables, all numbers as CSV and a picture are in the folder of the results. May be interrupted at any
time: what was measured until then is shown. The exit status is 0 only if every claim holds, 130
when interrupted.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/persistent
options=()

take_option() {
    case $1 in
        --quick) options+=("$1") ;;
        --mode | --rate | --coll | --reps) options+=("$1" "$2") ;;
        --out) out=$2 ;;
        -*) return 1 ;;
        *) options+=("$1") ;;
    esac
}

main() {
    read_options '--mode --rate --coll --reps --out' value "$@"
    get_build --try python3-matplotlib
    out=$(make_folder "$out")
    exec "$(find_plotter || echo python3)" "$top/bench/scripts/persistent.py" \
        --bin "$build/bench/coll" --out "$out" "${options[@]}"
}

main "$@"
