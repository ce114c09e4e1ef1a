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
    visitor.fill(
        page.get_by_label("Content"), "The mail sender is retried five times, then gives up."
    )
    visitor.fill(page.get_by_label("Tags"), "Mail,  retry , mail")
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
    visitor.fill(page.get_by_label("Other fields, as JSON"), "{broken")
    page.get_by_role("button", name="Review changes").click()
    field = page.get_by_label("Other fields, as JSON")
    expect(field).to_have_attribute("aria-invalid", "true")
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
    visitor.fill(page.get_by_label("Content"), "My own words about the mail sender.")
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
    visitor.fill(pair.get_by_label("Why, in a few words"), "settled in a test")
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


SECRET = "AKIA" + "Q3EGRTX5YV2LWJ7N"


@pytest.mark.long
def test_a_secret_in_an_edit_is_shown_as_it_would_be_kept_and_never_stored(
    visit: Visit, call: Call, note: str
) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/records/{note}/edit")
    visitor.fill(page.get_by_label("Content"), f"The mail sender signs in with {SECRET}.")
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
    visitor.fill(page.get_by_label("Answer"), "It takes rolls of 58 mm.")
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
        visitor.fill(page.get_by_label("Seats"), "many")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_label("Seats")).to_have_attribute("aria-invalid", "true")
        visitor.fill(page.get_by_label("Seats"), "12")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#wrong-name")).to_have_text("required")
        visitor.fill(page.get_by_label("Name"), "Blue Boxes")
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
def test_a_form_on_its_way_says_so_and_is_not_sent_twice(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/records/new")
    visitor.fill(
        page.get_by_label("Content"), "The label printer is restarted every night at three."
    )
    # Held back at the last moment, so that there is time to look.
    page.evaluate(
        "addEventListener('submit', (event) => {"
        " window.sent = (window.sent ?? 0) + !event.defaultPrevented; event.preventDefault(); })"
    )
    button = page.get_by_role("button", name="Save", exact=True)
    width = button.bounding_box()["width"]
    button.click()
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("aria-busy", "true")
    assert button.bounding_box()["width"] == width
    expect(page.locator("form.fields")).to_have_attribute("aria-busy", "true")
    page.evaluate("document.querySelector('form.fields').requestSubmit()")
    assert page.evaluate("window.sent") == 1
