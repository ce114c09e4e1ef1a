from __future__ import annotations

import os

import pytest

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.scip import read_scip, told_edges
from contextd_code.symbols.symbol_graph import Definition, build_graph
from support.code_repos import CodeModel, call_graph_of, scanned, write

PYTHON = {
    "shop/__init__.py": "from shop.cart import Cart as Basket\n",
    "shop/cart.py": """class Base:
    def total(self): return self.tax()
    def tax(self): return 1
class Cart(Base):
    def __init__(self, owner):
        self.owner = owner
        self.store: "Store | None" = None
    def add(self, item): return item
    def save(self):
        self.store.write(self)
class Store:
    def write(self, what): return what
    def read_all(self): return [1]
def opened() -> Cart:
    return Cart("x")
""",
    "shop/gift.py": """from .cart import Cart
class GiftCart(Cart):
    def add(self, item):
        return super().add(item)
    def tax(self): return 0
""",
    "app.py": """from shop import Basket
import shop.cart as c
def typed(cart: Basket): cart.add(1)
def made(): return c.opened().add(2)
def untyped(cart): cart.add(3)
def unique(thing): thing.read_all()
def total(b: c.Base): return b.tax()
def rebound():
    cart = Basket("me")
    cart = cart or None
    cart.add(4)
def handed(): return map(c.opened, [])
""",
    "other.py": """class Cart:
    def add(self, item): return item
def mine(): return Cart().add(1)
""",
}

TYPESCRIPT = {
    "package.json": '{"name": "app"}',
    "src/purse.ts": """export class Purse {
  constructor(private owner: Owner) {}
  add(n: number) { return this.owner.pay(n); }
  get first(): Owner { return this.owner; }
}
export class Owner { pay(n: number) { return n; } }
export const open = (o: Owner) => new Purse(o);
export default function main() { return open(new Owner()).add(1); }
""",
    "src/index.ts": 'export { open as openPurse, Purse } from "./purse";\nexport { default } from "./purse";\n',
    "src/use.ts": """import start, { openPurse, Purse } from "./index";
export function go(p: Purse) { p.add(1); p.first.pay(2); start(); }
export const far = () => openPurse(null!).add(3);
export function unknown(p) { p.add(4); }
""",
}

GO = {
    "go.mod": "module shop\n",
    "cart/cart.go": "package cart\ntype Cart struct { s *Store }\nfunc New() *Cart { return &Cart{} }\n"
    "func (c *Cart) Add(n int) { c.s.Put(n) }\n",
    "cart/store.go": "package cart\ntype Store struct{}\nfunc (s *Store) Put(n int) {}\n",
    "main.go": 'package main\nimport "shop/cart"\nfunc main() { c := cart.New(); c.Add(1) }\n',
}

JAVA = {
    "a/Store.java": "package a; public class Store { public int put(int n) { return n; } }",
    "a/Cart.java": "package a;\npublic class Cart {\n  private Store store = new Store();\n"
    "  int add(int n) { return store.put(n); }\n  int twice(int n) { return add(n); }\n}\n",
}

RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "mod store;\nuse crate::store::Store;\npub struct Cart { s: Store }\nimpl Cart {\n"
    "  pub fn new() -> Self { Cart { s: Store::new() } }\n  pub fn add(&self) { self.s.put(1); }\n}\n",
    "src/store.rs": "pub struct Store {}\nimpl Store {\n  pub fn new() -> Store { Store {} }\n"
    "  pub fn put(&self, n: i32) {}\n}\n",
}


def definition(calls: CallGraph, path: str, name: str) -> Definition:
    [found] = [d for d in calls.graph.definitions if (d.path, d.qualified) == (path, name)]
    return found


def callers(
    calls: CallGraph, path: str, name: str, *, certain: bool = True
) -> set[tuple[str, str]]:
    found = calls.callers(definition(calls, path, name))
    return {
        (e.path, e.caller.qualified if e.caller else "")
        for e in found
        if e.certain is certain and e.kind == "call"
    }


def test_callers_in_python_follow_imports_annotations_constructors_and_super(tmp_path):
    calls = call_graph_of(tmp_path, PYTHON)
    assert callers(calls, "shop/cart.py", "Cart.add") == {
        ("app.py", "typed"),
        ("app.py", "made"),
        ("app.py", "rebound"),
        ("shop/gift.py", "GiftCart.add"),
    }
    assert callers(calls, "other.py", "Cart.add") == {("other.py", "mine")}
    assert callers(calls, "shop/cart.py", "Store.write") == {("shop/cart.py", "Cart.save")}
    assert callers(calls, "shop/cart.py", "Cart.__init__") == {
        ("shop/cart.py", "opened"),
        ("app.py", "rebound"),
    }


