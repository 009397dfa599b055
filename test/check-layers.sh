#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The layers of the components (support/layers.pl).
#
#   test/check-layers.sh --report [BUILD]   print what is found in the sources and in BUILD (build/)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")

layers() {
    perl "$here/support/layers.pl" "$@"
}

# symbols BUILD: of the components' objects.
symbols() {
    (cd "$1" && find ompi/mca -name '*.o' -exec "${NM:-nm}" -A -g {} + 2>/dev/null)
}

report() {
    local rule
    for rule in upwards elsewhere barred includes unneeded; do
        layers "$rule" "$top"
    done
    symbols "$1" | layers calls "$top"
}

if [[ ${1:-} == --report ]]; then
    found=$(report "$(cd "${2:-$top/build}" && pwd)")
    echo "$found"
    exit "$(grep -qv '^#' <<<"$found" && echo 1 || echo 0)"
fi
