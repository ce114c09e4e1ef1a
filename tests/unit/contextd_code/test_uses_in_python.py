"""Members of Python by narrowed types and local imports: each line marked `uses NAME` is certain, and no other is."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_uses import marked

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.uses import uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import CodeModel, scanned, write

SHOP = """LIMIT = 3


class Shop:
    def open(self):
        return 1

    def next(self):
        return object()


class Store:
    def open(self):
        return 2

    def close(self):
        return 2
"""

CASES = {
    "assert narrows the rest of a body": """
def f(x, other):
    x.open()
    assert isinstance(x, Shop)
    x.open()  # uses Shop.open
    if other:
        return [x.open() for _ in other]  # uses Shop.open
    x.size = 1
    return x.open()  # uses Shop.open
""",
    "a branch that leaves narrows the rest": """
def f(x, y):
    if not isinstance(x, Shop) or not isinstance(y, Store):
        x.open()
        return None
    y.close()  # uses Store.close
    return x.open()  # uses Shop.open

def g(x):
    if not isinstance(x, Shop):
        print(x)
    x.open()
""",
    "a condition narrows its branch": """
def f(xs, x, y):
    if isinstance(x, Shop) and x.open():  # uses Shop.open
        x.open()  # uses Shop.open
    elif isinstance(x, Store):
        x.open()  # uses Store.open
    else:
        x.open()
    x.open()
    z = y.close() if isinstance(y, Store) else y.open()  # uses Store.close
    return [each.open() for each in xs if isinstance(each, Shop)]  # uses Shop.open
""",
    "binding a name again ends what is known": """
def f(x, more):
    assert isinstance(x, Shop)
    x = x.open()  # uses Shop.open
    x.open()

def g(x, more):
    assert isinstance(x, Shop)
    while more():
        x.open()
        x = x.next()

def h(x, more):
    if isinstance(x, Shop):
        for x in more:
            x.open()
        x.open()
""",
    "a block hides no name": """
def f(x):
    if isinstance(x, Shop):
        y = Store()
    return y.close()  # uses Store.close
""",
    "each function has its own imports": """
def f():
    from other import Store
    from shop import Shop as Store
    from shop import Shop as Own
    return Own().open()  # uses Shop.open

def g():
    from shop import Store as Own
    print(Own)
    return Own().open()  # uses Store.open

def h(x):
    if x:
        from shop import Shop as Either
    else:
        from shop import Store as Either
    return Either().open()
""",
    "a variable hides no member of a module": """
import shop

def f():
    found = shop.Store().close()  # uses Store.close
    Store = shop.LIMIT  # uses LIMIT
    LIMIT = found
    return LIMIT, Store
""",
    "a member of a class is no use of a name outside": """
from shop import LIMIT  # uses LIMIT

class Desk:
    LIMIT = 3
    other: int = 4

bound = LIMIT  # uses LIMIT
""",
    "an annotation without a type leaves it to the value": """
class Desk:
    shop: ClassVar = Shop()
    store: Final = Store()

    def open(self):
        self.store.close()  # uses Store.close
        return self.shop.open()  # uses Shop.open
""",
}


@pytest.mark.parametrize("title", CASES)
def test_every_marked_line_is_certain_and_no_other(tmp_path: Path, title: str) -> None:
    head = "from typing import ClassVar, Final\n\nfrom shop import Shop, Store\n"
    files = {"shop.py": SHOP, "use.py": head + CASES[title]}
    for path, text in files.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    for name in ("LIMIT", "Shop.open", "Store.open", "Store.close"):
        [one] = [each for each in graph.definitions if each.qualified == name]
        found = uses(calls, Sources(tmp_path, model.index), one)
        assert {(use.path, use.line) for use in found if use.certain} == marked(files, name), name
