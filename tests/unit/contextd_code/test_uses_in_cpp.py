"""C++ overloads, constructors, destructors, tests by macros and dead code: each line marked `uses NAME` is certain, and no
other line is.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_uses import marked

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.uses import uses
from contextd_code.index.analyse import parse
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import CodeModel, scanned, write

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


def certain_lines(root: Path, files: dict[str, str], path: str, name: str) -> set[tuple[str, int]]:
    """The (path, line) of each certain use of a definition in a repository of these files."""
    for inside, text in files.items():
        write(root, inside, text)
    model = CodeModel()
    scanned(root, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(root, graph))
    one = next(e for e in graph.definitions if (e.path, e.qualified) == (path, name))
    found = uses(calls, Sources(root, model.index), one)
    return {(use.path, use.line) for use in found if use.certain}


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
    assert certain_lines(tmp_path, FILES, path, name) == marked(FILES, name)


def test_a_call_of_overloads_in_two_files_is_certain_for_the_header_that_declares_both(
    tmp_path: Path,
) -> None:
    files = {**FILES, "more.cpp": '#include "shop.h"\nint two = shop::area(1, 2);\n'}
    for inside, text in files.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    certain: dict[str, bool] = {}
    for one in graph.by_name["area"]:
        found = uses(calls, Sources(tmp_path, model.index), one)
        certain[one.path] = ("more.cpp", 2) in {(e.path, e.line) for e in found if e.certain}
    assert certain == {"shop.h": True, "printer.cpp": False, "area.cpp": False}
    assert "never" not in graph.by_name


LONG = "const char* first, const char* second, const char* third, const char* fourth, const char* fifth, "
LONG += "const char* sixth, const char* seventh, const char* eighth, const char* ninth, const char* tenth"
SPREAD = {
    "draw.h": f"#pragma once\nvoid drawEverything({LONG});\n",
    "a.cpp": f"""#include "draw.h"
namespace paint {{
static int kRed = 1;
}}
void drawEverything({LONG}) {{}} // uses drawEverything
void a() {{
  using namespace paint; // uses paint
  drawEverything(0, 0, 0, 0, 0, 0, 0, 0, 0, 0); // uses drawEverything
}}
""",
    "b.cpp": """#include "draw.h"
namespace paint {
namespace oil {}
static int kBlue = 1;
}
using namespace paint::oil; // uses paint
int b() { return paint::kBlue; } // uses paint
""",
}


SHARED = {
    "settings.h": """struct store; // uses store
typedef struct store store_t; // uses store
extern int shared_limit;
#define LOCKED(call) do { /* if (safe) */ \\
    if (call) abort(); } while (0)
""",
    "store.c": """#include "settings.h"
int shared_limit = 3;
struct store { int size; };
int size(struct store *one) { return one->size + shared_limit; } // uses store, shared_limit
""",
    "use.c": """#include "settings.h"
int use(store_t *one) {
  if (one) return shared_limit; // uses shared_limit
  LOCKED(one); // uses LOCKED
  return 0;
}
""",
    "other.c": "static int shared_limit = 4;\nint other(void) { return shared_limit; }\n",
}
LIBRARY = {
    "money.h": """#include <functional>
namespace bank {
struct Money { int cents; };
void addTax(Money& money);
void print(Money& money);
template <typename T> struct Codec { T held; };
}
namespace std {
template <> struct hash<bank::Money> {};
}
""",
    "codec.h": """#include "money.h"
namespace bank {
template <> struct Codec<int> {};
}
""",
    "money.cpp": """#include "codec.h"
namespace bank {
void addTax(Money& money) {}
void print(Money& money) {}
}
void run(bank::Money money) {
  addTax(money); // uses bank.addTax
  print(money);
  bank::Codec<int> codec; // uses bank.Codec
  std::hash<int> hash;
  std::hash<int>()(3);
}
""",
}
CASES = [
    (SPREAD, "a.cpp", "paint"),
    (SPREAD, "b.cpp", "paint"),
    # The definition names what the header declares.
    (SPREAD, "draw.h", "drawEverything"),
    (SHARED, "store.c", "store"),
    (SHARED, "store.c", "shared_limit"),
    (SHARED, "settings.h", "shared_limit"),
    (SHARED, "settings.h", "LOCKED"),
    (LIBRARY, "money.cpp", "bank.addTax"),
    (LIBRARY, "money.h", "bank.Codec"),
    (LIBRARY, "money.h", "std.hash"),
]


@pytest.mark.parametrize(("files", "path", "name"), CASES)
def test_names_that_several_files_declare_have_their_uses(
    tmp_path: Path, files: dict[str, str], path: str, name: str
) -> None:
    assert certain_lines(tmp_path, files, path, name) == marked(files, name)


def test_the_namespace_of_the_standard_library_is_no_definition_of_a_project() -> None:
    found = parse("money.h", LIBRARY["money.h"]).outline
    assert [one.name for one in found.symbols if one.kind == "module"] == ["bank"]


def test_a_function_declared_inside_a_function_is_no_variable(tmp_path: Path) -> None:
    files = {
        "tests.cpp": "void runTests() {}\nint oneTest(int number) { return number; }\n",
        "main.cpp": """int main() {
  void runTests();
  int oneTest(int);
  runTests();
  return oneTest(1);
}
""",
    }
    for inside, text in files.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    lines = {
        one.symbol.name: {
            (e.path, e.line) for e in uses(calls, Sources(tmp_path, model.index), one)
        }
        for one in graph.definitions
        if one.path == "tests.cpp"
    }
    assert lines == {"runTests": {("main.cpp", 4)}, "oneTest": {("main.cpp", 5)}}


HELD = {
    "cart.h": """#pragma once
