#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The training of python/examples/train.py, on two virtual hosts.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/python.sh [option...]
  --quick    one minute instead of five: fewer batch sizes and turns
  --turns N  turns of every case (default: 5)
  --out DIR  put the results into DIR (default: bench/results/python)

Builds what is missing, and a virtual environment of Python with mpi4py and the package of python/.
Trains a small network in numpy on two hosts with four paths of 250 Mbit/s. Gradients are exchanged
layer by layer by a partitioned collective, or by MPI's own after the backward pass, or not at all,
in turns, for several sizes of a batch. Ends with a Markdown table: milliseconds per step. The table
as CSV and a picture are in the folder of the results. The exit status is 1 if a run failed, 130 when
interrupted.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"
out=$top/bench/results/python
options=()

take_option() {
    case $1 in
        --quick) options+=("$1") ;;
        --turns) options+=("$1" "$2") ;;
        --out) out=$2 ;;
        *) return 1 ;;
    esac
}

# make_venv DIR: mpi4py, numpy, and our package for this build.
make_venv() {
    local pip=("$1/bin/python" -m pip install -q --disable-pip-version-check)
    rm -rf "$1" && "$python3" -m venv "$1" &&
        "${pip[@]}" 'mpi4py>=4.0' numpy matplotlib 'cython>=3.0' 'setuptools>=70' wheel &&
        # pip builds in the folder of the sources: not in ours.
        cp -r "$top/python" "$1/sources" &&
        "${pip[@]}" --no-build-isolation --no-deps "$1/sources"
}

main() {
    read_options '--turns --out' value "$@"
    get_build --also python3-venv
    out=$(make_folder "$out")
    if no_cluster ": nothing is measured"; then exit 1; fi
    local venv=$out/.mpix-venv # a folder "venv" may be the user's
    exec {held}>"$out/.lock"
    flock --nonblock "$held" || { echo "python.sh: another one is at work in $out" >&2; exit 1; }
    say "A virtual environment of Python in $venv"
    make_venv "$venv" >"$out/venv.log" 2>&1 || { tail -n 20 "$out/venv.log" >&2; exit 1; }
    # One processor per host is what there is; threads of numpy would only be in each other's way.
    export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
    exec "$top/test/vcluster" with --hosts 2 --paths 4 --rate 250mbit -- \
        "$venv/bin/python" "$top/bench/scripts/train.py" --out "$out" "${options[@]}"
}

main "$@"
