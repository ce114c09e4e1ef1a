"""Texts that nobody meant to write: files cut, shuffled and sprinkled, and shapes without end."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_TOKEN = re.compile(rb"\s+|\w+|.", re.S)
_ANY = (
    b"\" ' ` ( ) { } [ ] < > = ; , . : :: -> => # @ * \\ / // /* */ <!-- </script> <script> <?php"
    b" export import default class as from use namespace fn def func struct enum type interface"
    b" impl module end require exports module.exports #if #endif #include #define"
).split()
_TURNED = bytes.maketrans(b"\"'(){}[]<>", b"'\"[]()<>{}")
_STRANGE = (
    *(
        one.encode()
        for one in "\ufeff \u202e \u2028 \x85 e\u0301 \U0001d4d0 \u5909 \xa0".split(" ")
    ),
    *(b"\x00", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x1b[2J", b"\r", b"\x0c"),
)


def mutant(dice: random.Random, data: bytes) -> bytes:
    """Other bytes made of these: one of many ways of breaking a file."""
    cut = dice.randrange(len(data) + 1)
    tokens = _TOKEN.findall(data) or [b""]
    at = [dice.randrange(len(tokens)) for _ in range(dice.choice((1, 1, 2, 5, 20)))]
    match dice.randrange(13):
        case 0:
            return data[:cut]
        case 1:
            return data[cut:]
        case 2:
            return data.translate(_TURNED)
        case 3:
            return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
        case 4:
            return data[:cut] + dice.randbytes(dice.choice((1, 3, 20))) + data[cut:]
        case 5:
            return data[:cut] + dice.choice(_STRANGE) * dice.choice((1, 4)) + data[cut:]
        case 6:
            return b"\n".join(dice.sample(lines := data.split(b"\n"), len(lines)))
        case 7:
            return b"".join(token for token in tokens if token != tokens[at[0]])
        case way:
            return b"".join(_replaced(dice, tokens, at, way))


def _replaced(dice: random.Random, tokens: list[bytes], places: list[int], way: int) -> list[bytes]:
    """Some tokens gone, said twice, changed for one another, or something else."""
    for at in places:
        if way == 8:
            tokens[at] = b""
        elif way == 9:
            tokens[at] *= 2
        elif way == 10:
            other = dice.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = dice.choice(_ANY)
    return tokens


_NESTED = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("f(", ")"), ("a[", "]"), ("A<", ">"),
    ("`${", "}`"), ('"#{', '}"'), ("/*", "*/"), ("class A {", "}"), ("namespace a {", "}"),
    ("if (a) {", "}"), ("func f() {", "}"), ("fn f() {", "}"), ("<div>", "</div>"),
    ("module A\n", "end\n"), ("#if A\n", "#endif\n"), ("(a) => ", ""), ("a ? ", " : b"),
    ("const {a: ", "} = x"), ("@a(", ")"), ("use a::{", "}"), ("template<", ">"), ("try {", "}"),
)  # fmt: skip
_CHAINED = (
    "a.", "a::", "a->", "a + ", "-", "not ", "*", "a = ", "module.exports = ", "exports.a = ",
    "export default ", "else if (a) b; ", "} else {", "public ", "lambda: ", "return ", "<?php ",
    "<script>", "<!--", "#region a\n", "A_API ", "__a ", " \n", "\n\t<T>", "'", '"', "\\`", "in out ",
    "import a.", "import {a} from 'b'\n", "require('a');\n", "def f():\n",
)  # fmt: skip


def endless(depth: int) -> Iterator[bytes]:
    """Every bracket nested this deep, closed, left open and only closed; chains, and huge lines."""
    head = b"int x;\nclass A { void f() {} }\n"
    for start, stop in _NESTED:
        yield head + (start * depth + "x" + stop * depth).encode()
        yield head + (start * depth).encode()
        yield (stop * depth).encode()
    for piece in _CHAINED:
        yield head + (piece * depth).encode()


def huge() -> Iterator[bytes]:
    """Files that are long rather than deep, none over a megabyte."""
    yield b"x = 1; " * 128_000
    yield b'x = "' + b"a" * 900_000 + b'"\n'
    yield b'x = "' + b"a \\n\n" * 150_000 + b'"\n'
    yield b"\n".join(b'import a%d from "./a%d"' % (n, n) for n in range(20_000))
    yield b"\n".join(b"class A%d { void f() {} }" % n for n in range(15_000))
    yield b"\n" * 900_000
    yield b"// a\r" * 100_000
