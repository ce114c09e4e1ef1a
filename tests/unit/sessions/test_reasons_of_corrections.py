"""Which corrections of the user tell that a way failed."""

from __future__ import annotations

import pytest

from contextd.sessions.dead_ends import corrected
from contextd.sessions.ledger import LedgerEntry

REQUEST = "give the shop a friendlier header in `header.html`"


def correction(text: str) -> list[LedgerEntry]:
    return [LedgerEntry(sort="correction", text=text, speaker="user", turn=1, worth=2.6)]


@pytest.mark.parametrize(
    "text",
    [
        "revert the header to the old one, it hides the search field on phones",
        "please undo the friendlier header because two customers missed the basket",
    ],
)
def test_a_correction_with_a_reason_makes_its_request_a_dead_end(text: str) -> None:
    [found] = corrected(REQUEST, correction(text))
    assert found.text == f"{REQUEST} → {text}"


def test_a_change_of_mind_makes_none() -> None:
    text = "please revert the navigation bar to using the components/navbar.html"
    assert corrected(REQUEST, correction(text)) == []
