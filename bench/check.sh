#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# make check: every program of p2p/ and coll/ runs, with two ranks on this host, and every element of
# every round is what it must be. No times are judged. Prints TAP. Runs in bench/ of the build.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(pwd)
work=$(mktemp -d)
output=$work/output
trap 'rm -rf --one-file-system "$work"' EXIT

# shellcheck source=test/support/tap.sh
. "$here/../test/support/tap.sh"
# shellcheck source=bench/scripts/common.sh
. "$here/scripts/common.sh"
shown=("$output")
export OMP_WAIT_POLICY=passive

ranks=2

# job PROGRAM ARGUMENTS...: its status.
job() {
    timeout --kill-after=5 90 mpirun --np "$ranks" --map-by :OVERSUBSCRIBE --bind-to none --mca part ucx \
        --mca pml ob1 --mca btl self,sm "$build/$1" "${@:2}" >"$output" 2>&1 </dev/null
}

rows() {
    grep -cE '^ *[0-9]+ +[0-9]' "$output" || true
}

# Bytes were carried by part/ucx, not by something in its place.
carried() {
    grep -E "^# path-bytes rank ${sender:-0}:.* [1-9]" "$output" >/dev/null
}

# part ROWS PROGRAM ARGUMENTS...: partitioned, so many rows, to the end.
part() {
    job "${@:2}" && grep -qx '# done' "$output" && [[ $(rows) -eq $1 ]] && carried
}

# blocking ROWS PROGRAM ARGUMENTS...: the same with MPI's own collective.
blocking() {
    job "${@:2}" --mode mpi && grep -qx '# done' "$output" && [[ $(rows) -eq $1 ]] && ! carried
}

# whole PROGRAM ARGUMENTS...: partitioned, to the end, whatever rows it has.
whole() {
    job "$@" && grep -qx '# done' "$output" && [[ $(rows) -gt 0 ]] && carried
}

# plain PROGRAM ARGUMENTS...: without partitioned calls.
plain() {
    job "$@" && grep -qx '# done' "$output" && [[ $(rows) -gt 0 ]] && ! carried
}

# Every program understands what the reports of figures.sh and nodes.sh tell it.
understands_reports() {
    local command words count=0
    while read -r command; do
        eval "words=($command)" # they are quoted
        [[ -x $build/${words[0]} ]] || continue # such as fft, without FFTW
        count=$((count + 1))
        "$build/${words[0]}" "${words[@]:1}" --help >"$output" 2>&1 ||
            "$build/${words[0]}" "${words[@]:1}" -h >"$output" 2>&1 || {
            echo "$command" >>"$output"
            return 1
        }
    done < <(python3 "$here/figures/commands.py")
    ((count > 50))
}

all_named() {
    local names
    part 21 coll/pcoll -m 48K -p 3 -i 1 -x 0 -r 2 -c || return 1
    part 21 coll/pcoll -m 24K -p 3 -i 1 -x 0 -r 2 -c --blocks uneven || return 1
    names=$(awk '/^ *[0-9]/ { print $NF }' "$output" | sort -u | wc -l)
    [[ $names -eq 21 ]]
}

# More than a ring.
all_neighborhoods() {
    local five=neighbor_allgather,neighbor_allgatherv,neighbor_alltoall,neighbor_alltoallv
    local kind
    for kind in torus all; do
        part 5 coll/pcoll -m 12K -p 3 -i 1 -x 0 -r 2 -c --neighbors "$kind" \
            --coll "$five,neighbor_alltoallw" || return 1
    done
}

# refuses OPTION PROGRAM ARGUMENTS...: no result, but words that name the option.
refuses() {
    local status=0
    job "${@:2}" || status=$?
    ((status != 0 && status != 124)) && grep -qF -- ": $1 has no meaning here" "$output"
}

refuses_the_unused() {
    refuses -P coll/pcoll_allreduce -P 3 && refuses -w p2p/part_setup -w 2 &&
        refuses -p p2p/part_parrived -p 8 && refuses --prepare p2p/part_idle --prepare &&
        refuses --budget-s p2p/part_latency --budget-s 1 && refuses -r p2p/part_early -r 1 &&
        refuses --prepare kernels/matvec --prepare
}

