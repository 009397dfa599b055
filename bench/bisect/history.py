# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The commits of a repository between two revisions, as git orders them. Only reads it."""

import functools
import subprocess


class HistoryError(Exception):
    """The repository, or a revision, cannot be used."""


class History:
    """The commits that are in `bad` and not in `good`. Merges are commits like others: what is
    known of one holds for all that it comes from."""

    def __init__(self, repo, good, bad, first_parent=False):
        self.repo = repo
        self.walk = ["--first-parent"] if first_parent else []
        self._git("rev-parse", "--git-dir")
        self.good = self._commit("--good", good)
        self.bad = self._commit("--bad", bad)
        if self.good == self.bad:
            raise HistoryError("--good and --bad are the same commit")
        if self._run("merge-base", "--is-ancestor", self.good, self.bad).returncode != 0:
            raise HistoryError(f"{self.name(self.bad)} does not come from {self.name(self.good)}: "
                               "no commit between them can have made the difference")

    def _run(self, *words):
        return subprocess.run(["git", "-C", self.repo, *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)

    def _git(self, *words):
        run = self._run(*words)
        if run.returncode != 0:
            raise HistoryError(f"git {words[0]} in {self.repo}: {run.stderr.strip()}")
        return run.stdout

    def _commit(self, option, revision):
        run = self._run("rev-parse", "--verify", "--quiet", "--end-of-options",
                        f"{revision}^{{commit}}")
        if run.returncode != 0:
            raise HistoryError(f"{option}: \"{revision}\" is no revision of {self.repo}")
        return run.stdout.strip()

    @functools.cache
    def name(self, commit):
        """For people: the short name and the title."""
        return self._git("log", "-1", "--format=%h (%s)", commit).strip()

    def parents(self, commit):
        return self._git("rev-list", "--parents", "-1", *self.walk, commit).split()[1:]

    @functools.cache
    def _suspects(self, good, bad):
        return self._git("rev-list", "--topo-order", "--reverse", *self.walk, bad,
                         *(f"^{commit}" for commit in good)).split()

    def suspects(self, good, bad):
        """What may be the first bad commit, oldest first, when these are known to be good and this
        one is the oldest known to be bad."""
        return self._suspects(tuple(good), bad)

    def by_gain(self, good, bad):
        """The same, the one first whose answer leaves fewest suspects, whatever it is."""
        lines = self._git("rev-list", "--bisect-all", *self.walk, bad,
                          *(f"^{commit}" for commit in good)).splitlines()
        return [line.split()[0] for line in lines]
