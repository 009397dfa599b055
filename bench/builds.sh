#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Two builds of this package beside each other: whether a change has made anything slower.
set -euo pipefail

usage() {
    cat <<'END'
usage: bash bench/builds.sh --before DIR --after DIR [option...]
  --before DIR  a build folder, with env.sh and the programs of bench/
  --after DIR   the other one; of the same sources, or of others
  --rounds N    rounds of every case, instead of as many as it needs
  --only WHAT   a case of scripts/builds.toml (latency, rate, bandwidth, setup, beside,
                latency-cluster, rate-cluster, bandwidth-cluster, allreduce), a program
                (part_bw, ...), host or cluster; may be repeated
  --quick       2 minutes instead of 10: fewer rounds and samples
  --out DIR     put the results into DIR (default: bench/results/builds)

Builds nothing. Both builds run every case in turn, on this host and on virtual clusters of two and
eight hosts, which are left out where there can be none. Ends with a table on stdout:
  ratio     how many times better DIR of --after is, the median of runs that followed each other
  interval  in which the true ratio lies, of all rows together with 95 %
  verdict   worse where the interval lies below 0.98, not worse where it lies above, else unclear;
            what looks worse after all rounds gets more of them until it is sure
May be interrupted at any time: what was measured until then is shown, and nothing stays behind. The
exit status is 1 if a row is worse, or a run failed; 2 for a wrong command line; 130 when
interrupted.
END
}

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

main() {
    help_in "$@"
    need_python
    exec "$python3" "$top/bench/scripts/builds.py" "$@"
}

main "$@"
