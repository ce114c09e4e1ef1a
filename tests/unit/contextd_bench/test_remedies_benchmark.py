"""The benchmark of errors that come back: what is right, what is noise, and what had a fix."""

from __future__ import annotations

import gzip
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd_bench import remedies
from contextd_common.errors import NotFound

ERROR = "error: gpg failed to sign the data of the commit"


def recorded(folder: Path, name: str, day: int, *commands: tuple[str, str]) -> None:
    """A session of Claude Code that runs these commands, each with its output."""
    at = datetime(2026, 3, day, tzinfo=UTC)
    rows: list[dict[str, object]] = []

    def line(role: str, content: object) -> None:
        when = (at + timedelta(seconds=len(rows))).isoformat()
        rows.append({
            "type": role, "uuid": f"{name}-{len(rows)}", "sessionId": name, "timestamp": when,
            "cwd": "/w", "message": {"role": role, "content": content},
        })  # fmt: skip

    line("user", "Commit what was done")
    for number, (command, output) in enumerate(commands):
        call = {
            "type": "tool_use",
            "id": f"{name}{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        line("assistant", [call])
        failed = output.startswith("error")
        text = f"Exit code 1\n{output}" if failed else output
        line(
            "user",
            [
                {
                    "type": "tool_result",
                    "tool_use_id": f"{name}{number}",
                    "content": text,
                    "is_error": failed,
                }
            ],
        )
    line("assistant", [{"type": "text", "text": "It is committed."}])
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{name}.jsonl.gz", "wt") as stream:
        stream.write("\n".join(map(json.dumps, rows)))


@pytest.mark.long
def test_an_error_that_the_same_step_ended_before_gets_its_fix_and_others_get_nothing(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "transcripts" / "shop"
    mended = (
        ("git commit -m x", ERROR),
        ("gpgconf --kill gpg-agent", ""),
        ("git commit -m x", "ok"),
    )
    for day, name in enumerate("abc", 1):
        recorded(folder, name, day, *mended)
    recorded(folder, "d", 4, ("npm test", "error: the lock file is malformed here"))
    (folder / "order.json").write_text(json.dumps([f"{name}.jsonl" for name in "abcd"]))
    out = io.StringIO()
    assert remedies.run(tmp_path, kept_in=tmp_path / "out", out=out)
    table = out.getvalue()
    assert "4 errors in 4 sessions; 2 of them met in an earlier one, 2 ended by a step" in table
    # The second time the step has one witness only.
    assert "| contextd | 1 | 1 | 1 of 2 | 0 of 3 |" in table
    rows = [json.loads(line) for line in (tmp_path / "out/remedies.jsonl").read_text().splitlines()]
    assert {row["system"] for row in rows} >= {"contextd", "same last line"}
    assert all(row["right"] for row in rows if row["system"] == "contextd")


def test_without_recordings_it_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no recorded project"):
        remedies.run(tmp_path, project="shop", out=io.StringIO())
