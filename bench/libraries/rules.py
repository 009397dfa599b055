# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what repairs slow defaults in the form that a library reads: coll/tuned's file of rules."""

import os

# coll/tuned's numbers of collectives, and how it counts the bytes of a call that moves so many per
# rank: in Open MPI 5.
COLLECTIVES = {"allgather": (0, lambda size, ranks: size * ranks),
               "allreduce": (2, lambda size, ranks: size),
               "alltoall": (3, lambda size, ranks: size),
               "bcast": (7, lambda size, ranks: size),
               "gather": (9, lambda size, ranks: size),
               "reduce_scatter": (13, lambda size, ranks: size * ranks),
               "scatter": (15, lambda size, ranks: size)}


def choose(findings):
    """{operation: [(smallest, largest, rule)]}: at each size what repairs most; neighbouring sizes
    with the same rule put together."""
    best = {}
    for finding in findings:
        if finding.attempt.rule and finding.operation in COLLECTIVES and finding.form == "blocking":
            for size, factor in finding.ratios.items():
                key = (finding.operation, size)
                if key not in best or factor > best[key][0]:
                    best[key] = (factor, finding.attempt.rule)
    chosen = {}
    for operation, size in sorted(best):
        rule, lines = best[(operation, size)][1], chosen.setdefault(operation, [])
        if lines and lines[-1][2] == rule:
            lines[-1] = (lines[-1][0], size, rule)
        else:
            lines.append((size, size, rule))
    return chosen


def _thresholds(lines, step):
    """(size, algorithm, segment) from which each holds; 0: coll/tuned's own choice again."""
    found = [] if lines[0][0] <= 1 else [(0, 0, 0)]
    for i, (low, high, rule) in enumerate(lines):
        found.append((0 if low <= 1 else low, rule["algorithm"], rule["segment"]))
        after = high * step
        if i + 1 == len(lines) or lines[i + 1][0] > after:
            found.append((after, 0, 0))
    return found


def write(path, chosen, ranks, step):
    """The file for communicators of so many ranks."""
    text = [f"{len(chosen)} # collectives"]
    for operation in sorted(chosen, key=lambda name: COLLECTIVES[name][0]):
        number, scale = COLLECTIVES[operation]
        thresholds = _thresholds(chosen[operation], step)
        text += [f"{number} # {operation}", "1 # size of communicators", f"{ranks} # ranks",
                 f"{len(thresholds)} # sizes"]
        text += [f"{scale(size, ranks)} {algorithm} 0 {segment}"
                 for size, algorithm, segment in thresholds]
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    os.replace(path + ".new", path)


def settings(path):
    """The MCA variables with which Open MPI reads the file."""
    return {"coll": "^han,pschedule", "coll_tuned_use_dynamic_rules": "1",
            "coll_tuned_dynamic_rules_filename": path}
