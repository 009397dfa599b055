#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whole jobs as their user sees them: messages, refusals, and what a program pays that uses nothing
# of this. On this machine; and on the virtual cluster, where that works, hosts that are set up
# differently. Prints TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(pwd)
output=$(mktemp)
messages=$(mktemp)
trap 'rm -f "$output" "$messages"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output")
launcher=(mpirun --map-by :OVERSUBSCRIBE --bind-to none)
dashes=() # what the launcher wants in front of the program
if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    launcher=("$here/vcluster" run)
    dashes=(--)
    # Open MPI 5.0.7 now and then drops one of several connections that are made at once, and says
    # so ("dropped inbound connection"); its own collectives then wait for ever.
    export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_part_ucx_devices=all
fi

# job SECONDS ARGUMENTS...: mpirun with these, its output in $output; its status. The limits find
# hangs: no job takes longer than a few seconds.
job() {
    local seconds=$1
    shift
    timeout --kill-after=5 "$seconds" "${launcher[@]}" "$@" >"$output" 2>&1 </dev/null
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

tells_unknown_transport() {
    local status=0
    job 120 --np 2 --mca part ucx --mca part_ucx_transports tcpx,shm -x MPIX_TEST_TIMEOUT=80 \
        "$build/mpi/s33_receive_completion" || status=$?
    ((status == 0)) && (($(times_said 'part_ucx_transports, "tcpx" is no transport') == 1))
}

# What an administrator has written into UCX's file counts as the environment does.
obeys_ucx_conf() {
    local folder status=0
    folder=$(mktemp -d)
    echo 'UCX_TLS=tcp,self' >"$folder/ucx.conf"
    UCX_CONFIG_DIR=$folder job 120 --np 2 --mca part ucx --mca part_ucx_verbose 1 \
        -x UCX_CONFIG_DIR -x MPIX_TEST_TIMEOUT=80 "$build/mpi/s33_receive_completion" || status=$?
    rm -r "$folder"
    ((status == 0)) && said ' over tcp, distance' && ! said 'posix'
}

# It carries 24 bits of a tag.
meets_on_grids() {
    job 60 --np 2 --mca part ucx --mca pml ucx --mca opal_common_ucx_tls any \
        --mca opal_common_ucx_devices any -x MPIX_TEST_TIMEOUT=40 "$build/mpi/x21_grid" &&
        said 'ok 1 ' && ! said 'not ok'
}

refuses_variable() {
    # Whether the job goes on without the component or ends is not the point; it must say why.
    says 'part_ucx_window is 1;' --mca part_ucx_window 1 "$build/helpers/footprint" &&
        OMPI_MCA_part_ucx_eager_limit=-1 says 'part_ucx_eager_limit is -1;' \
            "$build/helpers/footprint"
}

refuses_contradiction() {
    says 'part_ucx_unit_min is 16384, which is more than part_ucx_unit_max (8192)' \
        --mca part_ucx_unit_max 8192 "$build/helpers/footprint"
}

reports_bad_setup() {
    job 120 --np 2 --mca part ucx -x MPIX_TEST_TIMEOUT=80 "$build/mpi/x16_bad_setup" &&
        said 'a set-up message to or from rank 1 could not be made or read' &&
        said 'runs another version of part/ucx' && said 'the channel to rank 1, tag 116'
}

# A wish that goes too far, which the job survives.
cuts_paths() {
    job 120 --np 2 --mca part ucx --mca part_ucx_paths 31 --mca part_ucx_paths_per_device 1 \
        -x MPIX_TEST_TIMEOUT=80 "$build/helpers/misuse" channel &&
        said '31 network paths are asked for' && said 'part_ucx_paths_per_device' &&
        (($(times_said '31 network paths are asked for') == 1))
}

# says WORD OPTIONS...: a job that ends at once says the word. What processes say through Open MPI
# just before they abort goes through its daemons, and does not always get out; what is never said
# is missing every time.
says() {
    local word=$1 try status
    shift
    for try in 1 2 3; do
        status=0
        job 120 --np 2 --mca part ucx "$@" || status=$?
        ((status != 124 && status != 137)) || return 1 # it says so, and hangs
        ! said "$word" || return 0
    done
    return "$try"
}

refuses_word() {
    says part_ucx_delivery --mca part_ucx_delivery pigeon "$build/helpers/footprint"
}

# Who does not ask for part/ucx goes on without it.
declines() {
    local message='part/ucx declines to load: it was built for UCX'
    job 120 --np 2 -x MPIX_TEST_TIMEOUT=80 "$build/helpers/stranger" &&
        (($(times_said "$message") == 1)) && said 'and the process uses UCX 99.0' &&
        said 'ok 1 - a channel' && says "$message" --mca part ucx "$build/helpers/stranger" &&
        ! said 'ok 1 - a channel'
}

# notices FIRST SECOND: ranks 0 and 1 run these components. (--mca would be for both, and mpirun of
# PRRTE 3.0.8 crashes when a job has two programs.)
notices() {
    local status=0
    # shellcheck disable=SC2016
    job 240 --np 2 -x MPIX_TEST_TIMEOUT=200 bash -c '
        part=("$1" "$2")
        export OMPI_MCA_part=${part[OMPI_COMM_WORLD_RANK]}
        exec "$0" "$OMPI_MCA_part"' "$build/helpers/mixed" "$1" "$2" || status=$?
    ((status != 124 && status != 137)) && said 'RESULT ended' && ! said 'RESULT ended MPI_SUCCESS' && said 'component'
}

# The messages about all these mistakes, from one job, which goes on after each.
collect_messages() {
    local status=0
    job 240 --np 2 --mca part ucx --mca part_ucx_async off --mca part_ucx_shared_copy receiver \
        --mca part_ucx_stall_warning 1 -x MPIX_TEST_TIMEOUT=200 "$build/helpers/misuse" \
        argument active size freed source alltoall-in-place root stalled || status=$?
    cp "$output" "$messages"
    return "$status"
}

# tells REGULAR-EXPRESSION...: lines of these messages.
tells() {
    local expression
    cp "$messages" "$output"
    for expression in "$@"; do
        grep -Eq -- "$expression" "$messages" || {
            echo "nothing like: $expression" >>"$output"
            return 1
        }
    done
}

# A mistake that has the topic of another one: of each topic a job shows the first in full.
tells_bcast_in_place() {
    job 120 --np 2 --mca part ucx -x MPIX_TEST_TIMEOUT=80 "$build/helpers/misuse" bcast-in-place &&
        said 'MPIX_Pbcast_init cannot be served' &&
        said 'MPI_IN_PLACE stands where it is not allowed'
}

tells_prepare() {
    fails job 120 --np 2 --mca part ucx -x MPIX_TEST_TIMEOUT=80 "$build/helpers/misuse" prepare &&
        said 'MPIX_Pbuf_prepare: takes partitioned requests that have been started'
}

# A program of one process, whose own words these are.
tells_too_early() {
    fails timeout --kill-after=5 60 "$build/helpers/misuse" too-early >"$output" 2>&1 </dev/null &&
        said 'MPIX_Pbcast_init() function was called before MPI_INIT'
}

# One rank has network devices only, the other one shared memory only.
tells_no_common_path() {
    # shellcheck disable=SC2016
    job 120 --np 2 --mca part ucx -x MPIX_TEST_TIMEOUT=80 bash -c '
        transports=(tcp shm)
        export OMPI_MCA_part_ucx_transports=${transports[OMPI_COMM_WORLD_RANK]}
        exec "$0" no-channel' "$build/helpers/misuse" &&
        grep -Eq 'a peer on host [^ ]+ have no path in common' "$output" &&
        said 'Both must use the same kind of devices'
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
    fails job 120 --np 2 "$@" "$build_helper" fatal || return 1
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

# Ranks 1 and 2 have no path in common, the others with both of them: an error on all, although the
# others' own links are good.
fails_without_path() {
    # shellcheck disable=SC2016
    job 120 --np 4 --mca part ucx --mca coll_pschedule_allreduce_algorithm "$1" bash -c '
        transports=(sm,tcp sm tcp sm,tcp)
        export OMPI_MCA_part_ucx_transports=${transports[OMPI_COMM_WORLD_RANK]}
        exec "$0"' "$build/helpers/collective" || return 1
    (($(times_said 'RESULT MPI_ERR_OTHER') == 4)) && (($(times_said 'RESULT sum 4') == 4)) &&
        said 'no path in common'
}

fails_on_all_ranks() {
    fails_without_path chain && fails_without_path ring
}

refuses_without_coll() {
    refused --mca part ucx --mca coll ^pschedule
}

# A library that takes partitioned collectives where they are (docs/optional.md).
goes_on_without() {
    job 60 --np 3 --mca part persist "$build/examples/optional" &&
        (($(times_said 'MPI_Allreduce, 0 wrong sums') == 3)) &&
        said 'part/ucx is not the part component in use there'
}

# Of three ranks one has not the component, or does not use it: an error on all, before anybody
# waits. Whether the others have persistent collectives does not matter.
refuses_with_stranger() {
    local setting
    for setting in coll=^pschedule coll_pschedule_priority=-1; do
        # shellcheck disable=SC2016
        OMPI_MCA_part=ucx job 120 --np 3 --mca coll_pschedule_persistent "$1" "${dashes[@]}" bash -c '
            [[ $OMPI_COMM_WORLD_RANK != 1 ]] || export "OMPI_MCA_$1"
            exec "$0"' "$build/helpers/collective" "$setting" || return 1
        (($(times_said 'RESULT MPI_ERR_UNSUPPORTED_OPERATION') == 3)) &&
            (($(times_said 'RESULT sum 3') == 3)) &&
            said 'MPIX_Pallreduce_init cannot make a request: rank 1 has not this component' ||
            return 1
    done
}

refuses_with_strangers() {
    refuses_with_stranger auto && refuses_with_stranger off
}

# persistent NUMBER VARIABLE=VALUE OPTIONS...: a program that knows nothing of this package gets the
# right results of persistent collectives. With a number, that rank has another setting. On the
# cluster rank 1 is alone on its host.
persistent() {
    local rank=$1 setting=$2
    shift 2
    # shellcheck disable=SC2016
    job 120 --np 3 --mca coll_pschedule_verbose 1 "$@" "${dashes[@]}" bash -c '
        [[ $OMPI_COMM_WORLD_RANK != "$1" ]] || export "OMPI_MCA_$2"
        exec "$0"' "$build/helpers/unchanged" "$rank" "$setting" &&
        (($(times_said ': right') == 3))
}

serves_persistent() {
    persistent none x=x --mca part ucx --mca coll_pschedule_persistent on &&
        said 'persistent allreduce on MPI_COMM_WORLD: served' &&
        (($(times_said 'persistent collectives: 2 served, 0 handed on') == 3))
}

asks_again() {
    persistent none x=x --mca part ucx --mca coll_pschedule_persistent on \
        -x LD_PRELOAD="$build/helpers/.libs/busy_pmix.so" && said 'PMIx does not answer' &&
        (($(times_said 'persistent collectives: 2 served, 0 handed on') == 3))
}

# Components that another release finds do nothing there, and the user learns why.
leaves_other_releases() {
    persistent none x=x --mca coll_pschedule_persistent on \
        -x LD_PRELOAD="$build/helpers/.libs/other_release.so" &&
        said 'part/ucx declines to load: it was built for Open MPI' &&
        said 'and this is Open MPI v5.99.0.' &&
        ! said 'persistent'
}

leaves_persistent() {
    persistent none x=x --mca part ucx --mca coll_pschedule_persistent off &&
        ! said 'persistent'
}

# A rank without the component, or with another setting, is noticed before anybody waits for it.
hands_on_persistent() {
    local setting
    for setting in coll=^pschedule coll_pschedule_persistent=off coll_pschedule_persistent=auto \
        coll_pschedule_priority=-1 coll_pschedule_priority=5; do
        OMPI_MCA_part=ucx OMPI_MCA_coll_pschedule_persistent=on persistent 1 "$setting" &&
            said 'handed on, some process does not serve, or with other settings' || return 1
    done
}

# Where the package is not installed, Open MPI's own component makes them; the others find out.
lacks_components() {
    OMPI_MCA_coll_pschedule_persistent=on persistent 1 mca_base_component_path=SYSTEM_DEFAULT &&
        said 'handed on, some process does not serve, or with other settings' &&
        (($(times_said 'persistent collectives: 0 served, 2 handed on') == 2))
}

# Between hosts with one path nothing is gained: no path is opened for that, nor a helper started.
opens_nothing_in_vain() {
    local rank
    for rank in none 1; do
        OMPI_MCA_part=ucx persistent "$rank" part_ucx_paths=1 --mca part_ucx_verbose 1 \
            $([[ $rank != none ]] || echo --mca part_ucx_paths 1) &&
            said 'handed on, some rank has one network path only' && ! said 'path 0' &&
            (($(times_said 'persistent collectives: 0 served, 2 handed on') == 3)) || return 1
    done
}

# Asked before the first connection is made: when they have run out it is too late.
needs_descriptors() {
    OMPI_MCA_part=ucx job 120 --np 3 "${dashes[@]}" "$build/helpers/collective" descriptors &&
        said 'need more file descriptors than this process may open' &&
        said 'RESULT MPI_ERR_NO_MEM' && ! said 'RESULT MPI_SUCCESS' &&
        (($(times_said 'RESULT sum 3') == 3))
}

# Where the process may ask for more, it does.
raises_limit() {
    OMPI_MCA_part=ucx job 120 --np 3 --mca part_ucx_verbose 1 "${dashes[@]}" \
        "$build/helpers/collective" raised && said 'file descriptors: the limit is' &&
        (($(times_said 'RESULT MPI_SUCCESS') == 3)) && (($(times_said 'RESULT sum 3') == 3))
}

# One that cannot says so.
agrees_on_persistent() {
    local setting
    for setting in part=persist coll_pschedule_chunk=1024; do
        OMPI_MCA_part=ucx OMPI_MCA_coll_pschedule_persistent=on persistent 1 "$setting" &&
            said 'handed on, some rank cannot' || return 1
    done
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

# placements: the hosts that three ranks are put on, for algorithms that need one host, or several.
placements=(0 0,0,1)

# forces NAME PLACEMENT: the verbose line of an allreduce says that it is this one, because it was
# forced.
forces() {
    job 240 --np 3 --mca part ucx --mca coll_pschedule_verbose 1 \
        --mca coll_pschedule_hosts "$2" --mca coll_pschedule_allreduce_algorithm "$1" \
        -x MPIX_TEST_TIMEOUT=200 "$build/helpers/collective" &&
        grep -Eq "allreduce .*: $1 \(forced\)" "$output"
}

# forces_somewhere NAME: sets placement to one where it can be forced.
forces_somewhere() {
    for placement in "${placements[@]}"; do
        ! forces "$1" "$placement" || return 0
    done
    return 1
}

allreduce_algorithms() {
    ompi_info --param coll pschedule --level 9 --parsable |
        awk -F: '$5 == "coll_pschedule_allreduce_algorithm" && $7 == "value" && $9 != "auto" { print $9 }'
}

# shares_memory PROGRAM...: an allreduce, and whatever has to run it.
shares_memory() {
    job 240 --np 3 --mca part ucx --mca part_ucx_verbose 3 --mca part_ucx_shared_eager_limit 0 \
        --mca coll_pschedule_allreduce_algorithm shared_ring -x MPIX_TEST_TIMEOUT=200 "$@" &&
        said 'are copied into shared memory'
}

# UCX is to leave alone what user namespaces forbid; it does not find out itself.
shares_nothing() {
    job 120 --np 3 --mca part ucx --mca coll_pschedule_verbose 1 \
        --mca coll_pschedule_allreduce_algorithm shared_ring -x MPIX_TEST_TIMEOUT=80 \
        -x UCX_POSIX_USE_PROC_LINK=n -x UCX_TLS=^cma \
        unshare --user --map-current-user "$build/helpers/collective" &&
        said 'the forced one cannot serve this call' && [[ $(times_said 'RESULT MPI_SUCCESS') -eq 3 ]]
}

forces_every_algorithm() {
    local name names placement
    names=$(allreduce_algorithms)
    [[ -n $names ]] || return 1
    for name in $names; do
        forces_somewhere "$name" || return 1
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

# sums_of ALGORITHM PLACEMENT: of a program that prints numbers made of all bits of its sums; auto: of
# all reductions, else of the allreduce.
sums_of() {
    local choice=() reduction=()
    if [[ $1 != auto ]]; then
        choice=(--mca coll_pschedule_allreduce_algorithm "$1")
        reduction=(allreduce)
    fi
    job 240 --np 4 --mca part ucx --mca coll_pschedule_hosts "$2" "${choice[@]}" \
        -x MPIX_TEST_TIMEOUT=200 "$build/coll/c16_bit_identical" "${reduction[@]}" &&
        grep '^# SUM' "$output"
}

has_equal_bits() {
    local name placement first second
    for name in auto $(allreduce_algorithms); do
        placement=${placements[0]}
        [[ $name == auto ]] || forces_somewhere "$name" || return 1
        first=$(sums_of "$name" "$placement") && second=$(sums_of "$name" "$placement") ||
            return 1
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

# The variables that docs/tuning.md has rows for: name, type, default, words of a choice.
documented_variables() {
    awk -F'|' '/^\| `part_ucx_[a-z_]+` \| / && NF >= 8 {
        name = $2; gsub(/[ `]/, "", name)
        initial = $3; gsub(/ /, "", initial); sub(/^empty$/, "", initial)
        values = $4; gsub(/ /, "", values)
        type = "int"
        if (values ~ /^bytes/) type = "size_t"
        if (values ~ /^names/) type = "string"
        if (type != "int" || values ~ /[0-9]/) values = ""
        print name, type, "\"" initial "\"", values }' "$here/../docs/tuning.md" | sort
}

# The same from ompi_info, which must not see what this shell or a file sets.
listed_variables() {
    local unset=()
    mapfile -t unset < <(compgen -e OMPI_MCA_part_ucx_ | sed 's/^/--unset=/' || true)
    env "${unset[@]}" OMPI_MCA_mca_base_param_files=none \
        ompi_info --param part ucx --level 9 --parsable | awk -F: '
        $3 != "ucx" || $4 != "param" { next }
        $6 == "value" { initial[$5] = $7 }
        $6 == "type" { type[$5] = $7 }
        $6 == "enumerator" && $7 == "value" {
            words[$5] = words[$5] (words[$5] == "" ? "" : ",") $9 }
        END { for (name in type) print name, type[name], "\"" initial[name] "\"", words[name] }' |
        sort
}

lists_variables() {
    (($(documented_variables | wc -l) > 0)) &&
        diff <(documented_variables) <(listed_variables) >"$output"
}

# Whoever looks for the reason of a hang. A busy machine looks later.
tells_what_is_waited_for() {
    local line send='send of rank 0 of MPI_COMM_WORLD, peer rank 1 on host [^ ]+, tag 120, started'
    local receive='receive of rank 1 of MPI_COMM_WORLD, peer rank 0 on host [^ ]+, tag 12'
    job 120 --np 2 --mca part ucx --mca part_ucx_verbose 1 --mca part_ucx_stall_warning 2 \
        -x MPIX_TEST_TIMEOUT=80 "$build/helpers/stuck" || return 1
    for line in "$send [23] s ago: 4 of 12 partitions are not marked: 3, 5-7$" \
        "${receive}0, started [23] s ago: 4 of 12 partitions are not here: 3, 5-7$" \
        "$send [23] s ago: its receive has not been started, or cannot say so$" \
        "${receive}1, started [23] s ago, has met no request of that rank"; do
        grep -qE -- "$line" "$output" || return 1
    done
    (($(times_said 's ago') == 4))
}

# sums_up: a line per rank and path at the end when verbosity asks, and bytes on one of them.
sums_up() {
    local lines
    job 240 --np 2 --mca part ucx --mca part_ucx_verbose 1 -x MPIX_TEST_TIMEOUT=200 \
        "$build/mpi/s33_receive_completion" || return 1
    lines=$(grep -oE '[0-9]+\] part/ucx: path [0-9]+ .*: sent [0-9]+ bytes' "$output")
    # Each process has as many, of paths 0, 1, ...
    awk '{ split($0, at, /\]/); count[at[1]]++; if ($4 + 0 != count[at[1]] - 1) wrong = 1 }
        / sent [1-9]/ { carried = 1 }
        END {
            for (rank in count) { ranks++; most = count[rank] }
            exit wrong || !carried || ranks != 2 || NR != 2 * most
        }' <<<"$lines"
}

# UCX tells of a variable that it does not know, or that none of its transports has.
knows_variables() {
    job 240 --np 2 --mca part ucx --mca part_ucx_verbose 1 -x UCX_LOG_LEVEL=warn \
        -x MPIX_TEST_TIMEOUT=200 "$build/mpi/s33_receive_completion" &&
        said 'shared memory over' && ! said 'UCX refuses' && ! said 'invalid configuration'
}

# The program asks for the error, and gets it.
blames_no_call() {
    job 60 --np 2 --mca part ucx "$build/mpi/s50c_failed_requests" &&
        said 'MPI_Parrived raises the error' && ! said 'MPI_Parrived is called wrongly'
}

cluster_cases() {
    check "hosts: MPI's persistent collectives are served" serves_persistent
    check "hosts: one lacks the components: the others find out" lacks_components
    check "hosts: one does not serve: all hand on" hands_on_persistent
    check "hosts: one cannot: all hand on" agrees_on_persistent
    check "hosts: descriptors are short: no collective, and nothing else is lost" needs_descriptors
    check "hosts: the limit of descriptors is raised" raises_limit
    check "hosts: one has a single path: all hand on, and open none" opens_nothing_in_vain
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    cluster_cases
    tap_cluster_end
fi
check "ompi_info lists the component" is_selected
check "ompi_info lists the variables of docs/tuning.md, with these types, defaults and words" \
    lists_variables
check "a device that does not exist is one message, not one per call or rank" has_one_message
check "a transport that does not exist is one message, and the job goes on" tells_unknown_transport
check "UCX's file of settings is obeyed" obeys_ucx_conf
if ompi_info 2>&1 | grep -q 'MCA pml: ucx'; then
    check "with pml/ucx set-up messages are no neighbours' on a grid of four dimensions" meets_on_grids
else
    skip "with pml/ucx set-up messages are no neighbours' on a grid of four dimensions" 'no pml/ucx'
fi
check "a value out of range is refused with its name" refuses_variable
check "two values that contradict each other are refused with their names" refuses_contradiction
check "more paths than there can be: one message, and the job goes on" cuts_paths
check "a word that is no choice is refused with its name" refuses_word
check "beside another UCX the component declines to load, with one message for all ranks" declines
check "a receiver with part/persist is noticed by the sender" notices ucx persist
check "a sender with part/persist does not hang the receiver" notices persist ucx
check "a program goes on after mistakes of all kinds" collect_messages
check "a wrong argument: the function, and the arguments" tells \
    'MPI_Psend_init is called with a wrong argument: MPI_ERR_ARG' \
    'partitions 0, count 4, peer rank 1, tag 301'
check "a wrong partition: the function, the partition, and what is right" tells \
    'MPI_Pready is called wrongly: MPI_ERR_ARG' 'partitions 4 to 4' \
    'by rank [01] of MPI[ _]COMM' 'One may be marked once per MPI_Start' \
    'on an active send request'
check "a request that has failed: not that MPI_Parrived is called wrongly" blames_no_call
check "MPI_Cancel: the request, and that it is unchanged" tells \
    'MPI_Cancel on a partitioned request \(peer rank 1, tag 302\)' \
    'cannot be cancelled; the request is unchanged'
check "freeing an active request: the request, and what to do first" tells \
    'MPI_Request_free on an active partitioned request \(peer rank 1, tag 302\)' 'with MPI_Wait'
check "sizes that differ: the channel, and both sides" tells \
    'a partitioned send and its receive differ in size' 'tag +303' \
    'bytes (here|at the peer) +200 in 2 partitions' \
    'bytes (here|at the peer) +240 in 4 partitions' MPI_ERR_TRUNCATE
check "a start after the peer has freed its request: the peer, and the tag" tells \
    'rank 1 has freed its request \(tag 304\)' 'completes with an error'
check "a communicator without wildcards: the assertion, and what to use" tells \
    'assertion mpi_assert_no_any_source' 'Use a communicator without it'
check "set-up messages that are no good: from whom, and what becomes of it" reports_bad_setup
check "a send that is stuck: the peer, since when, how much, and that it is a warning" tells \
    'a partitioned send to rank 1 on host [^ ]+ \(tag 305\) has not advanced for 1 seconds' \
    '[1-9][0-9]* of [1-9][0-9]* segments are not acknowledged' 'This is a warning'
check "MPI_IN_PLACE where nothing can be in place: the collective, and why" tells \
    'MPIX_Palltoall_init cannot be served on rank [01]: MPI_IN_PLACE is not supported here: what' \
    'would overwrite partitions'
check "MPI_IN_PLACE where it must not stand: the collective, and that" tells_bcast_in_place
check "MPIX_Pbuf_prepare of what was never started: that it must be" tells_prepare
check "a partitioned collective before MPI_Init: that" tells_too_early
check "roots that differ: the collective, and both" tells \
    'MPIX_Pbcast_init is called with different values on the ranks' 'the root, from 0 to 1'
check "processes without a path in common: the host, and what to do" tells_no_common_path
check "a program without partitioned calls has no file and no thread more" costs_nothing
check "what a request waits for that does not end, when verbosity asks" tells_what_is_waited_for
check "the summary of the paths is there when verbosity asks" sums_up
check "UCX knows every variable that paths set" knows_variables
check "partitioned collectives without part/ucx are refused with a reason" refuses_without_part
check "a rank without part/ucx makes partitioned collectives fail on all" refuses_on_all_ranks
check "two ranks without a common path make partitioned collectives fail on all" fails_on_all_ranks
check "partitioned collectives without coll/pschedule are refused with a reason" refuses_without_coll
check "a library that takes them as an option goes on without" goes_on_without
check "a rank without coll/pschedule makes partitioned collectives fail on all" \
    refuses_with_strangers
check "a program without partitioned collectives has no file and no thread more" \
    collectives_cost_nothing
check "MPI's persistent collectives are served, and the verbose lines say so" serves_persistent
check "PMIx does not answer at first: it is asked again" asks_again
check "in another release of Open MPI nothing is served" leaves_other_releases
check "switched off, others make them" leaves_persistent
check "a rank that does not serve makes all hand persistent collectives on" hands_on_persistent
check "so does one without the components" lacks_components
check "so does one that cannot" agrees_on_persistent
check "ompi_info lists the algorithms of every collective" lists_algorithms
check "the verbose line says which algorithm was chosen" tells_choice
check "ranks of one host share the scratch memory of a collective" \
    shares_memory "$build/helpers/collective"
confined="ranks that may not copy from each other's memory share it, too"
if "$build/helpers/confined" true 2>"$messages"; then
    check "$confined" shares_memory "$build/helpers/confined" "$build/coll/c02_reductions"
else
    skip "$confined" "$(<"$messages")"
fi
apart="ranks in user namespaces of their own do not share it"
if unshare --user --map-current-user true 2>"$messages"; then
    check "$apart" shares_nothing
else
    skip "$apart" "$(<"$messages")"
fi
check "every algorithm of an allreduce can be forced" forces_every_algorithm
check "a name that is no algorithm is refused with the variable" refuses_algorithm
check "sums have the same bits in every run, with every algorithm of an allreduce" has_equal_bits
tap_in_cluster --hosts 2 --paths 2 --rate none
tap_end