def test_ambiguous_calls_are_uncertain_and_a_bare_name_is_no_edge(tmp_path):
    calls = call_graph_of(tmp_path, PYTHON)
    doubtful = callers(calls, "shop/gift.py", "GiftCart.add", certain=False)
    assert ("app.py", "typed") in doubtful
    for path, name in (("shop/cart.py", "Cart.add"), ("other.py", "Cart.add")):
        for certain in (True, False):
            assert ("app.py", "untyped") not in callers(calls, path, name, certain=certain)
    assert callers(calls, "shop/cart.py", "Store.read_all") == set()
    only = callers(calls, "shop/cart.py", "Store.read_all", certain=False)
    assert only == {("app.py", "unique")}
    assert ("shop/cart.py", "Base.total") in callers(
        calls, "shop/gift.py", "GiftCart.tax", certain=False
    )


@pytest.mark.parametrize("files", [PYTHON, TYPESCRIPT, GO, JAVA, RUST])
def test_calls_that_were_read_ahead_give_the_same_callers_without_the_files(tmp_path, files):
    asked, ready = call_graph_of(tmp_path, files), call_graph_of(tmp_path, files)
    assert not ready.facts.read_ahead(100, seconds=-1)
    assert ready.facts.read_ahead(100, seconds=60)
    found = [asked.callers(one) for one in asked.graph.definitions]
    assert any(found)
    for path in files:
        (tmp_path / path).unlink()
    assert [ready.callers(one) for one in ready.graph.definitions] == found


def test_a_function_that_is_handed_on_is_a_use(tmp_path):
    calls = call_graph_of(tmp_path, PYTHON)
    found = calls.callers(definition(calls, "shop/cart.py", "opened"))
    assert {(e.caller.qualified, e.kind) for e in found if e.caller} == {
        ("made", "call"),
        ("handed", "use"),
    }


def test_an_import_from_a_file_without_code_is_no_call(tmp_path):
    text = 'import look from "./look.css";\nexport const go = () => look.add(1);\n'
    calls = call_graph_of(tmp_path, {**TYPESCRIPT, "src/look.css": ".a {}\n", "src/page.ts": text})
    assert calls.callees(definition(calls, "src/page.ts", "go")) == []


def test_callees_are_in_the_order_of_the_code(tmp_path):
    calls = call_graph_of(tmp_path, TYPESCRIPT)
    found = calls.callees(definition(calls, "src/use.ts", "go"))
    assert [e.target.qualified for e in found if e.kind == "call"] == [
        "Purse.add",
        "Owner.pay",
        "main",
    ]


def test_callers_in_typescript_follow_barrels_defaults_getters_and_parameter_properties(tmp_path):
    calls = call_graph_of(tmp_path, TYPESCRIPT)
    assert callers(calls, "src/purse.ts", "Purse.add") == {
        ("src/use.ts", "go"),
        ("src/use.ts", "far"),
        ("src/purse.ts", "main"),
    }
    assert callers(calls, "src/purse.ts", "Owner.pay") == {
        ("src/purse.ts", "Purse.add"),
        ("src/use.ts", "go"),
    }


@pytest.mark.parametrize(
    ("files", "path", "name", "expected"),
    [
        (GO, "cart/cart.go", "Cart.Add", ("main.go", "main")),
        (GO, "cart/store.go", "Store.Put", ("cart/cart.go", "Cart.Add")),
        (GO, "cart/cart.go", "New", ("main.go", "main")),
        (JAVA, "a/Store.java", "Store.put", ("a/Cart.java", "Cart.add")),
        (JAVA, "a/Cart.java", "Cart.add", ("a/Cart.java", "Cart.twice")),
        (RUST, "src/store.rs", "Store.put", ("src/lib.rs", "Cart.add")),
        (RUST, "src/store.rs", "Store.new", ("src/lib.rs", "Cart.new")),
    ],
)
def test_callers_in_go_java_and_rust_follow_plain_types(tmp_path, files, path, name, expected):
    assert callers(call_graph_of(tmp_path, files), path, name) == {expected}


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def occurrence(line: int, column: int, symbol: str, roles: int = 0) -> bytes:
    place = b"".join(map(varint, (line, column, column + 4)))
    role = field(3, roles) if roles else b""
    return field(2, field(1, place) + field(2, symbol.encode()) + role)


def index_of(documents: dict[str, bytes]) -> bytes:
    return b"".join(field(2, field(1, path.encode()) + found) for path, found in documents.items())


ADD = "scip-python python shop 0.1 `shop.cart`/Cart#add()."


