# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers: rows that mpi_compare prints, collected over runs, and the file that keeps them."""

import json
import os
import statistics

VERSION = 1
COLUMNS = ("iterations", "mean", "median", "p5", "p95", "worst")
# The column that is compared. Where queues and buckets of a network fill up, three rounds are fast
# and the fourth one pays for them, so the median would tell of a network that is not there.
COMPARED = "mean"


class ResultsError(Exception):
    """A file of results that cannot be read."""


def parse(output):
    """{(operation, form, bytes): {column: value}} of what mpi_compare printed."""
    rows = {}
    for line in output.splitlines():
        words = line.split()
        if len(words) == 4 + len(COLUMNS) and words[0] == "row":
            try:
                rows[(words[1], words[2], int(words[3]))] = {
                    name: float(word) for name, word in zip(COLUMNS, words[4:])}
            except ValueError:
                continue
    return rows


def trials(output):
    """[(operation, form)] that mpi_compare has begun, in this order."""
    found = {}
    for line in output.splitlines():
        words = line.split()
        if len(words) == 5 and words[:2] == ["#", "trial"]:
            found[(words[2], words[3])] = True
    return list(found)


def refusal(output):
    """Why mpi_compare would not begin, or None."""
    for line in output.splitlines():
        if line.startswith("# cannot: "):
            return line.removeprefix("# cannot: ")
    return None


class Series:
    """One row over several runs."""

    def __init__(self, runs=()):
        self.runs = list(runs)

    def column(self, name):
        return [run[name] for run in self.runs]

    def times(self):
        """Of each run."""
        return self.column(COMPARED)

    @property
    def time(self):
        """Of the run in the middle."""
        return statistics.median(self.times())

    def spread(self):
        """How far runs are apart, as a share of the one in the middle."""
        return (max(self.times()) - min(self.times())) / self.time

    def summary(self):
        """Over all runs: the worst is the worst of all, the others are medians."""
        found = {name: statistics.median(self.column(name)) for name in COLUMNS if name != "worst"}
        return dict(found, worst=max(self.column("worst")))


class Results:
    """series[place][contender][(operation, form, bytes)]"""

    def __init__(self, facts=None):
        self.facts = facts or {}
        self.labels = {}
        self.series = {}
        self.failures = []  # (place, contender, reason)

    def add(self, place, contender, rows, turn=None):
        table = self.series.setdefault(place, {}).setdefault(contender, {})
        for key, row in rows.items():
            run = row if turn is None else dict(row, turn=turn)
            table.setdefault(key, Series()).runs.append(run)

    def of(self, place, contender):
        return self.series.get(place, {}).get(contender, {})

    def write(self, path):
        plain = {place: {contender: [[*key, series.runs] for key, series in sorted(table.items())]
                         for contender, table in of.items()}
                 for place, of in self.series.items()}
        data = {"version": VERSION, "facts": self.facts, "labels": self.labels,
                "failures": self.failures, "series": plain}
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(data, file, indent=0)
        os.replace(path + ".new", path)

    @staticmethod
    def file_of(path):
        """A folder's, or the path itself."""
        return path if os.path.isfile(path) else os.path.join(path, "results.json")

    @staticmethod
    def read(path):
        if os.path.isdir(path):
            path = Results.file_of(path)
        try:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
        except OSError as error:
            raise ResultsError(f"{path}: {error.strerror}") from None
        except ValueError:
            raise ResultsError(f"{path} is no file of results") from None
        if not isinstance(data, dict) or data.get("version") != VERSION:
            raise ResultsError(f"{path} is of another version of libraries.sh: "
                               f"{data.get('version') if isinstance(data, dict) else '?'}, "
                               f"not {VERSION}")
        results = Results(data["facts"])
        results.labels = data["labels"]
        results.failures = [tuple(failure) for failure in data["failures"]]
        for place, of in data["series"].items():
            for contender, lines in of.items():
                table = results.series.setdefault(place, {}).setdefault(contender, {})
                for operation, form, size, runs in lines:
                    table[(operation, form, size)] = Series(runs)
        return results
