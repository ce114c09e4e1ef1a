"""Which code indexes a project has."""

from __future__ import annotations

from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CheckoutKey:
    """A checkout of a project, identified by the path of its root. Each has its own code index."""

    scope: Scope
    root: str


@dataclass(frozen=True, slots=True)
class IndexedCheckout:
    """A checkout with a code index: its root and the number of indexed files."""

    root: str
    files: int
