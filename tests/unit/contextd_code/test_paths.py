from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd_code.tree.paths import inside, read_inside, read_listed, relative_inside
from contextd_common.errors import ContextdError, Invalid, NotFound, TooLarge
from support.code_repos import write
from support.examples import drawn


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    write(folder, "src/app.ts", "inside")
    write(folder, ".git/config", "token")
    write(tmp_path, "secret.txt", "outside")
    (folder / "leaves").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder / "same.ts").symlink_to(folder / "src" / "app.ts")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("path", ["src/app.ts", "./src/../src/app.ts", "same.ts", "src//app.ts"])
def test_every_spelling_of_a_path_inside_leads_to_the_file(root: Path, path: str) -> None:
    assert read_inside(root, path) == b"inside"
    assert relative_inside(root, path) == "src/app.ts"


def test_an_absolute_path_inside_is_accepted(root: Path) -> None:
    assert inside(root, str(root / "src" / "app.ts")).name == "app.ts"


@pytest.mark.parametrize(
    "path",
    ["", "../secret.txt", "/etc/passwd", "src/../../secret.txt", "leaves", "up/secret.txt",
     "a\0b", "pipe", ".git/config", "src", ".", "/dev/zero", "\ud800"],
)  # fmt: skip
def test_reading_refuses_paths_outside_the_root_links_and_pipes_with_a_hint(
    root: Path, path: str
) -> None:
    with pytest.raises(Invalid) as caught:
        read_inside(root, path)
    assert caught.value.hint


@pytest.mark.parametrize(
    "path", ["%2e%2e/secret.txt", "..\\secret.txt", "x" * 5000, "src/app.ts/x"]
)
def test_encoded_or_impossible_names_are_not_found(root: Path, path: str) -> None:
    with pytest.raises((NotFound, Invalid)):
        read_inside(root, path)


def test_a_missing_file_names_the_nearest_ones(root: Path) -> None:
    with pytest.raises(NotFound) as caught:
        inside(root, "src/apps.ts")
    assert "src/app.ts" in caught.value.hint
    with pytest.raises(NotFound) as caught:
        inside(root, "app.ts", known=["src/app.ts", "lib/other.ts"])
    assert "'src/app.ts'" in caught.value.hint


def test_a_link_swapped_in_after_the_walk_is_not_followed_outside(
    root: Path, tmp_path: Path
) -> None:
    (root / "src" / "app.ts").unlink()
    (root / "src" / "app.ts").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ContextdError):
        read_listed(root, "src/app.ts")
    (root / "src" / "app.ts").unlink()
    (root / "src").rmdir()
    (root / "src").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(ContextdError):
        read_listed(root, "src/secret.txt")


def test_a_file_past_the_limit_is_too_large(root: Path) -> None:
    with pytest.raises(TooLarge):
        read_inside(root, "src/app.ts", limit=3)


@settings(max_examples=drawn(300), deadline=None)
@given(st.lists(st.sampled_from(["..", ".", "src", "up", "leaves", "/", "secret.txt", "app.ts"])))
def test_no_mixture_of_parts_ever_reads_outside(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    base = tmp_path_factory.getbasetemp() / "mixture"
    root = base / "root"
    if not root.exists():
        write(root, "src/app.ts", "inside")
        write(base, "secret.txt", "outside")
        (root / "up").symlink_to(base, target_is_directory=True)
        (root / "leaves").symlink_to(base / "secret.txt")
    try:
        data = read_inside(root, "/".join(parts))
    except (Invalid, NotFound):
        return
    assert data == b"inside"
