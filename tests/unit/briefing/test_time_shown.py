"""Times are computed when they are shown; what is stored holds instants."""

from __future__ import annotations

import ast
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd.briefing.prepared_briefings import write_ready
from contextd.domain.time import age
from contextd.thin.ready import mark_of, ready_path, said
from support.clients import CodingClient
from support.desks import Desk, Home

RELATIVE = re.compile(r"\b(?:just now|\d+ (?:min|h|days?|months?) ago|yesterday|today)\b")
PROMPT = "Why are the totals of a basket off by one cent?"
ANSWER = (
    "Each line of the basket was rounded by itself, so two lines could lose a cent. The total of the"
    " basket is rounded once now, half even, and the line keeps its exact value."
)


@pytest.fixture
def worked(desk: Desk, home: Home, tmp_path: Path) -> Desk:
    """A project with a note and a session that ended three hours ago."""
    desk.as_owner("init")
    desk("save_context", content="Invoices of the shop are numbered without gaps.")
    session = CodingClient(desk, tmp_path)
    session.starts()
    session.asks(PROMPT)
    session.answers(ANSWER)
    session.ends()
    desk.host.work_off()
    home.clock.move(hours=3)
    return desk


def today(home: Home) -> str:
    return f"{home.clock.now().astimezone():%Y-%m-%d %H:%M}"


def test_a_prompt_has_the_present_moment_and_the_gap_to_the_latest_session(
    worked: Desk, home: Home
) -> None:
    for hours, told in ((0, "3 h ago"), (2, "5 h ago"), (43, "2 days ago")):
        home.clock.move(hours=hours)
        prompt = worked("prompt_build")["prompt"]
        assert f"{today(home)} " in prompt
        assert f"Last interaction: {told}" in prompt


def test_a_prompt_counts_the_gap_from_the_session_before_the_one_under_way(
    worked: Desk, home: Home
) -> None:
    agent = worked.connected("abc")
    agent("session_start", task_description="mail the shop")
    home.clock.move(minutes=10)
    prompt = agent("prompt_build")["prompt"]
    assert "Last interaction: 3 h ago" in prompt
    assert "Session: started 10 min ago" in prompt


@pytest.mark.parametrize("tool", ["briefing_get", "session_start"])
def test_a_briefing_has_the_present_moment(worked: Desk, home: Home, tool: str) -> None:
    assert f"{today(home)} " in worked(tool)["briefing"]


def test_the_first_briefing_of_a_project_has_it_too(desk: Desk, home: Home) -> None:
    assert f"{today(home)} " in desk("session_start")["briefing"]


def test_context_md_holds_instants_only(worked: Desk) -> None:
    text = (worked.root / ".context" / "CONTEXT.md").read_text()
    assert "Session started: " in text
    assert RELATIVE.findall(text) == []


def test_the_ready_briefing_stores_no_ages_and_computes_them_when_it_is_read(
    worked: Desk, home: Home
) -> None:
    write_ready(worked.runtime())
    path = Path(ready_path(worked.host.settings.home, worked.root))
    assert RELATIVE.findall(path.read_text()) == []
    made = json.loads(path.read_text())
    now = home.clock.now()
    for later, told in ((0, "3 h ago"), (14, "17 h ago"), (60, "3 days ago")):
        text = said(made, now + timedelta(hours=later))
        here = (now + timedelta(hours=later)).astimezone()
        assert f"Now {here:%A, %Y-%m-%d %H:%M}" in text
        assert told in text
        assert "contextd:ago" not in text


def test_a_mark_says_the_same_as_the_age_itself() -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for minutes in (0, 1, 5, 89, 91, 600, 2_159, 2_161, 20_000):
        now = at + timedelta(minutes=minutes)
        assert said({"text": mark_of(at.timestamp()), "last_at": ""}, now) == age(at, now)


def test_text_that_resembles_an_age_mark_stays_unchanged() -> None:
    text = "say {contextd:ago:soon} and {contextd:ago:12"
    assert said({"text": text, "last_at": ""}, datetime(2026, 3, 1, tzinfo=UTC)) == text


def test_hits_carry_their_day_and_their_session(worked: Desk, home: Home) -> None:
    said_at = worked.sessions()[0].started_at
    home.clock.move(days=3)
    answer = worked.answer("context_search", query="totals of a basket off by one cent")
    hit = next(one for one in answer.value["results"] if one["type"] == "episode")
    session = worked.sessions()[-1].id
    assert (hit["date"], hit["session"]) == (f"{said_at.day} {said_at:%B %Y}", session)
    assert f"session {session[:8]}" in answer.text
    recalled = worked.answer("memory_search", query="totals of a basket off by one cent")
    assert recalled.value["memories"][0]["session"] == session
    assert f"session {session[:8]}" in recalled.text


STORED = {
    "briefing/prepared_briefings.py": "the briefing that lies ready",
    "briefing/context_file.py": "CONTEXT.md",
    "sessions/context_md.py": "CONTEXT.md",
    "sessions/memory_md.py": "MEMORY.md",
    "person/person_md.py": "USER.md and SOUL.md",
    "awareness/operations/export.py": "awareness.json",
    "awareness/gaps.py": "awareness.json, and the briefing that lies ready",
    "briefing/briefing.py": "the briefing that lies ready; `runtime.ago` says an age there",
}
"""Modules whose texts are written to files, and which file."""

AGES = frozenset({"age", "gap_in_words", "ago_in_words", "moment"})
ALLOWED = {("briefing/briefing.py", "age"): 2}
"""Ages of a briefing that is shown at once: what lies ready has a line of its own in their place."""


@pytest.mark.parametrize("module", STORED)
def test_no_text_that_is_stored_is_made_with_an_age(module: str) -> None:
    source = Path(__file__).parents[3] / "src" / "contextd" / module
    calls = [
        node.func.id
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in AGES
    ]
    for name in AGES:
        assert calls.count(name) <= ALLOWED.get((module, name), 0)
