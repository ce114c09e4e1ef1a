from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from contextd.domain.sessions import Event
from contextd.sessions.injection_use import texts_after, was_used

T0 = datetime(2026, 3, 1, 10, tzinfo=UTC)
RULE = "Exports in export_worker.py must keep MAX_ROWS at 500, see limits.yaml"


@pytest.mark.parametrize(
    ("tool", "given", "used"),
    [
        ("Edit", {"file_path": "export_worker.py", "new": "MAX_ROWS = 500  # limits.yaml"}, True),
        ("mcp__contextd__memory_record", {"content": RULE}, False),
        ("contextd_memory_record", {"content": RULE}, False),
    ],
)
def test_recording_an_injected_memory_again_is_no_use_of_it(
    tool: str, given: Any, used: bool
) -> None:
    told = Event(type="injection", key="i", at=T0, text=RULE, data={"records": ["r1"]})
    call = Event(
        type="tool_call",
        key="c",
        at=T0,
        role="assistant",
        text=tool,
        data={"tool": tool, "input": given},
    )
    assert was_used(RULE, texts_after([told, call])["r1"]) is used
