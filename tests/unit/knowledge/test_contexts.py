from __future__ import annotations

import pytest

from contextd_common.errors import Conflict, ContextdError, Invalid, NotFound
from support.desks import Listening, embedder


def test_a_saved_note_is_found_by_its_words_at_once(desk):
    saved = desk("save_context", content="Deploys go through the blue pipeline", tags=["Deploy"])
    found = desk("recall_context", query="which pipeline for deploys")
    assert [e["id"] for e in found["entries"]] == [saved["id"]]
    assert saved["tags"] == ["deploy"]


def test_entries_carry_the_field_names_opencontext_clients_know(desk):
    bubble = desk("create_bubble", name="ops")
    saved = desk("save_context", content="Rotate keys every month", bubbleId=bubble["id"])
    assert saved["bubbleId"] == bubble["id"]
    assert {"id", "content", "tags", "source", "createdAt", "updatedAt"} <= saved.keys()


def test_an_unanswered_recall_is_logged_as_a_miss(desk):
    assert desk("recall_context", query="quantum flux")["entries"] == []
    summary = desk.usage()
    assert summary.misses == 1
    assert dict(summary.missed_queries) == {"quantum flux": 1}


def test_list_pages_newest_first_without_gaps(desk):
    ids = [desk("save_context", content=f"note number {i} about things")["id"] for i in range(5)]
    first = desk("list_contexts", limit=2)
    second = desk("list_contexts", limit=2, cursor=first["cursor"])
    third = desk("list_contexts", limit=2, cursor=second["cursor"])
    listed = [e["id"] for page in (first, second, third) for e in page["entries"]]
    assert listed == ids[::-1]


def test_update_changes_only_what_is_given(desk):
    saved = desk("save_context", content="Use tabs in Makefiles", tags=["style"])
    changed = desk("update_context", id=saved["id"][:8], content="Use tabs in every Makefile")
    assert changed["content"] == "Use tabs in every Makefile"
    assert changed["tags"] == ["style"]


def test_delete_hides_and_undo_brings_back(desk):
    saved = desk("save_context", content="The staging host is called otter")
    desk("delete_context", id=saved["id"])
    assert desk("recall_context", query="staging host otter")["entries"] == []
    desk.as_owner("undo", id=saved["id"])
    assert [e["id"] for e in desk("recall_context", query="staging host otter")["entries"]] == [
        saved["id"]
    ]


def test_one_undo_restores_a_record_that_was_deleted_twice(desk):
    saved = desk("save_context", content="Invoices are immutable once sent")
    assert "`contextd records undo " in desk("delete_context", id=saved["id"])["message"]
    assert "was deleted before" in desk("delete_context", id=saved["id"])["message"]
    assert desk.as_owner("undo", id=saved["id"])["status"] == "active"


def test_history_tells_every_change_in_order(desk):
    saved = desk("save_context", content="Feature flags live in flags.json")
    desk("update_context", id=saved["id"], content="Feature flags live in flags.yaml")
    desk("delete_context", id=saved["id"])
    changes = desk.as_owner("history", id=saved["id"])["changes"]
    assert [c["action"] for c in changes] == ["create", "update", "delete"]


def test_saying_the_same_twice_gives_the_record_that_was_there(desk):
    one = desk("save_context", content="Invoices are immutable once sent")
    two = desk("save_context", content="invoices are  immutable once sent")
    assert one["id"] == two["id"]


def test_a_bubble_counts_holds_and_releases_its_notes(desk):
    bubble = desk("create_bubble", name="payments", description="money things")
    note = desk("save_context", content="Refunds need two approvals", bubble_id="payments")
    assert desk("get_bubble", id="payments")["entries"][0]["id"] == note["id"]
    assert desk("list_bubbles")["bubbles"][0]["count"] == 1
    renamed = desk("update_bubble", id=bubble["id"], name="billing")
    assert renamed["name"] == "billing"
    desk("delete_bubble", id="billing")
    kept = desk("list_contexts")["entries"]
    assert [e["id"] for e in kept] == [note["id"]]
    assert kept[0]["bubbleId"] is None


def test_a_note_that_changes_its_bubble_keeps_its_vector(open_desk):
    listening = Listening(embedder())
    desk = open_desk(listening)
    for name in ("payments", "billing"):
        desk("create_bubble", name=name)
    note = desk("save_context", content="Refunds need two approvals", bubble_id="payments")
    desk.host.work_off()
    listening.texts.clear()
    desk("update_context", id=note["id"], bubble_id="billing")
    desk("delete_bubble", id="billing")
    desk.host.work_off()
    assert listening.texts == []
    assert desk.view.index.stats(embedder().model).pending == 0
    assert desk("recall_context", query="approvals of refunds")["entries"][0]["id"] == note["id"]


def test_deleting_a_bubble_with_its_contents_deletes_them(desk):
    desk("create_bubble", name="old")
    desk("save_context", content="An obsolete fact about servers", bubble_id="old")
    desk("delete_bubble", id="old", delete_contents=True)
    assert desk("list_contexts")["entries"] == []


