"""Taking back what was learned, there where people and agents read it."""

from __future__ import annotations

import pytest

RULE = "Tokens must always be rotated in src/auth/token.ts."
OTHER = "Sessions must always expire after 7 days in src/auth/service.ts."


@pytest.fixture
def learned(desk):
    """A project whose model has two learnings; the ids of their records by content."""
    desk.as_owner("init")
    session = desk("session_start", task_description="Token refresh")["session_id"]
    for text in (RULE, OTHER):
        desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()
    found = desk.as_owner("list_records", kind="discovery", status="any")["records"]
    for record in found:
        desk("place_in_model", id=record["id"], module="auth")
    return {record["content"]: record["id"] for record in found}


def rules(desk) -> str:
    text = (desk.root / ".context" / "project.yaml").read_text()
    return text[text.index("  auth:") :]


def test_undoing_a_learning_takes_its_line_out_of_project_yaml_and_nothing_else(desk, learned):
    model = desk.root / ".context" / "project.yaml"
    model.write_text(model.read_text().replace(f"- {OTHER}", f"- {OTHER}  # agreed with legal"))
    before = model.read_text().splitlines()
    undone = desk.as_owner("undo", id=learned[RULE])
    assert [line for line in undone["project_yaml"] if "Tokens must always" in line]
    after = model.read_text().splitlines()
    gone = [line.strip() for line in before if line not in after and "At:" not in line]
    assert gone == [f"- {RULE}"]
    assert "agreed with legal" in rules(desk)


def test_an_undone_rule_is_not_learned_into_project_yaml_again(desk, learned):
    desk.as_owner("undo", id=learned[RULE])
    session = desk("session_start", task_description="Token refresh")["session_id"]
    desk("session_log", session_id=session, role="user", text=RULE)
    desk("session_end", session_id=session)
    desk.host.work_off()
    assert RULE not in rules(desk)


def test_a_line_that_a_person_wrote_stays_when_a_learning_of_the_same_words_is_undone(desk):
    desk.as_owner("init")
    model = desk.root / ".context" / "project.yaml"
    head, found, tail = model.read_text().partition("  auth:\n")
    model.write_text(f"{head}{found}    businessRules:\n      - {RULE}\n{tail}")
    assert found
    session = desk("session_start", task_description="Token refresh")["session_id"]
    desk("session_log", session_id=session, role="user", text=RULE)
    desk("session_end", session_id=session)
    desk.host.work_off()
    [record] = desk.as_owner("list_records", kind="discovery", status="any")["records"]
    assert desk.as_owner("undo", id=record["id"])["project_yaml"] == []
    assert RULE in model.read_text()


def test_a_broken_project_yaml_is_told_and_the_record_is_undone_all_the_same(desk, learned):
    model = desk.root / ".context" / "project.yaml"
    model.write_text("modules: [broken\n")
    undone = desk.as_owner("undo", id=learned[RULE])
    assert undone["status"] == "gone"
    assert "not changed" in undone["project_yaml"][0]
    assert model.read_text() == "modules: [broken\n"
