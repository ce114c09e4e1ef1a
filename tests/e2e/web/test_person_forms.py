"""What a person says of themselves, by the forms of the dashboard."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from homes import Home
from playwright.sync_api import expect

from contextd.thin import client

Visit = Callable[..., Any]
Call = Callable[..., Any]


@pytest.fixture
def note(call: Call) -> Iterator[str]:
    """The id of a fresh note."""
    made = call("save_context", content="The mail sender is retried three times, then gives up.")
    found = str(made["id"])
    yield found
    call("delete_record", id=found)


@pytest.mark.long
def test_a_preference_is_saved_written_to_user_md_removed_restored_and_edited(
    visit: Visit, call: Call, home: Home
) -> None:
    (home.path / "USER.md").write_text("- Name: Ana Kos\n- I like <b>short</b> answers\n")
    visitor = visit()
    page = visitor.page
    visitor.go("/person")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ana Kos")
    expect(page.get_by_role("region", name="Text of USER.md")).to_contain_text("<b>short</b>")
    visitor.fill(page.get_by_label("One preference, in your own words"), "No emojis in commits")
    page.get_by_label("Strength").select_option("strong")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("all of your projects")
    strong = page.get_by_role("region", name="Strong")
    expect(strong).to_contain_text("No emojis in commits")
    page.get_by_role("button", name="Write saved preferences into it").click()
    expect(page.get_by_role("status")).to_contain_text("Written")
    assert "No emojis" in (home.path / "USER.md").read_text()
    strong.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("region", name="Strong")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(strong).to_contain_text("No emojis in commits")
    strong.get_by_role("link", name="Edit").click()
    visitor.fill(page.get_by_label("Content"), "Never an emoji in a commit")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Save", exact=True).click()
    texts = [line["text"] for line in call("user_profile")["lines"]]
    assert "Never an emoji in a commit" in texts
    (home.path / "USER.md").unlink()
    for line in call("user_profile")["lines"]:
        call("delete_record", id=line["record"]["id"])


@pytest.mark.long
def test_a_proposed_preference_is_accepted_or_rejected(
    visit: Visit, call: Call, home: Home
) -> None:
    wiki = home.path.parent / f"{home.path.name}-wiki"
    wiki.mkdir()
    subprocess.run(["git", "init", "-q", str(wiki)], check=True)
    for content in ("Never commit generated files", "Prefer small pull requests"):
        call("save_context", content=content)
        client.call(
            "save_context", {"content": content}, home=home.path, cwd=str(wiki), client="cli"
        )
    call("person_propose")
    visitor = visit()
    page = visitor.page
    visitor.go("/person")
    proposed = page.get_by_role("region", name="Proposed to you")
    expect(proposed.get_by_role("listitem")).to_have_count(2)
    proposed.get_by_role("button", name="Accept: Never commit").click()
    expect(page.get_by_role("region", name="Strong")).to_contain_text("Never commit generated")
    proposed.get_by_role("button", name="Reject: Prefer small").click()
    expect(proposed).to_have_count(0)
    assert [line["text"] for line in call("user_profile")["lines"]] == [
        "Never commit generated files"
    ]
    shutil.rmtree(wiki)
