#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The collectives: from a fresh checkout to tables, CSV and plots of partitioned collectives beside
# MPI's blocking ones, on a virtual cluster of eight hosts and on this host.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/collectives.sh [--quick] [--rate MBIT] [--out DIR] [case...]
  --quick      a few minutes instead of about an hour: to 16 MiB, fewer samples, one round
  --rate MBIT  Mbit/s of each of the four paths of a host (default 100). Where the processors cannot
               carry eight hosts at that rate, take a lower one: the links must be the limit
  --reps N     rounds of every case, in alternating order; not of every and persistent
  --table      run nothing, print what is there
  --out DIR    put the results into DIR (default: bench/results/collectives)
  case         allreduce, bcast, overlap, overlap-threads, host, setup-8, setup-16, setup-32, every;
               all of them by default; and persistent: MPI's persistent collectives, of this package
               and of Open MPI

Gets and builds what is missing, makes eight virtual hosts with four paths between them, lets all
contenders of a case take turns, and ends with one table: claim, needed, seen, holds. May be
interrupted at any time: what was measured until then is shown, and nothing stays behind. The cases
host, setup and every run on this host alone. The exit status is 0 only if every claim holds.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/collectives
quick=0 table=0 rate=100 options=() cases=() every=0 persistent=0

take_option() {
    case $1 in
        --quick) quick=1; options+=(--quick --claims-only) ;;
        --table) table=1; options+=(--table) ;;
        --rate) rate=${2%mbit}; options+=(--rate "$rate") ;;
        --reps) options+=(--reps "$2") ;;
        --out) out=$2 ;;
        -*) return 1 ;;
        every) every=1 ;;
        persistent) persistent=1 ;;
        *) cases+=("$1") ;;
    esac
}

all_by_default() {
    if (( ! every && ! persistent && ${#cases[@]} == 0 )); then
        every=1
        cases=(allreduce bcast overlap overlap-threads host setup-8 setup-16 setup-32)
    fi
}

# The cases that this machine and user can run.
check_cluster() {
    local left=() name
    if (( table )) || ! no_cluster ', so only the cases of one host:'; then
        return 0
    fi
    for name in "${cases[@]}"; do
        case $name in
            allreduce | bcast | overlap*) ;;
            *) left+=("$name") ;;
        esac
    done
    if (( ! ${#left[@]} && ! every )); then
        say "None of these cases runs here"
        exit 1
    fi
    cases=("${left[@]}")
    persistent=0
}

plot() {
    local python name
    python=$(want_plotter plots) || return 0
    for name in allreduce bcast host; do
        [[ " ${cases[*]} " == *" $name "* && -e $out/$name.json ]] || continue
        "$python" "$top/bench/scripts/plot.py" --data "$data" --out "$out" --case "$name" \
            --png "$out/$name.png" && say "Plot: $out/$name.png"
    done
}

# All 21, a row each; too few runs for claims.
run_every() {
    local samples=9
    (( ! quick )) || samples=3
    say "All 21 collectives beside the blocking ones, 4 ranks on this host, blocks of 1 MiB"
    rm -f "$out/every.csv"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 \
        PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout --foreground --kill-after=5 300 \
        mpirun -n 4 --map-by :OVERSUBSCRIBE --bind-to none --mca mpi_yield_when_idle 1 --mca part ucx --mca pml ob1 --mca btl self,sm \
        "$build/bench/coll/pcoll" -m 1M -p 4 -i "$samples" -x 1 --csv "$out/every.csv" </dev/null
}

# Some sizes of each, on eight hosts with one rank each; too few runs for claims. First the model's
# constants are measured, as an administrator would.
run_persistent() {
    local samples=5
    (( ! quick )) || samples=3
    say "MPI's persistent collectives, of this package and of Open MPI, 8 hosts, 4 paths"
    rm -f "$out/persistent.csv"
    # shellcheck disable=SC2016
    timeout --foreground --kill-after=5 1800 \
        "$top/test/vcluster" with --hosts 8 --paths 4 \
        --rate "$(awk "BEGIN { print int(1000 * $rate) }")kbit" -- bash -c '
        vcluster=$0 build=$1 out=$2 samples=$3
        run=("$vcluster" run --np 8 --mca part ucx --mca pml ob1 --mca btl self,tcp
             --mca mpi_yield_when_idle 1 -x UCX_TLS=tcp,self)
        "${run[@]}" -- "$build/tools/pschedule_tune" --quick --out "$out/tuned.txt" || exit 1
        for size in 64 1K 16K 128K 1M 8M; do
            "${run[@]}" --mca coll_pschedule_persistent on \
                --mca coll_pschedule_tuning_file "$out/tuned.txt" -- "$build/bench/coll/pcoll" \
                --persistent 1 -p 1 -m "$size" -x 1 -i "$samples" \
                --coll bcast,allreduce,allgather,reduce_scatter_block,alltoall \
                --csv "$out/persistent.csv" || exit 1
        done' "$top/test/vcluster" "$build" "$out" "$samples" </dev/null
}

main() {
    read_options '--rate --reps --out' value "$@"
    all_by_default
    local begin=$SECONDS status=0 data=$top/bench/scripts/collectives.toml
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    get_build --try python3-matplotlib
    out=$(make_folder "$out")
    check_cluster
    if (( every && ! table )); then
        run_every || status=$?
    fi
    if (( persistent && ! table )); then
        run_persistent || status=$?
    fi
    if (( ${#cases[@]} )); then
        # It ends by itself when interrupted, and shows what there is.
        trap : INT
        "$python3" "$top/bench/scripts/compare.py" --data "$data" --bin "$build/bench/coll" \
            --out "$out" "${options[@]}" "${cases[@]}" || status=$?
        trap - INT
        plot
    fi
    say "Done in $((SECONDS - begin)) s; numbers.csv, claims.csv, plots and runs.log: $out"
    return "$status"
}

main "$@"
