#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Which files are the sources, in a checkout (git knows), in an unpacked distribution and in a copy
# made by this script (both have a list of them, MANIFEST).
set -euo pipefail

usage() {
    cat <<'END'
usage: config/sources.sh [--tracked] [--copy DIR]
Prints the names of the source files, one per line.
  --tracked   without those that nobody has added to the repository yet
  --copy DIR  instead copy them to DIR, as an unpacked distribution before configure
END
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
others=(--others --exclude-standard)
copy=""

while (( $# )); do
    case "$1" in
        --tracked) others=() ;;
        --copy) copy=${2:?--copy needs a folder}; [[ $copy == /* ]] || copy=$PWD/$copy; shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

cd "$top"
if [[ -e .git ]]; then
    list=$(git ls-files --cached "${others[@]}" | sort -u)
elif [[ -r MANIFEST ]]; then
    list=$(<MANIFEST)
else
    echo "sources.sh: error: $top has neither .git nor MANIFEST" >&2
    exit 1
fi
# Files that are deleted and not committed are still in git's list.
list=$(while read -r file; do [[ ! -f $file ]] || echo "$file"; done <<<"$list")

if [[ -z $copy ]]; then
    echo "$list"
else
    mkdir -p "$copy"
    tar --files-from=- -cf - <<<"$list" | tar -C "$copy" -xf -
    echo "$list" >"$copy/MANIFEST"
fi
