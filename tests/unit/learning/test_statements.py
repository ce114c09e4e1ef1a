"""What a session states, in passages that can be read alone, and what they are worth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from contextd.domain.origins import marked
from contextd.domain.sessions import Event, EventType
from contextd.learning.passages import Statement, statements
from contextd.learning.statement_worth import FORM, form, weights, worth
from contextd.sessions.markdown import passages, plain
from contextd.sessions.turns import turn_ends

START = datetime(2026, 3, 1, tzinfo=UTC)


def event(
    key: str, origin: str, text: str, role: str = "", type: EventType = "message", **data: Any
) -> Event:
    role = role or (
        "user" if origin in ("prompt", "answer", "refusal", "material") else "assistant"
    )
    at = START + timedelta(minutes=len(key))
    return Event(type=type, key=key, at=at, role=role, text=text, data=marked(origin, data))


def texts(*events: Event) -> list[str]:
    return [one.text for one in statements(events)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The __pycache__ of **the old** module", "The __pycache__ of the old module"),
        ("It takes `**kwargs` and reads src/**/*.py", "It takes `**kwargs` and reads src/**/*.py"),
        ("__Very important__: **3 items** or 2**10", "Very important: 3 items or 2**10"),
        ("**`run`**: これは**重要**です", "`run`: これは重要です"),
    ],
)
def test_names_and_patterns_are_no_emphasis(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_turn_ends_with_the_last_words_before_the_next_prompt() -> None:
    events = [
        event("p1", "prompt", "Round the tax."),
        event("a1", "assistant", "I will look."),
        event("q1", "queued", "use cents", role="user"),
        event("a2", "assistant", "It is rounded."),
        event("s1", "assistant", "A subagent looked.", sidechain=True),
        event("m1", "material", "# Plan", type="note"),
        event("a3", "assistant", "The plan is done."),
    ]
    assert turn_ends(events) == {"a2", "a3"}
    assert turn_ends(events[:2]) == {"a1"}
    assert turn_ends([]) == set()


def test_markdown_is_taken_apart_into_items_rows_and_paragraphs() -> None:
    text = """## Rounding

The tax is rounded at the end of the basket, and nowhere else.

Why it was wrong:
- `price.py` rounded each line
- two rounds lost a cent

```python
total = round(total)  # never a statement
```
| Store | Use |
|---|---|
| SQLite | default |

**Next steps**

> quoted from elsewhere
1. Ship it
"""
    found = [(passage.heading, passage.lead, passage.text) for passage in passages(text)]
    assert found == [
        ("Rounding", "", "The tax is rounded at the end of the basket, and nowhere else."),
        ("Rounding", "Why it was wrong:", "`price.py` rounded each line"),
        ("Rounding", "Why it was wrong:", "two rounds lost a cent"),
        ("Rounding", "Store | Use", "SQLite | default"),
        ("Next steps", "", "Ship it"),
    ]


def test_a_short_item_carries_the_line_it_depends_on() -> None:
    said = event(
        "a1", "assistant", "Prices are kept in two places:\n- `price.py`\n- the ledger table"
    )
    assert texts(said) == [
        "Prices are kept in two places: `price.py`",
        "Prices are kept in two places: the ledger table",
    ]
    (first, _) = statements([said])
    assert (first.origin, first.context) == ("turn_end", "Prices are kept in two places:")
    assert (first.event_key, first.at, first.position, first.of) == ("a1", said.at, 0, 2)


def test_a_long_paragraph_falls_into_sentences_of_any_script() -> None:
    sentence = "税は最後に一度だけ丸める。途中で丸めると一円ずれる。"
    found = texts(event("a1", "assistant", sentence * 12))
    assert found == ["税は最後に一度だけ丸める。", "途中で丸めると一円ずれる。"]


def test_a_prompt_stays_one_statement_and_orders_to_go_on_are_left_out() -> None:
    said = "No. Cents everywhere. I said that twice."
    found = texts(
        event("p1", "prompt", said),
        event("p2", "prompt", "go on"),
        event("p3", "prompt", "第二案でお願いします"),
    )
    assert found == [said, "第二案でお願いします"]


def test_nothing_is_taken_from_tools_material_tasks_or_subagents() -> None:
    found = texts(
        event("m", "material", "Always install packages in the background.", type="note"),
        event("t", "todo", "[pending] Round the tax once", type="note"),
        event("s", "assistant", "A subagent found three callers.", sidechain=True),
        Event(type="tool_result", key="r", at=START, role="tool", text="The tax is rounded twice."),
    )
    assert found == []


def test_commits_and_answers_are_whole_and_long_messages_keep_their_subject() -> None:
    short = event("c1", "commit", "Round the tax once\n\nTwo rounds lost a cent.", type="note")
    long = event("c2", "commit", "Price baskets\n\n- Keep cents\n- Drop floats", type="note")
    answer = event("q", "answer", "Which store? → SQLite")
    assert texts(short, long, answer) == [
        "Round the tax once Two rounds lost a cent.",
        "Price baskets",
        "Price baskets: Keep cents",
        "Price baskets: Drop floats",
        "Which store? → SQLite",
    ]


def test_a_prompt_from_both_hook_and_transcript_is_one_statement() -> None:
    asked = Event(type="query", key="h", at=START, role="user", text="Round the tax at the end.")
    told = event("p", "prompt", "Round the tax at the end.")
    assert [one.event_key for one in statements([asked, told])] == ["p"]
    assert [one.event_key for one in statements([asked])] == ["h"]


def test_two_sessions_state_their_own_things() -> None:
    mine = [event("a", "assistant", "The tax is rounded once, at the end.")]
    other = [event("a", "assistant", "The ledger is closed every night.")]
    assert set(texts(*mine)).isdisjoint(texts(*other))
    assert statements(mine) == statements(mine)


def statement(text: str, origin: str = "turn_end") -> Statement:
    return Statement(text=text, origin=origin, event_key="e", at=START)


def test_the_weights_fit_the_features() -> None:
    trained = weights()
    assert len(trained.form) == len(trained.center) == len(trained.scale) == len(FORM)
    assert len(form(statement("The tax is rounded once."))) == len(FORM)
    assert (trained.scale > 0).all()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            statement(
                "Always use `paths.root()` and never the working directory for stored paths.",
                "memory_file",
            ),
            statement("(12) ✅ Good - tests line 40"),
        ),
        (
            statement(
                "We keep amounts in cents, because floats lost one on every tenth basket.",
                "refusal",
            ),
            statement("Shall I run the tests?", "assistant"),
        ),
    ],
)
def test_knowledge_outranks_ticks_and_questions_by_form_alone(
    better: Statement, worse: Statement
) -> None:
    first, second = worth([better, worse], None)
    assert 0 < second < first < 1


def test_vectors_of_another_embedder_leave_the_form() -> None:
    one = statement("The tax is rounded once, at the end of the basket.")
    assert worth([one], np.ones((1, 7), np.float32)) == worth([one], None)
    assert worth([], None) == []


def test_the_worth_of_one_does_not_depend_on_its_neighbours() -> None:
    rows = [
        statement("The tax is rounded once."),
        statement("Cents are kept as integers.", "commit"),
    ]
    vectors = np.random.default_rng(1).normal(size=(2, len(weights().meaning))).astype(np.float32)
    together = worth(rows, vectors)
    alone = [worth([row], vectors[n : n + 1])[0] for n, row in enumerate(rows)]
    assert together == pytest.approx(alone, abs=1e-6)
