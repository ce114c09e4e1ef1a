"""Two texts side by side, with the words highlighted in which they differ."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup, escape

from contextd.domain.invisible_characters import visible_text

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
