"""Where types and constants of C, C++, Rust and PHP are used: each line marked `uses NAME` is certain, and no other
line is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from code_repos import SCOPE, CodeModel, scanned, write
from test_uses import marked

from contextd.code.calls.call_graph import CallGraph
from contextd.code.calls.reading import CodeFacts
from contextd.code.calls.uses import uses
from contextd.code.symbols.sources import Sources
from contextd.code.symbols.symbol_graph import build_graph

C = {
    "value.h": """typedef struct value { int kind; } value;
#define VALUE_LIMIT 3
typedef void (*on_value)(void);
int take(value, int); // uses value
""",
    "first.h": '#include "value.h"\n',
    "second.h": '#include "first.h"\n',
    "third.h": '#include "second.h"\n',
    "far.c": """#include "third.h"
static int limit = VALUE_LIMIT; // uses VALUE_LIMIT
void far(void) {
  value one = {1}; // uses value
  value *other = &one; // uses value
  take(*other, sizeof(value)); // uses value
}
void hold(on_value); // uses on_value
struct thing { int value; };
int read(struct thing *t) { return t->value; }
""",
    "one.c": "typedef unsigned char BYTE;\nBYTE first; // uses BYTE\n",
    "two.c": '#include "one.c"\ntypedef unsigned char BYTE;\nBYTE second; // a name of its own\n',
    "own.c": """typedef struct value { long own; } value;
value mine; // a type of its own
""",
}

CPP = {
    "shop/cart.h": """namespace shop {
constexpr int kLimit = 3;
class Cart { // lists lines
 public:
  enum State { kOpen };
  Cart(const Cart&) = delete; // uses shop.Cart
  State state() const; // uses shop.Cart.State
};
}  // namespace shop
""",
    "bank/cart.h": """namespace bank {
class Cart {};
constexpr int kLimit = 9;
}  // namespace bank
""",
    "use.cc": """#include "bank/cart.h"
#include "shop/cart.h"
namespace shop {
Cart::State Cart::state() const { return kOpen; } // uses shop.Cart, shop.Cart.State
int room(const Cart* cart) { return kLimit; } // uses shop.Cart, shop.kLimit
}  // namespace shop
bank::Cart theirs;
shop::Cart* ours; // uses shop.Cart
int limit = bank::kLimit + 1;
""",
    "shop/runner.h": """namespace std { class string; }
#define SHOP_FN inline
struct Runner { static int limit; Runner(); Runner next(); void run(); };
""",
    "shop/runner.cc": """#include "runner.h"
SHOP_FN Runner::Runner() : limit_(0) { limit_ = 1; } // uses SHOP_FN
int Runner::limit = 0;
SHOP_FN Runner Runner::next() { return *this; } // uses SHOP_FN
""",
    "main.cc": """#include "shop/runner.h"
void run() { Runner::limit = 1; } // uses Runner.limit
std::string text;
""",
    "using.cc": """#include "shop/cart.h"
using namespace shop;
Cart* one; // uses shop.Cart
""",
}

RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": """pub mod generic;
pub mod fast;
mod finder;
use crate::generic::Two; // uses Two
pub fn both(a: Two, b: fast::Two) {} // uses Two
""",
    "src/generic.rs": """pub struct Two { pub a: u8 }
impl Two { pub fn new() -> Two { Two { a: 1 } } } // uses Two
pub fn finder() {}
""",
    "src/fast.rs": """use crate::generic;
pub struct Two(generic::Two); // uses Two
impl Two { pub fn new() -> Two { Two(generic::Two::new()) } } // uses Two
""",
    "src/finder.rs": """use crate::generic::finder; // uses finder
struct Search;
impl Search { fn finder(&self) {} }
fn go(s: Search) { finder(); s.finder(); } // uses finder
""",
}

RUST_MEMBERS = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": """pub mod wide;
pub mod narrow;
pub trait Lane { const BYTES: usize; fn half_width(&self) -> usize; }
impl Lane for u64 { const BYTES: usize = 8; fn half_width(&self) -> usize { 4 } } // uses Lane
pub fn all<L: Lane>() -> usize { L::BYTES } // uses Lane, Lane.BYTES
""",
    "src/wide.rs": """use crate::narrow;
