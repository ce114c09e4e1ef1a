"""No program that a repository's configuration names is run, whichever option names it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from contextd_code import processes
from contextd_code.git import git_queries as git
from contextd_code.git import settings
from contextd_code.git.changes import external_changes
from contextd_code.git.config_text import GitOption
from contextd_code.git.diffs import diff, fixes, touching, untracked
from contextd_code.git.external_history import ask_named, contents_named, log_named, named_git_dir
from contextd_code.git.identity import identify
from contextd_code.git.programs import git_environment
from contextd_code.tree.grep import grep
from contextd_code.tree.walk import walk
from contextd_common.errors import ContextdError, Invalid, Unavailable
from support.hostile_files import FORMS
from support.hostile_git import (
    embedded_bare,
    hostile_repository,
    hostile_submodule,
    options_that_run,
    planted_option,
)
from support.repositories import committed
from support.repositories import git as run

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
    ("rev-list", "HEAD"),
    ("show-ref", "--head"),
    ("for-each-ref",),
    ("ls-tree", "-r", "HEAD"),
    ("config", "--list", "--name-only"),
)
"""One command of every sort that the product runs, with the flags under which git would run most."""


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
    untracked(root)
    fixes(root, ["src/a.py"])
    touching(root, "src/a.py", 1, 1)
    git.here(root)
    git.remote_url(root)
    identify(root)
    external_changes(root, deadline=10.0)
    walk(root)
    grep(root, "return", engine="git")


@pytest.fixture(params=["stand-in", "no links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the repository's configuration, and where none can be made."""
    if request.param == "no links":
        monkeypatch.setattr(settings, "stand_in", lambda common_dir, text: None)
        monkeypatch.setattr(settings, "_LONGEST_ENVIRONMENT", 1_000_000)


