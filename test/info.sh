#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The health check (tools/): does it find what is wrong, when something is made wrong, and nothing
# else? On this machine, and on the virtual cluster where that works. Prints TAP. Runs in test/ of
# the build. MPIX_TEST_SET=quick: nothing is broken on the cluster.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(pwd)
info=$build/../tools/part_ucx_info
vcluster=$here/vcluster
work=$(mktemp -d)
output=$work/output # standard output of the last run
errors=$work/errors
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
shown=("$output" "$errors")
# shellcheck source=test/support/start.sh
. "$here/support/start.sh"
job_output=$output
job_errors=$errors
job_notes=$work/notes
ranks=2 # of a job
rate=80mbit # of a path
# What the user has set would be found, too.
unset UCX_TLS UCX_NET_DEVICES UCX_LOG_LEVEL

# The same for what cannot be judged without python3.
check_json() {
    if command -v python3 >/dev/null; then
        check "$@"
    else
        skip "$1" 'no python3'
    fi
}

# attempt COMMAND...: its status; a job has the program after "::".
attempt() {
    if [[ " $* " == *' :: '* ]]; then
        start_job "$ranks" 120 "$@" >&2
    else
        timeout --kill-after=5 120 "$@" >"$output" 2>"$errors" </dev/null
    fi
}

# ends STATUS COMMAND...: does it end with this status?
ends() {
    local status=0
    attempt "${@:2}" || status=$?
    [[ $status -eq $1 ]] || {
        echo "status $status instead of $1" >>"$errors"
        return 1
    }
}

said() {
    tr -s ' \n' ' ' <"$output" | grep -qF -- "$1" || {
        echo "not said: $1" >>"$errors"
        return 1
    }
}

two=(mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none ::)

# json EXPRESSION: is it true of the report R?
json() {
    python3 - "$1" "$output" 2>>"$errors" <<'END'
import json
import sys

# What ranks print before they end by MPI_Abort, Open MPI 5.0.7 forwards with a NUL somewhere; into a
# file of its own the program writes none.
with open(sys.argv[2]) as file:
    text = file.read().replace('\0', '')
try:
    R = json.loads(text)
except ValueError as error:
    sys.exit(f'no JSON: {error}; it begins with {text[:500]!r}')
if not eval(f'({sys.argv[1]})'):
    sys.exit(f'not true: {sys.argv[1]}')
END
}

# ---- the command line ----

helps() {
    ends 0 "$info" --help && said --json && said --no-bandwidth && said 'Exit status'
}

refuses() {
    ends 2 "$info" --nonsense && grep -qF -- --nonsense "$errors" && ends 2 "$info" something &&
        ends 2 "$info" -json && grep -qF 'unknown option -json' "$errors" &&
        ends 2 "$info" --seconds 0 && ends 2 "$info" --seconds
}

# ---- one process ----

# What it says of the machine is the machine's business; here it must only agree with itself.
agrees() {
    local status=0
    attempt "$info" || status=$?
    [[ $status -eq 0 || $status -eq 1 ]] && said 'part/ucx used' && said 'coll/pschedule used' &&
        said 'paths 0' || return 1
    if [[ $status -eq 0 ]]; then
        said 'Nothing needs attention'
    else
        said 'Needs attention'
    fi
}

prints_json() {
    local status=0
    attempt "$info" --json || status=$?
    python3 -m json.tool "$output" >/dev/null 2>>"$errors" || return 1
    json "R['status'] == ('ok', 'attention')[$status]" &&
        json "R['processes'][0]['part_ucx']['state'] == 'used' and R['processes'][0]['works']" &&
        json "len([d for d in R['processes'][0]['devices'] if d['path'] is not None]) > 0" &&
        json "all((d['path'] is None) == (d['why_not'] is not None)
                  for d in R['processes'][0]['devices'])"
}

# UCX prints to standard output; the report must stay alone there.
keeps_json_clean() {
    ends 1 env UCX_LOG_LEVEL=debug "$info" --json && json "R['status'] == 'attention'" &&
        json "any('UCX_LOG_LEVEL=debug' in f['what'] for f in R['findings'])"
}

