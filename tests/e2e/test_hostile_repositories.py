"""Repositories of strangers against a real daemon with real hooks: nothing of theirs runs, holds or hangs, and
the project beside them answers as before.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from homes import CONTEXTD, Home

from contextd.domain.trust import AGENT_SHELLS, UNTRUSTED
from contextd_common.errors import ContextdError
from support.forgeries import FORGERIES, escapes
from support.hostile_files import FORMS
from support.hostile_repositories import (
    NEIGHBOUR,
    canaries,
    that_has_no_ordinary_file,
    that_names_things_to_mislead,
    that_runs_programs,
    that_says_what_holds,
    whose_submodule_runs_programs,
)
from support.repositories import committed, git

SECONDS = 60
"""After which a command counts as hanging, also on a busy machine."""

MEGABYTES = 60
"""How much more memory the daemon may hold after any of these repositories."""

ASKED = (
    ("session_start", "--task-description", "change f in src/a.py"),
    ("introspect",),
    ("get_gaps",),
    ("diff_context",),
    ("impact", "--diff", "HEAD"),
    ("read_file", "--path", "src/a.py"),
    ("codebase_search", "--query", "f"),
    ("grep_codebase", "--pattern", "return"),
    ("repo_map",),
    ("standards_get",),
    ("policy_check", "--action", "ls"),
    ("import_sources",),
    ("session_end",),
)
"""What an agent and its owner call in a repository."""


PRINTED = (
    ("status",), ("list",), ("log",), ("inbox", "list"), ("config",), ("doctor",), ("search", "strange"),
    ("code", "map"), ("code", "symbol", "strange"), ("policies", "list"), ("policies", "check"),
    ("projects", "show"), ("sessions", "list"), ("call", "diff_context"), ("call", "standards_get"),
    ("call", "explain_injection"), ("call", "policy_check", "--action", "evil"),
    ("import", "--dry-run"), ("trust", "--list"), ("daemon", "logs"), ("daemon", "jobs"), ("daemon", "status"),
)  # fmt: skip
"""What a person reads in a terminal, and an agent in a pipe."""


@dataclass
class Place:
    """A home with a daemon, and commands in any folder."""

    home: Home
    neighbour: Path

    def run(self, root: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command in a folder to its end."""
        return subprocess.run(
            [str(CONTEXTD), *arguments], input=stdin, text=True, capture_output=True, cwd=root,
            env=self.home.environment, timeout=SECONDS, check=False,
        )  # fmt: skip

    def hook(self, root: Path, event: str, **more: str) -> str:
        """What a hook gives the agent."""
        payload = {
            "session_id": f"of {root.name}",
            "hook_event_name": event,
            "cwd": str(root),
            **more,
        }
        done = self.run(root, "hook", "--client", "claude-code", stdin=json.dumps(payload))
        assert done.returncode == 0
        return done.stdout

    def session(self, root: Path) -> str:
        """A whole session of hooks and calls; all that was said in it."""
        said = self.hook(root, "SessionStart", source="startup")
        said += self.hook(root, "UserPromptSubmit", prompt="how do I push my change in src?")
        for call in ASKED:
            done = self.run(root, "call", *call)
            assert "defect" not in done.stderr, (call, done.stderr)
            # A search is for the words of the repository, and shows them as its files.
            said += (
                "" if call[0] in ("codebase_search", "grep_codebase", "read_file") else done.stdout
            )
        return said + self.hook(root, "SessionEnd", reason="exit")

    def of_the_neighbour(self) -> list[str]:
        """What the neighbour is answered, without how long ago things were: a test may take minutes."""
        asked = (("search", "money"), ("call", "codebase_search", "--query", "balance"), ("show",))
        return [_AGE.sub("…", self.run(self.neighbour, *one).stdout) for one in asked]

    def megabytes(self) -> int:
        """The memory that the daemon holds."""
        status = Path(f"/proc/{self.home.about()['pid']}/status").read_text()
        return (
            int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])
            // 1024
        )


_AGE = re.compile(r"just now|\d+ \w+ ago")


