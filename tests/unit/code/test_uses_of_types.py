"""Where types and constants of C, C++ and Rust are used: each line marked `uses NAME` is certain, and no other
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

ASKED = {
    "c": (C, "value.h", "value VALUE_LIMIT on_value".split()),
    "c, a name in two files": (C, "one.c", ["BYTE"]),
    "c++": (CPP, "shop/cart.h", "shop.Cart shop.Cart.State shop.kLimit".split()),
    "rust": (RUST, "src/generic.rs", "Two finder".split()),
}


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
