# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Who wins where, as a picture: a field for each operation and size in the colour of who takes least,
the darker the longer the best of the others takes."""

import math
import os

import curves
import style
from matplotlib import colors, patches, pyplot

DARKEST = 4.0  # times as long
WIDTH, HEIGHT = 0.95, 0.42  # of a field, in inches


def _shade(colour, factor):
    """From a light one to the colour itself, on a logarithmic scale."""
    strength = min(math.log(max(factor, 1.0)) / math.log(DARKEST), 1.0)
    share = 0.2 + 0.8 * strength
    return tuple(share * part + (1.0 - share) for part in colors.to_rgb(colour))


def _field(axes, column, row, won, colour, text):
    shade = _shade(colour, won.factor or 1.0)
    axes.add_patch(patches.Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=shade,
                                     edgecolor="white", linewidth=1.5,
                                     hatch=None if won.sure else "////"))
    axes.text(column, row, text, ha="center", va="center", fontsize=8,
              color="white" if sum(shade) < 1.4 else "black",
              bbox={"facecolor": shade, "edgecolor": "none", "pad": 0.8})


def draw(folder, name, title, operations, sizes, cells, labels):
    """cells: {(operation, size): (judge.Winner, text)}; sizes: (bytes, word); labels: {contender:
    text}, in the order of their colours. Returns the file's name."""
    figure, axes = pyplot.subplots(figsize=(1.6 + WIDTH * len(sizes),
                                            1.5 + HEIGHT * len(operations)),
                                   dpi=style.PICTURE_DPI)
    colour = {contender: curves.COLOURS[i % len(curves.COLOURS)]
              for i, contender in enumerate(labels)}
    for row, operation in enumerate(operations):
        for column, (size, _) in enumerate(sizes):
            if (operation, size) in cells:
                won, text = cells[(operation, size)]
                _field(axes, column, row, won, colour[won.contender], text)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(operations) - 0.5, -0.5)
    axes.set_xticks(range(len(sizes)), [word for _, word in sizes])
    axes.set_yticks(range(len(operations)), operations)
    axes.tick_params(length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title)
    handles = [patches.Patch(color=colour[contender], label=text)
               for contender, text in labels.items()]
    handles.append(patches.Patch(facecolor="white", edgecolor=style.GREY, hatch="////",
                                 label="not all runs agree"))
    figure.legend(handles=handles, loc="lower center", ncol=2, frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0.55 / figure.get_figheight(), 1, 1))
    style.save(figure, os.path.join(folder, name))
    return name
