"""The words of a part's documents, as a database stores them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from contextd.stores.document_table import PartSource, Roster

Holders = tuple[NDArray[np.int64], NDArray[np.uint16]]
"""Document numbers, and their counts of a word in text and `near` text: shape (2, documents)."""

MOST_TIMES = np.iinfo(np.uint16).max
"""Maximum count of a word: far smaller counts already agree to four digits of the score."""


class WordTables(Protocol):
    """Reads words and facets of a part. A count is two 32-bit numbers per word: in text and in `near` text."""

    def of_copy(self) -> WordTables:
        """The same tables for the copy of one part, which may keep words that `take` brings."""
        ...

    def source(self, part: int) -> PartSource:
        """The statements that read documents: their first seven columns are those of `Roster.take`, and a length."""
        ...

    def take(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """The copy takes these rows of `source`."""
        ...

    @property
    def kept_bytes(self) -> int:
        """The memory of what `take` keeps."""
        ...

    def length(self, stored: Any) -> int:
        """The words of a document, from the seventh column."""
        ...

    def reading(self, part: int, words: Sequence[str]) -> AbstractContextManager[None]:
        """While this context is open, these words will be read for the first time, in one snapshot and thread."""
        ...

    def holders(self, part: int, word: str) -> Holders:
        """Every document with a word, by number; may include deleted ones."""
        ...

    def carriers(self, part: int, facet: str) -> NDArray[np.int64]:
        """The numbers of the documents with a facet; may include deleted ones."""
        ...

    def between(
        self, part: int, word: str, facet: bool, first: int, last: int
    ) -> list[tuple[int, bytes]]:
        """The documents in a range of numbers that have a word or facet, with counts of the word."""
        ...

    def occurring(
        self, part: int, facets: Sequence[str], words: Sequence[str]
    ) -> list[tuple[int, bytes]]:
        """The documents that have all the facets and one of the words, with counts of each word."""
        ...

    def count(self, part: int, word: str, roster: Roster) -> int:
        """How many documents of the part have a word; `roster` are its documents."""
        ...
