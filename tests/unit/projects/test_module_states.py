"""Modules side by side: what they need, what is known of them, what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.records import Anchor, Record
from contextd.projects.operations import modules as modules_operation
from support.desks import Desk
from support.repositories import git


@pytest.fixture
def shop(desk: Desk) -> Desk:
    """The project with a model of its own."""
    desk.as_owner("init")
    return desk


def modules(desk: Desk) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in desk.as_owner("list_modules")["modules"]}


def known(desk: Desk, content: str, *paths: str, **data: Any) -> str:
    record = Record(
        kind="discovery",
        scope=desk.scope,
        content=content,
        data={"type": "fact", **data},
        anchor=Anchor("a" * 40, "main", dict.fromkeys(paths, "b" * 40)),
    )
    desk.put(record, "create")
    return record.id


def test_where_records_are_too_many_the_latest_are_read_and_the_list_says_so(
    shop: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules_operation, "_RECORDS", 3)
    monkeypatch.setattr(modules_operation, "_PAGE", 2)
    for n in range(2):
        known(shop, f"The guard reads header {n}.", "src/auth/guard.ts")
    few = shop.as_owner("list_modules")
    assert (few["looked_at"], few["complete"]) == (2, True)
    for n in range(3):
        known(shop, f"The invoice has field {n}.", "src/billing/invoice.ts")
    many = shop.as_owner("list_modules")
    assert (many["looked_at"], many["complete"]) == (3, False)


def test_modules_say_what_they_need_and_who_needs_them(shop: Desk) -> None:
    found = modules(shop)
    assert set(found) == {"auth", "billing", "users"}
    assert found["billing"]["depends_on"] == ["auth"]
    assert found["auth"]["depends_on"] == []
    assert sorted(found["auth"]["used_by"]) == ["billing", "users"]
    assert found["auth"]["files"] == 3


def test_records_of_a_module_are_counted_by_name_and_by_file(shop: Desk) -> None:
    known(shop, "Tokens live a quarter of an hour.", "src/auth/token.ts")
    known(shop, "An invoice is sent once.", module="billing")
    known(shop, "Both lock the same row.", "src/auth/guard.ts", module="billing")
    known(shop, "Nobody knows where this holds.")
    found = modules(shop)
    assert {name: one["records"] for name, one in found.items()} == {
        "auth": 2,
        "billing": 2,
        "users": 0,
    }
    assert [name for name, one in found.items() if one["silent"]] == ["users"]


def test_a_dismissed_gap_leaves_no_module_marked_as_silent(shop: Desk) -> None:
    gap = next(g for g in shop.as_owner("get_gaps")["gaps"] if g["kind"] == "module")
    assert {name for name, one in modules(shop).items() if one["silent"]} == set(gap["subjects"])
    shop.as_owner("dismiss_gap", id=gap["id"])
    assert not any(one["silent"] for one in modules(shop).values())


def test_the_last_commit_of_a_module_is_told(shop: Desk) -> None:
    (shop.root / "src/auth/token.ts").write_text("export const LIFETIME = 60;\n")
    git(shop.root, "commit", "-q", "-a", "-m", "Shorten the token")
    found = modules(shop)
    assert found["auth"]["last"]["subject"] == "Shorten the token"
    assert found["users"]["last"]["subject"] == "start"


def test_a_name_that_is_no_module_is_told_apart(shop: Desk) -> None:
    model = shop.root / ".context" / "project.yaml"
    text = model.read_text()
    model.write_text(text.replace("- auth", "- auth\n      - ghost", 1))
    named = [one for one in modules(shop).values() if one["unknown"]]
    assert [one["unknown"] for one in named] == [["ghost"]]
    assert "ghost" not in named[0]["depends_on"]


def test_without_a_model_it_says_what_to_do(desk: Desk) -> None:
    found = desk.as_owner("list_modules")
    assert (found["modules"], found["initialised"]) == ([], False)
    assert "contextd init" in desk.on("cli").answer("list_modules").text


def test_a_broken_model_is_named(shop: Desk) -> None:
    (shop.root / ".context" / "project.yaml").write_text("modules: [")
    assert "project.yaml" in shop.as_owner("list_modules")["problem"]


def test_modules_of_one_project_know_nothing_of_a_neighbours_records(shop: Desk) -> None:
    other = shop.at(shop.root.parent / "elsewhere")
    other.root.mkdir()
    other.as_owner("init")
    known(other, "Tokens live a day.", "src/auth/token.ts", module="auth")
    assert modules(shop)["auth"]["records"] == 0


def test_the_page_of_a_module_says_what_it_needs_and_what_was_recorded_of_it(shop: Desk) -> None:
    known(shop, "The invoice has a field for the discount.", module="billing")
    text = shop.answer("project_module", name="billing").text
    assert "Depends on: auth" in text
    _, _, recorded = text.partition("## Recorded")
    assert "The invoice has a field for the discount." in recorded
    assert "## Recorded" not in shop.answer("project_module", name="users").text
