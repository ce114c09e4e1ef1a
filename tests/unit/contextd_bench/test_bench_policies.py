"""The benchmark of policies counts commits, not places, and shows what it counted."""

from __future__ import annotations

import io
from pathlib import Path

from contextd_bench import policies
from support.repositories import committed, git


def test_every_commit_is_counted_once_and_its_alarm_is_shown(tmp_path: Path) -> None:
    root = committed(tmp_path / "shop", {"shop/migrations/1.sql": "a\n", "shop/__init__.py": ""})
    (root / "shop/migrations/1.sql").write_text("b\n")
    (root / "shop/migrations/2.sql").write_text("DROP TABLE a;\nDROP TABLE b;\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Lose a table")
    told = io.StringIO()
    policies.run([root], out=told)
    row = next(line for line in told.getvalue().splitlines() if line.startswith("| shop"))
    assert [cell.strip() for cell in row.split("|")[2:6:3]] == ["2", "1"]
    assert "migrations-stay.yaml shop/migrations/1.sql" in told.getvalue()
    assert told.getvalue().count("migrations-lose-nothing.yaml shop/migrations/2.sql") == 2
