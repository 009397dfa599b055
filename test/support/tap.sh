# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced by scripts that print TAP about jobs of a build, run in a folder of the build: takes
# the build's env.sh, lets root start jobs, and counts.
#
#     . .../tap.sh
#     shown=(FILE...)             what the last job printed
#     check 'TEXT' COMMAND...     ...
#     fails COMMAND...            for what is to fail
#     said EXPRESSION             in what the last job printed, in the file $output; or not_said
#     skip 'TEXT' 'REASON'        what cannot be checked here
#     tap_in_cluster --hosts 2 --paths 2 --rate none      more of them, see below
#     tap_end

# Counters that the sourcing script may read.
number=${TAP_CLUSTER_FROM:-0}
failed=0
shown=()

set +u
# shellcheck disable=SC1091
. ../env.sh
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
# Without it Open MPI 5.0.7 drops one connection in some hundred jobs on several hosts, and hangs: see
# docs/limits.md.
[[ -z ${TAP_CLUSTER_FROM:-} ]] || export OMPI_MCA_mpi_add_procs_cutoff=1024

# After the running job: those of timeout get no signal of a terminal.
trap 'exit 130' INT
trap 'exit 143' TERM

# check TEXT COMMAND...: good if the command's status is 0; if not, what the job printed comes first.
# What takes long says so.
check() {
    local file since=$SECONDS
    for file in "${shown[@]}"; do
        : >"$file"
    done
    number=$((number + 1))
    if "${@:2}"; then
        echo "ok $number - $1"
        ((SECONDS - since < 5)) || echo "# $((SECONDS - since)) s"
        return 0
    fi
    failed=$((failed + 1))
    for file in "${shown[@]}"; do
        tail -n 60 "$file" | LC_ALL=C tr -d '\000-\010\013-\037' | sed 's/^/# /'
    done
    echo "not ok $number - $1"
}

# fails COMMAND...: it ends, and not well. 124 and 137 are those of timeout.
fails() {
    local status=0
    "$@" || status=$?
    ((status != 0 && status != 124 && status != 137))
}

# said EXPRESSION: by a job that has ended by itself, not by the watchdog of its program.
said() {
    if grep -qa ': no end after [0-9]' "$output"; then
        echo "ended by its watchdog" >>"$output"
        return 1
    fi
    grep -qaE -- "$1" "$output" || {
        echo "not said: $1" >>"$output"
        return 1
    }
}

not_said() {
    ! grep -qaE -- "$1" "$output" || {
        echo "said: $1" >>"$output"
        return 1
    }
}

# skip TEXT REASON: the reason's first line.
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $(head -n 1 <<<"$2")"
}

# make_variable NAME: its value in the build's Makefile.
make_variable() {
    # Without those of a make around us, which would have it warn about its jobs.
    MAKEFLAGS= make -s --no-print-directory -C .. --eval "print-value: ; @echo '\$($1)'" print-value
}

# The plan; its status says whether all was good.
tap_end() {
    echo "1..$number"
    ((failed == 0))
}

# tap_in_cluster OPTIONS OF vcluster with...: runs the sourcing script again in a virtual cluster of
# its own, where TAP_CLUSTER_FROM is set and the script is to check what it has for the cluster, then
# tap_cluster_end. Its results are results of this run.
tap_in_cluster() {
    local script vcluster message results
    script=${BASH_SOURCE[1]}
    vcluster=$(dirname "$script")/vcluster
    if ! message=$("$vcluster" check 2>&1); then
        if [[ -n ${MPIX_TEST_NEED_CLUSTER:-} ]]; then
            check "the virtual cluster: ${message%%$'\n'*}" false
        else
            skip 'the virtual cluster' "$message"
        fi
        return 0
    fi
    results=$(mktemp)
    TAP_CLUSTER_FROM=$number "$vcluster" with "$@" -- bash "$script" >"$results" 2>&1 </dev/null ||
        failed=$((failed + 1))
    grep -E '^(ok|not ok|#) ' "$results" || true
    number=$((number + $(grep -cE '^(ok|not ok) ' "$results" || true)))
    grep -qx '# all of them' "$results" || {
        sed 's/^/# /' "$results"
        echo "not ok $((++number)) - the cases of the virtual cluster ran"
    }
    rm -f "$results"
}

tap_cluster_end() {
    echo '# all of them'
    exit $((failed > 0))
}
