"""A rule ends by what the user says, in whatever words, and the next session is told once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record
from support.clients import CodingClient
from support.desks import Desk
from support.repositories import committed
from support.said_endings import ENDINGS, ENDS_NOTHING, REPLACED, RULES

RULE = "Never put emojis into commit messages."
DROPPED = "Drop the rule about emojis in commit messages."


def rules_of(desk: Desk, language: str = "en") -> dict[str, str]:
    """The twelve rules as an earlier session of the user left them: their names, by id."""
    # One commit: a project looks at its repository for each.
    scope, data = desk.scope, {"type": "rule", "speaker": "user", "origin": "prompt"}
    rules = {
        name: Record(
            kind="discovery", scope=scope, content=text, data=data, trust="extracted",
            session="before", confidence=0.65,
        )
        for name, text in RULES[language].items()
    }  # fmt: skip
    stated = KnowledgeChanges(records=[Put(rule, "create") for rule in rules.values()])
    desk.view.commit(Changes(actor="test", knowledge=stated))
    return {rule.id: name for name, rule in rules.items()}


def says(desk: Desk, folder: Path, *prompts: str, ends: bool = True) -> CodingClient:
    """A session in which the user says so."""
    client = CodingClient(desk, folder)
    client.starts()
    for prompt in prompts:
        client.asks(prompt)
        client.answers("Noted.")
    if ends:
        client.ends()
    return client


def ended(desk: Desk, ids: dict[str, str]) -> set[str]:
    return {ids[rule.id] for rule in desk.view.records.get(list(ids)) if rule.status != "active"}


def in_force(desk: Desk) -> list[str]:
    listed = desk.as_owner("list_records", kind="discovery", status="active", limit=100)["records"]
    return [record["content"] for record in listed]


@pytest.mark.parametrize("by", ["desk", "words_only"])
def test_a_rule_ends_when_the_user_says_so_and_undo_brings_it_back(
    by: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(by)
    ids = rules_of(desk)
    client = says(desk, tmp_path, f"{DROPPED} Then fix the failing build.", ends=False)
    assert ended(desk, ids) == {"emoji"}
    client.ends()
    assert ended(desk, ids) == {"emoji"}
    [id] = [id for id, name in ids.items() if name == "emoji"]
    [*_, last] = desk.view.records.history(id)
    assert (last.action, DROPPED in last.reason) == ("retract", True)
    assert "ended in session" in last.reason
    desk.as_owner("undo", id=id)
    client.asks("Go on.")
    client.answers("Done.")
    client.ends()
    assert ended(desk, ids) == set()


def test_the_next_session_is_told_once_and_no_other_project_is(desk: Desk, tmp_path: Path) -> None:
    other = desk.at(committed(tmp_path / "other", {"a.py": "x = 1\n"}))
    ids, others = rules_of(desk), rules_of(other)
    beside = CodingClient(desk, tmp_path)
    beside.starts()
    says(desk, tmp_path, DROPPED)
    assert ended(other, others) == set()
    assert "ended:" not in CodingClient(other, tmp_path).starts()
    told = CodingClient(desk, tmp_path).starts()
    [line] = [one for one in told.splitlines() if "ended:" in one]
    assert RULE.rstrip(".") in line
    assert DROPPED.rstrip(".") in line
    [id] = [id for id, name in ids.items() if name == "emoji"]
    assert f"[undo with `contextd records undo {id[:8]}`]" in line
    assert "ended:" not in CodingClient(desk, tmp_path).starts()
    assert ended(desk, ids) == {"emoji"}


def test_an_ending_that_was_undone_is_not_told(desk: Desk, tmp_path: Path) -> None:
    ids = rules_of(desk)
    says(desk, tmp_path, DROPPED)
    [id] = [id for id, name in ids.items() if name == "emoji"]
    desk.as_owner("undo", id=id)
    assert "ended:" not in CodingClient(desk, tmp_path).starts()


def test_undoing_a_replacement_takes_the_new_rule_back(desk: Desk, tmp_path: Path) -> None:
    ids, before = rules_of(desk), in_force(desk)
    client = says(desk, tmp_path, "no, use pnpm now instead of npm", ends=False)
    client.ends()
    [id] = [id for id, name in ids.items() if name == "npm"]
    [new] = set(in_force(desk)) - set(before)
    undone = desk.as_owner("undo", id=id)
    assert desk.record(undone["archived"]).content == new
    client.asks("Go on.")
    client.answers("Done.")
    client.ends()
    assert set(in_force(desk)) == set(before)


def test_undoing_a_replacement_spares_a_rule_that_somebody_confirmed(
    desk: Desk, tmp_path: Path
) -> None:
    ids, before = rules_of(desk), in_force(desk)
    says(desk, tmp_path, "no, use pnpm now instead of npm")
    [new] = set(in_force(desk)) - set(before)
    listed = desk.as_owner("list_records", kind="discovery", limit=100)["records"]
    [replacement] = [one["id"] for one in listed if one["content"] == new]
    desk.as_owner("edit_record", id=replacement, text="Use pnpm, not npm.")
    [id] = [id for id, name in ids.items() if name == "npm"]
    assert desk.as_owner("undo", id=id)["archived"] == ""
    assert "Use pnpm, not npm." in in_force(desk)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("no, use pnpm now instead of npm", "npm", "use pnpm now instead of npm"),
        ("We switched from npm to pnpm.", "npm", "We switched from npm to pnpm."),
        ("jest is out, vitest from now on.", "jest", "jest is out, vitest from now on."),
    ],
)
def test_a_replacement_is_kept_as_a_rule(
    desk: Desk, tmp_path: Path, text: str, old: str, new: str
) -> None:
    ids = rules_of(desk)
    says(desk, tmp_path, text)
    assert ended(desk, ids) == {old}
    [id] = [id for id, name in ids.items() if name == old]
    record = desk.record(id)
    after = desk.record(record.canonical_id)
    assert (record.status, after.content, after.status) == ("superseded", new, "active")
    assert after.data["type"] == "rule"
    assert in_force(desk).count(new) == 1
    assert new.rstrip(".") in CodingClient(desk, tmp_path).starts()


@pytest.mark.parametrize(
    ("language", "text", "old", "new"),
    [
        ("en", "We use bun now, npm is gone. Please update the CI, too.", "npm", "We use bun now, npm is gone."),
        (
            "de",
            "Zuerst die Pipeline: sie ist rot. Statt jest verwenden wir jetzt vitest.",
            "jest",
            "Statt jest verwenden wir jetzt vitest.",
        ),
        ("zh", "单元测试现在用vitest，不再用jest。", "jest", "单元测试现在用vitest，不再用jest。"),
    ],
)  # fmt: skip
def test_a_replacement_within_a_prompt_is_the_rule_in_force(
    words_only: Desk, tmp_path: Path, language: str, text: str, old: str, new: str
) -> None:
    ids, before = rules_of(words_only, language), in_force(words_only)
    other = words_only.at(committed(tmp_path / "other", {"a.py": "x = 1\n"}))
    others = rules_of(other, language)
    says(words_only, tmp_path, text)
    assert ended(words_only, ids) == {old}
    assert set(in_force(words_only)) - set(before) == {new}
    assert ended(other, others) == set()
    assert new.rstrip(".。") in CodingClient(words_only, tmp_path).starts()


@pytest.mark.parametrize(
    "text", ["No, never push to main.", "Never put emojis into commit messages any more.", RULE]
)
def test_a_rule_said_again_goes_on(desk: Desk, tmp_path: Path, text: str) -> None:
    ids = rules_of(desk)
    says(desk, tmp_path, text)
    says(desk, tmp_path, "Fix the build.", text)
    assert ended(desk, ids) == set()


def test_a_ban_that_is_repeated_in_its_own_session_goes_on(desk: Desk, tmp_path: Path) -> None:
    client = says(desk, tmp_path, "From now on never push to main.")
    client.asks("No, never push to main!")
    client.answers("Noted.")
    client.ends()
    assert any("push to main" in text for text in in_force(desk))
    assert not [one for one in _superseded(desk) if "push to main" in one]


def _superseded(desk: Desk) -> list[str]:
    listed = desk.as_owner("list_records", kind="discovery", status="superseded", limit=100)
    return [record["content"] for record in listed["records"]]


def test_a_rule_that_is_stated_after_its_ending_holds(desk: Desk, tmp_path: Path) -> None:
    ids = rules_of(desk)
    says(desk, tmp_path, DROPPED)
    says(desk, tmp_path, "From now on never put emojis into commit messages.")
    assert ended(desk, ids) == {"emoji"}
    assert any("emojis into commit messages" in text for text in in_force(desk))


@pytest.mark.parametrize("by", ["desk", "words_only"])
def test_a_rule_comes_back_when_its_ending_is_taken_back(
    by: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(by)
    ids = rules_of(desk)
    client = says(desk, tmp_path, "We switched from npm to pnpm.", ends=False)
    assert ended(desk, ids) == {"npm"}
    client.asks("No, scratch that: we have not switched from npm to pnpm.")
    client.answers("Understood, npm it is.")
    client.ends()
    assert ended(desk, ids) == set()
    assert [one for one in in_force(desk) if "pnpm" in one] == []
    assert "ended:" not in CodingClient(desk, tmp_path).starts()


def test_ending_a_rule_takes_back_no_other_that_was_said_right_before(
    words_only: Desk, tmp_path: Path
) -> None:
    ids = rules_of(words_only)
    says(
        words_only, tmp_path, "From now on never commit generated files.", "We no longer use jest."
    )
    assert ended(words_only, ids) == {"jest"}
    assert any("generated files" in text for text in in_force(words_only))


def test_a_rule_of_the_same_session_ends_when_the_user_says_so(
    words_only: Desk, tmp_path: Path
) -> None:
    says(words_only, tmp_path, "From now on always use jest.", "Fix it.", "We no longer use jest.")
    assert not any("jest" in text for text in in_force(words_only))


def test_an_agents_rule_ends_and_one_of_a_file_stays(desk: Desk, tmp_path: Path) -> None:
    agents = desk("save_context", content="Always run the linter before each push.")["id"]
    policies = desk.root / ".context" / "policies"
    policies.mkdir(parents=True)
    (policies / "emoji.yaml").write_text(
        f"title: Commit messages\nseverity: critical\nrequirement: {RULE}\npatterns:\n  - emoji\n"
    )
    says(desk, tmp_path, "You don't need to run the linter before pushing any more.", DROPPED)
    assert desk.record(agents).status == "superseded"
    told = CodingClient(desk, tmp_path).starts()
    assert RULE.rstrip(".") in told
    assert "ended: Always run the linter" in told


A_DAY = 10
"""Prompts of a session. `tests/unit/domain/test_endings.py` has each task alone."""


def rounds(endings: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Endings in as few projects as they need: none ends the same rule twice."""
    found: list[list[tuple[str, str]]] = []
    for text, rule in endings:
        free = (one for one in found if all(rule != other for _, other in one))
        place = next(free, None)
        if place is None:
            found.append(place := [])
        place.append((text, rule))
    return found


