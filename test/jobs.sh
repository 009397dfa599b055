#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whole jobs on this machine, as their user sees them: messages, refusals, and what a program pays
# that uses nothing of this. Prints TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(pwd)
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")
options=(--map-by :OVERSUBSCRIBE --bind-to none)

# job SECONDS ARGUMENTS...: mpirun with these, its output in $output; its status. The limits find
# hangs: no job takes longer than a few seconds.
job() {
    local seconds=$1
    shift
    timeout --kill-after=5 "$seconds" mpirun "${options[@]}" "$@" >"$output" 2>&1 </dev/null
}

said() {
    grep -qF -- "$1" "$output"
}

# The number of lines of the output that have a text.
times_said() {
    grep -cF -- "$1" "$output" || true
}

has_one_message() {
    local status=0
    job 120 --np 2 --mca part ucx --mca part_ucx_devices nosuch0 -x MPIX_TEST_TIMEOUT=80 \
        "$build/mpi/x06_no_such_device" || status=$?
    ((status == 0)) && said 'no network device "nosuch0"' &&
        (($(times_said 'no network device "nosuch0"') == 1))
}

refuses_variable() {
    # Whether the job goes on without the component or ends is not the point; it must say why.
    says part_ucx_window --mca part_ucx_window 1 "$build/helpers/footprint"
}

# says WORD OPTIONS...: a job that ends at once says the word. What processes say through Open MPI
# just before they abort goes through its daemons, and does not always get out; what is never said
# is missing every time.
says() {
    local word=$1 try
    shift
    for try in 1 2 3; do
        job 120 --np 2 --mca part ucx "$@" || true
        ! said "$word" || return 0
    done
    return "$try"
}

refuses_word() {
    says part_ucx_delivery --mca part_ucx_delivery pigeon "$build/helpers/footprint"
}

# notices FIRST SECOND: ranks 0 and 1 run these components. (--mca would be for both, and mpirun of
# PRRTE 3.0.8 crashes when a job has two programs.)
notices() {
    # shellcheck disable=SC2016
    job 240 --np 2 -x MPIX_TEST_TIMEOUT=200 bash -c '
        part=("$1" "$2")
        export OMPI_MCA_part=${part[OMPI_COMM_WORLD_RANK]}
        exec "$0" "$OMPI_MCA_part"' "$build/helpers/mixed" "$1" "$2" || true
    said 'RESULT ended' && ! said 'RESULT ended MPI_SUCCESS' && said 'component'
}

footprint() {
    job 120 --np 2 --mca part "$1" "$build/helpers/footprint" && sed -n 's/^RESULT //p' "$output"
}

costs_nothing() {
    local with without
    without=$(footprint persist)
    with=$(footprint ucx)
    echo "with: $with, without: $without" >>"$output"
    [[ -n $with && $with == "$without" ]]
}

# What a process holds that uses none of it, with and without coll/pschedule.
collectives_cost_nothing() {
    local with without
    without=$(job 120 --np 2 --mca part ucx --mca coll ^pschedule "$build/helpers/footprint" &&
        sed -n 's/^RESULT //p' "$output")
    with=$(footprint ucx)
    echo "with: $with, without: $without" >>"$output"
    [[ -n $with && $with == "$without" ]]
}

# refused OPTIONS...: no collectives there; the error has a class and a text, and MPI goes on.
refused() {
    local build_helper=$build/helpers/collective
    job 120 --np 2 "$@" "$build_helper" || return 1
    (($(times_said 'RESULT MPI_ERR_UNSUPPORTED_OPERATION') == 2)) || return 1
    (($(times_said 'RESULT sum 2') == 2)) || return 1
    ! job 120 --np 2 "$@" "$build_helper" fatal || return 1
    said MPIX_Pallreduce_init && said coll/pschedule && said part/ucx && ! said 'RESULT sum'
}

refuses_without_part() {
    refused --mca part persist
}

# One rank has no part/ucx: an error there, and on the others, which do not wait for it.
refuses_on_all_ranks() {
    # shellcheck disable=SC2016
    job 120 --np 3 bash -c '
        part=(ucx persist ucx)
        export OMPI_MCA_part=${part[OMPI_COMM_WORLD_RANK]}
        exec "$0"' "$build/helpers/collective" || return 1
    (($(times_said 'RESULT MPI_ERR_UNSUPPORTED_OPERATION') == 1)) &&
        (($(times_said 'RESULT MPI_ERR_OTHER') == 2)) && said 'rank 1'
}

refuses_without_coll() {
    refused --mca part ucx --mca coll ^pschedule
}

