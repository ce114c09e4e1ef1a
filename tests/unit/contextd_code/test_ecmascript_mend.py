"""TypeScript that the grammar does not know is understood all the same, where it stands."""

from __future__ import annotations

import pytest

from contextd_code.index.analyse import parse
from contextd_code.index.languages.ecmascript_mend import mend

VARIANCE = """export interface Box<
  in out Key extends string, /** what comes out */ out Value,
  // what goes in
  in Input = never
> { key: Key }
export const after = 1;
"""
SIGNATURES = """export const both: {
  /** one way */
  <A>(value: A): Box<A>
  /** the other */
  // twice
  <A, B extends A>(value: A, other: B): Box<B>
  <const C>(value: C): C
} = make();
export interface Maker {
  <A>(a: A): A
  <
    B,
  >(b: B): B
}
export function after() {}
"""
TEMPLATE = "type Told<T extends string> = `a \\`b\\` ${T}`;\nexport class After {}\n"


def names(text: str) -> list[str]:
    return [s.name for s in parse("a.ts", text).outline.symbols]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (VARIANCE, ["Box", "after"]),
        (SIGNATURES, ["both", "Maker", "after"]),
        (TEMPLATE, ["Told", "After"]),
    ],
)
def test_every_definition_is_found_and_keeps_its_own_text(text: str, expected: list[str]) -> None:
    parsed = parse("a.ts", text)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error
    assert names(text) == expected
    for symbol in parsed.outline.symbols:
        assert symbol.name in parsed.data[symbol.start : symbol.end].decode()
        assert text.splitlines()[symbol.start_line - 1] in text
    assert len(mend(text.encode())) == len(text.encode())
    assert mend(text.encode()).count(b"\n") == text.count("\n")


def test_signatures_show_what_was_written_and_not_what_was_parsed() -> None:
    box = parse("a.ts", VARIANCE).outline.symbols[0]
    assert box.signature.startswith("export interface Box< in out Key extends string,")


@pytest.mark.parametrize(
    "text",
    [
        "const smaller = a\n  < b && c;\n",
        "const made = call(\n  <T>(value: T) => value,\n  <U,>(other: U) => other);\n",
        "for (const x in Out) {}\nconst o = { in: 1, out: 2 };\nif (a < b, c in D) {}\n",
    ],
)
def test_a_text_that_the_grammar_knows_is_not_touched(text: str) -> None:
    tree = parse("a.ts", text).tree
    assert tree is not None
    assert not tree.root_node.has_error
    assert tree.root_node.text == text.encode()


def test_mending_what_stays_broken_keeps_the_better_tree() -> None:
    text = "function whole() {}\n}}} <in out A> (((\nclass Kept {}\n"
    assert "whole" in names(text)
    assert len(mend(text.encode())) == len(text)


MOCKS = """vi.mock("./clock", async (importOriginal) => ({
  ...(await importOriginal<typeof import("./clock")>()),
  now: () => 0,
}));
export const first = read<import('./kinds').Kind>("a");
export function after(): number { return first & 1; }
"""
BARREL = "export type * from './kinds'\nexport type * as names from './names'\n"
PATTERN = "export type Save = ({ force }?: { force?: boolean }) => void;\nexport class After {}\n"
ELEMENT = """export function Card() {
  return <p>Salt & pepper {" "}<b>&&</b></p>;
}
export const Other = () => <Card />;
"""


@pytest.mark.parametrize(
    ("path", "text", "defined", "imported"),
    [
        ("a.test.ts", MOCKS, ["first", "after"], ["./clock", "./clock", "./kinds"]),
        ("a.ts", BARREL, [], ["./kinds", "./names"]),
        ("a.ts", PATTERN, ["Save", "After"], []),
        ("a.tsx", ELEMENT, ["Card", "Other"], []),
        ("a.jsx", ELEMENT, ["Card", "Other"], []),
    ],
)
def test_typescript_that_the_grammar_refuses_is_parsed_without_syntax_errors(
    path: str, text: str, defined: list[str], imported: list[str]
) -> None:
    parsed = parse(path, text)
    assert parsed.tree is not None
    assert not parsed.tree.root_node.has_error
    assert [s.name for s in parsed.outline.symbols] == defined
    assert sorted(one.specifier for one in parsed.outline.imports) == imported
    assert len(mend(text.encode())) == len(text.encode())
