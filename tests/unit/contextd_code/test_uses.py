"""Where a definition is used: each line marked `uses NAME` is certain, and no other line is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.uses import uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import build_graph
from support.code_repos import CodeModel, scanned, write

GO = {
    "go.mod": "module example.com/m/v2\n",
    "a.go": """package m

type Thing struct{ Inner }
type Inner struct{}

func (i Inner) Open() {}
func NewThing() Thing { return Thing{} } // uses Thing
func other() { var NewThing = 1; _ = NewThing }
func (t Thing) Close() {} // uses Thing
func free(t Thing) { t.Close(); defer t.Inner.Open() } // uses Thing, Thing.Close, Inner.Open
""",
    "sub/b.go": """package sub

import "example.com/m/v2"

func B() { m.NewThing().Close() } // uses NewThing, Thing.Close
func handed() func() m.Thing { return m.NewThing } // uses NewThing, Thing
""",
    "alias/c.go": """package alias

import root "example.com/m/v2"

type Thing struct{}

var _ = root.NewThing() // uses NewThing
func mine() Thing { return Thing{} }
""",
    "dotted/d.go": """package dotted

import . "example.com/m/v2"

var _ = NewThing() // uses NewThing

func d(t *Thing) { t.Close() } // uses Thing, Thing.Close
""",
    "a_test.go": """package m

func TestThing() { NewThing() } // uses NewThing
""",
    "yaml.v3/y.go": "package yaml\n\nfunc Marshal() {}\n",
    "go-tools/t.go": "package tools\n\nfunc Run() {}\n",
    "named.go": """package m

import (
	"example.com/m/v2/go-tools"
	"example.com/m/v2/yaml.v3"
)

func use() { yaml.Marshal(); tools.Run() } // uses Marshal, Run
""",
}

GO_BLOCKS = {
    "go.mod": "module example.com/m\n",
    "set.go": """package m

type Set struct{}
type Other struct{}

func (s *Set) Get() int { return 1 }
func (o *Other) Get() int { return 2 }
func v(i int) int { return i }
func Debug() {}

type Level int

const Top = 1

type Opt struct {
	Debug bool
	Level Level // uses Level
	run   func()
}

func opts() []Opt {
	m := map[int]Opt{
		Top: {Debug: true}, // uses Top
		2:   {run: Debug}, // uses Debug
	}
	return []Opt{{Debug: true}, {Level: 1}, m[0]}
}
""",
    "named/named.go": """package named

import (
	own "example.com/m"
	"example.org/other/m"
)

var size own.Level = 1 // uses Level
var other m.Level = 2
""",
    "set_test.go": """package m

func TestBlocks(t *testing.T, s *Set) {
	tests := []struct {
		v    int
		name string
	}{{v(1), "a"}, {v: v(2)}} // uses v
	for _, v := range tests {
		print(v)
	}
	if w := v(3); w > 0 { // uses v
		print(w)
	}
	print(v(4)) // uses v
	if s := s; s != nil {
		s.Get() // uses Set.Get
	}
	for _, s := range []*Other{} {
		s.Get() // uses Other.Get
	}
	{
		s := &Other{}
		s.Get() // uses Other.Get
	}
	s.Get() // uses Set.Get
}

func cases(x any) {
	switch x := x.(type) {
	case *Set:
		x.Get() // uses Set.Get
	case *Other, int:
		x.Get()
	default:
		x.Get()
	}
}

type F func(v int)

func after() int { return v(5) } // uses v
""",
}

PYTHON = {
    "agent.py": """from dataclasses import dataclass

class Base:
    def request(self): return self.prepare()  # uses Base.prepare
    def prepare(self): return 1

class Agent(Base):
    timeout = 3
    def urljoin(self, a): return a
    def request(self):
        super().request()  # uses Base.request
        return self.urljoin("x")  # uses Agent.urljoin
    @property
    def size(self): return 1

@dataclass
class Pool:
    agent: Agent  # uses Agent
    def first(self): return self.agent.size  # uses Agent.size

def made() -> Agent: return Agent()  # uses Agent
""",
    "use.py": """from urllib.parse import urljoin
import agent as module
from agent import Agent, Pool, made  # uses Agent, Pool, made

def run(request, session):
    log(request)
    print(request)
    session.request()
    urljoin("a", "b")
    made().urljoin("b")  # uses Agent.urljoin, made
    Agent().request()  # uses Agent, Agent.request
    module.made().request()  # uses Agent.request, made

def typed(agent: Agent, pool: Pool):  # uses Agent, Pool
    handler = agent.urljoin  # uses Agent.urljoin
    return [agent.request, pool.agent.size], handler  # uses Agent.request, Agent.size

