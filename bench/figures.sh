#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The paper's figures 3 to 10: from a fresh checkout to a report with plots, numbers and claims.
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
usage: bash bench/figures.sh [option...]
  --quick            about 5 minutes instead of one to two hours: smaller sizes, fewer runs
  --only N[,N...]    run only what these figures need, such as 4,5
  --mpi NAME=PREFIX  let another MPI library take part, installed in PREFIX; again for more
  --fresh            discard what was measured before, and measure it again
  --report           run nothing, write the report of what has been measured
  --list             print what would be run
  --out DIR          put the results into DIR (default: bench/results/figures, with --quick
                     bench/results/figures-quick)

Gets and builds what is missing (Open MPI, UCX, this project, matplotlib), lets all contenders of a
figure take turns on virtual hosts, and writes DIR/report.html, which holds everything, and the same
as DIR/report.md with figN.png and figN.csv. May be interrupted at any time: what was measured until
then is shown, and the same command goes on where it ended. What is measured again depends on the
command, the versions and the sources. The exit status is 0 when everything was measured, whether or
not the paper's claims hold; 1 when a run failed, which the report names; 2 for a wrong command line;
130 when interrupted.
END_OF_USAGE
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

main() {
    local python
    help_in "$@"
    say "Open MPI, UCX and this project: what is missing is fetched and built"
    get_build --try python3-matplotlib --try libopenblas-dev
    python=$(find_plotter) || {
        echo "figures.sh: python3 (3.11 or later) has no matplotlib (Debian: apt install" \
            "python3-matplotlib)" >&2
        exit 1
    }
    exec "$python" "$top/bench/figures/figures.py" --bin "$build/bench" "$@"
}

main "$@"