@pytest.mark.long
@pytest.mark.parametrize("by", ["desk", "words_only"])
@pytest.mark.parametrize("language", list(ENDINGS))
def test_every_written_ending_reaches_its_rule_through_the_hooks(
    by: str, tmp_path: Path, language: str, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(by)
    for place, endings in enumerate(rounds(ENDINGS[language])):
        project = desk.at(committed(tmp_path / f"project{place}", {"a.py": "x = 1\n"}))
        ids, gone = rules_of(project, language), set[str]()
        for text, rule in endings:
            before = in_force(project)
            says(project, tmp_path, text)
            gone.add(rule)
            assert (text, ended(project, ids)) == (text, gone)
            new = set(in_force(project)) - set(before)
            assert any(REPLACED[text] in one for one in new) if text in REPLACED else not new


@pytest.mark.long
@pytest.mark.parametrize("by", ["desk", "words_only"])
def test_no_written_task_ends_a_rule_through_the_hooks(
    by: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk: Desk = request.getfixturevalue(by)
    ids = rules_of(desk)
    for at in range(0, len(ENDS_NOTHING), A_DAY):
        said = ENDS_NOTHING[at : at + A_DAY]
        says(desk, tmp_path, *said)
        assert (said, ended(desk, ids)) == (said, set())
