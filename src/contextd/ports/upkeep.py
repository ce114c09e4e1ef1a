"""Maintenance of a store: clock, checks, repairs and backups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from contextd.domain.jobs import Job
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.domain.usage import ByProducts


class Clock(Protocol):
    """A clock."""

    def now(self) -> datetime:
        """The current instant, in UTC."""
        ...


class Upkeep(Protocol):
    """Maintenance of a whole store, across scopes."""

    def check(self) -> list[str]:
        """Check all stored data; return problems in words, empty if sound."""
        ...

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """The consistency counts of each scope; of all scopes if none are given. Reads counts only."""
        ...

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """Up to `limit` inconsistent rows of each kind in a scope."""
        ...

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """Correct the stored number of events of these sessions."""
        ...

    def rebuild(self, scope: Scope) -> None:
        """Delete everything derived from records, messages and code of a scope, except vectors."""
        ...

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """Delete vectors of `model` with another number of dimensions, so that they are computed again."""
        ...

    def retire(self, ages: Ages) -> dict[str, int]:
        """Delete expired rows; return the number of each kind."""
        ...

    def waiting(self, model: str) -> dict[Scope, int]:
        """The number of documents without a vector of `model`, per scope."""
        ...

    def failed_jobs(self, limit: int) -> list[Job]:
        """Permanently failed jobs, latest first, of every scope including unknown ones."""
        ...

    def idle_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Active sessions of every scope that were last seen before this instant."""
        ...

    def rested_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Completed sessions of every scope that were last seen before this instant."""
        ...

    def note(self, by_products: ByProducts) -> None:
        """Log by-products of calls, each in its scope. Ignores deleted records and sessions."""
        ...

    def backup(self, target: Path) -> None:
        """Write a consistent copy to `target` during reads and writes."""
        ...
