# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bandwidth against time: a panel for each contender, the outages shaded."""

import matplotlib.pyplot as plt

import style

SHADE = "#f3d9b1"


def wire(outages, paths, path_rate, end):
    """(times, MB/s) of what the paths that are plugged in carry at most."""
    times, rates = [0.0], [paths * path_rate]
    for outage in outages:
        left = paths - len({path for path, _ in outage.cables})
        times += [outage.at, outage.back]
        rates += [left * path_rate, paths * path_rate]
    return times + [end], rates + [paths * path_rate]


def smooth(rates, reach=2):
    """Means with so many neighbours on either side: messages of a window end together, and the
    bytes of each count as if they had come since the one before."""
    parts = [rates[max(0, i - reach):i + reach + 1] for i in range(len(rates))]
    return [sum(part) / len(part) for part in parts]


def draw_panel(panel, runs, curve):
    """The first run, and the others pale behind it."""
    for nth, run in reversed(list(enumerate(runs))):
        times = [time for time, _ in run["rows"]]
        rates = smooth([rate for _, rate in run["rows"]])
        pale = {} if nth == 0 else {"alpha": 0.25, "linewidth": 0.8, "label": None}
        panel.plot(times, rates, **(curve | pale))
    if runs[0]["reason"]:
        last = runs[0]["rows"][-1][0] if runs[0]["rows"] else 0.0
        panel.annotate(runs[0]["reason"], xy=(last, 0), xytext=(6, 8), textcoords="offset points",
                       fontsize=8, color="#B2182B")


def draw(path, everything, contenders, outages, paths, path_rate):
    names = [name for name, runs in everything.items() if runs]
    end = max([run["rows"][-1][0] for name in names for run in everything[name] if run["rows"]],
              default=outages[-1].back)
    figure, axes = plt.subplots(len(names), 1, figsize=(9.5, 1.0 + 1.55 * len(names)),
                                dpi=style.PICTURE_DPI, sharex=True, squeeze=False)
    figure.subplots_adjust(hspace=0.34)
    look = style.Look(contenders, names)
    for name, panel in zip(names, axes[:, 0]):
        for outage in outages:
            panel.axvspan(outage.at, outage.back, color=SHADE, linewidth=0)
        panel.step(*wire(outages, paths, path_rate, end), where="post", color=style.GREY,
                   linewidth=1.0, linestyle="--")
        draw_panel(panel, everything[name], {"color": look.colour(name), "linewidth": 1.5})
        panel.set_title(contenders[name]["label"], loc="left")
        panel.set_xlim(0, end)
        panel.set_ylim(0, paths * path_rate * 1.16)
        panel.set_yticks([0, 50, 100])
    for outage in outages:
        axes[0][0].annotate(outage.says, xy=((outage.at + outage.back) / 2, 1.0),
                            xycoords=("data", "axes fraction"), xytext=(0, -2), fontsize=8,
                            textcoords="offset points", ha="center", va="top", color=style.GREY)
    figure.supylabel("bandwidth (MB/s, 10\u2076 bytes per second)", fontsize=9.5, x=0.06)
    axes[-1][0].set_xlabel("seconds; shaded: cables are out; dashed: what the others carry at most; "
                           "means of five samples")
    style.save(figure, path)
