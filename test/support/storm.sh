# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced: random faults of the paths of a virtual cluster, all but one, one after the other.
# The numbers come from bash's RANDOM, so a seed gives the same faults again.
#
#     storm_hosts=4 storm_paths=3 storm_spared=0 storm_rate=250mbit vcluster=.../vcluster
#     storm_faults COUNT          faults, a pause after each; each that is made is counted in `faults`
#     storm_repair                everything as it was
#     storm_over                  the same, for a job that begins at once
#     storm_begins FILE SECONDS   waits until the job that writes there is on its paths, at most so long
#     storm_job                   all of that while a job of start.sh runs, see there

# Seconds of a pause, in hundredths: some faults meet others, some do not.
storm_longest=${storm_longest:-250}
faults=0
storm_spared=${storm_spared:-0}

# storm_cable PATH HOST STATE: up or down.
storm_cable() {
    "$vcluster" link --path "$1" --host "$2" "$3"
}

# One direction: what the host sends by this path is dropped, for it never fits into the bucket.
storm_deafen() {
    "$vcluster" on "$2" tc qdisc replace dev "eth$1" root tbf rate 8kbit burst 10 limit 10
}

# The device is taken away, as a card is, and given back a while later, with its address.
storm_remove() {
    # shellcheck disable=SC2016
    "$vcluster" on "$2" bash -c '
        unshare --net -- sleep 60 &
        until [[ $(readlink /proc/$!/ns/net) != $(readlink /proc/self/ns/net) ]]; do sleep 0.01; done
        ip link set "$1" netns $! && sleep "$2"
        nsenter --net=/proc/$!/ns/net -- ip link set "$1" netns $$
        kill $!
        ip link set dev "$1" addrgenmode none
        ip addr add "$3" broadcast + dev "$1"' _ "eth$1" "$3" "10.77.$1.$((${2#h} + 1))/24"
    storm_heal "$1" "$2"
}

storm_heal() {
    "$vcluster" on "$2" ip link set "eth$1" up
    storm_cable "$1" "$2" up
    "$vcluster" rate --path "$1" --host "$2" "$storm_rate"
}

storm_repair() {
    local path host
    for ((path = 0; path < storm_paths; path++)); do
        ((path != storm_spared)) || continue
        for ((host = 0; host < storm_hosts; host++)); do
            storm_heal "$path" "h$host"
        done
    done
}

# A host that has just asked for an address in vain refuses connections for a moment.
storm_forget() {
    "$vcluster" on "$2" ip neigh flush dev "eth$1"
}

storm_over() {
    local path host
    storm_repair
    for ((path = 0; path < storm_paths; path++)); do
        for ((host = 0; host < storm_hosts; host++)); do
            storm_forget "$path" "h$host"
        done
    done
}

storm_pause() {
    sleep "$(printf '%d.%02d' $(($1 / 100)) $(($1 % 100)))"
}

# A fault of one path, at one host or all.
storm_fault() {
    local path=$(((storm_spared + 1 + RANDOM % (storm_paths - 1)) % storm_paths))
    local host=h$((RANDOM % storm_hosts)) kind=$((RANDOM % 13))
    case $kind in
    0 | 1) storm_cable "$path" "$host" down ;;
    2) "$vcluster" link --path "$path" down ;;
    3) storm_deafen "$path" "$host" ;;
    4) "$vcluster" rate --path "$path" --host "$host" 1mbit ;;
    5) "$vcluster" on "$host" ip link set "eth$path" down ;;
    6) # out for a moment
        storm_cable "$path" "$host" down
        storm_pause $((RANDOM % 60))
        storm_cable "$path" "$host" up
        ;;
    7) "$vcluster" link --path "$path" up ;;
    8) storm_remove "$path" "$host" $((RANDOM % 4)) ;;
    *) storm_heal "$path" "$host" ;; # so that there is something to break
    esac
    faults=$((faults + 1))
    [[ -z ${STORM_SHOW:-} ]] || echo "# fault $faults: kind $kind, path $path, $host" >&2
}

storm_faults() {
    local until=$((faults + $1))
    while ((faults < until)); do
        storm_fault
        storm_pause $((RANDOM % storm_longest))
    done
}

# What a job needs for that: path 0 is left to Open MPI.
# shellcheck disable=SC2034
storm_options=(--mca btl_tcp_if_include eth0 --mca part_ucx_devices all --mca part_ucx_verbose 1
    --mca part_ucx_failover on --mca part_ucx_path_timeout 1)

# With part_ucx_verbose 1. What is cut at once is not met by data: sleep for a moment.
storm_begins() {
    local tenth
    for ((tenth = 0; tenth < 10 * $2; tenth++)); do
        ! grep -qaE 'path 1: .* over .*, distance' "$1" || return 0
        sleep 0.1
    done
    return 1
}

# First two faults that last long enough to be noticed, and longer than a path needs to come back;
# then what chance brings. Some 15 seconds, the same at each run. There is a file $job_notes.over
# when the job is over: then it does not begin any more.
storm_job() {
    RANDOM=1 storm_longest=100
    until storm_begins "$job_output" 1; do
        [[ ! -e $job_notes.over ]] || return 1
    done
    sleep 2
    storm_cable 1 h1 down
    sleep 3
    storm_cable 1 h1 up
    "$vcluster" link --path 2 down
    sleep 3
    storm_repair
    sleep 2
    storm_faults 8
    storm_over
}
