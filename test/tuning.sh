#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The tuning file of coll/pschedule, and pschedule_tune, which writes it: jobs on this machine, on
# made-up hosts. Prints TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(pwd)
tune=$build/../tools/pschedule_tune
work=$(mktemp -d)
output=$work/output
settings=$work/tuning.txt
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")
unset OMPI_MCA_coll_pschedule_tuning_file
options=(--np 4 --map-by :OVERSUBSCRIBE --bind-to none --mca part ucx
    --mca coll_pschedule_hosts "0,0,1,1" -x MPIX_TEST_TIMEOUT=100)

# job ARGUMENTS...: mpirun with these, its output in $output; its status.
job() {
    timeout --kill-after=5 120 mpirun "${options[@]}" "$@" >"$output" 2>&1 </dev/null
}

said() {
    tr -s ' \n' ' ' <"$output" | grep -qF -- "$1" || {
        echo "not said: $1" >>"$output"
        return 1
    }
}

# An allreduce of 4 bytes; with a tuning file that has these lines.
allreduce_with() {
    printf '%s\n' "$1" >"$settings"
    job --mca coll_pschedule_verbose 2 --mca coll_pschedule_tuning_file "$settings" "${@:2}" \
        "$build/helpers/collective"
}

chooses_by_file() {
    local first second
    first=$'version = 1\nallreduce = rabenseifner ranks 4 hosts 2 bytes 0-100'
    second=$'version = 1\nallreduce = chain'
    allreduce_with "$first" && said 'on 4 ranks: rabenseifner (by the tuning file)' &&
        allreduce_with "$second" && said 'on 4 ranks: chain (by the tuning file)'
}

leaves_others_alone() {
    allreduce_with $'version = 1\nallreduce = chain ranks 5-\nallreduce = ring bytes 5-' &&
        said '(least time by the model)'
}

# shared_ring needs one host.
gives_way() {
    allreduce_with $'version = 1\nallreduce = shared_ring' &&
        said '(that of the tuning file cannot serve this call)'
}

knows_constants() {
    allreduce_with $'version = 1\nlatency = 77\nlocal_latency = 3\nbandwidth = 123' &&
        said "latency 77 and 3 us, bandwidth 123, 0 and 0 MB/s, also from $settings"
}

# A variable that is set, even to its default, and a forced algorithm win.
gives_way_to_user() {
    allreduce_with $'version = 1\nlatency = 77\nlocal_latency = 3\nallreduce = chain' \
        --mca coll_pschedule_latency 40 --mca coll_pschedule_allreduce_algorithm ring &&
        said 'latency 40 and 3 us' && said 'on 4 ranks: ring (forced)'
}

# refuses FILE-CONTENT WORDS: one message, all ranks get an error, and MPI goes on.
refuses() {
    allreduce_with "$1" && said "$2" &&
        (($(grep -c 'RESULT MPI_ERR_OTHER' "$output") == 4)) &&
        (($(grep -c 'RESULT sum 4' "$output") == 4)) &&
        (($(grep -c 'is refused, because the file' "$output") == 1))
}

refuses_missing_file() {
    job --mca coll_pschedule_tuning_file "$work/nowhere" "$build/helpers/collective" &&
        said "$work/nowhere: No such file" && (($(grep -c 'RESULT MPI_ERR_OTHER' "$output") == 4))
}

# One rank reads another file.
notices_difference() {
    printf 'version = 1\nallreduce = chain\n' >"$settings"
    printf 'version = 1\nallreduce = ring\n' >"$settings.0"
    # shellcheck disable=SC2016
    job bash -c '
        [[ $OMPI_COMM_WORLD_RANK != 0 ]] || settings=$1.0
        export OMPI_MCA_coll_pschedule_tuning_file=${settings:-$1}
        exec "$2"' sh "$settings" "$build/helpers/collective" &&
        said 'that choose an algorithm' && (($(grep -c 'RESULT MPI_ERR_ARG' "$output") == 4))
}

