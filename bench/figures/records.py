# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What has been measured already: one file per finished run in OUT/cache, found again by what the
run was: its command, its turn, the versions and the sources."""

import glob
import hashlib
import json
import os


def key_of(facts):
    """A short name for a dictionary of facts."""
    text = json.dumps(facts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Records:
    """The folder of them."""

    def __init__(self, out):
        self.cache = os.path.join(out, "cache")
        self.logs = os.path.join(out, "logs")
        os.makedirs(self.cache, exist_ok=True)
        os.makedirs(self.logs, exist_ok=True)

    def discard(self, cases):
        for case in cases:
            for folder in (self.cache, self.logs):
                for path in glob.glob(os.path.join(folder, f"{glob.escape(case.name)}--*")):
                    os.unlink(path)

    def discard_all(self):
        for folder in (self.cache, self.logs):
            for path in glob.glob(os.path.join(folder, "*")):
                os.unlink(path)

    @staticmethod
    def stem(case, contender, rep, key):
        return f"{case}--{contender}--{rep + 1}--{key}"

    def find(self, stem):
        try:
            with open(os.path.join(self.cache, stem + ".json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def keep(self, stem, record):
        path = os.path.join(self.cache, stem + ".json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
        os.replace(path + ".new", path)

    def log(self, stem):
        return os.path.join(self.logs, stem + ".log")
