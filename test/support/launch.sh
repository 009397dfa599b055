#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs one test program the way its testlist says and prints its results as TAP. Automake's check
# target calls it for every program (LOG_COMPILER); test/run.sh tells how to call it by hand.
#
# A program that is in no testlist (the unit tests) runs as it is, without mpirun.
#
# Environment:
#   MPIX_TEST_WHERE   host (default): all ranks on this machine; cluster: across the hosts of the
#                     virtual cluster that is up (test/vcluster, $VCLUSTER_NAME); slurm: the same
#                     rows, started by srun on that cluster (test/slurm.sh)
#   MPIX_TEST_PART    ucx (default) or persist: the part component to test
#   MPIX_TEST_MCA     more options for mpirun, for example "--mca part_ucx_delivery chained"
#   MPIX_TEST_SET     only the rows of the testlist with this word in the column "sets"
#   MPIX_TEST_SCALE   factor on all time limits (default 3). They find hangs and judge no speed: a
#                     machine that is busy must not fail a test, and a hang never ends.
#   MPIX_TEST_SLOW    1: tests that only repeat things repeat them less often, and rows with the word
#                     "long" in the column "sets" are left out
#   MPIX_TEST_LEAN    1: rows that force each algorithm are left out
#   MPIX_TEST_SANITIZER address or thread: the build has these sanitizers; what they report about our
#                     code is a failure
#   MPIX_TEST_PRELOAD command put in front of the program, for example "valgrind -q"
set -euo pipefail

die() {
    echo "Bail out! launch.sh: $*"
    exit 99
}

