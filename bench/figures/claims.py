# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The paper's claims, and what the numbers say about them."""

import contest

PERCENT = ("saved", "wire")


class Verdict:
    """What one claim came to: texts for a table."""

    def __init__(self, claim):
        self.says = claim["says"]
        self.paper = claim.get("paper_text") or _text(claim, claim.get("paper"))
        self.here = "not run"
        self.holds = "-"

    def row(self):
        return [self.says, self.paper, self.here, self.holds]


def _text(claim, value):
    if value is None:
        return "-"
    if claim["value"] in PERCENT:
        return f"{value:.1f} %"
    if claim["value"] == "ratio":
        return f"{value:.2f} times" if value < 100 else f"{value:.0f} times"
    return "never" if value == float("inf") else f"{value:.3g}{claim.get('unit', '')}"


def place_text(figure, x):
    if "x" in figure:
        return f"{x} {figure['x']}"
    return contest.size_text(x)


def _function(claim, wire):
    """What is made of the value on the left and that on the right."""
    lower = claim.get("better") == "lower"
    if claim["value"] == "ratio":
        return lambda left, right: right / left if lower else left / right
    if claim["value"] == "saved":
        return lambda left, right: 100.0 * (1.0 - left / right)
    if claim["value"] == "number":
        return lambda left, _right: left
    return lambda left, _right: 100.0 * left / wire


def _sizes(claim, numbers, names):
    places = numbers.places(*names)
    if "sizes" not in claim:
        return places
    low, _, high = claim["sizes"].partition(":")
    low, high = contest.parse_size(low), contest.parse_size(high or low)
    return [place for place in places if low <= place <= high]


def _rival(claim, numbers, x):
    """The one on the right; of several, whoever is best there."""
    names = contest.rivals(claim) if "right" in claim else [claim["left"]]
    there = [name for name in names if numbers.median(name, x, claim["column"]) is not None]
    choose = min if claim.get("better") == "lower" else max
    return choose(there, key=lambda name: numbers.median(name, x, claim["column"]), default=None)


def _measure(claim, numbers, wire):
    """(value, low, high, x) at the place that the claim asks for; None without numbers."""
    function = _function(claim, wire)
    found = []
    for x in _sizes(claim, numbers, [claim["left"]]):
        rival = _rival(claim, numbers, x)
        if rival is not None:
            measured = numbers.paired(function, claim["left"], rival, x, claim["column"])
            if measured is not None:
                found.append((*measured, x))
    if not found:
        return None
    at = claim.get("at", "largest")
    if at == "largest":
        return found[-1]
    return (max if at == "best" else min)(found, key=lambda item: item[0])


def _payback(claim, numbers):
    """After how many iterations the left one's longer first iteration is made up for."""
    x = (numbers.places(claim["left"], claim["right"]) or [None])[-1]
    middle = [numbers.median(name, x, column) for column in ("extra", "iteration")
              for name in (claim["left"], claim["right"])]
    if None in middle:
        return None
    cost, gain = middle[0] - middle[1], middle[3] - middle[2]
    if cost <= 0.0:
        return 0.0, 0.0, 0.0, x
    value = cost / gain if gain > 0.0 else float("inf")
    return value, value, value, x


def _apart(claim, numbers):
    """The largest difference between any two contenders, at any x."""
    names = [name for name in numbers.values]
    widest = None
    for x in numbers.places(*names) if len(names) > 1 else []:
        values = [value for name in names for value in
                  numbers.runs(name, x, claim["column"]).values()]
        if values and (widest is None or max(values) - min(values) > widest[0]):
            widest = (max(values) - min(values),) * 3 + (x,)
    return widest


def _holds(claim, value, low, high):
    """"yes", "no", or whether only some of the runs would say so."""
    rule, paper = claim.get("rule"), claim.get("paper")
    if rule is None or paper is None:
        return "-"
    if rule == "about":
        margin = claim["within"]
        good = [abs(number - paper) <= margin for number in (value, low, high)]
    elif rule == "at least":
        good = [number >= paper for number in (value, low, high)]
    else:
        good = [number <= paper for number in (value, low, high)]
    return "yes" if good[0] else "within spread" if any(good) else "no"


def judge(figure, claim, numbers, wire):
    """The verdict on one claim."""
    verdict = Verdict(claim)
    failure = numbers.failures.get(claim.get("left"))
    if claim["value"] == "ran":
        if numbers.values.get(claim["left"]):
            verdict.here, verdict.holds = "it runs", claim.get("if_ran", "-")
        elif failure:
            verdict.here, verdict.holds = failure[0], claim.get("if_failed", "-")
        return verdict
    if claim["value"] == "payback":
        found = _payback(claim, numbers)
    elif claim["value"] == "apart":
        found = _apart(claim, numbers)
    else:
        found = _measure(claim, numbers, wire)
    if found is None:
        verdict.here = failure[0] if failure else "not run"
        return verdict
    value, low, high, x = found
    verdict.here = _text(claim, value)
    if low != high:
        verdict.here += f" [{_number(claim, low)} to {_number(claim, high)}]"
    verdict.here += f", {place_text({**figure, **figure['groups'][claim['group']]}, x)}"
    verdict.holds = _holds(claim, value, low, high)
    return verdict


def _number(claim, value):
    return _text(claim, value).removesuffix(" times").removesuffix(" %")
