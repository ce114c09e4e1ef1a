"""A grant as SQL: which rows a view may read and write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from contextd.domain.access import Grant, Verb
from contextd.domain.kind import AREAS, Area
from contextd.domain.kinds import area_of, kinds_in
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores.rules import nearness
from contextd.stores.sql_conditions import placeholders
from contextd_common.dataclass import dataclass
from contextd_common.errors import Denied

SPECIAL = tuple(kind for area in AREAS if area != "knowledge" for kind in kinds_in(area))
"""Kinds with an area of their own; all others, including user-defined ones, are knowledge."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Scopes in which the same kinds are requested: `kinds`, or all except `without`."""

    scopes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def has(self, kind: str) -> bool:
        """Whether a kind is requested."""
        return kind in self.kinds if self.kinds else kind not in self.without

    @property
    def of_kinds(self) -> tuple[str, tuple[str, ...]]:
        """The kinds as a further condition on `kind`, with its values; empty for all kinds."""
        if self.kinds:
            return f" AND kind IN ({placeholders(self.kinds)})", self.kinds
        if self.without:
            return f" AND kind NOT IN ({placeholders(self.without)})", self.without
        return "", ()

    @property
    def condition(self) -> tuple[str, list[Any]]:
        """The slice as a condition on `scope` and `kind`, with its values."""
        kinds, values = self.of_kinds
        return f"scope IN ({placeholders(self.scopes)}){kinds}", [*self.scopes, *values]


class GrantedRows:
    """What one grant includes."""

    def __init__(self, grant: Grant) -> None:
        self.grant = grant
        self._scopes: dict[Area, frozenset[Scope]] = {area: grant.scopes(area) for area in AREAS}

    def reads(self, scope: Scope, kind: str = "") -> bool:
        """Whether this kind is readable there."""
        return scope in self._scopes[area_of(kind)]

    def among(self, scopes: Iterable[Scope]) -> list[str]:
        """The scopes among these with readable knowledge, in order."""
        return sorted(str(scope) for scope in self._scopes["knowledge"].intersection(scopes))

    def everywhere(self) -> list[str]:
        """All scopes with readable knowledge, in order."""
        return sorted(map(str, self._scopes["knowledge"]))

    @property
    def owner(self) -> str:
        """The owner of a call committed by this view: everything it may write."""
        return " ".join(sorted({str(cell.scope) for cell in self.grant.write}))

    def slices(self, query: Query | None = None) -> list[Slice]:
        """The readable part of a query, as disjoint slices."""
        asked: dict[Area, frozenset[Scope]] = {
            area: scopes if query is None else scopes.intersection(query.scopes)
            for area, scopes in self._scopes.items()
        }
        kinds = tuple(dict.fromkeys(query.kinds)) if query is not None else ()
        if len(set(asked.values())) == 1:
            return [Slice(_ordered(asked["knowledge"]), kinds)] if asked["knowledge"] else []
        found: list[Slice] = []
        for area, scopes in asked.items():
            wanted = tuple(kind for kind in kinds if area_of(kind) == area)
            if not scopes or (kinds and not wanted):
                continue
            if kinds or area != "knowledge":
                found.append(Slice(_ordered(scopes), wanted or kinds_in(area)))
            else:
                found.append(Slice(_ordered(scopes), without=SPECIAL))
        return found

    def condition(self, query: Query | None = None) -> tuple[str, list[Any]]:
        """The slices as an SQL condition on `scope` and `kind`, with its values."""
        clauses: list[str] = []
        values: list[Any] = []
        for part in self.slices(query):
            clause, bound = part.condition
            clauses.append(f"({clause})")
            values += bound
        return f"({' OR '.join(clauses)})" if clauses else "FALSE", values

    def require(self, verb: Verb, scope: Scope, kind: str = "") -> None:
        """Raise `Denied` unless the grant includes the cell of this kind."""
        area = area_of(kind)
        if not self.grant.may(verb, scope, area):
            raise Denied(
                f"{area} in {scope} may not be {'written' if verb == 'write' else 'read'} here",
                "ask an administrator of that scope",
            )


def nearest(records: Iterable[Record]) -> dict[str, Record]:
    """Records by id; if several scopes have an id, the nearer one's."""
    several = list(records)
    found = {record.id: record for record in several}
    if len(found) == len(several):
        return found
    ordered = sorted(several, key=lambda record: nearness(record.scope), reverse=True)
    return {record.id: record for record in ordered}


def _ordered(scopes: Iterable[Scope]) -> tuple[str, ...]:
    return tuple(sorted(map(str, scopes)))
