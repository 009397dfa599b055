#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The layers of the components: no include goes upwards or past another component's api, no circle
# of files is large, public headers include what they need and nothing else. The order and the rules
# are in support/layers.pl. Small false trees show that each fault is found. Prints TAP. Runs in
# test/ of a build.
#
#   test/check-layers.sh                    check
#   test/check-layers.sh --report [BUILD]   print what the sources and BUILD (build/) have; status 1
#                                           if there is anything but remarks (#)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
nm=(nm)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# layers RULE ROOT [details]: the findings, a line each.
layers() {
    perl "$here/support/layers.pl" "$@"
}

# symbols BUILD: those of the components' objects, nothing if there are none.
symbols() {
    (cd "$1" && find ompi/mca -name '*.o' -exec "${nm[@]}" -A -g {} +) 2>/dev/null || true
}

# calls ROOT BUILD [details]
calls() {
    symbols "$2" | layers calls "$1" "${@:3}"
}

report() {
    local rule
    for rule in upwards elsewhere barred includes unneeded; do
        layers "$rule" "$top" details
    done
    calls "$top" "$1" details
    [[ -n $(symbols "$1") ]] || echo "# $1: the components are not built, so calls are not seen"
}

if [[ ${1:-} == --report ]]; then
    report "${2:-$top/build}" | tee "$work/output"
    ! grep -qv '^#' "$work/output"
    exit
fi

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$work/output")
read -ra compiler <<<"$(make_variable CC) $(make_variable CFLAGS)"
read -ra flags <<<"$(make_variable part_ucx_CPPFLAGS) $(make_variable CPPFLAGS)"

# alone ROOT: the public headers that need another in front of them.
alone() {
    local header
    while read -r header; do
        echo "#include \"$1/$header\"" >"$work/alone.c"
        # The flags are meant for the build's top folder.
        (cd .. && "${compiler[@]}" "${flags[@]}" "-I$1/ompi/mca/part/ucx" -c -o "$work/alone.o" \
            "$work/alone.c") >"$work/said" 2>&1 ||
            echo "$header: does not compile alone: $(grep -m1 error: "$work/said")"
    done < <(layers public "$1")
}

# ---- false trees ----

# put FILE LINE...: adds lines to a file of the tree.
put() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" >>"$work/tree/$1"
}

# make_tree: one in which everything is as it should be.
make_tree() {
    local ucx=ompi/mca/part/ucx schedule=ompi/mca/coll/pschedule mpix=ompi/mpiext/partitioned/c
    rm -rf "$work/tree" "$work/build"
    put $ucx/base/clock.h '#include <stdint.h>' 'typedef uint64_t ticks_t;'
    put $ucx/base/lock.h 'typedef struct lock { int held; } lock_t;'
    put $ucx/api/link.h '#include "base/clock.h"' '#include <stdbool.h>' \
        'bool link_due(ticks_t now);'
    put $ucx/path/path.h '#include <ucp/api/ucp.h>' '#include "base/lock.h"'
    put $ucx/path/path.c '#include "path/path.h"' '#include "api/link.h"'
    put $ucx/channel/send.h '#include "path/path.h"'
    put $ucx/mpi/module.c '#include "ompi_config.h"' '#include "channel/send.h"'
    put $schedule/plan/plan.h '#include <stddef.h>'
    put $schedule/algorithms/ring.c '#include "plan/plan.h"'
    put $schedule/call/coll_pschedule_call.h '#include "ompi/mca/coll/coll.h"' \
        '#include "plan/plan.h"'
    put $schedule/init.c '#include "request.h"' '#include "api/link.h"'
    put $schedule/request.h '#include "call/coll_pschedule_call.h"'
    put $mpix/mpix_partitioned.h '#include "mpix_partitioned_names.h"'
    put $mpix/mpix_partitioned_names.h '#define MPI_Pbcast_init MPIX_Pbcast_init'
    put $mpix/mpix_pcoll.c '#include "api/link.h"' '#include "call/coll_pschedule_call.h"'
    put tools/list.c '#include "api/link.h"' '#include <mpix_partitioned.h>'
}

# include_ring N: the .c of each includes the .h of the next.
include_ring() {
    local i
    for ((i = 1; i <= $1; i++)); do
        put "ompi/mca/part/ucx/base/ring$i.h" "int ring$i(void);"
        put "ompi/mca/part/ucx/base/ring$i.c" "#include \"base/ring$((i % $1 + 1)).h\""
    done
}

# call_ring N LAST: objects of which each calls the next; the last one has LAST instead.
call_ring() {
    local i next file base=ompi/mca/part/ucx/base
    for ((i = 1; i <= $1; i++)); do
        next="call$((i + 1))()"
        ((i < $1)) || next=$2
        put $base/call$i.c "extern int value1, call1(void), call$((i + 1))(void);" \
            "int value$i = 1;" "int call$i(void) { return 1 + $next; }"
        file=$work/build/$base/.libs/libpart_core_la-call$i.o
        mkdir -p "$(dirname "$file")"
        "${compiler[@]}" -c -o "$file" "$work/tree/$base/call$i.c" || return 1
    done
}