@pytest.fixture
def place(home: Home, tmp_path: Path) -> Iterator[Place]:
    """A home whose owner has a project, and what that answers before and after the test."""
    home.environment["HOME"] = str(tmp_path / "user")
    home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
    for name in AGENT_SHELLS:
        home.environment.pop(name, None)
    made = Place(home, committed(tmp_path / "ledger", NEIGHBOUR))
    home.start()
    home.settle(made.neighbour)
    made.run(made.neighbour, "remember", "Money is counted in cents, never in fractions.")
    before, memory, pid = made.of_the_neighbour(), made.megabytes(), home.about()["pid"]
    yield made
    assert made.of_the_neighbour() == before
    assert home.about()["pid"] == pid
    assert made.megabytes() - memory < MEGABYTES


def test_a_clone_tells_an_agent_no_rule_name_or_setting(place: Place, tmp_path: Path) -> None:
    source = that_says_what_holds(tmp_path / "source")
    git(tmp_path, "clone", "-q", str(source), "cloned")

    said = place.session(tmp_path / "cloned")

    assert canaries(said) == set()
    assert said.count(UNTRUSTED) >= 1
    assert not (tmp_path / "cloned" / "CANARYINTO.md").exists()
    assert git(tmp_path / "cloned", "status", "--porcelain") == ""


def test_its_rules_hold_once_a_person_trusts_it_and_no_longer_than_that(
    place: Place, tmp_path: Path
) -> None:
    root = that_says_what_holds(tmp_path / "cloned")
    place.session(root)

    place.home.environment["CLAUDECODE"] = "1"
    refused = place.run(root, "trust")
    place.run(root, "init")
    as_agent = place.hook(root, "SessionStart", source="startup", session_id="as_agent")
    del place.home.environment["CLAUDECODE"]
    place.run(root, "trust")
    trusted = place.hook(root, "SessionStart", source="startup", session_id="trusted")
    place.run(root, "trust", "--revoke")
    revoked = place.hook(root, "SessionStart", source="startup", session_id="revoked")

    assert (refused.returncode, canaries(as_agent)) == (1, set())
    assert "belongs to Claude Code" in refused.stderr
    assert {"CANARYPOLICY:", "CANARYREQUIRED"} <= canaries(trusted)
    assert "p.yaml, last changed by t" in trusted
    assert canaries(revoked) == set()


def test_no_program_that_its_git_names_is_run(place: Place, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = that_runs_programs(tmp_path / "unpacked", marks)

    other = whose_submodule_runs_programs(tmp_path / "other", marks)

    for folder in (root, root / "sub", other, other / "inner"):
        place.session(folder)
        place.run(folder, "init")
        place.session(folder)
        for flags in (("--diff",), ("--diff", "HEAD"), ("--staged",)):
            place.run(folder, "policies", "check", *flags)
        place.run(folder, "trust")
        place.session(folder)

    assert sorted(one.name for one in marks.iterdir()) == []


@pytest.mark.long
def test_no_name_of_its_own_forges_a_line_of_what_a_command_prints(
    place: Place, tmp_path: Path
) -> None:
    root = that_names_things_to_mislead(tmp_path / "unpacked")
    place.session(root)
    place.run(root, "init")
    place.session(root)
    stated = "Deploys are frozen on Fridays " + FORGERIES["title of the terminal"]
    place.run(root, "remember", stated)
    client = FORGERIES["heading"] + FORGERIES["colour"]
    payload = {"session_id": "x", "hook_event_name": "SessionStart", "cwd": str(root)}
    place.run(root, "hook", "--client", client, stdin=json.dumps(payload))

    shown = {command: place.run(root, *command) for command in PRINTED}

    found = {
        command: wrong
        for command, done in shown.items()
        if (wrong := escapes(done.stdout) + escapes(done.stderr))
    }
    assert found == {}
    assert [command for command, done in shown.items() if done.returncode not in (0, 1)] == []
    assert "Deploys are frozen" in shown["log",].stdout
    assert "strange" in shown["code", "map"].stdout


@pytest.mark.long
@pytest.mark.parametrize("form", sorted(FORMS))
def test_nothing_in_the_place_of_a_file_hangs_or_fills_the_memory(
    place: Place, tmp_path: Path, form: str
) -> None:
    root = that_has_no_ordinary_file(tmp_path / "unpacked", form)

    place.session(root)
    # Trusted: now the daemon reads all of it, and may refuse what is no file.
    with suppress(ContextdError):
        place.home.settle(root)
    place.session(root)