# unchanged_with LINES OPTIONS...: a program with persistent collectives of MPI, in mode auto, which
# has the right results.
unchanged_with() {
    printf '%s\n' 'version = 1' "$1" >"$settings"
    job --mca coll_pschedule_verbose 1 --mca coll_pschedule_persistent auto "${@:2}" \
        --mca coll_pschedule_tuning_file "$settings" "$build/helpers/unchanged" &&
        (($(grep -c ': right' "$output") == 4))
}

# Also against what was measured on other machines.
serves_by_file() {
    unchanged_with $'persistent_allreduce = handed_on ranks 4\npersistent_bcast = served' &&
        said 'persistent allreduce on MPI_COMM_WORLD: handed on' &&
        said 'persistent bcast on MPI_COMM_WORLD: served' &&
        unchanged_with $'persistent_allreduce = served hosts 2\npersistent_bcast = handed_on' &&
        said 'persistent allreduce on MPI_COMM_WORLD: served' &&
        said 'persistent bcast on MPI_COMM_WORLD: handed on'
}

# What others make then, and why, is said once.
hands_on_with_bad_file() {
    unchanged_with 'persistent_allreduce = sevred' &&
        said '"sevred" is neither served nor handed_on' && ! said ': served' &&
        (($(grep -c 'names cannot be used' "$output") == 1))
}

# One rank reads other lines: nothing is served, and nobody waits.
serves_nothing_where_files_differ() {
    printf '%s\n' 'version = 1' 'persistent_bcast = served' >"$settings"
    printf '%s\n' 'version = 1' 'persistent_bcast = handed_on' >"$settings.0"
    # shellcheck disable=SC2016
    job --mca coll_pschedule_verbose 1 bash -c '
        [[ $OMPI_COMM_WORLD_RANK != 0 ]] || settings=$1.0
        export OMPI_MCA_coll_pschedule_tuning_file=${settings:-$1}
        exec "$2"' sh "$settings" "$build/helpers/unchanged" &&
        (($(grep -c ': right' "$output") == 4)) && ! said ': served'
}

writes_persistent() {
    timeout --kill-after=5 120 mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none --mca part ucx \
        "$tune" --quick --persistent --out "$settings" >"$output" 2>&1 </dev/null &&
        (($(grep -cE '^persistent_(allgather|allreduce|bcast) = (served|handed_on) ranks 2 hosts 1' \
            "$settings") >= 3)) && cat "$settings" >>"$output" &&
        job --mca coll_pschedule_tuning_file "$settings" "$build/helpers/unchanged" &&
        (($(grep -c ': right' "$output") == 4))
}

is_listed() {
    printf 'version = 1\nlatency = 77\n' >"$settings"
    ompi_info --param coll pschedule --level 9 >"$output" 2>&1 &&
        said 'coll_pschedule_tuning_file"' &&
        OMPI_MCA_coll_pschedule_tuning_file=$settings ompi_info --param coll pschedule --level 9 \
            --parsable >"$output" 2>&1 && said "coll_pschedule_tuning_file:value:$settings" &&
        said 'coll_pschedule_latency:value:77'
}

# A file that was there is replaced; what it writes is read, and changes what is chosen.
writes_file() {
    local line latency
    echo 'old' >"$settings"
    job "$tune" --quick --out "$settings" && said '4 ranks on 2 hosts' && said 'is written, with' &&
        grep -qx 'version = 1' "$settings" || return 1
    for line in latency local_latency bandwidth host_bandwidth copy_bandwidth; do
        grep -Eq "^$line = [1-9][0-9]* #" "$settings" || {
            echo "no $line" >>"$output"
            return 1
        }
    done
    [[ -z $(find "$work" -name 'tuning.txt.*' ! -name '*.0') ]] || return 1
    latency=$(sed -n 's/^latency = \([0-9]*\).*/\1/p' "$settings")
    job --mca coll_pschedule_verbose 2 --mca coll_pschedule_tuning_file "$settings" \
        "$build/helpers/collective" && said "latency $latency and" || return 1
    # In place of what was measured: that may need more elements than this call has.
    sed -i '/^allreduce/d' "$settings"
    echo 'allreduce = chain' >>"$settings"
    job --mca coll_pschedule_verbose 1 --mca coll_pschedule_tuning_file "$settings" \
        "$build/helpers/collective" && said '(by the tuning file)'
}

