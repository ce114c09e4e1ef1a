"""Every form: what it saves, what it refuses, and that nothing is lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

Visit = Callable[..., Any]
Call = Callable[..., Any]


@pytest.fixture
def note(call: Call) -> Iterator[str]:
    """The id of a fresh note."""
    made = call("save_context", content="The mail sender is retried three times, then gives up.")
    found = str(made["id"])
    yield found
    call("delete_record", id=found)


def test_an_edit_is_reviewed_saved_and_undone(visit: Visit, call: Call, note: str) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}/edit")
    page.get_by_label("Content").fill("The mail sender is retried five times, then gives up.")
    page.get_by_label("Tags").fill("Mail,  retry , mail")
    page.get_by_role("button", name="Review changes").click()
    review = page.get_by_role("region", name="What will change")
    expect(review.locator(".plus").first).to_contain_text("five times")
    expect(review.locator(".minus").first).to_contain_text("three times")
    assert "three" in call("get_record", id=note)["content"]
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    whole = call("get_record", id=note)
    assert "five" in whole["content"]
    assert whole["record"]["tags"] == ["mail", "retry"]
    page.get_by_role("button", name="Undo last change").click()
    expect(page.get_by_role("status")).to_contain_text("was undone")
    assert "three" in call("get_record", id=note)["content"]
    expect(page.get_by_role("button", name="Undo last change")).to_have_count(0)


@pytest.mark.long
def test_a_wrong_field_is_named_where_it_is_and_nothing_is_saved(
    visit: Visit, call: Call, note: str
) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}/edit")
    page.get_by_label("Other fields, as JSON").fill("{broken")
    page.get_by_role("button", name="Review changes").click()
    field = page.get_by_label("Other fields, as JSON")
    assert field.get_attribute("aria-invalid") == "true"
    expect(field).to_have_value("{broken")
    expect(page.locator("#wrong-others")).to_contain_text("not JSON")
    assert len(call("get_record", id=note)["history"]) == 1


@pytest.mark.long
def test_an_edit_of_what_changed_meanwhile_is_a_conflict_that_keeps_the_text(
    visit: Visit, call: Call, note: str
) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}/edit")
    call("edit_record", id=note, content="The mail sender is gone.")
    page.get_by_label("Content").fill("My own words about the mail sender.")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("alert")).to_contain_text("changed while you edited")
    expect(page.get_by_label("Content")).to_have_value("My own words about the mail sender.")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Save", exact=True).click()
    assert call("get_record", id=note)["content"] == "My own words about the mail sender."


@pytest.mark.long
def test_a_record_is_deleted_and_restored(visit: Visit, call: Call, note: str) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Restore").wait_for()
    assert call("get_record", id=note)["record"]["status"] == "deleted"
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("button", name="Delete").wait_for()
    assert call("get_record", id=note)["record"]["status"] == "active"


@pytest.mark.long
def test_a_form_can_be_filled_and_sent_by_keyboard(visit: Visit, call: Call, note: str) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}")
    page.get_by_role("link", name="Edit").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/edit")
    page.get_by_label("Title").focus()
    page.keyboard.type("Mail sender")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Review changes":
            break
    page.keyboard.press("Enter")
    save = page.get_by_role("button", name="Save", exact=True)
    save.wait_for()
    save.focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").wait_for()
    assert call("get_record", id=note)["record"]["title"] == "Mail sender"


@pytest.mark.long
def test_a_contradiction_shows_both_entries_and_is_settled(
    visit: Visit, call: Call, known: dict[str, str]
) -> None:
    visitor = visit()
    page = visitor.page
    ids = {known["prefers"], known["avoids"]}

    def is_open() -> bool:
        pairs = call("list_contradictions")["contradictions"]
        return any({c["a"]["id"], c["b"]["id"]} == ids for c in pairs)

    for _ in range(40):
        if is_open():
            break
        call("compare_records")
        page.wait_for_timeout(250)
    visitor.go("/awareness")
    rule = "use tabs for indentation in the billing module."
    pair = page.get_by_role("article").filter(has_text=f"Always {rule}").first
    expect(pair.get_by_text(f"Always {rule}", exact=True)).to_be_visible()
    expect(pair.get_by_text(f"Never {rule}", exact=True)).to_be_visible()
    links = {a.get_attribute("href") for a in pair.get_by_role("link").all()}
    assert {f"/records/{known['prefers']}", f"/records/{known['avoids']}"} <= links
    pair.get_by_label("Why, in a few words").fill("settled in a test")
    pair.get_by_role("button", name="Both are right").click()
    page.get_by_role("status").wait_for()
    assert not is_open()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Reopened: both records are in use").wait_for()
    assert is_open()
    page.get_by_role("button", name="Keep this one").first.click()
    page.get_by_text("Resolved: one is kept").wait_for()
    states = {call("get_record", id=id)["record"]["status"] for id in ids}
    assert states == {"active", "superseded"}
    page.get_by_role("link", name="Recently resolved").click()
    settled = page.get_by_role("region", name="Recently resolved")
    settled.get_by_role("button", name="Reopen").first.click()
    page.get_by_text("Reopened: both records are in use").wait_for()
    assert {call("get_record", id=id)["record"]["status"] for id in ids} == {"active"}


@pytest.mark.long
def test_a_gap_is_dismissed_and_opened_again(visit: Visit, call: Call, missed: Any) -> None:
    visitor = visit()
    page = visitor.page
    missed("who waters the plants of the office")
    visitor.go("/awareness")
    dismiss = page.get_by_role("button", name=re.compile("Not a gap: .*who waters the plants"))
    for _ in range(60):
        # What a browser saw in the last seconds is shown to it again.
        if dismiss.count():
            break
        page.wait_for_timeout(500)
        page.reload()
    dismiss.click()
    page.get_by_text("Dismissed: agents no longer see this gap").wait_for()
    told = [gap["description"] for gap in call("get_gaps")["gaps"]]
    assert not any("waters the plants" in description for description in told)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Reopened: the gap is listed").wait_for()
    told = [gap["description"] for gap in call("get_gaps")["gaps"]]
    assert any("waters the plants" in description for description in told)


@pytest.mark.long
def test_contradictions_are_looked_for_on_demand(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/awareness")
    visitor.page.get_by_role("button", name="Check again").click()
    expect(visitor.page.get_by_role("status")).to_contain_text("in the background")


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
    page.get_by_label("What it is for").fill("Who we buy from")
    page.get_by_label("Field name").fill("tier")
    page.get_by_label("Field type").select_option("enum")
    page.get_by_label("Allowed values, separated by commas").fill("gold, silver")
    page.get_by_label("required").check()
    preview = page.get_by_label("The file as YAML")
    expect(preview).to_have_value(re.compile("vendor:(.|\n)*required: true(.|\n)*silver"))
    preview.fill(preview.input_value().replace("vendor:", "supplier:"))
    expect(page.get_by_label("Type name")).to_have_value("supplier")
    preview.fill("types:\n  broken: [")
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
    for field in page.get_by_label("Field name").all():
        field.fill("same")
    expect(page.locator("[data-field] [data-error]")).to_have_text(
        "thing has two fields called same."
    )
    expect(page.locator("[data-state]")).to_have_text("1 problem")


def test_what_is_wrong_in_the_schema_form_is_said_at_its_field_and_nothing_typed_is_lost(
    visit: Visit, call: Call
) -> None:
    visitor = visit()
    visitor.go("/schema")
    page = visitor.page
    page.get_by_role("button", name="Add a type").click()
    page.keyboard.type("vendor")
    page.get_by_label("Field name").fill("tier")
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
    page.get_by_label("Field name").last.fill("city")
    page.get_by_label("Allowed values, separated by commas").first.fill("gold, silver")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_text("added type vendor")).to_be_visible()
    assert call("schema_get", scope="project")["exists"] is False


SECRET = "AKIA" + "Q3EGRTX5YV2LWJ7N"


@pytest.mark.long
def test_a_secret_in_an_edit_is_shown_as_it_would_be_kept_and_never_stored(
    visit: Visit, call: Call, note: str
) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}/edit")
    page.get_by_label("Content").fill(f"The mail sender signs in with {SECRET}.")
    page.get_by_role("button", name="Review changes").click()
    review = page.get_by_role("region", name="What will change")
    expect(review.get_by_text("1 secret found.")).to_be_visible()
    expect(review).not_to_contain_text(SECRET)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("1 secret was redacted")
    assert SECRET not in str(call("get_record", id=note))


@pytest.mark.long
def test_a_question_nobody_could_answer_is_answered_from_its_gap(
    visit: Visit, call: Call, missed: Any
) -> None:
    missed("kiosk printer paper width")
    visitor = visit()
    page = visitor.page
    gaps = page.get_by_role("region", name="Gaps").get_by_role("listitem")
    gap = gaps.filter(has_text="kiosk printer")
    for _ in range(40):  # what costs much to tell is kept for some seconds
        visitor.go("/awareness")
        if gap.count():
            break
        page.wait_for_timeout(250)
    gap.get_by_role("link", name="Answer it").click()
    page.get_by_label("Answer").fill("It takes rolls of 58 mm.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved for all agents.")
    [found] = call("recall_context", query="kiosk printer paper width")["entries"]
    assert found["content"] == "kiosk printer paper width? It takes rolls of 58 mm."
    assert call("get_record", id=found["id"])["record"]["trust"] == "human"


@pytest.mark.long
def test_an_entry_of_a_type_is_checked_where_it_is_typed(
    visit: Visit, call: Call, home: Any
) -> None:
    path = home.project / ".context" / "schema.yaml"
    path.write_text(
        "version: 1\ntypes:\n  vendor:\n    description: Who we buy from\n    fields:\n"
        "      name: {type: string, required: true}\n      seats: {type: number}\n"
        "      tier: {type: enum, values: [gold, silver], default: silver}\n"
    )
    try:
        visitor = visit()
        page = visitor.page
        visitor.go("/awareness")
        empty = page.get_by_role("listitem").filter(has_text="Type 'vendor'")
        empty.get_by_role("link", name="Add the first entry").click()
        page.get_by_label("Seats").fill("many")
        page.get_by_role("button", name="Save", exact=True).click()
        assert page.get_by_label("Seats").get_attribute("aria-invalid") == "true"
        page.get_by_label("Seats").fill("12")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#wrong-name")).to_have_text("required")
        page.get_by_label("Name").fill("Blue Boxes")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("status").wait_for()
        [made] = call("query_by_type", type="vendor")["entries"]
        assert made["structuredData"] == {"name": "Blue Boxes", "seats": 12, "tier": "silver"}
    finally:
        path.unlink()


@pytest.mark.long
def test_a_record_is_confirmed_from_its_page_and_that_can_be_taken_back(
    visit: Visit, call: Call, note: str
) -> None:
    visitor = visit()
    page = visitor.page
    before = call("get_record", id=note)["record"]["confidence"]
    visitor.go(f"/records/{note}")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert call("get_record", id=note)["record"]["confidence"] > before
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("was undone")
    assert call("get_record", id=note)["record"]["confidence"] == before


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


@pytest.mark.long
def test_a_form_on_its_way_says_so_and_is_not_sent_twice(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/records/new")
    page.get_by_label("Content").fill("The label printer is restarted every night at three.")
    # Held back at the last moment, so that there is time to look.
    page.evaluate(
        "addEventListener('submit', (event) => {"
        " window.sent = (window.sent ?? 0) + !event.defaultPrevented; event.preventDefault(); })"
    )
    button = page.get_by_role("button", name="Save", exact=True)
    width = button.bounding_box()["width"]
    button.click()
    expect(button).to_be_disabled()
    assert button.get_attribute("aria-busy") == "true"
    assert button.bounding_box()["width"] == width
    assert page.locator("form.fields").get_attribute("aria-busy") == "true"
    page.evaluate("document.querySelector('form.fields').requestSubmit()")
    assert page.evaluate("window.sent") == 1
