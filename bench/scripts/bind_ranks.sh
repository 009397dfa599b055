#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# bind_ranks.sh N PROGRAM ARGS...: runs a program of an MPI job bound to one processor, which N
# neighbouring ranks share. More ranks than N per processor begin again with the first processor.
set -euo pipefail

main() {
    local -i share=$1
    shift
    local -a processors
    readarray -t processors < <(list_processors)
    local -i index=$(( ${OMPI_COMM_WORLD_RANK:?not started by mpirun} / share ))
    exec taskset -c "${processors[index % ${#processors[@]}]}" "$@"
}

# Those that this process may use, one per line.
list_processors() {
    local range list
    list=$(taskset -cp $$)
    for range in $(tr ',' ' ' <<< "${list##*: }"); do
        seq "${range%-*}" "${range#*-}"
    done
}

main "$@"