use crate::Lane; // uses Lane
pub struct Row<L>(L);
impl<L: Lane> Row<L> { // uses Lane, Row
    const LIMIT: usize = 4 * L::BYTES; // uses Lane.BYTES
    pub fn room(&self) -> usize { Self::LIMIT } // uses Row.LIMIT
    pub fn other(&self) -> usize { narrow::Row::LIMIT }
}
pub fn halved(n: u64, f: impl Fn(Row<u64>)) -> usize { n.half_width() } // uses Lane.half_width, Row
pub fn limit() -> usize { Row::<u64>::LIMIT + Row::LIMIT } // uses Row.LIMIT, Row
""",
    "src/narrow.rs": """use crate::wide;
pub struct Row;
impl Row {
    pub const LIMIT: usize = 1;
    pub fn room(&self) -> usize { Self::LIMIT + Row::LIMIT + wide::Row::<u64>::LIMIT } // uses Row.LIMIT, Row
}
""",
}

PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/functions.php": """<?php
namespace Shop;
function priced($n) { return $n; }
function count($list) { return \\count($list); }
function twice($n) { return priced(count([priced($n)])); } // uses priced, count
function same($n) { return namespace\\priced($n); } // uses priced
""",
    "src/Label.php": "<?php\nnamespace Shop;\nclass Label extends \\Other\\Label {}\n",
    "src/Box.php": """<?php
namespace Shop;
class Box extends Label implements \\Other\\Label\\Named {} // uses Label
""",
    "tests/named.php": """<?php
namespace Tests;
use Shop;
use Shop as Mine;
use Shop\\Label; // uses Label
Shop\\priced(1); // uses priced
Mine\\priced(new Label()); // uses priced, Label
\\Shop\\priced(1); // uses priced
Other\\priced(new \\Other\\Label());
priced(1);
""",
    "tests/several.php": """<?php
namespace {
    \\priced(1);
}
namespace Shop {
    function run() { return priced(1); } // uses priced
}
namespace Far {
    function priced($n) { return \\priced($n); }
    function near() { return priced(1); }
}
""",
}

ASKED = {
    "c": (C, "value.h", "value VALUE_LIMIT on_value".split()),
    "c, a name in two files": (C, "one.c", ["BYTE"]),
    "c++, a static member": (CPP, "shop/runner.cc", ["Runner.limit"]),
    "c++, the standard library": (CPP, "shop/runner.h", ["std", "SHOP_FN"]),
    "c++": (CPP, "shop/cart.h", "shop.Cart shop.Cart.State shop.kLimit".split()),
    "php": (PHP, "src/functions.php", "priced count".split()),
    "php, a class": (PHP, "src/Label.php", ["Label"]),
    "rust, a trait": (RUST_MEMBERS, "src/lib.rs", ["Lane.BYTES", "Lane.half_width"]),
    "rust, members": (RUST_MEMBERS, "src/wide.rs", ["Row.LIMIT"]),
    "rust": (RUST, "src/generic.rs", "Two finder".split()),
}


def test_a_question_cut_short_goes_on_where_it_ended(tmp_path: Path) -> None:
    for inside, text in C.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.all(SCOPE))
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    one = next(each for each in graph.by_name["VALUE_LIMIT"])
    sources = Sources(tmp_path, model, SCOPE)
    assert uses(calls, sources, one, until=0.0) == ()
    assert not calls.lines_of_names
    found = uses(calls, sources, one)
    kept = dict(calls.lines_of_names)
    assert [(use.path, use.line) for use in found] == [("far.c", 2)]
    assert uses(calls, Sources(tmp_path, model, SCOPE), one) == found
    assert calls.lines_of_names == kept
    write(tmp_path, "far.c", '#include "third.h"\n\nint two = VALUE_LIMIT;\n')
    again = uses(calls, Sources(tmp_path, model, SCOPE), one)
    assert ("far.c", 3) in {(use.path, use.line) for use in again}


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [(files, path, name) for files, path, names in ASKED.values() for name in names],
)
def test_a_type_or_constant_is_used_where_its_name_means_it(
    tmp_path: Path, files: Mapping[str, str], path: str, name: str
) -> None:
    for inside, text in files.items():
        write(tmp_path, inside, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.all(SCOPE))
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    one = next(
        each
        for each in calls.graph.by_name[name.rpartition(".")[2]]
        if each.qualified == name and each.path == path
    )
    found = uses(calls, Sources(tmp_path, model, SCOPE), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(files, name)
