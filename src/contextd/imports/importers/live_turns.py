"""Which turns of a conversation are on its live line, in formats whose histories have branches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """How the live line changed: the turns it left, and those it took up again, by the entries that began them."""

    left: tuple[str, ...] = ()
    taken_up: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.left or self.taken_up)


@dataclass(slots=True)
class LiveTurns:
    """The turns on the live line of a history that is cut at its end, by the entries that began them."""

    line: list[str] = field(default_factory=list[str])

    def begun(self, entry: str) -> None:
        """A turn began."""
        if entry not in self.line:
            self.line.append(entry)

    def without_last(self, count: int) -> Step:
        """Drop the last turns."""
        return self._cut(max(0, len(self.line) - max(0, count)))

    def without_from(self, entry: str) -> Step:
        """Drop this turn and all after it; nothing if it is unknown."""
        return self._cut(self.line.index(entry)) if entry in self.line else Step()

    def _cut(self, place: int) -> Step:
        left = tuple(self.line[place:])
        del self.line[place:]
        return Step(left)


@dataclass(slots=True)
class EntryTree:
    """The turns of a history whose entries name their parents.

    Only a prompt can show that the user went back: parallel calls and the client's own entries branch too, within a
    turn. An entry without a known parent (after a compaction, a resumption, or before the part that was read)
    continues the live line.
    """

    line: list[str] = field(default_factory=list[str])
    _turns: dict[str, str] = field(default_factory=dict[str, str])
    _before: dict[str, str] = field(default_factory=dict[str, str])
    _commands: set[str] = field(default_factory=set[str])

    def entered(self, entry: str, parent: str, *, agents: bool = False) -> None:
        """Add an entry that is no prompt. `agents` are the words or acts of the agent."""
        if entry not in self._turns:
            self._turns[entry] = self._turn_of(parent)
        if agents:
            self._commands.discard(self._turns[entry])

    def prompted(self, entry: str, parent: str, *, command: bool = False) -> Step:
        """Add a prompt. A `command` of the client to which no agent answered is in no turn worth telling: a session
        resumed after `/exit` goes on before it.
        """
        if entry in self._turns:
            return Step()
        before = self._turn_of(parent)
        self._turns[entry], self._before[entry] = entry, before
        if command:
            self._commands.add(entry)
        old, self.line = self.line, self._line_to(entry)
        now = set(self.line)
        return Step(self._told(one for one in old if one not in now), self._again(old, entry))

    def _again(self, old: list[str], entry: str) -> tuple[str, ...]:
        known = {*old, entry}
        return self._told(one for one in self.line if one not in known)

    def _told(self, entries: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for one in entries if one not in self._commands)

    def _turn_of(self, parent: str) -> str:
        last = self.line[-1] if self.line else ""
        return self._turns.get(parent, last) if parent else last

    def _line_to(self, entry: str) -> list[str]:
        if self.line and self._before[entry] == self.line[-1]:
            return [*self.line, entry]
        line = [entry]
        while before := self._before.get(line[-1], ""):
            line.append(before)
        return line[::-1]
