"""The modules of a project: seen as a graph, read as a table, and reached without a mouse."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from homes import Home
from playwright.sync_api import expect

from contextd.thin import client

Visit = Callable[..., Any]
Call = Callable[..., Any]


@pytest.mark.long
def test_the_graph_and_the_table_say_the_same(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/project")
    for name, needs in (("cart", "prices"), ("prices", "stock"), ("stock", "no module")):
        node = page.get_by_role("link", name=f"{name} undocumented")
        expect(node).to_have_attribute("aria-description", f"3 files; depends on {needs}")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="cart", exact=True))
    expect(row).to_contain_text("prices")
    expect(row).to_contain_text("undocumented")


@pytest.mark.long
def test_a_module_is_opened_from_the_graph_by_keyboard(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/project")
    page.get_by_role("link", name="prices undocumented").focus()
    expect(page.locator("svg.graph .followed"), "its lines stand out").to_have_count(2)
    page.keyboard.press("Enter")
    page.wait_for_url("**/project?module=prices")
    expect(page.get_by_role("heading", level=1)).to_have_text("prices")
    around = page.locator("svg.graph a")
    expect(around).to_have_count(3)
    expect(page.locator('svg.graph a[aria-current="true"]')).to_have_count(1)


@pytest.mark.long
def test_a_record_about_a_module_is_listed_and_counted_at_the_module(
    visit: Visit, call: Call
) -> None:
    made = call("remember", content="Prices are in cents.", kind="discovery",
                fields={"type": "rule", "module": "prices"})["id"]  # fmt: skip
    visitor = visit()
    page = visitor.page
    visitor.go("/project?module=prices")
    expect(page.get_by_role("link", name="Prices are in cents.")).to_be_visible()
    visitor.go("/project")
    row = page.get_by_role("row").filter(has_text="1 record")
    expect(row).to_contain_text("prices")
    call("delete_record", id=made)


def width(page: Any) -> float:
    return float(page.locator("svg.graph").bounding_box()["width"])


@pytest.mark.long
def test_one_looks_closer_with_and_without_script(visit: Visit) -> None:
    widths = {}
    for script in (True, False):
        visitor = visit(java_script_enabled=script, viewport={"width": 390, "height": 800})
        page = visitor.page
        visitor.go("/project")
        before = width(page)
        page.get_by_role("link", name="Zoom in").click()
        if not script:
            page.wait_for_url("**/project?zoom=150")
        widths[script] = width(page) / before
    assert widths[False] == 1.5
    assert widths[True] > 1.2
    page.get_by_role("link", name="Fit").click()
    page.wait_for_url("**/project")


@pytest.mark.long
def test_a_project_that_was_not_read_says_how(visit: Visit, home: Home) -> None:
    bare = home.path.parent / f"{home.path.name}-bare"
    bare.mkdir()
    (bare / ".git").mkdir()
    made = client.call(
        "save_context", {"content": "A first note."}, home=home.path, cwd=str(bare), client="cli"
    ).value
    scope = client.call("list_projects", {}, home=home.path, cwd=str(bare), client="cli").value
    visitor = visit()
    visitor.go(f"/project?project={scope['current']}")
    expect(visitor.page.get_by_text("contextd init", exact=True)).to_be_visible()
    visitor.go(
        "/project?project="
        + next(p["scope"] for p in scope["projects"] if p["scope"] != scope["current"])
    )
    client.call("delete_record", {"id": made["id"]}, home=home.path, cwd=str(bare), client="cli")
    shutil.rmtree(bare)


@pytest.mark.long
def test_a_project_is_given_to_a_team_and_taken_back(visit: Visit, call: Call) -> None:
    visitor = visit()
    page = visitor.page
    # A browser goes on with the project that it showed last.
    visitor.go("/project?" + urlencode({"project": call("project_overview")["scope"]}))
    team = page.get_by_role("region", name="Team")
    visitor.fill(team.get_by_label("Team"), "Dock Side")
    team.get_by_role("button", name="Save").click()
    expect(team.get_by_role("alert")).to_contain_text("lower-case letters")
    expect(team.get_by_label("Team")).to_have_value("Dock Side")
    visitor.fill(team.get_by_label("Organisation"), "acme")
    visitor.fill(team.get_by_label("Team"), "dock")
    team.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("acme/dock/")
    expect(team.get_by_label("Organisation")).to_have_value("acme")
    assert call("project_overview")["scope"].startswith("acme/dock/")
    page.get_by_role("button", name="Undo").click()
    expect(team.get_by_label("Team")).to_have_value("default")
    assert call("project_overview")["scope"].startswith("local/default/")
