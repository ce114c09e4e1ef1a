"""The built prompt has the directives of agents and the task at hand; every directive of a large home is counted."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from support.clients import CodingClient
from support.desks import Desk

SENTENCE = "Always run make generate after a change of the schema."
STATED = "From now on all money amounts must be stored in cents."
MANY = 450


def rules_of(prompt: str) -> str:
    return prompt.partition("# Rules\n")[2].partition("\n\n")[0]


def test_a_sentence_that_an_agent_recorded_as_a_directive_is_among_the_rules(desk: Desk) -> None:
    desk("remember", content=SENTENCE)
    desk("remember", content="The export of March has 1,200 rows.")
    prompt = desk("prompt_build")["prompt"]
    assert SENTENCE in rules_of(prompt)
    assert "1,200 rows" not in rules_of(prompt)


def test_the_first_session_has_its_task_as_focus_though_context_md_is_fresh(
    desk: Desk, tmp_path: Path
) -> None:
    desk.as_owner("init")
    written = desk.root / ".context" / "CONTEXT.md"
    written.write_text(written.read_text() + "\nThe shop closes on Mondays.\n")
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks("Move the price rounding into its own module")
    prompt = session.desk("prompt_build")["prompt"]
    assert "Focus: Move the price rounding into its own module" in prompt
    assert "The shop closes on Mondays." in prompt
    assert prompt.count("Focus:") == 1
    assert prompt.count("# Context\n") == 1


def test_each_directive_of_a_large_home_is_told_or_counted(desk: Desk, tmp_path: Path) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(f"{STATED} How do we deploy?")
    session.answers("With make deploy, from the main branch, after the tests have passed.")
    session.ends()
    desk.host.work_off()
    learned = desk.runtime().query("discovery", where={"type": "rule"})
    [rule] = desk.view.records.find(learned).records
    others = [
        rule.with_(
            id=f"{number:08x}{rule.id[8:]}",
            version=0,
            content=f"From now on table t{number} must have the column c{number * 7} and x{number * 13}.",
        )
        for number in range(MANY)
    ]
    desk.view.commit(
        Changes(
            actor="you", knowledge=KnowledgeChanges(records=[Put(one, "create") for one in others])
        )
    )
    assert len(desk("standards_get")["rules"]) == MANY + 1
    told = rules_of(desk("prompt_build")["prompt"]).splitlines()
    assert f"{MANY + 1 - (len(told) - 1)} more: `standards_get`" in told[-1]


def test_a_check_names_the_persons_rule_that_it_cannot_judge(desk: Desk) -> None:
    desk("save_context", content="Never put an emoji into a commit message.", scope="person")
    answer = desk.answer("policy_check", action="git commit -m party")
    assert "rules in words: 1" in answer.text
    assert "Never put an emoji into a commit message." in answer.text
    other = desk.answer("policy_check", action="ls src")
    assert "emoji" not in other.text
