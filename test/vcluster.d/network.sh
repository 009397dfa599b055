# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: the network of a cluster.  The keeper's own network namespace holds one bridge per
# path, pathP, and the switch port pPhH of each host.  The other end of the port is ethP on host H,
# with the address 10.77.P.(H+1)/24.  The namespaces have no link to the machine's network, so
# these addresses cannot meet any of the machine's, or of another cluster.

# Prints the queueing discipline for a rate.  The bucket of 64 KiB is refilled a thousand times per
# second or less often; faster links get a bucket of one millisecond.  The queue is that of a network
# card, a thousand jumbo frames: with a shorter one the sender's own queue would drop packets, which
# neither a card nor a fabric for computing does, and TCP would stop for its timeouts.
shaper() {
    local kbit burst
    kbit=$(rate_in_kbit "$1")
    burst=$((kbit / 8))
    ((burst >= 65536)) || burst=65536
    echo "root tbf rate $1 burst $burst limit 9000000"
}

# on_host H COMMAND...: in the network namespace of a host.
on_host() {
    nsenter --net="$VC_NET/h$1" -- "${@:2}"
}

# build_network HOSTS PATHS MTU RATE
build_network() {
    local hosts=$1 paths=$2 mtu=$3 rate=$4 host
    mkdir "$VC_NET"
    for ((host = 0; host < hosts; host++)); do
        : >"$VC_NET/h$host"
        # shellcheck disable=SC2016
        unshare --net -- sh -c 'mount --bind /proc/self/ns/net "$1"' _ "$VC_NET/h$host" ||
            die "cannot make the network of host h$host (of $hosts); a limit may be reached:" \
                "sysctl user.max_net_namespaces user.max_mnt_namespaces fs.mount-max"
    done
    print_switch "$hosts" "$paths" "$mtu" | ip -batch -
    for ((host = 0; host < hosts; host++)); do
        print_host "$host" "$paths" | on_host "$host" ip -batch -
    done
    [[ $rate == none ]] || shape_all "$hosts" "$paths" "$rate"
}

# The bridges, and the cables from their ports to the hosts.
print_switch() {
    local hosts=$1 paths=$2 mtu=$3 host path
    for ((path = 0; path < paths; path++)); do
        echo "link add name path$path mtu $mtu type bridge stp_state 0 forward_delay 0" \
            "mcast_snooping 0"
        echo "link set dev path$path addrgenmode none"
        echo "link set dev path$path up"
        for ((host = 0; host < hosts; host++)); do
            echo "link add name p${path}h$host mtu $mtu type veth" \
                "peer name eth$path mtu $mtu netns $VC_NET/h$host"
            echo "link set dev p${path}h$host master path$path addrgenmode none"
            echo "link set dev p${path}h$host up"
        done
    done
}

print_host() {
    local host=$1 paths=$2 path
    echo "link set dev lo up"
    for ((path = 0; path < paths; path++)); do
        echo "link set dev eth$path addrgenmode none"
        echo "addr add 10.77.$path.$((host + 1))/24 broadcast + dev eth$path"
        echo "link set dev eth$path up"
    done
}

# Shapes both ends of all cables.
shape_all() {
    local hosts=$1 paths=$2 discipline host path
    discipline=$(shaper "$3")
    for ((path = 0; path < paths; path++)); do
        for ((host = 0; host < hosts; host++)); do
            echo "qdisc add dev p${path}h$host $discipline"
        done
    done | tc -batch -
    for ((host = 0; host < hosts; host++)); do
        for ((path = 0; path < paths; path++)); do
            echo "qdisc add dev eth$path $discipline"
        done | on_host "$host" tc -batch -
    done
}

# shape DEVICE RATE COMMAND-PREFIX...
shape() {
    local device=$1 rate=$2 discipline
    shift 2
    if [[ $rate == none ]]; then
        # There may be none already.
        "$@" tc qdisc del dev "$device" root 2>/dev/null || true
        return
    fi
    discipline=$(shaper "$rate")
    # shellcheck disable=SC2086
    "$@" tc qdisc replace dev "$device" $discipline
}

# control_rate PATH RATE HOST...
control_rate() {
    local path=$1 rate=$2 host
    for host in "${@:3}"; do
        shape "p${path}h$host" "$rate"
        shape "eth$path" "$rate" on_host "$host"
    done
}

# control_link PATH up|down HOST...: at the switch, so that the host sees its cable unplugged and
# keeps its addresses and routes.
control_link() {
    local host
    for host in "${@:3}"; do
        ip link set dev "p${1}h$host" "$2"
    done
}

# Prints the rate of DEVICE as tc shows it.
shown_rate() {
    local words
    words=$("${@:2}" tc qdisc show dev "$1" root)
    if [[ $words =~ tbf.*\ rate\ ([^ ]+) ]]; then
        echo "${BASH_REMATCH[1],,}"
    else
        echo none
    fi
}

# control_status HOSTS PATHS
control_status() {
    local hosts=$1 paths=$2 host path state rate in
    printf '  %-5s' host
    for ((path = 0; path < paths; path++)); do
        printf ' %-26s' "eth$path"
    done
    echo
    for ((host = 0; host < hosts; host++)); do
        printf '  %-5s' "h$host"
        for ((path = 0; path < paths; path++)); do
            rate=$(shown_rate "eth$path" on_host "$host")
            in=$(shown_rate "p${path}h$host")
            [[ $rate == "$in" ]] || rate+="(out)/$in(in)"
            state=up
            [[ $(ip -o link show dev "p${path}h$host") == *[\<,]UP[,\>]* ]] || state=down
            printf ' %-26s' "10.77.$path.$((host + 1)) $rate $state"
        done
        echo
    done
}
