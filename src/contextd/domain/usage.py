"""Usage data: queries to the store and served results, recorded as by-products of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One logged read, write or miss. `scope` is the project of the call; None without a project."""

    at: datetime
    action: Literal["read", "write", "update", "delete", "miss"]
    operation: str
    type: str = ""
    record_ids: tuple[str, ...] = ()
    query: str = ""
    agent: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationSummary:
    """Exact totals over all observations, including rotated ones."""

    reads: int = 0
    writes: int = 0
    misses: int = 0
    missed_queries: Mapping[str, int] = field(default_factory=dict[str, int])
    read_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    write_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    agent_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    last_activity: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecordUse:
    """A record that was served, counted once."""

    scope: Scope
    record_id: str


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A sentence that contextd served in a session, by its digest. `session` is empty for calls without one."""

    scope: Scope
    session: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByProducts:
    """By-products of calls: in the commit of the call if it has one, otherwise written soon after it."""

    observations: Sequence[Observation] = ()
    uses: Sequence[RecordUse] = ()
    handed_out: Sequence[HandedOut] = ()

    @property
    def scopes(self) -> set[Scope]:
        """The scopes that these by-products are of."""
        scopes = {one.scope for one in self.observations if one.scope is not None}
        scopes |= {one.scope for one in self.uses}
        return scopes | {one.scope for one in self.handed_out}


NO_BY_PRODUCTS = ByProducts()
