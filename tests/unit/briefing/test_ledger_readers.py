"""Every text that is fed from a session's ledger has what stands, and nothing that was taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk

BACK = "Round all basket totals half even in `src/price.ts` from now on."
STANDS = "Amounts must be integer cents in every table of the shop."

Reader = Callable[[Desk, CodingClient], str]


def page(desk: Desk) -> str:
    desk.host.flush()
    return (desk.root / ".context" / "CONTEXT.md").read_text("utf-8")


def after_a_compaction(desk: Desk, session: CodingClient) -> str:
    session.hook("PreCompact", trigger="auto")
    return session.starts("compact")


def with_the_next_prompt(desk: Desk, session: CodingClient) -> str:
    session.hook("PreCompact", trigger="auto")
    return session.asks("Now translate the welcome screen into Danish, please.")


def page_at_a_compaction(desk: Desk, session: CodingClient) -> str:
    after_a_compaction(desk, session)
    return page(desk)


def page_after_the_end(desk: Desk, session: CodingClient) -> str:
    session.ends()
    return page(desk)


def checkpoint(desk: Desk, session: CodingClient) -> str:
    found = desk.as_owner("list_sessions")["sessions"]
    saved = desk("session_checkpoint", text="The form is moved.", session_id=found[0]["id"])
    return str(desk("session_resume", id=saved["checkpoint_id"])["restored_context"])


READERS: list[Reader] = [
    after_a_compaction,
    with_the_next_prompt,
    page_at_a_compaction,
    page_after_the_end,
    checkpoint,
]


@pytest.mark.parametrize("reads", READERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("retracted", [True, False], ids=["retracted", "standing"])
def test_a_reader_of_the_ledger_shows_what_stands_and_not_what_was_taken_back(
    desk: Desk, tmp_path: Path, reads: Reader, retracted: bool
) -> None:
    desk.as_owner("trust")
    desk.as_owner("init")
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(STANDS)
    session.answers("Every amount in `src/tables.ts` is an integer number of cents now.")
    session.asks(BACK)
    session.answers(
        "The basket totals are rounded half even in `src/price.ts` now, once per basket."
    )
    if retracted:
        session.asks("No, scratch that: the basket totals are not to be rounded half even.")
        session.answers("I took it out of `src/price.ts` again and ran the tests of the basket.")
    session.asks("Now move the field city of the customer over to the new form")
    session.answers("The field city is read by `loadCity` in `src/form.ts` now, as the others are.")
    text = reads(desk, session)
    assert "integer cents" in text
    assert ("Round all basket totals" in text) is not retracted
