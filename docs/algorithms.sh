#!/usr/bin/env bash
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The table of algorithms of collectives.md, from the rows in the sources, in the order of
# COLL_PSCHEDULE_ALGORITHMS. docs/check.sh compares it with what the document says.
#
#   docs/algorithms.sh             print it
#   docs/algorithms.sh --write     put it into collectives.md
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$here/../ompi/mca/coll/pschedule

# The names of the collectives, in order; then the rows: one line "field=value" per field.
fields() {
    sed -nE 's/^ +DO\(([A-Z_]+),.*/collective \1/p' "$folder/plan/coll_pschedule_each.h"
    sed -nE 's/^ +ROW\(([a-z_]+)\).*/row \1/p' "$folder/algorithms/coll_pschedule_algorithms.h"
    awk '
        /^const mca_coll_pschedule_algorithm_t mca_coll_pschedule_/ {
            name = $3; sub(/^mca_coll_pschedule_/, "", name); inside = 1; next }
        inside && /^ +\./ { line = $0 }
        inside && /^ +"/ { sub(/^ +/, ""); sub(/" *$/, "", line); line = line substr($0, 2) }
        inside && /[,;]$/ {
            split(line, half, " = "); sub(/^ +\./, "", half[1])
            value = line; sub(/^[^=]*= /, "", value); gsub(/(COLL_PSCHEDULE_|"|,$|};$)/, "", value)
            print "field", name, half[1], value }
        /};$/ { inside = 0 }' "$folder"/algorithms/coll_pschedule_*_*.c
}

table() {
    fields | awk '
    $1 == "collective" { number[$2] = ++collectives; spelled[collectives] = tolower($2) }
    $1 == "row" { order[++rows] = $2 }
    $1 == "field" { value = $0; sub(/^field [^ ]+ [^ ]+ /, "", value); row[$2, $3] = value }
    END {
        words["COMMUTATIVE"] = "operator commutes"
        words["UNIFORM"] = "equal contributions"
        words["SHARES"] = "memory that the ranks share (one host)"
        words["NESTED"] = "several hosts, one with several ranks"
        words["CROWDED"] = "several hosts, one with several ranks; or one whose ranks outnumber its processors"
        words["FOLLOWING"] = "hosts of consecutive ranks"
        words["CONTIGUOUS"] = "ordered operators: hosts of consecutive ranks"
        print "| collective | algorithm | what it does | only for | scratch memory of a rank |"
        print "|---|---|---|---|---|"
        for (i = 1; i <= rows; i++) {
            r = order[i]
            served = ""
            for (k = number[row[r, "collective"]]; k <= number[row[r, "last"]]; k++)
                served = served (served == "" ? "" : ", ") spelled[k]
            n = split(row[r, "limits"], limit, / *\| */)
            words["STEPS"] = row[r, "limits"] ~ /NESTED/ ? "up to 65536 hosts" : "up to 65537 ranks"
            only = ""
            for (k = 1; k <= n; k++)
                if (limit[k] in words) only = only (only == "" ? "" : ", ") words[limit[k]]
            printf "| %s | `%s` | %s | %s | %s |\n", served, row[r, "name"],
                row[r, "description"], only == "" ? "-" : only, row[r, "memory"]
        }
    }'
}

if [[ ${1:-} == --write ]]; then
    new=$(awk -v table="$(table)" '
        /^\| collective \| algorithm \|/ { print table; inside = 1 }
        !/^\|/ { inside = 0 }
        !inside { print }' "$here/collectives.md")
    printf '%s\n' "$new" >"$here/collectives.md"
else
    table
fi
