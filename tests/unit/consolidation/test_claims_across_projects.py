"""Two clients in two projects: a session id, a key or a job of one is nothing to the other."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextd.runtime.operation import Answer
from contextd_common.errors import ContextdError, NotFound
from support.desks import Desk
from support.repositories import committed

SECRET = "marigold"
CLAIMED = "0b6f5f0e-2a55-4c7e-9a13-6b1b5a0c7d11"
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "PreCompact",
    "SessionEnd",
)  # fmt: skip


@pytest.fixture
def garden(words_only: Desk, tmp_path: Path) -> Desk:
    """The same owner in another project."""
    return words_only.at(committed(tmp_path / "garden", {"a.py": "a = 1\n"}))


def hooked(desk: Desk, event: str, session: str = CLAIMED, client: str = "claude-code") -> Any:
    payload = {
        "hook_event_name": event, "session_id": session, "cwd": str(desk.root), "source": "startup",
        "prompt": "What do we know about the vault doors and their wheels?", "tool_name": "Bash",
        "tool_input": {"command": "ls vault"}, "tool_use_id": "t", "error": "vault door stuck",
        "tool_response": {"stdout": "door"}, "trigger": "manual", "reason": "exit",
    }  # fmt: skip
    return desk.on("hook")("hook_event", event=event, payload=payload, client=client)


def session_of(desk: Desk, id: str) -> tuple[Any, Any]:
    """A session's row and its timeline, without what only the passing of time changes."""
    desk.host.flush()
    [row] = [one for one in desk.as_owner("list_sessions")["sessions"] if one["id"] == id]
    return row, desk.as_owner("session_timeline", session_id=id)


def vault(desk: Desk) -> str:
    """A session of a client in the first project; its id."""
    desk("save_context", content=f"The vault doors open with {SECRET}, and their wheels turn left")
    id: str = hooked(desk, "SessionStart")["session_id"]
    hooked(desk, "UserPromptSubmit")
    desk("session_log", session_id=id, role="user", text=f"The word is {SECRET}.")
    return id


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_no_event_with_a_claimed_session_id_reaches_the_session_of_another_project(
    words_only: Desk, garden: Desk, client: str
) -> None:
    mine = vault(words_only)
    before = session_of(words_only, mine)
    for event in EVENTS:
        told = hooked(garden, event, client=client)
        assert SECRET not in json.dumps(told), event
        assert told["session_id"] != mine, event
    garden.host.work_off()
    assert session_of(words_only, mine) == before
    assert SECRET not in json.dumps(garden.as_owner("list_sessions"))
    assert SECRET not in json.dumps(garden.as_owner("list_records", status="any"))


def test_an_event_of_another_client_with_the_same_session_id_is_of_another_session(
    words_only: Desk,
) -> None:
    mine = vault(words_only)
    before = session_of(words_only, mine)
    other = hooked(words_only, "SessionStart", client="codex")["session_id"]
    hooked(words_only, "Stop", client="codex")
    assert other != mine
    assert session_of(words_only, mine) == before


@pytest.mark.parametrize("claimed", ["the whole id", "its beginning"])
def test_an_event_that_claims_an_id_of_ours_as_its_session_gets_a_session_of_its_own(
    words_only: Desk, garden: Desk, claimed: str
) -> None:
    mine = vault(words_only)
    id = mine if claimed == "the whole id" else mine[:8]
    before = session_of(words_only, mine)
    for event in EVENTS:
        told = hooked(garden, event, session=id)
        assert told["session_id"] != mine, event
        assert SECRET not in json.dumps(told), event
    assert session_of(words_only, mine) == before


def keyed(desk: Desk, operation: str, /, *, repeated: bool = True, **arguments: Any) -> Answer:
    request = replace(desk.request(), key="k-1", repeated=repeated)
    return desk.host.call(operation, request, arguments)


def test_a_key_of_one_project_gives_no_answer_in_another(words_only: Desk, garden: Desk) -> None:
    text = f"The vault doors open with {SECRET}, and their wheels turn left"
    made = keyed(words_only, "save_context", content=text, repeated=False).value["id"]
    words_only.host.flush()
    again = keyed(words_only, "save_context", content=text).value["id"]
    there = keyed(garden, "save_context", content="Beds are weeded on Fridays").value
    assert again == made
    assert there["id"] != made
    assert SECRET not in json.dumps(there)
    listed = garden("list_contexts")["entries"]
    assert [one["content"] for one in listed] == ["Beds are weeded on Fridays"]


def test_a_key_with_the_project_named_is_that_projects(words_only: Desk, garden: Desk) -> None:
    garden("save_context", content="Beds are weeded on Fridays")
    text = f"The vault doors open with {SECRET}"
    made = keyed(words_only, "save_context", content=text, repeated=False).value["id"]
    words_only.host.flush()
    shop = str(words_only.scope)
    assert keyed(garden, "save_context", content=text, project=shop).value["id"] == made
    assert keyed(garden, "save_context", content=text).value["id"] != made


def test_a_key_of_one_caller_gives_no_answer_to_another(words_only: Desk, garden: Desk) -> None:
    garden("list_contexts")
    text = f"The vault doors open with {SECRET}"
    made = keyed(words_only, "save_context", content=text, repeated=False).value["id"]
    words_only.host.flush()
    stranger = garden.by("project_dev", garden.scope.project)
    there = keyed(stranger, "save_context", content="Beds are weeded on Fridays").value
    assert there["id"] != made
    with pytest.raises(ContextdError) as caught:
        keyed(stranger, "save_context", content=text, project=str(words_only.scope))
    assert SECRET not in json.dumps(caught.value.as_dict())


def test_a_job_of_another_project_is_neither_listed_nor_run_again(
    words_only: Desk, garden: Desk
) -> None:
    garden("list_contexts")
    job = words_only.failed_job("find_contradictions", f"vault door {SECRET}")
    assert job in json.dumps(words_only.as_owner("jobs", state="failed"))
    assert SECRET in json.dumps(words_only.as_owner("jobs"))
    assert SECRET not in json.dumps(garden.as_owner("jobs", state="any"))
    for id in (job, job[:8]):
        with pytest.raises(NotFound) as caught:
            garden.as_owner("retry_job", id=id)
        assert SECRET not in json.dumps(caught.value.as_dict())
    [left] = [
        one for one in words_only.as_owner("jobs", state="failed")["jobs"] if one["id"] == job
    ]
    assert left["state"] == "failed"
