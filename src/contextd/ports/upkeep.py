"""What looking after a store needs: the time, checks, repairs and backups."""

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
    """Tells the time."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        ...


class Upkeep(Protocol):
    """Looking after a whole store. Its rows say whose they are."""

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; empty when it is sound. Reads all of it."""
        ...

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """Per scope, what must be equal to what; of all scopes when none are named. Counts only."""
        ...

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """Up to `limit` rows on each side of what is not in balance in a scope."""
        ...

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """Have these sessions say how many events they have."""
        ...

    def rebuild(self, scope: Scope) -> None:
        """Forget everything derived from records, messages and code of a scope, but the vectors."""
        ...

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """Forget the vectors of `model` that are not of so many dimensions, so that they are made anew."""
        ...

    def retire(self, ages: Ages) -> dict[str, int]:
        """Drop rows that are older than they need to be; how many of each sort."""
        ...

    def waiting(self, model: str) -> dict[Scope, int]:
        """How many documents of each scope have no vector of `model`."""
        ...

    def failed_jobs(self, limit: int) -> list[Job]:
        """Jobs that failed for good, latest first: of every scope, and of what is none."""
        ...

    def idle_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Active sessions of every scope that have not ended and were last seen before that."""
        ...

    def rested_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Completed sessions of every scope that were last seen before that."""
        ...

    def next_idle(self) -> datetime | None:
        """When the active session that was seen longest ago was last seen."""
        ...

    def note(self, by_products: ByProducts) -> None:
        """Log what calls left behind, each for its scope. Records and sessions that are not there any
        more are ignored.
        """
        ...

    def backup(self, target: Path) -> None:
        """Write a consistent copy to `target` while others go on reading and writing."""
        ...
