# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What measurements say: whether the two ends differ, and to which of them a revision belongs.

A round is one value of every revision that takes part, measured shortly after each other, so that
what changes the machine's speed changes all of them. Values are compared by their ratio."""

import math
import statistics

OUTSIDE = 0.002       # probability that the difference of the ends lies outside of its interval
FEWEST_ENDS = 10      # rounds before the ends are compared
FEWEST = 3            # rounds before a revision is judged
WILD = 2.5            # standard deviations: what is farther away counts as if it were there
MOST_PER_ROUND = 3.0  # of the evidence of one round: one run that something disturbed decides nothing
MAD_TO_SIGMA = 1.4826

UNDECIDED, GOOD, BAD = "undecided", "good", "bad"


def spread(values):
    """A standard deviation that a few wild values do not change much."""
    middle = statistics.median(values)
    return MAD_TO_SIGMA * statistics.median(abs(value - middle) for value in values)


def tamed(values):
    """The values, the wild ones moved in."""
    middle, reach = statistics.median(values), WILD * spread(values)
    return [max(middle - reach, min(middle + reach, value)) for value in values]


def interval(values, outside):
    """Where their mean lies, but for this probability: Student's, by the first terms of its
    quantile's expansion."""
    values = tamed(values)
    normal = statistics.NormalDist().inv_cdf(1.0 - outside / 2.0)
    freedom = len(values) - 1
    student = normal * (1.0 + (normal ** 2 + 1.0) / (4.0 * freedom))
    half = student * statistics.stdev(values) / math.sqrt(len(values))
    middle = statistics.fmean(values)
    return middle - half, middle + half


class Ends:
    """The values of both ends, round by round."""

    def __init__(self):
        self.logs = []  # of bad / good

    def add(self, good, bad):
        self.logs.append(math.log(bad / good))

    def difference(self):
        """The ratio bad / good."""
        return math.exp(self.step())

    def interval(self):
        low, high = interval(self.logs, OUTSIDE)
        return math.exp(low), math.exp(high)

    def differ(self, least):
        """True or False when it is sure that the ratio is farther from 1 than `least`, a share, or
        is not; else None."""
        if len(self.logs) < FEWEST_ENDS:
            return None
        low, high = interval(self.logs, OUTSIDE)
        limit = math.log1p(least)
        if low > limit or high < -limit:
            return True
        return False if -limit < low and high < limit else None

    def step(self):
        """The logarithm of the difference."""
        return statistics.fmean(tamed(self.logs))

    def noise(self):
        """The standard deviation of a value against the middle of both ends of its round. Never so
        small that one round says everything."""
        one = spread(self.logs) / math.sqrt(2.0)
        return max(one * math.sqrt(1.5), abs(self.step()) / 10.0)


def evidence(rounds, ends):
    """For bad (positive) or good, as the logarithm of how many times more probable it is. A round
    is (good, bad, value); the value is that of the revision, which is like one of the ends."""
    step, noise = ends.step(), ends.noise()
    total = 0.0
    for good, bad, value in rounds:
        middle = (math.log(good) + math.log(bad)) / 2.0
        single = step * (math.log(value) - middle) / (noise * noise)
        total += max(-MOST_PER_ROUND, min(MOST_PER_ROUND, single))
    return total


def doubt(weight):
    """The probability that a decision with this evidence is wrong."""
    return 1.0 / (1.0 + math.exp(min(abs(weight), 700.0)))


def needed(wrong):
    """The evidence at which a decision is wrong with this probability."""
    return math.log((1.0 - wrong) / wrong)


def side(rounds, ends, wrong):
    """What a revision is, if it is sure enough."""
    if len(rounds) < FEWEST:
        return UNDECIDED
    weight = evidence(rounds, ends)
    if abs(weight) < needed(wrong):
        return UNDECIDED
    return BAD if weight > 0.0 else GOOD
