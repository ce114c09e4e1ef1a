"""References that are found through what each language leaves unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_code.symbols.references import word_uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import SCOPE, CodeModel, scanned, write

RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nedition = "2021"\n',
    "src/lib.rs": "pub mod cart;\npub mod till;\npub mod desk;\n",
    "src/cart.rs": "pub struct Cart;\nimpl Cart {\n    pub fn total(&self) -> u32 { 1 }\n}\n"
    "pub fn make(n: u32) -> Cart {\n    Cart\n}\n",
    "src/till.rs": "use crate::cart::Cart;\npub fn pay(c: &Cart) -> u32 { c.total() }\n",
    "src/desk.rs": "use crate::till::pay;\nfn ask() { let t = other.total(); pay(t) }\n",
}
JAVA = {
    "shop/Person.java": "package shop;\npublic class Person {\n  public String lastName() {\n"
    "    return compute();\n  }\n  String compute() { return null; }\n"
    "  public static class Line { }\n  Line first;\n}\n",
    "shop/Owner.java": "package shop;\npublic class Owner extends Person { }\n",
    "web/Page.java": "package web;\nimport shop.Owner;\nimport shop.Person.Line;\n"
    "class Page {\n  String of(Owner owner) { return owner.lastName(); }\n  Line line;\n}\n",
}
PYTHON = {
    "click/__init__.py": "from .core import Argument as Argument\n",
    "click/core.py": "class Argument: ...\n",
    "click/types.py": "class Choice: ...\n",
    "use.py": "import click.types\nclick.Argument()\nclick.types.Choice()\n",
    "deep.py": "import click\nclick.core.Argument()\n",
}
KOTLIN = {
    "a/Make.kt": "package a\nfun make(n: Int): Int = n\nfun String.shout(): String = this\n",
    "a/Use.kt": 'package a\nval x = make(1)\nval y = "a".shout()\n',
    "b/Use.kt": 'package b\nimport a.shout\nval z = "b".shout()\nval f = { n: Int -> n }\n',
}
CPP = {
    "cart.h": "struct Cart { int total(); };\n",
    "cart.cpp": '#include "cart.h"\nint Cart::total() { return 1; }\n',
    "till.cpp": '#include "cart.h"\nint pay(Cart* cart) { return cart->total(); }\n',
}


@pytest.mark.parametrize(
    ("project", "path", "name", "expected"),
    [
        (RUST, "src/cart.rs", "total", [("src/till.rs", 2), ("src/desk.rs", 2)]),
        (
            RUST,
            "src/cart.rs",
            "Cart",
            [("src/cart.rs", n) for n in (2, 5, 6)] + [("src/till.rs", n) for n in (1, 2)],
        ),
        (JAVA, "shop/Person.java", "lastName", [("web/Page.java", 5)]),
        (JAVA, "shop/Person.java", "compute", [("shop/Person.java", 4)]),
        (
            JAVA,
            "shop/Person.java",
            "Line",
            [("shop/Person.java", 8), ("web/Page.java", 3), ("web/Page.java", 6)],
        ),
        (
            PYTHON,
            "click/core.py",
            "Argument",
            [("click/__init__.py", 1), ("deep.py", 2), ("use.py", 2)],
        ),
        (PYTHON, "click/types.py", "Choice", [("use.py", 3)]),
        (KOTLIN, "a/Make.kt", "make", [("a/Use.kt", 2)]),
        (KOTLIN, "a/Make.kt", "shout", [("a/Use.kt", 3), ("b/Use.kt", 2), ("b/Use.kt", 3)]),
        (CPP, "cart.h", "total", [("cart.cpp", 2), ("till.cpp", 2)]),
    ],
)
def test_a_definition_is_found_where_it_is_used(
    project: dict[str, str],
    path: str,
    name: str,
    expected: list[tuple[str, int]],
    tmp_path: Path,
) -> None:
    for file, text in project.items():
        write(tmp_path, file, text)
    files = CodeModel()
    scanned(tmp_path, files)
    graph = build_graph(files.of(SCOPE).all())
    definition = next(one for one in graph.by_name[name] if one.path == path)
    found = list(word_uses(graph, Sources(tmp_path, files.index), definition))
    assert sorted((one.path, one.line) for one in found) == sorted(expected)
