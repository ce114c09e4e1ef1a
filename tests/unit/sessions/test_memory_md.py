"""MEMORY.md: each memory on a line with its evidence, the best supported first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextd.sessions.memory_md import Durable, render

RULE = Durable("Rules", "Round once")


@pytest.mark.parametrize(
    ("memory", "line"),
    [
        (RULE, "- Round once"),
        (replace(RULE, times_said=2), "- Round once (said in 2 sessions)"),
        (replace(RULE, used=1), "- Round once (used in 1)"),
        (
            replace(RULE, times_said=3, used=2, helpful=1),
            "- Round once (said in 3 sessions, used in 2, found helpful 1×)",
        ),
    ],
)
def test_a_line_gives_the_evidence_there_is_and_no_other(memory: Durable, line: str) -> None:
    assert memory.line == line


def test_a_helpful_rating_counts_as_much_as_two_sessions() -> None:
    assert replace(RULE, helpful=1).evidence == replace(RULE, times_said=3).evidence
    assert replace(RULE, used=1).evidence == replace(RULE, times_said=2).evidence


def test_sections_keep_their_order_and_the_best_supported_memory_is_first() -> None:
    memories = [
        Durable("Rules", "Round once"),
        Durable("Facts", "Cents everywhere"),
        Durable("Rules", "Never log tokens", times_said=4),
    ]
    assert render("shop", memories).split("\n") == [
        "# Memory of shop",
        "",
        "## Rules",
        "- Never log tokens (said in 4 sessions)",
        "- Round once",
        "",
        "## Facts",
        "- Cents everywhere",
    ]


def test_the_least_supported_memories_are_dropped_when_space_runs_out() -> None:
    memories = [
        Durable("Rules", f"Keep the invoice number {n} stable", times_said=n) for n in range(2, 9)
    ]
    text = render("shop", memories, budget=40)
    assert "number 8 " in text
    assert "number 2 " not in text


def test_a_project_without_memories_says_so() -> None:
    assert render("shop", []).endswith("No confirmed memories yet.")
