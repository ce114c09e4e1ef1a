"""Charts as inline SVG. Horizontal lengths are percentages, so text beside them is not scaled."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

TEXTURES = {"d2": "hatch", "d3": "dots"}
"""Classes of a chart's parts → the pattern drawn over their colour (defined in `base.html`), for readers
who cannot distinguish the colours.
"""


def bar(parts: Sequence[tuple[float, str, str]], total: float, label: str) -> Markup:
    """A stacked bar. `parts` are (amount, class, description); `label` is its text alternative."""
    drawn, at = [], 0.0
    for amount, name, about in parts:
        width = 100 * amount / total if total else 0.0
        if width > 0:
            drawn.append(
                f'<rect class="{escape(name)}" x="{at:.2f}%" width="{max(width, 0.6):.2f}%" height="8">'
                f"<title>{escape(about)}</title></rect>"
            )
        at += width
    return Markup(
        f'<svg class="bar" width="100%" height="8" role="img" aria-label="{escape(label)}">'
        f'<rect class="track" width="100%" height="8"/>{"".join(drawn)}</svg>'
    )


def columns(
    values: Sequence[tuple[str, Sequence[tuple[float, str]]]], label: str, height: int = 120
) -> Markup:
    """Stacked columns, one per (caption, [(amount, class), …]). `label` is the text alternative."""
    most = max((sum(amount for amount, _ in parts) for _, parts in values), default=0) or 1
    step = 100 / max(1, len(values))
    drawn = []
    for place, (caption, parts) in enumerate(values):
        left, base = place * step + step * 0.15, float(height)
        for amount, name in parts:
            tall = amount / most * (height - 4)
            if amount:
                base -= max(tall, 2)
                place_and_size = (
                    f'x="{left:.2f}%" y="{base:.1f}" rx="2" '
                    f'width="{step * 0.7:.2f}%" height="{max(tall, 2) - 0.5:.1f}"'
                )
                drawn.append(f'<rect class="{escape(name)}" {place_and_size}/>')
                if name in TEXTURES:
                    drawn.append(f'<rect fill="url(#{TEXTURES[name]})" {place_and_size}/>')
        drawn.append(
            f'<rect class="hover" x="{place * step:.2f}%" width="{step:.2f}%" height="{height}">'
            f"<title>{escape(caption)}</title></rect>"
        )
    lines = "".join(
        f'<line class="rule" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        for y in (0.5, height / 2, height - 0.5)
    )
    return Markup(
        f'<svg class="columns" width="100%" height="{height}" role="img" '
        f'aria-label="{escape(label)}">{lines}{"".join(drawn)}</svg>'
    )


def ring(share: float, label: str, name: str = "accent", text: str = "") -> Markup:
    """A ring filled to `share`, 0 to 1, with `text` or the percentage inside."""
    around = 2 * 3.14159265 * 42
    filled = around * min(1.0, max(0.0, share))
    # A round cap would draw a dot for zero.
    arc = (
        f'<circle class="{escape(name)}" cx="50" cy="50" r="42" '
        f'stroke-dasharray="{filled:.1f} {around:.1f}" transform="rotate(-90 50 50)"/>'
    )
    return Markup(
        f'<svg class="ring" viewBox="0 0 100 100" width="96" height="96" role="img" '
        f'aria-label="{escape(label)}"><circle class="track" cx="50" cy="50" r="42"/>'
        f'{arc if filled else ""}<text x="50" y="50">{escape(text or f"{round(100 * share)}%")}</text></svg>'
    )