# finds TEXT [NAME=VALUE]...: with these variables something needs attention: this.
finds() {
    ends 1 env "${@:2}" "$info" && said 'Needs attention' && said "$1"
}

finds_other_component() {
    finds 'The variable part is "persist", which leaves out part/ucx' OMPI_MCA_part=persist &&
        said 'instead part/persist' && finds 'which leaves out part/ucx' OMPI_MCA_part=^ucx
}

off_path=OMPI_MCA_mca_base_component_path=SYSTEM_DEFAULT

finds_missing_path() {
    finds 'Open MPI does not look there' "$off_path" && said OMPI_MCA_mca_base_component_path=
}

survives_demand() {
    finds 'programs end in MPI_Init' "$off_path" OMPI_MCA_part=ucx && said 'Set: part=ucx.'
}

# The names of its folders have more characters than most.
uses_long_path() {
    local status=0 long
    long=$work/$(printf 'long%.0s' {1..40})/$(printf 'path%.0s' {1..40})
    mkdir -p "$long"
    ln -s "$build"/../openmpi/*.so "$long"
    attempt env OMPI_MCA_mca_base_component_path="$long:SYSTEM_DEFAULT" "$info" || status=$?
    [[ $status -le 1 ]] && said 'part/ucx used'
}

# with_function FUNCTION BODY COMMAND...: in a program whose function is this.
with_function() {
    printf '#include <mpi.h>\n%s {\n%s\n}\n' "$1" "$2" >"$work/function.c"
    mpicc -shared -fPIC -o "$work/function.so" "$work/function.c" 2>>"$errors" &&
        ends 1 env LD_PRELOAD="$work/function.so" "${@:3}"
}

with_test() {
    with_function 'int MPI_Test(MPI_Request *r, int *done, MPI_Status *status)' "$@"
}

# What Open MPI does not answer before MPI_Init is not said to be missing.
says_what_it_does_not_know() {
    with_function 'int MPI_T_init_thread(int required, int *provided)' '
        int begun;
        MPI_Initialized(&begun);
        return begun ? PMPI_T_init_thread(required, provided) : MPI_ERR_OTHER;' "$info" &&
        said 'could not be found out how Open MPI loads components' &&
        said 'part/ucx NOT KNOWN' && ! grep -qi 'not installed' "$output"
}

# It takes all of its patience, so it goes on beside others.
begin_stuck() {
    mkdir "$work/stuck"
    (
        output=$work/stuck/output errors=$work/stuck/errors work=$work/stuck
        leaves_stuck_alone
    ) &
    stuck=$!
}

end_stuck() {
    local status=0
    wait "$stuck" || status=$?
    cp "$work/stuck/output" "$output"
    cp "$work/stuck/errors" "$errors"
    return "$status"
}

# Neither end is freed while it is active, nor what it reads or writes.
leaves_stuck_alone() {
    # shellcheck disable=SC2016
    with_test '(void) r, (void) status; *done = 0; return MPI_SUCCESS;' "$info" &&
        said 'A transfer of a process to itself fails: nothing arrives' &&
        ! grep -qF MPI_Request_free "$errors"
}

# The third request that ends, after the two of the transfer. As Open MPI before 5.0.10, MPI_Test
# frees it.
tells_failed_collective() {
    with_test '
        static int ended;
        int error = PMPI_Test(r, done, status);
        ended += *done;
        return *done && 3 == ended ? PMPI_Request_free(r), MPI_ERR_OTHER : error;' "$info" &&
        said 'A partitioned allreduce ends with an error'
}

finds_broken_file() {
    mkdir -p "$work/broken"
    echo 'no library' >"$work/broken/mca_part_ucx.so"
    finds 'mca_part_ucx.so cannot be loaded' OMPI_MCA_part=ucx \
        OMPI_MCA_mca_base_component_path="$work/broken:SYSTEM_DEFAULT"
}

finds_bad_values() {
    finds 'part_ucx_window is 1' OMPI_MCA_part_ucx_window=1 OMPI_MCA_part=ucx &&
        finds pigeon OMPI_MCA_part_ucx_delivery=pigeon OMPI_MCA_part=ucx &&
        finds 'part_ucx_path is set, and there is no such variable' OMPI_MCA_part_ucx_path=2
}

finds_bad_device() {
    finds 'there is no network device "nosuch0"' OMPI_MCA_part_ucx_devices=nosuch0 &&
        finds 'there is no network device "nosuch1"' UCX_NET_DEVICES=nosuch1 OMPI_MCA_pml=ob1
}

finds_low_priority() {
    finds 'part_ucx_priority is 0; it must be from 2 to 100' OMPI_MCA_part_ucx_priority=0 &&
        finds 'coll/pschedule is loaded, but Open MPI has chosen another component' \
            OMPI_MCA_coll_pschedule_priority=-1 && said 'Look at coll_pschedule_priority' &&
        ! grep -q 'mca coll' "$output"
}

finds_excluded_collectives() {
    finds 'The variable coll is "^pschedule"' OMPI_MCA_coll=^pschedule
}

finds_excluded_devices() {
    finds 'UCX_NET_DEVICES=lo leaves out' UCX_NET_DEVICES=lo || return 1
    finds 'UCX_TLS=shm leaves out' UCX_TLS=shm && said 'No network device carries a path' &&
        said 'excluded by part_ucx_transports or UCX_TLS'
}

says_why_mpi_fails() {
    ends 2 env OMPI_MCA_pml=nosuch "$info" && grep -qF 'MPI cannot begin' "$errors"
}

# ---- several processes on this machine ----

# Transports of shared memory may need attention here; what is asked for is what was tried.
tries_shared_memory() {
    local status=0
    attempt "${two[@]}" "$info" --json --seconds 0.5 || status=$?
    [[ $status -le 1 ]] && json "len(R['processes']) == 2 and R['hosts'] == 1" &&
        json "sorted((p['from'], p['to']) for p in R['pairs']) == [(0, 1), (1, 0)]" &&
        json "all(p['works'] and p['kind'] == 'shared memory' for p in R['pairs'])" &&
        json "[r['mb_per_s'] > 0 for r in R['bandwidth']] == [True]"
}

measures_nothing() {
    local status=0
    attempt "${two[@]}" "$info" --json --no-bandwidth || status=$?
    [[ $status -le 1 ]] && json "R['bandwidth'] == [] and len(R['pairs']) == 2"
}

# unlike VARIABLE VALUE ARGUMENTS...: rank 1 has another environment than rank 0.
unlike() {
    # shellcheck disable=SC2016
    ends 1 "${two[@]}" bash -c '
        [[ $OMPI_COMM_WORLD_RANK -eq 0 ]] || export "$1=$2"
        exec "$0" "${@:3}"' "$info" "$@"
}

finds_unlike_processes() {
    unlike OMPI_MCA_part persist --no-bandwidth && said 'which leaves out part/ucx' &&
        said 'not tried' || return 1
    unlike OMPI_MCA_part_ucx_paths 3 --no-bandwidth &&
        said 'Processes differ in the number of network paths'
}

# Failover that has nowhere to go on, or is on in one process only.
finds_vain_failover() {
    ends 1 env OMPI_MCA_part_ucx_failover=on OMPI_MCA_part_ucx_paths=1 "${two[@]}" "$info" \
        --no-bandwidth && said 'nothing can go on when one dies' || return 1
    unlike OMPI_MCA_part_ucx_failover on --no-bandwidth &&
        said 'Processes differ in part_ucx_failover: off on '
}

# Where the mode differs, another component makes them.
tells_who_makes_persistent() {
    local status=0
    attempt env OMPI_MCA_coll_pschedule_persistent=on "${two[@]}" "$info" --json --no-bandwidth ||
        status=$?
    [[ $status -le 1 ]] && json "[p['persistent_collectives'] for p in R['processes']]
              == 2 * [{'mode': 'on', 'tried': 'served'}]" || return 1
    unlike OMPI_MCA_coll_pschedule_persistent off --no-bandwidth &&
        said 'Processes differ in coll_pschedule_persistent: auto on ' &&
        said 'persistent off; MPI_Allreduce_init of 1 MiB, tried here: handed on to another' &&
        unlike OMPI_MCA_coll_pschedule_persistent_trial 5 --no-bandwidth &&
        said 'Processes differ in coll_pschedule_persistent_trial or _inexact: after 64 starts on ' &&
        said 'after 5 starts on '
}

loses_shared_memory() {
    ends 1 env UCX_TLS=tcp "${two[@]}" "$info" --no-bandwidth &&
        said 'UCX_TLS=tcp takes shared memory away'
}

# ---- the virtual cluster; MPI itself keeps to the first path ----

on_cluster=("$vcluster" run --mca btl_tcp_if_include eth0 --mca part_ucx_devices all -- ::)

describes_cluster() {
    ends 0 "${on_cluster[@]}" "$info" --json --no-bandwidth &&
        json "R['hosts'] == 3 and [p['network_paths'] for p in R['processes']] == [2, 2, 2]" &&
        json "len({(p['from'], p['to']) for p in R['pairs']}) == 6" &&
        json "all(p['works'] and p['paths'] == 2 and p['delivery'] == 'message'
                  and p['devices'] == 'eth0-eth0 eth1-eth1' for p in R['pairs'])"
}

# Every host sends and receives, over each path and over both together.
measures_paths() {
    local status=0
    attempt "${on_cluster[@]}" "$info" --json --seconds 1 || status=$?
    [[ $status -le 1 ]] &&
        json "sorted((r['from'], r['to'], r['device'] or '') for r in R['bandwidth'])
              == sorted((h, (h + 1) % 3, d) for h in range(3) for d in ('eth0', 'eth1', ''))" &&
        json "all(r['mb_per_s'] > 0 for r in R['bandwidth'])"
}

# A tenth of what the other one carries.
finds_slow_path() {
    local status=0
    "$vcluster" rate --path 1 8mbit
    ends 1 "${on_cluster[@]}" "$info" --seconds 2 && said 'eth1 is much slower than the others' &&
        said 'part_ucx_devices=eth0 gives' || status=1
    "$vcluster" rate --path 1 "$rate"
    return "$status"
}

finds_pulled_cable() {
    local status=0
    "$vcluster" link --path 1 --host h1 down
    ends 1 "${on_cluster[@]}" "$info" --no-bandwidth && said 'eth1: has no carrier' &&
        said 'Processes differ in the number of network paths: 2 on h0, h2; 1 on h1' &&
        said 'eth1 of h0 meets no device of h1' || status=1
    "$vcluster" link --path 1 --host h1 up
    return "$status"
}

# What h0 has for h1 on path 1 goes to nobody, and neither is told.
kill_path() {
    "$vcluster" on h0 ip neigh replace 10.77.1.2 lladdr 02:00:00:00:00:01 dev eth1 nud permanent
}

revive_path() {
    "$vcluster" on h0 ip neigh del 10.77.1.2 dev eth1
}

finds_dead_path() {
    local status=0
    kill_path
    ends 1 "${on_cluster[@]}" "$info" --seconds 1 &&
        said 'eth1 (10.77.1.1) does not reach eth1 (10.77.1.2)' &&
        said 'h0 > h1 eth0' && said 'eth1 DEAD' && said '1 thing needs attention' || status=1
    revive_path
    return "$status"
}

# The other path of this pair, and all of the others, are tried and measured.
measures_beside_dead_path() {
    local status=0
    kill_path
    ends 1 "${on_cluster[@]}" "$info" --json --seconds 1 &&
        json "{(p['from'], p['to']) for p in R['pairs'] if not p['works']} == {(0, 1), (1, 0)}" &&
        json "all(p['paths'] == 2 and p['devices'] == 'eth0-eth0 eth1-eth1'
                  and p['dead_devices'] == (None if p['works'] else 'eth1-eth1')
                  for p in R['pairs'])" &&
        json "sorted((r['from'], r['device'] or '', r['mb_per_s'] > 0) for r in R['bandwidth'])
              == [(0, 'eth0', True), (0, 'eth1', False)] + [(h, d, True) for h in (1, 2)
                                                            for d in ('', 'eth0', 'eth1')]" ||
        status=1
    revive_path
    return "$status"
}

# pull_later: pulls a cable when UCX has connected over it and measuring has begun, or soon will.
pull_later() {
    local turn
    for ((turn = 0; turn < 300; turn++)); do
        ! "$vcluster" on h1 ss -Htn state established src 10.77.1.2 2>/dev/null | grep -q . || break
        sleep 0.1
    done
    sleep 1
    "$vcluster" link --path 1 --host h1 down
}

# Whether nothing or not all arrives, and in which step, is a matter of time.
survives_pulled_cable() {
    local status=0
    pull_later &
    ends 1 "${on_cluster[@]}" "$info" --json --seconds 6 &&
        json "len([r for r in R['bandwidth'] if r['device'] == 'eth0' and r['mb_per_s'] > 0]) == 3
              and any(r['mb_per_s'] == 0 for r in R['bandwidth'])" || status=1
    wait
    "$vcluster" link --path 1 --host h1 up
    return "$status"
}

finds_shared_subnet() {
    local status=0
    "$vcluster" on h2 sh -c 'ip addr del 10.77.1.3/24 dev eth1; ip addr add 10.77.0.77/24 dev eth1'
    ends 1 "${on_cluster[@]}" "$info" --no-bandwidth && said 'Give every interface a subnet of its own' ||
        status=1
    return "$status"
}

cluster_cases() {
    check_json 'hosts: paths, pairs, delivery' describes_cluster
    check_json 'hosts: the bandwidth of every path' measures_paths
    [[ ${MPIX_TEST_SET:-} != quick ]] || return 0
    check 'hosts: a slow path' finds_slow_path
    check 'hosts: a pulled cable' finds_pulled_cable
    check 'hosts: a path that swallows everything' finds_dead_path
    check_json 'hosts: what is beside such a path' measures_beside_dead_path
    check_json 'hosts: a cable that is pulled meanwhile' survives_pulled_cable
    check 'hosts: two interfaces of one subnet' finds_shared_subnet
}

if [[ -n ${TAP_CLUSTER_FROM:-} ]]; then
    ranks=3
    cluster_cases
    tap_cluster_end
fi
begin_stuck
check 'the options' helps
check 'wrong options' refuses
check 'this machine: text and status agree' agrees
check_json 'this machine: JSON' prints_json
check_json 'nothing but JSON on standard output' keeps_json_clean
check 'another component is chosen' finds_other_component
check 'the component path is not set' finds_missing_path
check 'part/ucx is demanded and cannot be used' survives_demand
check 'components in folders with long names' uses_long_path
check 'Open MPI cannot be asked' says_what_it_does_not_know
check 'a collective that fails' tells_failed_collective
check 'a file that is no component' finds_broken_file
check 'variables out of range' finds_bad_values
check 'a device that does not exist' finds_bad_device
check 'a priority that is too low' finds_low_priority
check 'coll/pschedule is excluded' finds_excluded_collectives
check 'devices are excluded by variables of UCX' finds_excluded_devices
check 'MPI cannot begin at all' says_why_mpi_fails
check 'a transfer that does not end' end_stuck
check_json 'two processes: shared memory is tried and measured' tries_shared_memory
check_json 'two processes: --no-bandwidth' measures_nothing
check 'two processes that are not alike' finds_unlike_processes
check 'two processes: failover that is in vain' finds_vain_failover
check_json "two processes: who makes MPI's persistent collectives" tells_who_makes_persistent
check 'two processes: shared memory is excluded' loses_shared_memory
# Little enough for a busy machine to carry, or else its paths are found to differ.
tap_in_cluster --hosts 3 --paths 2 --rate "$rate"
tap_end
