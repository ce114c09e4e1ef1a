from __future__ import annotations

import pytest

from support.code_repos import call_graph_of

JAVA = {
    "a/Store.java": """package a;
public class Store extends Shelf<Store> {
  public Store() { this(1); }
  public Store(int n) { super(); }
  public int put(int n) { return n; }
  public int put() { return put(1); }
  public Store open() { return this; }
  enum Size { SMALL; int width() { return 1; } }
  interface Seen { void on(Store store); }
  static void each(Seen seen) { }
}
""",
    "a/Shelf.java": """package a;
public class Shelf<T extends Shelf<T>> {
  public Shelf() { }
  public T label(String text) { return (T) this; }
  public int put(int n, int m) { return n; }
}
""",
    "a/Cart.java": """package a;
import java.util.List;
public class Cart {
  int store;
  Cart() { }
  void named(Store store) { store.label("x").open(); }
  void pattern(Object o) { if (o instanceof Store s) { s.put(1); } }
  void inherited(Store s) { s.put(1, 2); }
  void constant() { Store.Size.SMALL.width(); }
  void stream(List<Store> all) { all.forEach(one -> one.put(3)); }
  void handed() { Store.each(s -> s.open()); }
  void anonymous() { new Store() { int two() { return put(2); } }; }
  int store(Store store) { return store(store.open()); }
  Store made() { return new Store(2); }
}
""",
}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub mod cart;\npub mod store;\n",
    "src/store.rs": """pub trait Shelf { fn put(&self, n: u8) -> u8; fn twice(&self) -> u8 { self.put(2) } }
pub struct Store<'a> { pub kind: Kind, name: &'a str }
pub enum Kind { Small(Lid), Large }
pub struct Lid;
impl Lid { pub fn lift(&self) {} }
impl<'a> Store<'a> {
    pub fn open() -> Option<Store<'static>> { None }
    pub fn kind(&self) -> u8 { 1 }
}
impl Kind { pub fn width(&self) -> u8 { 1 } }
impl<'a> Shelf for Store<'a> { fn put(&self, n: u8) -> u8 { n } }
""",
    "src/cart.rs": """use crate::store::{self, Kind, Shelf, Store};
pub fn optional() { if let Some(store) = Store::open() { store.put(1); } }
pub fn field(s: &Store) { s.kind.width(); }
pub fn bound<S: Shelf>(s: S) { s.twice(); }
pub fn variant(kind: Kind) { match kind { Kind::Small(lid) => lid.lift(), other => drop(other) } }
pub fn walked(all: Vec<Store>) { all.iter().map(|one| one.kind()).max(); }
pub fn in_macro(s: &Store) { assert_eq!(s.kind(), 1); }
pub fn path(store: u8) { store::Store::open(); }
pub fn trying() -> Option<u8> { Some(Store::open()?.kind()) }
#[cfg(test)]
mod tests {
    use super::*;
    fn made() -> Store<'static> { Store::open().unwrap() }
    #[test]
    fn it_is() { made().put(3); }
}
""",
}
TYPESCRIPT = {
    "package.json": '{"name": "app"}',
    "src/app.ts": """export class Context { text(s: string) { return s } }
export type Next = () => void
export type Handler<E = any> = (c: Context, next: Next) => string
export interface Get { (path: string, ...handlers: Handler[]): App }
export class App { get!: Get; run(): string { return "" } }
export class Case<T> { held!: T; take(): T { return this.held } }
export interface Source { open(): App }
""",
    "src/use.ts": """import { App, Case, Context, Handler, Source } from "./app"
const app = new App()
export function route() { app.get("/", (c) => c.text("x")) }
export function chained() { app.get("/", () => "x").run() }
export const kept: Handler = (c) => c.text("y")
export function boxed(box: Case<Context>) { box.take().text("z") }
export function opened(source: Source) { source.open().run() }
export function listed(all: Context[]) { all.forEach((one) => one.text("l")) }
""",
}
GO = {
    "go.mod": "module example.com/shop/v5\n",
    "shop.go": "package shop\n\nfunc Open() int { return 1 }\n",
    "use/use.go": 'package use\n\nimport "example.com/shop/v5"\n\nfunc Use() int { return shop.Open() }\n',
}


