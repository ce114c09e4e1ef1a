"""Real git repositories, made in a temporary directory and shielded from the user's settings."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


class Repo:
    """A git repository to play with."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, date: str = "") -> str:
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **dates},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, subject: str = "change", date: str = "", **files: str) -> str:
        """Commit files given as `name=text`; `__` in a name stands for a dot."""
        self.write({name.replace("__", "."): text for name, text in files.items()})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject, date=date)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def _own_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    settings = tmp_path_factory.mktemp("git") / "config"
    settings.write_text(
        "[user]\nname = Ana\nemail = ana@example.org\n[init]\ndefaultBranch = main\n"
        '[protocol "file"]\nallow = always\n[commit]\ngpgsign = false\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(settings.parent.parent.parent))


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Makes an empty repository under the temporary directory."""

    def make(name: str = "shop") -> Repo:
        root = tmp_path / name
        root.mkdir(parents=True)
        repo = Repo(root.resolve())
        repo.git("init", "-q")
        return repo

    return make
