"""Items of Rust modules that share a name with each other or with a primitive type: each line marked `uses NAME` is certain, and no other line is."""

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

FILES = {
    "Cargo.toml": '[package]\nname = "cells"\nversion = "0.1.0"\nedition = "2021"\n'
    '[dependencies]\ncells_macros = { path = "macros" }\n',
    "macros/Cargo.toml": '[package]\nname = "cells_macros"\nversion = "0.1.0"\n[lib]\nproc-macro = true\n',
    "macros/src/lib.rs": """use proc_macro::TokenStream;
#[proc_macro]
pub fn square(input: TokenStream) -> TokenStream { input }
""",
    "src/squares.rs": """use cells_macros::square; // uses square
fn nine() -> u32 { square!(3) } // uses square
""",
    "src/number.rs": """pub trait Priced {}
pub struct Row<T>(T);
pub fn u8(text: &str) -> u8 { text.len() as u8 }
pub fn twice(text: &str) -> u8 {
    u8(text) * 2 // uses u8
}
""",
    "src/other.rs": """use crate::number::Priced as _; // uses Priced
pub fn show(_: &mut std::fmt::Formatter<'_>) {}
""",
    "src/sizes.rs": """use crate::number::Row; // uses Row
pub trait Sized { const ROOM: u16; }
pub type Wide = Row<u16>; // uses Row
pub type Pair = (Wide, Wide); // uses Wide
pub mod limits { pub const ROOM: u16 = 9; }
impl Sized for u32 { const ROOM: u16 = limits::ROOM; } // uses Sized
impl<T> Sized for Row<T> { // uses Sized, Row
    const ROOM: u16 = 4;
}
impl<T> Row<T> { // uses Row
    fn room(&self) -> u16 { at_most!(Self::ROOM) } // uses Sized.ROOM, Row.ROOM, at_most
}
fn room<S: Sized>() -> u16 { S::ROOM } // uses Sized, Sized.ROOM
fn at_most() {}
""",
    "src/lib.rs": """macro_rules! at_most { ($x:expr) => { $x } }
pub mod number;
pub mod other;
pub mod sizes;
mod squares;
fn three() { println!("{}", at_most!(3)); } // uses at_most
pub mod one {
    pub struct Cell<T>(T);
    impl<T> Cell<T> { // uses one.Cell
        pub const fn new(value: T) -> Cell<T> { // uses one.Cell
            Cell(value) // uses one.Cell
        }
    }
    impl<T: Default> Default for Cell<T> { // uses one.Cell
        fn default() -> Self { Cell::new(T::default()) } // uses one.Cell
    }
}
pub mod two {
    pub struct Cell<T>(T);
    pub struct Lazy<T> {
        cell: Cell<T>, // uses two.Cell
    }
    impl<T> Lazy<T> { // uses two.Lazy
        pub fn into(self) -> Cell<T> { self.cell } // uses two.Cell
    }
}
""",
}


@pytest.mark.parametrize(
    "name",
    [
        "one.Cell",
        "two.Cell",
        "two.Lazy",
        "u8",
        "Priced",
        "Row",
        "Wide",
        "Sized.ROOM",
        "Row.ROOM",
        "at_most",
        "square",
    ],
)
def test_a_bare_name_means_the_item_of_its_module(tmp_path: Path, name: str) -> None:
    for path, text in FILES.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    named = [each for each in graph.by_name[name.rpartition(".")[2]] if each.qualified == name]
    # A function may have the name of a macro.
    one = max(named, key=lambda each: each.symbol.kind == "macro")
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(FILES, name)
