# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced by the scripts that draw.

# Prints a python3 that can draw; none: a status. The one on PATH need not be the one whose
# matplotlib the packages bring.
find_plotter() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import tomllib, matplotlib' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}
