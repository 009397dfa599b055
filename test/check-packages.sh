#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The packages of Debian, in a root that nobody else needs (test/environments.sh packages): built by
# one command, looked at by lintian, installed; jobs run with nothing but them; removed without a
# trace. Ends with "N passed, N failed".
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
passed=0
failed=0

# step TEXT COMMAND...
step() {
    if "${@:2}" >"$work/output" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        tail -n 40 "$work/output" | sed 's/^/# /'
        echo "not ok - $1"
    fi
}

# Everything but what packages of others, logs and caches bring.
files_of_system() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root \
        -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \) -prune -o -type f -print | sort
}

builds() {
    "$top/packaging/debian.sh" "$work/packages"
}

passes_lintian() {
    apt-get install -y --no-install-recommends lintian && cd "$work/packages" &&
        lintian --allow-root --fail-on error,warning ./*.changes
}

installs() {
    files_of_system >"$work/before"
    apt-get install -y --no-install-recommends "$work"/packages/*.deb
}

removes() {
    apt-get purge -y openmpi-mpix-partitioned libmpix-partitioned0 libmpix-partitioned-dev \
        python3-mpix-partitioned
    files_of_system >"$work/after"
    # What was installed with them for their sake may stay; what has our name may not.
    ! comm -13 "$work/before" "$work/after" | grep -iE 'mpix|pschedule|part_ucx'
}

[[ $(. /etc/os-release && echo "$ID") == debian ]] && ((EUID == 0)) ||
    { echo "check-packages.sh: error: only for root, in a Debian that may be changed" >&2; exit 2; }
step 'the packages are built by one command' builds
step 'lintian finds neither errors nor warnings' passes_lintian
step 'they are installed' installs
step 'jobs in C, Fortran and Python run with them' sh "$top/packaging/debian/tests/job"
step 'they are removed without a trace' removes
rm -rf --one-file-system "$work"
echo "$passed passed, $failed failed"
((failed == 0))
