# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: the user's commands about clusters.

command_up() {
    parse_options ' --hosts --paths --rate --mtu --name --replace ' "$@"
    [[ ${#opt_rest[@]} -eq 0 ]] || usage_error "'up' takes no ${opt_rest[0]}"
    check_shape
    check_machine
    lock_names
    if find_cluster "$opt_name"; then
        [[ -n $opt_replace ]] ||
            die "there is a cluster '$opt_name' already ($vc_hosts hosts, $vc_paths paths," \
                "$vc_rate): use it, end it with 'vcluster down --name $opt_name', or add --replace"
        end_keeper
    fi
    start_keeper
    unlock_names
    echo "vcluster '$opt_name' is up: $opt_hosts hosts, $opt_paths paths, rate $opt_rate," \
        "MTU $opt_mtu"
}

command_down() {
    parse_options ' --name --all ' "$@"
    [[ ${#opt_rest[@]} -eq 0 ]] || usage_error "'down' takes no ${opt_rest[0]}"
    if [[ -z $opt_all ]]; then
        need_cluster "$opt_name"
        end_keeper
        return
    fi
    local words
    while read -r words; do
        # shellcheck disable=SC2034
        read -r vc_keeper vc_name _ <<<"$words"
        end_keeper
    done < <(find_keepers)
}

command_status() {
    parse_options ' --name ' "$@"
    [[ ${#opt_rest[@]} -eq 0 ]] || usage_error "'status' takes no ${opt_rest[0]}"
    local words found='' name=''
    [[ -z $opt_named ]] || name=$opt_name
    while read -r words; do
        read -r vc_keeper vc_name vc_hosts vc_paths vc_mtu vc_rate <<<"$words"
        found=yes
        echo "vcluster '$vc_name': $vc_hosts hosts, $vc_paths paths, made with rate $vc_rate," \
            "MTU $vc_mtu, keeper process $vc_keeper"
        control status "$vc_hosts" "$vc_paths"
    done < <(find_keepers "$name")
    [[ -n $found ]] || { echo "no cluster${name:+ '$name'}"; return 1; }
}

# Sets vc_selected to the numbers of the hosts that --host names.
select_hosts() {
    if [[ -n $opt_host ]]; then
        vc_selected=("$(host_number "$opt_host" "$vc_hosts")")
    else
        mapfile -t vc_selected < <(seq 0 $((vc_hosts - 1)))
    fi
}

command_rate() {
    parse_options ' --path --host --name ' "$@"
    [[ ${#opt_rest[@]} -eq 1 ]] || usage_error "'rate' needs exactly one rate"
    check_rate "${opt_rest[0]}"
    need_cluster "$opt_name"
    local path
    path=$(path_number "$opt_path" "$vc_paths")
    select_hosts
    control rate "$path" "${opt_rest[0]}" "${vc_selected[@]}"
}

command_link() {
    parse_options ' --path --host --name ' "$@"
    [[ ${#opt_rest[@]} -eq 1 && ${opt_rest[0]} =~ ^(up|down)$ ]] ||
        usage_error "'link' needs 'up' or 'down'"
    need_cluster "$opt_name"
    local path
    path=$(path_number "$opt_path" "$vc_paths")
    select_hosts
    control link "$path" "${opt_rest[0]}" "${vc_selected[@]}"
}

command_check() {
    [[ $# -eq 0 ]] || usage_error "'check' takes nothing"
    opt_name=check-$$ opt_hosts=1 opt_paths=1 opt_mtu=9000 opt_rate=1mbit
    check_machine
    start_keeper --owned
    find_cluster "$opt_name" || die "the cluster that was made for the check is not found"
    trap end_keeper EXIT
    (start_job 0 true)
    if [[ ${#vc_user[@]} -eq 0 ]]; then
        echo "vcluster: works here, as root"
    else
        echo "vcluster: works here, without root in a user namespace"
    fi
}

# with: the cluster ends with this process, by pdeathsig if this process is killed.
command_with() {
    parse_options ' --hosts --paths --rate --mtu --name ' "$@"
    [[ -n $opt_named ]] || opt_name=with-$$
    [[ ${#opt_rest[@]} -ge 1 ]] || usage_error "'with' needs a command"
    check_shape
    check_machine
    vc_signal=0
    vc_child=''
    trap 'on_signal 1' HUP
    trap 'on_signal 2' INT
    trap 'on_signal 15' TERM
    lock_names
    ! find_cluster "$opt_name" || die "there is a cluster '$opt_name' already"
    start_keeper --owned
    unlock_names
    find_cluster "$opt_name" || die "the cluster has ended again at once"
    trap end_keeper EXIT
    ((vc_signal == 0)) || exit $((128 + vc_signal))
    VCLUSTER_NAME=$opt_name run_child "${opt_rest[@]}"
}

on_signal() {
    vc_signal=$1
    [[ -z $vc_child ]] || kill -TERM "$vc_child" 2>/dev/null || true
}

# Runs COMMAND with our stdin and ends with its status.  In the background, because bash would
# otherwise look at a signal only after COMMAND has ended.
run_child() {
    local status=0 turn
    export VCLUSTER_NAME VCLUSTER_OWNER=$$-$SRANDOM
    # Background commands of a script start with these signals ignored.
    env --default-signal=INT,QUIT setpriv --pdeathsig KILL "$@" <&0 &
    vc_child=$!
    # A signal may have come before there was a child to tell.
    ((vc_signal == 0)) || kill -TERM "$vc_child" 2>/dev/null || true
    wait "$vc_child" || status=$?
    if ((vc_signal != 0)); then
        # COMMAND has been told to end, and has 5 seconds for its own cleaning.
        for ((turn = 0; turn < 50; turn++)); do
            kill -0 "$vc_child" 2>/dev/null || break
            sleep 0.1
        done
        kill_owned
        status=$((128 + vc_signal))
    elif ((status > 128)); then
        kill_owned # COMMAND was killed and could not end what it had started
    fi
    exit "$status"
}

# Ends COMMAND and whatever it has started outside the cluster, which has our mark.
kill_owned() {
    local file
    for file in $(grep -lzxF "VCLUSTER_OWNER=$VCLUSTER_OWNER" /proc/[0-9]*/environ 2>/dev/null); do
        file=${file#/proc/}
        kill -KILL "${file%/environ}" 2>/dev/null || true
    done
}
