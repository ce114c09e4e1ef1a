"""What was not initialised for is indexed up to a limit, however a folder became too large, and answers say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from contextd.runtime.caches import Cache
from contextd.thin.home import LOCAL
from contextd_code.index.freshness import Tree
from contextd_code.tree import limits
from contextd_common.errors import NotFound
from support.desks import Desk
from support.repositories import committed, git

MOST = 6
SMALL = {"src/a.py": "def alpha():\n    return 1\n", "src/b.py": "def beta():\n    return 2\n"}


def many(prefix: str, count: int = 10) -> dict[str, str]:
    """Files of which each defines a function `<prefix>_<number>`."""
    return {
        f"{prefix}/m{number}.py": f"def {prefix}_{number}():\n    return {number}\n"
        for number in range(count)
    }


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def look_again(desk: Desk) -> None:
    """As if the rest between two looks were over."""
    trees: Cache[Path, Tree] = desk.host.organisation(LOCAL).caches.of("checkouts", 16)
    for tree in trees.values():
        tree.looked_at = 0.0


def by_untracked_files(desk: Desk, folder: Path) -> Desk:
    write(desk.root, many("dump"))
    return desk


def by_commits(desk: Desk, folder: Path) -> Desk:
    write(desk.root, many("dump"))
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "dump")
    return desk


def by_another_clone(desk: Desk, folder: Path) -> Desk:
    git(folder, "clone", "-q", str(desk.root), "clone")
    clone = replace(desk, root=folder / "clone", stranger=True)
    write(clone.root, many("dump"))
    return clone


def by_a_trusted_clone(desk: Desk, folder: Path) -> Desk:
    return replace(by_another_clone(desk, folder), stranger=False)


GROWN: dict[str, Callable[[Desk, Path], Desk]] = {
    "untracked files": by_untracked_files,
    "commits": by_commits,
    "a second clone": by_another_clone,
    "a second clone that is trusted": by_a_trusted_clone,
}


@pytest.fixture
def known(words_only: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A small project that an agent works in, and a limit of few files."""
    monkeypatch.setattr(limits, "MOST_FILES", MOST)
    desk = words_only.at(committed(tmp_path / "small", SMALL))
    desk("codebase_index")
    assert desk("find_symbol", name="alpha")["symbols"]
    return desk


@pytest.mark.parametrize("grown", GROWN)
def test_a_project_that_grows_past_the_limit_is_cut_and_every_answer_says_so(
    known: Desk, tmp_path: Path, grown: str
) -> None:
    desk = GROWN[grown](known, tmp_path)
    look_again(desk)

    found = desk.answer("find_symbol", name="alpha")
    asked = desk.answer("codebase_search", query="what does beta return")

    assert "src/a.py" in found.text
    assert limits.OVER in found.text
    assert limits.OVER in asked.text
    assert limits.OVER in desk.answer("find_references", name="alpha").text
    assert len(desk.view.files.of(desk.scope).stamps()) <= MOST
    # What is left out is not denied.
    assert "not found" not in desk.answer("find_symbol", name="dump_9").text


def test_files_indexed_before_a_folder_grew_too_large_stay_indexed(known: Desk) -> None:
    write(known.root, many("aaa"))
    look_again(known)
    known("codebase_index")

    stamps = known.view.files.of(known.scope).stamps()

    assert {"src/a.py", "src/b.py"} <= stamps.keys()
    assert len(stamps) == MOST


def test_init_by_the_owner_indexes_all_of_a_folder_that_grew(known: Desk) -> None:
    write(known.root, many("dump"))
    look_again(known)
    assert limits.OVER in known.answer("find_symbol", name="alpha").text

    known.as_owner("init")
    look_again(known)
    found = known.answer("find_symbol", name="dump_9")

    assert "dump/m9.py" in found.text
    assert limits.OVER not in found.text
    assert len(known.view.files.of(known.scope).stamps()) >= len(SMALL) + 10


def test_a_submodule_that_is_too_large_is_no_part_of_its_project_and_no_project_of_its_own(
    known: Desk, tmp_path: Path
) -> None:
    large = committed(tmp_path / "large", many("dump"))
    git(known.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(large), "sub")
    look_again(known)

    assert limits.OVER not in known.answer("find_symbol", name="alpha").text
    inside = replace(known, root=known.root / "sub", stranger=True)
    with pytest.raises(NotFound, match="was not initialised"):
        inside("codebase_index")


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("impact", {"path": "src/a.py:alpha"}), ("diff_context", {"base": "HEAD"})],
)
def test_impact_and_diff_context_say_how_many_files_are_not_indexed(
    known: Desk, tmp_path: Path, operation: str, arguments: dict[str, str]
) -> None:
    assert limits.OVER not in known.answer(operation, **arguments).text
    desk = by_commits(known, tmp_path)
    look_again(desk)

    found = desk.answer(operation, **arguments)
    left = len(SMALL) + 10 - MOST

    assert f"{left} files not indexed: {limits.OVER}" in found.text
    assert limits.OVER in found.value["notice"]