# A mode, or a second size, that this program does not have.
refuses_the_value() {
    local words status
    for words in 'p2p/part_setup --mode isend' 'p2p/part_parrived -m 8:16' \
        'coll/pcoll_allreduce --mode multi' 'coll/pcoll_allreduce --mode persistent' \
        'p2p/part_bw --mode others' 'p2p/part_early --work spinn' \
        'coll/pcoll_overlap --work nap'; do
        status=0
        # shellcheck disable=SC2086
        job $words || status=$?
        ((status != 0 && status != 124)) && grep -qF 'wrong value' "$output" || return 1
    done
}

# says WORDS PROGRAM ARGUMENTS...: no result, but a sentence of its own with these words.
says() {
    local status=0
    job "${@:2}" || status=$?
    ((status != 0 && status != 124)) && grep -qE "^[a-z_]+: .*$1" "$output"
}

# What cannot be cut, or is nothing at all; a name that is wrong beside one that is right.
refuses_what_cannot_be() {
    says 'do not divide' p2p/part_warm -p 3 && says 'do not divide' p2p/part_setup -P 3 &&
        says 'do not divide' p2p/part_stream -m 16 && says 'one at least' p2p/part_setup --channels 0 &&
        says 'one at least' p2p/part_warm --channels 0 && says '1 to 4095' kernels/matvec --rows 0 &&
        says 'allreduce,bcats' coll/pcoll --coll allreduce,bcats &&
        says 'ring, torus or all' coll/pcoll_persistent --neighbors sphere &&
        says 'latency,bcats' libraries/mpi_compare --operations latency,bcats &&
        says blokcing libraries/mpi_compare --forms blokcing &&
        OMP_THREAD_LIMIT=2 says 'allows 2 threads' p2p/part_early -t 3
}

# No size is missing without a word.
says_what_it_leaves_out() {
    local words
    for words in 'p2p/part_early -p 5 -t 1' 'p2p/part_async_cost -p 5' 'p2p/part_bw -p 5' \
        'coll/pcoll --coll scan -p 5' 'coll/pcoll_beside -p 5' 'coll/pcoll_overlap -p 5'; do
        # shellcheck disable=SC2086
        job $words -m 64K && [[ $(rows) -eq 0 ]] && grep -q '^# .*: left out' "$output" || return 1
    done
    part 2 coll/pcoll_setup -m 80 -p 20 -i 1 && grep -q '16 partitions .*: left out' "$output"
}

refuses_the_row() {
    local rows status
    for rows in allgather allgather:1K: nothing:1K allreduce:0 bcast:6; do
        status=0
        job coll/pcoll_rows --rows "$rows" || status=$?
        ((status != 0 && status != 124)) && grep -q '^pcoll_rows: ' "$output" || return 1
    done
}

# Name and sizes of those that are built.
kernels=('matvec 24K:48K' 'paths 256:512')
[[ ! -x $build/kernels/fft ]] || kernels+=('fft 512:1K')

# in_pairs COMMAND...: runs it with four ranks, which are two pairs.
in_pairs() {
    local ranks=4
    "$@" && grep -q '; 2 pairs; ' "$output"
}

refuses_three_ranks() {
    local ranks=3 status=0
    job p2p/part_bw -m 64K || status=$?
    ((status != 0 && status != 124)) && grep -qF 'needs an even number of ranks, got 3' "$output"
}

# contest.py, which says of every claim whether it holds, rows.py, which row is worse, and nodes.py,
# which tells bounds and placements.
decides() {
    export PYTHONDONTWRITEBYTECODE=1
    (cd "$here/scripts" && python3 -m unittest discover -p 'test_*.py') >"$output" 2>&1 &&
        (cd "$here/figures" && python3 -m unittest test_nodes) >"$output" 2>&1
}

# bisect.sh on a made-up repository whose slow commit is known.
bisects() {
    (cd "$here/bisect" && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest test_bisect) >"$output" 2>&1
}

# libraries.sh: what it makes of known numbers, host files, command lines.
compares_libraries() {
    (cd "$here/libraries" && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest test_libraries) \
        >"$output" 2>&1
}

