"""No program that a repository's configuration names is run, whichever option names it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from contextd_code.errors import Invalid, Unavailable
from contextd_code.git import git_queries as git
from contextd_code.git.command import git_command, git_environment
from contextd_code.git.diffs import diff
from contextd_code.git.external_history import ask_named, contents_named, log_named, named_git_dir
from contextd_code.git.identity import identify
from contextd_code.tree.grep import grep
from contextd_code.tree.walk import walk
from support.hostile_git import embedded_bare, hostile_repository, options_that_run, planted_option
from support.repositories import committed

COMMANDS = (
    ("status", "--porcelain=v2", "--branch"),
    ("diff", "HEAD"),
    ("log", "-p", "-1", "--show-signature"),
    ("show", "HEAD"),
    ("blame", "src/a.py"),
    ("hash-object", "src/a.py"),
    ("ls-files", "-c", "-o", "-m"),
    ("grep", "return"),
    ("cat-file", "-p", "HEAD:src/a.py"),
    ("remote", "-v"),
)
"""One command of every sort that the product runs, with the flags under which git would run most."""


FILES = (
    "core.attributesFile",
    "core.excludesFile",
    "mailmap.file",
    "diff.orderFile",
    "blame.ignoreRevsFile",
    "include.path",
)
"""The options that name a file which git opens while it reads."""


def ask_everything(root: Path) -> None:
    """Ask git all that the product asks it."""
    for command in COMMANDS:
        try:
            git.ask(root, *command)
        except Unavailable:
            continue
    git.status(root)
    git.blobs(root, ["src/a.py"])
    git.log(root)
    diff(root)
    identify(root)
    walk(root)
    grep(root, "return", engine="git")


def test_a_repository_that_names_a_program_in_each_option_runs_none(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = hostile_repository(tmp_path / "repository", marks)

    ask_everything(root)

    assert len(options_that_run()) > 80
    assert sorted(one.name for one in marks.iterdir()) == []
    assert git.status(root).modified == ("src/a.py",)


def test_git_itself_would_run_them(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = hostile_repository(tmp_path / "repository", marks)
    for command in COMMANDS:
        subprocess.run(["git", *command], cwd=root, capture_output=True, check=False, timeout=30)

    assert {"filter.evil.process", "diff.evil.textconv", "core.fsmonitor"} <= {
        one.name for one in marks.iterdir()
    }


def test_an_option_alone_runs_nothing(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = committed(
        tmp_path / "repository",
        {"src/a.py": "def f():\n    return 1\n", ".gitattributes": "* filter=evil diff=evil\n"},
    )
    marks.mkdir()
    config = root / ".git" / "config"
    innocent = config.read_text()
    (root / "src" / "a.py").write_text("def f():\n    return 2\n")

    refused = []
    for option in options_that_run():
        config.write_text(innocent + planted_option(root, marks, option))
        answers = [git.ask(root, *command) for command in COMMANDS[:3]]
        refused += [option] if None in answers else []

    assert list(marks.iterdir()) == []
    assert refused == []


def test_a_bare_repository_inside_of_a_clone_is_not_entered(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    outer = committed(tmp_path / "outer", {"README.md": "x\n"})
    inner = embedded_bare(outer / "sub", marks)

    found = git.repository(inner)
    ask_everything(outer)

    assert found is not None
    assert found.root == outer
    assert list(marks.iterdir()) == []
    with pytest.raises(Unavailable):
        git.ask(inner, "status")


def test_the_history_of_a_repository_without_work_tree_that_a_person_names_is_read_and_runs_nothing(
    tmp_path: Path,
) -> None:
    marks = tmp_path / "marks"
    named = embedded_bare(tmp_path / "bare", marks)
    victim = committed(tmp_path / "victim", {"secret.txt": "x\n"})
    with (named / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {victim}\n")
    os.mkfifo(victim / ".mailmap")

    assert named_git_dir(named) == named
    [commit] = log_named(named, limit=5, timeout=10.0)
    assert commit.files
    for command in COMMANDS:
        ask_named(named, *command)
    assert contents_named(named, ["HEAD:src/a.py"], 10.0)
    assert ask_named(named, "rev-parse", "--show-toplevel") == f"{named}\n"
    assert list(marks.iterdir()) == []


def test_a_pipe_in_a_git_directory_that_a_person_names_is_refused(tmp_path: Path) -> None:
    named = committed(tmp_path / "repository", {"a.txt": "x\n"}) / ".git"
    (named / "packed-refs").unlink(missing_ok=True)
    os.mkfifo(named / "packed-refs")
    with pytest.raises(Unavailable, match="not an ordinary file"):
        log_named(named, limit=5, timeout=10.0)


def test_a_repository_cannot_claim_the_work_tree_of_another(tmp_path: Path) -> None:
    victim = committed(tmp_path / "victim", {"secret.txt": "x\n"})
    thief = committed(victim / "thief", {"a.txt": "x\n"})
    with (thief / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {victim}\n")

    found, why = git.find(thief)

    assert found is None
    assert "not its own" in why


def test_a_driver_that_cannot_be_named_on_the_command_line_stops_the_command(
    tmp_path: Path,
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    with (root / ".git" / "config").open("a") as config:
        config.write('[filter "a=b"]\n\tclean = touch marked\n')

    with pytest.raises(Unavailable, match="cannot be switched off"):
        git_command(root, ["status"])


def test_a_changed_configuration_is_read_again(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    before = git_command(root, ["status"])
    with (root / ".git" / "config").open("a") as config:
        config.write(planted_option(root, tmp_path / "marks", "filter.later.clean"))

    after = git_command(root, ["status"])

    assert "filter.later.clean=" not in before
    assert "filter.later.clean=" in after


@pytest.mark.parametrize("name", ["HEAD", "config", "index", "packed-refs", "info/exclude"])
def test_git_is_not_run_where_one_of_its_files_is_a_pipe(tmp_path: Path, name: str) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    file = root / ".git" / name
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)

    with pytest.raises(Unavailable, match="not an ordinary file"):
        git_command(root, ["rev-parse", "HEAD"])
    assert [one.path for one in walk(root).files] == ["src/a.py"]


@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("included", [False, True])
def test_git_is_not_run_where_its_configuration_names_a_pipe(
    tmp_path: Path, option: str, included: bool
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    os.mkfifo(root / "pipe")
    section, _, name = option.partition(".")
    config = root / ".git" / "config"
    planted = f"[{section}]\n\t{name} = {root / 'pipe'}\n"
    if included:
        (root / "more").write_text(planted)
        planted = '[includeIf "gitdir:/**"]\n\tpath = ../more\n'
    config.write_text(config.read_text() + planted)

    for command in (("rev-parse", "HEAD"), *COMMANDS):
        with pytest.raises(Unavailable, match="not an ordinary file"):
            git_command(root, command)
    assert [one.path for one in walk(root).files if one.path.endswith(".py")] == ["src/a.py"]


def test_an_ordinary_file_that_a_configuration_names_or_includes_is_used(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n", "more": "# nothing\n"})
    (root / "hidden").write_text("new.py\n")
    (root / "new.py").write_text("y = 1\n")
    config = root / ".git" / "config"
    config.write_text(
        f"{config.read_text()}[include]\n\tpath = ../more\n[core]\n\texcludesFile = hidden\n"
        "[mailmap]\n\tfile = /dev/null\n"
    )

    assert git.status(root).untracked == ("hidden",)


def test_a_configuration_that_includes_itself_is_read(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    config = root / ".git" / "config"
    config.write_text(config.read_text() + "[include]\n\tpath = config\n")

    with pytest.raises(Unavailable, match="cannot read its configuration"):
        git_command(root, ["status"])


def test_the_directory_of_a_repository_supplies_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(
        tmp_path / "repository", {"git": "#!/bin/sh\ntouch ran\n", "src/a.py": "x = 1\n"}
    )
    (root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")

    git.status(root)

    assert not (root / "ran").exists()
    assert all(Path(one).is_absolute() for one in git_environment()["PATH"].split(os.pathsep))


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not a directory"):
        git.ask(tmp_path / "missing", "status")
