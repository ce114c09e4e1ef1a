"""The form of a schema: what it writes, what it refuses, and that nothing typed is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

Visit = Callable[..., Any]
Call = Callable[..., Any]


@pytest.mark.long
def test_a_template_fills_the_editor_and_is_saved_after_a_review(visit: Visit, call: Call) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/schema?scope=home")
    page.get_by_role("link", name="Solo developer").click()
    page.locator("fieldset").first.wait_for()
    expect(page.get_by_role("status").first).to_contain_text("Nothing is saved yet")
    assert call("schema_get", scope="home")["exists"] is False
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("added type decision")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved: added type decision").wait_for()
    assert call("schema_get", scope="home")["exists"] is True


@pytest.mark.long
def test_the_form_writes_yaml_and_the_yaml_fills_the_form(visit: Visit, call: Call) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/schema")
    page.get_by_role("button", name="Add a type").click()
    page.keyboard.type("vendor")
    visitor.fill(page.get_by_label("What it is for"), "Who we buy from")
    visitor.fill(page.get_by_label("Field name"), "tier")
    page.get_by_label("Field type").select_option("enum")
    visitor.fill(page.get_by_label("Allowed values, separated by commas"), "gold, silver")
    page.get_by_label("required").check()
    preview = page.get_by_label("The file as YAML")
    expect(preview).to_have_value(re.compile("vendor:(.|\n)*required: true(.|\n)*silver"))
    visitor.fill(preview, preview.input_value().replace("vendor:", "supplier:"))
    expect(page.get_by_label("Type name")).to_have_value("supplier")
    visitor.fill(preview, "types:\n  broken: [")
    page.locator("[data-state].bad").wait_for()
    expect(page.locator("[data-problems]")).to_contain_text("Line")
    assert call("schema_get", scope="project")["exists"] is False


@pytest.mark.long
def test_a_schema_that_changed_on_disk_is_a_conflict(visit: Visit, call: Call, home: Any) -> None:
    path = home.project / ".context" / "schema.yaml"
    visitor = visit()
    page = visitor.page
    try:
        visitor.go("/schema?template=team")
        path.write_text("version: 1\ntypes:\n  mine:\n    description: d\n    fields: {}\n")
        page.get_by_role("button", name="Review changes").click()
        expect(page.get_by_role("alert")).to_contain_text("changed since you opened it")
        expect(page.get_by_text("removed type mine")).to_be_visible()
        page.get_by_role("button", name="Save my version").click()
        page.get_by_text("Saved:").wait_for()
        assert "runbook" in path.read_text()
        backups = list((home.path / "backups" / "schema").iterdir())
        assert any("mine" in backup.read_text() for backup in backups)
    finally:
        path.unlink(missing_ok=True)


@pytest.mark.long
def test_two_fields_of_one_name_are_refused_before_they_swallow_each_other(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/schema")
    page.get_by_role("button", name="Add a type").click()
    page.keyboard.type("thing")
    page.get_by_role("button", name="Add a field").click()
    names = page.get_by_label("Field name")
    expect(names).to_have_count(2)
    visitor.fill(names.first, "same")
    visitor.fill(names.last, "same")
    # As a list: until the form is checked again, both fields have the error of the last check.
    expect(page.locator("[data-field] [data-error]")).to_have_text(
        ["thing has two fields called same."]
    )
    expect(page.locator("[data-state]")).to_have_text("1 problem")


def test_errors_of_the_schema_form_appear_at_their_field_and_typed_input_stays(
    visit: Visit, call: Call
) -> None:
    visitor = visit()
    visitor.go("/schema")
    page = visitor.page
    page.get_by_role("button", name="Add a type").click()
    page.keyboard.type("vendor")
    visitor.fill(page.get_by_label("Field name"), "tier")
    page.get_by_label("Field type").select_option("enum")
    page.get_by_role("button", name="Review changes").click()
    wrong = page.locator("[data-field] [data-error]")
    expect(wrong).to_contain_text("enum vendor.tier has no values")
    expect(page.get_by_label("Field name")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Field name")).to_be_focused()
    page.get_by_role("button", name="Add a field").click()
    page.get_by_role("button", name="Review changes").click()
    expect(wrong).to_contain_text("This field of vendor has no name.")
    expect(page.get_by_label("Type name")).to_have_value("vendor")
    visitor.fill(page.get_by_label("Field name").last, "city")
    visitor.fill(page.get_by_label("Allowed values, separated by commas").first, "gold, silver")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("added type vendor")).to_be_visible()
    assert call("schema_get", scope="project")["exists"] is False


@pytest.mark.long
def test_the_schema_is_built_by_keyboard_alone_and_its_comments_stay(
    visit: Visit, call: Call, home: Any
) -> None:
    path = home.project / ".context" / "schema.yaml"
    path.write_text(
        "# what we agreed on\nversion: 1\ntypes:\n  one:\n    description: first  # not last\n"
        "    fields:\n      a: {type: string}\n  two:\n    fields:\n      b: {type: string}\n"
    )
    try:
        visitor = visit()
        page = visitor.page
        press, typed = page.keyboard.press, page.keyboard.type
        visitor.go("/schema")
        page.get_by_role("button", name="Add a type").focus()
        press("Enter")
        typed("three")
        press("Tab")
        typed("the third")
        press("Enter")  # to its first field
        typed("tier")
        press("Tab")
        typed("enum")
        for _ in range(5):  # past required, up, down, remove, description
            press("Tab")
        press("Tab")
        typed("gold")
        press("Tab")
        typed("gold, silver")
        preview = page.get_by_label("The file as YAML")
        expect(preview).to_have_value(re.compile("silver"))
        press("Alt+ArrowUp")  # the only field stays where it is
        page.get_by_label("Type name").last.focus()
        press("Alt+ArrowUp")
        assert page.evaluate("document.activeElement.value") == "three", "the focus moves along"
        expect(preview).to_have_value(re.compile("one:.*three:.*two:", re.DOTALL))
        page.get_by_role("button", name="Review changes").focus()
        press("Enter")
        save = page.get_by_role("button", name="Save", exact=True)
        save.wait_for()
        save.focus()
        press("Enter")
        page.get_by_text("Saved: added type three").wait_for()
        text = path.read_text()
        assert text.startswith("# what we agreed on\n")
        assert "first  # not last" in text
        assert text.index("three:") < text.index("two:")
        kinds = {kind["name"]: kind for kind in call("schema_get", scope="project")["types"]}
        assert kinds["three"]["fields"]["tier"]["default"] == "gold"
    finally:
        path.unlink()
