"""The checkout that a view is bound to: its files, and the code documents that belong to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contextd.domain.checkout_keys import CheckoutKey, IndexedCheckout
from contextd.domain.scope import Scope
from contextd.stores.database import Database
from contextd.stores.index_parts import IndexPart
from contextd.stores.sql_conditions import placeholders

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT = "SELECT no FROM checkouts WHERE scope = ? AND root = ?"
_LATEST = "SELECT no FROM checkouts WHERE scope = ? ORDER BY indexed DESC, no DESC LIMIT 1"
_VERSIONS = "SELECT no, version FROM checkouts WHERE scope = ? ORDER BY no"
_ELSEWHERE = """SELECT docs.no FROM docs WHERE part = ?1
    AND id IN (SELECT id FROM chunks WHERE content IN (SELECT no FROM contents WHERE scope = ?2
        AND NOT EXISTS (SELECT 1 FROM files WHERE files.content = contents.no AND checkout = ?3)))
    AND NOT EXISTS (SELECT 1 FROM chunks JOIN files ON files.content = chunks.content
        AND checkout = ?3 WHERE chunks.id = docs.id)"""

Known = tuple[tuple[int, ...], "NDArray[np.int64]"]
"""The versions of a part and its checkouts, and the documents hidden at those versions."""


class Checkouts:
    """The checkouts of a store's projects, for one view."""

    def __init__(self, database: Database, place: CheckoutKey | None) -> None:
        self._database, self.place = database, place

    def number(self, scope: Scope) -> int:
        """The checkout of a project whose files a view sees; 0 for none."""
        if self.place is not None and self.place.scope == scope:
            return int(self._database.value(_AT, (str(scope), self.place.root)) or 0)
        return int(self._database.value(_LATEST, (str(scope),)) or 0)

    def numbers(self, scopes: Sequence[str]) -> list[int]:
        """The visible checkouts of those scopes that have any."""
        rows = self._database.rows(
            f"SELECT DISTINCT scope FROM checkouts WHERE scope IN ({placeholders(scopes)})",
            tuple(scopes),
        )
        found = (self.number(Scope.parse(scope)) for (scope,) in rows)
        return [number for number in found if number]

    def all(self, scope: Scope) -> list[IndexedCheckout]:
        """See `Files.checkouts`."""
        rows = self._database.rows(
            "SELECT root, (SELECT count(*) FROM files WHERE checkout = no) FROM checkouts"
            " WHERE scope = ? ORDER BY indexed, no",
            (str(scope),),
        )
        return [IndexedCheckout(root, files) for root, files in rows]

    def hidden(
        self, part: IndexPart, known: dict[tuple[int, int], Known]
    ) -> NDArray[np.int64] | None:
        """The documents of a part that only other checkouts have, by number; None if none. `known` caches
        the result until the next write.
        """
        if part.family != "code":
            return None
        scope = Scope.parse(part.scope)
        versions = self._database.rows(_VERSIONS, (part.scope,))
        if len(versions) < 2:
            return None
        import numpy as np  # noqa: PLC0415 - 0.13 s

        checkout = self.number(scope)
        clock = self._database.value("SELECT clock FROM parts WHERE no = ?", (part.number,))
        asof = (clock, *(number for row in versions for number in row))
        found = known.get((part.number, checkout))
        if found is None or found[0] != asof:
            rows = self._database.rows(_ELSEWHERE, (part.number, part.scope, checkout))
            found = asof, np.array([number for (number,) in rows], np.int64)
            known[part.number, checkout] = found
        return found[1] if len(found[1]) else None
