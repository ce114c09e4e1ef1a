"""Errors and their fixes: recorded, found by what an error says, told when it comes back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from contextd_common.errors import Invalid
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk, Home
from support.repositories import git

POOL = {
    "title": "Connection pool runs empty",
    "problem": "FATAL: remaining connection slots are reserved for superusers",
    "symptoms": ["Error: timeout exceeded when trying to connect to the pool 'orders'"],
    "root_cause": "A request that fails keeps its client, since release() stands after the query.",
    "solution": "Release the client in a finally block in src/auth/service.ts",
    "code_diff": "-  await client.query(sql)\n-  client.release()\n+  try { await client.query(sql) } finally { client.release() }",
    "affected_files": ["src/auth/service.ts"],
}
TRACE = (
    "\x1b[31m/srv/app/node_modules/pg-pool/index.js:45\x1b[0m\n    Error.captureStackTrace(err)\n\n"
    "Error: timeout exceeded when trying to connect to the pool 'orders'\n"
    "    at /srv/app/node_modules/pg-pool/index.js:45:11\n    at processTicksAndRejections (node:internal:95:5)\n"
)
NAMED = {
    "title": "yaml is not installed",
    "problem": "ModuleNotFoundError: No module named 'yaml'",
    "root_cause": "The tools are not among the dependencies.",
    "solution": "Install the group tools: uv sync --group tools",
}


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> CodingClient:
    return CodingClient(desk, tmp_path)


def found(desk: Desk, error: str, **more: Any) -> list[dict[str, Any]]:
    return list(desk("remediation_search", error=error, **more)["remediations"])


def fails(session: CodingClient, output: str, event: str = "PostToolUseFailure") -> str:
    """What the agent is told when a command failed."""
    given = {"command": "npm test"}
    more = {"tool_name": "Bash", "tool_input": given, "tool_use_id": "t1"}
    if event == "PostToolUse":
        return session.told(event, tool_response={"stdout": output, "stderr": ""}, **more)
    return session.told(event, error=f"Exit code 1\n{output}", is_interrupt=False, **more)


def test_a_stack_trace_finds_its_fix_with_all_that_is_known_of_it(desk: Desk) -> None:
    id = desk("remediation_record", **POOL)["id"]
    [one] = found(desk, TRACE)
    assert (one["id"], one["match"]) == (id, "the same error")
    for name in ("problem", "symptoms", "root_cause", "solution", "code_diff", "affected_files"):
        assert one[name] == POOL[name]
    assert one["commit"] == git(desk.root, "rev-parse", "HEAD").strip()
    assert one["stands"] == "its code stands as it was"
    (desk.root / "src/auth/service.ts").write_text("export {}\n")
    assert "changed since" in found(desk, TRACE)[0]["stands"]


def test_an_unknown_error_finds_no_remediation_and_says_so(desk: Desk) -> None:
    desk("remediation_record", **POOL)
    for error in (
        "fatal: unable to access the remote repository: could not resolve host",
        "TypeError: cannot read properties of undefined (reading 'total')",
        "\0\1\2\3" * 100,
        "segmentation fault (core dumped)",
    ):
        answer = desk("remediation_search", error=error)
        assert answer["remediations"] == []
        assert answer["note"].startswith(("no known fix", "no text has these words"))


def test_words_and_meaning_find_what_no_signature_does(desk: Desk) -> None:
    id = desk("remediation_record", **POOL)["id"]
    [one] = found(desk, "the connection pool has no free connection slots left")
    assert one["id"] == id
    assert one["match"].startswith("words and meaning")


def test_another_name_is_another_error(desk: Desk) -> None:
    desk("remediation_record", **NAMED)
    assert (
        found(desk, "ModuleNotFoundError: No module named 'yaml'")[0]["match"] == "the same error"
    )
    assert found(desk, "ModuleNotFoundError: No module named 'requests'") == []


def test_a_fix_recorded_twice_is_one_with_the_symptoms_of_both(desk: Desk) -> None:
    first = desk("remediation_record", **POOL)["id"]
    symptoms = ["503 Service Unavailable under load", POOL["symptoms"][0]]
    solution = "Release the client in a finally block"
    again = {**POOL, "title": "Slots", "symptoms": symptoms, "solution": solution}
    answer = desk("remediation_record", **again)
    assert (answer["id"], answer["outcome"]) == (first, "duplicate")
    record = desk.record(first)
    assert record.data["occurrence_count"] == 2
    assert record.data["symptoms"] == [*POOL["symptoms"], symptoms[0]]
    assert found(desk, "Error: 503 Service Unavailable under load")[0]["id"] == first


def test_another_fix_of_the_same_error_is_a_record_of_its_own(desk: Desk) -> None:
    first = desk("remediation_record", **POOL)["id"]
    other = {**POOL, "title": "Pool size", "code_diff": "", "affected_files": []}
    other |= {
        "solution": "Raise max_connections of PostgreSQL to 200",
        "root_cause": "Too few slots",
    }
    second = desk("remediation_record", **other)["id"]
    assert second != first
    assert {one["id"] for one in found(desk, TRACE)} == {first, second}


@pytest.mark.parametrize("missing", ["title", "problem", "solution"])
def test_empty_remediations_and_searches_are_refused(desk: Desk, missing: str) -> None:
    with pytest.raises(Invalid, match=missing):
        desk("remediation_record", **{**POOL, missing: "  "})
    with pytest.raises(Invalid, match="empty"):
        desk("remediation_search", error=" \n")


def test_a_huge_trace_is_searched_and_recorded_by_what_it_says(desk: Desk) -> None:
    id = desk("remediation_record", **POOL)["id"]
    frames = "    at walk (/srv/app/tree.js:12:3)\n" * 6_000
    assert found(desk, f"{frames}{TRACE}")[0]["id"] == id


def test_secrets_of_an_error_are_not_kept(desk: Desk) -> None:
    told = {**NAMED, "symptoms": ["Error: token ghp_" + "a1B2" * 9 + " was refused by the host"]}
    record = desk.record(desk("remediation_record", **told)["id"])
    assert "ghp_a1B2" not in str(record)


def test_a_failing_tool_brings_the_fix_once_and_counts_it(
    desk: Desk, session: CodingClient
) -> None:
    id = desk("remediation_record", **POOL)["id"]
    session.starts()
    told = fails(session, TRACE)
    assert POOL["solution"] in told
    assert id[:8] in told
    assert count_tokens(told) <= 200
    assert fails(session, TRACE) == ""
    [kept] = [one for one in desk.sessions() if one.external_id == session.session]
    assert id in kept.injected
    events = desk.view.sessions.events(kept.id, types=("injection",))
    assert [event.data["records"] for event in events][-1] == [id]


def test_another_session_is_told_too_and_an_unknown_error_tells_nothing(
    desk: Desk, session: CodingClient
) -> None:
    desk("remediation_record", **NAMED)
    session.starts()
    assert fails(session, "ModuleNotFoundError: No module named 'requests'") == ""
    assert fails(session, "AssertionError: the total of a basket is wrong") == ""
    assert fails(session, "") == ""
    before = len(desk.view.sessions.events(desk.sessions()[0].id))
    assert fails(session, "KeyError: there is no such basket") == ""
    assert len(desk.view.sessions.events(desk.sessions()[0].id)) == before
    other = CodingClient(desk, session.folder)
    assert "uv sync" in fails(other, NAMED["problem"])


def test_a_command_that_reports_failing_tests_brings_the_fix_as_well(
    desk: Desk, session: CodingClient
) -> None:
    desk("remediation_record", **NAMED)
    session.starts()
    assert fails(session, f"{NAMED['problem']}\nall fine", "PostToolUse") == ""
    assert "uv sync" in fails(session, f"{NAMED['problem']}\n1 failed in 0.1s", "PostToolUse")


def test_a_prompt_that_brings_a_known_error_gets_the_fix_first(
    desk: Desk, session: CodingClient
) -> None:
    desk(
        "remediation_record",
        title="Too few documents",
        problem="AssertionError: expected 40 documents, got 8",
        root_cause="The fixture indexes one page only.",
        solution="Index all pages in the fixture: index_all(pages)",
    )
    desk("save_context", content="pytest said expected 40 documents, got 8: an issue of the index")
    session.starts()
    told = session.asks("Why did pytest fail with expected 40 documents, got 8?")
    assert told.startswith("Known Error")
    assert "index_all(pages)" in told
    assert told.count("index_all(pages)") == 1
    assert session.asks("And how do I make the button on the page blue instead?") == ""


def test_the_setting_turns_it_off_and_a_reverted_fix_is_not_told(
    desk: Desk, session: CodingClient
) -> None:
    (desk.root / "src/auth/service.ts").write_text("export const fixed = true\n")
    git(desk.root, "commit", "-q", "-am", "Release in finally")
    desk("remediation_record", **POOL)
    desk.configure("remedies:\n  tokens: 0\n")
    assert fails(session, TRACE) == ""
    desk.configure("remedies:\n  tokens: 200\n")
    git(desk.root, "revert", "--no-edit", "HEAD")
    assert fails(session, TRACE) == ""
    assert "reverted" in found(desk, TRACE)[0]["stands"]


def test_a_candidate_is_found_and_not_told(desk: Desk, session: CodingClient) -> None:
    id = desk("remediation_record", **NAMED)["id"]
    desk.put(desk.record(id).with_(status="candidate"))
    assert found(desk, NAMED["problem"])[0]["status"] == "candidate"
    assert fails(session, NAMED["problem"]) == ""


def test_a_confirmed_fix_comes_before_a_surer_one_that_nobody_confirmed(
    desk: Desk, session: CodingClient
) -> None:
    waiting = desk("remediation_record", **POOL)["id"]
    other = {
        "title": "Pool size",
        "problem": POOL["problem"],
        "symptoms": POOL["symptoms"],
        "root_cause": "Too few slots",
        "solution": "Raise max_connections of PostgreSQL to 200",
    }
    confirmed = desk("remediation_record", **other)["id"]
    sure = {**desk.record(waiting).data, "occurrence_count": 9}
    desk.put(desk.record(waiting).with_(status="candidate", confidence=1.0, data=sure))
    assert [one["id"] for one in found(desk, TRACE)] == [confirmed, waiting]
    session.starts()
    told = fails(session, TRACE)
    assert other["solution"] in told
    assert POOL["solution"] not in told


def test_a_persons_fix_is_told_below_the_floor_and_an_agents_is_not(
    desk: Desk, session: CodingClient
) -> None:
    ids = [
        desk.as_owner("remediation_record", **POOL)["id"],
        desk("remediation_record", **NAMED)["id"],
    ]
    session.starts()
    other = CodingClient(desk, session.folder)
    other.starts()
    assert NAMED["solution"] in fails(other, NAMED["problem"])
    for id in ids * 2:
        desk("report_usefulness", context_ids=[id], useful=False)
    assert all(desk.record(id).confidence < 0.35 for id in ids)
    assert POOL["solution"] in fails(session, TRACE)
    assert fails(session, NAMED["problem"]) == ""


def test_a_fix_is_known_in_its_project_alone_unless_it_is_kept_more_widely(
    desk: Desk, session: CodingClient, tmp_path: Path, home: Home
) -> None:
    desk("remediation_record", **POOL)
    elsewhere = desk.at(tmp_path / "elsewhere")
    shutil.copytree(desk.root, elsewhere.root)
    shutil.rmtree(elsewhere.root / ".git")
    (elsewhere.root / ".context").mkdir(exist_ok=True)
    elsewhere.as_owner("init")
    assert elsewhere.scope != desk.scope
    there = CodingClient(elsewhere, session.folder)
    assert found(elsewhere, TRACE) == []
    assert fails(there, TRACE) == ""
    desk("remediation_record", **NAMED, scope="person")
    assert found(elsewhere, NAMED["problem"])
    assert "uv sync" in fails(there, NAMED["problem"])
    # What was recorded for all projects is the neighbour's too, and goes again.
    for one in elsewhere("remediation_search", error=NAMED["problem"])["remediations"]:
        elsewhere.as_owner("undo", id=one["id"])
