#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# How partitioned collectives would do on clusters that are not here: the plans of all ranks in
# made-up time (test/unit/plan_time), as CSV files for pictures.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/simulate.sh [--quick] [--out DIR] [case...]
  case         bcast-size, bcast-hosts, allgather, allreduce, alltoall-size, alltoall-hosts, large;
               all by default
  --quick      a quarter of the ranks, fewer sizes
  --out DIR    put the files into DIR (default: bench/results/simulated)

Gets and builds what is missing. Each case becomes a file DIR/CASE.csv; a row has the time of one
algorithm for one size on one cluster. Column "known" is 0 where algorithms know nothing of hosts.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/simulated
quick=0
cases=()

take_option() {
    case $1 in
        --quick) quick=1 ;;
        --out) out=$2 ;;
        -*) return 1 ;;
        *) cases+=("$1") ;;
    esac
}

# simulate CASE COLLECTIVE SIZES NAME=VALUE...: with and without knowledge of hosts.
simulate() {
    local file=$out/$1.csv known
    for known in 1 0; do
        "$build/test/unit/plan_time" --csv "$2" "$3" "${@:4}" "blind=$((1 - known))" |
            awk -v known="$known" -v head="$([[ -s $file ]] || echo 1)" '
                NR == 1 { if (head) print "known," $0; next } { print known "," $0 }' >>"$file"
    done
}

# pick MANY FEW: by --quick.
pick() {
    if ((quick)); then echo "$2"; else echo "$1"; fi
}

run_case() {
    local hosts
    case $1 in
        bcast-size)
            simulate "$1" bcast "$(pick 64,512,4K,32K,256K,2M,16M 64,4K,256K)" \
                hosts="$(pick 64 16)" per_host="$(pick 32 8)"
            ;;
        bcast-hosts)
            for hosts in $(pick '2 4 8 16 32 64' '2 4 8'); do
                simulate "$1" bcast 1K,1M hosts="$hosts" per_host="$(pick 32 8)"
            done
            ;;
        allgather)
            simulate "$1" allgather "$(pick 64,1K,16K,256K 64,16K)" \
                hosts="$(pick 64 16)" per_host=16
            ;;
        allreduce)
            simulate "$1" allreduce "$(pick 1K,64K,1M,16M 1K,1M)" hosts="$(pick 64 16)" per_host=16
            ;;
        alltoall-size)
            simulate "$1" alltoall "$(pick 64,512,4K,32K 64,4K)" hosts="$(pick 64 16)" per_host=8
            ;;
        alltoall-hosts)
            for hosts in $(pick '4 8 16 32 64' '4 8'); do
                simulate "$1" alltoall 512 hosts="$hosts" per_host=8
            done
            ;;
        large)
            simulate "$1" allreduce "$(pick 1M,64M 1M)" hosts="$(pick 64 16)" per_host=32 \
                rows=recursive_doubling,rabenseifner,lanes,hosts
            ;;
        *)
            echo "simulate.sh: there is no case \"$1\"; --help lists them" >&2
            exit 2
            ;;
    esac
}

main() {
    local name
    read_options '--out' folder "$@"
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    get_build
    make -s -C "$build/test" unit/plan_time
    out=$(make_folder "$out")
    ((${#cases[@]})) || cases=(bcast-size bcast-hosts allgather allreduce alltoall-size
        alltoall-hosts large)
    for name in "${cases[@]}"; do
        say "$name"
        rm -f "$out/$name.csv"
        run_case "$name"
    done
    say "The files are in $out"
}

main "$@"
