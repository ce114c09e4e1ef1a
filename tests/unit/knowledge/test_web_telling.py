"""How the pages tell what operations give them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from contextd.awareness.page import actions
from contextd.pages.charts import columns, ring
from contextd.pages.text import compared, day, facts, short, span, words
from contextd.sessions.page import steps_of
from contextd.surfaces.web.pages import next_steps
from contextd.surfaces.web.render import asis, visible
from contextd.surfaces.web.sections import NAVIGATION, is_page, wants_page
from support.verdicts import none_of


def moment(type: str, text: str = "", operation: str = "", role: str = "") -> dict[str, Any]:
    return {"type": type, "text": text, "operation": operation, "role": role, "seq": 1}


def test_a_call_with_its_file_and_its_result_is_one_step() -> None:
    steps = steps_of(
        [
            moment("tool_call", "Read: /srv/shop/src/cart.ts", "Read"),
            moment("file_access", "/srv/shop/src/cart.ts", "Read"),
            moment("tool_result", "export const a = 1;", "Read"),
            moment("tool_result", "of another call", "Read"),
        ],
        "/srv/shop",
    )
    assert [(s["type"], s["text"], s["result"]) for s in steps] == [
        ("tool_call", "src/cart.ts", "export const a = 1;"),
        ("tool_result", "of another call", ""),
    ]


def test_a_prompt_seen_twice_is_told_once_and_other_questions_stay() -> None:
    steps = steps_of(
        [
            moment("query", "Fix  the cart"),
            moment("query", "where is the cart"),
            moment("message", "Fix the cart", role="user"),
        ]
    )
    assert [s["text"] for s in steps] == ["where is the cart", "Fix the cart"]


def test_invisible_characters_are_spelled_out_and_a_form_keeps_them() -> None:
    text = "a\u202eb\x1b[0m\0\u200b\ufeff"
    assert visible(text) == "a⟨U+202E⟩b⟨ESC⟩[0m⟨NUL⟩⟨U+200B⟩⟨U+FEFF⟩"
    assert visible("tab\tline\nfine 价格 الأسعار") == "tab\tline\nfine 价格 الأسعار"
    assert visible(asis(text)) == text
    assert asis("<b>") == "&lt;b&gt;"


def test_a_line_is_cut_between_words() -> None:
    assert short("one  two\nthree", 40) == "one two three"
    assert short("one two three four", 12) == "one two…"
    assert short("x" * 50, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(0, "under a minute"), (12, "12 min"), (120, "2 h"), (125, "2 h 5 min"), (2900, "2 days")],
)
def test_a_length_of_time_is_told_in_its_own_unit(minutes: int, said: str) -> None:
    assert span(minutes) == said


def test_days_are_told_by_their_nearness() -> None:
    now = datetime.now().astimezone()
    assert day(now.isoformat()) == "Today"
    assert day((now - timedelta(days=1)).isoformat()) == "Yesterday"
    assert day("2020-11-17T12:00:00Z") == "Tuesday, 17 November 2020"
    assert day("no date") == "no date"


def test_results_of_a_job_are_shown_without_empty_values() -> None:
    did = {
        "records": 1200,
        "gone": 0,
        "imported": {"new_events": 3, "old": 0},
        "notes": [],
        "ok": True,
    }
    assert facts(did) == [("records", "1,200"), ("imported new events", "3"), ("ok", "yes")]


@pytest.mark.parametrize(
    "kind",
    ["empty_type", "missed", "stale_demand", "stale", "module", "changed_files", "noise", "new"],
)
@pytest.mark.parametrize("about", [[], ["a/b?c=d&e"]])
def test_every_gap_leads_somewhere(kind: str, about: list[str]) -> None:
    for told, address in actions({"kind": kind, "subjects": about}, [{"id": "abc"}]):
        assert told
        assert address.startswith("/records") or address == "/schema"
        assert "&e" not in address.partition("?")[2]


def test_the_words_in_which_two_claims_differ_are_marked_and_nothing_else_is_markup() -> None:
    one = {"content": "Use <b>tabs</b> here & always."}
    other = {"content": "Use <b>tabs</b> here & never."}
    texts = compared({"a": one, "b": other})["texts"]
    assert texts["a"] == "Use &lt;b&gt;tabs&lt;/b&gt; here &amp; <mark>always.</mark>"
    assert texts["b"].endswith("<mark>never.</mark>")
    apart = {"a": {"content": "Redis is used."}, "b": {"content": "Nobody writes tests"}}
    assert compared(apart)["texts"]["a"] == "Redis is used."


def test_parts_of_a_chart_differ_in_texture_as_well() -> None:
    drawn = columns([("today", [(3, "d1"), (2, "d2"), (1, "d3")])], "Activity")
    assert drawn.count("url(#hatch)") == 1
    assert drawn.count("url(#dots)") == 1
    assert "stroke-dasharray" not in ring(0, "nothing")


@pytest.mark.parametrize(
    ("path", "accept", "page"),
    [
        ("/", "*/*", True),
        ("/records/x", "", True),
        ("/nowhere", "text/html,*/*", True),
        ("/nowhere", "application/json", False),
        ("/api/records", "text/html", False),
        ("/mcp", "text/html", False),
        ("/openapi.json", "text/html", False),
    ],
)
def test_a_person_at_a_browser_gets_pages_and_a_program_never(
    path: str, accept: str, page: bool
) -> None:
    assert wants_page(path, accept) is page


def test_every_page_of_the_menu_is_a_page_with_a_key_of_its_own() -> None:
    rows = [row for _, pages in NAVIGATION for row in pages]
    table = "NAVIGATION in src/contextd/surfaces/web/sections.py"
    none_of([address for _, address, _, _ in rows if not is_page(address)], f"no page: see {table}")
    keys = [key for *_, key in rows]
    twice = [f"{address}: {key}" for _, address, _, key in rows if keys.count(key) > 1]
    none_of(twice, f"choose another key in {table}: two pages have this one")


def test_names_from_code_are_shown_as_words() -> None:
    assert words("bubbleId") == "Bubble id"
    assert words("savedAs") == "Saved as"
    assert words("learn_session") == "Learn session"
    assert words("rootURL") == "RootURL"


def test_the_overview_names_contradictions_among_the_next_steps() -> None:
    status = {"problems": [], "records": {"memory": 3}}
    steps = next_steps(status, {}, [{}], 0, [], [{"reason": "Retry 3 times or 5 times"}])
    assert [(step["title"], step["text"]) for step in steps] == [
        ("Records contradict each other", "Retry 3 times or 5 times")
    ]


def test_a_share_of_nothing_is_a_dash_and_no_hundred_percent() -> None:
    assert ">–</text>" in ring(0, "Coverage: no types are declared yet", text="–")
