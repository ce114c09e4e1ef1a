"""Answers as an agent is shown them: text alone, and the ids in it are good for the next call."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest

from contextd.domain.changes import WorkChanges
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.operation import OPERATIONS, tools
from contextd_common.errors import Conflict
from support.desks import Desk
from support.repositories import SHOP, committed
from support.tool_calls import CALLS, settled

WHOLE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")
WRITTEN_WHOLE = {"get_record"}
"""Tools whose text gives an id whole."""


def test_every_tool_says_its_result_in_text_with_short_ids(desk: Desk) -> None:
    assert {op.name for op in tools("full")} == {name for name, _ in CALLS}, "every tool is called"
    ids = settled(desk)
    agent = desk.connected("one")
    for name, given in CALLS:
        answer = agent.answer(name, **given(agent, ids))
        if name == "session_start":
            ids["session"] = answer.value["session_id"]
        assert answer.text, name
        if name not in WRITTEN_WHOLE:
            assert not WHOLE_ID.search(answer.text), name
        stored = answer.value.get("id") if isinstance(answer.value, dict) else None
        if stored and OPERATIONS[name].effect == "write" and WHOLE_ID.fullmatch(stored):
            assert stored[:8] in answer.text, name


def test_programs_and_people_get_all_of_it(words_only: Desk) -> None:
    words_only("save_context", content="Deploys go through the green pipeline.", tags=["ops"])
    for surface in ("rest", "cli", "python", "mcp"):
        answer = words_only.on(surface).answer("list_contexts")
        [entry] = answer.value["entries"]
        assert {"id", "source", "createdAt", "updatedAt", "bubbleId"} <= set(entry)
        assert WHOLE_ID.fullmatch(entry["id"])
        assert f"{entry['id'][:8]} Deploys go through the green pipeline. [ops]" in answer.text


def first_id(text: str) -> str:
    """The first id an agent finds in what it is shown."""
    found = SHORT_ID.search(text)
    assert found
    return found[0]


def test_an_id_that_was_shown_is_good_for_the_next_call(words_only: Desk) -> None:
    agent = words_only.connected("one")

    def call(name: str, /, **given: Any) -> str:
        return agent.answer(name, **given).text

    session = first_id(call("session_start", task="weigh parcels"))
    call("session_log", session_id=session, role="user", text="Weigh them twice.")
    point = first_id(call("session_checkpoint", text="Half done.", session_id=session))
    bubble = first_id(call("create_bubble", name="parcels"))
    note = first_id(
        call("save_context", text="The scale is cold in the morning.", bubble_id=bubble)
    )
    assert note in call("get_bubble", id=bubble)
    assert first_id(call("update_context", id=note, text="The scale is cold.")) == note
    memory = first_id(call("remember", kind="lesson", title="Weigh", text="Cold scales lie a bit."))
    assert memory in call("memory_feedback", id=memory, useful=True)
    agent.host.flush()
    assert memory in call("context_search", query="cold scales lie weigh")
    assert "Cold scales lie a bit." in call("get_record", id=memory)
    call("report_usefulness", ids=[memory, note], useful=True)
    assert "deleted" in call("delete_context", id=note)
    assert session in call("session_end", session_id=session)
    assert first_id(call("session_resume", id=point))


def twins(*desks: Desk) -> list[Record]:
    """Notes in the projects of these desks whose ids begin alike."""
    made = []
    for desk in desks:
        id = f"0a1b2c3d-{str(uuid.uuid4())[9:]}"
        text = f"Note {len(made)} about the blue pipeline of project {desk.root.name}"
        desk.put(Record(id=id, kind="context", scope=desk.scope, content=text), "create")
        made.append(desk.record(id))
    return made


def test_a_beginning_that_two_records_share_is_made_longer(words_only: Desk) -> None:
    one, other = twins(words_only, words_only)
    for line in words_only.answer("list_contexts").text.splitlines():
        id, content = line.removeprefix("- ").split(" ", 1)
        meant = one if content == one.content else other
        assert (len(id), meant.id[: len(id)]) == (13, id)
        after = words_only.answer("update_context", id=id, text=f"{content}, since May")
        assert after.value["id"] == meant.id
        assert after.text.startswith(id)


def test_records_of_two_projects_may_begin_alike(words_only: Desk, tmp_path: Any) -> None:
    elsewhere = words_only.at(committed(tmp_path / "elsewhere", SHOP))
    desks = (words_only, elsewhere)
    notes = twins(*desks)
    for desk, note in zip(desks, notes, strict=True):
        assert desk.answer("list_contexts").text == f"- 0a1b2c3d {note.content}"
        assert desk("update_context", id="0a1b2c3d", tags=["seen"])["id"] == note.id
    before = elsewhere.record(notes[1].id)
    words_only("delete_context", id="0a1b2c3d")
    assert elsewhere.record(notes[1].id) == before


def test_a_session_is_named_by_a_beginning_that_is_its_own(words_only: Desk, tmp_path: Any) -> None:
    elsewhere = words_only.at(committed(tmp_path / "elsewhere", SHOP))
    for desk, many in ((words_only, 1), (elsewhere, 2)):
        for _ in range(many):
            id = f"0a1b2c3d-{str(uuid.uuid4())[9:]}"
            desk.runtime().commit(work=WorkChanges(open=[Session(id=id, scope=desk.scope)]))
    said: dict[str, Any] = {"session_id": "0a1b2c3d", "role": "user", "text": "Weigh it."}
    [here] = words_only.sessions()
    assert words_only("session_log", **said)["session_id"] == here.id
    with pytest.raises(Conflict):
        elsewhere("session_log", **said)
    latest = elsewhere.sessions()[0]
    logged = elsewhere.answer("session_log", **{**said, "session_id": latest.id})
    assert latest.id[:13] in logged.text


def test_read_file_shows_the_dependencies_of_a_file_in_its_text(desk: Desk) -> None:
    body = "".join(f"export const part{n} = () => refreshToken('{n}');\n" for n in range(60))
    source = "import { refreshToken } from '../auth/token';\n" + body
    (desk.root / "src" / "auth" / "parts.ts").write_text(source)
    desk("codebase_index")
    asked = {"path": "src/auth/parts.ts", "include_deps": True}
    whole = desk.answer("read_file", **asked).text
    assert "--- uses src/auth/token.ts ---\n```\nexport function refreshToken" in whole
    assert "src/auth/token.ts" in desk.answer("read_file", **asked, budget=120).text
