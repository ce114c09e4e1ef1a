"""`contextd import` as a person types it: a look, an import, an undo, in a repository of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from homes import Home


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_look_an_import_and_an_undo(home: Home, tmp_path: Path) -> None:
    person, shop, blog = (tmp_path / name for name in ("person", "shop", "blog"))
    for root in (shop, blog):
        root.mkdir()
        (root / "CLAUDE.md").write_text(f"# {root.name}\n\n- Amounts of {root.name} are in cents\n")
        git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
            subprocess.run([*git, *command], check=True)
        folder = person / ".claude" / "projects" / root.name
        folder.mkdir(parents=True)
        lines = [
            {"type": role, "uuid": f"{root.name}-{role}", "sessionId": f"session-{root.name}",
             "cwd": str(root), "timestamp": "2025-11-01T10:00:00Z",
             "message": {"role": role, "content": f"What the {role} of {root.name} says in a line."}}
            for role in ("user", "assistant")
        ]  # fmt: skip
        (folder / f"session-{root.name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    home.environment |= {"HOME": str(person), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}

    def run(*arguments: str, cwd: Path = shop, code: int = 0) -> str:
        home.warm()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "contextd", *arguments], cwd=cwd, env=home.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    for root in (shop, blog):
        run("init", cwd=root)
    assert "add --yes" in run("import", code=2)
    assert "2 read, 2 new" in run("import", "--dry-run")
    told = run("import", "--yes")
    assert "2 read, 2 new" in told
    assert "1 session with 2 events" in told
    assert "2 read, 0 new, 0 updated, 2 duplicate" in run("import", "--yes")
    assert "no imports yet" in run("import", "--list", cwd=blog)
    undone = run("import", "--undo")
    assert "1 records and 1 sessions withdrawn" in undone
    report = json.loads(run("import", "--all", "--yes", "--json"))
    assert sorted(report["projects"]) == ["local/default/blog", "local/default/shop"]
    assert report["sessions"] == 2
