# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""How long everything that is still to be run will take: what the same run took before, or else the
guess of the description, corrected by how well the guesses have fitted so far."""

import statistics
import sys


def say(text=""):
    print(text, file=sys.stderr, flush=True)


def duration(seconds):
    return f"{seconds / 60.0:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


class Clock:
    """ahead: (case, contender name) of every run to come."""

    def __init__(self, contenders, ahead):
        self.contenders = contenders
        self.ahead = list(ahead)
        self.known = {}
        self.guessed = 0.0
        self.spent = 0.0

    def guess(self, case, name):
        return case.seconds * self.contenders[name].get("slow", 1.0)

    def learn(self, case, name, wall):
        """From a run of now, or of before."""
        self.known.setdefault((case.name, name), []).append(wall)

    def passed(self, case, name, wall):
        """A run is over; it took so long, 0 if it was left out."""
        self.ahead.remove((case, name))
        if wall > 0.0:
            self.learn(case, name, wall)
            self.guessed += self.guess(case, name)
            self.spent += wall

    def left(self):
        # A few runs do not yet tell how good the guesses are.
        factor = (self.spent + 20.0) / (self.guessed + 20.0)
        total = 0.0
        for case, name in self.ahead:
            known = self.known.get((case.name, name))
            total += statistics.median(known) if known else factor * self.guess(case, name)
        return duration(total)
