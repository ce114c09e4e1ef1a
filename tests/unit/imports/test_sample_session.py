"""The sample transcript of the demo reads like one that Claude Code wrote in the repository."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from contextd.imports.importers.sample import sample_session

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


def lines(**options: Any) -> list[dict[str, Any]]:
    text = sample_session(cwd="/srv/shop/", session="s-1", start=START, **options)
    return [json.loads(line) for line in text.splitlines()]


def test_its_moments_follow_each_other_for_about_eight_minutes() -> None:
    stamps = [datetime.fromisoformat(one["timestamp"]) for one in lines() if "timestamp" in one]
    assert stamps == sorted(stamps)
    assert stamps[0] == START
    assert timedelta(minutes=7) < stamps[-1] - START < timedelta(minutes=9)


def test_it_took_place_in_the_given_folder_session_and_branch() -> None:
    said = [one for one in lines(branch="tax") if "cwd" in one]
    assert {(one["cwd"], one["sessionId"], one["gitBranch"]) for one in said} == {
        ("/srv/shop", "s-1", "tax")
    }


def test_files_of_the_repository_replace_invented_ones_in_order() -> None:
    invented = json.dumps(lines())
    given = json.dumps(lines(files=["one.go", "two.go"]))
    assert "one.go" in given
    assert "two.go" in given
    whole = json.dumps(lines(files=["one.go", "two.go", "three.go", "four.go"]))
    assert "three.go" in whole
    assert "four.go" not in whole
    assert ".go" not in invented
