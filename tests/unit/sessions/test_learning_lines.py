"""Where learning draws its lines: how often is often, and whose decision it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.sessions.distil import distil
from contextd.sessions.extract import extract

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def failing(times: int) -> list[Event]:
    """A command that fails so often."""
    events: list[Event] = []
    for number in range(times):
        at, id = AT + timedelta(minutes=number), f"t{number}"
        data = {"tool": "Bash", "id": id}
        output = "error: Cannot find module 'left-pad'"
        events.append(
            Event(type="tool_call", key=f"c{id}", at=at, text="Bash: npm run build", data=data)
        )
        result = {**data, "exit_code": 1, "is_error": True}
        events.append(
            Event(type="tool_result", key=f"r{id}", at=at, role="tool", text=output, data=result)
        )
    return events


@pytest.mark.parametrize(("times", "kinds"), [(1, []), (2, []), (3, ["anti_pattern"])])
def test_a_command_warns_from_the_third_failure_on(times, kinds):
    session = Session(scope=Scope("local"), cwd="/w/shop", started_at=AT, last_seen_at=AT)
    items = distil(session, failing(times), [], "success")
    assert [item.kind for item in items] == kinds


@pytest.mark.parametrize(
    ("role", "text", "found"),
    [
        ("assistant", "Yesterday you decided to use a queue for exports.", 0),
        ("assistant", "As you decided to use a queue for exports, I moved them.", 0),
        ("assistant", "We decided to use a queue for exports because threads lose events.", 1),
        ("user", "Yesterday you decided to use a queue for exports.", 1),
    ],
)
def test_an_agent_recalling_what_its_user_decided_decides_nothing(role, text, found):
    event = Event(type="message", key="m1", at=AT, role=role, text=text)
    assert len(extract([event], limit=9)) == found
