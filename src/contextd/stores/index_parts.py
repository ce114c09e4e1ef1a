"""Parts of the index: one family of documents of one scope, each with its own lexicon."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from contextd.domain.query import FAMILIES, Family, Query, family_of
from contextd.stores.connection import Database, placeholders
from contextd.stores.granted_rows import Reach, Slice
from contextd.stores.phrase_counts import OCCURRENCES
from contextd_code.dataclass import dataclass


@lru_cache(maxsize=8_192)
def token(field: str, value: str) -> str:
    """One token for a condition, so that a filter is a term of the match."""
    hashed = hashlib.blake2b(value.encode(), digest_size=8, person=field.encode())
    return field[0] + hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A family of documents of one scope, and the kinds in it that a query may see."""

    number: int
    scope: str
    family: Family
    asked: Slice


class Parts:
    """The parts of the index that a grant can reach."""

    def __init__(self, database: Database, reach: Reach) -> None:
        self._database, self._reach = database, reach

    def of(self, query: Query | None = None) -> list[IndexPart]:
        """The parts that a query searches; all readable ones without a query. A query without kinds
        excludes code and messages.
        """
        found: list[IndexPart] = []
        for asked in self._reach.slices(query):
            families = _families(asked, named=query is not None)
            rows = self._database.rows(
                "SELECT no, scope, family FROM parts"
                f" WHERE scope IN ({placeholders(asked.scopes)})"
                f" AND family IN ({placeholders(families)}) ORDER BY no",
                (*asked.scopes, *families),
            )
            found += [IndexPart(number, scope, family, asked) for number, scope, family in rows]
        return found


def _families(asked: Slice, *, named: bool) -> list[Family]:
    if asked.kinds:
        present = {family_of(kind) for kind in asked.kinds}
        return [family for family in FAMILIES if family in present]
    return ["records"] if named else list(FAMILIES)


def carrying(database: Database, part: int, facet: str) -> str:
    """The numbers of a part's documents with a facet, comma-separated: ten times faster than one row each."""
    ask = f"SELECT group_concat(rowid) FROM lexicon_{part} WHERE lexicon_{part} MATCH ?"
    return database.value(ask, (_carries([facet]),)) or ""


def occurring(
    database: Database, part: int, facets: Sequence[str], words: Sequence[str]
) -> list[tuple[int, bytes]]:
    """The numbers of a part's documents that have all the facets and one of the words, with word counts:
    two 32-bit numbers per word, for text and `near` text.
    """
    asked = " OR ".join(f'"{word}"' for word in words)
    return database.rows(
        f"SELECT rowid, {OCCURRENCES}(lexicon_{part}, ?) FROM lexicon_{part}"
        f" WHERE lexicon_{part} MATCH ?",
        (len(facets), f"({_carries(facets)}) AND ({{text near}} : ({asked}))"),
    )


def between(
    database: Database, part: int, word: str, facet: bool, first: int, last: int
) -> list[tuple[int, bytes]]:
    """The documents of a part in a range of numbers that have a word or facet, in the form of `occurring`."""
    asked = _carries([word]) if facet else f'{{text near}} : ("{word}")'
    return database.rows(
        f"SELECT rowid, {OCCURRENCES}(lexicon_{part}, 0) FROM lexicon_{part}"
        f" WHERE lexicon_{part} MATCH ? AND rowid BETWEEN ? AND ?",
        (asked, first, last),
    )


def _carries(facets: Sequence[str]) -> str:
    wanted = " AND ".join(f'"{token("facet", facet)}"' for facet in facets)
    return f"meta : ({wanted})"
