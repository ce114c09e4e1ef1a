"""Answers as a model is shown them: no dearer than their text, and good for the next call."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any

import jsonschema
import pytest
from pydantic import Field, TypeAdapter

from contextd.domain.details import DETAIL
from contextd.domain.errors import Conflict
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.tokens import count_tokens
from contextd.invocation.lean import lean
from contextd.runtime.operation import OPERATIONS, tools
from contextd.surfaces.mcp_schemas import output_schema, structured
from support.desks import Desk
from support.repositories import SHOP, committed
from support.tool_calls import CALLS, settled

MOST, ENVELOPE = 1.1, 12
"""What data may cost for each token of its text, and what an object with an id in it costs by itself."""

AVERAGE_ID = "be153a6a"
"""An id that costs what they cost on average; between two of them lies a factor of three."""

WHOLE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")


def cost(text: str) -> int:
    """What a text costs, whatever ids were drawn."""
    return count_tokens(SHORT_ID.sub(AVERAGE_ID, text))


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def empty_parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        found = [name for name, part in value.items() if part in (None, "", [], {})]
        return found + [one for part in value.values() for one in empty_parts(part)]
    return [one for part in value for one in empty_parts(part)] if isinstance(value, list) else []


def test_no_tool_tells_a_model_more_in_data_than_in_text(desk: Desk) -> None:
    assert {op.name for op in tools("full")} == {name for name, _ in CALLS}, "every tool is called"
    ids = settled(desk)
    agent = desk.connected("one")
    said: list[int] = []
    shown: list[int] = []
    dear: list[str] = []
    for name, given in CALLS:
        op = OPERATIONS[name]
        answer = agent.answer(name, **given(agent, ids))
        if name == "session_start":
            ids["session"] = answer.value["session_id"]
        data = structured(op, answer.shown)
        for form in (data, structured(op, answer.value)):
            jsonschema.validate(form, output_schema(op))
        assert not WHOLE_ID.search(written(data)), name
        if answer.shown != answer.value and empty_parts(data) != list(data):
            assert empty_parts(data) == [], name
        said.append(cost(answer.text))
        shown.append(cost(written(data)))
        if shown[-1] > MOST * said[-1] + ENVELOPE:
            dear.append(f"{name}: {shown[-1]} for {said[-1]}: {written(data)[:300]}")
    assert not dear, "mark what the text leaves out with DETAIL:\n" + "\n".join(dear)
    assert sum(shown) <= MOST * sum(said)


@dataclass(frozen=True)
class Line:
    id: str
    score: Annotated[float, DETAIL] = 0.0

    def as_text(self) -> str:
        return f"{self.id[:8]} scored {self.score}"

    def as_line(self) -> str:
        return f"{self.id[:8]} is here"


@dataclass(frozen=True)
class Row:
    when: Annotated[str, Field(serialization_alias="whenItWas")]
    count: int = 0


@dataclass(frozen=True)
class Result:
    lines: list[Line]
    rows: list[Row]
    sure: float
    why: Annotated[str, DETAIL]
    free: dict[str, Any] = field(default_factory=dict)
    label: str = "usual"
    right: bool = True


def test_the_rule_needs_nothing_but_the_fields_of_a_result(words_only: Desk) -> None:
    id, stored = str(uuid.uuid4()), words_only("save_context", content="Invoices are immutable.")
    result = Result(
        [Line(stored["id"], 0.5)], [Row("2026-11-22T13:24:45.123456Z", 0)], 0.6666, "words #1",
        {"customer": id, "note": "", "at": "2026-11-22T13:24:45Z"}, right=False,
    )  # fmt: skip
    value = TypeAdapter(Result).dump_python(result, mode="json", by_alias=True)
    assert lean(result, value, words_only.runtime()) == {
        "lines": [f"{stored['id'][:8]} is here"],
        "rows": [{"whenItWas": "2026-11-22T13:24Z"}],
        "sure": 0.67,
        "free": {"customer": id, "at": "2026-11-22T13:24:45Z"},
        "right": False,
    }


def test_programs_and_people_get_all_of_it(words_only: Desk) -> None:
    words_only("save_context", content="Deploys go through the green pipeline.", tags=["ops"])
    for surface in ("rest", "cli", "python"):
        answer = words_only.on(surface).answer("list_contexts")
        [entry] = answer.shown["entries"]
        assert {"id", "source", "createdAt", "updatedAt", "bubbleId"} <= set(entry)
        assert WHOLE_ID.fullmatch(entry["id"])
    [line] = words_only.answer("list_contexts").shown["entries"]
    assert line == f"{entry['id'][:8]} Deploys go through the green pipeline. [ops]"


def test_where_there_is_nothing_it_is_said_what_there_is_none_of(words_only: Desk) -> None:
    assert words_only.answer("list_noise").shown == {"entries": []}


def first_id(told: Any) -> str:
    """The first id a model finds in what it is shown."""
    found = SHORT_ID.search(written(told))
    assert found
    return found[0]


def test_an_id_that_was_shown_is_good_for_the_next_call(words_only: Desk) -> None:
    agent = words_only.connected("one")

    def call(name: str, /, **given: Any) -> Any:
        return agent.answer(name, **given).shown

    session = call("session_start", task_description="weigh parcels")["session_id"]
    assert len(session) == 8
    call("session_log", session_id=session, role="user", text="Weigh them twice.")
    point = call("session_checkpoint", summary="Half done.", session_id=session)["checkpoint_id"]
    bubble = call("create_bubble", name="parcels")["id"]
    note = call("save_context", content="The scale is cold in the morning.", bubble_id=bubble)["id"]
    [line] = call("get_bubble", id=bubble)["entries"]
    assert line.startswith(note)
    assert call("update_context", id=first_id(line), content="The scale is cold.")["id"] == note
    lesson = {"title": "Weigh twice", "description": "cold", "content": "Cold scales lie."}
    memory = call("memory_record", **lesson, outcome="success")["id"]
    assert call("memory_feedback", memory_id=memory, helpful=True)["memory_id"] == memory
    agent.host.flush()
    found = call("memory_search", query="cold scales lie weigh")["memories"]
    assert memory in found[0]
    call("report_usefulness", context_ids=[memory, note], useful=True)
    assert "deleted" in call("delete_context", id=note)["message"]
    assert call("session_end", session_id=session)["session_id"] == session
    assert len(call("session_resume", checkpoint_id=point)["session_id"]) == 8


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
    for line in words_only.answer("list_contexts").shown["entries"]:
        id, content = line.split(" ", 1)
        meant = one if content == one.content else other
        assert (len(id), meant.id[: len(id)]) == (13, id)
        after = words_only.answer("update_context", id=id, content=f"{content}, since May")
        assert (after.value["id"], after.shown["id"]) == (meant.id, id)


def test_records_of_two_projects_may_begin_alike(words_only: Desk, tmp_path: Any) -> None:
    elsewhere = words_only.at(committed(tmp_path / "elsewhere", SHOP))
    desks = (words_only, elsewhere)
    notes = twins(*desks)
    for desk, note in zip(desks, notes, strict=True):
        [line] = desk.answer("list_contexts").shown["entries"]
        assert line == f"0a1b2c3d {note.content}"
        assert desk("update_context", id="0a1b2c3d", tags=["seen"])["id"] == note.id
    before = elsewhere.record(notes[1].id)
    words_only("delete_context", id="0a1b2c3d")
    assert elsewhere.record(notes[1].id) == before


def test_a_session_is_named_by_a_beginning_that_is_its_own(words_only: Desk, tmp_path: Any) -> None:
    elsewhere = words_only.at(committed(tmp_path / "elsewhere", SHOP))
    for desk, many in ((words_only, 1), (elsewhere, 2)):
        for _ in range(many):
            id = f"0a1b2c3d-{str(uuid.uuid4())[9:]}"
            desk.runtime().commit(open=[Session(id=id, scope=desk.scope)])
    said: dict[str, Any] = {"session_id": "0a1b2c3d", "role": "user", "text": "Weigh it."}
    [here] = words_only.sessions()
    assert words_only("session_log", **said)["session_id"] == here.id
    with pytest.raises(Conflict):
        elsewhere("session_log", **said)
    latest = elsewhere.sessions()[0]
    logged = elsewhere.answer("session_log", **{**said, "session_id": latest.id})
    assert logged.shown["session_id"] == latest.id[:13]


def test_what_a_file_uses_and_no_room_is_left_for_is_told_by_its_path(desk: Desk) -> None:
    body = "".join(f"export const part{n} = () => refreshToken('{n}');\n" for n in range(60))
    source = "import { refreshToken } from '../auth/token';\n" + body
    (desk.root / "src" / "auth" / "parts.ts").write_text(source)
    desk("codebase_index")
    asked = {"path": "src/auth/parts.ts", "include_deps": True}
    [whole] = desk.answer("read_file", **asked).shown["dependencies"]
    assert whole.startswith("--- uses src/auth/token.ts ---\n```\nexport function refreshToken")
    assert desk.answer("read_file", **asked, budget=120).shown["dependencies"] == [
        "src/auth/token.ts"
    ]