# ---- what is checked ----

# clean COMMAND...: says nothing, but for remarks.
clean() {
    "$@" >"$work/output" && ! grep -qv '^#' "$work/output"
}

# finds TEXT COMMAND...: says a line that begins with it.
finds() {
    "${@:2}" >"$work/output" && grep -q "^$1" "$work/output"
}

# detects FINDING RULE FILE LINE: in a tree that is clean without that line in that file.
detects() {
    make_tree
    clean layers "$2" "$work/tree" && put "$3" "$4" && finds "$1" layers "$2" "$work/tree"
}

detects_alone() {
    make_tree
    clean alone "$work/tree" && put "$1" "$2" &&
        finds "$1: does not compile alone" alone "$work/tree"
}

# Four files may be a circle, five may not.
detects_circle_of_includes() {
    make_tree && include_ring 4 && clean layers includes "$work/tree" &&
        finds '# circle of 4' layers includes "$work/tree" &&
        make_tree && include_ring 5 && finds 'circle of 5' layers includes "$work/tree"
}

# A variable that is used is no call.
detects_circle_of_calls() {
    make_tree && call_ring 4 'call1()' && clean calls "$work/tree" "$work/build" &&
        finds '# circle of 4' calls "$work/tree" "$work/build" &&
        make_tree && call_ring 5 value1 && clean calls "$work/tree" "$work/build" &&
        make_tree && call_ring 5 'call1()' && finds 'circle of 5' calls "$work/tree" "$work/build"
}

# nm_reads_objects: what of this compiler's options (-flto) the build's nm does not know, the
# compiler's own may.
nm_reads_objects() {
    local candidate
    make_tree
    call_ring 1 0 || return 1
    for candidate in "$(make_variable NM)" gcc-nm llvm-nm; do
        read -ra nm <<<"$candidate"
        [[ $(symbols "$work/build") != *' T call1'* ]] || return 0
    done
    return 1
}

# remarks: which circles the command before has let pass.
remarks() {
    grep '^# circle' "$work/output" || true
}

check_faults() {
    local ucx=ompi/mca/part/ucx schedule=ompi/mca/coll/pschedule
    local public=ompi/mpiext/partitioned/c/mpix_partitioned_names.h

    check 'found: an include that goes upwards' \
        detects $ucx/path/path.c upwards $ucx/path/path.c '#include "channel/send.h"'
    check 'found: an include of what is above all folders' \
        detects $schedule/call/op.c upwards $schedule/call/op.c '#include "request.h"'
    check 'found: a folder that is no layer' detects $ucx/misc/a.c upwards $ucx/misc/a.c ''
    check "found: an include past another component's api" \
        detects tools/list.c elsewhere tools/list.c '#include "base/lock.h"'
    check 'found: a component that includes what is built on it' \
        detects $ucx/mpi/module.c elsewhere $ucx/mpi/module.c '#include "plan/plan.h"'
    check 'found: a plan that knows MPI' \
        detects $schedule/algorithms/ring.c barred $schedule/plan/plan.h '#include <mpi.h>'
    check 'found: a header of UCX that one of the api reaches' \
        detects $ucx/api/link.h barred $ucx/base/clock.h '#include <ucs/type/status.h>'
    check 'found: a header that a public one does not need' \
        detects $ucx/api/link.h unneeded $ucx/api/link.h '#include "base/lock.h"'
    check 'found: a header of C that a public one does not need' \
        detects $public unneeded $public '#include <stdint.h>'
    check 'found: a public header that does not compile alone' \
        detects_alone $ucx/api/link.h 'lock_t *link_lock(void);'
    check 'found: a circle of five files by includes' detects_circle_of_includes
}

check_sources() {
    check 'no include goes upwards' clean layers upwards "$top"
    check "no include goes past another component's api" clean layers elsewhere "$top"
    check 'no file knows what its layer must not know' clean layers barred "$top"
    check 'public headers include only what they need' clean layers unneeded "$top"
    check 'public headers compile alone' clean alone "$top"
    check 'no circle of more than four files by includes' clean layers includes "$top"
    remarks
}

check_calls() {
    local text='no circle of more than four files by calls'
    if ! nm_reads_objects; then
        skip "$text" 'no nm that can read what the compiler makes'
    elif [[ -z $(symbols ..) ]]; then
        skip "$text" 'the components are not built'
    else
        check 'found: a circle of five files by calls' detects_circle_of_calls
        check "$text" clean calls "$top" ..
        remarks
    fi
}

check_faults
check_sources
check_calls
tap_end
