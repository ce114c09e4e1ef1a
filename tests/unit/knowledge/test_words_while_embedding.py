"""While texts wait for their vectors words answer, and each search says how many have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contextd.runtime.operation import OPERATIONS
from support.desks import Desk
from support.verdicts import agrees

ASKED = "where is the refresh token renewed"
CODE = (
    "def renew_refresh_token(session):\n"
    '    """Renew the refresh token of a session before it expires."""\n'
    "    return session.exchange()\n"
)
SEARCHES: dict[str, dict[str, Any]] = {
    "context_search": {"query": ASKED},
    "codebase_search": {"query": ASKED},
}


@pytest.fixture
def scanned(desk: Desk) -> Desk:
    """A project whose code was indexed a moment ago and has no vectors yet."""
    (desk.root / "src" / "renewal.py").write_text(CODE)
    desk.as_owner("init")
    return desk


@pytest.mark.parametrize("search", SEARCHES)
def test_words_find_code_that_has_no_vector_yet(scanned: Desk, search: str) -> None:
    answer = scanned.answer(search, **SEARCHES[search])
    assert "renewal.py" in answer.text
    assert "% embedded; words only" in answer.value["notice"]
    assert answer.value["notice"] in answer.text


@pytest.mark.parametrize("search", SEARCHES)
def test_once_all_have_one_nothing_is_said_of_it(scanned: Desk, search: str) -> None:
    scanned.host.work_off()
    answer = scanned.answer(search, **SEARCHES[search])
    assert "renewal.py" in answer.text
    assert answer.value["notice"] == ""


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_without_results_while_texts_are_embedded_is_no_gap(
    scanned: Desk, search: str
) -> None:
    before = scanned.as_owner("get_gaps")["gaps"]
    answer = scanned.answer(search, query="which harbour pilot tugs the ferry")
    scanned.host.flush()
    assert "no results" not in answer.text
    assert "logged as a gap" not in answer.text
    assert "embedded" in answer.text
    assert scanned.as_owner("get_gaps")["gaps"] == before
    scanned.host.work_off()
    later = scanned.answer(search, query="which harbour pilot tugs the ferry at night")
    assert "embedded" not in later.text


def test_lessons_that_all_have_vectors_are_searched_as_usual(scanned: Desk) -> None:
    scanned("memory_record", title="Token renewal", description="on expiry",
            content="Renew the refresh token one minute early.", outcome="success")  # fmt: skip
    answer = scanned.answer("memory_search", query="when should tokens be renewed")
    assert "Token renewal" in answer.text
    assert "embedded" not in answer.text


SEARCHED_BY_WORDS = {
    "context_search": "query", "memory_search": "query", "recall_context": "query",
    "search_contexts": "query", "skill_search": "task", "remediation_search": "error",
    "codebase_search": "query", "digest": "query",
}  # fmt: skip
"""Searches, by the argument that asks."""

LOG_NO_GAPS = {"codebase_search", "digest"}
"""What code does not hold is no gap in what is known."""


NO_SEARCH = {"explain_search", "repo_map"}
"""Operations that take a question and answer with more than what a search found for it."""


def nothing_embedded(open_desk: Callable[..., Desk]) -> Desk:
    """A project right after `init`."""
    return indexed(open_desk())


def half_embedded(open_desk: Callable[..., Desk]) -> Desk:
    """A project to which code came after the first was embedded."""
    desk = all_embedded(open_desk)
    (desk.root / "src" / "harbour.py").write_text("def moor(ship):\n    return ship.rope\n")
    desk.as_owner("init")
    return desk


def all_embedded(open_desk: Callable[..., Desk]) -> Desk:
    """A project in which each text has its vector."""
    desk = indexed(open_desk())
    desk.host.work_off()
    return desk


def no_embedder(open_desk: Callable[..., Desk]) -> Desk:
    """A project on a home without an embedder."""
    return indexed(open_desk(embedder_name="none"))


def indexed(desk: Desk) -> Desk:
    (desk.root / "src" / "renewal.py").write_text(CODE)
    desk.as_owner("init")
    return desk


STATES: list[tuple[Callable[[Callable[..., Desk]], Desk], str]] = [
    (nothing_embedded, "0% embedded; words only"),
    (half_embedded, "% embedded; words only for the rest"),
    (no_embedder, "by words only"),
    (all_embedded, ""),
]


@pytest.mark.parametrize(("search", "name"), SEARCHED_BY_WORDS.items())
@pytest.mark.parametrize(("state", "says"), STATES, ids=lambda one: getattr(one, "__name__", ""))
def test_an_empty_answer_is_a_gap_only_when_every_text_has_its_vector(
    open_desk: Callable[..., Desk],
    state: Callable[[Callable[..., Desk]], Desk],
    says: str,
    search: str,
    name: str,
) -> None:
    desk = state(open_desk)
    answer = desk.answer(search, **{name: "zeppelin ballast quota on mondays"})
    desk.host.flush()
    assert says in answer.text
    assert ("words only" in answer.text) == bool(says)
    if says and state is not no_embedder:
        assert "logged as a gap" not in answer.text
        assert "no results" not in answer.text
        assert desk.usage().misses == 0


def test_every_operation_that_searches_is_in_the_table() -> None:
    searching = {name for name, op in OPERATIONS.items() if "query" in op.arguments.model_fields}
    agrees(
        searching,
        {*SEARCHED_BY_WORDS, *NO_SEARCH},
        "SEARCHED_BY_WORDS in tests/unit/knowledge/test_words_while_embedding.py",
        "its argument with the query; or to NO_SEARCH there, if it searches no vectors",
    )


@pytest.mark.parametrize(
    ("search", "name"),
    [row for row in SEARCHED_BY_WORDS.items() if row[0] not in LOG_NO_GAPS],
)
def test_without_an_embedder_an_empty_answer_is_a_gap_and_says_how_it_was_searched(
    words_only: Desk, search: str, name: str
) -> None:
    answer = words_only.answer(search, **{name: "which harbour pilot tugs the ferry"})
    words_only.host.flush()
    assert "by words only" in answer.text
    assert "logged as a gap" in answer.text
    assert words_only.usage().misses == 1


def test_without_an_embedder_get_gaps_lists_what_no_words_answer(words_only: Desk) -> None:
    words_only("save_context", content="The ferry leaves from the northern pier")
    words_only("memory_search", query="how is the zeppelin moored")
    words_only("recall_context", query="northern pier")
    words_only.host.flush()
    told = words_only.answer("get_gaps").text
    assert "how is the zeppelin moored" in told
    assert "pier" not in told


def test_a_memory_comes_before_the_file_that_is_named_like_its_title(desk: Desk) -> None:
    (desk.root / "src" / "EventsChart.tsx").write_text(
        "// chart timezones\nexport const chartTimezones = (chart, timezones) => timezones[chart];\n"
    )
    desk.as_owner("init")
    desk.host.work_off()
    made = desk("memory_record", title="Chart timezones", description="drawing events",
                content="Bars must be grouped in the zone of the shop.", outcome="success")  # fmt: skip
    hits = desk("context_search", query="chart timezones")["results"]
    assert hits[0]["id"] == made["id"]


@pytest.mark.parametrize("search", SEARCHES)
def test_the_nearest_of_the_few_embedded_pieces_does_not_come_first(
    desk: Desk, search: str
) -> None:
    near = "def near():\n    return 'the token of a session is made new again before it runs out'\n"
    (desk.root / "src" / "near.py").write_text(near)
    desk.as_owner("init")
    desk.host.work_off()
    for number in range(60):
        (desk.root / "src" / f"part{number}.py").write_text(
            f"def part{number}():\n    return {number}\n"
        )
    (desk.root / "src" / "renewal.py").write_text(CODE)
    desk.as_owner("init")
    hits = desk(search, **SEARCHES[search])["results"]
    assert "renewal.py" in str(hits[0])
