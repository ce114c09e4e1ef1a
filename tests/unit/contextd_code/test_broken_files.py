"""No file makes reading fail: what cannot be understood is left out, and the rest is kept."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextd_code.index.analyse import analyse
from contextd_code.index.languages.language import Language
from contextd_code.index.languages.table import LANGUAGES
from contextd_code.project.project_type import project_type
from contextd_code.project.stack import detect
from contextd_code.symbols.references import word_uses
from contextd_code.symbols.repo_map import repo_map
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from contextd_code.tree.content import decode
from support.broken_text import endless, huge, mutant
from support.code_repos import FIXTURES, PAST_NS, SCOPE, CodeModel, scanned, write

SEED = 20261121
PROJECTS = sorted(FIXTURES.rglob("*.txt"))
BY_EXTENSION = {extension: row for row in LANGUAGES for extension in row.extensions}


def files_of(project: Path) -> list[tuple[str, bytes]]:
    parts = (p.partition("\n") for p in project.read_text("utf-8").split("=== ")[1:])
    return [(path, text.encode()) for path, _, text in parts]


def programs() -> Iterator[tuple[str, bytes]]:
    for project in PROJECTS:
        for path, data in files_of(project):
            if path.rpartition(".")[2] in BY_EXTENSION:
                yield path, data


def check(path: str, data: bytes) -> None:
    """Read it; what was found must lie in the text, and the pieces must be all of it."""
    file = analyse(path, data, len(data), 0)
    text = decode(data)
    size = len(text.encode())
    assert all(0 <= s.start <= s.end <= size and s.name for s in file.symbols)
    assert all(1 <= s.start_line <= s.end_line for s in file.symbols)
    assert all(one.line >= 1 for one in file.imports)
    assert all(isinstance(part, str) for export in file.exports for part in export)
    if file.chunks:
        assert "".join(chunk.text for chunk in file.chunks) == text


def break_files(count: int, seed: int) -> int:
    dice = random.Random(seed)
    sources = list(programs())
    for _ in range(count):
        path, data = dice.choice(sources)
        check(path, mutant(dice, data))
    return count


def break_projects(root: Path, count: int, seed: int) -> int:
    """Scan whole projects in which files and manifests are broken, and ask for all that is said of
    them.
    """
    dice = random.Random(seed)
    for number in range(count):
        project = dice.choice(PROJECTS)
        folder = root / str(number)
        for path, data in files_of(project):
            write(folder, path, mutant(dice, data) if dice.random() < 0.5 else data)
            os.utime(folder / path, ns=(PAST_NS, PAST_NS))
        files = CodeModel()
        scanned(folder, files)
        known = files.of(SCOPE).all()
        graph = build_graph(known)
        sources = Sources(folder, files.index)
        for one in dice.sample(graph.definitions, min(8, len(graph.definitions))):
            list(word_uses(graph, sources, one))
        assert isinstance(repo_map(graph, focus="cart", near=[], budget=300).text, str)
        paths = [file.path for file in known]
        assert project_type(paths, detect(folder, paths)).reason
    return count


def test_no_broken_file_makes_reading_fail() -> None:
    assert break_files(1_000, SEED) == 1_000


def test_no_broken_project_makes_a_scan_or_what_follows_fail(tmp_path: Path) -> None:
    assert break_projects(tmp_path, 12, SEED) == 12


@pytest.mark.long
@pytest.mark.timeout(30)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
def test_nothing_endless_makes_reading_fail(language: Language) -> None:
    name = language.extensions[0]
    for data in endless(120):
        check(f"a.{name}", data)
    check(f"a.{name}", b"")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_broken_file_of_many_makes_reading_fail(seed: int) -> None:
    assert break_files(5_000, seed) == 5_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_broken_project_of_many_makes_a_scan_fail(seed: int, tmp_path: Path) -> None:
    assert break_projects(tmp_path, 50, seed) == 50


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.name)
def test_nothing_five_thousand_deep_or_a_megabyte_long_makes_reading_fail(
    language: Language,
) -> None:
    name = language.extensions[0]
    for data in [*endless(5_000), *huge()]:
        check(f"a.{name}", data)
    assert analyse(f"a.{name}", b"", 0, 0).error == ""


def test_a_namespace_that_is_passed_on_as_the_default_is_the_default_export() -> None:
    found = analyse("a.js", b'export * as default from "./b";', 31, 0)
    assert found.exports == (("default", "./b", "*"),)
    named = analyse("a.js", b'export * as "x y" from "./b";', 29, 0)
    assert named.exports == (("x y", "./b", "*"),)
