# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a comparison of two builds: what their numbers say, and the table. Nothing here runs
anything."""

import statistics

import contest
import tables

LEAST = 0.98  # a row whose whole interval lies below is worse
MOST_WRONG = 0.05  # probability that any row of all is called worse although its builds are equal

WORSE = "**worse**"
FAILED = "**failed**"
NOT_RUN = "not run"
LOOKS_WORSE = "looks worse"
NOT_WORSE = "not worse"
SEEMS_FINE = "seems not worse"
UNCLEAR = "unclear"


class Row:
    """One number of a case: a column of its program, at one size."""

    def __init__(self, case, table, size):
        self.case = case
        self.size = size
        self.column = table["column"]
        self.says = table["says"].format(size=contest.size_text(size))
        self.claim = {"left": case["after"], "right": case["before"],
                      "better": table["better"]}

    def median(self, results, side):
        return results.median(self.case[side], self.size, self.column)

    def ratios(self, results):
        """How many times better the build after is, of runs that followed each other."""
        return contest.paired_ratios(self.claim, results, self.case["before"], self.size,
                                     self.column)


def rows_of(case):
    """In the order of the file: every column at every size."""
    return [Row(case, table, contest.parse_size(size))
            for table in case["row"] for size in case["sizes"]]


def outside_of(rows):
    """What may lie outside the interval of each row, so that all are right together."""
    return MOST_WRONG / max(1, len(rows))


def verdict(ratios, outside):
    """What the ratios of a row say. With too few of them their range is no proof."""
    low, high = contest.median_interval(ratios, outside)
    sure = len(ratios) >= contest.values_for_interval(outside)
    if high < LEAST:
        return WORSE if sure else LOOKS_WORSE
    if low >= LEAST:
        return NOT_WORSE if sure else SEEMS_FINE
    return UNCLEAR


def judge(row, results, outside):
    """(cells of the table, verdict) of a row."""
    nothing = [row.says, "-", "-", "-", "-"]
    if results is None:
        return nothing, NOT_RUN
    for side in ("before", "after"):
        if row.case[side] in results.failures:
            return nothing, f"{FAILED}: {side} {results.failures[row.case[side]]}"
    ratios = row.ratios(results)
    if not ratios:
        return nothing, f"{FAILED}: no numbers"
    low, high = contest.median_interval(ratios, outside)
    middle = [tables.number_text(row.median(results, side)) for side in ("before", "after")]
    return ([row.says, *middle, f"{statistics.median(ratios):.3f}", f"{low:.3f} to {high:.3f}"],
            verdict(ratios, outside))


def is_undecided(case_rows, results, outside):
    """Whether more rounds are needed before some row that looks worse can be called so."""
    return not results.failures and any(
        ratios and verdict(ratios, outside) == LOOKS_WORSE
        for ratios in (row.ratios(results) for row in case_rows))


def markdown(judged):
    """The table of what judge() gave for each row."""
    lines = ["| row | before | after | ratio | interval | verdict |", "|---|--:|--:|--:|--:|---|"]
    lines += ["| " + " | ".join([*cells, word]) + " |" for cells, word in judged]
    return "\n".join(lines)


def is_bad(word):
    return word == WORSE or word.startswith(FAILED)
