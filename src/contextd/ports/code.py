"""Storage of code indexes. A store for a team has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contextd.domain.checkout_keys import IndexedCheckout
from contextd.domain.scope import Scope
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import Chunk, SourceFile


class Files(Protocol):
    """The code indexes of the projects that a view reaches."""

    def of(self, scope: Scope) -> CodeIndex:
        """The code index of a project: of the view's checkout, or else of the checkout indexed last. Empty
        for a project out of reach. Other checkouts are not visible.
        """
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in this order; skips unknown ids."""
        ...

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """The files of any checkout with these chunks, one per content."""
        ...

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """The indexed checkouts of the project, the one indexed last at the end."""
        ...
