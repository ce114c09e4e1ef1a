"""A call finds its method whatever gave its receiver: a choice, a match, a loop, a pattern, a context, a handler."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd_code.calls.call_graph import CallGraph
from support.code_repos import call_graph_of

RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub struct Lid { pub size: Size }
pub struct Size;
pub struct Rack;
pub struct Lids { at: u8 }
impl Lid { pub fn lift(&self) {} pub fn new() -> Lid { Lid { size: Size } } }
impl Size { pub fn width(&self) {} }
impl Rack { pub fn lift(&self) {} }
impl Iterator for Lids { type Item = Lid; fn next(&mut self) -> Option<Lid> { None } }
impl Lids { pub fn new() -> Lids { Lids { at: 0 } } }
pub fn chosen(b: bool) { let x = if b { Lid::new() } else { panic!() }; x.lift(); }
pub fn nested(b: bool) { let x = if b { Lid::new() } else if !b { Lid::new() } else { panic!() }; x.lift(); }
pub fn plain(b: bool, y: u8) { let x = if b { y } else { Lid::new() }; x.lift(); }
pub fn matched(n: u8) { let x = match n { 1 => Lid::new(), _ => { let z = 1; Lid::new() } }; x.lift(); }
pub fn taken(lid: Lid) { let Lid { size } = lid; size.width(); }
pub fn renamed(lid: Lid) { let Lid { size: other } = lid; other.width(); }
pub fn walked(all: Vec<Lid>) { for one in all { one.lift(); } }
pub fn listed(all: &[Lid]) { for one in all.iter() { one.lift(); } }
pub fn stepped() { for one in Lids::new() { one.lift(); } }
pub enum Kind { Both(Rack, Lid) }
pub fn pairs() { let (_, one) = (1, Lid::new()); one.lift(); }
pub fn second(kind: Kind) { match kind { Kind::Both(_, one) => one.lift() } }
pub fn first(all: [Lid; 2]) { let [one, ..] = all; one.lift(); }
pub fn other(rack: Rack) { rack.lift(); }
""",
}
PYTHON = {
    "pyproject.toml": "",
    "shop.py": """from contextlib import contextmanager
class Lid:
    def lift(self): return 1
class Rack:
    def lift(self): return 2
class Shelf:
    def __enter__(self) -> Lid: return Lid()
    def __exit__(self, *rest): ...
class Plain:
    def lift(self): ...
class Later:
    async def __aenter__(self): return Lid()
@contextmanager
def opened():
    yield Lid()
def entered():
    with Shelf() as lid: lid.lift()
def itself():
    with Plain() as lid: lid.lift()
async def later():
    async with Later() as lid: lid.lift()
def yielded():
    with opened() as lid: lid.lift()
def typed(all: list[Lid], pairs: dict[str, Lid]):
    for one in all: one.lift()
    for _, two in pairs.items(): two.lift()
def chosen(b):
    x = Lid() if b else Rack()
    x.lift()
def either(b):
    x = b or Rack()
    x.lift()
def unknown(x):
    x.lift()
""",
}
JAVA = {
    "Lid.java": "class Lid { int lift() { return 1; } static Lid made() { return new Lid(); } }\n",
    "Rack.java": "class Rack { int lift() { return 2; } }\n",
    "Use.java": """import java.util.*;
import java.util.function.*;
class Use {
  record Pair(Lid lid, Rack rack) { int both() { return lid.lift(); } }
  Supplier<Lid> handed() { return Lid::made; }
  void chosen(boolean b, Lid l, Rack r) { var x = b ? l : null; x.lift(); }
  void walked(List<Lid> all) { for (Lid one : all) { one.lift(); } }
  void caught() { try { } catch (Broken e) { e.show(); } }
  static class Broken extends RuntimeException { void show() { } }
}
""",
}
PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Lid.php": "<?php\nnamespace Shop;\nclass Lid { public function lift() {} public static function made(): self { return new self(); } }\n",
    "src/Broken.php": "<?php\nnamespace Shop;\nclass Broken extends \\Exception { public function show() {} }\n",
    "src/functions.php": "<?php\nnamespace Shop;\nfunction strange() {}\n",
    "other/functions.php": "<?php\nnamespace Other;\nfunction strange() {}\n",
    "src/Use.php": """<?php
namespace Shop;
enum Suit { case Hearts; public function colour() {} }
class UseAll {
    public static Lid $kept;
    public function chosen(bool $b) { $x = $b ? new Lid() : null; $x->lift(); }
    public function short($b) { $x = $b ?: new Lid(); $x->lift(); }
    public function coalesced(?Lid $l) { $x = $l ?? new Lid(); $x->lift(); }
    public function matched($n) { $x = match ($n) { 1 => new Lid(), default => throw new Broken() }; $x->lift(); }
    public function apart() { [$a] = [new Lid()]; $a->lift(); }
    public function walked() { foreach ([new Lid()] as $k => $one) { $one->lift(); } }
    public function caught() { try { } catch (Broken $e) { $e->show(); } }
    public function constant() { Suit::Hearts->colour(); }
    public function fixed() { self::$kept->lift(); }
    public function bare() { lift(); strange(); }
    public function named() { $x = new Lid(); $x->lift(); $x = null; }
}
""",
}
CSHARP = {
    "Lid.cs": "namespace Shop { public class Lid { public int Lift() { return 1; } public static Lid Made() { return new Lid(); } } }\n",
    "Use.cs": """namespace Shop {
  public class Broken : System.Exception { public void Show() { } }
  public class UseAll {
    void Chosen(bool b) { var x = b ? new Lid() : null; x.Lift(); }
    void Coalesced(Lid l) { var x = l ?? throw new Broken(); x.Lift(); }
    void Filled(Lid l) { var x = l ?? new Lid(); x.Lift(); }
    void Switched(int n) { var x = n switch { 1 => new Lid(), _ => throw new Broken() }; x.Lift(); }
    void Walked(System.Collections.Generic.List<Lid> all) { foreach (var one in all) { one.Lift(); } }
    void Caught() { try { } catch (Broken e) { e.Show(); } }
    void Pattern(object o) { if (o is Lid lid) { lid.Lift(); } }
  }
}
""",
}
GO = {
    "go.mod": "module m\n",
    "shop.go": """package shop
type Lid struct{}
type Rack struct{}
func (l *Lid) Lift() {}
func (r *Rack) Lift() {}
func one() *Lid { return &Lid{} }
func two() (*Lid, error) { return nil, nil }
func named() (lid *Lid, rack *Rack) { return }
func same() (a, b *Lid) { return }
func Single() { one().Lift() }
func First() { l, err := two(); l.Lift(); _ = err }
func Second() { _, r := named(); r.Lift() }
func Both() { a, b := same(); a.Lift(); b.Lift() }
func Walked(all []*Lid) { for _, l := range all { l.Lift() } }
func Keyed(all map[string]*Rack) { for k, r := range all { r.Lift(); _ = k } }
func Asserted(x any) { l := x.(*Lid); l.Lift() }
""",
}


