#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The virtual cluster's own test: rates, MPI jobs, changes at run time, refusals, and that nothing
# is left behind however a cluster dies.  Prints TAP; takes less than a minute.
#
#   vcluster-selftest.sh [--list] [PATTERN]    all tests, or those whose names match PATTERN
#
# The $ in single quotes are for the shells of the commands that are started.
# shellcheck disable=SC2016
set -euo pipefail

HERE=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
VC=$HERE/vcluster
PATH=$PATH:/usr/sbin:/sbin
# All processes that a test starts carry this in their environment.
MARK=VCLUSTER_SELFTEST=$$
# Seconds for one test; most take a few, and a busy machine longer.
LIMIT=${VCLUSTER_TEST_LIMIT:-300}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/vcluster-selftest.XXXXXX")
chmod 755 "$WORK"
unset VCLUSTER_NAME
# shellcheck source=test/support/start.sh
. "$HERE/support/start.sh"
job_output=$WORK/job.out
job_errors=$WORK/job.err
job_notes=$WORK/job.notes

# Every test is a function test_NAME with its description in the first line of comment above it
# here; it fails by a nonzero status, says why on stderr, and skips by calling skip.
TESTS=(
    'check          the machine can have a cluster, and "check" says so'
    'links          one link carries its rate within 10 percent, and four carry four times that'
    'both_ways      a link carries its rate in both directions at once'
    'unshaped       an unshaped link is not held back'
    'change         a running transfer sees a new rate, an unplugged cable and its return'
    'one_host       rate and link of one host leave the others alone'
    'names          host names, /etc/hosts, interfaces, MTU and addresses are as promised'
    'isolation      clusters do not see each other, and nothing of them is seen in the machine'
    'up_twice       "up" keeps or, with --replace, replaces a cluster of the same name'
    'hostname       mpirun starts one process on each of two hosts, by --np and by --ppn'
    'host_ranks     any number of ranks on each host, by --host-ranks; --shared'
    'status         the exit status and the environment pass through mpirun'
    'pingpong       ob1 over tcp fills one path, and four paths four times'
    'ring           a ring over 8 hosts, 4 paths each'
    'with_success   nothing is left after success'
    'with_failure   nothing is left after failure, and the status is the command'\''s'
    'with_term      nothing is left after SIGTERM'
    'with_interrupt nothing is left after SIGINT'
    'with_killed    nothing is left after SIGKILL of "with" itself'
    'user_killed    nothing is left after SIGKILL of the command that uses the cluster'
    'keeper_killed  nothing is left after SIGKILL of the keeper'
    'run_killed     SIGKILL of "run" ends its processes on all hosts, and the cluster lives on'
    'arguments      wrong arguments are refused with a reason'
    'missing        a missing tool, and a machine without namespaces, are named'
    'unprivileged   a user without privileges can have a cluster, where the kernel allows it'
)

skip() {
    echo "$*" >"$WORK/skip"
    exit 0
}

fail() {
    echo "$*" >&2
    exit 1
}

# Not for the background: $! would be a shell around it.
marked() {
    env "$MARK" "$@"
}

marked_files() {
    grep -lzx "$MARK" /proc/[0-9]*/environ 2>/dev/null || true
}

