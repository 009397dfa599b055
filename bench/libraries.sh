#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Which MPI, and which settings: compares MPI installations, and their defaults with other settings.
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
usage: bash bench/libraries.sh [option...]
  --mpi NAME=PREFIX   let the MPI installed in PREFIX take part: an Open MPI, an MPICH or one with
                        its launcher; again for more. The Open MPI of this package always does, with
                        it and without
  --hosts FILE        run on the hosts that FILE names, one per line (default: virtual hosts, up to
                        four, with four paths of 100 Mbit/s)
  --counts N,...      numbers of hosts (default: 1, 2, 4 ... all)
  --ppn P,...         ranks per host (default: 1,4; --quick on virtual hosts: 1, or 1,2)
  --launcher NAME     mpirun (each library's own) or srun
  --operations A,...  latency, bandwidth, bidirectional, scatter, gather, bcast, allgather, alltoall,
                        allreduce, reduce_scatter, barrier (default: all)
  --forms A,...       blocking, persistent, partitioned (default: all that a library has)
  --sizes LOW:HIGH    bytes (default: 1:64M, on virtual hosts 1:16M)
  --runs N            of everything, in turns (default: 3)
  --buffers KIND      host (default), or cuda: memory of a CUDA device near each rank, for libraries
                        that take it
  --no-defaults       do not try other settings against the defaults
  --against RESULTS   an older result folder, not that of --out: what became slower? The exit status
                        is 1 if anything, or if nothing could be compared
  --quick             a first look: two hosts, 1:1M, three short runs
  --report            measure nothing, write the report of what there is; --fresh: measure all again
  --list              print what would be run
  --out DIR           where results go (default: bench/results/libraries)

Ends with a report (report.html, report.md, numbers.csv, curves), and with files that repair slow
defaults. May be interrupted: what was measured is kept, and the same command goes on. docs/libraries.md
says how to read it. The exit status is 1 if a run failed, 2 for a wrong command line.
END_OF_USAGE
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

main() {
    local python
    help_in "$@"
    get_build --try python3-matplotlib --quiet
    python=$(find_plotter) || python=python3
    exec "$python" "$top/bench/libraries/command.py" --bin "$build/bench" "$@"
}

main "$@"
