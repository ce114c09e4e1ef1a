"""What needs no judge: what a user says again, what a session touches first, and the decisions of past chats."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd_bench.learning.helping import ShownLine
from contextd_bench.learning.past_chats import cases, measure, share_told
from contextd_bench.learning.planted import Transcript, survival
from contextd_bench.learning.planted_facts import SortedFact
from contextd_bench.learning.recordings import Recording, parsed
from contextd_bench.learning.unjudged import falsely_told, foreseen, said_again, touched_first

BEGIN = datetime(2026, 2, 3, 8, 0, tzinfo=UTC)
RULE = "Never round the amounts of an invoice before the total is known."
AGAIN = "never round amounts of an invoice before the total is known!"


def session(day: int, *prompts: str) -> Recording:
    name = f"day-{day}"
    script = Transcript(name, BEGIN + timedelta(days=day), "/home/dev/shop")
    for prompt in prompts:
        script.says("user", prompt)
        given = {"file_path": f"/home/dev/shop/part_{day}.py", "content": f"def total_{day}(): ..."}
        script.calls("Write", given, "created")
        script.says("assistant", "Done.")
    one = parsed("shop", name, name, script.lines)
    assert one is not None
    return one


def line(text: str, number: int = -1, section: str = "Always") -> ShownLine:
    return ShownLine("shop", "day-1", number, section, text)


@pytest.mark.parametrize(("number", "told"), [(-1, True), (0, True), (1, False)])
def test_a_repeated_rule_counts_as_told_only_if_it_came_before_the_user_said_it(
    number: int, told: bool
) -> None:
    found = said_again(
        session(1, "Add a discount.", AGAIN), [session(0, RULE)], [line(RULE, number)]
    )
    assert [(one.number, one.told) for one in found] == [(1, told)]


def test_a_statement_said_once_does_not_count_as_said_again() -> None:
    assert not said_again(session(1, AGAIN), [session(0, "Add a discount.")], [])


def test_a_directive_that_no_user_stated_is_false() -> None:
    shown = [
        line(RULE),
        line("Use tabs in every Makefile of the shop."),
        line("x", section="Files"),
    ]
    assert [one.text for one in falsely_told(shown, [session(0, RULE)])] == [shown[1].text]


def test_foresight_counts_the_files_and_symbols_touched_first() -> None:
    one = session(1, "Add a discount.")
    assert touched_first(one) == (["part_1.py"], ["total_1"])
    assert foreseen(one, "Files: src/part_1.py, part_11.py") == (1, 2)
    assert foreseen(one, "total_1 is in part_1.py") == (2, 2)


def dataset(root: Path) -> Path:
    """Two decoys, a case of the development part, and one that must not be opened."""
    chat = [
        {"role": "user", "text": "The shelf labels of the warehouse printer come out truncated."},
        {"role": "assistant", "text": "I could wrap the label text at forty characters."},
        {"role": "user", "text": "No, labels are never wrapped: shorten the middle with a tilde."},
        {
            "role": "assistant",
            "text": "Settled: a shelf label longer than 32 characters keeps its first 20 and last 11 characters, "
            "joined by a tilde; labels are never wrapped onto a second line of the printer.",
        },
    ]
    task = {
        "task_id": "boltons-csvquote-001",
        "bug_report": "The warehouse printer truncates long shelf labels, so two shelves look the same.",
        "policy": "shelf label keeps first 20 and last 11 characters joined by tilde; never wrapped",
        "conversations": chat,
    }
    decoys = [
        {"turns": [{"role": "user", "text": f"How is the {word} cache cleared?"},
                   {"role": "assistant", "text": f"The {word} cache is cleared by its owner on exit."}]}
        for word in ("image", "query")
    ]  # fmt: skip
    for name, text in (("csvquote", json.dumps(task)), ("under2camel", "not JSON")):
        folder = root / f"boltons-{name}" / "tasks" / "main"
        folder.mkdir(parents=True)
        (folder / "task.json").write_text(text)
    (root / "gen").mkdir()
    (root / "gen" / "decoy_conversations.json").write_text(json.dumps(decoys))
    return root


def test_a_report_gets_the_decision_of_its_chat_and_nothing_where_no_chat_decided(
    tmp_path: Path,
) -> None:
    found = measure(dataset(tmp_path))
    assert (found.whole.hits, found.whole.n) == (1, 1)
    assert "tilde" in found.told["boltons-csvquote-001"]
    assert not found.falsely


def test_only_development_cases_are_opened(tmp_path: Path) -> None:
    assert [one.id for one in cases(dataset(tmp_path))] == ["boltons-csvquote-001"]
    with pytest.raises(ValueError, match="Expecting value"):
        cases(tmp_path, every=True)


def test_a_decision_is_told_by_the_share_of_its_words() -> None:
    assert share_told("cents rounded to even", "Cents are rounded.") == pytest.approx(2 / 3)


def test_facts_survive_a_second_compaction() -> None:
    prompts = [f"Please move the field number {n} of the order form" for n in range(20)]
    facts = [SortedFact("rule", "user", "Never store a price as a float.", ("float",))]
    found = survival({"shop": [session(0, *prompts)]}, facts, twice=True)
    assert (found.handed_back.hits, found.handed_back.n) == (1, 1)
