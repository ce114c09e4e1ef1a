"""Calls over a store that has no code indexes and no checkout, as a store for a team has none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.app import load_operations
from contextd.domain.changes import CodeChange, Put, no_code_index
from contextd.domain.projects import Project
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.runtime.operation import OPERATIONS
from contextd_common.errors import ContextdError, Unavailable
from support.arguments import arguments
from support.desks import Desk
from support.stores import Whole, opened
from support.strategies import SCOPES

load_operations()

SHOP = Project(identity="root-commit-1", scope=Scope.parse("local/default/shop"), name="shop")
BLOG = Project(identity="root-commit-2", scope=Scope.parse("local/default/blog"), name="blog")

OF_CODE = {
    "find_symbol",
    "codebase_search",
    "repo_map",
    "part_project",
    "trust",
    *(o.name for o in OPERATIONS.values() if "checkout" in o.needs),
}
"""Operations that answer from the code index or the files of a checkout alone."""


@pytest.fixture
def replica(open_desk: Callable[..., Desk]) -> Desk:
    """An agent without a directory, over a store without code that has two projects."""
    desk = open_desk(store_url="memory-without-code://").nowhere()
    directory = desk.host.organisation("local").directory
    for project in (SHOP, BLOG):
        directory.register(project)
    return desk


def test_knowledge_is_saved_found_and_injected_in_its_project(replica: Desk) -> None:
    replica("save_context", project="shop", content="Prices are stored in cents.")
    replica("save_context", project="blog", content="Posts are stored in Markdown.")
    replica.host.work_off()
    found = replica("context_search", project="shop", query="how are prices stored")
    assert [one["text"] for one in found["results"]] == ["Prices are stored in cents."]
    injected = str(replica("briefing_get", project="shop"))
    assert "cents" in injected
    assert "Markdown" not in injected
    assert replica("status", project="shop")["files"] == 0


def test_knowledge_is_found_from_a_checkout_too(
    open_desk: Callable[..., Desk], repository: Path
) -> None:
    desk = open_desk(store_url="memory-without-code://").at(repository)
    desk("save_context", content="Prices are stored in cents.")
    desk.host.work_off()
    found = desk("context_search", query="how are prices stored")
    assert [one["text"] for one in found["results"]] == ["Prices are stored in cents."]


@pytest.mark.parametrize("name", sorted(OF_CODE))
def test_an_operation_on_code_says_that_there_is_no_checkout(replica: Desk, name: str) -> None:
    asked = arguments(OPERATIONS[name], project="shop")
    with pytest.raises(Unavailable) as refused:
        replica.on("cli")(name, **asked)
    assert (refused.value.message, refused.value.hint) == (
        no_code_index().message,
        no_code_index().hint,
    )


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - OF_CODE))
def test_no_other_operation_fails_for_want_of_code(replica: Desk, name: str) -> None:
    asked = arguments(OPERATIONS[name], project="shop")
    try:
        replica.on("cli")(name, **asked)
    except ContextdError as error:
        problem = (error.code, error.message)
    else:
        problem = ("", "")
    assert problem[0] != "internal"
    assert problem[1] != no_code_index().message


def test_a_unit_of_work_with_code_is_refused_whole() -> None:
    whole = Whole(opened("memory-without-code://"))
    removal, note = (
        CodeChange(scope=SCOPES[2], remove=["a.py"]),
        Record(kind="memory", scope=SCOPES[2], content="x"),
    )
    with pytest.raises(Unavailable, match="no code index"):
        whole.commit(records=[Put(note, "create")], code=[removal])
    assert whole.view.records.get([note.id]) == []