def test_fixtures_of_pytest_are_called_by_the_tests_that_name_them(tmp_path):
    files = PYTHON | {
        "tests/conftest.py": """import pytest
from shop.cart import Cart, Store
@pytest.fixture
def cart():
    yield Cart("x")
@pytest.fixture
def store(cart) -> Store: return Store()
""",
        "tests/unit/test_cart.py": """def test_it(cart, store):
    cart.add(1)
    store.write(2)
def plain(cart): cart.add(1)
""",
        "elsewhere/test_cart.py": "def test_it(cart): cart.add(1)\n",
    }
    calls = call_graph_of(tmp_path, files)
    test = ("tests/unit/test_cart.py", "test_it")
    assert test in callers(calls, "shop/cart.py", "Cart.add")
    assert test in callers(calls, "shop/cart.py", "Store.write")
    assert callers(calls, "tests/conftest.py", "cart") == {test, ("tests/conftest.py", "store")}


def test_calls_on_elements_of_containers_and_tuples_are_resolved(tmp_path):
    text = """from shop.cart import Cart, Store
class Shelf:
    def __init__(self):
        self.carts: dict[str, Cart] = {}
        self.made = [Store()]
    @property
    def all(self) -> list[Cart]: return list(self.carts.values())
def pair() -> tuple[Cart, Store]: ...
def bare():
    return Cart("x"), Store()
def by_key(s: Shelf): s.carts["a"].add(1)
def by_get(s: Shelf): s.carts.get("a").add(1)
def by_items(s: Shelf):
    for name, cart in s.carts.items(): cart.add(1)
def by_property(s: Shelf):
    for n, cart in enumerate(s.all): cart.add(n)
def by_part():
    cart, store = pair()
    cart.add(store.write(1))
def by_bare():
    cart, store = bare()
    store.write(cart)
def by_list(s: Shelf): s.made[0].write(1)
"""
    calls = call_graph_of(tmp_path, PYTHON | {"shelf.py": text})
    added = {
        name for path, name in callers(calls, "shop/cart.py", "Cart.add") if path == "shelf.py"
    }
    assert added == {"by_key", "by_get", "by_items", "by_property", "by_part"}
    written = {n for path, n in callers(calls, "shop/cart.py", "Store.write") if path == "shelf.py"}
    assert written == {"by_part", "by_bare", "by_list"}


def test_functions_inside_of_others_and_objects_that_are_returned_are_known(tmp_path):
    text = """export function agent() {
  return { get(path: string) { return path; } };
}
describe("one", () => {
  const helper = () => 1;
  it("a", () => { helper(); agent().get("/"); });
});
describe("two", () => {
  it("b", () => { helper(); });
});
"""
    calls = call_graph_of(tmp_path, TYPESCRIPT | {"src/a.test.ts": text})
    facts = calls.facts.get("src/a.test.ts")
    assert facts is not None
    led = {
        (site.line, edge.target.qualified)
        for site in facts.sites
        for edge in calls.link("src/a.test.ts", site)
    }
    assert {(6, "helper"), (6, "agent"), (6, "agent.get")} <= led


def test_go_knows_several_results_fields_called_as_their_type_and_types_as_arguments(tmp_path):
    files = GO | {
        "cart/more.go": """package cart
type Lines []int
func (l Lines) Len() int { return 0 }
type Saver interface { Open() (*Store, error) }
type Room struct { Lines Lines; stores map[string]*Store }
func Both() (*Cart, *Store, error) { return nil, nil, nil }
func Made[T any](n int) *Store { return nil }
""",
        "use.go": """package main
import "shop/cart"
func several() { c, s, _ := cart.Both(); c.Add(1); s.Put(2) }
func typed(r *cart.Room) { r.Lines.Len() }
func generic() { cart.Made[int](1).Put(3) }
func opened(s cart.Saver) { st, err := s.Open(); st.Put(4); _ = err }
""",
        "cart/room.go": """package cart
func (r *Room) each() { for _, s := range r.stores { s.Put(1) } }
func (r *Room) one() { if s, ok := r.stores["a"]; ok { s.Put(1) } }
func made() { all := make([]*Store, 1); all[0].Put(2) }
""",
    }
    calls = call_graph_of(tmp_path, files)
    assert callers(calls, "cart/store.go", "Store.Put") == {
        ("cart/cart.go", "Cart.Add"),
        ("use.go", "several"),
        ("use.go", "generic"),
        ("use.go", "opened"),
        ("cart/room.go", "Room.each"),
        ("cart/room.go", "Room.one"),
        ("cart/room.go", "made"),
    }
    assert callers(calls, "cart/more.go", "Lines.Len") == {("use.go", "typed")}
    assert callers(calls, "cart/more.go", "Made") == {("use.go", "generic")}


