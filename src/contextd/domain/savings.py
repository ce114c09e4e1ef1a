"""Savings: tokens that folding kept out of an agent's window, as measured."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, get_args

from contextd.domain.sessions import Event, SessionChange
from contextd_common.dataclass import dataclass

Level = Literal["digest", "subagent", "reset", "bookkeeping"]
"""Who kept the tokens out: contextd, a sub-agent of the client, or a restarted window. A subtask in the
same conversation, or a text the agent wrote out itself, saves nothing.
"""

LEVELS: tuple[Level, ...] = get_args(Level)

SAVED = "saved"
"""Marks a session with measurements, so that others need not be read."""


@dataclass(frozen=True, slots=True)
class Saving:
    """One measurement: of `raw` tokens, `kept` entered the window. Text that was returned later has no `raw`."""

    level: Level
    source: str
    raw: int
    kept: int

    @property
    def saved(self) -> int:
        """The tokens that did not enter; 0 for bookkeeping entries."""
        return 0 if self.level == "bookkeeping" else self.raw - self.kept


def saving_change(session: str, saving: Saving, at: datetime, key: str) -> SessionChange:
    """The session change that stores a measurement; a repeated key counts once."""
    data = {"level": saving.level, "source": saving.source, "raw": saving.raw, "kept": saving.kept}
    text = f"{saving.level}, {saving.source}: {saving.raw:,} → {saving.kept:,} tokens"
    event = Event(type="saving", key=f"saving:{key}", at=at, text=text, data=data)
    return SessionChange(id=session, events=(event,), data={SAVED: True})


def savings_in(events: Iterable[Event]) -> list[Saving]:
    """The measurements among these session events."""
    return [
        Saving(
            level=event.data["level"],
            source=str(event.data["source"]),
            raw=int(event.data["raw"]),
            kept=int(event.data["kept"]),
        )
        for event in events
        if event.data.get("level") in LEVELS
    ]


@dataclass(frozen=True, slots=True)
class SavingTotal:
    """The sum of one level and source. `saved` is negative if more tokens came back than were kept out."""

    level: Level
    source: str
    times: int
    raw: int
    kept: int
    saved: int


def totals(savings: Iterable[Saving]) -> list[SavingTotal]:
    """The measurements summed by level and source, in the order of the levels, the largest saving first."""
    rows: dict[tuple[Level, str], list[Saving]] = {}
    for one in savings:
        rows.setdefault((one.level, one.source), []).append(one)
    found = [_total(level, source, members) for (level, source), members in rows.items()]
    return sorted(found, key=lambda row: (LEVELS.index(row.level), -row.saved, row.source))


def _total(level: Level, source: str, members: list[Saving]) -> SavingTotal:
    return SavingTotal(
        level=level,
        source=source,
        times=sum(one.raw > 0 for one in members),
        raw=sum(one.raw for one in members),
        kept=sum(one.kept for one in members),
        saved=sum(one.saved for one in members),
    )


def by_level(rows: Iterable[SavingTotal]) -> dict[str, int]:
    """The savings of each level, at least 0. Text requested back in pieces may exceed the original."""
    saved: dict[str, int] = dict.fromkeys(LEVELS, 0)
    for row in rows:
        saved[row.level] += row.saved
    return {level: max(0, tokens) for level, tokens in saved.items()}
