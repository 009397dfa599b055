# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints, of the reports that sanitizers wrote into files, those that concern this project, each line
# with "# " in front. Open MPI, PMIx and UCX leak and are not instrumented, and suppressions by the
# name of a library would also hide what we allocate in a call that came through it. So a leak is
# ours when a function of ours is anywhere in its stack, or a function of the tests at its top; but
# who calls opal_progress() has nothing to do with what others allocate in it (a message that has
# come and finds no receive, say). A race is ours when one of the accesses was made in our code, but
# for one: Open MPI writes what it receives into the listener's buffer, which tsan.supp forgives by the
# name of the function, and the sanitizer does not always remember the writer's stack. Everything else
# is ours whatever it is.

function ours(frame) {
    return frame ~ /part_ucx_|coll_pschedule|mpix_part|mpix_pbuf|mca_part_ucx\.so|libmpix_partitioned/
}

function of_tests(frame) {
    return frame ~ /\/test\/(mpi|stress|support|unit|helpers)\//
}

# One report: its lines in text, the frames of each stack numbered from #0.
function judge(   i, line, first, own, leak, race, order, access, progress, lost, block, received) {
    leak = text[1] ~ /(Direct|Indirect) leak of/
    race = text[1] ~ /ThreadSanitizer: data race/
    order = text[1] ~ /ThreadSanitizer: lock-order/
    own = !leak && !race && !order
    for (i = 1; i <= lines; i++) {
        line = text[i]
        if (line ~ /(read|write|Read|Write) of size/) access = 1
        if (line ~ /^ *(Location|Mutex|Thread|As if)/) access = block = 0
        if (line ~ /^ *Location is heap block/) block = 1
        if (access && line ~ /failed to restore the stack/) lost = 1
        if (line !~ /^ *#[0-9]+ /) continue
        # The functions of the sanitizer's runtime come first: the caller of malloc is #1.
        first = line ~ /^ *#[01] /
        if (leak && !progress && (ours(line) || (first && of_tests(line)))) own = 1
        if (leak && !own && line ~ / in opal_progress /) progress = 1
        if (race && first && access && (ours(line) || of_tests(line))) own = 1
        if (order && ours(line)) own = 1
        if (block && line ~ /^ *#1 mca_part_ucx_listener_get /) received = 1
    }
    if (race && lost && received) own = 0
    if (own) {
        reports++
        for (i = 1; i <= lines; i++) print "# " text[i]
        print "#"
    }
    lines = 0
}

/^=+$/ { if (lines) judge(); next }
/(Direct|Indirect) leak of/ { if (lines) judge() }
/^==[0-9]+==ERROR: LeakSanitizer/ { next }
/^SUMMARY: AddressSanitizer: [0-9]+ byte\(s\) leaked/ { next }
/^ThreadSanitizer: reported [0-9]+ warnings/ { next }
/^-+$/ || /^Suppressions used/ || /^ *[0-9]+ +[0-9]+ +[^ ]+$/ { next }
/^ *count +bytes +template/ { next }
/^[ \t]*$/ { if (lines && text[1] ~ /leak of/) judge(); next }
{ text[++lines] = $0 }
END {
    if (lines) judge()
    exit(reports > 0)
}
