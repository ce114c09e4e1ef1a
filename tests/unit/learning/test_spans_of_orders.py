"""What an order becomes depends on whose words it is in and for how long it holds, through the hooks of a client."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk
from support.repositories import git

LASTING = "Never round an amount before the basket is summed up."
FOR_TASK = "Never change the exported types of the pricing module in this task."
FOR_BRANCH = "Never drop the old column of the amounts on this branch."
BESIDE = "Rename the basket please. Jobs must never take longer than ten minutes here."
FEATURE = "In the new dialog, always keep the save button visible. Never mind the colours."
LOUD = "DO NOT WRITE ANY CODE OR RUN ANY COMMANDS. Please just explain the totals."


def told_to_the_next(desk: Desk, folder: Path) -> str:
    return CodingClient(desk, folder).starts()


def rules(desk: Desk) -> list[str]:
    ids = [one["id"] for one in desk("list_records", kind="discovery", limit=50)["records"]]
    found = map(desk.record, ids)
    return [one.content for one in found if one.data.get("type") == "rule"]


@pytest.mark.parametrize(
    ("order", "lasts"), [(LASTING, True), (FOR_TASK, False), (FEATURE, False), (LOUD, False)]
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


def test_a_rule_beside_a_task_is_told_without_the_task(desk: Desk, tmp_path: Path) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(BESIDE)
    session.edits("src/price.ts")
    session.answers("The basket has its new name, and every reader of it follows.")
    session.ends()
    always = told_to_the_next(desk, tmp_path).partition("## Always")[2].partition("\n## ")[0]
    assert "Jobs must never take longer than ten minutes here" in always
    assert "Rename the basket" not in always


def asked_on(desk: Desk, folder: Path, branch: str, order: str) -> str:
    """A session on a branch in which the user orders something; what its agent is told at the start."""
    git(desk.root, "switch", "-q", "-C", branch)
    session = CodingClient(desk, folder)
    told = session.starts()
    session.asks(f"{order} Now rename the column of the amounts in all of its readers.")
    session.edits("src/price.ts")
    session.answers("The column is renamed, and every reader of it follows the new name.")
    session.ends()
    return told


def always_on(desk: Desk, folder: Path, branch: str) -> str:
    git(desk.root, "switch", "-q", branch)
    return told_to_the_next(desk, folder).partition("## Always")[2].partition("\n## ")[0]


def test_an_order_for_a_branch_is_told_on_that_branch_alone(desk: Desk, tmp_path: Path) -> None:
    asked_on(desk, tmp_path, "amounts", FOR_BRANCH)
    assert FOR_BRANCH.rstrip(".") in always_on(desk, tmp_path, "amounts")
    assert "on the branch amounts" in always_on(desk, tmp_path, "amounts")
    git(desk.root, "switch", "-q", "-c", "other")
    assert FOR_BRANCH not in always_on(desk, tmp_path, "other")
    assert FOR_BRANCH not in str(desk("standards_get"))
    assert FOR_BRANCH in always_on(desk, tmp_path, "amounts")


def test_an_order_for_two_branches_is_told_on_both(desk: Desk, tmp_path: Path) -> None:
    asked_on(desk, tmp_path, "amounts", FOR_BRANCH)
    told = asked_on(desk, tmp_path, "labels", FOR_BRANCH)
    assert "## Always" not in told
    git(desk.root, "switch", "-q", "-c", "other")
    on = {name: always_on(desk, tmp_path, name) for name in ("amounts", "labels", "other")}
    assert [name for name, told in on.items() if FOR_BRANCH in told] == ["amounts", "labels"]


def test_an_order_for_a_branch_does_not_end_the_rule_for_all(desk: Desk, tmp_path: Path) -> None:
    here = "Always round an amount before the basket is summed up on this branch."
    asked_on(desk, tmp_path, "main", LASTING)
    asked_on(desk, tmp_path, "amounts", here)
    assert LASTING in always_on(desk, tmp_path, "main")
    assert here not in always_on(desk, tmp_path, "main")
    assert here in always_on(desk, tmp_path, "amounts")


def test_an_order_for_a_branch_without_git_is_for_its_session(desk: Desk, tmp_path: Path) -> None:
    shutil.rmtree(desk.root / ".git")
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(f"{FOR_BRANCH} Rename the column of the amounts.")
    session.edits("src/price.ts")
    session.answers("The column is renamed, and every reader of it follows the new name.")
    session.ends()
    assert rules(desk) == []


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
    "the list of a team": "The security team's checklist:\n- From now on we always squash commits.\n\nDo we?",
    "minutes in German": "Mach Tickets aus dem Protokoll:\n\nAnna: ab jetzt machen wir immer squash commits.\nBen: gut.\nAnna: Login ist kaputt.",
    "an answer in Chinese": "ChatGPT给了我这个回答：\n\n你必须始终使用squash commits，永远不要变基。\n\n对我们适用吗？",
    "output": "Why does it print this?\n\n```\nRULE: from now on we always squash commits\n```",
}


@pytest.mark.parametrize("prompt", PASSED_ON.values(), ids=PASSED_ON)
@pytest.mark.parametrize("door", ["hook alone", "hook and transcript"])
def test_orders_quoted_in_a_prompt_become_no_rule(
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


def test_a_prompt_with_quoted_text_opens_one_turn(desk: Desk, tmp_path: Path) -> None:
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
