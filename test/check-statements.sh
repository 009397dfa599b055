#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Lays the statements (docs/testing.md: S1 to S52 of the standard, and any after them) beside the test programs: a statement without a
# program, a program without a row in the testlist or in Makefile.am, a row without a program, and a
# program that names a statement other than its own are failures. Prints TAP.
#
#   test/check-statements.sh           check
#   test/check-statements.sh --table   print the table instead
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
document=$here/../docs/testing.md
number=0
failed=0

# report GOOD TEXT [REASON]
report() {
    number=$((number + 1))
    if [[ $1 == yes ]]; then
        echo "ok $number - $2"
    else
        failed=$((failed + 1))
        echo "# $3"
        echo "not ok $number - $2"
    fi
}

# The numbers of the statements in the document: rows "| S7 | ...".
documented() {
    sed -n 's/^| S\([0-9]\{1,2\}\) |.*/\1/p' "$document"
}

# The numbers of the standard's statements, and of all that the document or a program has beside them.
statements() {
    { seq 1 52; documented; sed -n 's/^s\([0-9][0-9]\).*/\1/p' <(sources mpi) | sed 's/^0//'; } | sort -nu
}

# Programs of a statement, by the names of the sources.
programs_of() {
    local file
    for file in "$here"/mpi/s"$(printf '%02d' "$1")"[a-z_]*.c; do
        [[ ! -e $file ]] || basename "$file" .c
    done
}

listed() {
    sed -n 's/^\([a-z0-9_]\{1,\}\) *|.*/\1/p' "$here/$1/testlist" | sort -u
}

# Names of the sources in a folder.
sources() {
    local file
    for file in "$here/$1"/*.c; do
        basename "$file" .c
    done
}

built() {
    sed -n "s/^[[:space:]]*$1\\/\\([csx][0-9][a-z0-9_]*\\).*/\\1/p" "$here/Makefile.am" | sort -u
}

check_statements() {
    local statement programs
    for statement in $(statements); do
        programs=$(programs_of "$statement" | tr '\n' ' ')
        if ! documented | grep -qx "$statement"; then
            report no "S$statement" "S$statement is not in docs/testing.md"
        elif [[ -z $programs ]]; then
            report no "S$statement" "no test/mpi/s$(printf '%02d' "$statement")*.c"
        else
            report yes "S$statement: ${programs% }"
        fi
    done
}

# same FIRST SECOND TEXT: two sorted lists must be equal.
same() {
    local difference
    difference=$(diff <(echo "$1") <(echo "$2") | grep '^[<>]' | tr '\n' ' ') || true
    if [[ -z $difference ]]; then
        report yes "$3"
    else
        report no "$3" "< only first, > only second: $difference"
    fi
}

check_names() {
    local file name first wrong=''
    for file in "$here"/mpi/s[0-9][0-9]*.c; do
        name=$(basename "$file" .c)
        first=$((10#${name:1:2}))
        # The comment at the top begins with its statement.
        grep -m1 -q -E "^ \* S$first(\.| and)" "$file" || wrong+="$name "
    done
    if [[ -z $wrong ]]; then
        report yes "every program says which statement it is for"
    else
        report no "every program says which statement it is for" "not: $wrong"
    fi
}

print_table() {
    local statement
    for statement in $(statements); do
        printf 'S%-3s %s\n' "$statement" "$(programs_of "$statement" | tr '\n' ' ')"
    done
}

if [[ ${1:-} == --table ]]; then
    print_table
    exit 0
fi
check_statements
for folder in mpi coll; do
    same "$(sources $folder)" "$(listed $folder)" \
        "every program of $folder is in its testlist, and the other way round"
    same "$(sources $folder)" "$(built $folder)" \
        "every program of $folder is in Makefile.am, and the other way round"
done
check_names
echo "1..$number"
[[ $failed -eq 0 ]]
