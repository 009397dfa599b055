#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes ./configure and the Makefile.in files. Needs Autoconf, Automake, Libtool and pkg-config.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"

missing=()
for tool in autoconf automake libtoolize pkg-config; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if (( ${#missing[@]} )); then
    echo "autogen.sh: not found: ${missing[*]} (Debian: apt install autoconf automake libtool" \
         "pkg-config)" >&2
    exit 1
fi

exec autoreconf --install --warnings=all,no-obsolete
