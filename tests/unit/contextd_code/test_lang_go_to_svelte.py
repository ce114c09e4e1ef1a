"""Go, Rust, Java, scripts in Vue and Svelte, and CommonJS against lists written by hand."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from contextd_code.index.analyse import analyse, parse
from contextd_code.index.languages.table import BY_NAME
from contextd_code.index.resolve import Resolver
from support.code_repos import FIXTURES, SCOPE, CodeModel, edges_of, scan_fixture, scanned, write

PROJECTS = ("go", "rust", "java", "vue", "commonjs")


def listed(project: str, what: str) -> list[str]:
    return (FIXTURES / project / f"project.{what}").read_text("utf-8").splitlines()


def scan_project(project: str, tmp_path: Path) -> tuple[Path, CodeModel]:
    return scan_fixture(f"{project}/project", tmp_path)


def qualified(parent: str, name: str) -> str:
    return f"{parent}.{name}" if parent else name


@pytest.mark.parametrize("project", PROJECTS)
def test_the_definitions_are_those_written_by_hand(project: str, tmp_path: Path) -> None:
    _, files = scan_project(project, tmp_path)
    found = Counter(
        f"{file.path} {s.kind} {'' if s.exported else '-'}{qualified(s.parent, s.name)}"
        for file in files.of(SCOPE).all()
        for s in file.symbols
    )
    assert found == Counter(listed(project, "definitions"))
    assert {f.error for f in files.of(SCOPE).all()} <= {"", "vendored"}


@pytest.mark.parametrize("project", PROJECTS)
def test_the_edges_are_those_written_by_hand(project: str, tmp_path: Path) -> None:
    _, files = scan_project(project, tmp_path)
    assert edges_of(files) == {tuple(line.split()) for line in listed(project, "edges")}


@pytest.mark.parametrize("project", PROJECTS)
def test_resolving_what_was_resolved_gives_the_same_again(project: str, tmp_path: Path) -> None:
    root, files = scan_project(project, tmp_path)
    known = files.of(SCOPE).all()
    resolver = Resolver(root, [file.path for file in known])
    for file in known:
        assert resolver.resolve(file.path, file.language, file.imports) == file.imports


@pytest.mark.parametrize(
    ("project", "path"),
    [
        ("go", "core/cow/feeding.go"),
        ("go", "core/internal/hay/fresh.go"),
        ("go", "core/go.mod"),
        ("rust", "app/src/net/port.rs"),
        ("rust", "crates/farm-cow/src/milk/cream.rs"),
        ("rust", "crates/farm-cow/Cargo.toml"),
        ("java", "core/src/main/java/farm/animals/Colour.java"),
        ("java", "core/src/main/java/farm/tools/Tools.java"),
        ("vue", "src/farm.ts"),
        ("commonjs", "lib/cow.js"),
    ],
)
def test_a_file_that_goes_and_comes_back_leaves_the_edges_as_they_were(
    project: str, path: str, tmp_path: Path
) -> None:
    root, files = scan_project(project, tmp_path)
    before = edges_of(files)
    text = (root / path).read_text("utf-8")
    (root / path).unlink()
    scanned(root, files)
    assert edges_of(files) != before
    assert path not in {end for pair in edges_of(files) for end in pair}
    write(root, path, text)
    scanned(root, files)
    assert edges_of(files) == before


@pytest.mark.parametrize("project", PROJECTS)
def test_offsets_and_lines_fit_the_text_with_either_line_ending(
    project: str, tmp_path: Path
) -> None:
    root, files = scan_project(project, tmp_path)
    for file in files.of(SCOPE).all():
        if file.language not in BY_NAME or file.error:
            continue
        text = (root / file.path).read_text("utf-8")
        names = [(s.kind, s.parent, s.name, s.start_line, s.end_line) for s in file.symbols]
        crlf = parse(file.path, text.replace("\n", "\r\n")).outline
        assert [(s.kind, s.parent, s.name, s.start_line, s.end_line) for s in crlf.symbols] == names
        for s in file.symbols:
            before = text.encode()[: s.start]
            assert before.count(b"\n") + 1 == s.start_line
            assert s.signature
            assert "\n" not in s.signature
            assert s.signature[:10].split()[0] in text.splitlines()[s.start_line - 1]
        for one in file.imports:
            assert 1 <= one.line <= max(1, file.lines)


def sources(project: str) -> list[tuple[str, str]]:
    text = (FIXTURES / project / "project.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return [(path, body) for path, _, body in parts if path.rpartition(".")[2] in EXTENSIONS]


EXTENSIONS = ("go", "rs", "java", "vue", "svelte", "js", "cjs")


def covered(path: str, text: str) -> bool:
    file = analyse(path, text.encode(), len(text.encode()), 0)
    joined = "".join(chunk.text for chunk in file.chunks)
    line = 1
    for chunk in file.chunks:
        assert chunk.start_line == line
        line += chunk.text.count("\n")
    return joined == text or (not file.chunks and (bool(file.error) or not text.strip()))


@pytest.mark.parametrize("project", PROJECTS)
def test_damaged_files_are_read_as_far_as_they_go_and_chunks_cover_them(project: str) -> None:
    dice = random.Random(20260802)
    junk = [
        "{",
        "}",
        "(",
        '"',
        "'",
        "/*",
        "`",
        "<",
        "::",
        "</script>",
        "<script>",
        "é",
        "\r\n",
        "#",
    ]
    for path, text in sources(project):
        for _ in range(25):
            characters = list(text)
            for _ in range(dice.randint(1, 12)):
                at = dice.randrange(len(characters) or 1)
                characters[at : at + dice.randint(0, 9)] = dice.choice(junk)
            assert covered(path, "".join(characters))


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize(
    "nonsense",
    [
        "{" * 30_000,
        "(" * 5_000 + ")" * 5_000,
        "func f() { " * 2_000,
        "mod a { " * 2_000,
        "class A { " * 2_000,
        "use a::{" * 3_000,
        "a::" * 5_000 + "b",
        "a." * 5_000 + "b",
        "module.exports = " * 3_000,
        "<script>" * 4_000,
        "<script lang='ts'>\n" + "const a = {\n" * 3_000 + "</script>\n<p>" + "x\n\n" * 4_000,
        "<template>\n" + "<p>cow</p>\n" * 3_000 + "</template>\n<script>\nlet a = 1;\n</script>\n",
        "import (\n" * 3_000,
        "",
        "\n\r\n\t",
        "\ud7ff" * 3_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_nonsense_is_no_reason_to_fail(extension: str, nonsense: str) -> None:
    assert covered(f"a.{extension}", nonsense)


def test_the_text_around_a_script_is_cut_like_text() -> None:
    markup = "".join(f"<p>\n  cow number {n}\n</p>\n\n" for n in range(400))
    text = f"<template>\n{markup}</template>\n<script>\nexport const a = 1;\n</script>\n{markup}"
    file = analyse("a.vue", text.encode(), len(text), 0)
    assert "".join(chunk.text for chunk in file.chunks) == text
    assert all(len(chunk.text) < 4_000 for chunk in file.chunks)
    assert [chunk.symbol for chunk in file.chunks if chunk.symbol] == ["a"]


def test_binary_files_of_every_extension_are_left_alone() -> None:
    for extension in EXTENSIONS:
        assert analyse(f"a.{extension}", b"\0\1\2" * 100, 300, 0).error == "binary"


def test_a_name_that_no_file_had_is_found_when_one_has_it(tmp_path: Path) -> None:
    write(tmp_path, "go.mod", "module m\n")
    write(tmp_path, "a/a.go", 'package a\n\nimport "m/b"\n\nvar X = b.Late + b.Now + local\n')
    write(tmp_path, "b/b.go", "package b\n\nconst Now = 1\n")
    write(tmp_path, "C.java", "class C { D d; }\n")
    files = CodeModel()
    scanned(tmp_path, files)
    assert edges_of(files) == {("a/a.go", "b/b.go")}
    write(tmp_path, "b/late.go", "package b\n\nconst Late = 1\n")
    write(tmp_path, "a/local.go", "package a\n\nconst local = 1\n")
    write(tmp_path, "D.java", "class D { }\n")
    scanned(tmp_path, files)
    assert edges_of(files) == {
        ("a/a.go", "b/b.go"),
        ("a/a.go", "b/late.go"),
        ("a/a.go", "a/local.go"),
        ("C.java", "D.java"),
    }


def resolved(project: dict[str, str], tmp_path: Path) -> set[tuple[str, str]]:
    for path, text in project.items():
        write(tmp_path, path, text)
    files = CodeModel()
    scanned(tmp_path, files)
    return edges_of(files)


def test_renamed_and_inherited_dependencies_and_old_paths_of_rust_are_followed(
    tmp_path: Path,
) -> None:
    manifest = '[package]\nname = "{}"\nversion = "0.1.0"\n'
    assert resolved(
        {
            "a/Cargo.toml": manifest.format("a")
            + 'edition = "2018"\n[dependencies]\nbee = { package = "b", path = "../b" }\n',
            "a/src/lib.rs": "use bee::x::Y;\nuse b::x::Y as Z;\nuse crate::own::Q;\nmod own;\n",
            "a/src/own.rs": "pub struct Q;\n",
            "a/src/bin/tool.rs": "use a::own;\n",
            "b/Cargo.toml": manifest.format("b"),
            "b/src/lib.rs": "pub mod x;\npub mod w;\ncfg_x! { pub mod hidden; }\n",
            "b/src/x.rs": "use w::W;\npub struct Y;\n",
            "b/src/w.rs": "pub struct W;\nuse hidden::H;\n",
            "b/src/hidden.rs": "pub struct H;\n",
        },
        tmp_path,
    ) == {
        ("a/src/lib.rs", "b/src/x.rs"),
        ("a/src/lib.rs", "a/src/own.rs"),
        ("a/src/bin/tool.rs", "a/src/own.rs"),
        ("b/src/lib.rs", "b/src/x.rs"),
        ("b/src/lib.rs", "b/src/w.rs"),
        ("b/src/lib.rs", "b/src/hidden.rs"),
        ("b/src/x.rs", "b/src/w.rs"),
        ("b/src/w.rs", "b/src/hidden.rs"),
    }


def test_a_name_of_the_file_around_an_inline_module_of_rust_is_no_crate(tmp_path: Path) -> None:
    manifest = '[package]\nname = "{}"\nedition = "2021"\n'
    tests = (
        "mod tests {\n    use super::parse;\n    use super::*;\n    use super::lines::count;\n}\n"
    )
    files = {
        "parse/Cargo.toml": manifest.format("parse"),
        "parse/src/lib.rs": "pub fn number() {}\n",
        "app/Cargo.toml": manifest.format("app")
        + '[dependencies]\nparse = { path = "../parse" }\n',
        "app/src/lib.rs": f"mod lines;\nfn parse() {{}}\n{tests}",
        "app/src/lines.rs": "pub fn count() {}\n",
    }
    assert resolved(files, tmp_path) == {("app/src/lib.rs", "app/src/lines.rs")}


def test_use_rings_of_rust_come_to_an_end(tmp_path: Path) -> None:
    ring = {
        "Cargo.toml": '[package]\nname = "r"\nedition = "2021"\n',
        "src/lib.rs": "pub mod a;\npub mod b;\npub use a::*;\npub use b::*;\nuse a::q::r::S;\n",
        "src/a.rs": "pub use crate::b::*;\npub use super::b::q;\n",
        "src/b.rs": "pub use crate::a::*;\npub use super::a::q;\n",
    }
    assert ("src/a.rs", "src/b.rs") in resolved(ring, tmp_path)


def test_a_java_type_in_two_modules_is_the_nearest_one(tmp_path: Path) -> None:
    assert resolved(
        {
            "one/src/main/java/p/Tool.java": "package p; public class Tool {}",
            "two/src/main/java/p/Tool.java": "package p; public class Tool {}",
            "two/src/main/java/p/User.java": "package p; class User { Tool tool; }",
        },
        tmp_path,
    ) == {("two/src/main/java/p/User.java", "two/src/main/java/p/Tool.java")}


def test_locals_of_go_hide_the_names_of_the_package(tmp_path: Path) -> None:
    assert (
        resolved(
            {
                "go.mod": "module m\n",
                "a.go": "package m\n\nvar config = 1\n\ntype Size int\n",
                "b.go": "package m\n\nfunc f(config int, s struct{ Size int }) int {\n"
                "\treturn config + s.Size\n}\n",
                "c.go": "package m\n\ntype T struct{ Size int }\n\nvar t = T{Size: 1}\n",
            },
            tmp_path,
        )
        == set()
    )


@pytest.mark.parametrize(
    ("before", "after", "edges"),
    [
        (
            {"go.mod": "module m\n", "a/a.go": 'package a\nimport "m/b"\nvar A = b.X\n',
             "b/b.go": "package b\n\nvar X = 1\n", "b/c.go": "package b\n"},
            {"b/b.go": "package b\n", "b/c.go": "package b\n\nvar X = 1\n"},
            {("a/a.go", "b/c.go")},
        ),
        (
            {"A.java": "class A { Z z; }", "B.java": "class B {} class Z {}", "C.java": "class C {}"},
            {"B.java": "class B {}", "C.java": "class C {} class Z {}"},
            {("A.java", "C.java")},
        ),
        (
            {"src/lib.rs": "mod a;\nmod b { pub mod c {} }\n", "src/a.rs": "use crate::b::c::X;\n",
             "src/b.rs": "pub mod c;\n", "src/b/c.rs": "pub struct X;\n"},
            {"src/lib.rs": "mod a;\nmod b;\n"},
            {("src/lib.rs", "src/a.rs"), ("src/lib.rs", "src/b.rs"), ("src/b.rs", "src/b/c.rs"),
             ("src/a.rs", "src/b/c.rs")},
        ),
    ],
    ids=("go", "java", "rust"),
)  # fmt: skip
def test_a_definition_that_moves_takes_the_edges_of_unchanged_files_along(
    before: dict[str, str],
    after: dict[str, str],
    edges: set[tuple[str, str]],
    tmp_path: Path,
) -> None:
    for path, text in before.items():
        write(tmp_path, path, text)
    files = CodeModel()
    scanned(tmp_path, files)
    assert edges_of(files) != edges
    for path, text in after.items():
        write(tmp_path, path, text)
    report = scanned(tmp_path, files)
    assert edges_of(files) == edges
    assert report.relinked
    assert set(report.relinked).isdisjoint(after)