#include <map>
#include <memory>
#include <vector>
#define LIB_NAMESPACE_START namespace lib
#define LIB_TEMPLATE(condition, ...) template <__VA_ARGS__>
LIB_NAMESPACE_START // uses LIB_NAMESPACE_START
{
class Cart {
 public:
  static Cart* first;
  void turn();
  Cart& name(const char* text);
  int name() const;
  Cart* next() { return first; }
  bool ready() const;
};
template <class T> struct Box { Box(T); };
template <class T> Box(T) -> Box<T>;
struct Shelf {
  LIB_TEMPLATE((sizeof(T) > 1), typename T)
  void put(T one);
  operator Box<int>(); // uses Box
};
using Carts = std::vector<std::shared_ptr<Cart>>; // uses Cart
constexpr bool ready = true;
}
""",
    "cart.cpp": """#include "cart.h"
typedef std::map<int, lib::Cart*> ById; // uses Cart
lib::Cart* lib::Cart::first = nullptr; // uses Cart
inline lib::Shelf::operator lib::Box<int>() { return {1}; } // uses Box
struct Store {
  lib::Carts carts;
  ById known;
  std::map<int, std::vector<lib::Cart>> rows; // uses Cart
  void all();
};
void Store::all() {
  for (auto& cart : carts) cart->turn(); // uses Cart.turn
  for (auto& pair : known) pair.second->turn(); // uses Cart.turn
  for (ById::iterator i = known.begin(); i != known.end(); ++i) i->second->turn(); // uses Cart.turn
  std::vector<lib::Cart>::iterator other = rows[1].begin(); // uses Cart
  other->turn(); // uses Cart.turn
  auto found = known.find(1);
  found->second->next()->turn(); // uses Cart.turn
  (**std::find_if(carts.begin(), carts.end(), nullptr)).turn(); // uses Cart.turn
  rows.at(2).front().name("a").turn(); // uses Cart.turn
  carts.back()->turn(); // uses Cart.turn
  known.turn();
  EXPECT_SAME(int, known.size(), 3);
  EXPECT_SAME(unsigned long, carts[0]->next(), 3);
  int number = 3;
}
void after() {
  lib::Cart one; // uses Cart
  one.turn(); // uses Cart.turn
}
bool lib::Cart::ready() const { return ready(); } // uses Cart
""",
}


@pytest.mark.parametrize("name", ["Cart", "Cart.turn", "Box", "ready", "LIB_NAMESPACE_START"])
def test_cpp_uses_in_containers_and_in_namespaces_opened_by_macros_are_found(
    tmp_path: Path, name: str
) -> None:
    within = {("cart.h", number) for number in range(9, 23)}
    assert certain_lines(tmp_path, HELD, "cart.h", name) - within == marked(HELD, name)


def test_a_source_file_is_meant_by_the_header_of_its_name_that_the_build_makes(
    tmp_path: Path,
) -> None:
    files = {
        "src/flags.cc": "namespace flags {\nint parse(int count) { return count; }\n}\n",
        "use.cc": "#include <lib/flags.h>\nint one = flags::parse(1);\n",
        "other.cc": "#include <lib/other.h>\nint two = flags::parse(1);\n",
    }
    assert certain_lines(tmp_path, files, "src/flags.cc", "flags.parse") == {("use.cc", 2)}


NAMED = {
    "a.h": "#pragma once\nnamespace one { class Page {}; class Line {}; int fold(int x) { return x; } }\n",
    "b.h": "#pragma once\nnamespace two { class Page {}; }\n",
    "named.cpp": """#include "a.h"
using one::Page; // uses one.Page
Page first; // uses one.Page
""",
    "alias.cpp": """#include "a.h"
namespace { namespace near = one; }
near::Page third; // uses one.Page
int fourth = near::fold(2) + one::fold(1); // uses one.fold
""",
    "guessed.cpp": """#include "a.h"
#include "opened.h"
Page second;
Line third; // uses one.Line
""",
    "local.cpp": """#include "a.h"
#include "b.h"
void run() {
  using Line = two::Page;
  Line fourth;
}
LIB_HEAD_OF_TEMPLATE
class Reader {
  int next() { return Page[0] + Page.size(); }
  void* Page;
};
one::Line Reader::*line; // uses one.Line
#ifdef _WIN32
using handle_t = int;
#endif
struct Book : one::Line { // uses one.Line
  using base = one::Line; // uses one.Line
  Book() : base(), at(handle_t(1)) {} // uses Book.base
  handle_t at;
};
""",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.h", "one.Page"),
        ("a.h", "one.Line"),
        ("a.h", "one.fold"),
        ("local.cpp", "Book.base"),
        ("local.cpp", "handle_t"),
    ],
)
def test_a_name_of_a_namespace_that_is_not_open_is_certain_only_if_no_other_has_it(
    tmp_path: Path, path: str, name: str
) -> None:
    assert certain_lines(tmp_path, NAMED, path, name) == marked(NAMED, name)


def test_variables_of_a_function_that_cannot_be_parsed_are_no_definitions() -> None:
    body = "  int total = 0;\n  try\n  {\n    SAME(x y, total.size(), 2);\n    SAME(x y, total.size(), 2);\n  }\n"
    body += "  catch (const E& e)\n  {\n    total = 1;\n  }\n  return total;\n"
    found = parse("broken.cpp", f"int before = 1;\nint main()\n{{\n{body}}}\n").outline.symbols
    assert [one.name for one in found] == ["before"]
