"""The conformance suite of the protocol, in both eras. What fails is listed with its reason, and the suite
fails as well when something listed begins to pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from packages import CONFORMANCE
from proxy import unlocked
from stage import Stage, raised_stage

EXPECTED = Path(__file__).parent

ERAS = {"2025-11-25": (), "2026-07-28": ("--requirements", "2026-07-28")}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with raised_stage(CONFORMANCE) as raised:
        raised.know()
        yield raised


@pytest.mark.parametrize("era", ERAS)
def test_the_suite_finds_nothing_but_what_is_expected(stage: Stage, era: str) -> None:
    port = json.loads((stage.home / "daemon.json").read_text("utf-8"))["port"]
    token = (stage.home / "token").read_text("utf-8").strip()
    with unlocked(port, token, stage.shop) as address:
        done = stage.run(
            "conformance",
            "server",
            "--url",
            f"{address}/mcp",
            *ERAS[era],
            "--expected-failures",
            str(EXPECTED / f"expected_failures_{era}.yaml"),
        )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