@pytest.mark.usefixtures("links")
def test_a_repository_that_names_a_program_in_each_option_runs_none(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = hostile_repository(tmp_path / "repository", marks)

    ask_everything(root)

    assert len(options_that_run()) > 80
    assert sorted(one.name for one in marks.iterdir()) == []
    assert git.status(root).modified == ("src/a.py",)


@pytest.mark.usefixtures("links")
def test_the_configuration_of_a_submodule_runs_nothing(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    root = hostile_submodule(tmp_path / "repository", marks)

    ask_everything(root)
    ask_everything(root / "inner")

    assert sorted(one.name for one in marks.iterdir()) == []
    assert git.status(root).modified == ("src/a.py",)
    assert git.status(root / "inner").modified == ("s.py",)


def test_git_reads_no_option_of_a_repository_but_those_that_are_known(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True)
    names = [re.sub(r"<[^>]*>|[*]", "evil", one) for one in listed.stdout.split() if "." in one]
    config = root / ".git" / "config"
    before = git.ask(root, "config", "--list", "--name-only")
    assert before is not None
    planted = [planted_option(root, tmp_path / "marks", name) for name in names]
    config.write_text(config.read_text() + "".join(planted))

    after = git.ask(root, "config", "--list", "--name-only")

    assert after is not None
    added = set(after.split()) - set(before.split())
    assert len(names) > 500
    names_of_references = {"branch.*.remote", "branch.*.merge"}
    allowed = {"user.name", *names_of_references, *settings.FILES}
    assert {GitOption(one, "").generic for one in added} <= allowed
    assert git.status(root).untracked == ()


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
        git.blobs(root, ["src/a.py"])

    assert list(marks.iterdir()) == []
    assert refused == []


ODD_NAMES = [
    "",
    "a=b",
    "*",
    "EVIL",
    "a.b",
    'a"b',
    "a\\\\b",
    "clean",
    "ä",
    " ",
    "a b",
    "[core]",
    "x" * 300,
]


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_driver_of_any_name_runs_nothing(tmp_path: Path, name: str) -> None:
    root = committed(
        tmp_path / "repository",
        {"src/a.py": "x = 1\n", ".gitattributes": f"*.py filter={name} diff={name}\n"},
    )
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    program = f"touch {tmp_path / 'marked'}; cat"
    with (root / ".git" / "config").open("a") as config:
        for driver, options in (("filter", "clean smudge process"), ("diff", "command textconv")):
            config.write(f'[{driver} "{quoted}"]\n')
            config.write("".join(f'\t{one} = "{program}"\n' for one in options.split()))
        config.write(f'[filter "{quoted}"]\n\trequired = true\n')
    (root / "src" / "a.py").write_text("x = 2\n")

    ask_everything(root)

    assert not (tmp_path / "marked").exists()
    assert git.status(root).modified == ("src/a.py",)


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
    assert git.status(thief).untracked == ()


def test_a_changed_configuration_is_read_again(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    assert git.remote_url(root) == ""
    with (root / ".git" / "config").open("a") as config:
        config.write(
            '[remote "origin"]\n\turl = https://example.org/shop\n[core]\n\tautocrlf = input\n'
        )

    assert git.remote_url(root) == "https://example.org/shop"
    assert git.ask(root, "config", "--get", "core.autocrlf") == "input\n"


def test_a_command_that_is_not_known_to_be_safe_is_not_run(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    for name in ("fetch", "gc", "submodule", "archive", "alias", ""):
        with pytest.raises(ContextdError, match="not among the commands"):
            git.ask(root, name)


@pytest.mark.parametrize("name", ["HEAD", "config", "index", "packed-refs", "info/exclude"])
def test_git_is_not_run_where_one_of_its_files_is_a_pipe(tmp_path: Path, name: str) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    file = root / ".git" / name
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)

    with pytest.raises(Unavailable, match="not an ordinary file"):
        git.ask(root, "rev-parse", "HEAD")
    assert [one.path for one in walk(root).files] == ["src/a.py"]


EVERYWHERE = """objects/pack/pack-1.idx objects/pack/multi-pack-index objects/info/alternates objects/info/commit-graph
    objects/info/packs info/attributes info/sparse-checkout info/grafts commondir MERGE_HEAD ORIG_HEAD shallow
    config.worktree index.lock sharedindex.0000000000000000000000000000000000000000""".split()


@pytest.mark.parametrize("name", EVERYWHERE)
def test_git_is_not_started_on_a_pipe_anywhere_in_a_folder_that_it_reads_by_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    file = root / ".git" / name
    file.parent.mkdir(exist_ok=True)
    os.mkfifo(file)
    monkeypatch.setattr(processes, "start", None)

    for command in COMMANDS[:-1]:
        with pytest.raises(Unavailable, match="not an ordinary file"):
            git.ask(root, *command)


@pytest.mark.parametrize("form", ["pipe", "zero"])
@pytest.mark.parametrize("place", ["objects", "refs", "src", "borrowed"])
def test_git_reports_pipes_and_devices_in_a_repository_soon_and_answers_the_rest(
    tmp_path: Path, form: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_STALLED_SECONDS", 0.2)
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    if place == "borrowed":
        run(tmp_path, "clone", "-q", "--shared", str(root), "borrower")
        odd = [root / ".git" / "objects" / "pack" / "multi-pack-index"]
        root = tmp_path / "borrower"
    elif place == "src":
        odd = [root / "src" / ".gitignore", root / "src" / ".gitattributes"]
    else:
        odd = [one for one in (root / ".git" / place).rglob("*") if one.is_file()]
    for path in odd:
        path.unlink(missing_ok=True)
        FORMS[form](path)

    refused = []
    for command in COMMANDS:
        try:
            git.ask(root, *command, timeout=30.0)
        except Unavailable as error:
            refused.append(error.message)
    walk(root)

    assert all("not an ordinary file" in message for message in refused)
    assert form == "zero" or refused


NAMING_FILES = (
    "core.attributesFile",
    "core.excludesFile",
    "mailmap.file",
    "diff.orderFile",
    "blame.ignoreRevsFile",
    "include.path",
)
"""The options that name a file which git opens while it reads."""


@pytest.mark.parametrize("option", NAMING_FILES)
@pytest.mark.parametrize("form", ["pipe", "zero", "sparse", "folder"])
@pytest.mark.parametrize("included", [False, True])
def test_git_does_not_open_what_a_configuration_names_unless_it_is_an_ordinary_file(
    tmp_path: Path, option: str, form: str, included: bool
) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "def f():\n    return 1\n"})
    odd = tmp_path / "odd"
    FORMS[form](odd)
    section, _, name = option.partition(".")
    config = root / ".git" / "config"
    planted = f"[{section}]\n\t{name} = {odd}\n"
    if included:
        (root / "more").write_text(planted)
        planted = '[includeIf "gitdir:/**"]\n\tpath = ../more\n[include]\n\tpath = ../more\n'
    config.write_text(config.read_text() + planted)

    assert None not in [git.ask(root, *command) for command in COMMANDS]
    assert [one.path for one in walk(root).files if one.path.endswith(".py")] == ["src/a.py"]


def test_an_ordinary_file_that_a_configuration_names_or_includes_is_used(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    (root / ".git" / "more").write_text("[core]\n\texcludesFile = hidden\n")
    (root / "hidden").write_text("new.py\n")
    (root / "new.py").write_text("y = 1\n")
    config = root / ".git" / "config"
    config.write_text(
        f"{config.read_text()}[include]\n\tpath = more\n[mailmap]\n\tfile = /dev/null\n"
    )

    assert git.status(root).untracked == ("hidden",)


def test_a_configuration_that_includes_itself_is_read(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    config = root / ".git" / "config"
    config.write_text(config.read_text() + "[include]\n\tpath = config\n")

    assert git.status(root).head == git.head(root)


def test_a_commit_shows_its_own_content_and_its_own_parents(tmp_path: Path) -> None:
    root = committed(tmp_path / "repository", {"src/a.py": "x = 1\n"})
    first = git.head(root)
    (root / "src" / "a.py").write_text("x = 2\n")
    run(root, "commit", "-q", "-a", "-m", "second")
    second = git.head(root)
    forged = run(root, "commit-tree", "-m", "forged", f"{first}^{{tree}}")
    run(root, "replace", second, forged)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "grafts").write_text(f"{second}\n")
    assert run(root, "log", "--format=%s") == "forged"

    assert [commit.subject for commit in git.log(root)] == ["second", "start"]
    assert git.root_commits(root) == [first]


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
