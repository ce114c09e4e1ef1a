"""The guarded reader reads regular files inside of their folder, and nothing else, without waiting."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from contextd_common.files.guarded import (
    names_anything,
    names_file,
    names_folder,
    open_file,
    read_file,
)
from support.hostile_files import FORMS, names_in_the_source

LIMIT = 1_000


@pytest.mark.parametrize("form", sorted(FORMS))
def test_reading_refuses_links_pipes_and_devices_outside_the_folder(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / "config.yaml"
    FORMS[form](path)
    if form == "unreadable" and os.geteuid() == 0:
        path.chmod(0o600)
        path.write_text("x" * (LIMIT + 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(OSError) as refused:  # noqa: PT011 – each form has an error of its own
        read_file(path, LIMIT, within=tmp_path)

    assert refused.value.strerror
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.parametrize("form", ["zero", "random", "pipe", "loop", "folder"])
def test_reading_without_a_folder_refuses_pipes_devices_link_loops_and_folders(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / "history.jsonl"
    FORMS[form](path)

    for reading in (lambda: read_file(path, LIMIT, cut=True), lambda: open_file(path)):
        with pytest.raises(OSError):  # noqa: PT011 – each form has an error of its own
            reading()


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    path.parent.mkdir()
    path.write_bytes(b"\xff\x00text")
    (tmp_path / "link").symlink_to(path)

    assert read_file(path, LIMIT) == b"\xff\x00text"
    assert read_file(path, LIMIT, within=tmp_path) == b"\xff\x00text"
    assert read_file(tmp_path / "link", LIMIT, within=tmp_path) == b"\xff\x00text"
    assert read_file(path, 2, cut=True) == b"\xff\x00"


def test_a_file_over_the_limit_is_refused_and_one_of_its_size_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * LIMIT)
    assert len(read_file(path, LIMIT)) == LIMIT
    path.write_bytes(b"x" * (LIMIT + 1))
    with pytest.raises(OSError, match="larger than 1,000 bytes"):
        read_file(path, LIMIT)


def test_a_folder_of_the_way_that_is_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "config.yaml").write_text("x: 1\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / ".context").symlink_to(tmp_path / "outside")

    with pytest.raises(OSError, match="points out of its folder"):
        read_file(root / ".context" / "config.yaml", LIMIT, within=root)


def test_a_file_that_grows_while_it_is_read_ends_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b"one\n")
    with open_file(path) as stream:
        first = stream.readline()
        with path.open("ab") as more:
            more.write(b"two\n" * 100)
        rest = stream.read()
        stream.seek(0, os.SEEK_END)
        end = stream.tell()

    assert (first, rest, end) == (b"one\n", b"", 4)


def test_the_names_are_those_that_the_source_reads() -> None:
    names = names_in_the_source()

    expected = {
        "package.json", "Cargo.toml", "go.mod", "tsconfig.json", "pyproject.toml", "CLAUDE.md", "AGENTS.md",
        ".cursorrules", ".context/config.yaml", "index.scip", ".gitignore",
    }  # fmt: skip
    assert expected <= set(names)
    assert len(names) > 150


def test_a_name_that_no_file_can_have_names_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    names = ("a", "b", "x" * 300, "a\0b", "/".join(["y" * 200] * 40))
    asked = (names_file, names_folder, names_anything)
    assert [[ask(tmp_path / name) for name in names] for ask in asked] == [
        [True, False, False, False, False],
        [False] * 5,
        [True, False, False, False, False],
    ]
