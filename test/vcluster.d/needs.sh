# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# vcluster: what the machine and the user must have, found out by trying, and how to get it.

# Sets vc_user to the options of unshare for a user namespace, empty where root needs none, or
# ends with all reasons why there can be no cluster.
check_machine() {
    local tool missing=''
    [[ $(uname -s) == Linux ]] || die "a virtual cluster needs Linux"
    for tool in ip tc unshare nsenter setpriv mount mountpoint setsid flock hostname; do
        [[ -x $(command -v "$tool") ]] || missing+=" $tool"
    done
    [[ -z $missing ]] ||
        die "missing:$missing. Install iproute2 (ip, tc), util-linux (unshare, nsenter," \
            "setpriv, mount, mountpoint, setsid, flock) and hostname."
    [[ -e /proc/self/status ]] || die "missing: /proc (mount -t proc proc /proc)"
    mountpoint -q / ||
        die "/ is not a mount point: this is a chroot. Before entering it, make its directory" \
            "one: mount --bind DIRECTORY DIRECTORY"
    [[ -d $VC_SHM ]] || die "missing: the directory $VC_SHM"
    vc_user=()
    if [[ $EUID -eq 0 ]] && can_unshare; then
        return
    fi
    vc_user=(--user --map-root-user)
    can_unshare "${vc_user[@]}" || refuse_privileges
}

can_unshare() {
    unshare "$@" --pid --fork --net --uts --mount true 2>/dev/null
}

sysctl_value() {
    cat "/proc/sys/$1" 2>/dev/null || true
}

refuse_privileges() {
    {
        echo "vcluster: this machine lets this user make no namespaces, of which a cluster is made."
        if [[ $EUID -eq 0 ]]; then
            echo "  You are root without CAP_SYS_ADMIN, as in a container: start the container" \
                "with --privileged, or use the machine itself."
        else
            echo "  Run it as root, or let users have user namespaces:"
        fi
        [[ $(sysctl_value kernel/unprivileged_userns_clone) != 0 ]] ||
            echo "    sysctl -w kernel.unprivileged_userns_clone=1"
        [[ $(sysctl_value kernel/apparmor_restrict_unprivileged_userns) != 1 ]] ||
            echo "    sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        [[ $(sysctl_value user/max_user_namespaces) != 0 ]] ||
            echo "    sysctl -w user.max_user_namespaces=10000"
        [[ -e /proc/self/ns/user ]] || echo "    a kernel with CONFIG_USER_NS=y"
    } >&2
    exit 1
}

# need_kernel WHAT CONFIG MODULE COMMAND...: inside a new network namespace, tries COMMAND.
need_kernel() {
    local what=$1 config=$2 module=$3 reason
    shift 3
    reason=$("$@" 2>&1) ||
        die "this kernel has no $what ($reason). It needs $config: as root, 'modprobe $module'," \
            "or install the distribution's full kernel image."
}

# What the kernel must be able to do; run where the cluster will be.
check_kernel() {
    need_kernel "bridges" CONFIG_BRIDGE bridge ip link add name probe-br type bridge
    need_kernel "pairs of virtual Ethernet devices" CONFIG_VETH veth \
        ip link add name probe-a type veth peer name probe-b
    need_kernel "token bucket filter" CONFIG_NET_SCH_TBF sch_tbf \
        tc qdisc add dev probe-a root tbf rate 1mbit burst 64kb latency 20ms
    ip link del probe-a
    ip link del probe-br
}
