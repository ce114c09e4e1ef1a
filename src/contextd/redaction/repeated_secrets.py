"""Secrets known from one text of a record, found in its other texts."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SHORTEST_PART = 6
"""Characters; a shorter part of a secret is likely an ordinary word that the secret contains."""

_SHORTEST_WITHIN = 8
"""Characters; a shorter secret is replaced only where it is the whole text: `admin` may be a password and a
word.
"""

_MIXED = re.compile(r"[a-z][A-Z]|[^\W\d_]\d|\d[^\W\d_]|[^\w\s./:-]")
"""Signs that a text is not a word: an inner capital, digits beside letters, or symbols."""


def without_known(text: str, known: Mapping[str, str]) -> str:
    """The text with the secrets of `known` (secret → replacement) replaced: where the text equals one in any
    case, is part of one, or contains one among other words.
    """
    alone = text.strip().casefold()
    for secret, mark in known.items():
        if alone == secret.strip().casefold() or _is_part(alone, text, secret):
            return mark
    for secret, mark in known.items():
        if len(secret) >= _SHORTEST_WITHIN and secret in text and _MIXED.search(secret):
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", mark, text)
    return text


def _is_part(alone: str, text: str, secret: str) -> bool:
    return (
        len(alone) >= _SHORTEST_PART
        and alone in secret.casefold()
        and _MIXED.search(text) is not None
        and " " not in alone
    )
