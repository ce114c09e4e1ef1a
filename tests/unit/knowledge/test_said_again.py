"""A note that is said again, and calls that nobody filled in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import count

import pytest

from contextd_common.errors import Invalid
from support.clocks import Shifted
from support.desks import Desk

FACT = "Invoices are immutable once they were sent to the customer"
SCHEMA = """version: 1
types:
  bug_pattern:
    fields:
      symptom: {type: string, required: true}
      files: {type: "string[]", required: true}
"""


def test_a_repeat_takes_over_the_tags_and_the_bubble_and_says_so(desk):
    bubble = desk("create_bubble", name="billing")["id"]
    one = desk("save_context", content=FACT, tags=["billing"])
    assert one["note"] == ""
    again = desk.answer("save_context", content=FACT, tags=["Billing", "law"], bubble_id=bubble)
    assert again.value["id"] == one["id"]
    assert again.value["tags"] == ["billing", "law"]
    assert again.value["bubbleId"] == bubble
    assert "took over the tags law and is in that bubble now" in again.text
    assert [e["id"] for e in desk("recall_context", query="law")["entries"]] == [one["id"]]
    silent = desk("save_context", content=FACT, tags=["law"])
    assert silent["note"] == "the same is already stored; that entry is returned"
    desk.as_owner("undo", id=one["id"])
    assert desk.record(one["id"]).tags == ("billing",)


@pytest.mark.parametrize("surface", ["mcp", "cli", "rest"])
def test_saving_a_served_text_again_returns_the_same_record_with_the_new_tags(desk, surface):
    saved = desk("save_context", content=FACT)
    session = desk.connected("one")
    session("session_start", task_description="Send invoices")
    session("recall_context", query="immutable invoices")
    desk.host.flush()
    again = session.on(surface)("save_context", content=FACT, tags=["law"])
    assert (again["id"], again["tags"]) == (saved["id"], ["law"])


@pytest.mark.parametrize("text", ["use pnpm", "port 8080", "pnpm", "42"])
def test_a_note_may_be_short(desk, text):
    assert desk("save_context", content=text)["content"] == text


def test_the_repeat_of_what_belongs_to_the_team_changes_nothing_there(desk):
    shared = desk.as_owner("remember", content=FACT, level="team")["id"]
    member = desk.by("project_dev", desk.scope.project)
    assert member("save_context", content=FACT, tags=["law"])["content"] == FACT
    assert desk.record(shared).tags == ()


def test_a_suggested_call_that_nobody_filled_in_is_refused(desk):
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(SCHEMA)
    desk("recall_context", query="who may approve a refund")
    for gap in desk("get_gaps")["gaps"]:
        for call in gap["calls"]:
            with pytest.raises(Invalid, match="stands for what is not known yet"):
                desk(call["operation"], **call["arguments"])
    assert desk("list_contexts")["entries"] == []
    kept = desk(
        "save_typed_context",
        type="bug_pattern",
        data={"symptom": "<div> is cut", "files": ["a.ts"]},
    )
    assert kept["structuredData"]["symptom"] == "<div> is cut"


def test_who_may_only_read_the_team_is_told_that_it_knows_and_changes_nothing(desk):
    shared = desk.as_owner("remember", content=FACT, level="team")["id"]
    fix = {"title": "Wake the scale", "problem": "ScaleError: no weight within 3 s",
           "root_cause": "The scale sleeps.", "solution": "Wake it before weighing."}  # fmt: skip
    mended = desk("remediation_record", **fix, scope="team")["id"]
    member = desk.by("team_member", desk.scope.project)
    assert member("save_context", content=FACT, tags=["law"])["id"] == shared
    assert desk.record(shared).tags == ()
    assert member("remediation_record", **fix)["id"] == mended
    assert desk.record(mended).data.get("occurrence_count", 1) == 1


class Interrupted(Shifted):
    """A clock that lets another caller act when it is read for the n-th time from now."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.act = 0, list[Callable[[], object]]()

    def now(self) -> datetime:
        self.reads -= 1
        if self.reads == 0:
            self.act.pop()()
        return super().now()


def test_of_two_that_record_the_same_at_once_the_second_gets_the_entry_of_the_first(
    home, repository
):
    clock = home.clock = Interrupted()
    desk = Desk(home.host(embedder_name="none"), repository)
    desk("list_contexts")
    for reads in count(1):
        text = f"Parcels of the depot number {reads}{reads} are labelled at night"
        clock.act = [partial(desk.connected("other"), "save_context", content=text)]
        clock.reads = reads
        mine = desk.connected("one")("save_context", content=text, tags=["law"])
        stored = [one for one in desk("list_contexts")["entries"] if one["content"] == text]
        assert [(one["id"], one["tags"]) for one in stored] == [(mine["id"], ["law"])], reads
        if clock.act:
            break  # A call reads the clock less often than that: no other came between.
    assert reads > 4
