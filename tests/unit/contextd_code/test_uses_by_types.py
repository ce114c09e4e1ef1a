"""Members of TypeScript through inferred types: each line marked `uses NAME` is certain, and no other line is."""

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

SHOP = """export class Shelf<T> {
  where(x: string): this { return this }
  plain() { return this }
  one(): T { return null! }
  many(): T[] { return [] }
  async later(): Promise<T | null> { return null }
}
export class Book { save(): void {} pages: Page[] = []; owner?: Page }
export class Page { drop(): void {} }
export class Shop extends Shelf<Book> { open(): void {} }
export class Store<E extends Book = Book> { find(): E { return null! } all(): Map<string, E> { return new Map() } }
export function isBook(x: unknown): x is Book { return x instanceof Book }
export class Other { open(): void {} save(): void {} drop(): void {} }
"""

CASES = {
    "fluent methods return the receiver": """
      function f(s: Shop) { s.where("x").open() // uses Shop.open
        s.plain().where("y").open() // uses Shop.open
      }""",
    "a class hands types to the class it extends": """
      async function f(s: Shop) {
        s.one().save() // uses Book.save
        s.many()[0].save() // uses Book.save
        s.many().filter(b => b.pages).forEach(b => b.save()) // uses Book.save
        const b = await s.later()
        b?.owner?.drop() // uses Page.drop
        s.later().then(b => b!.save()) // uses Book.save
      }""",
    "new says the types of what it makes": """
      class Local { m = new Map<string, Shop>(); store = new Store<Book>()
        go(k: string) { this.m.get(k)!.open() // uses Shop.open
          this.store.find().save() // uses Book.save
          for (const x of this.m.values()) x.open() // uses Shop.open
        } }""",
    "maps and records give pairs and values": """
      function f(store: Store<Book>, items: Record<string, Shop>, m: Map<string, Shop>) {
        for (const [k, v] of store.all()) v.save() // uses Book.save
        for (const [, x] of Object.entries(items)) x.open() // uses Shop.open
        Object.values(items).forEach(x => x.open()) // uses Shop.open
        m.forEach((x, k) => x.open()) // uses Shop.open
      }""",
    "patterns take elements out of tuples and lists": """
      function pair(): [Book, Shop] { return null! }
      function f(list: Shop[]) {
        const [b, s] = pair()
        b.save() // uses Book.save
        s.open() // uses Shop.open
        const [first] = list
        first.open() // uses Shop.open
        list.sort((l, r) => { r.open(); return 0 }) // uses Shop.open
        ;[...list].map(x => x.open()) // uses Shop.open
      }""",
    "conditions narrow what is not known": """
      function f(x: unknown, y: Other | Shop) {
        if (x instanceof Shop) { x.open() } // uses Shop.open
        if (x instanceof Shop && x.open()) {} // uses Shop.open
        if (isBook(x)) x.save() // uses Book.save
        if (y instanceof Shop) y.open() // uses Shop.open
        x.open(); x.save()
      }""",
    "typeof and InstanceType name the class": """
      function f(make: typeof Shop, i: InstanceType<typeof Shop>) {
        new make().open() // uses Shop.open
        i.open() // uses Shop.open
      }""",
    "objects and their types say what their properties are": """
      const made = { shop: new Shop(), deep: { book: new Book() } }
      class Local { options = { shop: new Shop() }
        run() { this.options.shop.open() } } // uses Shop.open
      interface Nested { inner: { book: Book }; book: Other }
      function f(opts: { shop: Shop; list?: Book[] }, n: Nested) {
        made.shop.open() // uses Shop.open
        made.deep.book.save() // uses Book.save
        opts.shop.open() // uses Shop.open
        opts.list?.forEach(b => b.save()) // uses Book.save
        n.inner.book.save() // uses Book.save
        n.book.save() // uses Other.save
      }""",
    "a variable is what it is set to later": """
      let late
      late = new Shop()
      late.open() // uses Shop.open
      """,
    "a type parameter of a function hides that of the class": """
      class Mine<T extends Shop> { own(): T { return null! } other<T>(x: T): T { return x } }
      function f(m: Mine<Shop>, o: Other) {
        m.own().open() // uses Shop.open
        m.other(o).open()
      }""",
}


@pytest.mark.parametrize("title", CASES)
def test_types_lead_to_the_marked_members_and_no_others(tmp_path: Path, title: str) -> None:
    names = "Shelf Shop Book Page Store isBook Other".split()
    files = {
        "package.json": '{"name": "app"}',
        "src/shop.ts": SHOP,
        "src/use.ts": f'import {{ {", ".join(names)} }} from "./shop"\n{CASES[title]}\n',
    }
    for path, text in files.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    for name in ("Shop.open", "Book.save", "Page.drop", "Other.open"):
        [one] = [each for each in graph.definitions if each.qualified == name]
        found = uses(calls, Sources(tmp_path, model.index), one)
        assert {(use.path, use.line) for use in found if use.certain} == marked(files, name), name
