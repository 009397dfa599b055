# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""How all pictures look: the same colours, markers and lines, sizes on a logarithmic axis in KiB
and MiB, the wire as a dashed line, a legend below that hides nothing."""

import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
from matplotlib.colors import LinearSegmentedColormap, LogNorm  # noqa: E402
from matplotlib.ticker import NullLocator  # noqa: E402
from PIL import Image  # noqa: E402  (matplotlib needs it, too)

import contest  # noqa: E402

# Okabe and Ito's colours, which stay apart for colour-blind readers, without the yellow, which
# disappears on white. Ours are drawn solid, all others broken; markers differ throughout, so that
# the curves stay apart in grey as well. The lengths of these lists have no common factor: where
# there are more contenders than entries, no two have the same colour, marker and line.
BY_PATHS = {"1": ("#56B4E9", "o"), "2": ("#009E73", "s"), "4": ("#0072B2", "D"),
            "8": ("#CC79A7", "^")}
OURS = [("#004D40", "p"), ("#CC79A7", "^"), ("#7A5195", "h"), ("#009E73", "s"), ("#56B4E9", "o")]
OTHERS = ["#999999", "#E69F00", "#D55E00", "#000000", "#8C510A", "#B2182B", "#5E4FA2", "#4D4D4D"]
OTHER_MARKERS = ["v", "P", "X", "*", "<", ">", "d"]
BROKEN = [":", "--", "-.", (0, (5, 1)), (0, (3, 1, 1, 1))]
HATCHES = ["", "///", "xxx", "...", "\\\\\\", "+++", "ooo", "---"]
GREY = "#444444"
GAINS = LinearSegmentedColormap.from_list("gains", ["#D55E00", "#FFFFFF", "#56B4E9"])
PICTURE_DPI = 110

plt.rcParams.update({
    "font.size": 9.5, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True,
})


class Look:
    """Colour, marker, line and hatch of every contender of a figure."""

    def __init__(self, contenders, names):
        ours = [name for name in names if contenders[name].get("needs") == "ucx-bytes"
                and not contenders[name].get("rival")]
        others = [name for name in names if name not in ours]
        self.of = {}
        left = list(OURS)
        for i, name in enumerate(ours):
            # As many paths have the same look in every figure.
            paths = contenders[name].get("mca", {}).get("part_ucx_paths", "4")
            look = BY_PATHS.get(paths)
            if look is None or look in [taken[:2] for taken in self.of.values()]:
                look = left.pop(0) if left else OURS[-1]
            if look in left:
                left.remove(look)
            self.of[name] = (*look, "-", HATCHES[-i % len(HATCHES)])
        for i, name in enumerate(others):
            self.of[name] = (OTHERS[i % len(OTHERS)], OTHER_MARKERS[i % len(OTHER_MARKERS)],
                             BROKEN[i % len(BROKEN)], HATCHES[(i + 1) % len(HATCHES)])

    def colour(self, name):
        return self.of[name][0]

    def curve(self, name):
        """For plot()."""
        colour, marker, line, _ = self.of[name]
        return {"color": colour, "marker": marker, "linestyle": line, "markersize": 5.5,
                "linewidth": 1.6, "markerfacecolor": "white", "markeredgewidth": 1.3}

    def line(self, name):
        """For errorbar()."""
        return self.curve(name) | {"capsize": 2.5, "elinewidth": 0.9}

    def bar(self, name):
        colour, _, _, hatch = self.of[name]
        return {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.0}


def panels(count, ratios=None, levels=False):
    """A row of axes, with room between them for what level() writes."""
    figure, axes = plt.subplots(1, count, figsize=(10.5, 4.2), dpi=PICTURE_DPI, squeeze=False,
                                gridspec_kw={"width_ratios": ratios} if ratios else None)
    figure.subplots_adjust(wspace=0.42 if levels else 0.22)
    return figure, list(axes[0])


def tall_panels(count, rows):
    """Panels side by side with the same rows, whose names stand at the first one."""
    figure, axes = plt.subplots(1, count, figsize=(3.0 + 2.6 * count, 1.2 + 0.62 * rows),
                                dpi=PICTURE_DPI, squeeze=False)
    figure.subplots_adjust(wspace=0.12)
    return figure, list(axes[0])


def size_axis(axes, sizes):
    """Every size is a place on a logarithmic axis; as many have a label as fit."""
    step = max(1, (len(sizes) + 5) // 6)
    shown = sizes[::-1][::step][::-1]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(shown)
    axes.set_xticklabels([contest.size_text(size) for size in shown])
    axes.set_xlim(sizes[0] / 1.3, sizes[-1] * 1.3)


def count_axis(axes, counts):
    """Powers of two, all with a label."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(counts)
    axes.set_xticklabels([str(count) for count in counts])
    axes.set_xlim(counts[0] / 1.3, counts[-1] * 1.3)


def level(axes, value, text="", **kind):
    """A horizontal line with its meaning at its right end, where no curve is."""
    axes.axhline(value, color=GREY, linewidth=1.0, zorder=1, **({"linestyle": "--"} | kind))
    axes.annotate(text, xy=(1.0, value), xycoords=("axes fraction", "data"), xytext=(4, 0),
                  textcoords="offset points", ha="left", va="center", fontsize=8, color=GREY)


def gain_map(axes, gains):
    """A field for each gain, as colour and number: blue is faster, orange slower. Zero and None are
    left empty. Returns what a colour bar shows."""
    values = [[gain or float("nan") for gain in row] for row in gains]
    shown = axes.imshow(values, aspect="auto", cmap=GAINS, norm=LogNorm(0.25, 4.0))
    for y, row in enumerate(gains):
        for x, gain in enumerate(row):
            if gain:
                axes.text(x, y, f"{gain:.2f}" if gain < 10 else f"{gain:.0f}", ha="center",
                          va="center", fontsize=7)
    axes.grid(False)
    axes.tick_params(length=0)
    return shown


def legend(figure, axes, columns=None):
    """Below all panels."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max((len(label) for label in labels), default=10)
    columns = columns or max(1, min(4, len(labels), 150 // (longest + 8)))
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns,
                  frameon=False, fontsize=9)


def save(figure, path):
    """As a PNG file of few colours, which is a third of the size."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight")
    plt.close(figure)
    drawn.seek(0)
    with Image.open(drawn) as image:
        few = image.convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE,
                                            dither=Image.Dither.NONE)  # also those of few dots
        few.save(path, optimize=True)
