"""Patterns that are tried only where they can match.

Searching for one of fifty phrases takes Python ten microseconds a sentence, finding that none of their
words is there takes one, and a hundred thousand records are read when all are compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

_TOKEN = re.compile(r"[a-z]+|[0-9]")
# Other letters may match ASCII ones where case is ignored, and other digits are digits too.
_PLAIN = re.compile(r"[\x00-\x7f’‘“”–—…→•]*")

DIGIT = " 0 1 2 3 4 5 6 7 8 9 "
"""To be put among the words a phrase needs: any figure."""


PREFIXED = " un- "
"""The same for any word that starts with un or non."""

READINGS = 2_000
"""Texts of which is remembered how they read. That takes 3 to 20 kB for each: 20,000 of them grew to hundreds
of megabytes in a daemon that runs for weeks. All records of a project with three times as many take a
fifth longer to compare than if all were remembered.
"""


@lru_cache(maxsize=1_000)
def tokens(text: str) -> frozenset[str] | None:
    """The runs of letters in a text, folded, and its figures; None where that says too little."""
    if not text.isascii() and not _PLAIN.fullmatch(text):
        return None
    found = set(_TOKEN.findall(text.lower()))
    if any(token.startswith(("un", "non")) for token in found):
        found.add("un-")
    return frozenset(found)


def has(text: str, needs: frozenset[str]) -> bool:
    """Whether the text has one of these words, as far as `tokens` can say."""
    found = tokens(text)
    return found is None or not needs.isdisjoint(found)


class Phrases:
    """A pattern, and the words of which a text must have one for it to match anywhere."""

    def __init__(self, pattern: str, needs: str, flags: re.RegexFlag = re.I) -> None:
        self._source, self._flags = pattern, flags
        self._needs = frozenset(needs.split())

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern itself, compiled at its first use: a start compiles none."""
        return re.compile(self._source, self._flags)

    def possible(self, text: str) -> bool:
        """Whether the text has one of the words."""
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
