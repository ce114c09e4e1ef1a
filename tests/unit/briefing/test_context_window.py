"""The window of a session through the operations: what enters it, what leaves it, what is told."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.briefing.call_tracking import follow
from contextd.briefing.context_window import archived_sources
from contextd.domain.context_items import Serving
from contextd.sessions.session_binding import seated
from support.desks import Listening, embedder


class Agent:
    """One connection of an agent."""

    def __init__(self, desk: Any) -> None:
        self.desk = desk

    def __call__(self, operation: str, /, **arguments: Any) -> Any:
        value = self.desk.connected("one")(operation, **arguments)
        self.desk.host.flush()
        return value

    def runtime(self) -> Any:
        return seated(self.desk.connected("one").runtime())

    def session(self) -> Any:
        return self.desk.view.sessions.get(self.runtime().session)

    def items(self) -> dict[tuple[str, str], Any]:
        found = self.desk.view.sessions.items(self.runtime().session)
        return {(i.type, i.source): i for i in found}


@pytest.fixture
def agent(open_desk) -> Agent:
    desk = open_desk(window_tokens=1000)
    desk("codebase_index")
    return Agent(desk)


def fill(agent: Agent, *sources: str, tokens: int) -> None:
    runtime = agent.runtime().for_call()
    runtime.trace.gave += [Serving("file", source, tokens) for source in sources]
    follow(runtime, "read_file", {}, 0, counted=False)


def test_files_knowledge_and_searches_enter_the_window_with_their_tokens(agent):
    agent("memory_record", title="Guards", description="d", outcome="success", content="Guards in src/auth/guard.ts always answer true.")  # fmt: skip
    read = agent("read_file", path="src/auth/guard.ts")
    items = agent.items()
    assert items["file", "src/auth/guard.ts"].tokens > 0
    assert ("discovery", read["knowledge"][0]["id"]) in items
    agent("codebase_search", query="refreshToken", limit=5)
    agent("read_file", path="src/auth/guard.ts")
    items = agent.items()
    assert items["file", "src/auth/guard.ts"].count >= 2
    assert ("file", "src/auth/token.ts") in items
    window = agent("context_window")
    assert window["tokens"] == sum(i.tokens for i in items.values())
    assert window["capacity"] == 1000


def test_a_call_without_a_connection_fills_no_window(agent):
    agent.desk("read_file", path="src/auth/guard.ts")
    agent.desk.host.flush()
    assert agent.desk("context_window")["session_id"] == ""


def test_past_four_fifths_the_lowest_go_with_a_reason_and_search_still_finds_them(agent):
    agent("read_file", path="src/auth/guard.ts")
    fill(agent, "src/a.ts", tokens=300)
    fill(agent, "src/a.ts", "src/b.ts", tokens=300)
    fill(agent, "src/b.ts", "src/c.ts", tokens=250)
    assert agent.items()["file", "src/auth/guard.ts"].status == "archived"
    window = agent("context_window")
    assert window["percent"] <= 64
    assert window["archived"] >= 1
    [pruning] = window["prunings"]
    assert "src/auth/guard.ts" in [one["source"] for one in pruning["archived"]]
    assert all("% full; score" in one["reason"] for one in pruning["archived"])
    hits = agent("context_search", query="guard", type="code")["results"]
    [hit] = [h for h in hits if h["source"].startswith("src/auth/guard.ts")]
    assert "export function guard" in hit["text"]
    assert "archived from the window" in hit["why"]


def test_an_archived_file_returns_to_the_window_when_it_is_read_again(agent):
    agent("read_file", path="src/auth/guard.ts")
    fill(agent, "src/a.ts", tokens=600)
    fill(agent, "src/b.ts", tokens=600)
    assert "src/auth/guard.ts" in archived_sources(agent.runtime())
    agent("read_file", path="src/auth/guard.ts")
    assert agent.items()["file", "src/auth/guard.ts"].status == "active"


def test_a_full_window_writes_context_md(agent):
    (agent.desk.root / ".context").mkdir()
    agent("read_file", path="src/auth/guard.ts")
    assert not (agent.desk.root / ".context/CONTEXT.md").exists()
    fill(agent, "src/a.ts", "src/b.ts", tokens=500)
    assert (agent.desk.root / ".context/CONTEXT.md").exists()


def test_windows_are_scored_every_five_minutes_while_a_session_is_busy_and_then_rest(agent, home):
    host, view = agent.desk.host, agent.desk.view

    def rounds() -> list[Any]:
        host.work_off()
        done = view.jobs.list(states=("done",))
        return [job.result["sessions"] for job in done if job.name == "score_windows"]

    agent("read_file", path="src/auth/guard.ts")
    fill(agent, "src/a.ts", tokens=10)
    home.clock.move(minutes=4)
    assert rounds() == []
    home.clock.move(minutes=2)
    assert rounds() == [1]
    for _ in range(4):
        home.clock.move(minutes=6)
    assert rounds() == [1, 1]
    home.clock.move(minutes=6)
    assert rounds() == [1, 1], "an idle session is left alone"
    agent("read_file", path="src/auth/guard.ts")
    agent("session_end")
    home.clock.move(minutes=6)
    assert rounds() == [0, 1, 1], "a session that is over is not scored"


def test_show_tells_the_use_of_the_window_and_with_stats_what_is_in_it(agent):
    agent("read_file", path="src/auth/guard.ts")
    fill(agent, "src/a.ts", tokens=500)
    text = agent.desk.on("cli").answer("show").text
    used = agent("context_window")["tokens"]
    assert f"Context usage: {round(used / 10)}% ({used} / 1,000 tokens)" in text
    assert "window: file: 2" in agent.desk.on("cli").answer("show", stats=True).text


def test_status_tells_how_far_embedding_came(desk):
    desk("codebase_index")
    before = desk.as_owner("status")
    assert (before["percent"], before["seconds_left"]) == (0, None)
    desk.host.work_off()
    after = desk.as_owner("status")
    assert (after["percent"], after["pending"], after["seconds_left"]) == (100, 0, 0)
    assert after["per_second"] > 0


def test_files_of_an_open_session_get_vectors_first(open_desk):
    listening = Listening(embedder())
    desk = open_desk(listening)
    agent = Agent(desk)
    agent("read_file", path="src/auth/token.ts")
    agent("codebase_index")
    listening.texts.clear()
    desk.host.work_off()
    places = ("src/", "package", "tsconfig")
    code = [text.split()[0] for text in listening.texts if text.startswith(places)]
    assert code[0] == "src/auth/token.ts"
    assert len(set(code)) > 5


def test_symbols_maps_lists_and_a_resumed_session_enter_the_window_too(agent):
    noted = agent("save_context", content="The shop is written in TypeScript")
    agent("find_symbol", name="guard")
    agent("find_references", name="refreshToken")
    agent("repo_map", budget=200)
    agent("list_contexts")
    items = agent.items()
    assert {source for kind, source in items if kind == "file"} >= {
        "src/auth/guard.ts",
        "src/auth/service.ts",
        "src/auth/token.ts",
    }
    assert ("discovery", noted["id"]) in items
    saved = agent("session_checkpoint", summary="The guard is done, the token is not")
    resumed = agent("session_resume", checkpoint_id=saved["checkpoint_id"])
    found = agent.desk.view.sessions.items(resumed["session_id"])
    assert [(item.type, item.source) for item in found] == [("discovery", saved["checkpoint_id"])]
