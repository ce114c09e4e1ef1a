from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.sessions import Event
from contextd.sessions.extract import Finding, classify, extract, sentences

LABELLED = Path(__file__).parents[2] / "fixtures" / "discoveries" / "labelled.jsonl"
NOW = datetime(2026, 3, 1, tzinfo=UTC)

Row = dict[str, Any]


def _rows() -> list[Row]:
    return [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]


def _parts(rows: list[Row]) -> dict[str, list[Row]]:
    """The rules were tuned on one part and are never changed on account of the other."""
    return {
        "tuned": [row for row in rows if not row["held_out"]],
        "held out": [row for row in rows if row["held_out"]],
    }


def _figures(rows: Iterable[Row]) -> tuple[float, float, list[str]]:
    right = found = wanted = 0
    wrong = []
    for row in rows:
        told = classify(row["text"], row["speaker"])
        kind = told[0] if told else None
        found += kind is not None
        wanted += row["type"] is not None
        right += kind is not None and kind == row["type"]
        if kind != row["type"]:
            wrong.append(f"{row['speaker']}: {row['text']} wanted {row['type']}, got {kind}")
    return right / found, right / wanted, wrong


def _say(*said: tuple[str, str], start: int = 0) -> list[Event]:
    return [
        Event(type="message", key=f"k{start + i}", at=NOW, role=role, text=text)
        for i, (role, text) in enumerate(said)
    ]


def test_precision_and_recall_on_the_labelled_set_hold() -> None:
    rows = _rows()
    assert len(rows) >= 150
    assert len(_parts(rows)["held out"]) >= len(rows) / 3
    for name, part in _parts(rows).items():
        precision, recall, _ = _figures(part)
        print(f"{name}: {len(part)} sentences, precision {precision:.2f}, recall {recall:.2f}")
        assert precision >= 0.8, name
        assert recall >= 0.7, name


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("we use Redis for sessions here.", "pattern", "We use Redis for sessions here."),
        ("The pattern is one handler per file.", "pattern", "The pattern is one handler per file."),
        ("Convention: snake_case for columns", "pattern", "Snake_case for columns"),
        ("Rule: prices carry a currency", "rule", "Prices carry a currency"),
        ("A price must always carry a currency.", "rule", "A price must always carry a currency."),
        ("Requirement: answers within 200 ms", "rule", "Answers within 200 ms"),
        ("We decided to drop the old cache.", "decision", "We decided to drop the old cache."),
        ("We chose Postgres for the ledger.", "decision", "We chose Postgres for the ledger."),
        ("I went with a queue for exports.", "decision", "I went with a queue for exports."),
        ("Bug: totals ignore the discount", "issue", "Totals ignore the discount"),
        ("ISSUE: the login loops on Safari", "issue", "The login loops on Safari"),
        ("Fixed: the retry never stopped", "issue", "The retry never stopped"),
    ],
)
def test_the_base_forms_are_all_found_and_labels_dropped(
    text: str, kind: str, content: str
) -> None:
    told = classify(text, "assistant")
    assert told is not None
    assert told[:2] == (kind, content)


def test_code_quotations_and_tables_are_not_read() -> None:
    text = (
        "Here it is:\n```python\n# Rule: always close the file after use\n```\n"
        "> We decided to use Rust for the parser.\n\n"
        "| We use | Redis for the session store |\n"
        '- The page says "we use Redis for sessions" at the top.\n'
        "- We use **Kafka** for the `audit` stream.\n"
    )
    assert [f.content for f in extract(_say(("assistant", text)))] == [
        "We use Kafka for the audit stream."
    ]


def test_sentences_end_where_people_end_them() -> None:
    text = (
        "We keep it small, e.g. one file. See src/a.py for\nthe rest of it! Then stop.\n- A point"
    )
    assert list(sentences(text)) == [
        "We keep it small, e.g. one file.",
        "See src/a.py for the rest of it!",
        "Then stop.",
        "A point",
    ]


def test_only_what_people_and_agents_said_is_read() -> None:
    told = "Rule: every amount is stored in cents."
    events = [
        Event(type="tool_result", key="a", at=NOW, role="tool", text=told),
        Event(type="injection", key="b", at=NOW, text=told),
        Event(type="note", key="c", at=NOW, text=told),
        Event(type="query", key="d", at=NOW, text=told),
    ]
    assert extract(events) == []
    assert len(extract([*events, *_say(("user", told))])) == 1


def test_the_same_learning_is_kept_once_from_its_surest_speaker() -> None:
    found = extract(
        _say(
            ("assistant", "Amounts must always be stored in cents."),
            ("user", "Right: amounts must always be stored in cents."),
        )
    )
    assert [(f.speaker, f.event_key) for f in found] == [("user", "k1")]


def test_at_most_the_asked_number_comes_back_surest_first() -> None:
    topics = ("cart", "ledger", "mailer", "search", "invoice", "login", "export", "avatar")
    events = _say(
        *(("user", f"Never call the {name} service from a {name} view.") for name in topics)
    )
    found = extract(events)
    assert len(found) == 5
    assert len(extract(events, limit=3)) == 3
    assert found == sorted(found, key=lambda f: -f.confidence)


def test_a_bug_and_its_fix_become_one_finding_with_the_file_at_hand() -> None:
    events = [
        Event(type="file_access", key="f", at=NOW, data={"path": "src/cart/total.py"}),
        *_say(
            (
                "assistant",
                "The bug was that the tax was rounded per line. I fixed it by rounding the sum once.",
            )
        ),
    ]
    (found,) = extract(events)
    assert found == Finding(
        type="issue",
        content="The bug was that the tax was rounded per line.",
        sentence="The bug was that the tax was rounded per line.",
        speaker="assistant",
        confidence=found.confidence,
        event_key="k0",
        file="src/cart/total.py",
        module="src/cart",
        solution="I fixed it by rounding the sum once.",
    )


def test_a_named_file_wins_over_the_last_one_touched() -> None:
    said = "Rule: every route in src/api/routes.ts checks the token first."
    (found,) = extract(_say(("user", said)))
    assert (found.file, found.module) == ("src/api/routes.ts", "src/api")


def test_content_has_ten_to_a_thousand_characters() -> None:
    assert extract(_say(("user", "Rule: no."), ("user", "Rule: " + "word " * 400))) == []


@pytest.mark.parametrize(
    "piece", ["we use a b, c; d ", "i moved it from because to ", "must be. Must "]
)
def test_long_messages_without_breaks_are_read_to_an_end(piece: str) -> None:
    assert len(extract(_say(("assistant", piece * 10_000)))) <= 5
