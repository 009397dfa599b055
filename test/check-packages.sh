#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The packages of Debian, in a root that nobody else needs (test/environments.sh packages): built by
# one command, looked at by lintian. Then in a new root that has nothing yet: from there to a running
# job in less than a minute, removed without a trace, and their own tests (autopkgtest). Ends with
# "N passed, N failed".
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
fresh=$work/fresh
passed=0
failed=0
limit=60 # seconds from nothing to a running job

# shellcheck source=/dev/null
. "$top/config/stack.d/packages.sh"

# step TEXT COMMAND...: a command may say more in the file "note".
step() {
    rm -f "$work/note"
    if "${@:2}" >"$work/output" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "ok - $1$(cat "$work/note" 2>/dev/null || true)"
    else
        failed=$((failed + 1))
        tail -n 40 "$work/output" | sed 's/^/# /'
        echo "not ok - $1"
    fi
}

# Everything that is in the new root but logs, caches and the lists of apt and dpkg.
files_of_fresh() {
    (cd "$fresh" && find . -xdev \( -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache \
        -o -path ./var/log -o -path ./tmp -o -path ./packages \) -prune -o ! -type d -print | sort)
}

builds() {
    "$top/packaging/debian.sh" "$work/packages"
}

passes_lintian() {
    apt-get install -y --no-install-recommends lintian && cd "$work/packages" &&
        lintian --allow-root --fail-on error,warning ./*.changes
}

# The distribution that this is, and nothing but its base. A mirror may be a snapshot of some day, which
# debootstrap does not mind.
makes_fresh() {
    local mirror suite
    IFS='|' read -r mirror suite _ < <(apt_entries) &&
        apt-get install -y --no-install-recommends debootstrap &&
        debootstrap --variant=minbase --include=ca-certificates "$suite" "$fresh" "$mirror" &&
        mount -t proc proc "$fresh/proc" && mount --rbind --make-rslave /dev "$fresh/dev" &&
        mount --rbind --make-rslave /sys "$fresh/sys" && cp -L /etc/resolv.conf /etc/hosts "$fresh/etc/" &&
        echo 'Acquire::Check-Valid-Until "false";' >"$fresh/etc/apt/apt.conf.d/99snapshot" &&
        mkdir "$fresh/packages" "$fresh/packages/packaging" &&
        cp "$work"/packages/*.deb "$fresh/packages" &&
        cp -r "$top/packaging/debian" "$fresh/packages/packaging" && files_of_fresh >"$work/before"
}

in_fresh() {
    env DEBIAN_FRONTEND=noninteractive chroot "$fresh" "$@"
}

# What is timed is what a user waits for, download included.
reaches_job() {
    local started=$SECONDS
    in_fresh apt-get update -q &&
        in_fresh sh -c 'apt-get install -y -q --no-install-recommends python3-numpy \
            /packages/python3-mpix-partitioned_*.deb /packages/openmpi-mpix-partitioned_*.deb \
            /packages/libmpix-partitioned0_*.deb' &&
        in_fresh sh /packages/packaging/debian/tests/job python || return 1
    echo ": $((SECONDS - started)) s" >"$work/note"
    ((SECONDS - started < limit)) || { cat "$work/note"; return 1; }
}

# Environment Modules, whose package cannot be beside Lmod's, are in debian/tests.
works_with_lmod() {
    in_fresh apt-get install -y -q --no-install-recommends lmod &&
        in_fresh env MODULES_INIT=/usr/share/lmod/lmod/init/sh \
            sh /packages/packaging/debian/tests/job python &&
        in_fresh apt-get purge -y lmod
}

removes() {
    in_fresh apt-get purge -y openmpi-mpix-partitioned libmpix-partitioned0 python3-mpix-partitioned &&
        in_fresh apt-get autoremove -y --purge python3-numpy && files_of_fresh >"$work/after" ||
        return 1
    # Packages of others are not as tidy; what has our name may not stay.
    comm -13 "$work/before" "$work/after" >"$work/left"
    echo ": of other packages these are left:" \
        "$(cut -d/ -f2-4 "$work/left" | sort | uniq -c | tr -s ' \n' ' ')" >"$work/note"
    ! grep -iE 'mpix|pschedule|part_ucx' "$work/left"
}

# All that debian/tests asks for, in that root.
passes_autopkgtest() {
    apt-get install -y --no-install-recommends autopkgtest &&
        autopkgtest "$work"/packages/*.deb "$work"/packages/*.dsc -- chroot "$fresh"
}

[[ $(. /etc/os-release && echo "$ID") == debian ]] && ((EUID == 0)) ||
    { echo "check-packages.sh: error: only for root, in a Debian that may be changed" >&2; exit 2; }
step 'the packages are built by one command' builds
step 'lintian finds neither errors nor warnings' passes_lintian
step 'there is a new root' makes_fresh
step 'from nothing to a running job in less than a minute' reaches_job
step 'a job runs with the module file and Lmod' works_with_lmod
step 'they are removed without a trace' removes
step 'their own tests pass: jobs in C, Fortran, Python, and with Environment Modules' passes_autopkgtest
mountpoint -q "$fresh/proc" && umount -R "$fresh/proc" "$fresh/dev" "$fresh/sys"
rm -rf --one-file-system "$work"
echo "$passed passed, $failed failed"
((failed == 0))
