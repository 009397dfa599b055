#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python package: built as pip does it, against the library of this build, in a virtual
# environment of its own, and tested on 1 to 4 ranks. Prints TAP. Runs in test/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/support/tap.sh"
output=$work/output
shown=("$output")
python=$work/venv/bin/python
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# What the package needs; it is built without an environment of its own, which would have it all again.
gets_packages() {
    python3 -m venv "$work/venv" >"$output" 2>&1 &&
        "$python" -m pip install -q 'mpi4py>=4.0' numpy pytest 'cython>=3.0' 'setuptools>=70' wheel \
            >>"$output" 2>&1 </dev/null
}

# pip builds in the folder of the sources.
builds() {
    cp -r "$here/../python" "$work/python"
    (cd "$work/python" &&
        "$python" -c 'import setuptools.build_meta as b; b.build_sdist("../dist")') >"$output" 2>&1 &&
        "$python" -m pip wheel -q --no-build-isolation --no-deps -w "$work/dist" \
            "$work"/dist/*.tar.gz >>"$output" 2>&1
}

installs() {
    "$python" -m pip install -q --no-index --no-deps "$work"/dist/*.whl >"$output" 2>&1
}

# Without a plugin that would write into the sources.
passes() {
    timeout --kill-after=5 120 mpirun --np "$1" --map-by :OVERSUBSCRIBE --bind-to none \
        --mca part ucx "$python" -m pytest -q -p no:cacheprovider "$here/../python/tests" \
        >"$output" 2>&1 </dev/null
}

# The example: with two ranks sums do not depend on an order, so both exchanges are the same training.
trains_alike() {
    local way
    for way in partitioned allreduce; do
        timeout --kill-after=5 120 mpirun --np 2 --map-by :OVERSUBSCRIBE --bind-to none \
            --mca part ucx "$python" "$here/../python/examples/train.py" --exchange "$way" \
            --layers 3 --width 32 --batch 64 --steps 40 >"$output" 2>&1 </dev/null || return 1
        sed -n 's/.* loss \([0-9.]*\) to \([0-9.]*\),.*/\1 \2/p' "$output" >"$work/$way"
    done
    cat "$work/partitioned" "$work/allreduce" >>"$output"
    cmp "$work/partitioned" "$work/allreduce" >>"$output" 2>&1 &&
        awk '{ falls = $2 < $1 / 2 } END { exit !falls }' "$work/partitioned"
}

# The stubs name what there is.
stubs_agree() {
    OMPI_MCA_part=ucx "$python" "$here/../python/tests/stubs.py" >"$output" 2>&1
}

# Where the library is not known, one sentence says what to do.
explains() {
    ! env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$work" "$python" -m pip wheel -q \
        --no-build-isolation --no-deps -w "$work/none" "$work/python" >"$output" 2>&1 </dev/null &&
        grep -q 'source the env.sh' "$output"
}

if ! command -v python3 >/dev/null; then
    skip 'Python' 'no python3'
elif ! gets_packages; then
    skip 'Python' "its packages cannot be installed: $(tail -n 1 "$output")"
else
    check 'an sdist and a wheel are built' builds
    check 'the wheel is installed' installs
    for ranks in 1 2 3 4; do
        check "its tests pass on $ranks ranks" passes "$ranks"
    done
    check 'the training of the example, with both exchanges' trains_alike
    check 'its type stubs agree with it' stubs_agree
    check 'without the library building says what to do' explains
fi
tap_end
