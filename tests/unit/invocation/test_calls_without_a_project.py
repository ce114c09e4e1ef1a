"""A client that starts its server in no project, such as Claude Desktop in `/`, is told how to name one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from contextd_common.errors import NotFound
from support.desks import Desk


@pytest.fixture
def at_the_root(desk: Desk) -> Desk:
    desk("save_context", content="Deploys go out on Fridays")
    return replace(desk, root=Path("/"), client="claude-desktop")


@pytest.mark.parametrize("operation", ["session_start", "briefing_get", "project_overview"])
def test_a_call_says_once_how_to_name_a_project_and_which_there_are(
    at_the_root: Desk, desk: Desk, operation: str
) -> None:
    with pytest.raises(NotFound) as caught:
        at_the_root(operation)
    said = f"{caught.value.message} {caught.value.hint}"
    assert said.count("name one with the argument `project`: ") == 1
    assert desk.runtime().projects()[0].name in said
    assert "contextd init" not in said


def test_a_search_without_a_project_says_so_and_one_that_names_it_answers(
    at_the_root: Desk, desk: Desk
) -> None:
    text = at_the_root.answer("memory_search", query="when do deploys go out").text
    assert text.count("name one with the argument `project`: ") == 1
    found = at_the_root.answer("context_search", query="deploys", project=str(desk.scope)).text
    assert "Deploys go out on Fridays" in found


def test_the_persons_layer_works_without_a_project(at_the_root: Desk, desk: Desk) -> None:
    at_the_root("remember", content="I like short answers", kind="context")
    assert "I like short answers" in at_the_root.answer("recall_context", query="short").text
    assert "I like short answers" in desk.answer("recall_context", query="short answers").text
