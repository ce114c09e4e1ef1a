"""Rules that a user states in passing: asked for once, in the question at the end of a working session."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from contextd_common.errors import Conflict, Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk

PASSING = "the receipts must always name the tax office"
OTHER = "keep the old readers, but always write the new column"
TASK = "Round the total of the basket once"
DONE = "The basket is rounded once in `src/price.ts`, half even, and that is tested with seven baskets."
FULL = "Receipts name the tax office in the line above the total."


def worked(desk: Desk, folder: Path, *prompts: str) -> CodingClient:
    """A session that edited a file after these prompts, before its turn ends."""
    session = CodingClient(desk, folder)
    session.starts()
    for prompt in prompts[:-1]:
        session.asks(prompt)
        session.answers(
            "I read the module of the prices and its callers, and there are three of them."
        )
    session.asks(prompts[-1])
    session.edits("src/price.ts")
    return session


def question(answer: dict[str, Any]) -> str:
    text = str(answer.get("reason") or answer["hookSpecificOutput"]["additionalContext"])
    assert "contextd's remember" in text
    return text


def asked_about(answer: dict[str, Any]) -> dict[str, str]:
    """The rules in question, by the id under which an agent reads them."""
    return {text: id for id, text in re.findall(r"(\w{8}) “([^”]+)”", question(answer))}


def rules_told(desk: Desk, folder: Path) -> str:
    briefing = CodingClient(desk, folder).starts()
    return briefing.partition("## Always")[2].partition("\n## ")[0]


def test_the_question_at_the_end_names_what_was_said_in_passing(desk: Desk, tmp_path: Path) -> None:
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    [(text, id)] = asked_about(session.answers(DONE)).items()
    assert PASSING in text
    assert desk.record(desk("get_record", id=id)["record"]["id"]).status == "candidate"


def test_a_session_without_such_words_gets_the_question_as_it_was(
    desk: Desk, tmp_path: Path
) -> None:
    text = question(worked(desk, tmp_path, TASK).answers(DONE))
    assert "settle_candidates" not in text
    assert count_tokens(text) <= 120


def test_five_rules_are_asked_about_at_most_within_300_tokens(desk: Desk, tmp_path: Path) -> None:
    nouns = ("receipts", "invoices", "labels", "parcels", "refunds", "vouchers", "ledgers")
    prompts = [f"Look at the {noun}, the {noun} must always carry a number." for noun in nouns]
    answer = worked(desk, tmp_path, *prompts).answers(DONE)
    assert len(asked_about(answer)) == 5
    assert count_tokens(question(answer)) <= 300


def test_an_agent_keeps_rewords_and_drops_in_one_call(desk: Desk, tmp_path: Path) -> None:
    session = worked(
        desk, tmp_path, f"{TASK}, {PASSING}.", f"Also {OTHER}.", "I'd rather have small functions."
    )
    ids = asked_about(session.answers(DONE))
    kept, reworded, dropped = (
        next(ids[text] for text in ids if part in text)
        for part in ("always write", "tax office", "small functions")
    )
    settled = desk(
        "settle_candidates", keep_ids=[kept, reworded], reword={reworded: FULL}, drop_ids=[dropped]
    )
    states = [one["status"] for one in settled["settled"]]
    assert states == ["active", "active", "archived"]
    assert desk.record(settled["settled"][0]["id"]).trust == "agent"
    session.stops("Done.", again=True)
    session.ends()
    always = rules_told(desk, tmp_path)
    assert FULL in always
    assert "always write the new column" in always
    assert PASSING not in always
    assert "small functions" not in always


def test_an_answer_is_not_undone_when_the_session_is_learned_from(
    desk: Desk, tmp_path: Path
) -> None:
    session = worked(desk, tmp_path, f"{TASK}. {PASSING.capitalize()}.")
    [id] = asked_about(session.answers(DONE)).values()
    desk("settle_candidates", drop_ids=[id])
    session.ends()
    again = worked(desk, tmp_path, f"Now the refunds. {PASSING.capitalize()}.")
    assert "settle_candidates" not in question(again.answers(DONE))
    again.ends()
    assert PASSING.capitalize() not in rules_told(desk, tmp_path)


def test_without_an_answer_a_rule_waits_for_its_second_session(desk: Desk, tmp_path: Path) -> None:
    for prompt in (f"{TASK}, {PASSING}.", f"{TASK}, {PASSING}."):
        assert PASSING not in rules_told(desk, tmp_path)
        session = worked(desk, tmp_path, prompt)
        session.answers(DONE)
        session.ends()
    assert PASSING in rules_told(desk, tmp_path)


@pytest.mark.parametrize("moment", ["end", "compaction"])
def test_no_session_is_asked_twice(desk: Desk, tmp_path: Path, moment: str) -> None:
    desk.configure(f"lessons:\n  ask: {moment}\n")
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    told = [str(session.answers(DONE))]
    for _ in range(2):
        session.hook("PreCompact", trigger="auto")
        told.append(session.starts("compact"))
        session.asks(f"Now the refunds, {OTHER}.")
        session.edits("src/refund.ts")
        told.append(str(session.answers(DONE)))
    told.append(session.starts("resume"))
    assert sum("settle_candidates" in text for text in told) == 1
    assert sum("contextd's remember" in text for text in told) == 1


def test_the_question_is_not_taken_for_words_of_the_user(desk: Desk, tmp_path: Path) -> None:
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    # Some clients store what keeps their agent on as a message of the user.
    session.asks(question(session.answers(DONE)))
    session.answers(DONE)
    session.ends()
    learned = desk.view.sessions.events(desk.sessions()[0].id, types=("message", "query"))
    texts = [event.text for event in learned]
    assert texts
    assert not any("Before you stop" in text for text in texts)
    assert PASSING not in rules_told(desk, tmp_path)


def test_another_project_can_neither_see_nor_answer_it(
    desk: Desk, tmp_path: Path, neighbour: Any
) -> None:
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    [id] = asked_about(session.answers(DONE)).values()
    with pytest.raises(NotFound):
        neighbour.desk(desk.host)("settle_candidates", keep_ids=[id])


def test_a_wrong_id_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    [id] = asked_about(session.answers(DONE)).values()
    for wrong, error in (
        ({"keep_ids": [id, "ffffffff"]}, NotFound),
        ({"keep_ids": [id], "drop_ids": [id]}, Invalid),
        ({"keep_ids": [id], "reword": {id: " "}}, Invalid),
        ({"keep_ids": [id], "reword": {id: "word " * 400}}, Invalid),
        ({"reword": {id: FULL}}, Invalid),
    ):
        with pytest.raises(error):
            desk("settle_candidates", **wrong)
    assert desk("settle_candidates", keep_ids=[])["settled"] == []
    record = desk.record(desk("get_record", id=id)["record"]["id"])
    assert (record.status, record.version) == ("candidate", 1)
    desk("settle_candidates", keep_ids=[id])
    with pytest.raises(Conflict):
        desk("settle_candidates", keep_ids=[id])


def test_a_secret_in_a_rewording_is_not_stored(desk: Desk, tmp_path: Path) -> None:
    session = worked(desk, tmp_path, f"{TASK}, {PASSING}.")
    [id] = asked_about(session.answers(DONE)).values()
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5"
    desk(
        "settle_candidates",
        keep_ids=[id],
        reword={id: f"Receipts are sent with the token {secret} always."},
    )
    assert secret not in str(desk("get_record", id=id))


RULE = "We keep sessions in Redis, always."
UNSURE = "our session store is DynamoDB these days, not Redis"
INSTEAD = "Sessions are kept in DynamoDB."


def in_force(desk: Desk, folder: Path, rule: str = RULE) -> None:
    """A session of another day in which the user stated a rule."""
    session = CodingClient(desk, folder)
    session.starts()
    session.asks(rule)
    session.answers("Noted.")
    session.ends()
    assert rule.rstrip(".") in rules_told(desk, folder)


def changed(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The rules in force in question: id, rule and the user's words."""
    return re.findall(r"(\w{8}) “([^”]+)” \(the user: “([^”]+)”\)", question(answer))


