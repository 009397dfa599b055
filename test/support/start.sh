# shellcheck shell=bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced by scripts that start jobs with mpirun. Now and then, on a busy machine, the daemons
# of PRRTE do not find each other, and mpirun ends, or stays, without having started all processes;
# or it stays when all of them have ended. Neither tells anything of the program. After the first,
# when no rank can have come out of MPI_Init, the job is started again; after the second what counts
# is how the ranks ended. A program that has begun on all ranks is never run again.
#
#     . .../start.sh
#     job_notes=FILE job_output=FILE job_errors=FILE    the last two may be the same
#     start_job RANKS SECONDS LAUNCHER... :: PROGRAM... its status; 124 after so many SECONDS
#
# What the job prints is in the files; what start_job has to say of it, as comments of TAP, goes to
# standard output. SIGINT and SIGTERM end the job and the script that has sourced this.

job_input=/dev/null # read from its beginning at every try
job_tries=3

# job_stop STATUS: timeout makes a process group of its job, so signals of others do not get there.
job_stop() {
    local processes
    mapfile -t processes < <(jobs -p)
    kill "${processes[@]}" 2>/dev/null || true
    wait
    exit "$1"
}
trap 'job_stop 130' INT
trap 'job_stop 143' TERM

# What each rank does: it notes when it begins, and how it ended.
# shellcheck disable=SC2016
job_rank_script='
echo begun >>"$0"
"$@"
status=$?
echo "ended $status" >>"$0"
exit "$status"'

# job_count EXPRESSION: how many ranks have noted this.
job_count() {
    grep -cx -- "$1" "$job_notes" || true
}

# job_show: what it has printed.
job_show() {
    sed 's/^/# /' "$job_output"
    [[ $job_errors == "$job_output" ]] || sed 's/^/# /' "$job_errors"
}

# start_once SECONDS LAUNCHER... :: PROGRAM...
start_once() {
    local seconds=$1 launcher=() status=0
    shift
    while [[ $# -gt 0 && $1 != :: ]]; do
        launcher+=("$1")
        shift
    done
    : >"$job_notes"
    : >"$job_errors"
    : >"$job_output"
    # Both at the end, as they may be one file. Bash looks at signals while it waits, and not while a
    # command runs in front.
    timeout --kill-after=5 "$seconds" "${launcher[@]}" \
        "$BASH" -c "$job_rank_script" "$job_notes" "${@:2}" \
        >>"$job_output" 2>>"$job_errors" <"$job_input" &
    wait $! || status=$?
    return "$status"
}

start_job() {
    local ranks=$1 seconds=$2 begun ended try status since
    shift 2
    [[ " $* " == *' :: '* ]] || {
        echo "# start_job: no '::' in front of the program"
        return 2
    }
    for ((try = 1; try <= job_tries; try++)); do
        status=0
        since=$SECONDS
        start_once "$seconds" "$@" || status=$?
        begun=$(job_count begun)
        ((status != 0 && begun < ranks)) || break
        job_show
        echo "# mpirun ended with status $status and had started $begun of $ranks ranks, try $try"
    done
    # 137: it had to be killed.
    if ((status == 124 || (status == 137 && SECONDS - since >= seconds))); then
        ended=$(job_count 'ended [0-9]*')
        echo "# after $seconds s mpirun had not ended; of $ranks ranks $begun had begun, $ended ended"
        ((ended < ranks)) || status=$(sed -n 's/^ended //p' "$job_notes" | sort -n | tail -n 1)
    fi
    return "$status"
}
