"""The watcher tells what changed where files are, and is never needed."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from contextd_code.index.freshness import Tree
from contextd_code.tree.watch import Watcher, folders_of, watch


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name in ("a.py", "src/b.py", "node_modules/x/c.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    found = Tree(tmp_path)
    found.look(settled=False)
    return found


@pytest.fixture
def watching(tree: Tree) -> Tree:
    if not tree.watch():
        pytest.skip("this system gives no file notifications")
    tree.look(settled=False)
    return tree


def told(watcher: Watcher | None, *, seconds: float = 5.0) -> set[str]:
    assert watcher is not None
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := watcher.changes():
            return found
    return set()


def names(tree: Tree, *, settled: bool = True) -> list[str] | None:
    walked = tree.look(settled=settled)
    return None if walked is None else [file.path for file in walked.files]


def hinted(tree: Tree, *hints: str) -> Tree:
    """The tree with a watcher that says these paths changed, once."""

    class Told(Watcher):
        def changes(self) -> set[str] | None:
            waiting = set(self.waiting)
            self.waiting = ()
            return waiting

    told_ = Told(tree.root, tree.watcher.folders if tree.watcher else frozenset(), None)
    told_.waiting = hints
    tree.watcher = told_
    return tree


def test_the_folders_to_watch_are_those_with_files_and_the_root():
    assert folders_of(["a/b/c.py", "a/b/d.py", "e.py"]) == {".", "a/b"}
    assert folders_of([]) == {"."}


def test_changes_are_told_once_and_only_where_files_are(watching, tmp_path):
    (tmp_path / "node_modules/x/d.js").write_text("y")
    (tmp_path / "src/b.py").write_text("x = 2\n")
    assert told(watching.watcher) == {"src/b.py"}
    assert watching.watcher.changes() == set()


def test_no_thread_of_ours_waits_for_events(tree):
    before = threading.active_count()
    tree.watch()
    assert threading.active_count() == before
    tree.close()


def test_a_closed_watcher_knows_nothing(watching):
    watcher = watching.watcher
    watching.close()
    assert watcher.changes() is None
    assert watching.watcher is None


def test_too_many_folders_are_not_watched(tmp_path):
    assert watch(tmp_path, frozenset(map(str, range(20_001)))) is None


def test_a_folder_that_is_gone_is_left_out(tmp_path):
    watcher = watch(tmp_path, frozenset({".", "gone"}))
    if watcher is None:
        pytest.skip("this system gives no file notifications")
    assert watcher.changes() == set()
    watcher.close()


def test_without_a_hint_a_settled_tree_is_not_looked_at(tree):
    hinted(tree)
    assert names(tree) is None
    assert names(tree, settled=False) == ["a.py", "src/b.py"]


def test_a_hint_about_a_known_file_looks_at_that_file_only(tree, tmp_path):
    (tmp_path / "new.py").write_text("x")
    (tmp_path / "a.py").write_text("x = 1234\n")
    before = {file.path: file for file in tree.walked.files}
    walked = hinted(tree, "a.py").look(settled=True)
    after = {file.path: file for file in walked.files}
    assert after.keys() == before.keys()
    assert after["a.py"].size == 9
    assert after["src/b.py"] == before["src/b.py"]


def test_a_hint_about_a_deleted_file_drops_it(tree, tmp_path):
    (tmp_path / "a.py").unlink()
    assert names(hinted(tree, "a.py")) == ["src/b.py"]


def test_a_hint_about_an_unknown_path_lists_everything_again(tree, tmp_path):
    (tmp_path / "new.py").write_text("x")
    assert names(hinted(tree, "new.py")) == ["a.py", "new.py", "src/b.py"]


def test_an_unknown_path_that_is_not_listed_is_not_asked_about_twice(tree, tmp_path):
    (tmp_path / "build").mkdir()
    assert names(hinted(tree, "build")) == ["a.py", "src/b.py"]
    (tmp_path / "late.py").write_text("x")
    assert names(hinted(tree, "build")) is None


def test_a_hint_that_changed_nothing_is_no_news(tree):
    assert names(hinted(tree, "a.py")) is None
