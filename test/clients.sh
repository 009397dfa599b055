#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of others that nobody changed, and that use persistent collectives: mpi4py's own tests, and
# those of PETSc's star forests where the system's PETSc is for the MPI that is used. They are got
# from source packages. All that can be is served here, which the counters show (docs/clients.md). On
# this machine, and on the virtual cluster where that works. Prints TAP. Runs in test/ of the build;
# CLIENTS_RANKS says on how many ranks those of mpi4py (default: 1 2 3 4 5).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=4.1.2
work=${CLIENTS_WORK:-}
if [[ -z $work ]]; then
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
fi

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
python=$work/venv/bin/python
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
read -ra ranks <<<"${CLIENTS_RANKS:-1 2 3 4 5}"
launcher=(mpirun --map-by :OVERSUBSCRIBE --bind-to none)
dashes=() # what the launcher wants in front of the program
where=''
forests=${CLIENTS_FORESTS:-} # where PETSc's are
if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    launcher=("$here/vcluster" run --shared)
    dashes=(--)
    where='hosts: '
fi

# installs PACKAGE...: what Python's programs need.
installs() {
    [[ -x $python ]] || python3 -m venv "$work/venv" >"$output" 2>&1 &&
        timeout 300 "$python" -m pip install -q 'setuptools>=77' wheel "$@" >>"$output" 2>&1 </dev/null
}

# gets_sources NAME VERSION: a source package, in which there are tests that are not installed.
gets_sources() {
    (cd "$work" && timeout 170 "$python" -m pip download -q --no-deps --no-build-isolation \
        --no-binary "$1" "$1==$2") >>"$output" 2>&1 </dev/null &&
        tar -C "$work" -xzf "$work/$1-$2.tar.gz"
}

gets_mpi4py() {
    installs "mpi4py==$version" numpy && gets_sources mpi4py "$version"
}

# serves RANKS COMMAND...: with all that can be served here, its output in $output.
serves() {
    timeout --kill-after=5 600 "${launcher[@]}" --np "$1" \
        --mca mpi_yield_when_idle 1 --mca part ucx --mca coll_pschedule_persistent on \
        --mca coll_pschedule_verbose 1 "${dashes[@]}" "${@:2}" >"$output" 2>&1 </dev/null
}

# occurrences EXPRESSION: what two ranks write may be in one line.
occurrences() {
    grep -oE "$1" "$output" | wc -l
}

# On every rank calls were served.
were_served() {
    (($(occurrences 'persistent collectives: [1-9][0-9]* served') == $1))
}

# passes RANKS TESTS SERVED: and on every rank calls were served, unless there is only one rank, or
# nothing to serve.
passes() {
    serves "$1" "$python" "$work/mpi4py-$version/test/main.py" -q "$2" || return 1
    (($(occurrences 'OK') == $1)) || return 1
    [[ $1 == 1 || $3 == none ]] || were_served "$1"
}

all_pass() {
    local n tests
    for n in "${ranks[@]}"; do
        for tests in test_cco_pr_buf test_cco_pr_vec test_cco_pr_ngh_buf; do
            check "${where}mpi4py $version, $tests on $n ranks" passes "$n" "$tests" all
        done
        check "${where}mpi4py $version, test_p2p_buf_part on $n ranks" \
            passes "$n" test_p2p_buf_part none
    done
}

# Why PETSc's cannot be run, or nothing.
petsc_missing() {
    if ! pkg-config --exists PETSc 2>/dev/null; then
        echo 'it is not installed (libpetsc-real-dev)'
    elif [[ $(command -v mpicc) != /usr/bin/mpicc ]]; then
        echo "that of the system is for another MPI than $(command -v mpicc)"
    fi
}

gets_petsc() {
    local flags program
    installs && gets_sources petsc "$(pkg-config --modversion PETSc)" || return 1
    forests=$work/petsc-$(pkg-config --modversion PETSc)/src/vec/is/sf
    read -ra flags <<<"$(pkg-config --cflags --libs PETSc)"
    for program in tests/ex9 tutorials/ex1; do
        mpicc -w "$forests/$program.c" -o "$forests/$program" "${flags[@]}" -lm \
            >>"$output" 2>&1 || return 1
    done
}

# forest RANKS EXPECTED PROGRAM OPTION...: it prints what PETSc says that it prints, but for the name
# of the type of star forest.
forest() {
    serves "$1" "$forests/$3" "${@:4}" -sf_type neighbor -sf_neighbor_persistent &&
        were_served "$1" &&
        diff <(grep -vE '^\[[^]]*:[0-9]+\] ' "$output") \
            <(sed 's/type: basic/type: neighbor/' "$forests/$2") >"$work/difference" 2>&1 || {
        cat "$work/difference" >>"$output"
        return 1
    }
}

forests_pass() {
    local what
    check "${where}PETSc, ex9 of its star forests on 7 ranks" \
        forest 7 tests/output/ex9_1.out tests/ex9 -world2sub
    for what in reduce:2 degree:3 gather:4 scatter:5; do
        check "${where}PETSc, ex1 of its star forests, ${what%:*} on 4 ranks" forest 4 \
            "tutorials/output/ex1_${what#*:}_basic.out" tutorials/ex1 "-test_${what%:*}"
    done
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    output=$work/output-cluster
    shown=("$output")
    all_pass
    [[ -z $forests ]] || forests_pass
    tap_cluster_end
fi
if ! command -v python3 >/dev/null; then
    skip 'mpi4py' 'no python3'
elif ! gets_mpi4py; then
    skip 'mpi4py' "it cannot be fetched: $(tail -n 1 "$output")"
else
    all_pass
    if [[ -n $(petsc_missing) ]]; then
        skip 'PETSc' "$(petsc_missing)"
    elif ! gets_petsc; then
        skip 'PETSc' "its tests cannot be fetched or built: $(tail -n 1 "$output")"
    else
        forests_pass
        export CLIENTS_FORESTS=$forests
    fi
    export CLIENTS_WORK=$work
    tap_in_cluster --hosts 3 --paths 2 --rate none
fi
tap_end