# So that one failed test does not make all that follow fail.
kill_left() {
    local file
    for file in $(marked_files); do
        file=${file#/proc/}
        kill -KILL "${file%/environ}" 2>/dev/null || true
    done
}

# Prints the processes that a test has started and that still live.
left_processes() {
    local file
    for file in $(marked_files); do
        { tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null || true
        echo
    done | grep . || true
}

# Prints what the machine has of everything that a cluster could leave there.
machine_state() {
    ip -o link show | sed 's/<.*//'
    ip netns list
    ls /etc/netns 2>/dev/null || true
    cut -d' ' -f2,3 /proc/self/mounts
    find /tmp /dev/shm "${TMPDIR:-/tmp}" -maxdepth 1 -name '*.h[0-9]*' 2>/dev/null || true
}

# Fails unless the machine is as machine_state has written to $WORK/before, and no process is left.
nothing_left() {
    local turn left
    for ((turn = 0; turn < 50; turn++)); do
        left=$(left_processes)
        [[ -n $left ]] || break
        sleep 0.1
    done
    [[ -z $left ]] || fail "processes are left: $left"
    machine_state | diff "$WORK/before" - >&2 || fail "the machine is not as it was"
}

# wait_until DESCRIPTION COMMAND...: for a minute.
wait_until() {
    local turn what=$1
    shift
    for ((turn = 0; turn < 1200; turn++)); do
        ! "$@" || return 0
        sleep 0.05
    done
    fail "waited in vain until $what"
}

# is_between VALUE MIN MAX, with fractions.
is_between() {
    awk -v value="$1" -v min="$2" -v max="$3" 'BEGIN { exit !(value >= min && value <= max) }'
}

# measure WHAT MIN MAX COMMAND...: COMMAND prints a value within the limits, at the latest the third
# time; other work on the machine can hold a transfer back now and then.
measure() {
    local what=$1 min=$2 max=$3 turn value
    shift 3
    for turn in 1 2 3; do
        value=$("$@") || value=-1
        echo "# $what: $value (wanted $min to $max)" >&3
        ! is_between "$value" "$min" "$max" || return 0
    done
    fail "$what: $value is not between $min and $max, in $turn attempts"
}

need_mpi() {
    [[ -x $(command -v mpirun) && -x $(command -v mpicc) ]] || skip "no Open MPI on PATH"
    [[ -x $WORK/ring ]] || mpicc -O2 -std=c11 -o "$WORK/ring" "$HERE/vcluster.d/ring.c" ||
        fail "mpicc cannot build ring.c"
}

# flows COUNT SECONDS: from h0 to h1, one per path, and prints the sum of their rates in MB/s.
flows() {
    local path
    rm -f "$WORK"/flow-*
    for ((path = 0; path < $1; path++)); do
        env "$MARK" "$VC" on h1 "$WORK/flow" receive $((5000 + path)) >"$WORK/flow-$path" &
        env "$MARK" "$VC" on h0 "$WORK/flow" send "10.77.$path.2" $((5000 + path)) "$2" >/dev/null &
    done
    wait
    cat "$WORK"/flow-* | awk '/^rate/ { sum += $2 } END { print sum }'
}

# with_cluster HOSTS PATHS RATE FUNCTION: runs FUNCTION with a cluster called $VCLUSTER_NAME.
with_cluster() {
    export VCLUSTER_NAME=selftest-$$
    trap 'marked "$VC" down >&2' EXIT
    marked "$VC" up --hosts "$1" --paths "$2" --rate "$3" >&2
    "${@:4}"
    trap - EXIT
    marked "$VC" down
    nothing_left
}

test_check() {
    local said
    said=$(marked "$VC" check)
    [[ $said == *"works here"* ]] || fail "it says: $said"
    nothing_left
}

# 250mbit are 31.25 MB/s, of which the headers of 9000-byte packets take 0.7 percent.
measure_links() {
    measure "one link, MB/s" 28.1 34.4 flows 1 1
    measure "four links, MB/s" 112.5 137.5 flows 4 1.5
}

test_links() {
    with_cluster 2 4 250mbit measure_links
}

# Prints the smaller rate of two flows that meet.
slower_way() {
    env "$MARK" "$VC" on h1 "$WORK/flow" receive 5001 >"$WORK/forth" &
    env "$MARK" "$VC" on h0 "$WORK/flow" receive 5002 >"$WORK/back" &
    env "$MARK" "$VC" on h0 "$WORK/flow" send h1 5001 1 >/dev/null &
    env "$MARK" "$VC" on h1 "$WORK/flow" send h0 5002 1 >/dev/null &
    wait
    cat "$WORK/forth" "$WORK/back" | awk '/^rate/ { print $2 }' | sort -n | head -n 1
}

measure_both_ways() {
    measure "the slower direction, MB/s" 11.2 13.8 slower_way
}

test_both_ways() {
    with_cluster 2 1 100mbit measure_both_ways
}

measure_unshaped() {
    measure "unshaped, MB/s" 150 1000000 flows 1 0.5
}

test_unshaped() {
    with_cluster 2 1 none measure_unshaped
}

# rate_within FILE FROM TO: MB/s between two times of a receiver's list.
rate_within() {
    awk -v from="$2" -v to="$3" \
        '$1 > from && $1 <= to + 0.05 { sum += $2 }
         END { printf "%.2f", sum / (to - from) / 1e6 }' \
        "$1"
}

# The times are those of the receiver, whose first byte comes at once.
run_change() {
    local list=$1 start
    env "$MARK" "$VC" on h1 "$WORK/flow" receive 5000 >"$list" &
    start=$(date +%s%N)
    env "$MARK" "$VC" on h0 "$WORK/flow" send h1 5000 5.5 >/dev/null &
    sleep_until "$start" 1
    marked "$VC" rate --path 0 40mbit
    sleep_until "$start" 2.5
    marked "$VC" link --path 0 --host h1 down
    [[ $(marked "$VC" status) == *"10.77.0.2 40mbit down"* ]] || fail "status does not show it"
    sleep_until "$start" 3.3
    marked "$VC" link --path 0 --host h1 up
    wait
    marked "$VC" rate --path 0 250mbit
}

# Prints 1 if a transfer saw what it should, else 0.
change_is_seen() {
    local list=$WORK/change
    run_change "$list"
    awk -v a="$(rate_within "$list" 0.2 0.8)" -v b="$(rate_within "$list" 1.5 2.4)" \
        -v c="$(rate_within "$list" 2.8 3.2)" -v d="$(rate_within "$list" 4.6 5.3)" 'BEGIN {
            print (a > 28 && a < 34.5 && b > 2.5 && b < 6 && c < 0.1 && d > 2.5 && d < 6)
            print "# MB/s before, slowed down, unplugged, plugged in:", a, b, c, d | "cat >&3"
        }'
}

measure_change() {
    measure "the changes are seen" 1 1 change_is_seen
}

# sleep_until START SECONDS
sleep_until() {
    sleep "$(awk -v start="$1" -v now="$(date +%s%N)" -v after="$2" \
        'BEGIN { left = after - (now - start) / 1e9; print (left > 0 ? left : 0) }')"
}

test_change() {
    with_cluster 2 1 250mbit measure_change
}

look_at_one_host() {
    local shown
    marked "$VC" rate --path 1 --host h2 10mbit
    marked "$VC" link --path eth0 --host 1 down
    shown=$(marked "$VC" status --name "$VCLUSTER_NAME")
    for word in '10.77.0.1 none up' '10.77.1.1 none up' '10.77.0.2 none down' \
        '10.77.1.2 none up' '10.77.0.3 none up' '10.77.1.3 10mbit up'; do
        [[ $shown == *"$word"* ]] || fail "status does not show '$word': $shown"
    done
    marked "$VC" rate --path 1 none
    marked "$VC" link --path 0 up
    shown=$(marked "$VC" status --name "$VCLUSTER_NAME")
    [[ $shown != *10mbit* && $shown != *down* ]] || fail "it is not undone: $shown"
}

test_one_host() {
    with_cluster 3 2 none look_at_one_host
}

look_at_names() {
    local said
    said=$(cd "$WORK" && marked "$VC" on h2 sh -c 'hostname; pwd; ls /sys/class/net; echo $$
        getent hosts h1; getent hosts h0-eth1; cat /sys/class/net/*/mtu; ls -A /dev/shm')
    diff - <(echo "$said") >&2 <<END || fail "something on the host is not as promised"
h2
$WORK
eth0
eth1
lo
4
10.77.0.2       h1
10.77.1.1       h0-eth1
9000
9000
65536
.vcluster
END
    # No host has a way out.
    ! marked "$VC" on h0 ip route get 192.0.2.1 2>/dev/null || fail "there is a route to elsewhere"
}

test_names() {
    with_cluster 3 2 100mbit look_at_names
}

look_at_isolation() {
    local with
    env "$MARK" "$VC" with --hosts 1 --paths 1 --rate none -- "$VC" on h0 sleep 1000 &
    with=$!
    wait_until "the other cluster runs" has_process 'sleep 1000'
    machine_state | diff "$WORK/before" - >&2 || fail "something is seen in the machine"
    # The other cluster's host has the same name and address.
    [[ $(marked "$VC" on h0 ps -A -o args 2>/dev/null) != *'sleep 1000'* ]] ||
        fail "a process of one cluster is seen in another"
    [[ $(marked "$VC" status | grep -c '^vcluster ') -ge 2 ]] || fail "status does not show both"
    kill -TERM "$with"
    wait "$with" || true
}

test_isolation() {
    with_cluster 2 1 none look_at_isolation
}

# Is there a process of ours with this command line, and no more than the number $2, which is 1 by
# default, of them?
has_process() {
    [[ $(left_processes | grep -cxF "$1 ") -eq ${2:-1} ]]
}

up_twice() {
    local said
    ! said=$(marked "$VC" up --hosts 3 --paths 1 --rate none 2>&1) ||
        fail "the second 'up' succeeds"
    [[ $said == *"already"* && $said == *"--replace"* ]] || fail "it says: $said"
    marked "$VC" up --hosts 3 --paths 1 --rate none --replace >&2
    [[ $(marked "$VC" on h2 hostname) == h2 ]] || fail "it is not replaced"
}

test_up_twice() {
    with_cluster 2 1 none up_twice
}

# started RANKS [NAME=VALUE...] ARGUMENT OF vcluster run... -- PROGRAM...: what it prints, and its
# status.
started() {
    local ranks=$1 status=0 settings=("$MARK") options=()
    shift
    while [[ $1 == *=* && $1 != -* ]]; do
        settings+=("$1")
        shift
    done
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    start_job "$ranks" 60 env "${settings[@]}" "$VC" run "${options[@]}" -- :: "${@:2}" >&2 ||
        status=$?
    cat "$job_errors" >&2
    cat "$job_output"
    return "$status"
}

run_hostname() {
    [[ $(started 2 --np 2 -- hostname | sort | xargs) == 'h0 h1' ]] || fail "--np 2"
    [[ $(started 4 --ppn 2 -- hostname | sort | xargs) == 'h0 h0 h1 h1' ]] || fail "--ppn 2"
    [[ $(started 1 --np 1 -- hostname) == h0 ]] || fail "--np 1"
}

test_hostname() {
    need_mpi
    with_cluster 2 1 none run_hostname
}

# ranks_of HOST: the ranks that run_host_ranks has seen there.
ranks_of() {
    sed -n "s/^$1 //p" "$WORK/ranks" | sort -n | xargs
}

run_host_ranks() {
    local line='echo "$(hostname) $PMIX_RANK"'
    started 6 --host-ranks 1,3,2 -- sh -c "$line" >"$WORK/ranks" || fail "--host-ranks"
    [[ "$(ranks_of h0)/$(ranks_of h1)/$(ranks_of h2)" == '0/1 2 3/4 5' ]] ||
        fail "ranks of a host are not together: $(cat "$WORK/ranks")"
    [[ $(started 3 --host-ranks 1,2 --shared -- sh -c 'echo $UCX_TLS' | sort -u) == tcp,sm,self ]] ||
        fail "--shared"
    [[ $(started 1 UCX_TLS=tcp --np 1 --shared -- sh -c 'echo $UCX_TLS') == tcp ]] ||
        fail "--shared overrules the caller"
}

test_host_ranks() {
    need_mpi
    with_cluster 3 1 none run_host_ranks
}

run_status() {
    local status=0 said
    started 2 -- sh -c 'exit 5' >/dev/null 2>&1 || status=$?
    [[ $status -eq 5 ]] || fail "the status is $status and not 5"
    said=$(started 2 OF_THE_CALLER="a b" OMPI_MCA_some_thing=5 UCX_LOG_LEVEL=error -- \
        sh -c 'echo "$OF_THE_CALLER/$OMPI_MCA_some_thing/$UCX_LOG_LEVEL/$UCX_TLS"')
    [[ $said == 'a b/5/error/tcp,self'$'\n''a b/5/error/tcp,self' ]] || fail "it says: $said"
    # As env.sh sets it, and mpirun does not bear it.
    said=$(started 2 PMIX_MCA_mca_base_component_path= -- hostname | sort | xargs)
    [[ $said == 'h0 h1' ]] || fail "with an empty component path of PMIx it says: $said"
    echo input >"$WORK/input"
    job_input=$WORK/input
    said=$(started 2 UCX_TLS=tcp,self,sm --np 2 -- sh -c 'cat; echo $UCX_TLS')
    [[ $said == *input* && $said == *tcp,self,sm* ]] || fail "it says: $said"
}

test_status() {
    need_mpi
    with_cluster 2 1 none run_status
}

# ring_rate OPTIONS... -- BYTES ROUNDS: ob1 over tcp, and prints the rate in MB/s.
ring_rate() {
    local -a options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    marked timeout 30 "$VC" run --mca pml ob1 --mca btl self,tcp "${options[@]}" -- \
        "$WORK/ring" "$@" | tee "$WORK/ring.out" | awk '/^ranks/ { print $6 }'
}

run_pingpong() {
    measure "one path, MB/s" 28 34.4 ring_rate --mca btl_tcp_if_include eth2 -- 8000000 2
    measure "four paths, MB/s" 112.5 137.5 ring_rate -- 16000000 4
}

test_pingpong() {
    need_mpi
    with_cluster 2 4 250mbit run_pingpong
}

# Every rank sends and receives at once, and ob1 sometimes lets one wait for the other.
run_ring() {
    measure "ring, MB/s and rank" 7 28 ring_rate -- 1000000 4
    grep -q '^ranks 8 hosts 8 ' "$WORK/ring.out" || fail "not 8 hosts: $(cat "$WORK/ring.out")"
}

test_ring() {
    need_mpi
    with_cluster 8 4 50mbit run_ring
}

test_with_success() {
    local said
    said=$(marked "$VC" with --hosts 2 --paths 2 --rate 250mbit -- "$VC" on h1 hostname)
    [[ $said == h1 ]] || fail "it says: $said"
    nothing_left
}

test_with_failure() {
    local status=0
    marked "$VC" with --hosts 2 --paths 2 --rate none -- sh -c 'exit 7' || status=$?
    [[ $status -eq 7 ]] || fail "the status is $status and not 7"
    nothing_left
}

# start_users: a 'with' in the background, whose command runs a job, and waits until that runs:
# through mpirun on both hosts, or without Open MPI on one; $1 comes before that in the command.
# Sets with, the process.
start_users() {
    local command
    if command -v mpirun >/dev/null; then
        command='"$0" run -- sleep 1000'
        jobs=2
    else
        command='"$0" on h1 sleep 1000'
        jobs=1
    fi
    # Background processes of a script ignore SIGINT, and what a shell ignores from its start it
    # cannot trap.
    env --default-signal=INT "$MARK" "$VC" with --name "selftest-$$" --hosts 2 --paths 2 \
        --rate 250mbit -- sh -c "${1:-}$command; sleep 999" "$VC" 2>"$WORK/users" &
    with=$!
    wait_until "the job runs" has_process 'sleep 1000' "$jobs"
}

# ends_with STATUS: 'with' ends, with this status, and leaves nothing.
ends_with() {
    local status=0
    wait "$with" 2>/dev/null || status=$?
    [[ $status -eq $1 ]] || fail "the status is $status and not $1: $(cat "$WORK/users")"
    nothing_left
}

test_with_term() {
    start_users
    kill -TERM "$with"
    ends_with 143
}

test_with_interrupt() {
    start_users
    kill -INT "$with"
    ends_with 130
}

test_with_killed() {
    start_users
    kill -KILL "$with"
    ends_with 137
}

# The process of ours whose command line starts with $1.
process_of() {
    local file
    for file in $(marked_files); do
        [[ $(tr '\0' ' ' <"${file%environ}cmdline") != "$1"* ]] || basename "${file%/environ}"
    done
}

test_user_killed() {
    start_users 'sleep 998 & '
    kill -KILL "$(process_of 'sh -c sleep 998')"
    ends_with 137
}

test_keeper_killed() {
    start_users
    kill -KILL "$(process_of "$BASH $VC _keeper")"
    wait_until "the job has ended" has_process 'sleep 1000' 0
    kill -TERM "$with"
    ends_with 143
}

kill_run() {
    local run
    env "$MARK" "$VC" run -- sleep 1000 2>/dev/null &
    run=$!
    wait_until "the job runs" has_process 'sleep 1000' 2
    kill -KILL "$run"
    wait_until "the job has ended" has_process 'sleep 1000' 0
    [[ $(left_processes | grep -c mpirun) -eq 0 ]] || fail "left: $(left_processes)"
    [[ $(marked "$VC" run -- hostname | sort | xargs) == 'h0 h1' ]] || fail "the cluster is dead"
}

test_run_killed() {
    need_mpi
    with_cluster 2 1 none kill_run
}

# refused PATTERN ARGUMENT...
refused() {
    local pattern=$1 said
    shift
    ! said=$(marked "$VC" "$@" 2>&1) || fail "'$*' succeeds"
    [[ $said == *$pattern* ]] || fail "'$*' says: $said"
}

test_arguments() {
    export VCLUSTER_NAME=selftest-$$
    refused 'no such command' frobnicate
    refused '--hosts is missing' up --paths 1 --rate none
    refused 'from 1 to 64' up --hosts 65 --paths 1 --rate none
    refused 'from 1 to 16' up --hosts 2 --paths 0 --rate none
    refused 'from 1280 to 65535' up --hosts 2 --paths 2 --rate none --mtu 68
    refused 'no rate' up --hosts 2 --paths 1 --rate 250
    refused 'no rate' up --hosts 2 --paths 1 --rate 10kbit
    refused 'rate is missing' up --hosts 2 --paths 1
    refused 'no name' up --hosts 2 --paths 1 --rate none --name 'A/b'
    refused 'unknown option --speed' up --speed 3
    refused 'needs a value' up --hosts
    refused 'needs a command' with --hosts 2 --paths 1 --rate none
    refused 'there is no cluster' down
    refused 'there is no cluster' on h0 true
    refused 'there is no cluster' run -- true
    refused 'needs -- and a program' run true
    refused 'exclude each other' run --np 2 --ppn 2 -- true
    refused "needs 'up' or 'down'" link --path 0 sideways
    refused 'exclude' run --host-ranks 1,1 --np 2 -- true
    with_cluster 2 2 none refuse_wrong_places
}

refuse_wrong_places() {
    refused 'no host' on h2 true
    refused 'no path' rate --path 2 none
    refused 'no host' link --path 0 --host 7 down
    refused 'exactly one rate' rate --path 0
    ! command -v mpirun >/dev/null || refuse_wrong_ranks
}

refuse_wrong_ranks() {
    refused 'the cluster has 2' run --host-ranks 1,1,1 -- true
    refused 'a number of ranks for each host' run --host-ranks 1,,2 -- true
    refused 'from 1 to 1024' run --host-ranks 0,2 -- true
}

test_missing() {
    local said tc
    tc=$(command -v tc)
    local -a user=()
    [[ $EUID -eq 0 ]] || user=(--user --map-root-user)
    ! said=$(marked unshare "${user[@]}" --mount sh -c \
        'mount --bind /dev/null "$1" && exec "$0" check' "$VC" "$(readlink -f "$tc")" 2>&1) ||
        fail "it works without tc"
    [[ $said == *'missing: tc'*iproute2* ]] || fail "without tc it says: $said"
    # No user namespaces, where there could be any, and no capabilities.
    local -a without=(setpriv --bounding-set=-all --inh-caps=-all "$VC" check)
    if unshare --user --map-root-user true 2>/dev/null; then
            without=(unshare --user --map-root-user sh -c
            'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' _ "${without[@]}")
    fi
    ! said=$(marked "${without[@]}" 2>&1) || fail "it works without namespaces"
    [[ $said == *'no namespaces'*CAP_SYS_ADMIN* ]] || fail "without namespaces it says: $said"
    [[ ${without[0]} != unshare || $said == *'sysctl -w user.max_user_namespaces'* ]] ||
        fail "it does not say which setting forbids them: $said"
    nothing_left
}

# As user 65534, from a copy of the program that this user can read.
as_nobody() {
    exec setpriv --reuid 65534 --regid 65534 --clear-groups env "$MARK" "HOME=$WORK" "$@"
}

flow_of_nobody() {
    (as_nobody "$WORK/vcluster" with --hosts 2 --paths 1 --rate 100mbit -- sh -c '
        "$0" on h1 "$1" receive 5000 & "$0" on h0 "$1" send h1 5000 1; wait' \
        "$WORK/vcluster" "$WORK/flow") | awk '/^rate/ { print $2 }'
}

test_unprivileged() {
    local with
    [[ $EUID -eq 0 ]] || skip "all of this has been run without privileges"
    (as_nobody unshare --user --map-root-user true) 2>/dev/null ||
        skip "this kernel lets users make no user namespaces"
    cp -r "$VC" "$HERE/vcluster.d" "$WORK"
    measure "without privileges, MB/s" 11.2 13.8 flow_of_nobody
    nothing_left
    as_nobody "$WORK/vcluster" with --hosts 2 --paths 1 --rate none -- \
        "$WORK/vcluster" on h0 sleep 1000 2>"$WORK/users" &
    with=$!
    wait_until "the job runs" has_process 'sleep 1000'
    kill -KILL "$with"
    ends_with 137
}

# limit PROCESS: ends a test that hangs, with all that it has started.
limit() {
    local second
    for ((second = 0; second < LIMIT; second++)); do
        sleep 1
        kill -0 "$1" || return 0
    done
    {
        echo "it has not ended after $LIMIT s; there still are:"
        left_processes | cut -c1-200
    } >>"$WORK/stderr"
    kill "$1"
    kill_left
}

run_test() {
    local number=$1 name=$2 description=$3 status=0 test
    rm -f "$WORK/skip" "$WORK/stderr"
    # In the background: as part of a condition, no command in it would end it by failing.
    "test_$name" 2>>"$WORK/stderr" 3>"$WORK/notes" >&2 &
    test=$!
    limit "$test" >/dev/null 2>&1 &
    wait "$test" || status=$?
    cat "$WORK/notes"
    if [[ $status -eq 0 && -e $WORK/skip ]]; then
        echo "ok $number - $description # SKIP $(cat "$WORK/skip")"
    elif [[ $status -eq 0 ]]; then
        echo "ok $number - $description"
    else
        sed 's/^/# /' "$WORK/stderr"
        echo "not ok $number - $description"
        failed=$((failed + 1))
        kill_left
    fi
}

clean_up() {
    kill_left
    rm -rf "$WORK"
}

main() {
    local line name number=0
    local -a chosen=()
    if [[ ${1:-} == --list ]]; then
        printf '%s\n' "${TESTS[@]}"
        exit 0
    fi
    for line in "${TESTS[@]}"; do
        [[ ! ${line%% *} =~ ^(${1:-.*})$ ]] || chosen+=("$line")
    done
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if ! "$VC" check >"$WORK/check" 2>&1; then
        echo "1..0 # SKIP $(tr '\n' ' ' <"$WORK/check")"
        exit 0
    fi
    "${CC:-cc}" -O2 -std=c11 -o "$WORK/flow" "$HERE/vcluster.d/flow.c"
    machine_state >"$WORK/before"
    echo "1..${#chosen[@]}"
    failed=0
    for line in "${chosen[@]}"; do
        read -r name line <<<"$line"
        number=$((number + 1))
        run_test "$number" "$name" "$line"
    done
    [[ $failed -eq 0 ]]
}

main "$@"