# All of it, on a host file that names this host: rows of both contenders, a report.
compares_hosts() {
    local folder=$work/hosts contender
    uname -n >"$work/hostfile"
    timeout --kill-after=5 300 python3 "$here/libraries/command.py" --bin "$build" \
        --hosts "$work/hostfile" --counts 1 --ppn 2 --quick --no-defaults --out "$folder" \
        --operations latency,allreduce --sizes 1:4K >"$output" 2>&1 &&
        grep -q '^### 1 host x 2 ranks' "$folder/report.md" || return 1
    for contender in package openmpi; do
        grep -q "^1x2,$contender,allreduce,persistent,4096," "$folder/numbers.csv" || return 1
    done
}

# Its program, which compares every result: a row for each size in each form.
all_forms() {
    local form
    job libraries/mpi_compare --largest 4K --step 16 --iterations 5 --warmup 2 &&
        grep -qx '# done' "$output" && ! grep -q '^refused' "$output" || return 1
    for form in blocking persistent partitioned; do
        [[ $(awk -v form=$form '$1 == "row" && $3 == form { print $2 }' "$output" | sort -u |
            wc -l) -eq $1 ]] || return 1
        [[ $form == persistent ]] && set -- $(($1 - 1))
    done
    return 0
}

# The same with buffers of an accelerator that is made up: all are copied to and from, and given back.
# Without one, and for a library that says it takes none, a sentence.
on_accelerator() {
    local folder=$work/cuda device
    local words=(libraries/mpi_compare --operations latency,bcast,alltoall,reduce_scatter --largest 4K
        --step 16 --iterations 5 --warmup 2 --buffers cuda)
    mkdir -p "$folder"
    "${CC:-cc}" -shared -fPIC -o "$folder/libcuda.so.1" "$here/libraries/made_up_cuda.c" || return 1
    ! LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-} job "${words[@]}" &&
        grep -q '^# cannot: rank 0: this MPI library says' "$output" || return 1
    words+=(--assume-support 1)
    LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-} job "${words[@]}" &&
        grep -qx '# done' "$output" && grep -q 'CUDA device 0 (made-up 0' "$output" &&
        [[ $(grep -c '^row' "$output") -ge 40 ]] || return 1
    for device in 0 1; do
        grep -qE "^made-up device $device: ([0-9]+) allocated, \\1 released, written and read" \
            "$output" || return 1
    done
    ! LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-} MADE_UP_NONE=1 job "${words[@]}" &&
        grep -q '^# cannot: rank 0: the CUDA driver has no device' "$output"
}

# builds.sh with this build on both sides: a row for each size, whatever the times; and a folder
# that is no build is refused.
compares_builds() {
    local status=0 words=(--only latency --quick --rounds 1 --out "$work")
    bash "$here/builds.sh" --before "$build/.." --after "$build/.." "${words[@]}" \
        >"$output" 2>&1 </dev/null || status=$?
    ((status <= 1)) && [[ $(grep -c '^| part_latency, one host, ' "$output") -eq 3 ]] &&
        ! grep -qF '**failed**' "$output" || return 1
    status=0
    bash "$here/builds.sh" --before "$work" --after "$build/.." "${words[@]}" \
        >>"$output" 2>&1 </dev/null || status=$?
    ((status == 2)) && grep -qF "$work is no build folder" "$output"
}

# compare.py, its table and CSV, the summary and the plot, as demo.sh and claims.sh use them.
compares() {
    local status=0 python
    python3 "$here/scripts/compare.py" --data "$here/scripts/check.toml" --out "$work" \
        --bin "$build/p2p" >"$output" 2>&1 </dev/null || status=$?
    local rows='^host,(ucx-host|persist-sm|isend-sm),.*,(65536|131072),median,'
    [[ $status -eq 1 ]] && grep -Eq '^possible .* yes$' "$output" &&
        grep -Eq '^impossible .* NO$' "$output" &&
        [[ $(grep -cE "$rows" "$work/numbers.csv") -eq 6 ]] &&
        python3 "$here/scripts/summary.py" --out "$work" >>"$output" 2>&1 &&
        grep -q 'Seen: .* at 64 KiB .* at 128 KiB' "$output" || return 1
    ! python=$(find_plotter) ||
        { "$python" "$here/scripts/plot.py" --data "$here/scripts/check.toml" --out "$work" \
            --case host --png "$work/host.png" >>"$output" 2>&1 && [[ -s $work/host.png ]]; }
}

