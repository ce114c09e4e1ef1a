"""Folding through the operations: what comes back, what stays behind, and what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextd.folding import digest_input
from contextd_common.errors import Denied, Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.desks import Desk

SECRET = "ghp_" + "a1B2" * 9
LINES = [f"test_{n} ... ok in {n % 9} ms" for n in range(3_000)]
LOG = "\n".join(
    [*LINES, "E   AssertionError: totals differ: 3 != 4", f"token {SECRET}", "1 failed"]
)


@pytest.fixture
def agent(words_only: Desk) -> Desk:
    words_only("codebase_index")
    (words_only.root / "build.log").write_text(LOG)
    return words_only.connected("one")


def levels(desk: Desk) -> dict[str, int]:
    found: dict[str, int] = desk("savings")["levels"]
    return found


def test_a_log_is_folded_and_any_part_of_it_comes_back(agent):
    folded = agent.answer("digest", paths=["build.log"])
    assert "AssertionError: totals differ: 3 != 4" in folded.value["digest"]
    assert "1 failed" in folded.value["digest"]
    assert count_tokens(folded.text) <= 800
    assert folded.value["raw_tokens"] > 20_000
    handle = folded.value["handle"]
    assert agent("expand", handle=handle, range="build.log:11-12")["text"] == "\n".join(
        LINES[10:12]
    )
    assert SECRET not in agent("expand", handle=handle, range="build.log:3001-3003")["text"]


def test_an_expansion_larger_than_its_budget_says_where_it_goes_on(agent):
    handle = agent("digest", paths=["build.log"])["handle"]
    seen: list[str] = []
    range = "build.log"
    while range:
        part = agent("expand", handle=handle, range=range, budget=10_000)
        assert part["tokens"] <= 10_000
        seen += part["text"].split("\n")
        range = part["next"]
    assert seen[:3_000] == LINES
    assert len(seen) == 3_003


def test_files_are_folded_to_definitions_and_what_was_asked(agent):
    folded = agent("digest", query="who refreshes the token", paths=["src"], budget=400)
    assert folded["tokens"] <= 400
    assert "src/auth/token.ts" in folded["digest"]
    assert "src/auth/token.ts" in folded["parts"]
    whole = (agent.root / "src/auth/token.ts").read_text()
    part = agent("expand", handle=folded["handle"], range="src/auth/token.ts")
    assert part["text"] == whole


def test_a_question_alone_is_folded_from_what_is_known(agent):
    agent(
        "memory_record", title="Renewing", description="d", outcome="success",
        content="The refresh token is renewed in src/auth/token.ts before it runs out.",
    )  # fmt: skip
    folded = agent("digest", query="where is the refresh token renewed")
    assert "renewed in src/auth/token.ts" in folded["digest"]
    assert agent("expand", handle=folded["handle"], range=folded["parts"][0])["text"]
    assert agent("digest", query="quantum chromodynamics")["handle"] == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"text": "a", "budget": 0}, Invalid),
        ({"paths": ["../elsewhere"]}, Invalid),
        ({"paths": ["/etc/passwd"]}, Invalid),
        ({"paths": [".git/config"]}, Invalid),
        ({"paths": ["missing.log"]}, NotFound),
        ({"paths": ["logo.png"]}, Invalid),
    ],
)
def test_input_that_cannot_be_folded_is_refused_with_a_hint(agent, arguments, error):
    (agent.root / "logo.png").write_bytes(b"\x89PNG\0\0\0" * 100)
    with pytest.raises(error) as refused:
        agent("digest", **arguments)
    assert refused.value.hint


def test_a_text_is_folded_beside_files_and_nothing_gives_nothing(agent):
    both = agent("digest", text="Error: the scale sleeps", paths=["build.log"])
    assert both["parts"] == ["build.log", "the text"]
    part = agent("expand", handle=both["handle"], range="the text:1-1")
    assert "the scale sleeps" in part["text"]
    for empty in ({}, {"query": " "}):
        nothing = agent("digest", **empty)
        assert (nothing["handle"], nothing["notes"]) == ("", ["give a query, paths or a text"])


def test_one_file_that_cannot_be_read_does_not_spoil_the_others(agent):
    (agent.root / "logo.png").write_bytes(b"\x89PNG\0\0\0" * 100)
    folded = agent("digest", paths=["logo.png", "build.log", "gone.txt"])
    assert len(folded["notes"]) == 2
    assert folded["parts"] == ["build.log"]


def test_an_error_in_the_middle_of_a_large_file_is_found_and_shown(agent, monkeypatch):
    monkeypatch.setattr(digest_input, "MOST_CHARACTERS", 100_000)
    noise = [f"{n}: GET /items/{n} 200 in {n % 97} ms" for n in range(6_000)]
    key = ["-----BEGIN RSA PRIVATE KEY-----", *("aB3x" * 14,) * 9, "-----END RSA PRIVATE KEY-----"]
    lines = [*noise[:4_000], *key, "ValueError: no stock for order 12", *noise[4_000:]]
    (agent.root / "large.log").write_text("\n".join(lines))
    folded = agent("digest", paths=["large.log"])
    assert "ValueError: no stock for order 12" in folded["digest"]
    assert "6000× #: GET" in folded["digest"]
    assert folded["raw_tokens"] < 60_000
    part = agent("expand", handle=folded["handle"], range="large.log:4000-4003")["text"]
    assert part.split("\n")[0] == noise[3_999]
    assert "aB3x" not in part
    left_out = agent("expand", handle=folded["handle"], range="large.log:5010-5019")["text"]
    assert left_out == "[lines 5,010 to 5,019 were left out: as line 1, but for numbers]"


@pytest.mark.long
def test_of_many_files_the_small_ones_leave_room_for_the_large(agent, monkeypatch):
    monkeypatch.setattr(digest_input, "MOST_CHARACTERS", 320_000)
    for n in range(30):
        (agent.root / "src" / f"small{n}.py").write_text(f"def small_{n}():\n    return {n}\n")
    values = "".join(f"VALUE_{n} = {n}\n" for n in range(900))
    (agent.root / "src" / "large.py").write_text(values)
    agent("codebase_index")
    folded = agent("digest", paths=["src"], query="where is small 21")
    assert "def small_21" in folded["digest"]
    assert folded["notes"] == []
    whole = agent("expand", handle=folded["handle"], range="src/large.py", budget=20_000)["text"]
    assert len(whole) > 10_000, "an equal share would be 8,000"


def test_a_digest_says_how_many_files_can_only_be_expanded_in_part(agent, monkeypatch):
    monkeypatch.setattr(digest_input, "MOST_CHARACTERS", 3_000)
    values = "".join(f"VALUE_{n} = {n}\n" for n in range(900))
    (agent.root / "src" / "large.py").write_text(values)
    (agent.root / "src" / "small.py").write_text("SMALL = 1\n")
    folded = agent("digest", paths=["src/large.py", "src/small.py"])
    assert folded["notes"] == [
        "only parts of 1 of 2 files can be expanded: choose fewer files for the rest"
    ]
    assert agent("digest", paths=["src/small.py"])["notes"] == []


def test_of_a_huge_file_the_ends_are_read(agent, monkeypatch):
    monkeypatch.setattr(digest_input, "_HUGE", 200_000)
    with (agent.root / "huge.log").open("w") as file:
        file.write("begun\n" + "a line of noise\n" * 20_000 + "E  ValueError: at the end\n")
    folded = agent("digest", paths=["huge.log"])
    assert "begun" in folded["digest"]
    assert "bytes were not read" in folded["digest"]
    assert "ValueError: at the end" in folded["digest"]
    assert folded["raw_tokens"] < 70_000


def test_a_handle_holds_for_days_and_in_its_project_only(agent, home, neighbour):
    handle = agent("digest", paths=["build.log"])["handle"]
    other = neighbour.desk(agent.host)
    for stranger in (other, other.by("project_dev", neighbour.scope.project)):
        with pytest.raises(NotFound):
            stranger("expand", handle=handle)
    with pytest.raises(NotFound):
        agent("expand", handle="d-0123456789abcdef")
    home.clock.move(days=8)
    with pytest.raises(NotFound) as gone:
        agent("expand", handle=handle)
    assert "7 days" in gone.value.hint


def test_who_may_only_read_folds_nothing_and_expands_what_others_folded(agent):
    handle = agent("digest", paths=["build.log"])["handle"]
    viewer = agent.by("viewer", agent.scope.project)
    with pytest.raises(Denied):
        viewer("digest", paths=["build.log"])
    assert viewer("expand", handle=handle, range="build.log:1-2")["text"]


def test_another_process_expands_it(agent, home):
    handle = agent("digest", paths=["build.log"])["handle"]
    agent.host.close()
    again = Desk(home.host(embedder_name="none"), agent.root)
    assert again("expand", handle=handle, range="build.log:3")["text"] == LINES[2]


def test_no_secret_is_kept(agent):
    agent("digest", paths=["build.log"])
    agent("digest", text=f"token {SECRET}\n" * 500)
    agent.host.close()
    files = [path for path in Path(agent.host.settings.home).rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in files)


def test_saved_tokens_count_only_the_text_that_was_withheld(agent):
    assert levels(agent) == {"digest": 0, "subagent": 0, "reset": 0, "bookkeeping": 0}
    folded = agent.answer("digest", paths=["build.log"])
    cost = count_tokens(folded.text)
    assert levels(agent)["digest"] == folded.value["raw_tokens"] - cost
    part = agent.answer("expand", handle=folded.value["handle"], range="build.log:1-100")
    less = folded.value["raw_tokens"] - cost - count_tokens(part.text)
    assert levels(agent)["digest"] == less
    # Folded again, it is kept out no second time.
    agent("digest", paths=["build.log"])
    assert levels(agent)["digest"] < less


def test_a_text_an_agent_wrote_out_saves_nothing_and_one_from_a_pipe_does(agent):
    agent("digest", text=LOG)
    assert levels(agent)["digest"] == 0
    agent.on("cli")("digest", text=LOG)
    assert levels(agent)["digest"] > 0


def test_a_subtask_in_one_conversation_saves_nothing(agent):
    agent("branch", description="d", prompt="read all of it")
    agent("read_file", path="src/auth/guard.ts")
    agent("return", message="done")
    assert set(levels(agent).values()) == {0}


def test_a_digest_of_a_question_leaves_out_what_the_user_took_back(agent):
    question = "where does the refresh token of the shop live"
    old = agent("save_context", content="The refresh token of the shop lives in Redis")["id"]
    assert "in Redis" in agent("digest", query=question)["digest"]
    agent("save_context", content="Since May the shop has its refresh token in Postgres")
    record = agent.record(old)
    agent.put(record.with_(data={**record.data, "taken_back": True}), "retract")
    digest = agent("digest", query=question)["digest"]
    assert "in Redis" not in digest
    assert "in Postgres" in digest


def test_only_the_files_of_a_digest_enter_the_window(agent):
    agent("session_start", task_description="Read the log")
    agent("digest", paths=["build.log", "src/auth/token.ts"], text="\n".join(LINES[:200]))
    agent.host.flush()
    [session] = agent.sessions()
    items = agent.view.sessions.items(session.id)
    assert {one.source for one in items if one.type == "file"} == {"build.log", "src/auth/token.ts"}


def test_savings_are_of_one_project(agent, neighbour):
    agent("digest", paths=["build.log"])
    found: Any = neighbour.desk(agent.host)("savings")
    assert (found["saved"], found["rows"]) == (0, [])
    with pytest.raises(Invalid):
        agent.on("rest")("savings", days=0)


def test_the_trace_of_a_subtask_can_be_expanded(agent, neighbour):
    opened = agent("branch", description="explore auth", prompt="Who renews the token?")
    agent("read_file", path="src/auth/guard.ts")
    agent("return", message="src/auth/token.ts does")
    trace = agent("expand", handle=opened["subtask_id"])["text"]
    for part in ("explore auth", "Who renews", "read_file src/auth/guard.ts", "token.ts does"):
        assert part in trace
    with pytest.raises(NotFound):
        neighbour.desk(agent.host).by("project_dev", neighbour.scope.project)(
            "expand", handle=opened["subtask_id"]
        )
