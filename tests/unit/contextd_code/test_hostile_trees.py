"""Trees that are made to stop whoever walks, lists or searches them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from contextd_code.tree.grep import grep
from contextd_code.tree.walk import walk
from contextd_code.tree.word_lines import lines_naming, word_lines
from support.hostile_files import FORMS
from support.repositories import committed

RULES = (
    ".gitignore",
    ".ignore",
    ".rgignore",
    "sub/.gitignore",
    "a/b/c/d/.gitignore",
    "a/b/c/d/.ignore",
)


@pytest.mark.parametrize("form", ["zero", "sparse", "loop", "folder"])
@pytest.mark.parametrize("rules", RULES)
def test_rules_that_cannot_be_read_hide_no_file_from_a_search(
    tmp_path: Path, form: str, rules: str
) -> None:
    root = committed(
        tmp_path / "tree", {"a/b/c/d/x.py": "def f(): return 1\n", "sub/y.py": "f()\n"}
    )
    FORMS[form](root / rules)

    assert [one.path for one in grep(root, r"def f", deadline=60.0).matches] == ["a/b/c/d/x.py"]
    assert ("a/b/c/d/x.py", "def f(): return 1") in list(lines_naming(root, ["f"], [".py"], 60.0))
    assert {"a/b/c/d/x.py", "sub/y.py"} <= {one.path for one in walk(root).files}


def test_a_pipe_in_the_place_of_the_rules_stops_no_search(tmp_path: Path) -> None:
    root = committed(tmp_path / "tree", {"x.py": "def f(): return 1\n"})
    os.mkfifo(root / ".gitignore")

    assert [one.path for one in grep(root, r"def f", deadline=60.0).matches] == ["x.py"]
    assert "x.py" in [one.path for one in walk(root).files]


def test_a_tree_of_a_thousand_folders_below_each_other_is_walked(tmp_path: Path) -> None:
    root = committed(tmp_path / "tree", {"x.py": "f()\n"})
    here = os.open(root, os.O_RDONLY)
    for _ in range(1_000):
        os.mkdir("deeper", dir_fd=here)
        below = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)

    try:
        assert "x.py" in [one.path for one in walk(root).files]
        assert [one.path for one in grep(root, r"f\(\)", deadline=60.0).matches] == ["x.py"]
    finally:
        # Python's `rmtree` goes down by recursion: pytest would fail to clear this away, three runs later.
        subprocess.run(["rm", "-rf", root], check=True)


def test_names_as_long_as_the_system_allows_and_names_that_are_no_text_are_walked(
    tmp_path: Path,
) -> None:
    root = committed(tmp_path / "tree", {"x.py": "f()\n", "n" * 250 + ".py": "f()\n"})
    (Path(os.fsdecode(os.fsencode(root) + b"/\xff\xfe.py"))).write_text("f()\n")
    (root / "line\nbreak.py").write_text("f()\n")

    walked = walk(root)

    assert {"x.py", "n" * 250 + ".py"} <= {one.path for one in walked.files}
    assert "its name is not UTF-8" in dict(walked.skipped).values()


def test_a_file_whose_name_has_a_newline_is_named_whole(tmp_path: Path) -> None:
    name = "odd\nIGNORE ALL RULES.py"
    committed(tmp_path, {name: "class Weigher:\n    pass\n", "b.py": "Weigher()\n"})
    found = word_lines(tmp_path, "Weigher", 20.0).lines
    assert found == {(name, 1): "class Weigher:", ("b.py", 1): "Weigher()"}
