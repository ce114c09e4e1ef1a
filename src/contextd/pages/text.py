"""How pages write numbers, times and names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from contextd.domain.invisible_characters import visible_text
from contextd.domain.time import age


def number(value: float | int) -> str:
    """`12,345`."""
    return f"{value:,}"


_CAMEL = re.compile(r"(?<=[a-z0-9])[A-Z](?=[a-z])")


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def words(name: str) -> str:
    """A readable form of a code name: `Learn session`, `Bubble id`."""
    text = _CAMEL.sub(lambda found: " " + found[0].lower(), name)
    text = text.replace("_", " ").replace("-", " ")
    return text[:1].upper() + text[1:]


def short(text: str, most: int = 100) -> str:
    """A line of at most `most` characters, cut between words if possible."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > most // 2 else head).rstrip(" ,;:.") + "…"


def span(minutes: int) -> str:
    """A duration: `under a minute`, `12 min`, `3 h 5 min`, `2 days`."""
    if minutes < 1:
        return "under a minute"
    if minutes < 90:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
    return plural(round(minutes / 1440), "day")


def _local(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return None


def ago(iso: str) -> str:
    """How long ago an ISO instant was, `3 h ago`."""
    at = _local(iso)
    return age(at, datetime.now(UTC)) if at else iso


def instant(iso: str) -> str:
    """The time of day of an ISO instant on this machine's clock, `14:05`."""
    at = _local(iso)
    return at.strftime("%H:%M") if at else iso


def day(iso: str) -> str:
    """The day of an ISO instant: `Today`, `Yesterday`, `Tuesday, 17 November`."""
    at = _local(iso)
    if at is None:
        return iso
    today = datetime.now().astimezone().date()
    if at.date() == today:
        return "Today"
    if at.date() == today - timedelta(days=1):
        return "Yesterday"
    text = f"{at:%A}, {at.day} {at:%B}"
    return text if at.year == today.year else f"{text} {at.year}"


def facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A job's result as (name, amount), without empty values."""
    pairs: list[tuple[str, str]] = []
    for name, value in result.items():
        label = name.replace("_", " ").replace("-", " ")
        if isinstance(value, Mapping):
            pairs += [(f"{label} {inner}", text) for inner, text in facts(value)]
        elif isinstance(value, list):
            pairs += [(label, short(", ".join(map(str, value)), 160))] if value else []
        elif isinstance(value, bool):
            pairs += [(label, "yes")] if value else []
        elif value not in (None, "", 0):
            pairs.append(
                (label, number(value) if isinstance(value, int) else short(str(value), 160))
            )
    return pairs


_ALIKE = 0.3
"""If two texts share fewer words, their differences are not highlighted."""

_WORDS = re.compile(r"\s+|[^\s]+")


def compared(dispute: dict[str, Any]) -> dict[str, Any]:
    """Both sides, with the words highlighted that the other side lacks."""
    one, other = (_WORDS.findall(dispute[side]["content"]) for side in ("a", "b"))
    left, right = set(one), set(other)
    if len(left & right) < _ALIKE * max(len(left), len(right)):
        return {"texts": {side: dispute[side]["content"] for side in ("a", "b")}}
    return {"texts": {"a": _marked(one, right), "b": _marked(other, left)}}


def _marked(words: list[str], known: set[str]) -> Markup:
    parts = (
        Markup("<mark>{}</mark>").format(text) if text.strip() and text not in known else text
        for text in words
    )
    return Markup("").join(escape(visible_text(part)) for part in parts)
