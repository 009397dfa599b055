#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The fuzzer: set-up messages and active messages that nobody would send, made up by libFuzzer, under
# the address and undefined-behaviour sanitizers. docs/testing.md tells more.
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
usage: test/fuzz.sh [--seconds N] [--build DIR] [TARGET...]   (default: 60, build/, all targets)
       test/fuzz.sh --seeds [--build DIR]                     write test/fuzz/corpus anew

  setup      set-up messages and business cards, into their readers
  messages   active messages, into the handlers of channels on a network that is made up
  failover   the same, of channels that go on when a path dies

Begins with test/fuzz/corpus, keeps what it learns in test/fuzz.build/learnt-TARGET of the build, and
goes on from there the next time. An input that breaks something stays in test/fuzz.build/found of
the build, and can be run again: fuzz.build/TARGET FILE. Exit status 77: clang is missing.
END_OF_USAGE
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=60 build=$top/build seeds=0
targets=()

while (($#)); do
    case $1 in
        --seconds) seconds=${2:?--seconds needs a number}; shift ;;
        --build) build=${2:?--build needs a folder}; shift ;;
        --seeds) seeds=1 ;;
        -h | --help) usage; exit 0 ;;
        setup | messages | failover) targets+=("$1") ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
((${#targets[@]})) || targets=(setup messages failover)
build=$(cd "$build" && pwd)
folder=$build/test/fuzz.build

# Has clang its fuzzer and its sanitizers? Packages leave them out.
has_clang() {
    local probe status=0
    probe=$(mktemp -d)
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n);
          int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n)
          { return 0 == n ? 0 : d[0] * 0; }' >"$probe/probe.c"
    clang -fsanitize=fuzzer,address,undefined "$probe/probe.c" -o "$probe/probe" \
        >/dev/null 2>&1 || status=$?
    rm -rf "$probe"
    return "$status"
}

run_target() {
    local target=$1 learnt=$folder/learnt-$1 log=$folder/$1.log
    mkdir -p "$learnt" "$folder/found"
    if ! "$folder/$target" -max_total_time="$seconds" -timeout=20 -print_final_stats=1 \
            -artifact_prefix="$folder/found/$target-" "$learnt" "$top/test/fuzz/corpus/$target" \
            >"$log" 2>&1; then
        tail -n 40 "$log"
        echo "fuzz: $target is broken by a file in $folder/found"
        return 1
    fi
    echo "fuzz: $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in" \
        "$seconds s, nothing found"
}

if ! has_clang; then
    echo "fuzz: skipped: there is no clang with libFuzzer and sanitizers" \
        "(on Debian: apt-get install clang libclang-rt-dev)"
    exit 77
fi
if ((seeds)); then
    make -s -C "$build/test" fuzz fuzz_targets=seeds
    "$folder/seeds" "$top/test/fuzz/corpus"
    exit 0
fi
make -s -C "$build/test" -j"$(nproc)" fuzz fuzz_targets="${targets[*]}"
failures=0
for target in "${targets[@]}"; do
    run_target "$target" &
done
for target in "${targets[@]}"; do
    wait -n || failures=1
done
exit "$failures"
