# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For stack.sh: messages, and long steps with their progress. Everything goes to stderr, as stdout
# is for what stack.sh --export prints.

say() {
    (( quiet )) || echo "stack: $*" >&2
}

# Messages that --quiet does not hide.
note() {
    echo "stack: $*" >&2
}

die() {
    echo "stack: error: $*" >&2
    exit 1
}

# clock SECONDS: as minutes and seconds.
clock() {
    printf '%d:%02d' $(( $1 / 60 )) $(( $1 % 60 ))
}

# show_progress TITLE STARTED USUAL_LINES LOG: one line, rewritten on a terminal. The share of the
# usual number of lines in the log is the share of the work.
show_progress() {
    local title=$1 started=$2 usual=$3 log=$4
    local elapsed=$(( SECONDS - started )) lines percent left=""

    lines=$(wc -l <"$log" 2>/dev/null || echo 0)
    percent=$(( lines * 100 / usual ))
    (( percent < 100 )) || percent=99
    if (( percent >= 3 )); then
        left=", about $(clock $(( elapsed * (100 - percent) / percent ))) left"
    fi
    if [[ -t 2 ]]; then
        printf '\r\033[Kstack: %s: %d %%, %s%s' "$title" "$percent" "$(clock "$elapsed")" \
            "$left" >&2
    else
        echo "stack: $title: $percent %, $(clock "$elapsed")$left" >&2
    fi
}

# kill_step: end the running step with everything that it started.
kill_step() {
    if [[ -n ${step_pid:-} ]]; then
        kill -TERM -- "-$step_pid" 2>/dev/null || true
        wait "$step_pid" 2>/dev/null || true
        step_pid=""
    fi
}

# run_step TITLE USUAL_LINES LOG COMMAND...: run a long command in the background, its output in
# LOG, and tell how far it is.
run_step() {
    local title=$1 usual=$2 log=$3 started=$SECONDS period=30 ticks=0 rc=0
    shift 3

    [[ ! -t 2 ]] || period=1
    say "$title ..."
    : >"$log"
    # A process group of its own, so that an interrupt ends all of it.
    setsid "$@" >>"$log" 2>&1 </dev/null 9>&- &
    step_pid=$!
    echo "$step_pid" >"$temp_dir/step"
    while kill -0 "$step_pid" 2>/dev/null; do
        sleep 1
        ticks=$(( ticks + 1 ))
        if (( ! quiet && ticks % period == 0 )); then
            show_progress "$title" "$started" "$usual" "$log"
        fi
    done
    wait "$step_pid" || rc=$?
    step_pid=""
    if [[ -t 2 ]] && (( ! quiet )); then
        printf '\r\033[K' >&2
    fi
    if (( rc )); then
        tail -n 15 "$log" | sed 's/^/    /' >&2
        die "$title failed (status $rc). All of its output: $log"
    fi
    say "$title: done in $(clock $(( SECONDS - started )))"
}
