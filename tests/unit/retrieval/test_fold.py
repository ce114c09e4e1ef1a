"""A record is shown in place of the message it was taken from, and of no other one."""

from __future__ import annotations

import pytest

from contextd.domain.query import EVENT
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event
from contextd.search.hits import Hit
from contextd.search.near_duplicates import Told, is_said_by, repeats, told_by
from support.strategies import EPOCH

SAID = "Exports always run in the worker process and never in a request"


def record(session: str) -> Told:
    made = Record(kind="discovery", scope=Scope("a", "b", "c"), content=SAID, session=session)
    return told_by(Hit(made.id, "discovery", (), made))


def message(session: str) -> Told:
    return told_by(
        Hit(f"{session}#3", EVENT, (), Event(type="message", key="k", at=EPOCH, text=SAID))
    )


@pytest.mark.parametrize(
    ("taken_from", "said_in", "hidden"),
    [("s-1", "s-1", True), ("s-1", "s-2", False), ("", "s-1", False), ("", "", False)],
)
def test_only_the_message_of_its_own_session_stands_behind_a_record(
    taken_from: str, said_in: str, hidden: bool
) -> None:
    assert is_said_by(record(taken_from), message(said_in)) is hidden
    assert repeats(message(said_in), record(taken_from)) is hidden
