"""Bodies that are packed, and a database in which they are not yet."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import apsw
import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.time import from_micros
from contextd.stores import packing
from contextd.stores.migrate import migrations, schema_of
from contextd.stores.packing import pack, unpack
from contextd_common.errors import Corrupt
from support.stores import Whole, opened

SHOP, BAKERY = Scope.parse("local/default/shop"), Scope.parse("local/default/bakery")
AT = from_micros(1_795_319_331_000_000)


@pytest.mark.parametrize("text", ["", "{}", '{"text":"größer 🦆\\n"}', "x" * 100_000])
def test_packed_text_is_unpacked_unchanged(text):
    assert unpack(pack(text)) == text


def test_a_usual_event_takes_less_than_half():
    event = {
        "at": 1_795_319_331_000_000, "role": "assistant", "text": "Bash: go test ./internal/shop/...",
        "data": {"tool": "Bash", "id": "toolu_01Xy", "input": {"command": "go test ./internal/shop/..."}},
    }  # fmt: skip
    text = json.dumps(event, separators=(",", ":"))
    assert len(pack(text)) < len(text) / 2


def test_the_dictionary_is_the_one_that_was_released():
    # Whoever changes it makes every stored event unreadable: add another one instead.
    digest = hashlib.sha256(packing._WORDS).hexdigest()
    assert digest == "735b1b652906a33181be86b84111c65f09e232218a1292222ecdebfe5e293bb0"


@pytest.mark.parametrize("stored", [b"", b"\x02abc", b"\x01\xff\xff\xff"])
def test_damage_is_told_as_damage(stored):
    with pytest.raises(Corrupt):
        unpack(stored)


def written_before(path):
    """A database whose bodies are text, with a session and a changed record in each of two projects."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL")
    for script in migrations():
        connection.execute(script)
    connection.execute(f"PRAGMA user_version={schema_of(migrations())}")
    for number, scope in enumerate((SHOP, BAKERY), 1):
        session = {
            "id": f"s{number}", "scope": str(scope), "client": "claude-code", "external_id": "window",
            "cwd": "", "task": "", "status": "active", "outcome": "", "started_at": 1,
            "last_seen_at": 1, "ended_at": None, "commit": "", "branch": "", "files": [], "topics": [],
            "tool_calls": 0, "tokens_served": 0, "injected": [], "data": {},
        }  # fmt: skip
        connection.execute(
            "INSERT INTO sessions (no, scope, id, client, external_id, status, ended, started_at,"
            " last_seen_at, events, body) VALUES (?, ?, ?, 'claude-code', 'window', 'active', 0, 1, 1,"
            " 1, ?)",
            (number, str(scope), f"s{number}", json.dumps(session)),
        )
        event = {
            "type": "message", "key": "m1", "at": 1, "role": "user",
            "text": f"Said in {scope.project}", "data": {"origin": "prompt"},
        }  # fmt: skip
        connection.execute(
            "INSERT INTO events VALUES (?, 1, 'm1', 'message', ?)", (number, json.dumps(event))
        )
    connection.close()


def test_a_database_from_before_opens_and_both_projects_keep_theirs(tmp_path):
    written_before(tmp_path / "contextd.db")
    store = opened(f"sqlite://{tmp_path}/contextd.db")
    try:
        whole = Whole(store, (SHOP, BAKERY))
        for id, scope in (("s1", SHOP), ("s2", BAKERY)):
            told = Event(type="note", key="n1", at=AT, text=f"Told in {scope.project}")
            again = Event(type="message", key="m1", at=AT, text="the same key")
            whole.commit(sessions=[SessionChange(id=id, events=(again, told))])
        for id, scope in (("s1", SHOP), ("s2", BAKERY)):
            first, second = whole.sessions.events(id)
            assert (first.key, first.type, first.role, first.seq) == ("m1", "message", "user", 1)
            assert first.text == f"Said in {scope.project}"
            assert first.data == {"origin": "prompt"}
            assert (second.key, second.text) == ("n1", f"Told in {scope.project}")
        assert whole.sessions.messages([("s2", 1)])[0][1].text == "Said in bakery"
    finally:
        store.close()


def test_a_history_from_before_reads_as_one_with_what_came_after(tmp_path):
    store = opened(f"sqlite://{tmp_path}/contextd.db")
    scopes = {SHOP: "r1", BAKERY: "r2"}
    try:
        for scope, id in scopes.items():
            note = Record(
                id=id, kind="context", scope=scope, content=f"First in {scope.project}",
                created_at=AT, updated_at=AT,
            )  # fmt: skip
            view = Whole(store, (scope,)).view
            view.commit(Changes(knowledge=KnowledgeChanges(records=[Put(note, "create")])))
    finally:
        store.close()
    connection = apsw.Connection(str(tmp_path / "contextd.db"))
    for no, after in list(connection.execute("SELECT no, after FROM changes")):
        assert isinstance(after, bytes)
        connection.execute("UPDATE changes SET after = ? WHERE no = ?", (unpack(after), no))
    connection.close()
    store = opened(f"sqlite://{tmp_path}/contextd.db")
    try:
        for scope, id in scopes.items():
            view = Whole(store, (scope,)).view
            [record] = view.records.get([id])
            after = replace(record, content=f"Then in {scope.project}")
            view.commit(Changes(knowledge=KnowledgeChanges(records=[Put(after, "update")])))
            states = [(one.before, one.after) for one in view.records.history(id)]
            said = [[one and one.content for one in pair] for pair in states]
            first, then = f"First in {scope.project}", f"Then in {scope.project}"
            assert said == [[None, first], [first, then]]
    finally:
        store.close()


def test_sessions_without_a_word_are_kept_as_they_were(tmp_path):
    store = opened(f"sqlite://{tmp_path}/contextd.db")
    try:
        whole = Whole(store, (SHOP,))
        whole.commit(open=[Session(scope=SHOP, id="s1")])
        empty = Event(type="file_access", key="f1", at=from_micros(0))
        whole.commit(sessions=[SessionChange(id="s1", events=(empty,))])
        assert whole.sessions.events("s1") == [replace(empty, seq=1)]
    finally:
        store.close()
