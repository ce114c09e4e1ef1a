from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd_code.index.analyse import analyse, parse
from contextd_code.index.chunk import LIMIT, chunks
from contextd_code.values.source import Chunk
from support.code_repos import FIXTURES, REPOSITORY
from support.examples import drawn

NAMES = ["a.ts", "b.tsx", "c.js", "d.py", "e.md"]
SAMPLE = (REPOSITORY / "src/contextd_common/errors.py").read_text("utf-8")
TSX = (FIXTURES / "shop.txt").read_text("utf-8")


def cut(path: str, text: str) -> tuple[Chunk, ...]:
    found = parse(path, text)
    root = found.tree.root_node if found.tree is not None else None
    return chunks(path, "x", found.data, root, found.outline.symbols)


def covers(pieces: tuple[Chunk, ...], text: str) -> bool:
    return "".join(piece.text for piece in pieces) == (text if text.strip() else "")


@pytest.mark.parametrize("path", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\r\n\r\n",
        "(" * 100_000,
        "[" * 30_000 + "]" * 30_000,
        "function f() {\n" * 3_000,
        "x" * 20_000,
        "é" * 9_000,
        "const a = {\n" + "  key: 'value',\r\n" * 900 + "};\n",
        "def f(:\n  class ( = '''\n" * 200,
        SAMPLE.replace("\n", "\r\n"),
        TSX * 3,
    ],
    ids="empty blank deep brackets open line wide crlf broken python fixture".split(),
)
def test_chunks_cover_every_byte_once_and_stay_small(path: str, text: str) -> None:
    pieces = cut(path, text)
    assert covers(pieces, text)
    # The separators that end a piece's last line come on top.
    assert all(len(re.sub(rb"\s", b"", p.text.encode())) <= LIMIT + 5 for p in pieces)
    assert len({piece.id for piece in pieces}) == len(pieces)
    line = 1
    for piece in pieces:
        assert piece.start_line == line
        line += piece.text.count("\n")
        assert piece.end_line == max(piece.start_line, line - piece.text.endswith("\n"))


@settings(max_examples=drawn(150), deadline=None)
@given(st.sampled_from(NAMES), st.integers(0, 2**32), st.integers(1, 60))
def test_damaged_source_never_fails_and_is_covered(path: str, seed: int, cuts: int) -> None:
    chance = random.Random(seed)
    text = SAMPLE if path.endswith("py") else TSX
    letters = list(text[: chance.randrange(200, 6_000)])
    for _ in range(cuts):
        letters[chance.randrange(len(letters))] = chance.choice("(){}[]<>'\"`;=\n\\/*é💥\0\t")
    damaged = "".join(letters)
    assert covers(cut(path, damaged), damaged)


@settings(max_examples=drawn(100), deadline=None)
@given(st.binary(max_size=400), st.sampled_from([*NAMES, "f.json", "g.bin", "h"]))
def test_garbage_never_fails(data: bytes, path: str) -> None:
    assert analyse(path, data, len(data), 1).size == len(data)


def test_a_function_that_fits_is_whole_and_its_comment_stays_with_it() -> None:
    filler = "".join(f"export const value{n} = compute({n}, 'some text');\n" for n in range(32))
    function = "/** Explains it. */\nexport function wanted() {\n" + "  work();\n" * 60 + "}\n"
    pieces = cut("a.ts", filler + function)
    piece = next(piece for piece in pieces if piece.symbol == "wanted")
    assert piece.text.startswith("/** Explains it. */\nexport function wanted")
    assert piece.text.rstrip().endswith("}")


def test_a_large_class_is_cut_between_its_methods() -> None:
    method = "    def method_{n}(self) -> int:\n" + "        value = 1 + 2 + 3\n" * 20
    text = "class Big:\n" + "".join(method.replace("{n}", str(n)) for n in range(24))
    pieces = cut("a.py", text)
    assert len(pieces) > 2
    assert all(p.text.lstrip().startswith(("class", "def")) for p in pieces)
    assert {p.symbol.split(".")[0] for p in pieces} == {"Big"}


def test_prose_is_cut_at_headings_and_paragraphs() -> None:
    text = "".join(f"# Part {n}\n\n" + "Some words that say little. " * 30 + "\n" for n in range(6))
    pieces = cut("a.md", text)
    assert all(piece.text.startswith("# Part") for piece in pieces)


def test_ids_differ_between_files_and_repeats_and_stay_the_same_otherwise() -> None:
    one, again, other = cut("a.py", SAMPLE), cut("a.py", SAMPLE), cut("b.py", SAMPLE)
    assert [c.id for c in one] == [c.id for c in again]
    assert not {c.id for c in one} & {c.id for c in other}
    changed = cut("a.py", SAMPLE + "\nLAST = 1\n")
    assert {c.id for c in one[:-1]} <= {c.id for c in changed}
