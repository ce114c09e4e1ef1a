"""Fixes taken to a team without the names of their project: known again by what an error says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.desks import Desk
from support.repositories import committed


@pytest.fixture
def wiki(desk: Desk, tmp_path: Path) -> Desk:
    """Another project of the team."""
    desk.as_owner("init")
    found = desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))
    found.as_owner("init")
    return found


def promoted(desk: Desk, problem: str) -> str:
    """The id of the team's copy of a fix for this."""
    made = desk(
        "remediation_record",
        title="Two writers",
        problem=problem,
        root_cause="The first one is still open.",
        solution="Close the first one before the second one begins.",
    )
    given = {"item_id": made["id"], "item_type": "remediation", "target_scope": "team"}
    shown = desk("knowledge_promote", **given, generalize=True)
    return str(
        desk("knowledge_promote", **given, generalize=True, confirm=shown["confirm"])["new_id"]
    )


def found(desk: Desk, error: str) -> list[tuple[Any, Any]]:
    each = desk("remediation_search", error=error)["remediations"]
    return [(one["id"], one["match"]) for one in each]


def test_an_error_with_a_path_in_it_is_known_in_another_project(desk: Desk, wiki: Desk) -> None:
    id = promoted(desk, "error: cannot open src/auth/service.ts for the second writer")
    assert "service.ts" not in wiki.record(id).text
    error = "error: cannot open lib/pages/index.py for the second writer"
    assert found(wiki, error) == [(id, "the same error")]


def test_an_error_about_the_projects_own_name_is_none_about_another_one(
    desk: Desk, wiki: Desk
) -> None:
    promoted(desk, f"error: package '{desk.scope.project}' has no part that could be loaded")
    assert found(wiki, "error: package 'numpy' has no part that could be loaded") == []