# While another process works in the folder.
waits_its_turn() {
    local status=0 held
    mkdir -p "$work/taken" && exec {held}>"$work/taken/.lock" && flock --nonblock "$held" || return 1
    python3 "$here/scripts/compare.py" --data "$here/scripts/check.toml" --out "$work/taken" \
        --bin "$build/p2p" >"$output" 2>&1 </dev/null || status=$?
    exec {held}>&-
    ((status == 1)) && grep -qF "at work in $work/taken" "$output"
}

# Two runs into one file: one heading, and all rows of both as numbers.
writes_csv() {
    local csv
    csv=$(mktemp -u)
    part 2 p2p/part_bw -m 64K:128K --csv "$csv" "${short[@]}" &&
        part 1 p2p/part_bw -m 256K --csv "$csv" "${short[@]}" &&
        awk -F, 'NR == 1 { columns = NF; heading = $0; next }
            NF != columns || $0 == heading { wrong = 1 }
            END { exit !(NR == 4 && columns > 5 && !wrong) }' "$csv" &&
        grep -q '65536' "$csv" && grep -q '262144' "$csv"
    local status=$?
    rm -f "$csv"
    return "$status"
}

# All forms of a collective: a row that begins with the partitioned one.
all_persistent() {
    local csv=$work/persistent.csv
    part 1 coll/pcoll --coll allreduce -m 4K --persistent 1 --csv "$csv" "${short[@]}" &&
        [[ $(grep -cE '^allreduce,part,4,4,1,1,0,4096(,[0-9.]+){7}$' "$csv") -eq 1 ]]
}

# rows_served WANTED: every row of the table says so.
rows_served() {
    awk -v wanted="$1" '/^ *[0-9]+ +[01] / { ++rows; wrong += $2 != wanted || ($6 > 0) != wanted }
        END { exit !(rows == 21 && !wrong) }' "$output"
}

# All that can be served are measured, and none that is handed on.
persistent_in_turns() {
    OMPI_MCA_coll_pschedule_persistent=on part 21 coll/pcoll_persistent -m 12K "${short[@]}" &&
        rows_served 1 &&
        OMPI_MCA_coll_pschedule_persistent=off job coll/pcoll_persistent -m 12K "${short[@]}" &&
        rows_served 0 && ! carried
}

short=(-i 1 -x 1 -r 2 -c)
for program in part_bw part_bibw; do
    check "$program" part 3 p2p/$program -m 64K:256K "${short[@]}"
    check "$program, unlike partitions, MPIX_Pbuf_prepare" \
        part 1 p2p/$program -m 96K -p 12 -P 8 -w 3 -t 2 --prepare "${short[@]}"
    check "$program --mode isend" plain p2p/$program -m 64K --mode isend "${short[@]}"
    check "$program --mode multi" plain p2p/$program -m 64K --mode multi "${short[@]}"
done
check 'part_latency' part 1 p2p/part_latency -m 4K -p 8 -i 2 -x 1 -c
check 'part_msgrate' part 2 p2p/part_msgrate -m 64:128 -p 64 -t 2 "${short[@]}"
sender=1 check 'part_stream' whole p2p/part_stream -m 1M --seconds 1 -c
sender=1 check 'part_stream --mode isend' plain p2p/part_stream -m 1M --seconds 1 -w 3 --mode isend -c
check 'part_early' whole p2p/part_early -m 768K -t 3 -p 6 -i 2 -x 1 -c
check 'part_bw, two pairs' in_pairs part 3 p2p/part_bw -m 64K:256K "${short[@]}"
check 'part_early, two pairs' in_pairs whole p2p/part_early -m 96K -t 3 -p 6 -i 2 -x 1 -c --delay-ms 20
check 'part_bw, three ranks' refuses_three_ranks
check 'part_parrived' whole p2p/part_parrived -i 2 -x 1 -c
check 'part_setup' whole p2p/part_setup -i 2 -c
check 'part_warm' whole p2p/part_warm -r 60 --channels 3 -c
check 'part_async_cost' whole p2p/part_async_cost -m 64K -i 2 -x 1 --batch-ms 1 -c
check 'part_idle' plain p2p/part_idle -i 2 -x 1
check 'all 21 collectives, and the blocking ones' all_named
check 'pcoll --persistent' all_persistent
check 'pcoll_persistent' persistent_in_turns
check 'neighbourhoods that are no ring' all_neighborhoods
check 'pcoll_allreduce' part 3 coll/pcoll_allreduce -m 64K:256K "${short[@]}"
check 'pcoll_allreduce with two threads' part 1 coll/pcoll_allreduce -m 96K -p 8 -t 2 "${short[@]}"
check 'pcoll_allreduce --mode mpi' blocking 3 coll/pcoll_allreduce -m 64K:256K "${short[@]}"
check 'pcoll_bcast' part 3 coll/pcoll_bcast -m 64K:256K "${short[@]}"
check 'pcoll_bcast --mode mpi' blocking 3 coll/pcoll_bcast -m 64K:256K "${short[@]}"
check 'pcoll_beside' part 2 coll/pcoll_beside -m 64K:128K "${short[@]}"
check 'pcoll_beside, another collective' part 1 coll/pcoll_beside --coll alltoall -m 96K -p 3 \
    "${short[@]}"
