"""Only a recommended command that really ran, or that does not exist, says something about its record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from contextd.domain.sessions import Event
from contextd.learning.command_outcomes import command_outcome

AT = datetime(2026, 1, 1, tzinfo=UTC)


def ran(command: str, output: str = "ok", code: int = 0) -> list[Event]:
    call = {"tool": "Bash", "id": "1"}
    return [
        Event(
            key="call",
            type="tool_call",
            role="assistant",
            text=f"Bash: {command}",
            data=call,
            at=AT,
        ),
        Event(
            key="result",
            type="tool_result",
            role="tool",
            text=output,
            data={**call, "exit_code": code},
            at=AT,
        ),
    ]


@pytest.mark.parametrize(
    ("text", "events", "outcome"),
    [
        ("Build it with `make all`.", ran("make all"), "proved"),
        ("Build it with `make all`.", ran("cd x && make all -j2 | tail"), "proved"),
        ("Build it with `make all`.", ran("make allocate"), ""),
        ("Test it with `make all`.", ran("make all", "== 2 failed, 3 passed in 4.1s =="), "used"),
        ("Build it with `make all`.", ran("make all", "error in a.c", 2), "used"),
        ("Build it with `make all`.", ran("make all", "make: command not found", 127), "refuted"),
        ("Never run `make all` here.", ran("make all"), ""),
        ("`make all` fails on main.", ran("make all"), ""),
        ("Build it with `make`.", ran("make"), ""),
    ],
)
def test_the_outcome_of_a_named_command(text: str, events: list[Event], outcome: str) -> None:
    assert command_outcome(text, events, AT - timedelta(hours=1)) == outcome


def test_a_run_before_the_record_was_shown_says_nothing() -> None:
    assert command_outcome("Run `make all`.", ran("make all"), AT + timedelta(hours=1)) == ""
