"""The benchmark on a history of our own making, whose answers are known."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from contextd_bench.history import (
    CommitHistory,
    check_out,
    is_code,
    lend_history,
    read_history,
    stand_before,
)
from contextd_bench.localise import run
from contextd_bench.run import main
from contextd_common.errors import NotFound
from support.repositories import git

TOPICS = {
    "invoice": "renders the invoice of a customer with tax",
    "parser": "parses the grammar of a query into a tree",
    "session": "keeps the session of a visitor alive",
    "mailer": "sends a mail with an attachment",
    "cache": "evicts the oldest entries of the cache",
}

ODDS = "# One of these is for visitors.\n" + "# Odds and ends of no great use.\n" * 25


BEGUN, STEP = 1_700_000_000, 3600
"""When the first commit was made, and the seconds from one to the next."""


def commit(root: Path, subject: str, at: int, **texts: str) -> None:
    for name, text in texts.items():
        with (root / "src" / f"{name}.py").open("a", encoding="utf-8") as file:
            file.write(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject, at=BEGUN + at * STEP)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "README.md").write_text("# project\n")
    (root / "src" / "link.py").symlink_to("../README.md")
    texts = {n: f'def {n}_main():\n    """This {about}."""\n' for n, about in TOPICS.items()}
    commit(root, "Begin the project", 0, **texts, odds=ODDS)
    # What changes when a visitor complains is in a file that does not say so.
    for at in range(1, 6):
        commit(root, f"Answer complaints of visitors number {at}", at, odds=f"x{at} = {at}\n")
    for at, name in enumerate(TOPICS, 10):
        subject = f"Repair how the {name} {TOPICS[name].split(' ', 1)[1]}"
        commit(root, subject, at, **{name: f"# {at}\n"})
    commit(root, "Answer new complaints of visitors", 20, odds="y = 1\n")
    commit(root, "Add a wholly new file", 21, fresh="z = 1\n")
    commit(root, "Release 1.2", 22, parser="# release\n")
    commit(root, "Bump version", 23, parser="# bump\n")
    return root


def history(repository: Path, questions: int = 6) -> CommitHistory:
    return read_history(repository, questions=questions, memories=100)


def test_questions_are_new_commits_and_memory_holds_older_ones(repository: Path) -> None:
    found = history(repository, 7)
    subjects = [one.subject for one in found.asked]
    assert subjects[0] == "Answer new complaints of visitors"
    assert len(subjects) == 6
    assert not any("Release" in s or "Bump" in s or "wholly new" in s for s in subjects)
    assert found.older[0].subject == "Answer complaints of visitors number 5"
    assert found.asked[-1].at > found.older[0].at
    assert "src/fresh.py" not in found.paths
    assert "README.md" not in found.paths
    assert found.head == git(repository, "rev-parse", "HEAD")


def test_the_files_are_those_of_before_the_oldest_question(
    repository: Path, tmp_path: Path
) -> None:
    found = history(repository, 7)
    folder = tmp_path / "frozen"
    folder.mkdir()
    before = git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD")
    check_out(found, found.paths, folder)
    assert "# 10" not in (folder / "src" / "invoice.py").read_text()
    assert "x5 = 5" in (folder / "src" / "odds.py").read_text()
    assert not (folder / "src" / "link.py").is_symlink()
    assert (
        git(repository, "status", "--porcelain"),
        git(repository, "rev-parse", "HEAD"),
    ) == before


def test_a_question_is_asked_where_only_older_commits_can_be_seen(
    repository: Path, tmp_path: Path
) -> None:
    history = read_history(repository, questions=3, memories=50)
    folder = tmp_path / "frozen"
    folder.mkdir()
    check_out(history, history.paths, folder)
    lend_history(history, folder)
    files = git(folder, "ls-files", "-s")
    for asked in history.asked:
        stand_before(history, asked, folder)
        seen = git(folder, "log", "--format=%H").split()
        place = [one.sha for one in history.commits].index(asked.sha)
        assert seen == [one.sha for one in history.commits[place + 1 :]]
    assert git(folder, "ls-files", "-s") == files


def test_a_git_directory_without_work_tree_will_do(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    assert history(tmp_path / "bare.git").asked == history(repository).asked


def test_no_history_is_an_answer(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        history(tmp_path)
    git(tmp_path, "init", "-q")
    with pytest.raises(NotFound):
        history(tmp_path)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a/b.py", True),
        ("x.go", True),
        ("a.md", False),
        ("p.json", False),
        ("src/caf\udce9.py", False),
    ],
)
def test_code_is_told_from_data_and_prose(path: str, code: bool) -> None:
    assert is_code(path) == code


def test_memory_finds_what_the_code_does_not_say_and_costs_nothing_else(repository: Path) -> None:
    out = io.StringIO()
    found = run(repository, out=out, questions=7, memories=100)
    off, on = found["contextd, memory off"], found["contextd, memory on"]
    assert on["any@1"]["mean"] >= off["any@1"]["mean"]
    assert on["MRR"]["mean"] > off["MRR"]["mean"]
    assert found["gain"]["MRR"]["mean"] == pytest.approx(on["MRR"]["mean"] - off["MRR"]["mean"])
    assert off["any@5"]["mean"] >= found["largest files"]["any@5"]["mean"]
    text = out.getvalue()
    for fact in ("questions: 6", "head: ", "hardware: ", "commits remembered: 6", "BM25, best 60"):
        assert fact in text


def test_asking_twice_gives_the_same_figures(repository: Path) -> None:
    first, second = (
        run(repository, out=io.StringIO(), questions=3, memories=10, embedder="none")
        for _ in range(2)
    )
    assert first["contextd, memory on"] == second["contextd, memory on"]
    assert first["gain"] == second["gain"]


def test_the_command_takes_paths_and_says_what_is_wrong_with_one(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["localise", str(repository)]) == 0
    assert "| contextd, memory on |" in capsys.readouterr().out
    assert main(["localise", str(tmp_path / "nowhere")]) == 1
    assert "hint:" in capsys.readouterr().err
