#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From a fresh checkout to a build: stack.sh, autogen.sh, configure, make; only what is not done yet.
set -euo pipefail
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) ||
    { echo "build.sh: error: bash 4.4 or later is needed; ./configure && make do without" >&2; exit 1; }

usage() {
    cat <<'END'
usage: config/build.sh [--dir DIR] [--also PACKAGE]... [--try PACKAGE]... [--quiet] [configure option...]
  --dir DIR        build in DIR (default: build/, or the source folder if that is configured)
  --also PACKAGE   make sure that this package is installed, too
  --try PACKAGE    the same where packages can be installed, else go on without it
  --quiet          say only what goes wrong
Prints the build folder, alone, on stdout. Options for stack.sh are taken from MPIX_STACK_FLAGS.
END
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir="" quiet=0 stack_options=() configure_options=()

while (( $# )); do
    case "$1" in
        --dir) dir=${2:?--dir needs a folder}; shift ;;
        --also | --try) stack_options+=("$1" "${2:?$1 needs a package}"); shift ;;
        --quiet) quiet=1; stack_options+=(--quiet) ;;
        -h | --help) usage; exit 0 ;;
        *) configure_options+=("$1") ;;
    esac
    shift
done

say() {
    (( quiet )) || echo "build: $*" >&2
}

# step WHAT COMMAND...: run a step with its output in the log, and show the end of it if it fails.
step() {
    local what=$1
    shift
    say "$what"
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" | sed 's/^/    /' >&2
        echo "build: error: $what failed. All of its output: $log" >&2
        exit 1
    fi
}

# lock FILE: as long as this script and what it has started run, no other has it.
lock() {
    local fd status=0

    exec {fd}>"$1"
    flock -n "$fd" || status=$?
    if ((status == 1)); then
        echo "build: another build is at work in $(dirname "$1"), waiting for it" >&2
        flock "$fd"
    elif ((status != 0)); then
        echo "build: $(dirname "$1") is on a file system without locks: start one build at a time" >&2
    fi
}

autogen_is_due() {
    [[ ! -x $top/configure || $top/configure.ac -nt $top/configure ]]
}

# A source folder that is configured itself cannot be built from elsewhere.
if [[ -z $dir ]]; then
    dir=$top/build
    [[ ! -e $top/config.status ]] || dir=$top
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
log=$dir/build.log

exports=$("$top/config/stack.sh" --export "${stack_options[@]}")
eval "$exports"

# One build per folder at a time; and one autogen.sh per source folder, which another build from the
# same sources may do meanwhile.
lock "$dir/.build.lock"
: >"$log"
if autogen_is_due; then
    (
        lock "$top/.build.autogen"
        ! autogen_is_due || step "autogen.sh" "$top/autogen.sh"
    )
fi

read -ra stack_arguments <<<"${MPIX_CONFIGURE_FLAGS:-}"
wanted="${stack_arguments[*]} ${configure_options[*]}"
# What configure can do without, and what may have been installed since: then it has to look again.
found=$wanted
for module in cmocka fftw3 openblas cblas blas; do
    found+="; $module $(pkg-config --modversion "$module" 2>/dev/null || echo missing)"
done
if [[ $dir == "$top" && -e $dir/config.status && ! -e $dir/.build.options ]]; then
    # Configured by hand, perhaps installed from here: it stays as it is.
    [[ -z ${configure_options[*]} ]] || {
        echo "build: $top is configured itself; for ${configure_options[*]} give --dir" >&2
        exit 1
    }
elif [[ ! -e $dir/config.status || $(cat "$dir/.build.options" 2>/dev/null) != "$found" ]]; then
    step "configure $wanted" env -C "$dir" "$top/configure" "${stack_arguments[@]}" \
        "${configure_options[@]}"
    # Objects of another configuration are not what make takes them for.
    [[ ! -e $dir/.build.options ]] || step "make clean" make -C "$dir" clean
    echo "$found" >"$dir/.build.options"
fi
step "make" make -C "$dir" -j"$(nproc)"
say "built in $dir; '. $dir/env.sh' selects it"
echo "$dir"
