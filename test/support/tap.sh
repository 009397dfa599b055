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
#     tap_end

# Counters that the sourcing script may read, or begin elsewhere.
number=0
failed=0
shown=()

set +u
# shellcheck disable=SC1091
. ../env.sh
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1

# check TEXT COMMAND...: good if the command's status is 0; if not, what the job printed comes first.
check() {
    local file
    for file in "${shown[@]}"; do
        : >"$file"
    done
    number=$((number + 1))
    if "${@:2}"; then
        echo "ok $number - $1"
        return 0
    fi
    failed=$((failed + 1))
    for file in "${shown[@]}"; do
        tail -n 60 "$file" | LC_ALL=C tr -d '\000-\010\013-\037' | sed 's/^/# /'
    done
    echo "not ok $number - $1"
}

# The plan; its status says whether all was good.
tap_end() {
    echo "1..$number"
    ((failed == 0))
}
