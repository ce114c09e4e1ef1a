"""C++ overloads, constructors, destructors, tests by macros and dead code: each line marked `uses NAME` is certain, and no
other line is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from code_repos import SCOPE, CodeModel, scanned, write
from test_uses import marked

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.uses import uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph

FILES = {
    "shop.h": """#pragma once
#define TEST(group, name) void group##_##name()
#define SHOP_EXPORT
#define SHOP_ALIGNED
namespace shop {
class Printer {
 public:
  Printer();
  virtual ~Printer() {}
  void print(const char* text) { print(text, 3); } // uses shop.Printer.print
  void print(const char* text, int size);
};
class SHOP_EXPORT SHOP_ALIGNED Page {
 public:
  void turn();
};
int area(int side);
int area(int side, int other);
#if 0
// An example that is never compiled.
int never(int side) { return 0; }
#if 1
TEST(Cart, Page) {}
#endif
#endif
}
""",
    "printer.cpp": """#include "shop.h"
namespace shop {
static const int kWidth = 3;
Printer::Printer() { print("x"); } // uses shop.Printer, shop.Printer.print
void Printer::print(const char* text, int size) { // uses shop.Printer
  for (int i = 0; i < kWidth; i++) print(text); // uses shop.kWidth, shop.Printer.print
}
int area(int side) { return side; }
}
""",
    "area.cpp": """#include "shop.h"
namespace shop {
int area(int side, int other) { return side * other; }
}
""",
    "use.cpp": """#include "shop.h"
TEST(Printer, Page) {
  shop::Printer printer; // uses shop.Printer
  char room[sizeof(shop::Printer)]; // uses shop.Printer
  printer.print("a"); // uses shop.Printer.print
  printer.print("a", 2); // uses shop.Printer.print
  shop::Page page; // uses shop.Page
  page.turn(); // uses shop.Page.turn
}
""",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("shop.h", "shop.Printer"),
        ("shop.h", "shop.Printer.print"),
        ("shop.h", "shop.Page"),
        ("shop.h", "shop.Page.turn"),
        ("printer.cpp", "shop.kWidth"),
    ],
)
def test_the_certain_uses_are_the_marked_lines_and_no_others(
    tmp_path: Path, path: str, name: str
) -> None:
    for inside, text in FILES.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.all(SCOPE))
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    one = next(e for e in graph.definitions if (e.path, e.qualified) == (path, name))
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(FILES, name)


def test_a_call_of_overloads_in_two_files_is_certain_for_the_header_that_declares_both(
    tmp_path: Path,
) -> None:
    files = {**FILES, "more.cpp": '#include "shop.h"\nint two = shop::area(1, 2);\n'}
    for inside, text in files.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.all(SCOPE))
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    certain: dict[str, bool] = {}
    for one in graph.by_name["area"]:
        found = uses(calls, Sources(tmp_path, model.index), one)
        certain[one.path] = ("more.cpp", 2) in {(e.path, e.line) for e in found if e.certain}
    assert certain == {"shop.h": True, "printer.cpp": False, "area.cpp": False}
    assert "never" not in graph.by_name
