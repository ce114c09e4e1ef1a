"""Entries whose type is declared, set or changed after they were saved."""

from __future__ import annotations

import json

import pytest

from contextd_common.errors import Invalid, NotFound

SCHEMA = """version: 1
types:
  decision:
    fields:
      what: {type: string, required: true}
      why: {type: string}
      strength: {type: enum, values: [strong, mild], default: mild}
  idea:
    fields:
      summary: {type: string, required: true}
"""
WHAT = {"what": "Queue jobs in Redis", "why": "it is there already"}


def declare(desk, text: str = SCHEMA) -> None:
    (desk.root / ".context").mkdir(exist_ok=True)
    (desk.root / ".context" / "schema.yaml").write_text(text)


@pytest.fixture
def shop(desk):
    declare(desk)
    return desk


def test_an_entry_becomes_of_its_type_once_that_is_declared(desk):
    saved = desk("save_typed_context", type="decision", data=WHAT)
    assert (saved["contextType"], saved["structuredData"]) == (None, WHAT)
    assert "becomes one of that type once it is declared" in saved["note"]
    unfit = desk("save_typed_context", type="decision", data={"wat": "Queue jobs in Kafka"})
    waiting = desk("query_by_type", type="decision", filter={"what": WHAT["what"]})
    assert [e["id"] for e in waiting["entries"]] == [saved["id"]]
    assert "unknown type 'decision'" in waiting["note"]
    declare(desk)
    desk("describe_schema")
    desk.host.work_off()
    [entry] = desk("query_by_type", type="decision")["entries"]
    assert (entry["id"], entry["contextType"]) == (saved["id"], "decision")
    assert entry["structuredData"] == {**WHAT, "strength": "mild"}
    assert entry["content"].endswith("strength: mild")
    assert "savedAs" not in desk.record(saved["id"]).data
    assert desk.record(unfit["id"]).data["savedAs"] == "decision"
    desk.as_owner("undo", id=saved["id"])
    assert desk.record(saved["id"]).data["savedAs"] == "decision"


def test_an_entry_saved_under_a_broken_schema_file_is_typed_after_the_repair(shop):
    declare(shop, SCHEMA.replace("  decision:\n    fields:", "  decision\n    fields"))
    saved = shop("save_typed_context", type="decision", data=WHAT)
    assert saved["contextType"] is None
    declare(shop)
    shop("introspect")
    shop.host.work_off()
    assert shop.record(saved["id"]).data["contextType"] == "decision"


def test_an_untyped_entry_of_an_older_version_is_typed_when_its_type_is_declared(desk):
    saved = desk("save_typed_context", type="decision", data=WHAT)
    record = desk.record(saved["id"])
    desk.put(record.with_(data={"structuredData": WHAT}))
    declare(desk)
    desk("describe_schema")
    desk.host.work_off()
    assert desk.record(saved["id"]).data["contextType"] == "decision"


def test_who_may_only_read_adopts_nothing(desk):
    desk("save_typed_context", type="decision", data=WHAT)
    # What is done behind that answer is done by who may write.
    desk.host.flush()
    declare(desk)
    desk.by("viewer", desk.scope.project)("describe_schema")
    desk.host.flush()
    assert [job.name for job in desk.view.jobs.list(states=("ready",))].count(
        "adopt_leftovers"
    ) == 0


def test_an_export_keeps_the_name_a_leftover_was_saved_under(desk, tmp_path):
    desk("save_typed_context", type="decision", data=WHAT)
    told = desk.as_owner("export")["text"]
    [entry] = json.loads(told)["entries"]
    assert (entry["contextType"], entry["structuredData"]) == ("decision", WHAT)


def test_a_type_can_be_set_changed_and_taken_away(shop):
    note = shop("save_context", content="We queue jobs in Redis, it is there already")
    with pytest.raises(Invalid, match="what: required"):
        shop("update_context", id=note["id"], type="decision")
    with pytest.raises(NotFound, match="unknown type 'decison'") as refusal:
        shop("update_context", id=note["id"], type="decison", data=WHAT)
    assert "decision" in refusal.value.hint
    typed = shop("update_context", id=note["id"], type="decision", data=WHAT)
    assert (typed["contextType"], typed["content"]) == ("decision", note["content"])
    assert [e["id"] for e in shop("query_by_type", type="decision")["entries"]] == [note["id"]]
    made = shop("save_typed_context", type="idea", data={"summary": "Queue jobs in Redis"})
    changed = shop(
        "update_context", id=made["id"], type="decision", data={"what": "Queue jobs in Redis"}
    )
    assert changed["content"].startswith("decision — ")
    plain = shop("update_context", id=note["id"], type=None)
    assert plain["contextType"] is None


def test_a_text_made_from_fields_is_changed_by_them(shop):
    saved = shop("save_typed_context", type="decision", data=WHAT)
    with pytest.raises(Invalid, match="still holds in what, why") as refusal:
        shop("update_context", id=saved["id"], content="Use Kafka after all")
    assert "give `data`" in refusal.value.hint
    after = shop("update_context", id=saved["id"], data={"what": "Queue jobs in Kafka"})
    assert "what: Queue jobs in Kafka; why: it is there already" in after["content"]
    with pytest.raises(Invalid, match="still holds"):
        shop.as_owner("edit_record", id=saved["id"], content="Use Kafka after all")


def test_a_single_field_of_free_text_follows_the_text(shop):
    saved = shop("save_typed_context", type="idea", data={"summary": "Print labels in the shop"})
    after = shop("update_context", id=saved["id"], content="Print labels at the counter")
    assert after["structuredData"] == {"summary": "Print labels at the counter"}
    assert after["content"] == "idea — summary: Print labels at the counter"


def test_a_text_of_its_own_may_be_reworded_while_it_says_what_the_fields_hold(shop):
    note = shop("save_context", content="We queue jobs in Redis, strong opinion")
    data = {"what": "queue jobs in Redis", "strength": "strong"}
    shop("update_context", id=note["id"], type="decision", data=data)
    shop("update_context", id=note["id"], content="Always queue jobs in Redis")
    with pytest.raises(Invalid, match="still holds in what"):
        shop("update_context", id=note["id"], content="Use Kafka after all")
