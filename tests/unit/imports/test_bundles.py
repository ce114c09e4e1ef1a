"""Exports that lose nothing, and those that people and agents read."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.domain.changes import WorkChanges
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.imports.bundle import (
    RecordStates,
    SomeEvents,
    heading,
    read_bundle,
    record_line,
    session_lines,
    unmarked,
)
from contextd.imports.exporters import EXPORTERS
from contextd.imports.sessions import IMPORTED
from contextd.jobs.table import new_job
from contextd_common.errors import Conflict, Denied, Invalid
from support.clients import CodingClient
from support.clocks import Shifted
from support.desks import Desk, opened
from support.repositories import committed
from support.strategies import EPOCH, moments, records, texts

HERE = Scope("acme", "web", "shop")
known_kinds = records().map(
    lambda record: (
        record.with_(kind="memory") if record.kind not in ("memory", "context") else record
    )
)
events = st.builds(
    Event,
    type=st.sampled_from(["message", "note", "tool_call"]),
    key=texts,
    at=moments,
    role=st.sampled_from(["user", "assistant", ""]),
    text=texts,
    data=st.dictionaries(texts, st.integers() | texts, max_size=2),
)


@given(record=known_kinds, said=st.lists(events, max_size=4), task=texts)
def test_records_sessions_and_events_are_read_back_from_a_bundle_unchanged(
    record, said, task, tmp_path_factory
):
    path = tmp_path_factory.getbasetemp() / "any.bundle"
    session = Session(scope=HERE, task=task, started_at=EPOCH, last_seen_at=EPOCH)
    change = Change(1, record.id, EPOCH, "me", "create", "why", None, record)
    lines = [heading(HERE, "shop", EPOCH), record_line(record, [change])]
    path.write_text("".join([*lines, *session_lines(session, said)]))
    back, opened_, *rest = [item for _, item in read_bundle(path, record.scope)]
    assert back == RecordStates(record, [("create", "why", record)])
    assert opened_ == replace(session, scope=record.scope)
    assert rest == ([SomeEvents(session.id, tuple(said))] if said else [])


def all_of(desk: Desk) -> dict[str, Record]:
    query = Query(scopes=frozenset({desk.scope}), statuses=STATUSES, limit=500)
    found = desk.view.records.find(query).records
    return {one.id: one for one in found if one.kind != "import"}


def told(desk: Desk) -> dict[str, object]:
    """Everything of a project, whatever it is called."""
    scope = Scope("local", "default", "any")
    desk.host.flush()
    return {
        "records": {id: one.with_(scope=scope) for id, one in all_of(desk).items()},
        "states": {
            id: [(one.action, one.after.content if one.after else "") for one in history]
            for id in all_of(desk)
            for history in [desk.view.records.history(id)]
        },
        # Where a session was held is of its machine.
        "sessions": [unmarked(one, IMPORTED).with_(scope=scope, cwd="") for one in desk.sessions()],
        "events": {one.id: desk.view.sessions.events(one.id) for one in desk.sessions()},
    }


@pytest.fixture
def rich(desk) -> Desk:
    """A project that knows something of everything."""
    desk.as_owner("init")
    bubble = desk("create_bubble", name="Deploys")["id"]
    note = desk("save_context", content="The staging host is otter", bubble_id=bubble, tags=["ops"])
    desk("update_context", id=note["id"], content="The staging host is called otter now")
    old = desk("save_context", content="Deploys go through the green pipeline")
    desk("delete_context", id=old["id"])
    desk(
        "memory_record",
        title="Queue first",
        description="When orders are late",
        content="Look at the length of the queue before anything else.",
        outcome="success",
    )
    agent = desk.connected("c-1")
    session = agent("session_start", task_description="Drain the queue")["session_id"]
    agent("session_log", session_id=session, role="user", text="Drain it at noon, never at night.")
    agent(
        "session_log", session_id=session, role="assistant", text="The drain job runs at noon now."
    )
    agent("session_end", session_id=session, outcome="success")
    desk.host.work_off()
    return desk


def test_a_bundle_gives_everything_back_in_an_empty_home_and_in_another_project(rich, tmp_path):
    bundle = tmp_path / "shop.bundle"
    assert rich.as_owner("export", format="bundle", out=str(bundle))["entries"] > 3
    before = told(rich)
    other = committed(tmp_path / "other", {"a.py": "x = 1\n"})
    clock = Shifted()
    host = opened(tmp_path / "empty", clock)
    try:
        for desk in (Desk(host, rich.root), rich.at(other)):
            desk.as_owner("init")
            report = desk.as_owner("import", path=str(bundle), mine=True)
            assert (report["format"], report["unread"], report["sessions"]) == ("bundle", 0, 1)
            assert told(desk) == before
            again = desk.as_owner("import", path=str(bundle), mine=True)
            assert (again["new"], again["updated"]) == (0, 0)
            assert told(desk) == before
            assert desk("recall_context", query="staging host otter")["entries"]
        undone = desk.as_owner("undo_import")
        assert undone["sessions"] == 1
        assert {one.status for one in all_of(desk).values()} == {"deleted"}
    finally:
        host.close()
    assert told(rich) == before


def test_a_bundle_with_a_broken_line_gives_the_rest(rich, tmp_path):
    bundle = tmp_path / "shop.bundle"
    rich.as_owner("export", format="bundle", out=str(bundle))
    lines = bundle.read_text().splitlines()
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    odd = json.loads(lines[1])
    odd["record"] |= {"id": "ffff0000", "content": f"The token is {token}"}
    odd["states"] = []
    bundle.write_text("\n".join([*lines, '{"record": {"id": 5}}', "{", json.dumps(odd)]))
    other = committed(tmp_path / "other", {"a.py": "x = 1\n"})
    desk = rich.at(other)
    desk.as_owner("init")
    report = desk.as_owner("import", path=str(bundle))
    assert (report["unread"], report["redacted"]) == (2, 1)
    assert token not in desk.record("ffff0000").content
    assert f"line {len(lines) + 2}" in " ".join(report["notes"])


def test_pages_are_read_without_contextd(rich, tmp_path):
    folder = tmp_path / "pages"
    out = rich.as_owner("export", format="markdown", out=str(folder))["out"]
    index = Path(out).read_text()
    [page] = (folder / "contexts").glob("*otter*.md")
    assert f"(contexts/{page.name})" in index
    text = page.read_text()
    assert text.startswith("---\nid: ")
    assert 'tags: ["ops"]' in text
    assert "The staging host is called otter now" in text
    assert "](../bubbles/deploys-" in text
    rich("delete_context", id=next(r.id for r in all_of(rich).values() if "otter" in r.content))
    rich.as_owner("export", format="markdown", out=str(folder))
    assert not page.exists()
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    with pytest.raises(Conflict):
        rich.as_owner("export", format="markdown", out=str(full))


def test_a_block_in_a_file_for_agents_is_kept_up_to_date_and_never_read_back(
    rich, monkeypatch, tmp_path
):
    monkeypatch.setenv("HOME", str(tmp_path))
    file = rich.root / "AGENTS.md"
    file.write_text("# Mine\n\n- Never push to the main branch\n")
    rich.as_owner("export", format="agents-md", into="AGENTS.md")
    text = file.read_text()
    assert text.startswith("# Mine\n\n- Never push to the main branch\n")
    assert "length of the queue" in text
    assert "\n# Memory" not in text
    report = rich.as_owner("import_found")
    assert report["new"] == 1
    assert not any(
        "length of the queue" in r.content for r in all_of(rich).values() if r.kind == "discovery"
    )
    file.write_text("# Mine\n")
    rich.configure("memory:\n  into: AGENTS.md\n")
    place = rich.runtime().place
    rich.runtime().queue(new_job("reflect", rich.scope, place, {"root": str(rich.root)}))
    rich.host.work_off()
    assert "length of the queue" in file.read_text()
    with pytest.raises(Invalid):
        rich.as_owner("export", format="agents-md")
    with pytest.raises(Denied):
        rich.as_owner("export", format="agents-md", into="../AGENTS.md")


def exported(desk: Desk, folder: Path) -> dict[str, str]:
    """Everything that the exports write, by their format."""
    written: dict[str, str] = {}
    for name, row in EXPORTERS.items():
        if row.shape == "block":
            (desk.root / "AGENTS.md").write_text("# Mine\n")
            desk.as_owner("export", format=name, into=str(desk.root / "AGENTS.md"))
            written[name] = (desk.root / "AGENTS.md").read_text()
            continue
        out = folder / name
        desk.as_owner("export", format=name, out=str(out))
        files = [out] if out.is_file() else sorted(one for one in out.rglob("*") if one.is_file())
        written[name] = "\n".join(one.read_text() for one in files)
    desk.as_owner("export_awareness", path=str(folder / "awareness.json"))
    written["awareness"] = (folder / "awareness.json").read_text()
    return written


def test_a_folder_whose_name_only_begins_like_the_project_is_not_taken_for_it(
    desk: Desk, tmp_path: Path
) -> None:
    desk("save_context", content=f"The prices were copied from {desk.root}-old/src/a.py by hand.")
    for name, text in exported(desk, tmp_path).items():
        assert "./-old" not in text, name
        assert ".-old" not in text, name


def test_no_export_names_a_path_the_user_or_the_host_of_this_machine(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: "marys-quiet-laptop.example")
    monkeypatch.setattr("getpass.getuser", lambda: "mary.example")
    monkeypatch.setattr(
        "contextd.knowledge.machine_neutral.user_directory", lambda: Path("/Users/mary.example")
    )
    places = (
        f"{desk.root}/src/a.py", "/Users/mary.example/notes.txt", "/home/bobexample/shop/b.py",
        r"C:\Users\eveexample\c.py", "mary.example@marys-quiet-laptop:~$ ls", "on marys-quiet-laptop",
    )  # fmt: skip
    desk("save_context", content=f"Look into {', '.join(places)} for the prices.")
    for place in places:
        desk(
            "memory_record",
            title=f"Prices in {place}",
            description=f"When {place} changes",
            content=f"The tax stands in {place}, in its first line.",
            outcome="success",
        )
    session = CodingClient(desk, tmp_path / "transcripts")
    session.folder.mkdir()
    session.starts()
    session.asks(f"Why does {places[0]} fail? It worked in {places[1]} and {places[2]}.")
    session.answers(f"Because {places[3]} is read first; {places[4]} shows it.")
    session.ends()
    desk.host.work_off()
    marks = (
        str(desk.root),
        str(tmp_path),
        "mary.example",
        "bobexample",
        "eveexample",
        "marys-quiet",
    )
    found = exported(desk, tmp_path)
    assert set(found) == {*EXPORTERS, "awareness"}
    assert {(name, mark) for name, text in found.items() for mark in marks if mark in text} == set()
    assert "./src/a.py" in found["bundle"]
    host = opened(tmp_path / "elsewhere", Shifted())
    try:
        there = Desk(host, committed(tmp_path / "clone", {"a.py": "x = 1\n"}))
        there.as_owner("init")
        report = there.as_owner("import", path=str(tmp_path / "bundle"))
        assert (report["unread"], report["sessions"]) == (0, 1)
        assert there.as_owner("doctor")["ok"] is not None
    finally:
        host.close()


def test_a_bundle_with_paths_of_its_machine_is_still_read(desk: Desk, tmp_path: Path) -> None:
    session = Session(
        scope=HERE,
        client="claude-code",
        cwd="/home/somebody/shop",
        started_at=EPOCH,
        last_seen_at=EPOCH,
        ended_at=EPOCH,
        status="completed",
        data={"transcript": "/home/somebody/.claude/projects/x/y.jsonl", "transcript_offset": 9},
    )
    path = tmp_path / "old.bundle"
    path.write_text("".join([heading(HERE, "shop", EPOCH), *session_lines(session, [])]))
    report = desk.as_owner("import", path=str(path))
    assert (report["unread"], report["sessions"]) == (0, 1)


OF_ITS_MACHINE = {
    "ancestors": [4711, 4712],
    "agent_transcripts": {"a": 3},
    "disconnected_process": 4711,
    "transcript_offset": 90_210,
    "transcript_stamp": "90210-77",
    "transcript_unread": "no permission",
    "transcripts_beside": ["b.jsonl"],
}


def test_a_bundle_says_nothing_of_processes_offsets_and_the_time_zone_of_its_machine(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        session = Session(
            scope=desk.scope,
            client="claude-code",
            external_id="s",
            cwd=str(desk.root),
            started_at=EPOCH.astimezone(),
            last_seen_at=EPOCH.astimezone(),
            ended_at=EPOCH.astimezone(),
            status="completed",
            data={**OF_ITS_MACHINE, "transcript": "/srv/claude/s.jsonl", "outcome": "kept"},
        )
        desk.runtime().commit(work=WorkChanges(open=[session]))
        desk("save_context", content="The depot opens at six.")
        desk.host.flush()
        desk.as_owner("export", format="bundle", out=str(tmp_path / "shop.bundle"))
    finally:
        monkeypatch.undo()
        time.tzset()
    text = (tmp_path / "shop.bundle").read_text()
    written = [json.loads(line) for line in text.splitlines()]
    [exported_session] = [line["session"] for line in written if "session" in line]
    assert exported_session["data"] == {"transcript": "s.jsonl", "outcome": "kept"}
    assert exported_session["cwd"] == ""
    assert "+05:45" not in text
    assert written[0]["written"].endswith(("Z", "+00:00"))
