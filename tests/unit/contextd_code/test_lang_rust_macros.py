"""Items inside macros of Rust are items of their file."""

from __future__ import annotations

import pytest

from contextd_code.index.analyse import parse
from contextd_code.index.languages.rust_resolver import RustResolver

WRAPPED = """cfg_net! {
    /// Sockets.
    #[cfg(any(unix, feature = "net"))]
    pub mod tcp;
    cfg_unix! { mod pipe; pub fn open() -> u32 { 1 } }
}
cfg_if::cfg_if! {
    if #[cfg(unix)] { mod unix; use self::unix as here; } else { mod other; use self::other as here; }
}
impl Port {
    cfg_io! { pub fn close(&self) {} }
}
lazy_static! { static ref TABLE: Vec<u8> = vec![]; }
fn main() { check! { let x = 1; fn inner() {} } }
"""


def test_macros_that_only_wrap_items_hide_none_of_them() -> None:
    found = parse("src/lib.rs", WRAPPED).outline
    modules = [one.specifier for one in found.imports if one.specifier.startswith("mod ")]
    assert modules == ["mod tcp", "mod pipe", "mod unix", "mod other"]
    assert [(s.parent, s.name) for s in found.symbols] == [
        ("", "open"),
        ("Port", "close"),
        ("", "TABLE"),
        ("", "main"),
    ]
    for symbol in found.symbols:
        assert symbol.name in WRAPPED[symbol.start : symbol.end]


@pytest.mark.parametrize("macro", ["x! { ", "x! {", "x! { fn", "x! { mod a; } }", "x!{}"])
def test_half_written_macros_do_no_harm(macro: str) -> None:
    found = parse("src/lib.rs", "pub fn before() {}\n" + macro).outline
    assert "before" in [s.name for s in found.symbols]


def test_a_module_declared_once_per_condition_leads_to_each_of_its_files() -> None:
    text = (
        '#[cfg(off)]\n#[path = "off.rs"]\nmod inner;\n#[cfg(on)]\n#[path = "on.rs"]\nmod inner;\n'
    )
    files = {
        "src/lib.rs": text,
        "src/off.rs": "",
        "src/on.rs": "",
        "Cargo.toml": "[package]\nname='a'",
    }
    imports = parse("src/lib.rs", text).outline.imports
    resolver = RustResolver(files.keys(), files.__getitem__)
    found = resolver.resolve("src/lib.rs", imports)
    assert [one.target for one in found] == ["src/off.rs", "src/on.rs"]
