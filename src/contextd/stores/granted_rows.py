"""A grant as SQL: which rows a view may read and write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from contextd.domain.access import Grant, Verb
from contextd.domain.kind import AREAS, Area
from contextd.domain.kinds import area_of, kinds_in
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd_code.dataclass import dataclass
from contextd_code.errors import Denied

SPECIAL = tuple(kind for area in AREAS if area != "knowledge" for kind in kinds_in(area))
"""Kinds with an area of their own; all others, including user-defined ones, are knowledge."""

_NEARER = {"project": 0, "team": 1, "org": 2}


@dataclass(frozen=True, slots=True)
class Slice:
    """Scopes in which the same kinds are requested: `kinds`, or all except `without`."""

    scopes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def has(self, kind: str) -> bool:
        """Whether a kind is requested."""
        return kind in self.kinds if self.kinds else kind not in self.without


class Reach:
    """What one grant can reach."""

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
            clause = f"scope IN ({_marks(part.scopes)})"
            values += part.scopes
            if part.kinds:
                clause += f" AND kind IN ({_marks(part.kinds)})"
                values += part.kinds
            elif part.without:
                clause += f" AND kind NOT IN ({_marks(part.without)})"
                values += part.without
            clauses.append(f"({clause})")
        return f"({' OR '.join(clauses)})" if clauses else "0", values

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
    ordered = sorted(several, key=lambda r: (_NEARER[r.scope.level], str(r.scope)), reverse=True)
    return {record.id: record for record in ordered}


def _ordered(scopes: Iterable[Scope]) -> tuple[str, ...]:
    return tuple(sorted(map(str, scopes)))


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
