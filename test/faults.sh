#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What breaks while a job runs on this machine: a process dies, a communicator is revoked. Nothing may
# hang, nothing that is reported may be wrong. Prints TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/support/faults.sh
. "$here/support/faults.sh"

check 'a process dies, the others go on' goes_on 65536
check 'one dies with a window of offers that it has not fetched' \
    goes_on 1048576 --mca part_ucx_async off --mca part_ucx_shared_copy receiver
check 'a process dies in the init of a collective' init_ends
check 'a process dies in a persistent collective, and in its init' persistent_ends
check 'a process dies while a persistent collective is tried beside another' tried_ends
check 'a communicator is revoked' is_revoked
check 'a communicator is revoked on which a persistent collective is in flight' persistent_is_revoked
check 'a send is freed unstarted on a revoked communicator' is_freed
check 'nobody writes into a buffer that was given back' also_gives_back
check 'a process dies, mpirun ends the job' is_ended
check 'memory runs out in the first init of a process' memory_runs_out 1
tap_end
