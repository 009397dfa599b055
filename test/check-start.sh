#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# start_job (support/start.sh) with launchers that fail as mpirun does: what is tried again, what is
# not, and with which status it ends. Prints TAP; needs no MPI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/start.sh
. "$here/support/start.sh"
job_output=$work/output
job_errors=$work/output
job_notes=$work/notes
number=0
failed=0

# launcher NAME FIRST NEXT WAY: starts FIRST ranks the first time that it is called, then NEXT; if
# these are not two, it ends with status 1 or hangs (WAY); if they are, it waits for them, and then
# ends, or, where WAY is "stays", hangs.
launcher() {
    cat >"$work/$1" <<END
#!/usr/bin/env bash
echo called >>"$work/$1.calls"
ranks=$3 status=0
[[ \$(wc -l <"$work/$1.calls") -gt 1 ]] || ranks=$2
for ((rank = 0; rank < ranks; rank++)); do
    "\$@" &
    pids+=(\$!)
done
[[ $4 != fails || \$ranks -eq 2 ]] || exit 1
for pid in "\${pids[@]}"; do
    wait "\$pid" || status=\$?
done
[[ $4 != stays && \$ranks -eq 2 ]] || sleep 60
exit "\$status"
END
    chmod +x "$work/$1"
}

# expect TEXT NAME SECONDS STATUS CALLS PROGRAM...: the program has two ranks.
expect() {
    local status=0 calls
    start_job 2 "$3" "$work/$2" :: "${@:6}" >"$work/said" || status=$?
    calls=$(wc -l <"$work/$2.calls")
    number=$((number + 1))
    if [[ $status -eq $4 && $calls -eq $5 ]]; then
        echo "ok $number - $1"
        return 0
    fi
    sed 's/^#*/#/' "$work/said"
    echo "# status $status instead of $4, $calls calls instead of $5"
    echo "not ok $number - $1"
    failed=$((failed + 1))
}

launcher good 2 2 ends
expect 'a job that ends well runs once' good 60 0 1 true
launcher bad 2 2 ends
expect 'a job that fails runs once' bad 60 3 1 sh -c 'exit 3'
launcher late 1 2 hangs
expect 'a launcher that hangs before it has started all is tried again' late 2 0 2 true
launcher refuses 0 2 fails
expect 'a launcher that fails before it has started any is tried again' refuses 60 0 2 true
launcher never 1 0 hangs
expect 'one that never starts all has three tries' never 2 124 3 true
launcher hangs 2 2 ends
expect 'a program that hangs is not run again' hangs 2 124 1 sleep 60
launcher stays 2 2 stays
expect 'a launcher that stays when all ranks have ended well is no failure' stays 2 0 1 true
launcher hides 2 2 stays
expect 'nor does it hide how they have ended' hides 2 3 1 sh -c 'exit 3'
launcher killed 2 2 stays
# shellcheck disable=SC2016
expect 'a rank of which the end is not known has not ended well' killed 2 124 1 \
    sh -c 'kill -KILL $PPID'
echo "1..$number"
((failed == 0))