def local():
    made = 1
    return made

@made  # uses made
def decorated(): return Agent.urljoin  # uses Agent, Agent.urljoin
""",
}

TYPESCRIPT = {
    "package.json": '{"name": "app"}',
    "src/cart.tsx": """export interface Priced { price(): number; }
export class Cart implements Priced { // uses Priced
  price() { return this.round(1); } // uses Cart.round
  private round(n: number) { return n; }
  get total() { return 1; }
}
export default function Button(props: { cart: Cart }) { return null; } // uses Cart
export const LIMIT = 3;
let current = 1;
export function raise() { current = 2; return current; } // uses current
""",
    "src/index.ts": """export { Cart as Basket, LIMIT } from "./cart"; // uses Cart, LIMIT
export * from "./cart";
""",
    "src/app.tsx": """import Press, { type Priced } from "./cart"; // uses Button, Priced
import { Basket, LIMIT } from "."; // uses Cart, LIMIT

type Props = { cart: Basket; limit: number }; // uses Cart
export const View = ({ cart, limit }: Props) => { // uses Props
  const read = cart.price; // uses Cart.price
  cart.price(); // uses Cart.price
  return <Press cart={cart} limit={LIMIT + cart.total} />; // uses Button, LIMIT, Cart.total
};
export function Counter() {
  const add = () => 1;
  return <b onClick={add}>{add()}</b>; // uses Counter.add
}
export function Other(add: number) { return add; }
function shadowed(LIMIT: number) { return LIMIT; }
const other = { price: 1 };
other.price;
""",
}

AMBIENT = {
    "package.json": '{"name": "app"}',
    "env.d.ts": "declare const BUILD: string;\ninterface Plugin { name: string; list: string }\n",
    "setup.ts": """import "x";
declare global { interface Session { user: string } }
type Mine = Session; // uses Session
""",
    "a.ts": """import { y } from "y";
export const build = BUILD + "."; // uses BUILD
export function f(s: Session, BUILD: number) { return BUILD; } // uses Session
export const o = { BUILD: 1, p: y.BUILD };
export let list: Plugin[]; // uses Plugin
""",
    "b.ts": """import { Session } from "elsewhere";
export class Plugin {}
export let s: Session, p: Plugin;
""",
}

LOCALS = {
    "package.json": '{"name": "app"}',
    "c.tsx": """export const Page = memo(() => {
  const add = () => 1;
  const run = () => 2;
  use({ run }); // uses Page.run
  return <Button onClick={add} />; // uses Page.add
});
test("a", () => { const input = undefined; use(input); });
test("b", () => { const input = () => "x";
  use(input); // uses input
});
test("c", () => { let input = null; use(input); });
test("d", () => {
  const inner = 1;
  use(inner);
  it("e", () => { function inner() { return 1; }
    inner(); // uses inner
  }); use(inner);
});
test("f", () => { try { go(); } catch (input) { use(input); } });
if (open) { const far = 1; use(far); }
const far = () => 2;
use(far); // uses far
""",
}

ASKED = {
    "go": (GO, ["NewThing", "Thing", "Thing.Close", "Inner.Open", "Marshal", "Run"]),
    "blocks of go": (GO_BLOCKS, ["Set.Get", "Other.Get", "v", "Debug", "Level", "Top"]),
    "python": (
        PYTHON,
        """Agent Agent.request Agent.urljoin Agent.size Base.request Base.prepare Pool
        made""".split(),
    ),
    "typescript": (
        TYPESCRIPT,
        "Cart Cart.price Cart.round Cart.total Button LIMIT Priced Props current Counter.add".split(),
    ),
    "names of the whole program": (AMBIENT, ["BUILD", "Session"]),
    "names inside of functions": (LOCALS, ["Page.add", "Page.run", "input", "inner", "far"]),
}


def marked(files: Mapping[str, str], name: str) -> set[tuple[str, int]]:
    """The lines that say they use a name."""
    found: set[tuple[str, int]] = set()
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            mark = re.search(r"(?://|#) uses (.*)$", line)
            if mark is not None and name in mark[1].split(", "):
                found.add((path, number))
    return found


@pytest.mark.parametrize(
    ("files", "name"), [(files, name) for files, names in ASKED.values() for name in names]
)
def test_the_certain_uses_are_the_marked_lines_and_no_others(
    tmp_path: Path, files: Mapping[str, str], name: str
) -> None:
    for path, text in files.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    [one] = [
        each
        for each in calls.graph.by_name[name.rpartition(".")[2]]
        if each.qualified == name and each.path.rpartition("/")[0] != "alias"
    ]
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(files, name)
