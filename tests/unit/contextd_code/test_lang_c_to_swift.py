"""C, C++, C#, Ruby, PHP, Kotlin and Swift against lists written by hand, and against nonsense."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.index.analyse import analyse, parse
from contextd_code.index.languages.table import BY_NAME
from contextd_code.index.resolve import Resolver
from support.code_repos import FIXTURES, SCOPE, CodeModel, edges_of, scan_fixture, scanned, write

LANGUAGES = ("c", "cpp", "csharp", "ruby", "php", "kotlin", "swift")


def listed(language: str, what: str) -> list[str]:
    return (FIXTURES / language / f"project.{what}").read_text("utf-8").splitlines()


def definitions_of(files: Files) -> Counter[str]:
    found: Counter[str] = Counter()
    for file in files.of(SCOPE).all():
        for s in file.symbols:
            name = f"{s.parent}.{s.name}" if s.parent else s.name
            found[f"{file.path} {s.kind} {'' if s.exported else '-'}{name}"] += 1
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_definitions_are_those_written_by_hand(language: str, tmp_path: Path) -> None:
    _, files = scan_fixture(f"{language}/project", tmp_path)
    assert definitions_of(files) == Counter(listed(language, "definitions"))
    assert {f.path: f.error for f in files.of(SCOPE).all() if f.error} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_edges_are_those_written_by_hand(language: str, tmp_path: Path) -> None:
    _, files = scan_fixture(f"{language}/project", tmp_path)
    expected = {tuple(line.split()) for line in listed(language, "edges")}
    assert edges_of(files) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_resolving_what_was_resolved_gives_the_same_again(language: str, tmp_path: Path) -> None:
    root, files = scan_fixture(f"{language}/project", tmp_path)
    known = files.of(SCOPE).all()
    resolver = Resolver(root, [file.path for file in known])
    for file in known:
        assert resolver.resolve(file.path, file.language, file.imports) == file.imports


@pytest.mark.parametrize(
    ("language", "path", "text", "edge"),
    [
        ("csharp", "Core/Task.cs", "namespace Shop.Core; class Task {}", "Api/CowController.cs"),
        ("kotlin", "util/Milk.kt", "package shop.util\nclass Milk", "app/src/main/kotlin/api/CowApi.kt"),
        ("ruby", "app/models/unknown.rb", "class Unknown; end", "app/controllers/admin/cows_controller.rb"),
        ("php", "src/Http/Hay.php", "<?php\nnamespace App\\Http; class Hay {}", "src/Http/CowController.php"),
        ("c", "src/nowhere.h", "int x;", "tools/deep/check.c"),
    ],
)  # fmt: skip
def test_a_new_file_is_found_by_those_that_named_it_before(
    language: str, path: str, text: str, edge: str, tmp_path: Path
) -> None:
    root, files = scan_fixture(f"{language}/project", tmp_path)
    before = edges_of(files)
    write(root, path, text)
    scanned(root, files)
    assert (edge, path) not in before
    assert edges_of(files) >= before | {(edge, path)}
    fresh = CodeModel()
    scanned(root, fresh)
    assert edges_of(fresh) == edges_of(files)


@pytest.mark.parametrize("language", LANGUAGES)
def test_offsets_lines_and_signatures_fit_the_text_with_either_line_ending(
    language: str, tmp_path: Path
) -> None:
    root, files = scan_fixture(f"{language}/project", tmp_path)
    for file in files.of(SCOPE).all():
        if file.language not in BY_NAME:
            continue
        text = (root / file.path).read_text("utf-8")
        names = [(s.kind, s.parent, s.name, s.start_line, s.end_line) for s in file.symbols]
        crlf = parse(file.path, text.replace("\n", "\r\n")).outline
        found = [(s.kind, s.parent, s.name, s.start_line, s.end_line) for s in crlf.symbols]
        assert found == names
        for s in file.symbols:
            piece = text.encode()[s.start : s.end].decode()
            assert text.count("\n", 0, len(text.encode()[: s.start].decode())) + 1 == s.start_line
            assert s.signature
            assert "\n" not in s.signature
            assert piece.split()[0].startswith(s.signature.split()[0][:10])


def sources(language: str) -> list[tuple[str, str]]:
    text = (FIXTURES / language / "project.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return [(path, body) for path, _, body in parts]


def covered(path: str, data: bytes) -> bool:
    file = analyse(path, data, len(data), 0)
    if file.error == "binary":
        return file.chunks == ()
    joined = "".join(chunk.text for chunk in file.chunks)
    return not file.chunks or joined == data.decode("utf-8", "replace").removeprefix("\ufeff")


@pytest.mark.parametrize("language", LANGUAGES)
def test_broken_files_are_read_as_far_as_they_go_and_chunks_cover_them(language: str) -> None:
    dice = random.Random(20260801)
    for path, text in sources(language):
        for _ in range(25):
            characters = list(text)
            for _ in range(dice.randint(1, 12)):
                at = dice.randrange(len(characters) or 1)
                characters[at : at + dice.randint(0, 9)] = dice.choice(
                    ["{", "}", "(", '"', "'", "/*", "\\", "<", "::", "end\n", "é", "\r\n", "@", "#"]
                )
            assert covered(path, "".join(characters).encode())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "nonsense",
    [
        "{" * 30_000,
        "(" * 5_000 + ")" * 5_000,
        "class A { " * 2_000,
        "namespace a { module B\n" * 2_000,
        "a::" * 5_000 + "b",
        "fun f() = " * 3_000,
        "if (x) " * 3_000,
        "\ufeffint x;\n",
        "",
        "\n\r\n\t",
        "\ud7ff" * 3_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_deep_and_strange_texts_do_no_harm(language: str, nonsense: str) -> None:
    path = sources(language)[0][0]
    path = path if path.rsplit(".")[-1] in BY_NAME[language].extensions else f"a.{language}"
    assert covered(path, nonsense.encode())


@pytest.mark.parametrize("language", LANGUAGES)
def test_binary_content_under_a_name_of_the_language_is_left_alone(language: str) -> None:
    assert covered(f"x.{BY_NAME[language].extensions[0]}", bytes(range(256)) * 40)


def test_no_grammar_is_loaded_before_a_file_of_its_language_is_parsed() -> None:
    program = (
        "import sys, contextd_code.index.scan\n"
        "from contextd_code.index.analyse import parse\n"
        "loaded = lambda: sorted(m for m in sys.modules if m.startswith('tree_sitter_'))\n"
        "print(loaded()); parse('a.rb', 'x = 1'); print(loaded())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "[]"
    assert "tree_sitter_ruby" in done.stdout.splitlines()[1]
    assert "tree_sitter_swift" not in done.stdout
