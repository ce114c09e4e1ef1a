"""Subtasks: isolated work inside a session with its own budget, of which only the final message remains.

Events of the session describe a subtask, and its state is computed from them; nothing else is stored. The
event keys exclude each other: of two callers that open or close the same subtask at once, only one succeeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from contextd.domain.records import new_id
from contextd.domain.sessions import Event
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

BRANCHED = "branched"
"""Marks a session that had a subtask, so that calls of other sessions need not look for one."""

WARNED_FROM = 0.8
"""The share of its budget from which a subtask is asked to finish."""


@dataclass(frozen=True, slots=True)
class Served:
    """One answer charged to a subtask. `about` is what was asked or read."""

    at: datetime
    operation: str
    tokens: int
    about: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask:
    """A subtask as computed from its session's events. Subtasks of a session are numbered from 1.

    `tokens_given` are the tokens it began with. `kinds` are the kinds of document that its searches may
    return, None for all. `message` is what it returned.
    """

    session: str
    number: int
    description: str
    prompt: str
    budget: int
    opened_at: datetime
    tokens_given: int = 0
    agent: str = ""
    kinds: tuple[str, ...] | None = None
    served: tuple[Served, ...] = field(default=())
    returned_at: datetime | None = None
    message: str = ""

    @property
    def id(self) -> str:
        """Its id: names its session and grants no permission."""
        return f"{self.session}.{self.number}"

    @property
    def is_open(self) -> bool:
        """Whether it has not returned yet."""
        return self.returned_at is None

    @property
    def spent(self) -> int:
        """The tokens contextd served to it."""
        return self.tokens_given + sum(one.tokens for one in self.served)

    @property
    def is_spent(self) -> bool:
        """Whether its budget is used up."""
        return self.spent >= self.budget

    @property
    def is_near_its_end(self) -> bool:
        """Whether it should return soon."""
        return self.spent >= WARNED_FROM * self.budget


def subtasks_of(session: str, events: Iterable[Event]) -> list[Subtask]:
    """The subtasks of a session, in order, from its events of that type."""
    found: dict[int, Subtask] = {}
    for event in events:
        step, _, rest = event.key.partition(":")
        number = int(rest.partition(":")[0])
        if step == "open":
            found[number] = _opened(session, number, event)
        elif number in found:
            found[number] = _after(found[number], step, event)
    return list(found.values())


def _opened(session: str, number: int, event: Event) -> Subtask:
    kinds = event.data.get("kinds")
    return Subtask(
        session=session,
        number=number,
        description=str(event.data.get("description", "")),
        prompt=event.text,
        budget=int(event.data.get("budget", 0)),
        tokens_given=int(event.data.get("given", 0)),
        agent=str(event.data.get("agent", "")),
        kinds=None if kinds is None else tuple(map(str, kinds)),
        opened_at=event.at,
    )


def _after(subtask: Subtask, step: str, event: Event) -> Subtask:
    if step == "return":
        return replace(subtask, returned_at=event.at, message=event.text)
    served = Served(
        at=event.at,
        operation=str(event.data.get("operation", "")),
        tokens=int(event.data.get("tokens", 0)),
        about=event.text,
        ids=tuple(map(str, event.data.get("ids", ()))),
    )
    # Answers still in flight when it returned were served as well.
    return replace(subtask, served=(*subtask.served, served))


def opening(subtask: Subtask) -> Event:
    """The event that opens a subtask."""
    data: dict[str, Any] = {
        "description": subtask.description,
        "budget": subtask.budget,
        "given": subtask.tokens_given,
    }
    if subtask.agent:
        data["agent"] = subtask.agent
    if subtask.kinds is not None:
        data["kinds"] = list(subtask.kinds)
    key = f"open:{subtask.number}"
    return Event(type="subtask", key=key, at=subtask.opened_at, text=subtask.prompt, data=data)


def serving(subtask: Subtask, served: Served) -> Event:
    """The event that charges an answer to a subtask."""
    return Event(
        type="subtask",
        key=f"serve:{subtask.number}:{new_id()}",
        at=served.at,
        text=served.about,
        data={"operation": served.operation, "tokens": served.tokens, "ids": list(served.ids)},
    )


def returning(subtask: Subtask, message: str, at: datetime) -> Event:
    """The event that ends a subtask with its message."""
    return Event(type="subtask", key=f"return:{subtask.number}", at=at, text=message)


def session_and_number(id: str) -> tuple[str, int]:
    """The session and the number in a subtask's id; an empty session and 0 for an invalid id."""
    session, dot, number = id.strip().rpartition(".")
    return (session, int(number)) if dot and number.isdecimal() and number.isascii() else ("", 0)


def left_in_parent(subtasks: Sequence[Subtask]) -> int:
    """The tokens that subtasks left in the conversation they were opened in."""
    return sum(count_tokens(one.message) for one in subtasks if not one.is_open)
