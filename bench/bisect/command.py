#!/usr/bin/env python3
# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the commit that made a case slower, or faster, by measuring. bench/bisect.sh says how it is
called."""

import argparse
import os
import re
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "scripts"))

from history import History, HistoryError  # noqa: E402
from search import NoAnswer, Search  # noqa: E402
from turn import WrongUse, interruptible, lock  # noqa: E402
from workshop import Workshop  # noqa: E402

DEFAULT_OUT = os.path.join(os.path.dirname(HERE), "results", "bisect")


def say(text=""):
    print(text, file=sys.stderr, flush=True)


def number_in(low, high):
    def parse(text):
        number = float(text)
        if not low <= number <= high:
            raise ValueError
        return number
    parse.__name__ = f"number from {low:g} to {high:g}"
    return parse


def pattern(text):
    try:
        return re.compile(text).pattern
    except re.error as error:
        raise argparse.ArgumentTypeError(f"no regular expression: {error}") from None


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="bisect.sh", allow_abbrev=False)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--good", required=True)
    parser.add_argument("--bad", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--case", required=True)
    parser.add_argument("--value", type=pattern, default=None)
    parser.add_argument("--least", type=number_in(0.1, 1000.0), default=5.0)
    parser.add_argument("--runs", type=number_in(3, 10000), default=40)
    parser.add_argument("--sure", type=number_in(50.0, 99.9999), default=99.9)
    parser.add_argument("--limit", type=number_in(0.1, 1e6), default=600.0)
    parser.add_argument("--build-limit", type=number_in(0.1, 1e6), default=3600.0)
    parser.add_argument("--first-parent", action="store_true")
    parser.add_argument("--out", default=DEFAULT_OUT)
    options = parser.parse_args(words)
    options.repo = os.path.abspath(options.repo)
    options.out = os.path.abspath(options.out)
    options.least /= 100.0
    options.runs = int(options.runs)
    options.wrong = 1.0 - options.sure / 100.0
    return options


def table(search):
    """Every revision that was looked at, as Markdown."""
    history = search.history
    lines = ["| commit | is | rounds | value / good end |", "|---|---|--:|--:|"]
    for commit in [history.good, *history.suspects([history.good], history.bad)]:
        if commit in search.verdict:
            rounds = search.rounds.get(commit, [])
            ratios = sorted(value / good for good, _, value in rounds)
            middle = f"{ratios[len(ratios) // 2]:.3f}" if ratios else "-"
            end = commit in (history.good, history.bad)
            count = len(search.ends.logs) if end else len(rounds)
            if commit == history.bad:
                middle = f"{search.ends.difference():.3f}"
            name = history.name(commit).replace("|", "\\|")
            lines.append(f"| {name} | {search.verdict[commit]}{' (end)' if end else ''} | {count} "
                         f"| {'1' if commit == history.good else middle} |")
    return "\n".join(lines)


def picture(search, answer, out):
    """Its path, or None where nothing can be drawn."""
    try:
        import picture as drawing  # matplotlib, which not every python3 has
    except ImportError:
        return None
    path = os.path.join(out, "bisect.png")
    drawing.draw(search, answer, path)
    return path


def show(search, answer, out):
    text = table(search)
    with open(os.path.join(out, "bisect.md"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    print(text + "\n")
    path = picture(search, answer, out)
    print(f"picture: {path}" if path else "no picture: this python3 has no matplotlib")
    names = [search.history.name(commit) for commit in answer.first]
    change = search.ends.difference() - 1.0
    what = f"{abs(change):.1%} {'more' if change > 0.0 else 'less'}"
    if len(names) == 1:
        print(f"the first commit with {what}: {names[0]}")
        print(f"wrong with a probability of {answer.wrong:.1e} by the noise that was seen")
        return 0
    print(f"the first commit with {what} is one of these, of which only the last could be judged:")
    for name in names:
        print("  " + name)
    return 1


def main(words):
    options = parse_arguments(words)
    interruptible(signal.SIGHUP)
    history = History(options.repo, options.good, options.bad, options.first_parent)
    with lock(options.out, "bisect.sh"):
        search = Search(history, Workshop(options), options, lambda text: say(f"bisect: {text}"))
        return show(search, search.run(), options.out)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        say("\nbisect.sh: interrupted; builds and values are kept, and the same command goes on")
        sys.exit(130)
    except NoAnswer as error:
        say(f"bisect.sh: {error}")
        sys.exit(1)
    except (HistoryError, WrongUse) as error:
        say(f"bisect.sh: {error}")
        sys.exit(2)
