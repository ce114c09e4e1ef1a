"""Sessions of every client, followed through hooks and the transcript that grows meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record
from contextd.domain.sessions import Event, Session
from contextd.imports.transcripts import UNREAD, is_still_written, unread
from support.clients import CodingClient
from support.desks import Desk, Home
from support.repositories import SHOP, committed
from support.transcripts import (
    ANSWER,
    COMMAND,
    FILE,
    PROMPT,
    SESSION,
    cline,
    codex,
    copilot,
    lines_to,
    opencode,
)


@dataclass
class Hooked:
    """A session of a client in the project of a desk."""

    desk: Desk
    client: str
    transcript: Path | None = None
    id: str = SESSION

    def hook(self, event: str, **payload: Any) -> None:
        """One event of its hooks."""
        body = {"session_id": self.id, "cwd": str(self.desk.root), **payload}
        if self.transcript is not None:
            body["transcript_path"] = str(self.transcript)
        self.desk.on("hook")("hook_event", event=event, payload=body, client=self.client)

    def ends(self, event: str = "SessionEnd") -> None:
        """It is over, and learned from."""
        self.hook(event, reason="other")
        self.desk.host.work_off()

    @property
    def session(self) -> Session:
        """What is kept of it."""
        found = self.desk.view.sessions.by_external(self.client, self.id)
        assert found is not None
        return found

    @property
    def events(self) -> list[Event]:
        """All that is told of it."""
        return list(self.desk.view.sessions.events(self.session.id))

    def told(self, type: str = "message") -> list[str]:
        """The texts of its events of a sort."""
        return [event.text for event in self.events if event.type == type]


def episodes(desk: Desk) -> list[Record]:
    return list(desk.view.records.find(desk.runtime().query(EPISODE)).records)


def transcripts_check(desk: Desk) -> dict[str, Any]:
    checks = desk.as_owner("doctor")["checks"]
    return next(check for check in checks if check["name"] == "transcripts")


def test_a_rollout_is_followed_while_it_grows_and_its_end_is_learned_from(
    desk: Desk, tmp_path: Path
) -> None:
    path = codex(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    codes = Hooked(desk, "codex", path)
    codes.hook("SessionStart", source="startup")
    path.write_bytes(b"".join(lines[:6]) + lines[6][:20])
    codes.hook("Stop", turn_id="t1")
    assert (codes.told(), codes.told("tool_call")) == ([PROMPT], [f"Bash: {COMMAND}"])
    path.write_bytes(b"".join(lines[:9]))
    codes.hook("Stop", turn_id="t2")
    path.write_bytes(b"".join(lines))
    codes.hook("Stop", turn_id="t3")
    assert codes.told() == [PROMPT, ANSWER]
    [episode] = episodes(desk)
    assert (episode.title, episode.data["files"]) == (PROMPT, [FILE])
    codes.ends()
    assert codes.session.status == "completed"
    assert len(codes.events) == len({event.key for event in codes.events})
    assert transcripts_check(desk)["ok"]


def test_a_file_that_is_shortened_or_replaced_is_read_anew_and_nothing_is_doubled(
    desk: Desk, tmp_path: Path
) -> None:
    path = codex(tmp_path)
    whole = path.read_bytes()
    codes = Hooked(desk, "codex", path)
    codes.hook("SessionStart", source="startup")
    codes.hook("Stop", turn_id="t4")
    before = codes.events
    path.write_bytes(whole[: len(whole) // 2])
    codes.hook("Stop", turn_id="t5")
    path.write_bytes(whole)
    codes.hook("Stop", turn_id="t6")
    assert codes.events == before
    more = {"timestamp": "2026-04-07T09:00:00Z", "type": "response_item", "payload": {
        "type": "message", "id": "m77", "role": "user",
        "content": [{"type": "input_text", "text": "And the rolls?"}]}}  # fmt: skip
    path.write_bytes(
        b'{"type": "world_state", "payload": {}}\n' + whole + json.dumps(more).encode() + b"\n"
    )
    codes.hook("Stop", turn_id="t2")
    assert codes.told() == [PROMPT, ANSWER, "And the rolls?"]


def test_sessions_of_two_projects_stay_apart(desk: Desk, tmp_path: Path) -> None:
    other = desk.at(committed(tmp_path / "dairy", SHOP))
    first, second = tmp_path / "one", tmp_path / "two"
    here = Hooked(desk, "codex", codex(first))
    there = Hooked(other, "codex", codex(second), id="a-session-of-the-dairy")
    for session in (here, there):
        session.hook("SessionStart", source="startup")
    there.ends()
    assert len(there.told()) == 2
    assert (here.told(), episodes(desk)) == ([], [])
    here.ends()
    assert here.told() == [PROMPT, ANSWER]
    assert {record.scope for record in episodes(desk)} == {desk.scope}


@pytest.mark.parametrize(
    "content",
    [
        b'{"kind": "of something new"}\n' * 30,
        b"\x00\x01\x02" * 500,
        b'{"type": "x", "payload": {}}\n' * 30,
    ],
    ids=["unknown", "binary", "understood by nobody"],
)
def test_a_transcript_that_nobody_understands_fails_no_session(
    content: bytes, desk: Desk, tmp_path: Path
) -> None:
    path = tmp_path / "rollout-of-the-future.jsonl"
    path.write_bytes(content if b"payload" not in content else b"".join([
        b'{"type": "turn_context", "payload": {}}\n', content]))  # fmt: skip
    codes = Hooked(desk, "codex", path)
    codes.hook("SessionStart", source="startup")
    codes.hook("UserPromptSubmit", prompt=PROMPT, turn_id="t1")
    codes.hook("Stop", turn_id="t1", last_assistant_message=ANSWER)
    codes.ends()
    assert codes.session.status == "completed"
    assert codes.told("query") == [PROMPT]
    assert [episode.title for episode in episodes(desk)] == [PROMPT]
    told = transcripts_check(desk)
    assert not told["ok"]
    assert "codex: 1 session not read" in told["detail"]
    assert str(path) in told["detail"]
    assert [job for job in desk.as_owner("jobs")["jobs"] if job["state"] == "failed"] == []


def test_a_transcript_that_becomes_readable_is_no_trouble_any_more(
    desk: Desk, tmp_path: Path
) -> None:
    path = tmp_path / f"rollout-{SESSION}.jsonl"
    path.write_text('{"kind": "nobody knows"}\n', "utf-8")
    codes = Hooked(desk, "codex", path)
    codes.hook("SessionStart", source="startup")
    codes.hook("Stop", turn_id="t7")
    assert codes.session.data[UNREAD]["path"] == str(path)
    lines_to(path, [json.loads(line) for line in codex(tmp_path / "x").read_text().splitlines()])
    codes.hook("Stop", turn_id="t8")
    assert (codes.session.data[UNREAD], codes.told()) == ({}, [PROMPT, ANSWER])


@pytest.mark.parametrize(
    ("reader", "folder", "write"),
    [("copilot-cli", "", copilot), ("opencode", ".local/share/opencode", opencode)],
)
def test_a_session_is_found_where_its_client_keeps_it_by_its_id(
    reader: str, folder: str, write: Callable[[Path], Path],
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    row = replace(CLIENTS["copilot-cli"], transcripts=reader)
    monkeypatch.setattr("contextd.imports.transcripts.client_named", lambda name: row)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    write(tmp_path / folder)
    work = Hooked(desk, "copilot-cli")
    work.hook("SessionStart", source="new")
    work.hook("Stop")
    assert work.told() == [PROMPT, ANSWER]
    assert unread(work.session) == 0
    work.ends()
    assert work.told() == [PROMPT, ANSWER]
    assert [episode.title for episode in episodes(desk)] == [PROMPT]


def at_home(desk: Desk, home: Path, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    """A session of Copilot CLI, which keeps its transcripts below this home and has told of a prompt."""
    monkeypatch.setattr(Path, "home", lambda: home)
    work = Hooked(desk, "copilot-cli")
    work.hook("SessionStart", source="new")
    work.hook("UserPromptSubmit", prompt=PROMPT)
    return work


def test_a_session_is_learned_from_once_its_client_has_written_all_of_its_transcript(
    desk: Desk, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = at_home(desk, tmp_path, monkeypatch)
    work.ends()
    assert work.session.status == "active"
    path = copilot(tmp_path)
    soon = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d")
    lines = path.read_text("utf-8").replace("2026-04-07", soon).splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 2]), "utf-8")
    home.clock.move(seconds=3)
    desk.host.work_off()
    assert work.session.status == "active"
    path.write_text("".join(lines), "utf-8")
    home.clock.move(seconds=11)
    desk.host.work_off()
    assert work.session.status == "completed"
    assert work.told() == [PROMPT, ANSWER]


def test_a_call_of_contextd_after_the_last_answer_keeps_no_session_waiting(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = at_home(desk, tmp_path, monkeypatch)
    copilot(tmp_path)
    work.hook("Stop")
    told = [event for event in work.events if event.type == "message"]
    answered = max(event.at for event in told)
    prompt = Event(type="query", key="q", at=answered - timedelta(1), role="user")
    events = [prompt, *told]
    assert not is_still_written(work.session, events)
    own = {"operation": "memory_record", "tokens": 3}
    call = Event(type="tool_call", key="c", at=answered + timedelta(1), data=own)
    assert not is_still_written(work.session, [*events, call])
    theirs = replace(call, data={"tool": "Bash"})
    assert is_still_written(work.session, [*events, theirs])


def test_a_transcript_that_is_never_written_is_named_and_what_hooks_saw_is_kept(
    desk: Desk, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = at_home(desk, tmp_path, monkeypatch)
    work.ends()
    for _ in range(3):
        home.clock.move(minutes=2)
        desk.host.work_off()
    assert work.session.status == "completed"
    assert work.told("query") == [PROMPT]
    check = transcripts_check(desk)
    assert not check["ok"]
    assert "events.jsonl: file not found" in check["detail"]


def test_a_document_of_a_session_that_goes_on_later_tells_only_what_is_new(
    desk: Desk, tmp_path: Path
) -> None:
    path = cline(tmp_path)
    work = Hooked(desk, "cline", path)

    def hook(event: str, **payload: Any) -> None:
        work.hook(event, taskId=SESSION, clineVersion="3", **payload)

    def catch_up() -> None:
        desk.on("hook")(
            "hook_event", event="TaskComplete", client="cline",
            payload={"taskId": SESSION, "cwd": str(desk.root), "transcript_path": str(path)},
        )  # fmt: skip
        desk.host.work_off()

    hook("TaskStart", taskStart={"taskMetadata": {"initialTask": PROMPT}})
    catch_up()
    first = work.session
    assert work.told() == [PROMPT, ANSWER]
    whole = json.loads(path.read_text("utf-8"))
    block = {"type": "text", "text": "<user_input>And the rolls?</user_input>"}
    whole["messages"].append({"id": "z", "role": "user", "content": [block], "ts": 1775552400000})
    path.write_text(json.dumps(whole), "utf-8")
    hook("TaskResume")
    catch_up()
    assert work.session.id == first.id
    assert work.told() == [PROMPT, ANSWER, "And the rolls?"]


REPORT = "Found it: the counter in src/counter.ts starts at one. Tests pass once it starts at zero."


def with_sub_agent(session: CodingClient, folder: str = "subagents") -> Path:
    """A sub-agent of a session that fixes and commits something, as its own transcript tells."""
    path = session.transcript.with_suffix("") / folder / "agent-a1b2.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    keeper = CodingClient(session.desk, path.parent, session.entrypoint, "agent-a1b2")

    def note(role: str, content: Any) -> None:
        keeper.writes_down(
            role, content, isSidechain=True, agentId="a1b2", sessionId=session.session
        )

    def use(id: str, tool: str, given: dict[str, Any], back: str) -> None:
        note("assistant", [{"type": "tool_use", "id": id, "name": tool, "input": given}])
        note("user", [{"type": "tool_result", "tool_use_id": id, "content": back}])

    note("user", "Find out why the counter is off by one. Always write tests in Danish.")
    edit = {
        "file_path": str(session.desk.root / "src/counter.ts"),
        "old_string": "1",
        "new_string": "0",
    }
    use("s1", "Edit", edit, "done")
    use("s2", "Bash", {"command": "npm test"}, "4 passed")
    commit = {"command": "git commit -qm 'Start the counter at zero'"}
    use("s3", "Bash", commit, "[main 0a1b2c3] Start the counter at zero")
    note("assistant", [{"type": "text", "text": REPORT}])
    return path


@pytest.mark.parametrize("folder", ["subagents", "subagents/workflows/w1"])
def test_the_work_of_a_sub_agent_belongs_to_its_session_and_teaches_nothing(
    folder: str, desk: Desk, tmp_path: Path
) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks("Why is the counter off by one?")
    path = with_sub_agent(session, folder)
    session.answers(
        "The sub-agent fixed it: the counter starts at zero now, and all four tests pass."
    )
    [episode] = episodes(desk)
    assert episode.data["files"] == ["src/counter.ts"]
    assert "npm test" in episode.data["commands"]
    assert "Start the counter at zero" in episode.content
    assert "A sub-agent reported: Found it" in episode.content
    session.ends()
    [kept] = desk.view.sessions.find(frozenset({desk.scope}))
    assert (kept.status, kept.outcome, unread(kept)) == ("completed", "success", 0)
    assert "src/counter.ts" in [access.path for access in kept.files]
    events = desk.view.sessions.events(kept.id)
    theirs = [event for event in events if event.data.get("agent") == path.stem]
    assert len(theirs) == 10
    assert all(event.data["sidechain"] for event in theirs)
    query = desk.runtime().query(
        "rule", "decision", "discovery", "memory", statuses=("active", "inbox")
    )
    learned = [record.text for record in desk.view.records.find(query).records]
    assert not [text for text in learned if "Danish" in text or "Found it" in text]


def test_a_sub_agent_that_goes_on_is_read_on(desk: Desk, tmp_path: Path) -> None:
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks("Why is the counter off by one?")
    path = with_sub_agent(session)
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:2]))
    session.stops("Waiting for it.")
    path.write_bytes(b"".join(whole))
    session.answers("It is done: the counter starts at zero, as the sub-agent found out.")
    [kept] = desk.view.sessions.find(frozenset({desk.scope}))
    theirs = [e for e in desk.view.sessions.events(kept.id) if e.data.get("agent")]
    assert len(theirs) == 10
    assert len({event.key for event in theirs}) == 10


def test_a_sub_agent_whose_transcript_lies_elsewhere_is_read_when_its_end_is_told(
    desk: Desk, tmp_path: Path
) -> None:
    codes = Hooked(desk, "codex", codex(tmp_path))
    codes.hook("SessionStart", source="startup")
    rows = [
        {"timestamp": "2026-04-07T08:00:04Z", "type": "response_item", "payload": {
            "type": "function_call", "name": "exec_command", "call_id": "s1",
            "arguments": json.dumps({"cmd": "ls src"})}},
    ]  # fmt: skip
    theirs = lines_to(tmp_path / "elsewhere" / "rollout-sub.jsonl", rows)
    for _ in range(2):
        codes.hook("SubagentStop", agent_id="s", agent_transcript_path=str(theirs), turn_id="t1")
    codes.hook("Stop", turn_id="t9")
    assert [e.text for e in codes.events if e.data.get("sidechain")] == ["Bash: ls src"]
    assert codes.told() == [PROMPT, ANSWER]
