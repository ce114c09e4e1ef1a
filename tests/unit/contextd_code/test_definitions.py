"""Definitions that are looked up are those of a graph of all files, in its order, with its counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from contextd.domain.changes import Changes, CodeChange
from contextd_code.symbols.definitions import definitions, use_counts
from contextd_code.symbols.references import using_files
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph, build_graph
from contextd_code.symbols.symbol_ranks import weights
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.source import is_test
from contextd_common.text.words import words
from support.code_repos import REPOSITORY, SCOPE, CodeModel, scanned, write
from support.stores import opened

ASKED = (
    *("Cart", "cart", "CART", "add", "addItem", "add_item", "item", "Cart.add", "shop.Cart"),
    *("Till", "price", "Price.of", "naïve", "$el", "a", "nothing_of_it", "create", "default"),
)

STATES: dict[str, list[str | None]] = {
    "a/cart.py": [
        "class Cart:\n    def add(self): ...\n\n\ndef add_item(): ...\n\n\ndef add_item(a): ...\n",
        "X = 1\n\n\nclass cart: ...\n\n\nclass Cart: ...\n",
        None,
    ],
    "a/__init__.py": ["from .cart import Cart as Till\nfrom .cart import add_item\n", "", None],
    "b/use.py": ["from a import Till, add_item\nfrom a.cart import Cart\n", "import a.cart\n"],
    "b/more.py": ["from b.use import add_item, Cart\nnaïve = 1\n", None],
    "tests/test_cart.py": ["from a.cart import Cart\n\n\nclass Cart2(Cart): ...\n", None],
    "ts/cart.ts": [
        "export class Cart { add() {} }\nexport default function create() {}\n",
        "class Cart {}\nexport { Cart as Till }\nexport const $el = 1\n",
    ],
    "ts/index.ts": [
        "export * from './cart'\nexport { default as price } from './cart'\n",
        "export { Cart, Till } from './cart'\n",
        None,
    ],
    "ts/deep/index.ts": ["export * from '..'\n", None],
    "ts/use.ts": ["import create, { Cart } from './cart'\nimport { Till } from './deep'\n", None],
    "ts/more.ts": ["import { Cart as Other, price } from './deep'\nexport function addItem() {}\n"],
    "ts/gen.ts": ["// @generated\nexport class Cart {}\n", None],
    "j/Cart.java": [
        "package shop; public class Cart { void add() {} static class Price { void of() {} } }",
        "package shop; public class Cart {}",
    ],
    "j/Main.java": [
        "package web; import shop.Cart; import shop.Cart.Price; class Main { Cart c; Price p; }",
        "package shop; class Main { Cart c; }",
    ],
    "go/go.mod": ["module m\n"],
    "go/b/cart.go": ["package b\ntype Cart struct{}\n", "package b\nfunc Till() {}\n"],
    "go/b/add.go": ["package b\nfunc (c Cart) add() {}\n", None],
    "go/a.go": ['package m\nimport "m/b"\nvar X = b.Cart{}\nvar Y = b.Till\n', None],
    "rs/Cargo.toml": ['[package]\nname = "r"\nedition = "2021"\n'],
    "rs/src/lib.rs": ["pub mod cart;\npub use cart::Cart;\nuse cart::*;\n", "pub mod cart;\n"],
    "rs/src/cart.rs": ["pub struct Cart;\nimpl Cart { pub fn add(&self) {} }\n", None],
    "rs/src/user.rs": ["use crate::Cart;\nuse crate::cart::Cart as Till;\n", None],
}


def by_graph(graph: SymbolGraph, asked: str) -> list[tuple[Definition, str]]:
    """What fits a name among all definitions."""
    last = asked.rpartition(".")[2]
    parts, folded = frozenset(words(last)), last.casefold()
    found: dict[Definition, str] = {}
    ways = {
        "exact": lambda name: name == last,
        "case": lambda name: name.casefold() == folded,
        "words": lambda name: bool(parts) and parts <= {*words(name)},
        "prefix": lambda name: name.casefold().startswith(folded),
    }
    for how, fits in ways.items():
        some = [one for one in graph.definitions if fits(one.symbol.name)]
        if last != asked:
            some = [
                o for o in some if f".{o.qualified}".casefold().endswith(f".{asked}".casefold())
            ]
        some.sort(key=lambda one: order(graph, one))
        for one in some:
            found.setdefault(one, how)
    return list(found.items())


def order(graph: SymbolGraph, one: Definition) -> tuple[int, float, str, int]:
    aside = 2 if graph.files[one.path].error in UNWRITTEN else int(is_test(one.path))
    return aside, -round(graph.scores[one.place], 12), one.path, one.symbol.start


def weigh(files: CodeModel) -> None:
    version = files.of(SCOPE).changes(0).version
    change = CodeChange(scope=SCOPE, weights=weights(files.index), weighed=version)
    files.view.commit(Changes(code=[change]))


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_what_is_looked_up_is_what_a_graph_of_all_has(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    root = tmp_path / "tree"
    scheme = "memory://" if seed % 2 else f"sqlite://{tmp_path}/index.db"
    files = CodeModel(opened(scheme))
    for turn in range(8):
        for path in STATES if not turn else chance.sample(sorted(STATES), 5):
            text = chance.choice(STATES[path])
            if text is None:
                (root / path).unlink(missing_ok=True)
            else:
                write(root, path, text)
        scanned(root, files)
        weigh(files)
        graph = build_graph(files.of(SCOPE).all())
        for asked in ASKED:
            expected = by_graph(graph, asked)
            found = definitions(files.index, asked, 1_000)
            assert list(found.found) == expected
            assert not found.more
            some = [one for one, _ in expected]
            counts = use_counts(files.index, some)
            assert counts == {one: len(using_files(graph, one)) for one in some}


def test_of_many_only_those_that_matter_most_are_read_and_they_are_the_first(
    tmp_path: Path,
) -> None:
    for number in range(150):
        write(tmp_path, f"m{number}.py", "def run(): ...\n\n\ndef Run(): ...\n")
        users = "".join(f"from m{n} import run as r{n}\n" for n in range(number, 150))
        write(tmp_path, f"u{number}.py", users)
    files = CodeModel(opened(f"sqlite://{tmp_path}/index.db"))
    scanned(tmp_path, files)
    weigh(files)
    found = definitions(files.index, "run", 5)
    assert list(found.found[:5]) == by_graph(build_graph(files.of(SCOPE).all()), "run")[:5]
    assert found.more
    assert 5 < len(found.found) < 150


def test_a_path_and_a_kind_are_met_before_the_first_ones_are_chosen(tmp_path: Path) -> None:
    for number in range(120):
        write(tmp_path, f"a{number}.py", "def run(): ...\n")
    write(tmp_path, "z/run.py", "class run: ...\n")
    files = CodeModel()
    scanned(tmp_path, files)
    weigh(files)
    below = definitions(files.index, "run", 3, inside=lambda path: path.startswith("z/"))
    assert [(one.path, how) for one, how in below.found] == [("z/run.py", "exact")]
    classes = definitions(files.index, "run", 3, kind="class")
    assert [one.path for one, _ in classes.found] == ["z/run.py"]


def test_without_weights_all_that_fit_are_found(tmp_path: Path) -> None:
    write(tmp_path, "b.py", "def run(): ...\n")
    write(tmp_path, "a.py", "def run(): ...\n")
    files = CodeModel()
    scanned(tmp_path, files)
    assert [one.path for one, _ in definitions(files.index, "run", 5).found] == ["a.py", "b.py"]


def test_weights_are_the_scores_of_a_graph_of_this_repository() -> None:
    files = CodeModel()
    scanned(REPOSITORY, files, below="src/contextd")
    weigh(files)
    graph = build_graph(files.of(SCOPE).all())
    asked = ["find", "run", "Runtime", "Scope", "put", "rows", "as_text", "Files.get"]
    for name in asked:
        found = definitions(files.index, name, 10)
        assert list(found.found[:10]) == by_graph(graph, name)[:10]