def same(names: str, *called: str) -> dict[str, set[str]]:
    """The same callees for each of these callers."""
    return {name: set(called) for name in names.split()}


ROWS: list[tuple[dict[str, str], str, dict[str, set[str]]]] = [
    (
        RUST,
        "src/lib.rs",
        {
            **same("chosen nested matched plain", "Lid.new", "Lid.lift"),
            **same("taken renamed", "Size.width"),
            **same("walked listed second first", "Lid.lift"),
            "pairs": {"Lid.new", "Lid.lift"},
            "stepped": {"Lids.new", "Lid.lift"},
            "other": {"Rack.lift"},
        },
    ),
    (
        PYTHON,
        "shop.py",
        {
            "entered": {"Shelf", "Lid.lift"},
            "itself": {"Plain", "Plain.lift"},
            "later": {"Later", "Lid.lift"},
            "yielded": {"opened", "Lid.lift"},
            "typed": {"Lid.lift"},
            "chosen": {"Lid", "Rack"},
            "either": {"Rack"},
            "unknown": set(),
        },
    ),
    (
        JAVA,
        "Use.java",
        {
            "both": {"Lid.lift"},
            "handed": set(),
            **same("chosen walked", "Lid.lift"),
            "caught": {"Use.Broken.show"},
        },
    ),
    (
        PHP,
        "src/Use.php",
        {
            **same("chosen coalesced apart walked named", "Lid", "Lid.lift"),
            "matched": {"Lid", "Broken", "Lid.lift"},
            # What is no constant may be anything.
            "short": {"Lid"},
            "caught": {"Broken.show"},
            "constant": {"Suit.colour"},
            "fixed": {"Lid.lift"},
            # A method is no function of its namespace.
            "bare": {"strange"},
        },
    ),
    (
        CSHARP,
        "Use.cs",
        {
            **same("Chosen Filled", "Lid", "Lid.Lift"),
            "Coalesced": {"Broken", "Lid.Lift"},
            "Switched": {"Lid", "Broken", "Lid.Lift"},
            **same("Walked Pattern", "Lid.Lift"),
            "Caught": {"Broken.Show"},
        },
    ),
    (
        GO,
        "shop.go",
        {
            "Single": {"one", "Lid.Lift"},
            "First": {"two", "Lid.Lift"},
            "Second": {"named", "Rack.Lift"},
            "Both": {"same", "Lid.Lift"},
            "Walked": {"Lid.Lift"},
            "Keyed": {"Rack.Lift"},
            "Asserted": {"Lid.Lift"},
        },
    ),
]


def callees(calls: CallGraph, path: str, name: str) -> set[str]:
    [one] = [each for each in calls.graph.by_name[name] if each.path == path]
    return {e.target.qualified for e in calls.callees(one) if e.certain and e.kind == "call"}


@pytest.mark.parametrize(("files", "path", "expected"), ROWS, ids=[path for _, path, _ in ROWS])
def test_calls_are_certain_through(
    files: dict[str, str], path: str, expected: dict[str, set[str]], tmp_path: Path
) -> None:
    calls = call_graph_of(tmp_path, files)
    found = {name: callees(calls, path, name) for name in expected}
    assert found == expected
