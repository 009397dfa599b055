# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: the keeper.  A cluster is one process, the first of a PID namespace, in a mount and a
# network namespace of its own.  Everything of the cluster hangs on it: the network namespaces of
# the hosts are mounted in its private file system only, and all processes on the hosts are in its
# PID namespace.  When it dies, by whatever cause, the kernel takes all of that away; nothing is
# ever written to a place of the machine, so nothing can be left there.

# find_keepers [NAME]: prints "PID NAME HOSTS PATHS MTU RATE" of the clusters of this user that see
# the same files as we do.
find_keepers() {
    local directory pid
    local -a words
    for directory in /proc/[0-9]*; do
        [[ -O $directory ]] || continue
        { mapfile -d '' -t words <"$directory/cmdline"; } 2>/dev/null || continue
        [[ ${#words[@]} -eq 8 && ${words[1]##*/} == vcluster && ${words[2]} == _keeper ]] ||
            continue
        [[ -z ${1:-} || ${words[3]} == "$1" ]] || continue
        pid=${directory#/proc/}
        [[ $directory/root/. -ef / ]] && is_init "$pid" || continue
        echo "$pid ${words[*]:3}"
    done
}

# Is it the first process of a PID namespace below ours, as a keeper is, and alive?
is_init() {
    local key value
    { while read -r key value; do
        case $key in
            State:) [[ $value != [ZX]* ]] || return 1 ;;
            NSpid:) [[ $value == *[[:space:]]1 ]]; return ;;
        esac
    done <"/proc/$1/status"; } 2>/dev/null
    return 1
}

# Sets vc_keeper, vc_hosts, ... of the cluster called $1; fails when there is none.
find_cluster() {
    read -r vc_keeper vc_name vc_hosts vc_paths vc_mtu vc_rate < <(find_keepers "$1")
}

need_cluster() {
    find_cluster "$1" ||
        die "there is no cluster '$1': make it with 'vcluster up --hosts N --paths K --rate R" \
            "--name $1', or run your command in 'vcluster with'"
}

# Sets vc_enter to the nsenter command line that joins the cluster's namespaces, but for the
# options that name them.
set_enter() {
    vc_enter=(nsenter --target "$vc_keeper")
    if [[ $(readlink "/proc/$vc_keeper/ns/user") != "$(readlink /proc/self/ns/user)" ]]; then
        vc_enter+=(--user --preserve-credentials)
    fi
}

# Runs a function of network.sh in the cluster.
control() {
    set_enter
    "${vc_enter[@]}" --net --mount --root --wd --pid "$BASH" "$VC_PROGRAM" _control "$@"
}

inner_control() {
    "control_$1" "${@:2}"
}

# Keeps others with the same name out until this process ends or unlocks.
lock_names() {
    exec {vc_lock}<"$VC_PROGRAM"
    # A file system without locks is no reason to stop.
    flock --exclusive "$vc_lock" 2>/dev/null || true
}

unlock_names() {
    exec {vc_lock}<&-
}

# start_keeper [--owned]: makes the cluster that the opt_ variables describe.  An owned one dies
# with this process.
start_keeper() {
    local owner=0 report line ready=''
    [[ ${1:-} != --owned ]] || owner=$$
    exec {report}< <(launch_keeper "$owner" 2>&1)
    while read -r -u "$report" line; do
        [[ $line != vcluster-is-ready ]] || { ready=yes; break; }
        printf '%s\n' "$line" >&2
    done
    exec {report}<&-
    [[ -n $ready ]] || exit 1
}

# Becomes the process that waits for the keeper.  It keeps nothing open but its report.
launch_keeper() {
    local owner=$1 fd
    local -a command=(unshare "${vc_user[@]}" --pid --fork --kill-child --net
        --mount --propagation slave -- "$BASH" "$VC_PROGRAM" _keeper
        "$opt_name" "$opt_hosts" "$opt_paths" "$opt_mtu" "$opt_rate")
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        ((fd <= 2)) || eval "exec $fd>&-"
    done
    cd /
    exec </dev/null
    if ((owner == 0)); then
        exec setsid "${command[@]}"
    fi
    # The owner may be gone before the kernel was told to watch it.
    # shellcheck disable=SC2016
    exec setpriv --pdeathsig KILL setsid "$BASH" -c '((PPID == $0)) && exec "$@"' "$owner" \
        "${command[@]}"
}

# The keeper itself: NAME HOSTS PATHS MTU RATE, which find_keepers reads from its command line.
inner_keeper() {
    [[ $$ -eq 1 ]] || usage_error "_keeper is not for users"
    trap '' HUP INT TERM
    mount -t proc -o nosuid,nodev,noexec proc /proc ||
        die "cannot mount /proc in a PID namespace (a container that hides parts of /proc?)"
    mount -t tmpfs -o size=16m,mode=755 vcluster "$VC_SHM"
    check_kernel
    build_network "$2" "$3" "$4" "$5"
    echo vcluster-is-ready
    exec >/dev/null 2>&1
    # Waiting is all it does, and bash collects the orphans while it waits.
    while :; do
        sleep infinity &
        wait $! || true
    done
}

# Ends the cluster vc_keeper, and waits until the kernel has ended all its processes.
end_keeper() {
    local turn
    kill -KILL "$vc_keeper" 2>/dev/null || true
    for ((turn = 0; turn < 500; turn++)); do
        is_init "$vc_keeper" || return 0
        sleep 0.02
    done
    die "cluster '$vc_name' (process $vc_keeper) does not end: a process in it hangs in the kernel"
}