trim() {
    local text=$1
    text="${text#"${text%%[![:space:]]*}"}"
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

# find_testlist PROGRAM: the list that has it, next to the sources of the program.
find_testlist() {
    local kind folder=$sources
    kind=$(basename "$(dirname "$1")")
    [[ ! -f $folder/$kind/testlist ]] || printf '%s' "$folder/$kind/testlist"
}

# select_rows LIST NAME: its rows for the place and the set asked for, one per line.
select_rows() {
    awk -F'|' -v name="$2" -v place="${where/slurm/cluster}" -v wanted="${MPIX_TEST_SET:-}" \
        -v slow="${MPIX_TEST_SLOW:-0}" -v lean="${MPIX_TEST_LEAN:-0}" '
        function has(list, word,   words, n, i) {
            n = split(list, words, /[ ,]+/)
            for (i = 1; i <= n; i++) if (words[i] == word) return 1
            return 0
        }
        /^[ \t]*(#|$)/ { next }
        { key = $1; gsub(/[ \t]/, "", key) }
        key == name && has($3, place) && (wanted == "" || has($6, wanted)) &&
            !(slow == 1 && has($6, "long")) && !(lean == 1 && /@algorithms/) { print }' "$1"
}

# expand_rows: a row with the word @algorithms in its options becomes one for each line of options
# that helpers/algorithms prints; its number is given to the program, and so is in the names of the
# results. MPIX_TEST_FORCED tells the program to leave out the collectives that the line says nothing
# of (pc_due of support/pcoll.h).
expand_rows() {
    local row options number
    while IFS= read -r row; do
        if [[ $row != *@algorithms* ]]; then
            printf '%s\n' "$row"
            continue
        fi
        number=0
        while IFS= read -r options; do
            number=$((number + 1))
            options="-x MPIX_TEST_FORCED=$number --mca coll_pschedule_verbose 1 $options"
            printf '%s\n' "${row/@algorithms/$options} algorithms-$number"
        done < <(ASAN_OPTIONS=detect_leaks=0 "$(dirname "$program")/../helpers/algorithms")
        ((number > 0)) || return 1
    done
}

# The results of all rows become one TAP stream: tests are numbered anew, what is not TAP becomes a
# comment, and a program that ended without its plan or with a bad status is a failure of its own.
merge() {
    local label=$1 status=$2 first=$3 file=$4
    # A program that received another one's bytes may print anything.
    LC_ALL=C tr -d '\000-\010\013-\037\177-\377' <"$file" |
    awk -v label="$label" -v status="$status" -v number="$first" -v note="$note_file" '
        /^1\.\.0/ {
            plan = 1
            # None of its collectives has so many; all have a first one.
            if ($0 !~ /[Ss][Kk][Ii][Pp]/ && label ~ / algorithms-([2-9]|[1-9][0-9]+)$/) next
            reason = $0
            if (!sub(/^1\.\.0 *# *[Ss][Kk][Ii][Pp] */, "", reason)) reason = "no tests"
            printf "ok %d - %s # SKIP %s\n", ++number, label, reason
            next
        }
        /^1\.\.[0-9]+ *$/ { plan = 1; next }
        /^Bail out!/ {
            bad = 1
            printf "not ok %d - %s: %s\n", ++number, label, $0
            next
        }
        /^(not )?ok([ \t]|$)/ {
            if ($1 == "not") bad = 1
            line = $0
            sub(/^(not )?ok[ \t]*[0-9]*[ \t]*-?[ \t]*/, "", line)
            printf "%s %d - %s: %s\n", ($1 == "not" ? "not ok" : "ok"), ++number, label, line
            next
        }
        /^#/ { print; next }
        { print "# " $0 }
        END {
            if (!plan && !bad) {
                printf "not ok %d - %s: ended without a plan, status %s\n", ++number, label, status
            } else if (status != 0 && !bad) {
                printf "not ok %d - %s: ended with status %s\n", ++number, label, status
            }
            print number > note
        }'
}

# Sanitizers write to files, one for each process, because mpirun mixes the output of processes. Their
# exit status is kept out of it: reports.awk says which reports are ours.
prepare_sanitizer() {
    [[ -n ${MPIX_TEST_SANITIZER:-} ]] || return 0
    reports=$(mktemp -d)
    local common=log_path=$reports/report support=$sources/support
    export ASAN_OPTIONS=$common:detect_leaks=1:detect_stack_use_after_return=1
    ASAN_OPTIONS+=:fast_unwind_on_malloc=0 # through libraries without frame pointers
    export LSAN_OPTIONS=exitcode=0:print_suppressions=0:suppressions=$support/lsan.supp
    export UBSAN_OPTIONS=$common:print_stacktrace=1:halt_on_error=1
    export TSAN_OPTIONS=$common:exitcode=0:halt_on_error=0:second_deadlock_stack=1
    TSAN_OPTIONS+=:report_signal_unsafe=0 # the watchdog prints stacks, and ends
    TSAN_OPTIONS+=:suppressions=$support/tsan.supp
    TSAN_OPTIONS+=:history_size=4 # suppressions go by stacks, which must not be forgotten
    # PMIx maps memory at addresses that sanitizers use themselves.
    export PMIX_MCA_gds=hash
    # Hooks on munmap and madvise run in threads that the sanitizer has already taken down.
    export OMPI_MCA_memory=^patcher UCX_MEM_EVENTS=n
}

# One more result: did the sanitizers report anything of ours?
judge_reports() {
    local label=$1 status=0
    [[ -n ${MPIX_TEST_SANITIZER:-} ]] || return 0
    find "$reports" -type f -exec cat {} + | awk -f "$sources/support/reports.awk" || status=$?
    rm -f "$reports"/report*
    number=$((number + 1))
    if ((status == 0)); then
        echo "ok $number - $label: nothing of ours in the sanitizer's reports"
    else
        echo "not ok $number - $label: nothing of ours in the sanitizer's reports"
    fi
}

# judge_said LABEL EXPRESSION TEXT: one more result: has the job said so? Not if there was no test.
judge_said() {
    ! grep -qa '^1\.\.0' "$raw_file" || return 0
    number=$((number + 1))
    if grep -qaE -- "$2" "$raw_file"; then
        echo "ok $number - $1: $3"
    else
        echo "not ok $number - $1: $3"
    fi
}

# One more result: have paths been given up, so that a storm was one?
judge_storm() {
    number=$((number + 1))
    if ((storm_status == 0)) && grep -qa 'no way to' "$raw_file"; then
        echo "ok $number - $1: paths were given up, $(grep -ca 'is back$' "$raw_file" || true) came back"
    else
        sed 's/^/# storm: /' "$note_file.storm"
        echo "not ok $number - $1: paths were given up, status of the storm $storm_status"
    fi
}

# What Open MPI 5.0.7 says before it waits for ever in calls of its own: a process that begins looks
# for memory, or hears of connections, of one that has not yet begun or not yet ended. Or it crashes,
# in MPI_Init, when a peer that has left that sends it a message. Or it says nothing, and waits where
# MPI begins for the second time.
faults_of_open_mpi='help-opal-shmem-mmap|cannot find a corresponding process|\(ompi_mpi_init\+'
begins_again='no end after .*, at: Open MPI begins again'

# is_fault_of_open_mpi: that is all that has gone wrong, and no function of ours is in any stack.
is_fault_of_open_mpi() {
    { grep -qaE "$faults_of_open_mpi" "$raw_file" || grep -qa "$begins_again" "$raw_file"; } &&
        ! grep -qaE 'mca_(part_ucx|coll_pschedule)' "$raw_file" &&
        ! grep -aE '^not ok' "$raw_file" | grep -qavE '^not ok [0-9]+ - hang: '
}

# run_job: sets `status`. Not to be called where it is asked for one: bash, then, would not end a
# storm at its first error.
run_job() {
    local process
    status=0 storm_status=0
    if [[ -n $storm ]]; then
        rm -f "$job_notes.over"
        : >"$raw_file"
        storm_job >"$note_file.storm" 2>&1 &
        process=$!
    fi
    # The program ends itself when its time is over; this limit is for when it cannot.
    start_job "$np" $((limit + 20)) "${command[@]}" :: "${rank[@]}" || status=$?
    if [[ -n $storm ]]; then
        : >"$job_notes.over"
        wait "$process" || storm_status=$?
    fi
}

# run_row ROW: one mpirun. With @storm among its options the paths of the virtual cluster break and
# come back while it runs (storm.sh).
run_row() {
    local fields np seconds options arguments label limit storm='' status storm_status
    IFS='|' read -ra fields <<<"$1"
    np=$(trim "${fields[1]}")
    seconds=$(trim "${fields[4]}")
    read -ra options <<<"$(trim "${fields[6]:-}") ${MPIX_TEST_MCA:-}"
    if [[ ${options[0]:-} == @storm ]]; then
        options=("${storm_options[@]}" "${options[@]:1}")
        storm=yes
    fi
    read -ra arguments <<<"$(trim "${fields[7]:-}")"
    label="$name${arguments[*]:+ ${arguments[*]}}"
    export MPIX_TEST_SCALE=${MPIX_TEST_SCALE:-3}
    limit=$((seconds * MPIX_TEST_SCALE))
    local part=${MPIX_TEST_PART:-ucx}
    export MPIX_TEST_TIMEOUT=$limit MPIX_TEST_PART=$part
    options+=(--mca part "$part")
    for variable in MPIX_TEST_TIMEOUT MPIX_TEST_SCALE MPIX_TEST_PART MPIX_TEST_SLOW ASAN_OPTIONS \
        LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS UCX_MEM_EVENTS; do
        [[ -z ${!variable+set} ]] || options+=(-x "$variable")
    done
    # Several ranks on a host share its memory, as on real hosts; the virtual ones leave that out.
    [[ $where == host || ${options[*]} == *UCX_TLS=* ]] || ((np < 3)) ||
        options+=(-x UCX_TLS=tcp,sm,self)
    local command=("${options[@]}")
    if [[ $where == cluster ]]; then
        # It tells its own options from the program's by the dashes; mpirun does not know them.
        command=("$sources/vcluster" run --np "$np" "${command[@]}" --)
    elif [[ $where == slurm ]]; then
        command=("$sources/slurm.sh" run --np "$np" "${command[@]}" --)
    else
        command=(mpirun --np "$np" --map-by :OVERSUBSCRIBE --bind-to none "${command[@]}")
    fi
    read -ra preload <<<"${MPIX_TEST_PRELOAD:-}"
    local rank=("${preload[@]}" "$program" "${arguments[@]}")
    echo "# ${command[*]} ${rank[*]}"
    local from=$SECONDS
    run_job
    if ((status != 0)) && is_fault_of_open_mpi; then
        echo "# ended with status $status, after a fault of Open MPI itself (docs/limits.md): once more"
        run_job
    fi
    echo "# took $((SECONDS - from)) s"
    # A program that knows nothing of TAP: what counts is how it ends.
    if [[ ${fields[5]} == *plain* ]] && ((status == 0)); then
        printf '\n1..1\nok 1 - ends well\n' >>"$raw_file"
    fi
    merge "$label" "$status" "$number" "$raw_file"
    number=$(<"$note_file")
    [[ -z $storm ]] || judge_storm "$label"
    # On one host those for several cannot.
    [[ $label != *' algorithms-'* || ${options[*]} != *coll_pschedule_hosts* ]] ||
        judge_said "$label" ' \(forced\)' 'a forced algorithm serves'
    [[ ${fields[5]} != *served* ]] ||
        judge_said "$label" 'persistent [a-z_]+ on .*: served' 'this package serves'
    judge_reports "$label"
}

[[ $# -eq 1 ]] || die "usage: launch.sh PROGRAM"
[[ -x $1 ]] || die "$1 is not there: make check-programs"
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
name=$(basename "$program")
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
where=${MPIX_TEST_WHERE:-host}
[[ $where =~ ^(host|cluster|slurm)$ ]] || die "MPIX_TEST_WHERE=$where: host, cluster or slurm"

# shellcheck source=test/support/start.sh
. "$sources/support/start.sh"
# shellcheck source=test/support/storm.sh
. "$sources/support/storm.sh"
# That of test/run.sh.
vcluster=$sources/vcluster storm_hosts=2 storm_paths=4 storm_rate=none
environment=$(dirname "$program")/../../env.sh
if [[ -r $environment ]]; then
    set +u
    # shellcheck disable=SC1090
    . "$environment"
    set -u
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
[[ $where == host ]] || export OMPI_MCA_mpi_add_procs_cutoff=1024 # as tap.sh

list=$(find_testlist "$program")
if [[ -z $list ]] || ! grep -Eq "^[[:space:]]*$name[[:space:]]*\\|" "$list"; then
    export CMOCKA_MESSAGE_OUTPUT=${CMOCKA_MESSAGE_OUTPUT:-TAP}
    export UCX_MEM_EVENTS=n # for sanitizers, see prepare_sanitizer
    exec "$program"
fi

if [[ $list == */stress/testlist && -z ${MPIX_TEST_SET:-} ]]; then
    echo "1..0 # SKIP stress: make check-stress, test/run.sh stress, or MPIX_TEST_SET=short"
    exit 0
fi
rows=$(select_rows "$list" "$name")
if [[ -z $rows ]]; then
    echo "1..0 # SKIP not meant for this place and set (test/mpi/testlist)"
    exit 0
fi
rows=$(expand_rows <<<"$rows") || die "no algorithms of coll/pschedule: helpers/algorithms"
raw_file=$(mktemp)
note_file=$(mktemp)
job_output=$raw_file
job_errors=$raw_file
job_notes=$note_file.ranks
reports=''
trap 'rm -rf --one-file-system "$raw_file" "$note_file"{,.*} ${reports:+"$reports"}' EXIT
prepare_sanitizer
number=0
while IFS= read -r row; do
    run_row "$row"
done <<<"$rows"
echo "1..$number"
