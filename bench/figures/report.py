# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""The report as one list of blocks, written twice: as Markdown beside the pictures, and as one HTML
file that holds everything."""

import base64
import html
import os
import re
import shlex
import textwrap

COLUMNS = 100
HEADER = ("<!-- Copyright (c) 2026 The mpix-partitioned authors -->\n"
          "<!-- SPDX-License-Identifier: BSD-3-Clause -->\n")
CSS = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.92rem; display: block;
        overflow-x: auto; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.7rem; text-align: left; }
th { border-bottom: 2px solid #888; }
td.yes { background: #d9ecf7; } td.no { background: #fbe3cd; font-weight: 600; }
img { max-width: 100%; height: auto; }
pre { background: #f4f4f4; padding: 0.6rem; overflow-x: auto; font-size: 0.82rem; }
code { background: #f4f4f4; padding: 0 0.2rem; }
summary { cursor: pointer; color: #0072B2; }
"""


def command_lines(words):
    """A command broken into lines that are not too long, to be pasted into a shell; an option stays
    with its values."""
    groups = []
    for word in words:
        text = word if re.fullmatch(r"[A-Z_0-9]+=\S*", word) else shlex.quote(word)
        if not groups or word.startswith("-") or len(groups[-1]) + len(text) > 60:
            groups.append(text)
        else:
            groups[-1] += " " + text
    lines, line = [], ""
    for text in groups:
        if line and len(line) + len(text) + 3 > COLUMNS - 4:
            lines.append(line + " \\")
            line = "    " + text
        else:
            line = f"{line} {text}" if line else text
    return lines + [line]


class Report:
    """Blocks in the order in which they are read."""

    def __init__(self, folder):
        self.folder = folder
        self.blocks = []

    def heading(self, depth, text):
        self.blocks.append(("heading", depth, text))

    def paragraph(self, text):
        self.blocks.append(("paragraph", " ".join(text.split())))

    def items(self, texts):
        self.blocks.append(("items", texts))

    def table(self, heads, rows):
        self.blocks.append(("table", heads, rows))

    def picture(self, name, text):
        self.blocks.append(("picture", name, text))

    def code(self, summary, lines):
        self.blocks.append(("code", summary, lines))

    # ------------------------------------------------------------ Markdown

    def markdown(self):
        """All of it as one text."""
        return HEADER + "\n".join(getattr(self, f"_md_{block[0]}")(*block[1:])
                                  for block in self.blocks)

    @staticmethod
    def _md_heading(depth, text):
        return f"{'#' * depth} {text}\n"

    @staticmethod
    def _wrapped(text, first="", later=""):
        # A line that begins with a number and a dot, or with a dash, would become a list.
        return textwrap.fill(text, COLUMNS, initial_indent=first, subsequent_indent=later,
                             break_long_words=False, break_on_hyphens=False)

    def _md_paragraph(self, text):
        return self._wrapped(text) + "\n"

    def _md_items(self, texts):
        return "\n".join(self._wrapped(text, "- ", "  ") for text in texts) + "\n"

    @staticmethod
    def _md_table(heads, rows):
        lines = [heads, ["---"] * len(heads)] + rows
        return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |"
                         for line in lines) + "\n"

    @staticmethod
    def _md_picture(name, text):
        return f"![{text}]({name})\n"

    def _md_code(self, summary, lines):
        # As a block of its own: a page shows it, and a reader of the plain text can skip it.
        return f"{self._wrapped(summary)}\n\n```\n" + "\n".join(lines) + "\n```\n"

    # ------------------------------------------------------------ HTML

    def html(self, title):
        """All of it as one page, pictures included."""
        body = "\n".join(getattr(self, f"_html_{block[0]}")(*block[1:]) for block in self.blocks)
        return (f"<!DOCTYPE html>\n{HEADER}<html lang=\"en\"><head><meta charset=\"utf-8\">"
                f"<meta name=\"viewport\" content=\"width=device-width\">"
                f"<title>{html.escape(title)}</title><style>{CSS}</style></head>\n"
                f"<body>\n{body}\n</body></html>\n")

    @staticmethod
    def _inline(text):
        return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))

    def _html_heading(self, depth, text):
        return f"<h{depth}>{self._inline(text)}</h{depth}>"

    def _html_paragraph(self, text):
        return f"<p>{self._inline(text)}</p>"

    def _html_items(self, texts):
        return "<ul>" + "".join(f"<li>{self._inline(text)}</li>" for text in texts) + "</ul>"

    def _html_table(self, heads, rows):
        def cell(text):
            kind = {"yes": " class=\"yes\"", "no": " class=\"no\""}.get(text, "")
            return f"<td{kind}>{self._inline(str(text))}</td>"

        head = "".join(f"<th>{self._inline(text)}</th>" for text in heads)
        body = "".join("<tr>" + "".join(cell(text) for text in row) + "</tr>\n" for row in rows)
        return f"<table><tr>{head}</tr>\n{body}</table>"

    def _html_picture(self, name, text):
        with open(os.path.join(self.folder, name), "rb") as file:
            data = base64.b64encode(file.read()).decode()
        return (f"<p><img alt=\"{html.escape(text)}\" "
                f"src=\"data:image/png;base64,{data}\"></p>")

    def _html_code(self, summary, lines):
        return (f"<details><summary>{self._inline(summary)}</summary>"
                f"<pre>{html.escape(chr(10).join(lines))}</pre></details>")

    # ------------------------------------------------------------ both

    def write(self, title):
        """Writes report.md and report.html."""
        for name, text in (("report.md", self.markdown()), ("report.html", self.html(title))):
            path = os.path.join(self.folder, name)
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path + ".new", path)
