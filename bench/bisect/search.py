# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The search for the first commit that is like the bad end. Knows neither git's commands nor how a
value comes to be: it is given a history, and somebody who measures."""

import math
import time

from levels import BAD, FEWEST_ENDS, GOOD, UNDECIDED, Ends, doubt, evidence, side
from workshop import Unusable

USELESS = "useless"  # does not build, or does not run
CHECKS = 3           # of an answer that its own check contradicts


class NoAnswer(Exception):
    """The search cannot begin, or has come to nothing."""


class Answer:
    """first: the first bad commit, or, where some could not be judged, all that it may be.
    wrong: the probability that it is another one."""

    def __init__(self, first, wrong):
        self.first = first
        self.wrong = wrong


class Search:
    """Options: least (share by which the ends must differ), runs (rounds of a revision, at most),
    wrong (probability of a wrong answer). tell(text) is told what happens."""

    def __init__(self, history, workshop, options, tell):
        self.history = history
        self.workshop = workshop
        self.options = options
        self.tell = tell
        self.ends = Ends()
        self.rounds = {}  # commit: [(good, bad, value)]
        self.verdict = {history.good: GOOD, history.bad: BAD}
        self.reasons = {}
        self.turn = 0
        self.seconds = []
        for values in workshop.recorded():
            self._keep(values)

    # ------------------------------------------------------------ rounds

    def _keep(self, values):
        good, bad = values.get(self.history.good), values.get(self.history.bad)
        if good is None or bad is None:
            return
        self.ends.add(good, bad)
        for commit, value in values.items():
            if commit not in (self.history.good, self.history.bad):
                self.rounds.setdefault(commit, []).append((good, bad, value))

    def _round(self, *commits):
        """One value of both ends and of these; the order changes from round to round."""
        order = [self.history.good, *commits, self.history.bad]
        self.turn += 1
        shift = self.turn % len(order)
        order = order[shift:] + order[:shift]
        if self.turn % 2:
            order.reverse()
        begin = time.monotonic()
        values = {commit: self.workshop.measure(commit) for commit in order}
        self.seconds.append((time.monotonic() - begin) / len(order))
        self.workshop.record(values)
        self._keep(values)

    def left(self, steps):
        """A guess of the seconds that so many more steps take, without builds."""
        if not self.seconds:
            return None
        known = [len(rounds) for rounds in self.rounds.values()]
        typical = sum(known) / len(known) if known else 10
        return steps * typical * 3 * sum(self.seconds) / len(self.seconds)

    # ------------------------------------------------------------ the ends

    def compare_ends(self):
        """NoAnswer when they do not differ, or it stays open."""
        for commit in (self.history.good, self.history.bad):
            try:
                self.workshop.build(commit)
            except Unusable as error:
                raise NoAnswer(f"{self.history.name(commit)} {error}") from None
        differ = self.ends.differ(self.options.least)
        while differ is None and len(self.ends.logs) < max(self.options.runs, FEWEST_ENDS):
            try:
                self._round()
            except Unusable as error:
                raise NoAnswer(f"an end {error}") from None
            differ = self.ends.differ(self.options.least)
        low, high = self.ends.interval()
        text = (f"bad is {self.ends.difference():.3f} times good ({low:.3f} to {high:.3f}, "
                f"{len(self.ends.logs)} rounds)")
        if not differ:
            raise NoAnswer(f"the ends do not surely differ by more than {self.options.least:.1%}: "
                           f"{text}" + ("; more --runs may help" if differ is None else ""))
        self.tell(f"the ends differ: {text}")

    # ------------------------------------------------------------ revisions

    def _wrong(self):
        """What one decision may contribute to a wrong answer."""
        count = len(self.history.suspects([self.history.good], self.history.bad))
        return self.options.wrong / (math.log2(count + 1) + 2.0)

    def judge(self, commit, extra=0):
        """Measures until it is sure what a commit is; USELESS where it cannot be measured."""
        try:
            self.workshop.build(commit)
            least = len(self.rounds.get(commit, [])) + extra
            # Many rounds may be known from before.
            most = max(self.options.runs + extra, least)
            while True:
                rounds = self.rounds.get(commit, [])
                found = side(rounds, self.ends, self._wrong())
                if found != UNDECIDED and len(rounds) >= least:
                    return found
                if len(rounds) >= most:
                    return UNDECIDED
                self._round(commit)
        except Unusable as error:
            self.reasons[commit] = str(error)
            return USELESS

    def _describe(self, commit):
        word = self.verdict[commit]
        if word == USELESS:
            return f"skipped, it {self.reasons[commit]}"
        rounds = self.rounds[commit]
        sure = 1.0 - doubt(evidence(rounds, self.ends))
        return f"{word} ({len(rounds)} rounds, {sure:.2%} sure)"

    # ------------------------------------------------------------ the search

    def known(self, word):
        return [commit for commit, found in self.verdict.items() if found == word]

    def oldest_bad(self):
        """Among the bad ones the one that has fewest suspects."""
        good = self.known(GOOD)
        counts = {commit: len(self.history.suspects(good, commit)) for commit in self.known(BAD)}
        # One that a good one comes from was judged wrongly.
        return min((commit for commit, count in counts.items() if count), key=counts.get)

    def next(self, bad):
        """The commit to be judged next, or None."""
        for commit in self.history.by_gain(self.known(GOOD), bad):
            if commit not in self.verdict:
                return commit
        return None

    def narrow(self):
        """Until nothing is left to be judged; returns what may be the first bad commit."""
        while True:
            bad = self.oldest_bad()
            suspects = self.history.suspects(self.known(GOOD), bad)
            commit = self.next(bad)
            if commit is None:
                return suspects
            steps = max(1, math.ceil(math.log2(len(suspects))))
            seconds = self.left(steps)
            self.tell(f"{len(suspects)} suspects, {steps} steps"
                      + (f", about {seconds / 60.0:.0f} min without builds" if seconds else "")
                      + f": {self.history.name(commit)}")
            self.verdict[commit] = self.judge(commit)
            self.tell("  " + self._describe(commit))

    def _judged_again(self, commit, more):
        """Is it still what it was, and sure? With `more` rounds in any case."""
        found = self.judge(commit, more)
        same = found == self.verdict[commit]
        if not same:
            self.tell(f"  {self.history.name(commit)} was {self.verdict[commit]}, and is {found} "
                      "after more rounds")
            self.verdict[commit] = found
        return same

    def _holds(self, first):
        """What the answer rests on is measured anew. Other decisions may have become less sure, as
        the noise is known better now."""
        self.tell("checking " + self.history.name(first))
        bases = [first, *self.history.parents(first)]
        decided = [commit for commit in self.rounds if self.verdict.get(commit) in (GOOD, BAD)]
        return all([self._judged_again(commit, max(3, len(self.rounds[commit]) // 2)
                                       if commit in bases else 0) for commit in decided])

    def run(self):
        """The answer. The search goes on where its check contradicts it."""
        self.compare_ends()
        for _ in range(CHECKS):
            if self._holds(self.narrow()[-1]):
                break
        # What could not be judged may be the one as well.
        return Answer(self.narrow(), self._total_doubt())

    def _total_doubt(self):
        right = 1.0
        for commit, rounds in self.rounds.items():
            if self.verdict.get(commit) in (GOOD, BAD):
                right *= 1.0 - doubt(evidence(rounds, self.ends))
        return 1.0 - right
