#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# make check: the trainer on this host with 1 to 4 ranks. Gradients against finite differences; the
# same loss for all ways of exchanging gradients as for one rank with the combined batch; the same
# bits on all ranks after every step, and after a checkpoint. No times are judged. Prints TAP. Runs
# in bench/ of the build.
set -euo pipefail

build=$(pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
data=$here/data/tinyshakespeare.txt
scratch=$(mktemp -d)
output=$scratch/output
trap 'rm -rf --one-file-system "$scratch"' EXIT

# The sums over ranks are formed in another order than those within a rank, so losses differ by the
# rounding of single precision. AdamW magnifies that where a gradient is next to nothing: losses
# were seen to differ by 1e-8 after 12 steps, and by 3e-4 after 200.
tolerance=1e-6

# shellcheck source=test/support/tap.sh
. "$here/../../test/support/tap.sh"
shown=("$output")
export OMP_WAIT_POLICY=passive

# train RANKS OPTIONS...: its status.
train() {
    timeout --kill-after=5 120 mpirun --np "$1" --map-by :OVERSUBSCRIBE --bind-to none \
        --mca part "${part:-ucx}" --mca pml ob1 --mca btl self,sm \
        "$build/gpt2/gpt2_train" --data "$data" --config tiny --context 32 --threads 1 "${@:2}" \
        >"$output" 2>&1 </dev/null
}

ended() {
    grep -qx '# done' "$output"
}

hash_of_parameters() {
    sed -n 's/^# after step .* hash //p' "$output"
}

# Bytes were carried by part/ucx, not by something in its place.
carried() {
    grep -E '^# path-bytes rank 0:.* [1-9]' "$output" >/dev/null
}

data_is_the_original() {
    sha256sum --check --status \
        <<<"86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed  $data"
}

gpt2_has_its_parameters() {
    train 1 --list-configs && grep -qE '^ *124M +50257 +1024 +12 +12 +768 +124439808$' "$output"
}

gradients() {
    train 1 --batch 2 --check-gradients "$@" && ended &&
        [[ $(grep -cE ' ok$' "$output") -ge 130 ]] && ! grep -q WRONG "$output"
}

# same_losses FILE FILE: CSV files with as many steps and about the same losses.
same_losses() {
    awk -F, -v tolerance="$tolerance" '
        FNR == 1 { next }
        NR == FNR { loss[$1] = $2; steps++; next }
        { others++; d = $2 - loss[$1]; if (!($1 in loss) || $2 !~ /^[0-9.]+$/ || d > tolerance || -d > tolerance) bad++ }
        END { exit bad || steps < 2 || steps != others }' "$1" "$2"
}

# equals_one_rank RANKS MODE OPTIONS...
equals_one_rank() {
    train "$1" --batch $((12 / $1)) --steps 12 --exchange "$2" --check-replicas \
        --csv "$scratch/many.csv" "${@:3}" || return 1
    ended && same_losses "$scratch/one.csv" "$scratch/many.csv" || return 1
    case $2 in
        partitioned | inplace) carried ;;
        *) ! carried ;;
    esac
}

# goes_on_the_same RANKS MODE: six steps, and three and three.
goes_on_the_same() {
    local common=(--batch 2 --exchange "$2" --partitions 7) whole parts
    train "$1" "${common[@]}" --steps 6 --checkpoint "$scratch/state:3" --csv "$scratch/a.csv" ||
        return 1
    whole=$(hash_of_parameters)
    train "$1" "${common[@]}" --steps 3 --checkpoint "$scratch/half" --csv "$scratch/b.csv" ||
        return 1
    train "$1" "${common[@]}" --steps 3 --resume "$scratch/half" --csv "$scratch/b.csv" || return 1
    parts=$(hash_of_parameters)
    [[ -n $whole && $whole == "$parts" ]] &&
        cmp <(cut -d, -f1,2 "$scratch/a.csv") <(cut -d, -f1,2 "$scratch/b.csv")
}

same_for_any_threads() {
    local one
    train 1 --batch 3 --steps 4 --kernels plain --threads 1 || return 1
    one=$(hash_of_parameters)
    train 1 --batch 3 --steps 4 --kernels plain --threads 3 || return 1
    [[ -n $one && $(hash_of_parameters) == "$one" ]]
}