def test_an_index_of_scip_says_what_no_type_says_and_only_while_it_is_fresh(tmp_path):
    files = {"cart.py": PYTHON["other.py"], "app.py": "def go(cart):\n    cart.add(1)\n"}
    for path, text in files.items():
        write(tmp_path, path, text)
    told = {"cart.py": occurrence(1, 8, ADD, 1), "app.py": occurrence(1, 9, ADD)}
    write(tmp_path, "index.scip", index_of(told))
    calls = call_graph_of(tmp_path, {})
    # It says nothing of the call in the other file, so ours stands there.
    assert callers(calls, "cart.py", "Cart.add") == {("app.py", "go"), ("cart.py", "mine")}
    # It is older than the files: ours stand again.
    os.utime(tmp_path / "index.scip", ns=(1, 1))
    calls = call_graph_of(tmp_path, {})
    assert callers(calls, "cart.py", "Cart.add") == {("cart.py", "mine")}


@pytest.mark.parametrize(
    "data", [b"\x12\xff\xff\xff\x7f", b"\xff" * 12, b"\x08" + b"\x80" * 60 + b"\x01", b"\x0b"]
)
def test_an_index_that_is_none_is_refused_by_the_reader_and_ignored_by_the_graph(tmp_path, data):
    with pytest.raises(ValueError, match=r"\w"):
        read_scip(data)
    write(tmp_path, "index.scip", data)
    assert call_graph_of(tmp_path, {"a.py": "def f(): g()\ndef g(): ...\n"}).ready_edges == {}


SCIP_FILES = {"cart.py": PYTHON["other.py"], "app.py": "def go(cart):\n    cart.add(1)\n"}


def test_an_index_of_another_commit_is_left_out_and_said(tmp_path):
    """It is newer than the files, but what it names stands elsewhere in them."""
    for path, text in SCIP_FILES.items():
        write(tmp_path, path, text if path == "app.py" else f"import os\n\n\n{text}")
    told = {"cart.py": occurrence(1, 8, ADD, 1), "app.py": occurrence(1, 9, ADD)}
    wrong = {"cart.py": occurrence(4, 2, ADD, 1), "app.py": occurrence(1, 9, ADD)}
    right = {"cart.py": occurrence(4, 8, ADD, 1), "app.py": occurrence(1, 9, ADD)}
    for said, expected in ((told, set()), (wrong, set()), (right, {("app.py", "go")})):
        write(tmp_path, "index.scip", index_of(said))
        calls = call_graph_of(tmp_path, {})
        assert callers(calls, "cart.py", "Cart.add") - {("cart.py", "mine")} == expected
    write(tmp_path, "index.scip", index_of(wrong))
    assert "out of date for 1 files" in told_edges(tmp_path, calls.graph).notice


def test_an_import_is_no_use_and_a_call_with_types_is_a_call(tmp_path):
    files = {
        "a.ts": "export function get<T>(one: T) { return one; }\n",
        "b.ts": "import {\n  get,\n} from './a';\nexport const b = () => get<string>('x');\n",
    }
    for path, text in files.items():
        write(tmp_path, path, text)
    symbol = "scip-typescript npm app 1 `a.ts`/get()."
    b = occurrence(1, 2, symbol) + occurrence(3, 23, symbol)
    write(tmp_path, "index.scip", index_of({"a.ts": occurrence(0, 16, symbol, 1), "b.ts": b}))
    calls = call_graph_of(tmp_path, {})
    [edge] = calls.ready_edges["b.ts"]
    assert (edge.line, edge.kind) == (4, "call")


def test_each_package_may_have_an_index_of_its_own(tmp_path):
    for path, text in SCIP_FILES.items():
        write(tmp_path, f"packages/shop/{path}", text)
        write(tmp_path, f"packages/other/{path}", text)
    told = {"cart.py": occurrence(1, 8, ADD, 1), "app.py": occurrence(1, 9, ADD)}
    write(tmp_path, "packages/shop/index.scip", index_of(told))
    write(tmp_path, "packages/other/index.scip", b"\x12\xff")
    calls = call_graph_of(tmp_path, {})
    assert set(calls.ready_edges) == {"packages/shop/cart.py", "packages/shop/app.py"}
    assert "packages/other/index.scip cannot be read" in told_edges(tmp_path, calls.graph).notice


def test_a_function_with_too_many_steps_does_not_affect_the_calls_of_the_next_one(tmp_path):
    several = "\n".join(f"    x = made{n}()" for n in range(1_500))
    makers = "\n".join(f"def made{n}(): return Store()" for n in range(1_500))
    write(
        tmp_path,
        "shop.py",
        f"class Store:\n    def put(self): pass\n{makers}\ndef long():\n{several}\n    x.put()\n"
        "def short():\n    y = Store()\n    y.put()\n",
    )
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    calls.callees(graph.by_name["long"][0])
    found = calls.callees(graph.by_name["short"][0])
    assert {edge.target.qualified for edge in found if edge.certain} == {"Store", "Store.put"}
