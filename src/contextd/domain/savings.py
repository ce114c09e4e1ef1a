"""What folding saved: tokens that stood somewhere and never entered an agent's window, as measured."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, get_args

from contextd.domain.dataclass import dataclass
from contextd.domain.sessions import Event, SessionChange

Level = Literal["digest", "subagent", "reset", "bookkeeping"]
"""Who keeps the tokens out: contextd itself, a sub-agent of the client, a window that begins anew. Where
nobody does, as of a subtask in one conversation or a text that the agent wrote out itself, nothing is saved.
"""

LEVELS: tuple[Level, ...] = get_args(Level)

SAVED = "saved"
"""Marks a session in which something was measured, so that those alone are looked through."""


@dataclass(frozen=True, slots=True)
class Saving:
    """One measurement. `raw` tokens stood there, `kept` of them or instead of them entered the window.
    What was given back later has no `raw`.
    """

    level: Level
    source: str
    raw: int
    kept: int

    @property
    def saved(self) -> int:
        """What did not enter; of bookkeeping, nothing."""
        return 0 if self.level == "bookkeeping" else self.raw - self.kept


def saving_change(session: str, saving: Saving, at: datetime, key: str) -> SessionChange:
    """How a session tells of a measurement; one that comes twice under a key counts once."""
    data = {"level": saving.level, "source": saving.source, "raw": saving.raw, "kept": saving.kept}
    text = f"{saving.level}, {saving.source}: {saving.raw:,} → {saving.kept:,} tokens"
    event = Event(type="saving", key=f"saving:{key}", at=at, text=text, data=data)
    return SessionChange(id=session, events=(event,), data={SAVED: True})


def savings_in(events: Iterable[Event]) -> list[Saving]:
    """The measurements among a session's events of that type."""
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
    """All measurements of one level and source together. `saved` is less than nothing where tokens that
    were kept out came back.
    """

    level: Level
    source: str
    times: int
    raw: int
    kept: int
    saved: int


def totals(savings: Iterable[Saving]) -> list[SavingTotal]:
    """The measurements by level and source, in the order of the levels, the largest saving first."""
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
    """What each level saved; 0 where nothing was. What was asked back in pieces may add up to more than
    there was.
    """
    saved: dict[str, int] = dict.fromkeys(LEVELS, 0)
    for row in rows:
        saved[row.level] += row.saved
    return {level: max(0, tokens) for level, tokens in saved.items()}
