"""Parts of the index: one family of documents of one scope, each with its own lexicon."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from contextd.domain.query import FAMILIES, Family, Query, family_of
from contextd.stores.database import Database
from contextd.stores.granted_rows import GrantedRows, Slice
from contextd.stores.sql_conditions import placeholders
from contextd_common.dataclass import dataclass


@lru_cache(maxsize=8_192)
def token(field: str, value: str) -> str:
    """One token for a condition, so that a filter is a term of the match."""
    hashed = hashlib.blake2b(value.encode(), digest_size=8, person=field.encode())
    return field[0] + hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A family of documents of one scope, and the kinds in it that a query may see. `clock` and `floor` are of the snapshot
    that it was read in.
    """

    number: int
    scope: str
    family: Family
    clock: int
    floor: int
    asked: Slice


class Parts:
    """The parts of the index that a grant includes."""

    def __init__(self, database: Database, granted: GrantedRows) -> None:
        self._database, self._granted = database, granted

    def of(self, query: Query | None = None) -> list[IndexPart]:
        """The parts that a query searches; all readable ones without a query. A query without kinds
        excludes code and messages.
        """
        found: list[IndexPart] = []
        code_of = str((query and query.code_of) or "")
        for asked in self._granted.slices(query):
            families = _families(asked, named=query is not None)
            rows = self._database.rows(
                "SELECT no, scope, family, clock, floor FROM parts"
                f" WHERE scope IN ({placeholders(asked.scopes)})"
                f" AND family IN ({placeholders(families)}) ORDER BY no",
                (*asked.scopes, *families),
            )
            found += [
                IndexPart(number, scope, family, clock, floor, asked)
                for number, scope, family, clock, floor in rows
                if family != "code" or code_of in ("", scope)
            ]
        return found


def _families(asked: Slice, *, named: bool) -> list[Family]:
    if asked.kinds:
        present = {family_of(kind) for kind in asked.kinds}
        return [family for family in FAMILIES if family in present]
    return ["records"] if named else list(FAMILIES)