# There the model has one latency only.
measures_one_host() {
    timeout --kill-after=5 120 mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none --mca part ucx \
        "$tune" --quick --out "$settings" >"$output" 2>&1 </dev/null && said '2 ranks on 1 hosts' &&
        grep -Eq '^latency = [1-9][0-9]* # us, of a round on one host' "$settings"
}

keeps_file() {
    local status=0
    mkdir "$work/closed"
    job "$tune" --quick --out "$work/closed/nowhere/tuning.txt" || status=$?
    ((status != 0)) && said 'nowhere/tuning.txt: No such file or directory' &&
        ! grep -q 'a round takes' "$output" && [[ ! -e $work/closed/nowhere ]]
}

# Where no request can be made, nothing has been measured, and the component would refuse the lines.
measures_or_fails() {
    local status=0
    rm -f "$settings"
    timeout --kill-after=5 120 mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none \
        --mca part persist "$tune" --quick --out "$settings" >"$output" 2>&1 </dev/null || status=$?
    ((status != 0)) && said 'no partitioned collective can be made' && [[ ! -e $settings ]]
}

# Compared with the algorithms of that file, none is faster.
measures_without_file() {
    printf 'version = 1\nallreduce = chain\n' >"$settings"
    fails job --mca coll_pschedule_tuning_file "$settings" "$tune" --quick --out "$settings" &&
        said 'coll_pschedule_tuning_file is set' && grep -qx 'allreduce = chain' "$settings"
}

# /dev/null, say.
keeps_special_file() {
    local status=0
    mkfifo "$work/pipe"
    job "$tune" --quick --out "$work/pipe" || status=$?
    ((status != 0)) && said 'pipe: it is there, and is not a regular file' && [[ -p $work/pipe ]]
}

helps() {
    job "$tune" --help && said '--quick' &&
        fails job "$tune" --nonsense && said 'try pschedule_tune' &&
        fails job "$tune" --partitions 8k && said 'try pschedule_tune'
}

check "a line of the file chooses the algorithm of the calls it names" chooses_by_file
check "calls that no line names are chosen by the model" leaves_others_alone
check "an algorithm of the file that cannot serve a call gives way" gives_way
check "constants of the file are the model's" knows_constants
check "variables that are set win over the file" gives_way_to_user
check "a name that is not known: one message with the line, an error on all ranks" \
    refuses $'version = 1\nlatncy = 3' 'tuning.txt, line 2: "latncy" is not known'
check "a number that is none: the same" \
    refuses $'version = 1\n\nbandwidth = fast' 'line 3: bandwidth is "fast", not a number from 1'
check "a file that is not there: the same" refuses_missing_file
check "files that differ between ranks are noticed" notices_difference
check "lines for MPI's persistent collectives say what auto serves" serves_by_file
check "a file that cannot be used: nothing is served, with one message" hands_on_with_bad_file
check "files that differ in these between ranks: nothing is served" serves_nothing_where_files_differ
check "ompi_info shows the file and what it says" is_listed
check "pschedule_tune says how it is used" helps
check "pschedule_tune writes a file that is read and counts" writes_file
check "pschedule_tune measures one host" measures_one_host
check "pschedule_tune --persistent writes lines for MPI's persistent collectives" writes_persistent
check "pschedule_tune leaves nothing where it cannot write" keeps_file
check "pschedule_tune replaces nothing that is not a regular file" keeps_special_file
check "pschedule_tune does not measure what an older file chooses" measures_without_file
check "pschedule_tune writes nothing where it can measure nothing" measures_or_fails
tap_end