def test_a_wrong_argument_name_is_answered_with_the_nearest(desk):
    with pytest.raises(Invalid) as caught:
        desk("save_context", contnt="x")
    assert "unknown argument 'contnt' (did you mean 'text'?)" in caught.value.message
    assert "text: required" in caught.value.message


def test_empty_content_is_refused_with_a_hint(desk):
    with pytest.raises(Invalid) as caught:
        desk("save_context", content="   ")
    assert caught.value.hint


def test_unknown_ids_and_short_prefixes_are_typed_errors(desk):
    with pytest.raises(NotFound):
        desk("update_context", id="00000000-0000-0000-0000-000000000000", content="x y z")
    with pytest.raises(ContextdError):
        desk("delete_context", id="ab")


def test_an_ambiguous_name_of_a_project_is_a_conflict_and_an_unknown_one_names_the_nearest(desk):
    with pytest.raises(NotFound) as caught:
        desk("briefing_get", project="shp")
    assert "shop" in caught.value.hint
    assert not isinstance(caught.value, Conflict)


def test_secrets_are_gone_before_anything_is_stored(desk):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    saved = desk("save_context", content=f"The deploy token is {secret} for now")
    assert secret not in saved["content"]
    assert "[REDACTED" in saved["content"]
    desk.host.flush()
    home = desk.host.settings.home
    stored = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert secret.encode() not in stored


def test_secrets_are_gone_from_an_update_and_from_a_bubble_too(desk):
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    note = desk("save_context", content="The deploy token is kept in the vault")
    changed = desk("update_context", id=note["id"], content=f"It is {secret}", data={"k": secret})
    bubble = desk("create_bubble", name=f"keys {secret}", description=secret)
    renamed = desk("update_bubble", id=bubble["id"], description=f"again {secret}")
    assert secret not in str([changed, bubble, renamed, desk.as_owner("history", id=note["id"])])


def test_tags_are_found_however_they_are_written(desk):
    desk("save_context", content="Deploy on Mondays only", tags=["Release  Train"])
    assert len(desk("list_contexts", tag="release train")["entries"]) == 1
    assert len(desk("list_contexts", tag="Release Train")["entries"]) == 1
    assert len(desk("search_contexts", query="deploy", tags=["RELEASE TRAIN"])["entries"]) == 1


def test_null_takes_a_note_out_of_its_bubble_and_leaving_it_out_does_not(desk):
    bubble = desk("create_bubble", name="payments")
    note = desk("save_context", content="Stripe keys rotate monthly", bubbleId=bubble["id"])
    kept = desk("update_context", id=note["id"], content="Stripe keys rotate weekly")
    assert kept["bubbleId"] == bubble["id"]
    assert desk("update_context", id=note["id"], bubbleId=None)["bubbleId"] is None


def test_the_older_spelling_of_deleting_a_bubble_with_its_contents_works(desk):
    bubble = desk("create_bubble", name="payments")
    desk("save_context", content="Stripe keys rotate monthly", bubbleId=bubble["id"])
    desk("delete_bubble", id=bubble["id"], deleteContexts=True)
    assert desk("list_contexts")["entries"] == []


def test_the_eleven_tools_answer_in_the_field_names_of_opencontext(desk):
    bubble = desk("create_bubble", name="Shop", description="All about it")
    assert {"id", "name", "description", "createdAt", "updatedAt"} <= set(bubble)
    saved = desk(
        "save_context", content="Use Drizzle", tags=["db"], source="chat", bubbleId=bubble["id"]
    )
    assert {"id", "content", "tags", "source", "bubbleId", "createdAt", "updatedAt"} <= set(saved)
    assert desk("update_context", id=saved["id"], content="Use Prisma")["bubbleId"] == bubble["id"]
    assert desk("update_context", id=saved["id"], bubbleId=None)["bubbleId"] is None
    assert [b["name"] for b in desk("list_bubbles")["bubbles"]] == ["Shop"]
    assert desk("update_bubble", id=bubble["id"], name="Store")["name"] == "Store"
    assert desk("get_bubble", id=bubble["id"])["entries"] == []
    assert desk("delete_bubble", id=bubble["id"], deleteContexts=True)["id"] == bubble["id"]
    for operation in ("recall_context", "search_contexts"):
        assert [e["id"] for e in desk(operation, query="Prisma")["entries"]] == [saved["id"]]
    assert [e["id"] for e in desk("list_contexts", tag="db")["entries"]] == [saved["id"]]
    assert desk("delete_context", id=saved["id"])["id"] == saved["id"]


def test_a_query_without_results_is_a_gap_at_once(desk):
    desk("recall_context", query="quarterly accounting")
    assert [gap["kind"] for gap in desk("get_gaps")["gaps"]] == ["missed"]


def test_of_an_endless_question_only_the_beginning_is_logged(desk):
    desk("recall_context", query="why " + "so long " * 400)
    [seen] = desk.observed(1)
    assert (seen.action, len(seen.query)) == ("miss", 501)
