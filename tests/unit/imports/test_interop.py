"""Importing and exporting through the operations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd_common.errors import Conflict, Invalid, NotFound

ONE = {
    "version": 1,
    "entries": [
        {
            "id": "def-456",
            "content": "Prefer functional components over class components",
            "tags": ["code-style"],
            "source": "manual",
            "createdAt": "2026-01-15T08:00:00Z",
            "updatedAt": "2026-01-15T08:00:00Z",
        }
    ],
}
TWO: dict[str, Any] = {
    "version": 2,
    "entries": [
        *ONE["entries"],
        {
            "id": "abc-123",
            "content": "Use Drizzle ORM over Prisma for better SQL control",
            "tags": ["architecture", "Database"],
            "source": "claude-code",
            "bubbleId": "bubble-1",
            "contextType": "decision",
            "structuredData": {"what": "Use Drizzle ORM", "alternatives": ["Prisma", "Kysely"]},
            "createdAt": "2026-02-17T10:00:00Z",
            "updatedAt": "2026-02-17T10:00:00Z",
            "pinned": True,
        },
    ],
    "bubbles": [
        {
            "id": "bubble-1",
            "name": "Database",
            "description": "Everything stored",
            "createdAt": "2026-02-01T10:00:00Z",
            "updatedAt": "2026-02-01T10:00:00Z",
        }
    ],
    "exportedBy": "somebody",
}


def write(tmp_path: Path, document: Any, name: str = "contexts.json") -> str:
    path = tmp_path / name
    path.write_text(json.dumps(document))
    return str(path)


def counts(report: dict) -> tuple[int, ...]:
    return tuple(report[k] for k in ("read", "new", "updated", "duplicate", "redacted", "junk"))


def test_version_one_becomes_version_two_without_loss(desk, tmp_path):
    report = desk.as_owner("import", path=write(tmp_path, ONE))
    assert (report["version"], counts(report)) == (1, (1, 1, 0, 0, 0, 0))
    out = json.loads(desk.as_owner("export")["text"])
    assert (out["version"], out["entries"], out["bubbles"]) == (2, ONE["entries"], [])


def test_an_export_is_what_was_imported(desk, tmp_path):
    desk.as_owner("import", path=write(tmp_path, TWO))
    out = json.loads(desk.as_owner("export")["text"])
    assert out == TWO


def test_imported_entries_are_listed_found_grouped_and_typed(desk, tmp_path):
    desk.as_owner("import", path=write(tmp_path, TWO))
    [newest, _] = desk("list_contexts")["entries"]
    assert newest["id"] == "abc-123"
    assert newest["createdAt"] == "2026-02-17T10:00:00Z"
    assert newest["structuredData"] == TWO["entries"][1]["structuredData"]
    assert desk("recall_context", query="drizzle prisma")["entries"][0]["id"] == "abc-123"
    assert desk("get_bubble", id="Database")["entries"][0]["id"] == "abc-123"
    filter = {"alternatives": "Kysely"}
    [typed] = desk("query_by_type", type="decision", filter=filter)["entries"]
    assert typed["id"] == "abc-123"


def test_an_export_counts_entries_apart_from_bubbles(desk, tmp_path):
    bubble = desk("create_bubble", name="payments")["id"]
    for n in range(3):
        desk("save_context", content=f"Invoice {n} is immutable once sent", bubble_id=bubble)
    out = tmp_path / "entries.json"
    written = desk.on("cli").answer("export", path=str(out))
    assert (written.value["entries"], written.value["bubbles"]) == (3, 1)
    assert "3 entries and 1 bubbles" in written.text


def test_importing_again_changes_nothing(desk, tmp_path):
    path = write(tmp_path, TWO)
    desk.as_owner("import", path=path)
    assert counts(desk.as_owner("import", path=path)) == (3, 0, 0, 3, 0, 0)
    assert len(desk.as_owner("history", id="abc-123")["changes"]) == 1


def test_a_newer_file_updates_and_an_older_one_does_not(desk, tmp_path):
    desk.as_owner("import", path=write(tmp_path, TWO))
    newer = json.loads(json.dumps(TWO))
    newer["entries"][0] |= {"content": "Prefer hooks", "updatedAt": "2026-03-01T00:00:00Z"}
    assert counts(desk.as_owner("import", path=write(tmp_path, newer))) == (3, 0, 1, 2, 0, 0)
    report = desk.as_owner("import", path=write(tmp_path, TWO))
    assert counts(report) == (3, 0, 0, 3, 0, 0)
    assert "are kept" in report["notes"][0]
    assert json.loads(desk.as_owner("export")["text"])["entries"] == newer["entries"]


def test_a_deleted_entry_stays_deleted(desk, tmp_path):
    path = write(tmp_path, ONE)
    desk.as_owner("import", path=path)
    desk("delete_context", id="def-456")
    assert counts(desk.as_owner("import", path=path)) == (1, 0, 0, 1, 0, 0)
    assert desk("list_contexts")["entries"] == []


def test_secrets_of_a_file_never_reach_the_store(desk, tmp_path):
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    document = {"entries": [{"id": "note-1", "content": f"The token is {secret}", "extra": secret}]}
    report = desk.as_owner("import", path=write(tmp_path, document))
    assert report["redacted"] == 2
    assert secret not in desk.as_owner("export")["text"]
    desk.host.flush()
    stored = b"".join(p.read_bytes() for p in (tmp_path / "home").rglob("*") if p.is_file())
    assert secret.encode() not in stored


def test_a_trial_reports_and_writes_nothing(desk, tmp_path):
    assert desk.as_owner("import", path=write(tmp_path, TWO), dry_run=True)["new"] == 3
    assert desk("list_contexts")["entries"] == []


def test_junk_is_counted_and_named(desk, tmp_path):
    report = desk.as_owner(
        "import", path=write(tmp_path, {"entries": [{"id": "x"}, *ONE["entries"]]})
    )
    assert counts(report) == (2, 1, 0, 0, 0, 1)
    assert report["notes"] == ["left out entries[0]: no content"]


def test_an_export_goes_to_a_file_and_replaces_none_unasked(desk, tmp_path):
    desk.as_owner("import", path=write(tmp_path, TWO))
    out = tmp_path / "out.json"
    assert desk.as_owner("export", out=str(out))["text"] == ""
    assert json.loads(out.read_text()) == TWO
    with pytest.raises(Conflict):
        desk.as_owner("export", out=str(out))
    desk.as_owner("export", out=str(out), force=True)


def test_our_own_entries_come_back_after_an_export(desk, tmp_path, open_desk):
    bubble = desk("create_bubble", name="Deploys")
    desk("save_context", content="The staging host is otter", bubble_id=bubble["id"], tags=["ops"])
    desk("save_typed_context", type="nothing", data={"what": "Rotate keys monthly", "n": 3})
    text = desk.as_owner("export")["text"]
    path = tmp_path / "contexts.json"
    path.write_text(text)
    report = desk.as_owner("import", path=str(path), format="opencontext-v2")
    assert (report["new"], report["updated"], report["duplicate"]) == (0, 0, 3)
    assert desk.as_owner("export")["text"] == text


def test_files_and_formats_that_cannot_be_imported_are_refused_with_a_hint(desk, tmp_path):
    with pytest.raises(NotFound):
        desk.as_owner("import", path=str(tmp_path / "absent.json"))
    with pytest.raises(Invalid) as refusal:
        desk.as_owner("import", path=write(tmp_path, {"hello": 1}, "other.json"))
    assert "OpenContext" in refusal.value.hint
    with pytest.raises(NotFound) as refusal:
        desk.as_owner("import", path=write(tmp_path, TWO), format="opencontxt")
    assert "did you mean" in refusal.value.hint
    with pytest.raises(NotFound):
        desk.as_owner("export", format="opencontext-v3")


def test_imported_ids_are_shown_whole(desk, tmp_path):
    entries = [
        {**ONE["entries"][0], "id": f"perf-014{n}", "content": f"Cache page {n} of the shop"}
        for n in (1, 2)
    ]
    desk.as_owner("import", path=write(tmp_path, {"version": 1, "entries": entries}))
    told = desk.answer("list_contexts").text
    assert "perf-0141 Cache page 1" in told
    assert "perf-0142 Cache page 2" in told
    assert desk("delete_context", id="perf-0141")["message"].startswith("deleted perf-0141;")


def test_an_entry_whose_id_another_kind_of_record_has_gets_an_id_of_its_own(desk, tmp_path):
    memory = desk(
        "memory_record", title="Queue", description="When orders are late",
        content="Look at the length of the queue first.", outcome="success",
    )["id"]  # fmt: skip
    before = desk.record(memory)
    entry = {**ONE["entries"][0], "id": memory}
    report = desk.as_owner("import", path=write(tmp_path, {**ONE, "entries": [entry]}))
    assert report["new"] == 1
    assert desk.record(memory) == before
    [told] = desk("list_contexts")["entries"]
    assert told["content"] == entry["content"]
    assert told["id"] != memory
