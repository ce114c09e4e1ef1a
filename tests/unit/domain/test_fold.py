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


def record(session: str, said: str = SAID) -> Told:
    made = Record(kind="discovery", scope=Scope("a", "b", "c"), content=said, session=session)
    return told_by(Hit(made.id, "discovery", (), made))


def message(session: str, said: str = SAID) -> Told:
    return told_by(
        Hit(f"{session}#3", EVENT, (), Event(type="message", key="k", at=EPOCH, text=said))
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{SAID} of the shop that customers wait for", f"Never {SAID} of the shop that customers wait for"),
        (f"{SAID}, and all of them are written by 5", f"{SAID}, and all of them are written by 6"),
        (f"{SAID} that a customer makes and waits for", f"{SAID} that a customer makes without waits for"),
    ],
)  # fmt: skip
def test_a_negation_or_another_number_is_shown_beside_what_says_nearly_the_same(
    one: str, other: str
) -> None:
    for said, more in ((one, other), (other, one)):
        assert not is_said_by(record("s-1", said), message("s-1", more))
        assert not repeats(message("s-1", more), record("s-1", said))
