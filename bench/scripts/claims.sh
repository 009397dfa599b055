#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# claims.sh [--quick] [options of compare.py] [case...]: builds what is needed, runs the cases of
# claims.toml (all of them when none is named) and prints one table: claim, needed, measured, ok.
# The exit status is 0 only if every claim of these cases holds. --list shows the cases.
set -euo pipefail

# shellcheck source=bench/scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

main() {
    case "${1:-}" in
        -h | --help | --list) need_python; exec "$python3" "$top/bench/scripts/compare.py" "$@" ;;
    esac
    # shellcheck disable=SC2119
    get_build
    exec "$python3" "$top/bench/scripts/compare.py" --bin "$build/bench/p2p" "$@"
}

main "$@"
