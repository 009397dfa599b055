#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# All tests, from a fresh checkout: gets what is needed, builds, runs, and ends with one line,
# "N passed, N failed". docs/testing.md says what each group is for.
set -euo pipefail

usage() {
    cat <<'END'
usage: test/run.sh [--quick] [--werror] [--lean] [GROUP...]
                                                run groups of tests (default: all)
       test/run.sh one NAME [--where host|cluster|slurm] [--set SET] [--mca "OPTIONS OF MPIRUN"]
                            [--build DIR] [--sanitizer address|thread]
                                                run one program again, with all its output
       test/run.sh --list                       print the groups and their programs

  unit       parts of the component without MPI, and checks of the sources
  host       one property per program, point-to-point and collectives, all ranks on this machine
  bench      the benchmarks run and move the right data; the GPT-2 trainer computes what it must
  cluster    what host tests, between the hosts of the virtual cluster, and mixed (test/vcluster)
  methods    those that move data again, with the other delivery methods, on host and cluster
  stress     random channels, flags before data, long runs: host, cluster and mixed
  fortran    both Fortran modules, where Open MPI has Fortran (MPIX_STACK_FLAGS=--fortran)
  sanitize   address, undefined-behaviour and thread sanitizer
  clients    programs of others, from the network; only where it is asked for
  slurm      what cluster tests, started by Slurm's srun (test/slurm.sh); likewise
  recipes    the recipes of packaging/ but Debian's, and the release with all its checks; likewise

--quick leaves out bench, methods, stress, fortran and sanitize, and of the others what is slow. With --werror
warnings of the compiler are errors.
--lean is for another UCX beside a full run: neither benchmarks nor unit tests are built where no
group needs them, and what does not depend on UCX (most of collectives, tuning files) is left out, or
tried less often (memory of the components that runs out).
Builds are in build/, build-asan/ and build-tsan/ of the sources (in the folder of the sources itself
if that is configured), logs of the last run in test-results/ of the build.
Environment: MPIX_STACK_FLAGS are options for config/stack.sh. With MPIX_TEST_NEED_CLUSTER a machine
without the virtual cluster is a failure, and not a reason to leave tests out. MPIX_TEST_JOBS programs
run at a time (default: as many as processors, and one more in group host; of collectives a quarter;
at most 4; one where it stresses or judges speed).
END
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all_groups=(unit host bench cluster methods stress fortran sanitize)
groups=()
results=''
quick=0
lean=0
configure_options=()
passed=0 failed=0 skipped=0
started=$SECONDS
failures=()
skips=()
# What env.sh of a build changes: each build begins with what the caller has.
environment=(PATH LD_LIBRARY_PATH OMPI_MCA_mca_base_component_path PMIX_MCA_mca_base_component_path)
declare -A caller

say() {
    echo "== $*"
}

die() {
    echo "run.sh: error: $*" >&2
    exit 1
}

save_environment() {
    local variable
    for variable in "${environment[@]}"; do
        [[ -z ${!variable+set} ]] || caller[$variable]=${!variable}
    done
}

restore_environment() {
    local variable
    for variable in "${environment[@]}"; do
        unset "$variable"
        [[ -z ${caller[$variable]+set} ]] || export "$variable=${caller[$variable]}"
    done
}

# build NAME [CONFIGURE OPTION...]: sets build_dir and selects it (env.sh); then see compile.
build() {
    # Without iproute2 and hostname there is no virtual cluster, without clang no fuzzer.
    local name=$1 sources=$top also=(--also libcmocka-dev)
    also+=(--try iproute2 --try hostname --try clang --try libclang-rt-dev)
    # A PETSc from packages is for an MPI from packages.
    [[ " ${groups[*]} " != *" clients "* || $(command -v mpicc) != /usr/bin/mpicc ]] ||
        also+=(--try libpetsc-real-dev --try python3-venv)
    [[ " ${groups[*]} " != *" slurm "* ]] ||
        also+=(--also slurmctld --also slurmd --also slurm-client)
    shift
    set -- "${configure_options[@]}" "$@"
    restore_environment
    if [[ $name != build && -e $top/config.status ]]; then
        # The folder of the sources is configured itself: others are built from a copy.
        sources=$top/$name-sources
        "$top/config/sources.sh" --copy "$sources"
        build_dir=$("$sources/config/build.sh" --quiet "${also[@]}" --dir "$top/$name" "$@")
    elif [[ $name == build ]]; then
        build_dir=$("$top/config/build.sh" "${also[@]}" "$@")
    else
        build_dir=$("$top/config/build.sh" --quiet "${also[@]}" --dir "$top/$name" "$@")
    fi
    [[ -n $results ]] || results=$build_dir/test-results
    mkdir -p "$results"
    set +u
    # shellcheck disable=SC1091
    . "$build_dir/env.sh"
    set -u
}

# needs GROUP...: is one of these to be run?
needs() {
    local group
    for group in "$@"; do
        [[ " ${groups[*]} " != *" $group "* ]] || return 0
    done
    return 1
}

# compile [TEST...]: the programs of these tests, and what launch.sh needs; without arguments of all.
compile() {
    local log=$results/compile-$(basename "$build_dir").log
    compiled=()
    [[ $# -eq 0 ]] || compiled=("check_PROGRAMS=helpers/algorithms $*")
    if ! make -C "$build_dir/test" -j"$(nproc)" "${compiled[@]}" check-programs >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        die "the tests do not compile: $log"
    fi
}

# first TEST TESTS...: the same, one per line, with this one at the beginning if it is among them: what
# takes longest begins first.
first() {
    printf '%s\n' "${@:2}" | grep -Fx -- "$1" || true
    printf '%s\n' "${@:2}" | grep -Fxv -- "$1" || true
}

# programs OF: a list of test/Makefile.am, one per line.
programs() {
    make -s --no-print-directory -C "$build_dir/test" print-tests group="$1"
}

# selected KIND WHERE SET: programs of mpi, coll, stress or examples that have a row for that place
# and set ("" is any).
selected() {
    awk -F'|' -v where="$2" -v set="$3" '
        function has(field, word,   i, n, words) {
            n = split(field, words, /[ ,]+/)
            for (i = 1; i <= n; i++) if (words[i] == word) return 1
            return 0
        }
        /^[ \t]*(#|$)/ { next }
        has($3, where) && (set == "" || has($6, set)) { gsub(/[ \t]/, "", $1); print $1 }' \
        "$top/test/$1/testlist" | sort -u | sed "s,^,$1/,"
}

# examples_in LANGUAGE WHERE SET: those in Fortran have the name of their module at the end.
examples_in() {
    local not=(-v)
    [[ $1 != fortran ]] || not=()
    selected examples "$2" "$3" | grep -E "${not[@]}" '_(f08|mpi)$' || true
}

# progress LABEL: reads the output of make, shows failures at once and how far it is.
progress() {
    local label=$1 line count=0 shown=$SECONDS
    while IFS= read -r line; do
        case $line in
            PASS:* | SKIP:* | XFAIL:*) count=$((count + 1)) ;;
            FAIL:* | ERROR:* | XPASS:*) count=$((count + 1)); echo "   $line" ;;
        esac
        if ((SECONDS - shown >= 15)); then
            echo "   $label: $count so far, $((SECONDS - started)) s"
            shown=$SECONDS
        fi
    done
}

# at_a_time PROCESSORS: how many programs of which each keeps so many processors busy.
at_a_time() {
    local jobs=$(($(nproc) / $1))
    ((jobs <= 4)) || jobs=4 # some need gigabytes
    echo $((jobs > 0 ? jobs : 1))
}

# run_tests LABEL RERUN TESTS...: make check of these programs; RERUN: options for "run.sh one".
run_tests() {
    local label=$1 rerun=$2 jobs=${MPIX_TEST_JOBS:-$(at_a_time 1)} from=$SECONDS
    local command=("${launcher[@]}" make -k -C "$build_dir/$folder" "${compiled[@]}" check)
    shift 2
    say "$label: $# programs"
    if [[ $# -eq 0 ]]; then
        failed=$((failed + 1))
        failures+=("$label: no tests found")
        return 0
    fi
    forget "$@"
    "${command[@]}" -j"$jobs" TESTS="$*" 2>&1 </dev/null | tee "$results/make.log" |
        progress "$label" || true
    collect "$label" "$rerun" "$@"
    echo "   $label: $((SECONDS - from)) s; so far $passed passed, $failed failed, $skipped skipped"
}

# run_collectives: run_tests of programs with four to eight ranks. While they wait they ask for the
# processor again and again: two at a time take longer than one after the other.
run_collectives() {
    MPIX_TEST_JOBS=${MPIX_TEST_JOBS:-$(at_a_time 4)} run_tests "$@"
}

# forget TESTS...: their results of before, which would be counted if make was never called.
forget() {
    local test
    for test in "${@%.sh}"; do
        rm -f "$build_dir/$folder/$test".{trs,log}
    done
}

# collect LABEL RERUN TESTS...: counts the results, keeps the logs.
collect() {
    local label=$1 rerun=$2 test trs log kept bad said
    shift 2
    mkdir -p "$results/$label"
    for test in "$@"; do
        trs=$build_dir/$folder/${test%.sh}.trs
        log=$build_dir/$folder/${test%.sh}.log
        if [[ ! -f $trs ]]; then
            failed=$((failed + 1))
            failures+=("$label: $test did not run, see $results/make.log")
            continue
        fi
        passed=$((passed + $(grep -c '^:test-result: \(PASS\|XFAIL\)' "$trs" || true)))
        skipped=$((skipped + $(grep -c '^:test-result: SKIP' "$trs" || true)))
        mapfile -t said < <(sed -n "s,^:test-result: SKIP,$label: $test:,p" "$trs")
        skips+=("${said[@]}")
        bad=$(grep -c '^:test-result: \(FAIL\|XPASS\)' "$trs" || true)
        # An exit status that is not zero is an error of its own only when nothing else failed.
        ((bad > 0)) || bad=$(grep -c '^:test-result: ERROR' "$trs" || true)
        failed=$((failed + bad))
        kept=${test%.sh}
        kept=$results/$label/${kept//\//-}.log
        mv "$log" "$kept"
        rm -f "$trs"
        if ((bad > 0)); then
            # At the end of the run, too: often that is all there is to see of it.
            mapfile -t said < <(excerpt "$kept" 8 200)
            failures+=("$label: $test: $bad failed" "${said[@]}")
            show_failure "$label" "$test" "$rerun" "$kept"
        fi
    done
}

# excerpt LOG LINES COLUMNS: the commands, and at most so many lines of what came before each failure
# since the last result.
excerpt() {
    awk -v most="$2" '
        /^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): / || /^1\.\./ { next }
        /^# (mpirun|.*vcluster run) / { print; next }
        /^ok / { held = 0; next }
        { lines[held++] = $0 }
        /^(not ok|Bail out)/ { for (i = held > most ? held - most : 0; i < held; i++) print lines[i]; held = 0 }
        END { most /= 2; for (i = held > most ? held - most : 0; i < held; i++) print lines[i] }' "$1" |
        sed -n "1,$((2 * $2))p" | cut -c"1-$3" | sed 's/^/   | /' # head would end the pipe, and this script
}

show_failure() {
    echo "---- $1: $2"
    excerpt "$4" 40 300
    echo "   all of it: $4"
    case $2 in
        mpi/* | coll/* | stress/* | examples/* | fortran/*) echo "   again:     test/run.sh one $2${3:+ $3}" ;;
        *) echo "   again:     make -C $build_dir/$folder check TESTS=$2" ;;
    esac
}

# with_cluster RUN_TESTS LABEL RERUN TESTS...: in a virtual cluster of two hosts, or not at all.
with_cluster() {
    local message
    if ! message=$("$top/test/vcluster" check 2>&1); then
        echo "   no virtual cluster: $message"
        if [[ -n ${MPIX_TEST_NEED_CLUSTER:-} ]]; then
            failed=$((failed + 1))
            failures+=("$2: no virtual cluster: $message")
            return 0
        fi
        skipped=$((skipped + $# - 3))
        skips+=("$2: $(($# - 3)) programs: $message")
        return 0
    fi
    launcher=("$top/test/vcluster" with --hosts 2 --paths 4 --rate none --)
    MPIX_TEST_WHERE=cluster "$@"
    launcher=()
}

# with_slurm RUN_TESTS LABEL RERUN TESTS...: the same, with Slurm on the hosts.
with_slurm() {
    local message
    message=$("$top/test/slurm.sh" check 2>&1) || die "no Slurm: $message"
    launcher=("$top/test/vcluster" with --hosts 2 --paths 4 --rate none -- "$top/test/slurm.sh" with)
    MPIX_TEST_WHERE=slurm "$@"
    launcher=()
}

# run_script LABEL COMMAND...: a check that has one result, its exit status; 77: it was left out.
run_script() {
    local label=$1 log=$results/$1.log status=0
    shift
    say "$label"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if ((status == 0)); then
        passed=$((passed + 1))
    elif ((status == 77)); then
        skipped=$((skipped + 1))
        skips+=("$label: $(<"$log")")
        sed 's/^/   /' "$log"
    else
        failed=$((failed + 1))
        failures+=("$label: $*")
        tail -n 40 "$log" | sed 's/^/   | /'
        echo "   again:     $*"
    fi
}

group_unit() {
    local tests
    run_script style "$top/test/check-style.sh"
    run_script documents "$top/docs/check.sh"
    [[ -n $(programs unit_programs) ]] || die "$build_dir was configured without cmocka: no unit tests"
    mapfile -t tests < <(programs script_tests; programs unit_programs)
    run_tests unit "" "${tests[@]}"
    run_script fuzz "$top/test/fuzz.sh" --build "$build_dir" --seconds "$((quick ? 3 : 24))"
}

# Plans know nothing of UCX: beside a full run, those rows that use it in ways of their own.
set_of_collectives() {
    if ((lean)); then
        echo ucx
    elif ((quick)); then
        echo quick
    fi
}

group_host() {
    local tests set='' scripts=(outages.sh faults-hosts.sh outages-collectives.sh)
    ((quick)) && set=quick
    mapfile -t tests < <(selected mpi host "$set"; examples_in c host "$set")
    scripts+=(faults.sh jobs.sh joined.sh)
    ((lean)) || scripts+=(tuning.sh)
    mapfile -t tests < <(first mpi/x14_disconnected "${tests[@]}")
    # Scripts wait more than they work: so one more at a time.
    MPIX_TEST_SET=$set MPIX_TEST_JOBS=${MPIX_TEST_JOBS:-$(($(at_a_time 1) + 1))} \
        run_tests host "" "${scripts[@]}" "${tests[@]}"
    mapfile -t tests < <(selected coll host "$(set_of_collectives)")
    MPIX_TEST_SET=$(set_of_collectives) run_collectives collectives "" "${tests[@]}"
    MPIX_TEST_SET=$set MPIX_TEST_JOBS=1 run_tests info "" info.sh # it judges bandwidths
    ((quick)) || run_tests release "" check-release.sh check-python.sh
}

group_cluster() {
    local tests set=''
    ((quick)) && set=quick
    mapfile -t tests < <(selected mpi cluster "$set"; examples_in c cluster "$set")
    mapfile -t tests < <(first mpi/x12_late "${tests[@]}")
    MPIX_TEST_SET=$set with_cluster run_tests cluster "--where cluster" "${tests[@]}"
    mapfile -t tests < <(selected coll cluster "$(set_of_collectives)")
    MPIX_TEST_SET=$(set_of_collectives) with_cluster \
        run_collectives cluster-collectives "--where cluster" "${tests[@]}"
    ((quick)) || MPIX_TEST_JOBS=1 run_tests vcluster "" hosts.sh vcluster-selftest.sh
}

# Processes find each other by Slurm's PMIx server.
group_slurm() {
    local tests kind set=''
    ((quick)) && set=quick
    with_slurm run_tests slurm "" slurm-says.sh
    for kind in mpi coll; do
        # Slurm's PMIx makes no groups, of which Open MPI makes communicators of sessions.
        mapfile -t tests < <(selected "$kind" cluster "$set" | grep -v session)
        MPIX_TEST_SET=$set with_slurm run_tests "slurm-$kind" "--where slurm" "${tests[@]}"
    done
}

group_methods() {
    local method options tests
    # Without RDMA "auto", which all other groups use, is "message".
    for method in flush chained; do
        options="--mca part_ucx_delivery $method"
        mapfile -t tests < <(selected mpi host data)
        MPIX_TEST_SET=data MPIX_TEST_MCA=$options \
            run_tests "$method" "--mca \"$options\"" "${tests[@]}"
        mapfile -t tests < <(selected mpi cluster data)
        MPIX_TEST_SET=data MPIX_TEST_MCA=$options with_cluster \
            run_tests "$method-cluster" "--where cluster --mca \"$options\"" "${tests[@]}"
    done
}

group_bench() {
    folder=bench
    run_tests bench "" check.sh gpt2/check.sh
    folder=test
}

group_stress() {
    local tests
    mapfile -t tests < <(selected stress host short)
    MPIX_TEST_SET=short MPIX_TEST_JOBS=1 run_tests stress "--set short" "${tests[@]}"
    mapfile -t tests < <(selected stress cluster short)
    MPIX_TEST_SET=short MPIX_TEST_JOBS=1 with_cluster \
        run_tests stress-cluster "--where cluster --set short" "${tests[@]}"
}

group_fortran() {
    local tests
    if [[ -z $(programs fortran_programs) ]]; then
        say "fortran"
        echo "   skipped: no Fortran in this build ($(fortran_of_build)); MPIX_STACK_FLAGS=--fortran builds one"
        skipped=$((skipped + 1))
        skips+=("fortran: $(fortran_of_build)")
        return 0
    fi
    mapfile -t tests < <(selected fortran host ""; examples_in fortran host "")
    # It installs, for which libtool links libraries again that the tests load.
    run_tests fortran-installed "" check-fortran.sh
    run_tests fortran "" "${tests[@]}"
    mapfile -t tests < <(selected fortran cluster ""; examples_in fortran cluster "")
    with_cluster run_tests fortran-cluster "--where cluster" "${tests[@]}"
}

# Programs of others. Not among all groups: they take many minutes.
group_clients() {
    run_tests clients "" clients.sh
}

# They build several times, with tools that nothing else here needs.
group_recipes() {
    local tool tools=()
    for tool in abigail-tools cmake environment-modules g++ man-db python3-venv rpm rpmlint; do
        tools+=(--try "$tool")
    done
    "$top/config/stack.sh" --quiet "${tools[@]}"
    # One after the other: both call make dist.
    MPIX_TEST_JOBS=1 run_tests recipes "" check-release.sh check-recipes.sh
}

# fortran_of_build: what configure says of it.
fortran_of_build() {
    sed -n "s/^mpix_fortran='\(.*\)'$/\1/p" "$build_dir/config.log"
}

# is_instrumented SYMBOL: of a sanitizer; a component without it would look clean whatever it does.
is_instrumented() {
    local component
    for component in part/ucx/.libs/mca_part_ucx.so coll/pschedule/.libs/mca_coll_pschedule.so; do
        [[ $(nm -D --undefined-only "$build_dir/ompi/mca/$component") == *"$1"* ]] || {
            echo "no $1 in $component"
            return 1
        }
    done
}

group_sanitize() {
    local tests collectives stress cluster rerun
    build build-asan --enable-sanitizer=address,undefined --disable-bench
    mapfile -t tests < <(programs unit_programs; selected mpi host "")
    mapfile -t collectives < <(selected coll host memory)
    mapfile -t stress < <(selected stress host memory)
    mapfile -t cluster < <(selected stress cluster memory)
    compile "${tests[@]}" "${collectives[@]}" "${stress[@]}" "${cluster[@]}"
    run_script address-instrumented is_instrumented __asan_
    export MPIX_TEST_SANITIZER=address
    export MPIX_TEST_SLOW=1 MPIX_TEST_SCALE=6
    # s20 moves gigabytes: with a shadow of them it does not fit
    mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -v '^mpi/s20_')
    run_tests address "--build $build_dir --sanitizer address" "${tests[@]}"
    rerun="--build $build_dir --sanitizer address --set memory"
    MPIX_TEST_SET=memory run_collectives address-collectives "$rerun" "${collectives[@]}"
    MPIX_TEST_SET=memory run_tests address-stress "$rerun" "${stress[@]}"
    MPIX_TEST_SET=memory MPIX_TEST_JOBS=1 \
        with_cluster run_tests address-cluster "--where cluster $rerun" "${cluster[@]}"

    build build-tsan --enable-sanitizer=thread --disable-bench
    # What takes longest begins first.
    mapfile -t tests < <(selected stress host threads; programs unit_threaded;
        selected mpi host threads; selected coll host threads)
    mapfile -t cluster < <(selected stress cluster threads)
    compile "${tests[@]}" "${cluster[@]}"
    run_script thread-instrumented is_instrumented __tsan_
    MPIX_TEST_SANITIZER=thread
    rerun="--build $build_dir --sanitizer thread --set threads"
    MPIX_TEST_SET=threads run_tests thread "$rerun" "${tests[@]}"
    MPIX_TEST_SET=threads MPIX_TEST_JOBS=1 \
        with_cluster run_tests thread-cluster "--where cluster $rerun" "${cluster[@]}"
    unset MPIX_TEST_SANITIZER MPIX_TEST_SLOW MPIX_TEST_SCALE
}

# run_one NAME [OPTIONS]: one program again, its TAP on the terminal.
run_one() {
    local name=${1:-} where=host mca='' build='' set='' launch=()
    [[ -n $name ]] || { usage >&2; exit 2; }
    shift
    while (($#)); do
        case $1 in
            --where) where=${2:?--where needs host, cluster or slurm}; shift ;;
            --mca) mca=${2:?--mca needs options of mpirun}; shift ;;
            --set) set=${2:?--set needs a word of the testlist}; shift ;;
            --sanitizer)
                export MPIX_TEST_SANITIZER=${2:?--sanitizer needs address or thread}
                export MPIX_TEST_SLOW=1 MPIX_TEST_SCALE=6
                shift ;;
            --build) build=${2:?--build needs a folder}; shift ;;
            *) usage >&2; exit 2 ;;
        esac
        shift
    done
    if [[ -n $build ]]; then
        build_dir=$(cd "$build" && pwd)
    else
        build build >&2
        compile >&2
    fi
    [[ $name == */* ]] || name=mpi/$name
    launch=(bash "$top/test/support/launch.sh" "$build_dir/test/$name")
    [[ $where != slurm ]] || launch=("$top/test/slurm.sh" with "${launch[@]}")
    [[ $where == host ]] ||
        launch=("$top/test/vcluster" with --hosts 2 --paths 4 --rate none -- "${launch[@]}")
    MPIX_TEST_WHERE=$where MPIX_TEST_MCA=$mca MPIX_TEST_SET=$set exec "${launch[@]}"
}

list() {
    local group
    build build >&2
    for group in "${all_groups[@]}"; do
        echo "$group"
    done
    programs unit_programs
    programs mpi_programs
    programs coll_programs
    programs stress_programs
    programs example_programs
    programs fortran_programs
}

summary() {
    local line
    if ((${#failures[@]})); then
        say "failures"
        printf '   %s\n' "${failures[@]}"
    fi
    if ((${#skips[@]})); then
        say "skipped"
        printf '   %s\n' "${skips[@]}"
    fi
    say "logs: $results; $((SECONDS - started)) s"
    line="$passed passed, $failed failed"
    ((skipped == 0)) || line+=", $skipped skipped"
    echo "$line"
}

parse_arguments() {
    case ${1:-} in
        one) shift; run_one "$@" ;;
        --list) list; exit 0 ;;
        -h | --help) usage; exit 0 ;;
    esac
    while (($#)); do
        case $1 in
            --quick) quick=1 ;;
            --werror) configure_options+=(--enable-werror) ;;
            --lean) lean=1; export MPIX_TEST_LEAN=1 ;;
            *) [[ " ${all_groups[*]} clients recipes slurm " == *" $1 "* ]] ||
                   { usage >&2; die "unknown group $1"; }
               groups+=("$1") ;;
        esac
        shift
    done
    if ((${#groups[@]} == 0)); then
        groups=("${all_groups[@]}")
        ((quick == 0)) || groups=(unit host cluster)
    fi
}

launcher=()
folder=test # of the build, where run_tests finds its tests
save_environment
parse_arguments "$@"
options=() programs=()
((lean == 0)) || needs bench slurm || options+=(--disable-bench)
build build "${options[@]}"
((lean == 0)) || needs unit || mapfile -t programs < <(programs check_PROGRAMS | grep -v '^unit/')
compile "${programs[@]}"
for group in "${all_groups[@]}" clients slurm recipes; do
    [[ $group == sanitize ]] || ! needs "$group" || "group_$group"
done
! needs sanitize || group_sanitize # it has builds of its own
summary
((failed == 0 && passed > 0))
