"""What git keeps, asked for in one go."""

from __future__ import annotations

from pathlib import Path

from contextd_code.git.diffs import texts_at
from support.repositories import git


def test_files_of_a_commit_are_read_in_one_go_whatever_their_names_and_contents(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    texts = {"a.py": "def a(): ...\n", "Ü b.py": "é = 1\n", "empty.py": "", "f/c.py": "no end"}
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    (tmp_path / "a.py").write_text("changed\n")
    asked = ["a.py", "gone.py", "f", "Ü b.py", "empty.py", "f/c.py", "two\nlines.py"]
    assert texts_at(tmp_path, "HEAD", asked) == {
        path: text.encode() for path, text in texts.items()
    }
    assert texts_at(tmp_path, "HEAD..HEAD", []) == {}
