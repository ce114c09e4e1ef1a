"""Draws the chart of the README from the first table of docs/results.md.

python tools/draw_chart.py            write docs/images/results.svg
python tools/draw_chart.py --check    fail when the chart differs from the table
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
PAGE, CHART = DOCS / "results.md", DOCS / "images" / "results.svg"

WIDTH, LABELS, ROW, TOP = 860, 430, 46, 52
SCALE = (WIDTH - LABELS - 56) / 100
"""Pixels per percentage point: the axis begins at 0 and ends at 100."""


class Row(NamedTuple):
    """One row of the table: a task, and how well each system does it, in per cent."""

    task: str
    measure: str
    n: str
    ours: float
    baseline: float


def main(arguments: Sequence[str]) -> int:
    """Write or check the chart; returns the exit code."""
    parser = argparse.ArgumentParser(description="Draw docs/images/results.svg.")
    parser.add_argument("--check", action="store_true", help="only compare, and fail on a drift")
    check = parser.parse_args(arguments).check
    drawn = chart(rows(PAGE.read_text("utf-8")))
    if CHART.is_file() and CHART.read_text("utf-8") == drawn:
        return 0
    if check:
        print("docs/images/results.svg differs from docs/results.md: run tools/draw_chart.py")
        return 1
    CHART.write_text(drawn, "utf-8", newline="\n")
    return 0


def rows(page: str) -> list[Row]:
    """The rows of the page's first table, without its head."""
    table = re.search(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert table, "the page has a table"
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]
    ]
    return [Row(task, measure, n, float(ours), float(by)) for task, measure, n, ours, by in cells]


def chart(found: Sequence[Row]) -> str:
    """The SVG: two bars a row, contextd above BM25, in colours that both themes of a forge show."""
    height = TOP + ROW * len(found) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="contextd and BM25 on held-out data">',
        "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.s{fill:#59636e;font-size:11px}"
        ".v{font-weight:600}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>',
        f'<rect x="{LABELS}" y="16" width="12" height="12" rx="2" fill="#4f46c8"/>',
        f'<text x="{LABELS + 18}" y="27">contextd</text>',
        f'<rect x="{LABELS + 96}" y="16" width="12" height="12" rx="2" fill="#b8bec6"/>',
        f'<text x="{LABELS + 114}" y="27">BM25 (keyword search)</text>',
        '<text x="16" y="27" class="v">Right answers found, % of held-out questions</text>',
    ]
    for number, row in enumerate(found):
        y = TOP + ROW * number
        name, _, data = row.task.rstrip(")").partition(" (")
        lines += [
            f'<text x="16" y="{y + 13}">{escape(name)}</text>',
            f'<text x="16" y="{y + 29}" class="s">{escape(data)} · {row.measure} · n = {row.n}</text>',
            _bar(y, row.ours, "#4f46c8", "v"),
            _bar(y + 17, row.baseline, "#b8bec6", "s"),
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _bar(y: int, value: float, colour: str, style: str) -> str:
    length = round(value * SCALE, 1)
    return (
        f'<rect x="{LABELS}" y="{y + 1}" width="{length}" height="14" rx="2" fill="{colour}"/>'
        f'<text x="{LABELS + length + 6:.1f}" y="{y + 12}" class="{style}">{value}</text>'
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
