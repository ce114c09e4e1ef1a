"""Bringing in what other programs know: whose it becomes, once, and out again."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from contextd_common.errors import NotFound
from support.imported import everything
from support.repositories import committed

TALK = (
    ("user", "Which queue does the worker of the shop read its orders from?"),
    (
        "assistant",
        "It reads them from the queue orders-v2; the old queue is only drained by hand at night.",
    ),
    ("user", "From now on always drain it at noon, never at night."),
    ("assistant", "Done: the drain job runs at noon now, and the cron entry of the night is gone."),
)
LETTERS = "abcdef0123456789"


def transcript(folder: Path, cwd: str, number: int = 1, talk=TALK) -> Path:
    """A transcript as Claude Code writes one."""
    session = f"{number:08d}-0000-4000-8000-000000000000"
    lines = []
    for place, (role, text) in enumerate(talk):
        content = text if role == "user" else [{"type": "text", "text": text}]
        lines.append(
            {
                "type": role,
                "uuid": f"{number}-{place}",
                "parentUuid": f"{number}-{place - 1}" if place else None,
                "sessionId": session,
                "cwd": cwd,
                "gitBranch": "main",
                "timestamp": f"2025-11-0{number}T10:00:{place:02d}.000Z",
                "message": {"role": role, "content": content},
            }
        )
    path = folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


@pytest.fixture
def worked(desk, person, neighbour):
    """Two old sessions of the project, one of the neighbour, one of nobody."""
    folder = person / ".claude" / "projects"
    desk.as_owner("init")
    transcript(folder / "shop", str(desk.root), 1)
    transcript(folder / "shop", str(desk.root / "src"), 2)
    transcript(folder / "blog", str(neighbour.root), 3)
    transcript(folder / "lost", "/nowhere/to/be/found", 4)
    return desk


def test_old_sessions_come_to_their_project_with_their_own_times(worked):
    report = worked.as_owner("import_found")
    assert (report["sessions"], report["new"]) == (2, 2)
    found = worked.sessions()
    assert [one.started_at.isoformat()[:10] for one in found] == ["2025-11-02", "2025-11-01"]
    assert all(one.scope == worked.scope for one in found)
    worked.host.work_off()
    [first] = [one for one in worked.sessions() if one.external_id.startswith("00000001")]
    assert first.status == "completed"
    assert first.ended_at.isoformat()[:10] == "2025-11-01"
    hits = worked("context_search", query="which queue does the worker read")["results"]
    assert any("orders-v2" in hit["text"] for hit in hits)
    episodes = [one for one in everything(worked) if one.kind == "episode"]
    assert {one.created_at.year for one in episodes} == {2025}


def asked(desk, session) -> None:
    """The user asks something in a session of Claude Code."""
    payload = {
        "session_id": session.external_id,
        "transcript_path": session.data["transcript"],
        "cwd": str(desk.root),
        "prompt": "And which queue do the tests read?",
    }
    desk.on("hook")("hook_event", event="UserPromptSubmit", payload=payload, client="claude-code")


def test_an_import_does_not_end_a_session_that_its_client_resumed_nor_does_its_undoing(worked):
    worked.as_owner("import_found")
    worked.host.work_off()
    [before] = [one for one in worked.sessions() if one.external_id.startswith("00000001")]
    asked(worked, before)
    assert worked.as_owner("import_found")["new"] == 0
    states = {one.id: (one.status, one.ended_at is None) for one in worked.sessions()}
    assert len(states) == 2
    assert states.pop(before.id) == ("active", True)
    assert list(states.values()) == [("completed", False)]
    first = worked.as_owner("list_imports")["imports"][-1]["id"]
    undone = worked.as_owner("undo_import", id=first)
    assert undone["sessions"] == 1
    assert any("was resumed here since" in one for one in undone["kept"])
    assert [(one.id, one.status) for one in worked.sessions()] == [(before.id, "active")]


def test_undoing_an_import_keeps_a_session_that_was_resumed_and_has_ended_again(worked):
    done = worked.as_owner("import_found")
    worked.host.work_off()
    [before] = [one for one in worked.sessions() if one.external_id.startswith("00000001")]
    asked(worked, before)
    payload = {"session_id": before.external_id, "cwd": str(worked.root), "reason": "other"}
    worked.on("hook")("hook_event", event="SessionEnd", payload=payload, client="claude-code")
    worked.host.work_off()
    learned = [one for one in everything(worked) if one.session == before.id]
    undone = worked.as_owner("undo_import", id=done["id"])
    assert undone["sessions"] == 1
    assert [(one.id, one.status) for one in worked.sessions()] == [(before.id, "completed")]
    assert learned
    after = {one.id: one.status for one in everything(worked)}
    assert {after[one.id] for one in learned} == {one.status for one in learned}
    assert worked("context_search", query="which queue does the worker read")["results"]


def test_a_session_whose_import_was_undone_goes_on_as_a_new_one(worked):
    worked.as_owner("import_found")
    before = worked.sessions()[0]
    worked.as_owner("undo_import")
    asked(worked, before)
    [session] = worked.sessions()
    assert (session.id != before.id, session.data["continues"]) == (True, before.id)
    assert worked.view.sessions.get(before.id).status == "withdrawn"


def test_importing_twice_adds_nothing_and_a_trial_writes_nothing(worked):
    trial = worked.as_owner("import_found", dry_run=True)
    assert (trial["new"], trial["id"], worked.sessions()) == (2, "", [])
    assert worked.as_owner("list_imports")["imports"] == []
    first = worked.as_owner("import_found")
    assert trial["events"] == first["events"]
    worked.host.work_off()
    before = everything(worked)
    again = worked.as_owner("import_found")
    assert (again["new"], again["updated"], again["sessions"]) == (0, 0, 0)
    worked.host.work_off()
    assert everything(worked) == before
    rows = worked.as_owner("list_imports")["imports"]
    assert [row["state"] for row in rows] == ["done", "done"]
    assert rows[-1]["by"]
    assert rows[-1]["counts"]["sessions"] == 2


def test_a_path_that_is_named_says_what_belongs_to_nobody(worked, person):
    folder = person / ".claude" / "projects" / "lost"
    report = worked.as_owner("import", path=str(folder))
    assert report["sessions"] == 0
    assert any("/nowhere/to/be/found" in note for note in report["notes"])
    report = worked.as_owner("import", path=str(folder), here=True)
    assert report["sessions"] == 1


def test_an_import_is_taken_back_and_brought_again(worked):
    worked("save_context", content="The staging host is called otter")
    before = {one.id for one in everything(worked)}
    done = worked.as_owner("import_found")
    worked.host.work_off()
    assert len(everything(worked)) > len(before)
    undone = worked.as_owner("undo_import", id=done["id"][:8])
    assert (undone["sessions"], undone["kept"]) == (2, [])
    assert worked.sessions() == []
    in_use = [one for one in everything(worked) if one.status in ("active", "candidate")]
    assert {one.id for one in in_use} == before
    assert not worked("context_search", query="orders-v2 queue drained at night")["results"]
    assert worked.as_owner("list_imports")["imports"][0]["state"] == "undone"
    again = worked.as_owner("import_found")
    assert again["sessions"] == 2
    worked.host.work_off()
    assert len(worked.sessions()) == 2
    assert worked("context_search", query="which queue does the worker read")["results"]


def test_nothing_is_learned_from_what_was_taken_back_before_its_turn(worked):
    worked.as_owner("import_found")
    worked.as_owner("undo_import")
    worked.host.work_off()
    assert everything(worked) == []
    worked.as_owner("import_found")
    worked.host.work_off()
    assert [one for one in everything(worked) if one.kind == "episode"]


def test_a_database_brings_each_project_its_own(desk, person, neighbour):
    desk.as_owner("init")
    folder = person / ".claude-mem"
    folder.mkdir()
    database = apsw.Connection(str(folder / "claude-mem.db"))
    database.execute(
        "CREATE TABLE sdk_sessions (id INTEGER, project TEXT);"
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT,"
        " narrative TEXT, facts TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER)"
    )
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    rows = [
        (
            1,
            "shop",
            "decision",
            "Orders in one queue",
            f"The queue orders-v2 replaced two; {token}",
        ),
        (
            2,
            "blog",
            "bugfix",
            "Slugs",
            "Slugs of drafts were published by mistake; a guard stops it",
        ),
        (3, "elsewhere", "feature", "Else", "Something of a project that is not known here at all"),
    ]
    for row in rows:
        database.execute(
            "INSERT INTO observations VALUES (?, ?, ?, ?, ?, '[]', '[\"gotcha\"]', '', 1760000000000)",
            row,
        )
    database.close()
    report = desk.as_owner("import_found")
    assert (report["new"], report["redacted"]) == (1, 1)
    [kept] = everything(desk)
    assert (kept.kind, kept.status, kept.data["type"]) == ("discovery", "candidate", "decision")
    assert token not in kept.content
    assert kept.created_at.year == 2025
    notes = " ".join(report["notes"])
    assert "elsewhere" in notes
    assert str(neighbour.scope) in notes
    assert desk.as_owner("import", path=str(folder / "claude-mem.db"), dry_run=True)["new"] == 1


def test_an_import_that_is_killed_goes_on_under_its_own_name(worked, monkeypatch):
    calls = []

    def die(*_: object, **__: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("contextd.imports.sessions.close_session", die)
    with pytest.raises(KeyboardInterrupt):
        worked.as_owner("import_found")
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(worked.root.parent / "person"))
    [row] = worked.as_owner("list_imports")["imports"]
    assert row["state"] == "running"
    done = worked.as_owner("import_found")
    assert (done["id"], done["new"], done["duplicate"]) == (row["id"], 2, 0)
    assert done["sessions"] == 2
    worked.host.work_off()
    assert {one.status for one in worked.sessions()} == {"completed"}


def test_commits_that_say_why_become_candidates_and_the_client_s_own_file_is_not_told_twice(
    desk, person
):
    desk.as_owner("init")
    why = (
        "Orders went lost because two queues were drained at once: never start a second drain job,"
        " it must always wait for the lock of the first one."
    )
    git = ["git", "-C", str(desk.root), "-c", "user.name=Ann", "-c", "user.email=a@example.invalid"]
    message = f"Drain one queue only\n\n{why}\n\nSigned-off-by: Ann"
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)
    (desk.root / "CLAUDE.md").write_text("- Amounts are kept in cents, never as floats\n")
    desk.as_owner("import_found")
    [said] = [one for one in everything(desk) if one.data["origin"] == "commit"]
    assert (said.status, said.source.agent, said.content) == ("candidate", "Ann", why)
    assert desk.as_owner("import_found")["new"] == 0
    told = replace(desk, client="codex")("briefing_get")["briefing"]
    assert "kept in cents" in told
    assert "kept in cents" not in replace(desk, client="claude-code")("briefing_get")["briefing"]


def test_a_broken_file_is_named_and_keeps_no_other_from_being_read(worked, person, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    transcript(folder, str(worked.root), 6)
    (folder / "agent.af").write_text('{"agents": [], "blocks": [')
    (folder / "history.db").write_bytes(b"SQLite format 3\x00" + b"broken" * 400)
    (folder / "export.json").write_text('[{"chat_messages": [{"text": 5}], "uuid": {}}, 7]')
    (folder / "notes.txt").write_text("nothing that is imported")
    report = worked.as_owner("import", path=str(folder))
    assert report["sessions"] == 1
    notes = "\n".join(report["notes"])
    assert "agent.af" in notes
    assert "line 1, column 27 is not JSON" in notes
    assert "export.json" in notes
    assert report["unread"] == 3


def test_an_archive_in_a_folder_is_told_of_unless_a_format_reads_it(desk, person, tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Rules\n\n- Orders are drained at noon, never at night\n")
    for name in ("talks.zip", "old.tar.gz", "picture.png"):
        (folder / name).write_bytes(b"PK\x05\x06" + bytes(18))
    done = desk.as_owner("import", path=str(folder))
    assert done["new"] == 1
    told = [note for note in done["notes"] if note.startswith("not opened: ")]
    assert [Path(note.split()[2].rstrip(";")).name for note in told] == ["old.tar.gz", "talks.zip"]


def test_a_job_brings_in_what_is_there(worked):
    answer = worked.as_owner("import_found", background=True)
    assert answer["job"]
    worked.host.work_off()
    assert len(worked.sessions()) == 2


def test_for_the_whole_machine_each_project_gets_its_own_row_and_its_own_part(
    worked, person, tmp_path
):
    folder = person / ".claude" / "projects" / "blog"
    for path in folder.iterdir():
        path.unlink()
    other = worked.at(committed(tmp_path / "other", {"a.py": "x = 1\n"}))
    other.as_owner("init")
    transcript(folder, str(other.root), 5)
    done = worked.nowhere().as_owner("import_found", everywhere=True)
    assert done["sessions"] == 3
    assert sorted(done["projects"]) == sorted([str(worked.scope), str(other.scope)])
    [mine] = worked.as_owner("list_imports")["imports"]
    assert (mine["id"], mine["counts"]["sessions"]) == (done["id"], 2)
    [row] = other.as_owner("list_imports")["imports"]
    assert (row["id"], row["counts"]["sessions"]) == (done["id"], 1)
    worked.host.work_off()
    assert worked.as_owner("undo_import")["sessions"] == 2
    assert len(other.sessions()) == 1
    everywhere = worked.nowhere().as_owner("undo_import", id=done["id"], everywhere=True)
    assert everywhere["sessions"] == 1
    assert other.sessions() == []


def test_only_the_owner_and_only_what_exists(worked):
    with pytest.raises(NotFound):
        worked.as_owner("undo_import", id="ffffffff")
    with pytest.raises(NotFound):
        worked.as_owner("import", path="README.md", format="claude-cod")
    sources = worked.as_owner("import_sources")
    assert [row["name"] for row in sources["formats"]] == ["claude-code", "git-history"]
    everywhere = worked.as_owner("import_sources", everywhere=True)
    assert everywhere["unknown"] == 1
    assert len(everywhere["projects"]) == 2