lists_algorithms() {
    ompi_info --param coll pschedule --level 9 >"$output" 2>&1
    local name
    for name in bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv \
        alltoallw reduce allreduce reduce_scatter_block reduce_scatter scan exscan \
        neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv \
        neighbor_alltoallw; do
        said "coll_pschedule_${name}_algorithm\"" || {
            echo "coll_pschedule_${name}_algorithm is missing" >>"$output"
            return 1
        }
    done
}

# forces NAME: the verbose line of an allreduce says that it is this one, because it was forced.
forces() {
    job 240 --np 2 --mca part ucx --mca coll_pschedule_verbose 1 \
        --mca coll_pschedule_allreduce_algorithm "$1" -x MPIX_TEST_TIMEOUT=200 \
        "$build/helpers/collective" && grep -Eq "allreduce .*: $1 \(forced\)" "$output"
}

allreduce_algorithms() {
    ompi_info --param coll pschedule --level 9 --parsable |
        awk -F: '$5 == "coll_pschedule_allreduce_algorithm" && $7 == "value" && $9 != "auto" { print $9 }'
}

forces_every_algorithm() {
    local name names
    names=$(allreduce_algorithms)
    [[ -n $names ]] || return 1
    for name in $names; do
        forces "$name" || return 1
    done
}

tells_choice() {
    job 240 --np 2 --mca part ucx --mca coll_pschedule_verbose 1 -x MPIX_TEST_TIMEOUT=200 \
        "$build/helpers/collective" &&
        grep -Eq 'allreduce of 4 bytes in 1 partitions on 2 ranks: [a-z_]+ \(' "$output"
}

refuses_algorithm() {
    says coll_pschedule_allreduce_algorithm --mca coll_pschedule_allreduce_algorithm pigeon \
        "$build/helpers/collective"
}

# sums_of ALGORITHM: of a program that prints numbers made of all bits of its sums; auto: of all
# reductions, else of the allreduce.
sums_of() {
    local choice=() reduction=()
    if [[ $1 != auto ]]; then
        choice=(--mca coll_pschedule_allreduce_algorithm "$1")
        reduction=(allreduce)
    fi
    job 240 --np 4 --mca part ucx "${choice[@]}" -x MPIX_TEST_TIMEOUT=200 \
        "$build/coll/c16_bit_identical" "${reduction[@]}" && grep '^# SUM' "$output"
}

has_equal_bits() {
    local name first second
    for name in auto $(allreduce_algorithms); do
        first=$(sums_of "$name") && second=$(sums_of "$name") || return 1
        [[ -n $first && $first == "$second" ]] || {
            printf '%s:\n%s\n%s\n' "$name" "$first" "$second" >>"$output"
            return 1
        }
    done
    [[ $name != auto ]]
}

is_selected() {
    ompi_info --parsable >"$output" 2>&1
    grep -q '^mca:part:ucx:' "$output"
}

lists_variables() {
    ompi_info --param part ucx --level 9 >"$output" 2>&1
    local name
    for name in devices paths paths_per_device transports delivery message_limit unit_min unit_max \
        stripe_min window staging_limit async zero_partitions verbose priority; do
        said "part_ucx_$name\"" || {
            echo "part_ucx_$name is missing" >>"$output"
            return 1
        }
    done
}

# sums_up: a line per path at the end when verbosity asks.
sums_up() {
    job 240 --np 2 --mca part ucx --mca part_ucx_verbose 1 -x MPIX_TEST_TIMEOUT=200 \
        "$build/mpi/s33_receive_completion"
    grep -Eq 'path [0-9]+.*: sent [0-9]+ bytes' "$output"
}

check "ompi_info lists the component" is_selected
check "ompi_info lists its variables" lists_variables
check "a device that does not exist is one message, not one per call or rank" has_one_message
check "a value out of range is refused with its name" refuses_variable
check "a word that is no choice is refused with its name" refuses_word
check "a receiver with part/persist is noticed by the sender" notices ucx persist
check "a sender with part/persist does not hang the receiver" notices persist ucx
check "a program without partitioned calls has no file and no thread more" costs_nothing
check "the summary of the paths is there when verbosity asks" sums_up
check "partitioned collectives without part/ucx are refused with a reason" refuses_without_part
check "a rank without part/ucx makes partitioned collectives fail on all" refuses_on_all_ranks
check "partitioned collectives without coll/pschedule are refused with a reason" refuses_without_coll
check "a program without partitioned collectives has no file and no thread more" \
    collectives_cost_nothing
check "ompi_info lists the algorithms of every collective" lists_algorithms
check "the verbose line says which algorithm was chosen" tells_choice
check "every algorithm of an allreduce can be forced" forces_every_algorithm
check "a name that is no algorithm is refused with the variable" refuses_algorithm
check "sums have the same bits in every run, with every algorithm of an allreduce" has_equal_bits
tap_end
