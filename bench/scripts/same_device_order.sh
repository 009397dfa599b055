#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# same_device_order.sh PROGRAM ARGS...: runs a program that sees its network devices in alphabetical
# order when it lists /sys/class/net.
#
# The kernel lists that folder in an order that differs from host to host. UCX before 1.20 pairs the
# n-th device of one host with the n-th of the other, lets the kernel choose the link of each
# connection, and so may put four rails on two links. This gives such a UCX its best case, so that
# it can be compared with. Needs the right to mount, which a host of test/vcluster has.
set -euo pipefail

inside() {
    local -a names=()
    local -A target=()
    local name
    for name in /sys/class/net/*; do
        names+=("${name##*/}")
        target[${name##*/}]=$(readlink -f -- "$name")
    done
    mount -t tmpfs -o mode=755 tmpfs /sys/class/net
    # A tmpfs lists the newest entry first.
    local i
    for ((i = ${#names[@]} - 1; i >= 0; i--)); do
        ln -s -- "${target[${names[i]}]}" "/sys/class/net/${names[i]}"
    done
    exec "$@"
}

if [[ ${SAME_DEVICE_ORDER_INSIDE:-} != yes ]]; then
    SAME_DEVICE_ORDER_INSIDE=yes exec unshare --mount --propagation private -- "$0" "$@"
fi
unset SAME_DEVICE_ORDER_INSIDE
inside "$@"
