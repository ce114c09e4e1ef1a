"""What a daemon writes into its log at level info."""

from __future__ import annotations

import json
from typing import Any

import pytest
from homes import Home, has_ended, wait_for

from contextd.thin import client
from contextd_common.errors import ContextdError


@pytest.fixture
def home(cold_home: Home) -> Home:
    """Here it is told how a daemon comes and goes."""
    return cold_home


SECRET = 'no "quotes" but ghp_16C7e42F292c6912E7710c838347Ae178B4a'


def lines(home: Home) -> list[dict[str, Any]]:
    """Every line, each of which is an object."""
    return [json.loads(line) for line in home.log().splitlines()]


def texts(home: Home) -> list[str]:
    return [str(line["text"]) for line in lines(home)]


def test_the_log_tells_of_the_start_failing_calls_background_work_and_the_stop(home: Home) -> None:
    daemon = home.start()
    (home.project / "export.py").write_text("def export(tenant):\n    return tenant\n")
    (home.project / ".context").mkdir()
    client.call("init", home=home.path, cwd=str(home.project))
    client.call(
        "save_context",
        {"content": "Exports carry a checksum"},
        home=home.path,
        cwd=str(home.project),
    )
    with pytest.raises(ContextdError):
        client.call("show_record", {"id": SECRET}, home=home.path, cwd=str(home.project))
    with pytest.raises(ContextdError):
        client.call(
            "memory_feedback",
            {"id": SECRET, "success": True},
            home=home.path,
            cwd=str(home.project),
        )
    wait_for(lambda: any("job embed_pending done" in text for text in texts(home)), "vectors")
    client.control("stop", home=home.path)
    wait_for(lambda: has_ended(daemon), "the daemon has ended")
    told = texts(home)
    for part in (
        f"serves {home.path} on port ",
        "organisation local opened: 0 projects",
        "memory_feedback from ",
        "job embed_pending done in ",
        "stopping",
        "stopped",
    ):
        assert any(part in text for text in told), part
    assert SECRET.split()[-1] not in home.log()
    assert {line["level"] for line in lines(home)} <= {"INFO", "WARNING"}
