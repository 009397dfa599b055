# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a search: every revision that was measured, against the good end."""

import statistics

import style
from levels import BAD, GOOD

COLOURS = {GOOD: "#0072B2", BAD: "#D55E00"}
MOST_LABELS = 24


def relative(rounds):
    """Values of a revision as multiples of the good end's, each of its round."""
    return [value / good for good, _, value in rounds]


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    cuts = statistics.quantiles(values, n=4, method="inclusive")
    return cuts[0], cuts[2]


def draw(search, answer, path):
    """All revisions from the good end to the bad one, oldest first."""
    history = search.history
    order = [history.good, *history.suspects([history.good], history.bad)]
    place = {commit: i for i, commit in enumerate(order)}
    figure, (axes,) = style.panels(1)
    axes.axhline(1.0, color=COLOURS[GOOD], linewidth=1.0, linestyle="--", label="good end")
    axes.axhline(search.ends.difference(), color=COLOURS[BAD], linewidth=1.0, linestyle="--",
                 label="bad end")
    for commit, rounds in search.rounds.items():
        if commit not in place:
            continue  # measured before, when --good was an older one
        values, colour = relative(rounds), COLOURS.get(search.verdict.get(commit), style.GREY)
        low, high = quartiles(values)
        axes.plot([place[commit]] * len(values), values, ".", color=colour, alpha=0.35,
                  markersize=4)
        axes.plot([place[commit]] * 2, [low, high], color=colour, linewidth=3.0)
        axes.plot(place[commit], statistics.median(values), "o", color=colour, markersize=6)
    unusable = [place[commit] for commit in search.reasons if commit in place]
    if unusable:
        axes.plot(unusable, [1.0] * len(unusable), "x", color=style.GREY,
                  label="could not be measured")
    for i, commit in enumerate(answer.first):
        axes.axvspan(place[commit] - 0.5, place[commit] + 0.5, color="#F0E442", alpha=0.5,
                     label="the first bad commit" if len(answer.first) == 1
                     else "one of these" if i == 0 else None)
    label(axes, search, order, place, answer)
    style.legend(figure, axes)
    style.save(figure, path)


def label(axes, search, order, place, answer):
    """Names of what was measured, as many as fit."""
    shown = [commit for commit in order if commit in search.rounds or commit in answer.first
             or commit in (order[0], order[-1])]
    if len(shown) > MOST_LABELS:
        shown = [order[0], *answer.first[:MOST_LABELS - 2], order[-1]]
    axes.set_xticks([place[commit] for commit in shown])
    axes.set_xticklabels([commit[:7] for commit in shown], rotation=60, fontsize=7.5)
    axes.set_title("commits, oldest first")  # below, names and legend have no room for it
    axes.set_ylabel("value / value of the good end")
    axes.set_xlim(-0.7, len(order) - 0.3)
