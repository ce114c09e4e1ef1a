"""Two projects in one home, with the real embedder: neither may harm or silence the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.desks import Desk, Listening, embedder
from support.repositories import committed

BILLING = 'def export_billing(rows):\n    """Write the billing rows as CSV."""\n    return rows\n'
UPLOAD = 'def retry_upload(path):\n    """Send the file again."""\n    return path\n'


@pytest.fixture
def first(desk: Desk, tmp_path: Path) -> Desk:
    return desk.at(committed(tmp_path / "first", {"billing.py": BILLING}))


@pytest.fixture
def second(desk: Desk, tmp_path: Path) -> Desk:
    return desk.at(committed(tmp_path / "second", {"upload.py": UPLOAD}))


def paths(desk: Desk, query: str) -> list[str]:
    return [hit["path"] for hit in desk("codebase_search", query=query)["results"]]


def test_embedding_one_project_leaves_the_code_of_the_other_searchable(first, second):
    for desk in (first, second):
        desk.as_owner("init")
    first.host.work_off()
    assert paths(first, "export billing rows") == ["billing.py"]
    assert paths(second, "send a file again") == ["upload.py"]
    for desk in (first, second):
        assert desk.view.index.stats(embedder().model).pending == 0


def test_equal_files_of_two_projects_are_found_in_both(first, tmp_path):
    twin = first.at(committed(tmp_path / "twin", {"billing.py": BILLING, "README.md": "# Twin\n"}))
    for desk in (first, twin):
        desk.as_owner("init")
    first.host.work_off()
    assert first.scope != twin.scope
    for desk in (first, twin):
        assert paths(desk, "export billing rows") == ["billing.py"]


@pytest.mark.parametrize("connections", [("", ""), ("one", "two"), ("one", "one")])
def test_a_memory_served_to_one_project_can_still_be_recorded_in_another(
    first, second, connections
):
    teller, learner = first.connected(connections[0]), second.connected(connections[1])
    lesson = {
        "title": "CSV needs a BOM",
        "description": "when writing CSV",
        "content": "We always write CSV files with a byte order mark because of Excel.",
        "outcome": "success",
    }
    teller("memory_record", **lesson)
    teller("memory_search", query="how do we write CSV files")
    teller.host.flush()
    assert learner("memory_record", **lesson)["outcome"] == "added"
    assert teller("memory_record", **lesson)["outcome"] == "duplicate"


def test_a_deleted_fact_can_come_back_after_it_was_shown(first):
    note = "The staging database is rebuilt every Monday at six in the morning."
    before = first("save_context", content=note)
    first("recall_context", query="when is the staging database rebuilt")
    first("delete_context", id=before["id"])
    assert first("save_context", content=note)["id"] != before["id"]


def test_a_change_that_keeps_the_text_embeds_nothing(open_desk: Callable[..., Desk]):
    listening = Listening(embedder())
    desk = open_desk(listening)
    bubble = desk("create_bubble", name="billing")["id"]
    for number in range(5):
        note = f"Invoice series {number} is closed on day {number + 3} of each month."
        desk("save_context", content=note, bubble_id=bubble)
    desk.host.flush()
    listening.texts.clear()
    desk("delete_bubble", id=bubble, delete_contents=True)
    assert listening.texts == []


def test_a_defect_in_a_by_product_of_one_call_costs_no_other(first):
    def defect() -> None:
        raise KeyError("a defect")

    first.runtime().sinks.later("broken", defect)
    first("memory_search", query="a question nobody can answer here")
    assert first.usage().misses == 1
    health = first.host.health()
    assert health["services"]["usage log"]["running"]
    [problem] = health["problems"]
    assert "broken" in problem
    assert "a defect" in problem
