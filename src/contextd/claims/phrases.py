"""Patterns that run only on texts that can match.

Searching a sentence for fifty phrases takes Python ten microseconds, checking that none of their words occurs
takes one, and a full comparison reads a hundred thousand records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

_TOKEN = re.compile(r"[a-z]+|[0-9]")
# Other letters may match ASCII ones where case is ignored, and other digits are digits too.
_PLAIN = re.compile(r"[\x00-\x7f’‘“”–—…→•]*")

DIGIT = " 0 1 2 3 4 5 6 7 8 9 "
"""A placeholder among a phrase's words: any figure."""


PREFIXED = " un- "
"""The same for any word that starts with un or non."""

READINGS = 2_000
"""The number of texts whose tokens are cached. Each takes 3 to 20 kB: 20,000 of them grew to hundreds of
megabytes in a daemon that runs for weeks. With three times as many records, a comparison takes only a fifth
longer than with all texts cached.
"""


@lru_cache(maxsize=1_000)
def tokens(text: str) -> frozenset[str] | None:
    """The runs of letters in a text, folded, and its figures; None where they are unreliable."""
    if not text.isascii() and not _PLAIN.fullmatch(text):
        return None
    found = set(_TOKEN.findall(text.lower()))
    if any(token.startswith(("un", "non")) for token in found):
        found.add("un-")
    return frozenset(found)


def has(text: str, needs: frozenset[str]) -> bool:
    """Whether the text may contain one of these words, judging by `tokens`."""
    found = tokens(text)
    return found is None or not needs.isdisjoint(found)


class Phrases:
    """A pattern, and the words of which a text must contain one to match."""

    def __init__(self, pattern: str, needs: str, flags: re.RegexFlag = re.I) -> None:
        self._source, self._flags = pattern, flags
        self._needs = frozenset(needs.split())

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern itself, compiled at first use to keep start-up fast."""
        return re.compile(self._source, self._flags)

    def possible(self, text: str) -> bool:
        """Whether the text contains one of the words."""
        return has(text, self._needs)

    def search(self, text: str) -> re.Match[str] | None:
        """See `re.Pattern.search`."""
        return self.pattern.search(text) if self.possible(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        """See `re.Pattern.match`."""
        return self.pattern.match(text) if self.possible(text) else None

    def findall(self, text: str) -> list[str]:
        """See `re.Pattern.findall`, for a pattern without groups."""
        return self.pattern.findall(text) if self.possible(text) else []

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str) -> str:
        """See `re.Pattern.sub`."""
        return self.pattern.sub(put, text) if self.possible(text) else text

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """See `re.Pattern.finditer`."""
        return self.pattern.finditer(text) if self.possible(text) else iter(())