overlap=(-m 256K --compute-ms 8 -i 2 -c)
check 'pcoll_overlap, one thread' part 1 coll/pcoll_overlap "${overlap[@]}"
check 'pcoll_overlap, three threads' part 1 coll/pcoll_overlap "${overlap[@]}" -t 3 --consume 1
check 'pcoll_overlap --mode mpi' blocking 1 coll/pcoll_overlap "${overlap[@]}" -t 3
check 'pcoll_setup' part 3 coll/pcoll_setup -m 64K -p 16 -i 2
for model in ring pallreduce parrived; do
    check "allreduce_models --model $model" part 2 coll/allreduce_models --model "$model" -m 96K:192K -p 3 \
        "${short[@]}"
done
check 'allreduce_models --model mpi' job coll/allreduce_models --model mpi -m 96K "${short[@]}"
check 'mpi_compare: all operations in all forms' all_forms 11
check 'mpi_compare: buffers of a made-up accelerator' on_accelerator
check 'pcoll_rows' part 3 coll/pcoll_rows --rows allgather:48K,alltoall:768,bcast:1536 -p 3 "${short[@]}"
check 'pcoll_rows --mode mpi' blocking 2 coll/pcoll_rows --rows reduce_scatter_block:48K,allreduce:768 \
    "${short[@]}"
check 'pcoll_rows, a row that is none' refuses_the_row
for kernel in "${kernels[@]}"; do
    read -r name size <<<"$kernel"
    check "$name" part 2 "kernels/$name" -m "$size" -p 2 "${short[@]}"
    check "$name with three threads" part 2 "kernels/$name" -m "$size" -p 2 -t 3 "${short[@]}"
    check "$name --mode mpi" blocking 2 "kernels/$name" -m "$size" -p 2 "${short[@]}"
done
[[ -x $build/kernels/fft ]] || skip 'fft' 'built without FFTW'
check 'an option without meaning is refused with its name' refuses_the_unused
check 'a value without meaning is refused' refuses_the_value
check 'what cannot be is refused with a sentence' refuses_what_cannot_be
check 'sizes that do not divide are left out with a word' says_what_it_leaves_out
check 'rows go to a CSV file, too' writes_csv
if python3 -c 'import tomllib' 2>/dev/null; then
    check 'claims and rows are judged by their numbers' decides
    check 'programs understand the command lines of the reports' understands_reports
    check 'contenders are compared: table, CSV, summary, plot' compares
    check 'two at a time do not measure in one folder' waits_its_turn
    check 'two builds are compared: table, status' compares_builds
    check 'the commit that made a case slower is found' bisects
    check 'libraries are compared: rows, winners, defaults, rules' compares_libraries
    check 'libraries are compared on the hosts of a file' compares_hosts
else
    skip 'claims and rows are judged by their numbers' 'no python3 of 3.11 or later'
    skip 'programs understand the command lines of the reports' 'no python3 of 3.11 or later'
    skip 'two at a time do not measure in one folder' 'no python3 of 3.11 or later'
    skip 'two builds are compared: table, status' 'no python3 of 3.11 or later'
    skip 'the commit that made a case slower is found' 'no python3 of 3.11 or later'
    skip 'libraries are compared: rows, winners, defaults, rules' 'no python3 of 3.11 or later'
    skip 'libraries are compared on the hosts of a file' 'no python3 of 3.11 or later'
    skip 'contenders are compared: table, CSV, summary, plot' 'no python3 of 3.11 or later'
fi

tap_end
