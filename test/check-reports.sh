#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# support/reports.awk with reports of the kinds that sanitizers write: which are ours and so fail a
# test, and which are not. Prints TAP; needs no MPI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
number=0
failed=0

# expect STATUS TEXT: the report is on standard input; 1: ours, 0: not.
expect() {
    local status=0 printed=0 shown
    shown=$(awk -f "$here/support/reports.awk") || status=$?
    [[ -z $shown ]] || printed=1
    number=$((number + 1))
    if [[ $status -eq $1 && $printed -eq $1 ]]; then
        echo "ok $number - $2"
        return 0
    fi
    printf '%s\n# status %s instead of %s\n' "$shown" "$status" "$1"
    echo "not ok $number - $2"
    failed=$((failed + 1))
}

# race READER WRITER ALLOCATOR: a race in a heap block; an empty WRITER: its stack is lost.
race() {
    local stack='[failed to restore the stack]'
    [[ -z $2 ]] || stack="#0 memcpy interceptors.inc:827 (libtsan.so.2+0x60)
    #1 $2 (somewhere.so+0x10)"
    cat <<END
==================
WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 8 at 0x7bb000000008 by thread T14 (mutexes: write M1):
    #0 $1 source.c:1 (somewhere.so+0x1)
    #1 poll source.c:2 (somewhere.so+0x2)

  Previous write of size 8 at 0x7bb000000008 by main thread:
    $stack

  Location is heap block of size 32768 at 0x7bb000000000 allocated by main thread:
    #0 malloc interceptors.cpp:647 (libtsan.so.2+0x3e)
    #1 $3 source.c:3 (somewhere.so+0x3)

  Mutex M1 (0x7efc) created at:
    #0 pthread_mutex_lock interceptors.inc:4324 (libtsan.so.2+0x55)
    #1 mca_part_ucx_listener_get source.c:4 (mca_part_ucx.so+0x4)

SUMMARY: ThreadSanitizer: data race source.c:1 in $1
==================
END
}

# leak FUNCTION CALLER...: memory that FUNCTION has allocated.
leak() {
    local frame=1 function
    printf '=================================================================\n'
    printf '==1==ERROR: LeakSanitizer: detected memory leaks\n\n'
    printf 'Direct leak of 24 byte(s) in 1 object(s) allocated from:\n'
    printf '    #0 0x7f in malloc interceptors.cpp:69\n'
    for function; do
        printf '    #%d 0x7f in %s (somewhere.so+0x1)\n' "$((frame++))" "$function"
    done
    printf '\nSUMMARY: AddressSanitizer: 24 byte(s) leaked in 1 allocation(s).\n'
}

expect 1 'a race in our code is ours' \
    < <(race mca_part_ucx_match_post mca_part_ucx_match_drop mca_part_ucx_match_post)
expect 0 'a race between others is not' \
    < <(race opal_progress ompi_request_default_test ompi_request_get)
expect 1 'a race with a writer that is forgotten is ours' \
    < <(race mca_part_ucx_match_post '' mca_part_ucx_match_post)
expect 0 "but what Open MPI has written into the listener's buffer is not" \
    < <(race mca_part_ucx_setup_progress '' mca_part_ucx_listener_get)
expect 1 'unless we have written there' \
    < <(race mca_part_ucx_setup_progress mca_part_ucx_recv_start mca_part_ucx_listener_get)
expect 1 'a leak of ours is ours' < <(leak mca_part_ucx_peer_get PMPI_Psend_init main)
expect 0 'a leak of Open MPI is not' < <(leak ompi_comm_dup PMPI_Comm_dup main)
expect 0 'nor what others allocate in opal_progress' \
    < <(leak mca_pml_ob1_recv_frag opal_progress mca_part_ucx_progress)
expect 1 'any other report is ours' \
    < <(printf 'source.c:7:2: runtime error: signed integer overflow\n')
expect 0 'no report, no failure' < <(printf '')
echo "1..$number"
((failed == 0))