def test_a_rule_that_may_have_changed_is_asked_about_and_holds_until_the_answer(
    desk: Desk, tmp_path: Path
) -> None:
    in_force(desk, tmp_path)
    session = worked(desk, tmp_path, f"{TASK}. And {UNSURE}.")
    [(_, rule, words)] = changed(session.answers(DONE))
    assert (rule, UNSURE in words) == (RULE, True)
    session.ends()
    assert RULE.rstrip(".") in rules_told(desk, tmp_path)


@pytest.mark.parametrize("reworded", [False, True], ids=["dropped", "reworded"])
def test_the_answer_ends_the_rule_is_told_once_and_can_be_undone(
    desk: Desk, tmp_path: Path, reworded: bool
) -> None:
    in_force(desk, tmp_path)
    session = worked(desk, tmp_path, f"{TASK}. And {UNSURE}.")
    [(id, _, _)] = changed(session.answers(DONE))
    if reworded:
        desk("settle_candidates", keep_ids=[id], reword={id: INSTEAD})
    else:
        desk("settle_candidates", drop_ids=[id])
    session.ends()
    told = CodingClient(desk, tmp_path).starts()
    assert f"ended: {RULE.rstrip('.')}" in told
    assert UNSURE in told
    assert "ended:" not in CodingClient(desk, tmp_path).starts()
    always = rules_told(desk, tmp_path)
    assert RULE.rstrip(".") not in always
    assert (INSTEAD.rstrip(".") in always) == reworded
    desk.as_owner("undo", id=id)
    always = rules_told(desk, tmp_path)
    assert RULE.rstrip(".") in always
    assert INSTEAD.rstrip(".") not in always


def test_a_rule_that_stands_stays_and_one_that_nobody_was_asked_about_cannot_be_settled(
    desk: Desk, tmp_path: Path
) -> None:
    in_force(desk, tmp_path)
    in_force(desk, tmp_path, "Never put emojis into commit messages.")
    session = worked(desk, tmp_path, f"{TASK}. And {UNSURE}.")
    [(id, _, _)] = changed(session.answers(DONE))
    desk("settle_candidates", keep_ids=[id])
    listed = desk.as_owner("list_records", kind="discovery", status="active")["records"]
    [other] = [one["id"] for one in listed if "emojis" in one["content"]]
    with pytest.raises(Conflict, match="does not await review"):
        desk("settle_candidates", drop_ids=[id, other])
    session.ends()
    always = rules_told(desk, tmp_path)
    assert RULE.rstrip(".") in always
    assert "emojis" in always


def test_a_rule_of_the_same_session_and_one_said_again_are_not_asked_about(
    desk: Desk, tmp_path: Path
) -> None:
    in_force(desk, tmp_path)
    session = worked(
        desk, tmp_path, "From now on always run the whole test suite.", f"{TASK}. {RULE}"
    )
    assert "settle_candidates" not in question(session.answers(DONE))
