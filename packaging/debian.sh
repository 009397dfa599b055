#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the Debian packages on a Debian 13 or later, from what the checkout or the unpacked
# distribution has. Installs what the build needs (root). Prints the folder with the packages, that
# of its argument or a new one.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-$(mktemp -d "${TMPDIR:-/tmp}/mpix-packages.XXXXXX")}
[[ $dir == /* ]] || dir=$PWD/$dir # other programs get it, in other folders
version=$(sed -n 's/^AC_INIT(\[mpix-partitioned\], \[\(.*\)\])$/\1/p' "$top/configure.ac")
source=$dir/mpix-partitioned-$version
log=$dir/build.log

die() {
    echo "debian.sh: error: $*" >&2
    exit 1
}

[[ $(. /etc/os-release && echo "$ID") == debian ]] || die "this is not Debian"
((EUID == 0)) || die "it installs packages, so it needs root"
mkdir -p "$dir"
[[ $# -gt 0 ]] || chmod 755 "$dir" # mktemp's folder is root's alone; who runs apt is somebody else
"$top/config/sources.sh" --copy "$source"
tar -czf "$dir/mpix-partitioned_$version.orig.tar.gz" -C "$dir" "mpix-partitioned-$version"
cp -r "$source/packaging/debian" "$source/debian"
{
    apt-get update
    apt-get install -y --no-install-recommends dpkg-dev build-essential fakeroot
    apt-get build-dep -y --no-install-recommends "$source"
} >"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; die "what the build needs cannot be installed: $log"; }
(cd "$source" && dpkg-buildpackage -us -uc) >>"$log" 2>&1 </dev/null ||
    { tail -n 30 "$log" >&2; die "the packages cannot be built: $log"; }
echo "$dir"
