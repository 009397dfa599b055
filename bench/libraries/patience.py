# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""After how long a run hangs."""

LIMIT = 900  # seconds of a run, at most
LEAST = 15
TIMES = 5  # as long as others of the same library have taken


def operations_of(words):
    """How many a run has: contenders.Contender.words."""
    return words[words.index("--operations") + 1].count(",") + 1


class Patience:
    """What runs have taken tells how long others may take, at the same place, with the same library,
    and as many operations."""

    def __init__(self):
        self.paces = {}  # most seconds for an operation so far

    def limit(self, place, library, words):
        pace = self.paces.get((place, library))
        return LIMIT if pace is None else min(LIMIT, LEAST + TIMES * pace * operations_of(words))

    def learn(self, place, library, words, seconds):
        """A run has come to its end."""
        pace = seconds / operations_of(words)
        self.paces[place, library] = max(pace, self.paces.get((place, library), 0.0))
