"""Whatever is sent to the REST routes, the answer is as described and never a defect."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from homes import Home, temporary_home

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = ",".join(
    (
        "not_a_server_error",
        "response_schema_conformance",
        "status_code_conformance",
        "content_type_conformance",
    )
)
SHORT, LONG = 3, 80
"""Examples per route; there are some eighty routes."""


@pytest.fixture
def fresh() -> Iterator[Home]:
    """A home of its own: strange requests leave strange records behind."""
    with temporary_home() as home:
        (home.project / "a.ts").write_text("export const A = 1;\n")
        git = ["git", "-C", str(home.project)]
        subprocess.run([*git, "init", "-q"], check=True)
        home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        home.start()
        yield home


def send_many(home: Home, examples: int, phases: str, tmp_path: Path) -> int:
    """Send that many per route; returns how many requests it was. No answer may be a 5xx, and each is as the
    description says.
    """
    token = (home.path / "token").read_text("utf-8").strip()
    port = home.about()["port"]
    done = subprocess.run(
        [
            str(SCHEMATHESIS), "run", f"http://127.0.0.1:{port}/openapi.json",
            "--header", f"Authorization: Bearer {token}",
            "--header", f"X-Contextd-Cwd: {home.project}",
            "--checks", CHECKS,
            "--max-examples", str(examples), "--phases", phases,
            "--generation-deterministic", "--no-color", "--warnings", "off",
            "--request-timeout", "30",
            # They write where they are told to: on the machine, not in the home.
            "--exclude-operation-id-regex", "^(backup|init|import|export_.*)$",
        ],
        capture_output=True, text=True, timeout=3000, check=False, cwd=tmp_path,
        env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert home.daemons(), "the daemon did not survive"
    sent = re.search(r"(\d[\d,]*) generated", done.stdout)
    assert sent, done.stdout[-2000:]
    return int(sent[1].replace(",", ""))


@pytest.mark.long
@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="schemathesis is not installed")
@pytest.mark.timeout(600)
def test_no_request_the_description_suggests_is_answered_with_a_defect(
    fresh: Home, tmp_path: Path
) -> None:
    assert send_many(fresh, SHORT, "fuzzing", tmp_path) >= 150


@pytest.mark.slow
@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="schemathesis is not installed")
@pytest.mark.timeout(3600)
def test_no_request_of_thousands_is_answered_with_a_defect(fresh: Home, tmp_path: Path) -> None:
    assert send_many(fresh, LONG, "examples,coverage,fuzzing", tmp_path) >= 5_000
