"""What files in Go, Rust, Java, Vue, Svelte and CommonJS use of each other, and how it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.ports.code import Files
from contextd_code.project.modules import modules
from contextd_code.symbols.file_with_dependencies import FileView, read
from contextd_code.symbols.symbols import definer, uses
from contextd_code.values.source import SourceFile
from support.code_repos import SCOPE, CodeModel, scan_fixture, scanned, write


def scan_project(project: str, tmp_path: Path) -> tuple[Path, Files]:
    return scan_fixture(f"{project}/project", tmp_path)


def by_path(files: Files) -> dict[str, SourceFile]:
    return {file.path: file for file in files.of(SCOPE).all()}


@pytest.mark.parametrize(
    ("project", "path", "used"),
    [
        (
            "go",
            "api/main.go",
            {
                ("core/cow/cow.go", "New"),
                ("core/cow/cow.go", "Legs"),
                ("core/cow/feeding.go", "Pair"),
                ("gate/gate_linux.go", "Open"),
                ("gate/gate_windows.go", "Open"),
                ("api/text/text.go", "Upper"),
                ("api/serve.go", "serve"),
            },
        ),
        (
            "rust",
            "app/src/main.rs",
            {
                ("app/src/config.rs", "Config"),
                ("app/src/config.rs", "load"),
                ("crates/farm-cow/src/cow.rs", "Cow"),
                ("crates/farm-cow/src/cow.rs", "Speaker"),
                ("crates/farm-cow/src/cow.rs", "LITRES"),
                ("crates/farm-cow/src/herd.rs", "size"),
                ("app/src/serve.rs", "run"),
            },
        ),
        (
            "rust",
            "crates/farm-cow/src/herd.rs",
            {
                ("crates/farm-cow/src/milk/cream.rs", "thick"),
                ("crates/farm-cow/src/cow.rs", "Cow"),
                ("crates/farm-cow/src/cow.rs", "Colour"),
                ("crates/farm-cow/src/cow.rs", "LITRES"),
            },
        ),
        (
            "java",
            "core/src/main/java/farm/animals/Cow.java",
            {
                ("core/src/main/java/farm/animals/Animal.java", "Animal"),
                ("core/src/main/java/farm/animals/Colour.java", "Colour"),
                ("core/src/main/java/farm/animals/Kept.java", "Kept"),
                ("core/src/main/java/farm/tools/Tools.java", "Spade"),
                ("core/src/main/java/farm/tools/Words.java", "join"),
                ("core/src/main/java/farm/tools/Words.java", "Words"),
            },
        ),
        (
            "vue",
            "src/App.vue",
            {
                ("src/parts/CowCard.vue", "default"),
                ("src/farm.ts", "milk"),
                ("src/farm.ts", "Cow"),
            },
        ),
        ("commonjs", "main.mjs", {("lib/gate.js", "Gate"), ("index.js", "start")}),
        (
            "commonjs",
            "index.js",
            {("lib/cow.js", "Cow"), ("lib/cow.js", "milk"), ("lib/tools.js", "dig")},
        ),
    ],
)
def test_used_names_are_followed_to_their_definitions(
    project: str, path: str, used: set[tuple[str, str]], tmp_path: Path
) -> None:
    _, files = scan_project(project, tmp_path)
    known = by_path(files)
    found = {(u.path, u.symbol.name) for u in uses(known.get, known[path]) if u.symbol is not None}
    assert found == used


@pytest.mark.parametrize(
    ("project", "path", "name", "where", "symbol"),
    [
        ("rust", "crates/farm-cow/src/prelude.rs", "Cow", "crates/farm-cow/src/cow.rs", "Cow"),
        ("rust", "app/src/net/mod.rs", "LOWEST", "app/src/net/port.rs", "LOWEST"),
        ("commonjs", "index.js", "pour", "lib/cow.js", "milk"),
        ("commonjs", "index.js", "dig", "lib/tools.js", "dig"),
        ("commonjs", "index.js", "stop", "index.js", "stop"),
        ("commonjs", "lib/index.js", "Calf", "lib/cow.js", "Calf"),
        ("commonjs", "lib/extra.cjs", "default", "lib/extra.cjs", "extra"),
        ("commonjs", "lib/anonymous.js", "default", "lib/anonymous.js", "default"),
    ],
)
def test_names_that_are_passed_on_are_followed(
    project: str, path: str, name: str, where: str, symbol: str, tmp_path: Path
) -> None:
    _, files = scan_project(project, tmp_path)
    found = definer(by_path(files).get, path, name)
    assert found is not None
    assert (found[0], found[1].name) == (where, symbol)


def view(root: Path, files: Files, path: str) -> FileView:
    return read(root, path, files.index, include_deps=True, budget=4_000)


@pytest.mark.parametrize(
    ("project", "path", "texts", "external"),
    [
        (
            "go",
            "api/main.go",
            {
                "core/cow/cow.go": "// New is a cow by its name.\nfunc New(name string) *Cow {\n",
                "core/cow/feeding.go": "// Pair of anything.\ntype Pair[K comparable, V any] struct",
                "api/serve.go": "func serve(c *cow.Cow) {",
                "api/text/text.go": "return strings.ToUpper(s)",
            },
            ("net/http",),
        ),
        (
            "rust",
            "app/src/main.rs",
            {
                "app/src/config.rs": "/// What the farm is set to.\n#[derive(Default)]\npub struct C",
                "app/src/serve.rs": "pub fn run(cow: &Cow, litres: u32) {",
                "crates/farm-cow/src/herd.rs": "pub fn size() -> u32 {",
                "crates/farm-cow/src/cow.rs": "pub struct Cow {\n    name: String,",
            },
            (),
        ),
        (
            "java",
            "core/src/main/java/farm/animals/Cow.java",
            {
                "core/src/main/java/farm/tools/Tools.java": "public interface Spade {",
                "core/src/main/java/farm/tools/Words.java": "public static String join(",
                "core/src/main/java/farm/animals/Colour.java": "BROWN,",
            },
            ("java.util.*",),
        ),
        (
            "vue",
            "src/App.vue",
            {
                "src/farm.ts": "/** Milk of all. */\nexport function milk(",
                "src/parts/CowCard.vue": "components: { Row },",
            },
            ("vue",),
        ),
        (
            "commonjs",
            "index.js",
            {
                "lib/tools.js": "exports.dig = function dig() {",
                "lib/cow.js": "/** A cow. */\nclass Cow {",
                "lib/gate.js": "module.exports = class Gate {",
            },
            (),
        ),
    ],
)
def test_reading_a_file_brings_the_definitions_it_uses(
    project: str, path: str, texts: dict[str, str], external: tuple[str, ...], tmp_path: Path
) -> None:
    root, files = scan_project(project, tmp_path)
    found = view(root, files, path)
    shown = {d.path: d.text for d in found.dependencies if d.shown == "definitions"}
    for where, text in texts.items():
        assert text in shown[where]
    assert set(found.external) >= set(external)
    assert not any(one.startswith(("crate", "self", "super", "mod ")) for one in found.external)


def test_unused_names_of_an_imported_package_are_not_shown(tmp_path: Path) -> None:
    root, files = scan_project("go", tmp_path)
    shown = {d.path: d for d in view(root, files, "api/main.go").dependencies}
    assert set(shown["core/cow/cow.go"].names) == {"Legs", "New"}
    assert "Speaker" not in shown["core/cow/cow.go"].text


def test_a_static_wildcard_brings_its_class_and_a_record_its_kind(tmp_path: Path) -> None:
    root, files = scan_project("java", tmp_path)
    words = {
        d.path: d
        for d in view(root, files, "core/src/main/java/farm/animals/Cow.java").dependencies
    }
    assert set(words["core/src/main/java/farm/tools/Words.java"].names) == {"join", "Words"}


@pytest.mark.parametrize(
    "project",
    [
        {
            "go.mod": "module m\n",
            "barn/a.go": 'package barn\n\nimport "m/cows"\n\nvar A = cows.B\n',
            "barn/b.go": "package barn\n\nvar b = A\n",
            "cows/a.go": "package cows\n\nvar B = 1\n",
            "cows/b.go": "package cows\n\nvar b = B\n",
        },
        {
            "Cargo.toml": '[package]\nname = "m"\nedition = "2021"\n',
            "src/lib.rs": "mod barn;\nmod cows;\n",
            "src/barn/mod.rs": "mod a;\n",
            "src/barn/a.rs": "use crate::cows::B;\n",
            "src/cows/mod.rs": "mod a;\npub use a::B;\n",
            "src/cows/a.rs": "pub struct B;\n",
        },
        {
            "pom.xml": "<project/>",
            "src/main/java/m/barn/A.java": "package m.barn; class A { m.cows.B b; }",
            "src/main/java/m/barn/C.java": "package m.barn; class C { A a; }",
            "src/main/java/m/cows/B.java": "package m.cows; public class B { D d; }",
            "src/main/java/m/cows/D.java": "package m.cows; class D {}",
        },
    ],
    ids=("go", "rust", "java"),
)
def test_modules_need_each_other_as_their_imports_say(
    project: dict[str, str], tmp_path: Path
) -> None:
    for path, text in project.items():
        write(tmp_path, path, text)
    files = CodeModel()
    scanned(tmp_path, files)
    found = {module.name: module.dependencies for module in modules(files.of(SCOPE).all())}
    assert found == {"barn": ("cows",), "cows": ()}
