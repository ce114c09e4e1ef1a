from __future__ import annotations

import ast
from pathlib import Path

import pytest

from contextd_code.index.analyse import analyse, parse
from contextd_code.index.languages.outline import Outline
from contextd_code.index.languages.table import LANGUAGES, language_name
from contextd_code.tree.walk import walk
from support.code_repos import REPOSITORY
from support.verdicts import act

TYPESCRIPT = """
import a, { b as c, type D } from "./x";
import * as ns from 'y'; import "side"; import t = require("z");
export { q as r } from "./q"; export * from "./s"; export * as w from "./w"; export { c, a as default };
export const { x, y: [z] = [1] } = f();
declare module "amb" { import u from "./u"; export const k: number }
namespace N.M { export const inner = 1; function g() {} }
type A = import("./ty").B;
const lazy = () => import(`./lz`), other = import(`./${x}`);
const { p, q: r2 } = require("./rq");
abstract class K extends Base<string> {
  abstract m(): void;
  private f = async (n: number) => 1;
  static async *g() { const deep = (v: number) => v; }
  constructor(private a: string) { super(); }
  get v() { return 1 }
}
declare function df(a: number): void;
function over(a: string): void;
function over(a: any) {}
export enum Color { Red, Green }
export interface I extends J { a: string }
export type U<T> = T | null;
const made = class Foo { bar() {} };
"""


def outline(path: str, text: str) -> Outline:
    return parse(path, text).outline


def names(found: Outline) -> list[tuple[str, str, str]]:
    return [(s.kind, s.parent, s.name) for s in found.symbols]


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.mts"])
def test_typescript_definitions_of_every_kind_are_found_with_their_parents(path: str) -> None:
    found = names(outline(path, TYPESCRIPT))
    assert found == [
        ("constant", "", "x"), ("constant", "", "z"), ("module", "", "amb"),
        ("constant", "amb", "k"), ("module", "", "N.M"), ("constant", "N.M", "inner"),
        ("function", "N.M", "g"), ("type", "", "A"), ("function", "", "lazy"),
        ("constant", "", "other"), ("constant", "", "p"), ("constant", "", "r2"),
        ("class", "", "K"), ("method", "K", "m"), ("method", "K", "f"), ("method", "K", "g"),
        ("function", "K.g", "deep"), ("method", "K", "constructor"), ("method", "K", "v"),
        ("function", "", "df"), ("function", "", "over"), ("function", "", "over"),
        ("enum", "", "Color"), ("interface", "", "I"), ("type", "", "U"), ("class", "", "made"),
        ("method", "made", "bar"),
    ]  # fmt: skip


def test_signatures_are_one_line_without_the_body() -> None:
    found = {s.name: s.signature for s in outline("a.ts", TYPESCRIPT).symbols}
    assert found["K"] == "abstract class K extends Base<string>"
    assert found["f"] == "private f = async (n: number) =>"
    assert found["constructor"] == "constructor(private a: string)"
    assert found["U"] == "export type U<T> = T | null;"
    assert found["Color"] == "export enum Color { Red, Green }"
    assert all("\n" not in signature for signature in found.values())


def test_typescript_imports_and_exports_keep_their_names() -> None:
    found = outline("a.ts", TYPESCRIPT)
    imports = {one.specifier: one.names for one in found.imports}
    assert imports == {
        "./x": (("default", "a"), ("b", "c"), ("D", "D")),
        "y": (("*", "ns"),),
        "side": (),
        "z": (("*", "t"),),
        "./q": (("q", ""),),
        "./s": (("*", ""),),
        "./w": (("*", ""),),
        "amb": (),
        "./u": (("default", "u"),),
        "./ty": (),
        "./lz": (),
        "./rq": (("p", "p"), ("q", "r2")),
    }
    assert found.exports[:5] == (
        ("r", "./q", "q"),
        ("*", "./s", "*"),
        ("w", "./w", "*"),
        ("c", "", "c"),
        ("default", "", "a"),
    )
    exported = {s.name for s in found.symbols if s.exported and not s.parent}
    assert exported == {"x", "z", "Color", "I", "U"}


def test_default_exports_without_a_name_are_called_default() -> None:
    assert names(outline("a.js", "export default connect(x)")) == [("constant", "", "default")]
    assert names(outline("a.tsx", "export default () => <a/>")) == [("function", "", "default")]
    assert names(outline("a.ts", "const a = 1; export default a")) == [("constant", "", "a")]


def test_javascript_with_jsx_and_private_methods_is_understood() -> None:
    text = "class X { #p() {} f = () => 1 }\nconst View = () => <b>{1}</b>\nmodule.exports = { X }"
    assert names(outline("a.jsx", text)) == [
        ("class", "", "X"),
        ("method", "X", "#p"),
        ("method", "X", "f"),
        ("function", "", "View"),
    ]


def python_definitions(text: str) -> set[tuple[str, int]]:
    tree = ast.parse(text)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = {(n.name, n.end_lineno or 0) for n in ast.walk(tree) if isinstance(n, kinds)}
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    found.add((node.id, statement.end_lineno or 0))
    return found