def callees(root, files, path, name):
    calls = call_graph_of(root, files)
    one = next(each for each in calls.graph.by_name[name] if each.path == path)
    return {
        edge.target.qualified for edge in calls.callees(one) if edge.certain and edge.kind == "call"
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("named", {"Shelf.label", "Store.open"}),
        ("pattern", {"Store.put"}),
        ("inherited", {"Shelf.put"}),
        ("constant", {"Store.Size.width"}),
        ("stream", {"Store.put"}),
        ("handed", {"Store.each", "Store.open"}),
        ("store", {"Cart.store", "Store.open"}),
        ("made", {"Store", "Store.Store"}),
    ],
)
def test_java_knows_declared_types_arguments_patterns_lambdas_and_constructors(
    tmp_path, name, expected
):
    found = callees(tmp_path, JAVA, "a/Cart.java", name)
    assert expected <= found
    assert found <= expected | {"Store", "Store.Store"}


def test_java_knows_what_an_anonymous_class_inherits(tmp_path):
    assert "Store.put" in callees(tmp_path, JAVA, "a/Cart.java", "anonymous")


def test_a_constructor_of_java_calls_the_one_it_names_and_that_of_its_base(tmp_path):
    found = callees(tmp_path, JAVA, "a/Store.java", "Store")
    assert {"Store.Store", "Shelf.Shelf"} <= found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("optional", {"Store.open", "Store.put"}),
        ("field", {"Kind.width"}),
        ("bound", {"Shelf.twice"}),
        ("variant", {"Lid.lift"}),
        ("walked", {"Store.kind"}),
        ("in_macro", {"Store.kind"}),
        ("path", {"Store.open"}),
        ("trying", {"Store.open", "Store.kind"}),
        ("it_is", {"tests.made", "Store.put"}),
    ],
)
def test_rust_knows_patterns_bounds_fields_closures_macros_and_modules(tmp_path, name, expected):
    assert callees(tmp_path, RUST, "src/cart.rs", name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("route", "Context.text"),
        ("chained", "App.run"),
        ("kept", "Context.text"),
        ("boxed", "Context.text"),
        ("opened", "App.run"),
        ("listed", "Context.text"),
    ],
)
def test_typescript_knows_callbacks_call_signatures_and_type_arguments(tmp_path, name, expected):
    assert expected in callees(tmp_path, TYPESCRIPT, "src/use.ts", name)


GO_ALIAS = {
    "go.mod": "module m\n",
    "store/db.go": """package store

type DB struct{}

func (d *DB) Begin() error { return nil }

func Open() *DB { return &DB{} }
""",
    "other/other.go": "package q\n\nfunc Open() int { return 2 }\n",
    "cmd/main.go": """package main

import q "m/store"

type holder struct{ d *q.DB }

func typed(d *q.DB) { d.Begin() }

func field(h holder) { h.d.Begin() }

func opened() { q.Open().Begin() }

func unrelated(store holder) { store.Open() }
""",
}


@pytest.mark.parametrize(
    ("caller", "called"),
    [
        ("typed", {"DB.Begin"}),
        ("field", {"DB.Begin"}),
        ("opened", {"Open", "DB.Begin"}),
        ("unrelated", set()),
    ],
)
def test_a_go_package_is_called_by_the_name_that_a_file_gives_it(tmp_path, caller, called):
    assert callees(tmp_path, GO_ALIAS, "cmd/main.go", caller) == called


def test_a_go_package_is_called_by_the_part_of_its_path_that_is_no_version(tmp_path):
    assert callees(tmp_path, GO, "use/use.go", "Use") == {"Open"}


BOXES = {
    "a/Box.java": "package a;\npublic class Box<T> { public void open() { } }\n",
    "a/Lid.java": "package a;\npublic class Lid { public void open() { } }\n",
    "a/Use.java": "package a;\nclass Use { void javas(Box<Lid> box) { box.open(); } }\n",
    "box.ts": "export class Box<T> { open() { } }\nexport class Lid { open() { } }\n",
    "use.ts": """import { Box, Lid } from "./box"
export function scripts(box: Box<Lid>) { box.open() }
""",
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub struct Lid;
impl Lid { pub fn open(&self) {} }
pub fn rusts(lid: Box<Lid>) { lid.open(); }
""",
}


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("a/Use.java", "javas", "Box.open"),
        ("use.ts", "scripts", "Box.open"),
        ("src/lib.rs", "rusts", "Lid.open"),
    ],
)
def test_a_box_stands_for_what_it_holds_in_rust_alone(tmp_path, path, name, expected):
    assert callees(tmp_path, BOXES, path, name) == {expected}
