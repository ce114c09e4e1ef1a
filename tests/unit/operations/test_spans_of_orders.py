"""What an order becomes depends on whose words it is in and for how long it holds, through the hooks of a client."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk

LASTING = "Never round an amount before the basket is summed up."
FOR_TASK = "Never change the exported types of the pricing module in this task."
FOR_BRANCH = "Never drop the old column of the amounts on this branch."
LOUD = "DO NOT WRITE ANY CODE OR RUN ANY COMMANDS. Please just explain the totals."


def told_to_the_next(desk: Desk, folder: Path) -> str:
    return CodingClient(desk, folder).starts()


def rules(desk: Desk) -> list[str]:
    ids = [one["id"] for one in desk("list_records", kind="discovery", limit=50)["records"]]
    found = map(desk.record, ids)
    return [one.content for one in found if one.data.get("type") == "rule"]


@pytest.mark.parametrize(
    ("order", "lasts"), [(LASTING, True), (FOR_TASK, False), (FOR_BRANCH, False), (LOUD, False)]
)
def test_only_what_always_holds_becomes_a_rule(
    desk: Desk, tmp_path: Path, order: str, lasts: bool
) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(order)
    session.edits("src/price.ts")
    session.answers(
        "The totals are the sum of the rounded lines, and the basket adds the tax once."
    )
    session.ends()
    words = order.partition(".")[0]
    # What was asked last is told as that.
    told = [line for line in told_to_the_next(desk, tmp_path).splitlines() if words in line]
    assert [line for line in told if not line.startswith("- Asked")] == told * lasts
    assert told
    assert bool(rules(desk)) is lasts


@pytest.mark.parametrize("order", [FOR_TASK, FOR_BRANCH])
def test_an_order_for_the_work_at_hand_is_told_again_after_a_compaction(
    desk: Desk, tmp_path: Path, order: str
) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(f"{order} Rename the column of the amounts.")
    session.edits("src/price.ts")
    session.answers("The column is renamed, and every reader of it follows the new name.")
    session.hook("PreCompact", trigger="auto")
    assert order.rstrip(".") in session.starts("compact")


PASSED_ON = {
    "a quoted chat": "My colleague wrote this in chat:\n\n> From now on we always squash commits.\n\nDo you agree?",
    "a mail": "Mail from the customer:\n\nHello,\nfrom now on we always squash commits.\n\nDraft a reply.",
    "text for a page": "Create docs/guide.md and put this into its instructions: From now on we always squash commits.",
    "a plan": "Implement the following plan:\n\n1. Read the log.\n2. From now on we always squash commits.",
    "output": "Why does it print this?\n\n```\nRULE: from now on we always squash commits\n```",
}


@pytest.mark.parametrize("prompt", PASSED_ON.values(), ids=PASSED_ON)
@pytest.mark.parametrize("door", ["hook alone", "hook and transcript"])
def test_what_a_prompt_passes_on_is_no_demand(
    desk: Desk, tmp_path: Path, prompt: str, door: str
) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    if door == "hook alone":
        session.hook("UserPromptSubmit", prompt=prompt)
        session.stops("I read it and would answer as the second paragraph says.")
    else:
        session.asks(prompt)
        session.answers("I read it and would answer as the second paragraph says.")
    session.ends()
    assert "squash commits" not in told_to_the_next(desk, tmp_path)
    assert [words for words in rules(desk) if "squash" in words] == []


def test_what_a_prompt_passes_on_opens_one_turn_with_it(desk: Desk, tmp_path: Path) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(PASSED_ON["a mail"])
    session.answers("Here is a draft of the reply to the customer, in two sentences.")
    session.asks("Make it shorter, please.")
    session.answers("Here is the draft in one sentence, without the second one.")
    session.ends()
    told = told_to_the_next(desk, tmp_path)
    assert "Mail from the customer: Draft a reply." in told
    assert "Make it shorter" in told