samples() {
    train 2 --batch 4 --steps 4 --sample 200 --exchange inplace --overlap-report && ended &&
        grep -qx '# sample of 200 bytes, temperature 0.8:' "$output" &&
        grep -q '^# overlap on rank 0, means of 3 steps' "$output"
}

# refuses PATTERN OPTIONS...: with a message and a status, and without hanging.
refuses() {
    local status=0
    train "${ranks:-1}" "${@:2}" || status=$?
    ((status != 0 && status != 124)) && grep -qE -- "$1" "$output"
}

refuses_bad_lines() {
    refuses '--steps: "x" is not a whole number' --steps x &&
        refuses '--batch: "0" is not a whole number from 1' --batch 0 &&
        refuses 'no configuration "huge"' --config huge &&
        refuses 'no mode "fast"' --exchange fast &&
        refuses 'has 64 positions, not 65' --context 65 &&
        refuses '--partitions: 40000 are more' --partitions 40000 &&
        refuses '--rate: "-1" is not a number' --rate -1 &&
        refuses '--bogus is not an option' --bogus &&
        refuses ' -steps is not an option' -steps 3 &&
        refuses 'unexpected word "word"' word &&
        refuses '--checkpoint: "often" is not a whole number' --checkpoint "$scratch/x:often" &&
        ranks=2 refuses 'none is for one rank, and there are 2' --exchange none
}

refuses_bad_files() {
    printf 'short' >"$scratch/short"
    train 1 --batch 2 --steps 1 --checkpoint "$scratch/good" || return 1
    head -c 5000 "$scratch/good" >"$scratch/cut"
    {
        head -c 5000 "$scratch/good"
        printf '\377\377'
        tail -c +5003 "$scratch/good"
    } >"$scratch/bent"
    refuses 'cannot read the data /nowhere' --data /nowhere &&
        refuses 'must be a file of more than 32 bytes' --data "$scratch/short" &&
        refuses 'cannot read the checkpoint /nowhere' --resume /nowhere &&
        refuses 'is no checkpoint' --resume "$data" &&
        refuses 'is too short' --resume "$scratch/cut" &&
        refuses 'is damaged' --resume "$scratch/bent" &&
        refuses 'of configuration tiny, not of 1M' --resume "$scratch/good" --config 1M &&
        refuses 'cannot write /nowhere/x' --csv /nowhere/x &&
        refuses 'cannot write the checkpoint /nowhere/x' --steps 1 --checkpoint /nowhere/x
}

refuses_other_component() {
    part=persist ranks=2 refuses 'Is part/ucx in use' --exchange inplace
}

check 'the text is tinyshakespeare' data_is_the_original
check 'GPT-2 has 124439808 parameters' gpt2_has_its_parameters
check 'gradients are the slopes of the loss' gradients
check 'gradients are the slopes of the loss, without CBLAS' gradients --kernels plain
check 'one rank with the combined batch' train 1 --batch 12 --steps 12 --csv "$scratch/one.csv"
for ranks_of_job in 2 3 4; do
    for mode in blocking layers partitioned inplace; do
        check "$mode with $ranks_of_job ranks: the same losses, the same bits everywhere" \
            equals_one_rank "$ranks_of_job" "$mode"
    done
done
check 'one partition' equals_one_rank 2 partitioned --partitions 1
check 'partitions of nothing but padding' equals_one_rank 3 inplace --partitions 1000
check 'the optimizer waits for the end of the backward pass' \
    equals_one_rank 2 inplace --optimizer late
check 'a training goes on where it was saved: one rank' goes_on_the_same 1 none
check 'the same with partitioned, 2 ranks' goes_on_the_same 2 partitioned
check 'the same with inplace, 3 ranks' goes_on_the_same 3 inplace
check 'the same bits for any number of threads' same_for_any_threads
check 'sample and report of the overlap' samples
check 'wrong command lines are refused' refuses_bad_lines
check 'files that cannot be used are refused' refuses_bad_files
check 'a job without part/ucx is told so' refuses_other_component

tap_end
