"""What a user asked to be held is told at the start, whatever else was noted meanwhile."""

from __future__ import annotations

from pathlib import Path

from support.clients import CodingClient
from support.desks import Desk

RULE = "Rule: we never use float for money, always integer cents."
NOTES = (
    "The warehouse sends its stock levels at six in the morning",
    "Orders get their number from a sequence, without gaps",
    "Customers of business accounts pay within thirty days",
    "Product pictures are kept in four sizes",
    "The search page asks the replica, not the primary database",
    "Mail goes through a queue with three workers",
    "Coupons expire at midnight of the shop's time zone",
    "The tax of books is seven percent",
    "Logs are kept for ninety days",
    "Exports are written as CSV with a byte order mark",
    "Returns need a photograph of the parcel",
    "Carts are forgotten after two weeks",
    "Translations are loaded at start and never again",
    "Gift cards have no owner until they are used",
    "Suppliers are paid on the first Tuesday of a month",
)


def test_fifteen_fresh_notes_do_not_crowd_out_a_rule_of_the_user(
    desk: Desk, tmp_path: Path
) -> None:
    first = CodingClient(desk, tmp_path)
    first.starts()
    first.asks(f"{RULE} Please add the discount function.")
    first.edits("shop/pricing.py")
    first.answers("The discount is there.")
    first.ends()
    second = CodingClient(desk, tmp_path)
    second.starts()
    second.asks("Now the pages of the shop, please.")
    second.answers("They are there.")
    second.ends()
    for note in NOTES:
        desk.as_owner("remember", content=note)
    told = CodingClient(desk, tmp_path).starts()
    assert "## Where the work stands" in told
    held = told.partition("## Always\n")[2].partition("\n## ")[0]
    assert RULE in held
    assert sum(note in told for note in NOTES) >= 1
