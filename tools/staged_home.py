"""A temporary home with made-up data: a small project, a session of an agent and a few records.

The pictures of the README are taken here, of the real program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from contextd.imports.importers.sample import sample_session
from contextd.thin import client

PROJECT = {
    "README.md": "# Courier\n\nCopies orders from the shop to the warehouse, every night.\n",
    "pyproject.toml": '[project]\nname = "courier"\ndependencies = ["fastapi>=0.115", "sqlalchemy>=2"]\n',
    "src/courier/__init__.py": '"""Copies orders to the warehouse."""\n',
    "src/courier/settings.py": '"""Every setting."""\n\nTIMEOUT_SECONDS = 5\nRETRIES = 0\n',
    "src/courier/upstream.py": '"""The API of the warehouse."""\n\nfrom courier import settings\n\n\n'
    "def send(record):\n    return (record, settings.TIMEOUT_SECONDS)\n",
    "src/courier/report.py": '"""What a run did."""\n\n\ndef summary(sent, failed):\n    return (sent, failed)\n',
    "src/courier/sync.py": '"""The nightly run."""\n\nfrom courier import settings\nfrom courier.report import summary\n'
    "from courier.upstream import send\n\n\ndef sync(batch):\n    sent = [send(record) for record in batch]\n"
    "    return summary(sent, settings.RETRIES)\n",
    "src/courier/api/routes.py": '"""Routes for operators."""\n\nfrom courier.sync import sync\n\n\n'
    "def start():\n    return sync([])\n",
    "tests/test_sync.py": "from courier.sync import sync\n\n\ndef test_an_empty_batch():\n    assert sync([])\n",
}
FILES = ("src/courier/sync.py", "src/courier/settings.py", "tests/test_sync.py")
BEGAN = timedelta(minutes=12)
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class StagedHome:
    """A project, a home of its own, and the program run as a user runs it."""

    home: Path
    root: Path

    def run(self, *arguments: str, stdin: str = "") -> str:
        """What a command of contextd prints; it must succeed."""
        environment = {
            **os.environ,
            "CONTEXTD_HOME": str(self.home),
            "HOME": str(self.home.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "COLUMNS": "100",
        }
        done = subprocess.run(
            [sys.executable, "-P", "-m", "contextd", *arguments],
            input=stdin,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"contextd {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout.rstrip()

    def hook(self, event: str, session: str, **more: str) -> str:
        """Send one hook event as Claude Code does; returns what the agent is given."""
        payload = {
            "session_id": session,
            "transcript_path": str(self.home.parent / f"{session}.jsonl"),
            "cwd": str(self.root),
            "hook_event_name": event,
            **more,
        }
        printed = self.run("hook", "--client", "claude-code", stdin=json.dumps(payload))
        answer = json.loads(printed) if printed else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def hold_session(self) -> None:
        """Play the sample session of the demo, and wait until contextd has learned from it."""
        session = str(uuid.uuid4())
        began = datetime.now(UTC) - BEGAN
        transcript = sample_session(
            cwd=str(self.root), session=session, start=began, files=FILES, branch="main"
        )
        self.hook("SessionStart", session, source="startup")
        (self.home.parent / f"{session}.jsonl").write_text(transcript, "utf-8")
        self.hook("Stop", session)
        self.hook("SessionEnd", session, reason="prompt_input_exit")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            jobs = client.call("jobs", {}, home=self.home, cwd=str(self.root)).value["jobs"]
            if any(job["name"] == "learn_session" and job["state"] == "done" for job in jobs):
                return
            time.sleep(0.2)
        raise SystemExit(f"no session was learned from in {PATIENCE:.0f} s")


@contextmanager
def staged_home() -> Iterator[StagedHome]:
    """The project and an empty home, both removed at the end, the daemon stopped."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        stage = StagedHome(Path(made) / "home", Path(made) / "courier")
        stage.home.mkdir(mode=0o700)
        for name, text in PROJECT.items():
            path = stage.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        git = ["git", "-c", "user.name=you", "-c", "user.email=you@example.invalid"]
        for step in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "Copy orders"]):
            subprocess.run([*git, *step], cwd=stage.root, check=True, capture_output=True)
        try:
            yield stage
        finally:
            stage.run("daemon", "stop")
