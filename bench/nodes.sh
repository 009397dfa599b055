#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Real nodes: from a fresh checkout to a report on several ranks per host and more ranks than
# processors, on virtual hosts.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/nodes.sh [option...] [topic...]
       bash bench/nodes.sh [--quick] [--out DIR] [--reps N] [--table] [--list] helper | case...
  topic      collectives  tables: several ranks per host, and one rank on each of 8 hosts
             papers       pictures: broadcast, allgather and alltoall against size and hosts
             kernels      matrix-vector product, Fourier transform, shortest paths
             Without a topic: these three, in one report. Also:
             helper       the helper thread (part_ucx_async): auto beside on and off, and MPI_Isend;
                          or cases of bench/scripts/nodes.toml, which --list shows
  --quick            about ten minutes instead of two to three hours
  --only N[,N...]    run only these parts of the report
  --mpi NAME=PREFIX  let another MPI library take part, installed in PREFIX; again for more
  --fresh            discard what was measured before, and measure it again
  --report           run nothing, write the report of what has been measured
  --list             print what would be run
  --out DIR          put the results into DIR (default: bench/results/nodes, with --quick
                     bench/results/nodes-quick; for the helper bench/results/nodes-helper)
  --reps N, --table  helper only: rounds of every case; print what is there

Gets and builds what is missing, makes virtual hosts with four paths between them, and lets all
contenders of a case take turns. The report is DIR/report.html and DIR/report.md. May be interrupted
at any time: the same command goes on where it ended. The exit status is 0 when everything was
measured, whether or not the claims hold; 1 when a run failed. For the helper it is 0 only if every
claim holds, and nothing of an interrupted run is used again.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=''
parts=''
options=() cases=() report_options=()
of_helper='' of_report='' # the last option that only one of the two has

helper=(allreduce-block allreduce-round allgather-block reduce-scatter-block bcast-round
    alltoall-block allgather-small-round pairs pairs-bound alone-bound late-alone late-computing
    late-threads computing)

take_option() {
    case $1 in
        --quick | --list) options+=("$1") report_options+=("$1") ;;
        --table) of_helper=$1 options+=("$1") ;;
        --reps) of_helper=$1 options+=("$1" "$2") ;;
        --fresh | --report) of_report=$1 report_options+=("$1") ;;
        --mpi) of_report=$1 report_options+=("$1" "$2") ;;
        --only) of_report=$1 parts+=,$2 ;;
        --out) out=$2 ;;
        -*) return 1 ;;
        collectives) of_report=$1 parts+=,1,2 ;;
        papers) of_report=$1 parts+=,3,4,5 ;;
        kernels) of_report=$1 parts+=,6 ;;
        helper) cases+=("${helper[@]}") ;;
        *) cases+=("$1") ;;
    esac
}

# What would be dropped in silence.
refuse_the_unused() {
    local unused=$of_helper
    (( ! ${#cases[@]} )) || unused=$of_report
    [[ -z $unused ]] || {
        echo "nodes.sh: $unused has no meaning here; --help tells what goes with the helper" >&2
        exit 2
    }
}

compare_helper() {
    get_build
    out=$(make_folder "${out:-$top/bench/results/nodes-helper}")
    exec "$python3" "$top/bench/scripts/compare.py" --data "$top/bench/scripts/nodes.toml" \
        --bin "$build/bench" --out "$out" "${options[@]}" "${cases[@]}"
}

write_report() {
    local python
    get_build --try python3-matplotlib --try libfftw3-dev
    python=$(find_plotter) || {
        echo "nodes.sh: python3 (3.11 or later) has no matplotlib (Debian: apt install" \
            "python3-matplotlib)" >&2
        exit 1
    }
    # The simulator of plans; the report does without.
    make -s -C "$build/test" unit/plan_time >&2 || true
    [[ -z $out ]] || report_options+=(--out "$out")
    [[ -z $parts ]] || report_options+=(--only "$parts")
    exec "$python" "$top/bench/figures/figures.py" --data nodes.toml --bin "$build/bench" \
        "${report_options[@]}"
}

main() {
    read_options '--reps --out --mpi --only' value "$@"
    refuse_the_unused
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    if (( ${#cases[@]} )); then compare_helper; else write_report; fi
}

main "$@"
