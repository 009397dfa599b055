# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For stack.sh: which UCX. The result is ucx_version and ucx_dir, the latter empty for one in the
# system's own folders.

ucx_minimum=1.13

# Wheels of UCX: headers, libraries and modules that run on systems older than the release.
ucx_wheel_default=1.22.0
ucx_wheel_hashes() {
    case "$1" in
        1.18.1) echo d8fa5fc4bd76b2796e083bb3a7fb27373ccd9428daf6fe64d0dfd02fc0c95420 \
                     0d8362f7c84fbb44afd659a4ff5b925f6e5ec0a9052a4a891afbbb8c59daa2dd ;;
        1.22.0) echo 5cbbef0c140a0a158ae3486089af659b38822b2234cd3dc90ba40a5e6553402a \
                     269aa884c3f83ced2ffb5f7704fb3a2da56d9402431222ddbe2901c1ae4fb227 ;;
        *) return 1 ;;
    esac
}

# installed_version DIR: what its ucx_info tells, else its headers.
installed_version() {
    local version

    version=$("$1/bin/ucx_info" -v 2>/dev/null |
        sed -n 's/^# .*version[=:] *\([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [[ -n $version ]] ||
        version=$(sed -n 's/^#define UCP_API_\(MAJOR\|MINOR\) *\([0-9]*\)/\2/p' \
            "$1/include/ucp/api/ucp_version.h" 2>/dev/null | paste -sd.)
    echo "$version"
}

# ucx_libdir: the folder of the libraries in ucx_dir.
ucx_libdir() {
    if [[ -e $ucx_dir/lib64/libucp.so ]]; then
        echo "$ucx_dir/lib64"
    else
        echo "$ucx_dir/lib"
    fi
}

# pip_command: prints how to call pip.
pip_command() {
    local pip

    for pip in "python3 -m pip" pip3 pip; do
        if $pip --version >/dev/null 2>&1; then
            echo "$pip"
            return 0
        fi
    done
    return 1
}

# clean_wheel DIR: remove what is in the way of a build: libtool's and pkg-config's descriptions,
# which name a folder of the machine that made the wheel, static libraries, GPU support.
clean_wheel() {
    find "$1" \( -name '*.a' -o -name '*.la' -o -name '*cuda*' -o -name '*gdr*' \
                 -o -name '*.pc' \) -delete
    find "$1/lib" -name '*.so.0.0.0' -delete
    (
        cd "$1/lib"
        for library in *.so.0; do
            ln -sf "$library" "${library%.0}"
        done
    )
}

# fetch_wheel VERSION DIR: pip checks the sums.
fetch_wheel() {
    local version=$1 dir=$2 hashes hash pip work

    hashes=$(ucx_wheel_hashes "$version") ||
        die "UCX $version: known as a wheel are 1.18.1 and 1.22.0"
    pip=$(pip_command) || { need_packages python3-pip; pip=$(pip_command) || die "pip is missing"; }
    work=$temp_dir/wheel
    mkdir -p "$work"
    {
        printf 'libucx-cu12==%s' "$version"
        for hash in $hashes; do
            printf ' --hash=sha256:%s' "$hash"
        done
        echo
    } >"$work/requirements"
    say "fetching UCX $version"
    $pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        -r "$work/requirements" -d "$work" >>"$log_dir/pip.log" 2>&1 ||
        die "UCX $version could not be fetched. All of pip's output: $log_dir/pip.log"
    python3 -m zipfile -e "$work"/*.whl "$work/unpacked"
    clean_wheel "$work/unpacked/libucx"
    chmod +x "$work/unpacked/libucx/bin"/*
    mkdir -p "$(dirname "$dir")"
    mv "$work/unpacked/libucx" "$dir"
}

# use_ucx_dir DIR: take a UCX that the user names.
use_ucx_dir() {
    [[ -r $1/include/ucp/api/ucp.h ]] || die "--ucx $1: there is no include/ucp/api/ucp.h in it"
    ucx_dir=$(cd "$1" && pwd)
    ucx_version=$(installed_version "$ucx_dir")
    version_at_least "$ucx_version" "$ucx_minimum" ||
        die "UCX $ucx_version in $1 is too old: $ucx_minimum or later is needed"
}

# use_ucx_wheel VERSION
use_ucx_wheel() {
    ucx_dir=$cache/ucx/$1
    ucx_version=$1
    [[ ! -d $ucx_dir ]] || return 0
    lock_cache
    # Another stack.sh may have fetched it while this one waited.
    [[ -d $ucx_dir ]] || fetch_wheel "$1" "$ucx_dir"
}

# use_system_ucx: what pkg-config finds, else the package, else a wheel.
use_system_ucx() {
    ucx_dir=""
    ucx_version=$(pkg-config --modversion ucx 2>/dev/null || true)
    if [[ -z $ucx_version ]] && have_apt; then
        [[ -n $(candidate_version libucx-dev) ]] || refresh_package_lists
        if version_at_least "$(candidate_version libucx-dev)" "$ucx_minimum"; then
            need_packages libucx-dev
            ucx_version=$(pkg-config --modversion ucx 2>/dev/null || true)
        fi
    fi
    if ! version_at_least "$ucx_version" "$ucx_minimum"; then
        say "the system's UCX is ${ucx_version:-missing}; at least $ucx_minimum is needed"
        use_ucx_wheel "$ucx_wheel_default"
    fi
}
