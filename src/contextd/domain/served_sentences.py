"""Identify the sentences that contextd served, so that none is stored as knowledge of its own."""

from __future__ import annotations

from contextd.domain.records import digest
from contextd_common.text.regex import regex

_SENTENCES = regex(r"(?<=[.!?。！？])\s+|\n+")
_WORDS = regex(r"[^\W_]+")


def sentence_digests(text: str) -> list[str]:
    """A digest per distinct sentence of five or more words, ignoring case, spacing, bullets and punctuation."""
    found = (" ".join(_WORDS.findall(s.casefold())) for s in _SENTENCES.split(text))
    return list(dict.fromkeys(digest(s) for s in found if s.count(" ") >= 4))