@pytest.mark.long
def test_python_definitions_of_our_own_source_are_those_of_the_ast() -> None:
    checked = 0
    for file in (REPOSITORY / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        expected = python_definitions(text)
        ours = {(s.name, s.end_line) for s in outline(file.name, text).symbols}
        assert expected <= ours, file
        checked += len(expected)
    assert checked > 500


def test_python_signatures_parents_and_exports() -> None:
    text = """
__all__ = ["Cow", "milk"]
from .tools import dig as _dig, spade as milk
HAY, STRAW = 1, 2
@dataclass
class Cow(Animal):
    @property
    async def name(self, a: int,
                   b: str = "x") -> str:
        def inner(): pass
if True:
    def late(): ...
type Pair[T] = tuple[T, T]
"""
    found = outline("farm/__init__.py", text)
    assert [(s.kind, s.parent, s.name, s.exported) for s in found.symbols] == [
        ("constant", "", "__all__", False),
        ("constant", "", "HAY", False),
        ("constant", "", "STRAW", False),
        ("class", "", "Cow", True),
        ("method", "Cow", "name", False),
        ("function", "Cow.name", "inner", False),
        ("function", "", "late", False),
        ("type", "", "Pair", False),
    ]
    assert found.symbols[4].signature == (
        '@property async def name(self, a: int, b: str = "x") -> str'
    )
    assert found.exports == (("Cow", "", "Cow"), ("milk", ".tools", "spade"))


def test_offsets_and_lines_of_a_symbol_give_back_its_text() -> None:
    text = "const é = 'ü';\r\nexport function later(a: string) {\r\n  return a;\r\n}\r\n"
    parsed = parse("a.ts", text)
    symbol = parsed.outline.symbols[1]
    piece = parsed.data[symbol.start : symbol.end].decode("utf-8")
    assert piece == "export function later(a: string) {\r\n  return a;\r\n}"
    assert (symbol.start_line, symbol.end_line) == (2, 4)


@act(
    "src/contextd_code/index/languages/table.py",
    "an extension of {language.name} leads to another row: take it out of one",
)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_extension_of_a_row_leads_to_it(language) -> None:  # type: ignore[no-untyped-def]
    assert {language_name(f"x/y.{e.upper()}") for e in language.extensions} == {language.name}


@pytest.mark.parametrize(
    ("data", "lines", "name"),
    [
        (b"\xef\xbb\xbfdef a(): pass\n", 1, "a"),
        ("def ä(): pass\n".encode("utf-16"), 1, "ä"),
        ("# caf\xe9\ndef b(): pass".encode("latin-1"), 2, "b"),
    ],
)
def test_encodings_are_recognised(data: bytes, lines: int, name: str) -> None:
    found = analyse("a.py", data, len(data), 0)
    assert [s.name for s in found.symbols] == [name]
    assert found.error == ""
    assert data.startswith(b"\xff\xfe") or found.lines == lines


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("a.png", b"\x89PNG\0\0", "binary"),
        ("package-lock.json", b"{}", "lock file"),
        (".env", b"TOKEN=1", "holds secrets by its name"),
        ("keys/server.pem", b"x", "holds secrets by its name"),
        ("a.js", b"var a=1;" * 1000, "minified"),
        ("lib/jquery.min.js", b"x", "minified"),
        ("third_party/x.py", b"x = 1", "vendored"),
        ("a.py", b"x = 1\n" * 200_000, "larger than 1,000,000 bytes"),
        ("data.json", b"[1]\n" * 90_000, "a large data file"),
        ("api_pb2.py", b"x = 1", "generated"),
        ("a.ts", b"// Code generated by tool. DO NOT EDIT.\nexport const x = 1;", "generated"),
        ("a.ts", b"// licence\n" * 15 + b"// @generated by tool\nexport const x = 1;", "generated"),
    ],
)
def test_binary_secret_minified_and_generated_files_are_listed_without_chunks(
    path: str, data: bytes, reason: str
) -> None:
    found = analyse(path, data, len(data), 0)
    assert (found.error, found.chunks) == (reason, ())
    assert bool(found.symbols) == (reason == "generated")


def test_example_environment_files_and_talk_about_generated_code_are_kept() -> None:
    assert analyse(".env.example", b"TOKEN=\n", 7, 0).chunks
    text = b"import re\nPATTERN = 'do not edit'  # code generated by\n"
    assert analyse("a.py", text, len(text), 0).chunks


@pytest.mark.long
def test_every_file_of_this_repository_is_understood_without_syntax_errors() -> None:
    for file in walk(REPOSITORY / "src").files:
        if file.path.endswith(".py"):
            data = Path(REPOSITORY / "src" / file.path).read_bytes()
            assert analyse(file.path, data, file.size, 0).error == "", file.path


def test_a_comment_under_the_head_is_no_part_of_a_signature() -> None:
    text = b"def parse(url: str) -> int:\n    # First the scheme.\n    return 1\n"
    assert [s.signature for s in analyse("a.py", text, len(text), 0).symbols] == [
        "def parse(url: str) -> int"
    ]
