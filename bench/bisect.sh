#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Which commit made a case slower, or faster: builds revisions and measures them until it is sure.
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
usage: bash bench/bisect.sh --repo DIR --good REV --bad REV --build COMMAND --case COMMAND [option...]
  --repo DIR       a git repository; it is only read
  --good REV       a revision before the change, and one after it: the search begins with measuring
  --bad REV          that they differ, in either direction
  --build COMMAND  builds the sources in $BISECT_SOURCE, where it runs, into $BISECT_BUILD
  --case COMMAND   measures that build; the last number that it prints is the value, a time or a rate.
                     It runs in $BISECT_BUILD
  --value REGEX    the value is the first group of this, where it matches last
  --least PERCENT  the ends must differ by more than this (default 5)
  --runs N         rounds of a revision after which it is left undecided (default 40)
  --sure PERCENT   that the answer is right, by the noise that is seen (default 99.9)
  --limit S        seconds of a case (default 600); --build-limit S of a build (default 3600)
  --first-parent   look at merges as a whole, not into them
  --out DIR        builds, values, the table and the picture (default: bench/results/bisect)

A revision is measured in turn with both ends, so what changes the machine's speed in between counts
for all three. It is measured until it is sure which end it is like. One that does not build or run
is skipped. The answer is measured once more before it is given. Builds and values are kept: the
same command goes on after an interruption.

The exit status is 0 for one commit; 1 if there are several because revisions between them could not
be judged, or if the ends do not differ; 2 for a wrong command line; 130 when interrupted. bench/README.md
has examples.
END_OF_USAGE
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

main() {
    local python
    help_in "$@"
    python=$(find_plotter) || python=python3
    "$python" -c 'import tomllib' 2>/dev/null || {
        echo "bisect.sh: no python3 of 3.11 or later" >&2
        exit 1
    }
    exec "$python" "$top/bench/bisect/command.py" "$@"
}

main "$@"
