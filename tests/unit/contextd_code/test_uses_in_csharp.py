"""Types and members of C# through attributes, indexers, type arguments and lambdas: each line marked `uses NAME` is
certain, and no other line is.
"""

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

SHOP = """namespace Shop;

public class Book {
    public string Title { get; set; }
    public Page Cover { get; set; }
}
public class Page {
    public string Title { get; set; }
}
public class Shelf {
    public Book this[int at] => null;
}
public class Store : System.Collections.Generic.List<Book> { }
public class ShelfAttribute : System.Attribute {
    public int Floor { get; set; }
}
public class Options {
    public string Name { get; set; }
    public void Add<T>() { }
    public void Add<T, V>() { }
}
public class Reader {
    public System.Collections.Generic.IEnumerable<T> Read<T>() => null;
    public T One<T>() => default;
}
public abstract class Plan<TItem> {
    public void Map<TMember>(System.Linq.Expressions.Expression<System.Func<TItem, TMember>> chosen) { }
}
public static class Services {
    public static void AddShop(this System.IServiceProvider services, System.Action<Options> set) { }
    public static void AddShop(this System.IServiceProvider services, Options options) { }
}
"""
HEAD = "using System.Linq;\nusing System.Collections.Generic;\nusing Shop;\n\nnamespace Tests;\n\n"

CASES = {
    "an attribute is named without its ending": """
[Shelf(Floor = 2)] // uses ShelfAttribute
class Marked {
    [ShelfAttribute] public int Whole; // uses ShelfAttribute
    public Shelf Plain;
}""",
    "a nested type is named by the class around it": """
class Around {
    void F(Reader reader) {
        reader.Read<Inner>(); // uses Around.Inner
        var some = new List<Inner>(); // uses Around.Inner
        object x = (Inner) reader.One<Inner>(); // uses Around.Inner
    }
    class Inner { }
}
class Beside {
    void F(Reader reader) { reader.Read<Inner>(); }
    class Inner { }
}""",
    "an indexer and an enumeration give elements": """
class Walk {
    void F(Shelf shelf, Store store) {
        var title = shelf[0].Title; // uses Book.Title
        title = shelf[0].Cover.Title; // uses Page.Title
        foreach (var one in store) { title = one.Title; } // uses Book.Title
        title = store.First(each => each.Title != "").Cover.Title; // uses Book.Title, Page.Title
    }
}""",
    "a call's type argument is the type of what it returns": """
class Asking {
    void F(Reader reader, List<object> some) {
        var books = reader.Read<Book>().ToList();
        var title = books[0].Title; // uses Book.Title
        title = reader.One<Page>().Title; // uses Page.Title
        foreach (var one in some.OfType<Book>()) { title = one.Title; } // uses Book.Title
        title = reader.One<string>().Title;
    }
}""",
    "a lambda gets what the generic base class is given": """
class Titles : Plan<Book> {
    public Titles() { Map(m => m.Title); } // uses Book.Title
}
class Pages : Plan<Page> {
    public Pages() { Map(m => m.Title); } // uses Page.Title
}""",
    "a lambda gets what the overload of an extension takes": """
class Start {
    void F(System.IServiceProvider services) {
        services.AddShop(set => { set.Name = "x"; }); // uses Options.Name
    }
}""",
}


SPACES = {
    "Shop/Tags.cs": """namespace Shop.Tags {
    [Named("Label")]
    public class Label {
        public static int Count(int number) => number;
        void Run() {
            Walk(Step); // uses Label.Step
            System.Action<int> step = Step; // uses Label.Step
            var name = nameof(Step); // uses Label.Step
        }
        void Step(int number) { }
        void Walk(System.Action<int> step) { step(1); }
    }
    public class Box<T> { }
}
""",
    "Shop/Use.cs": """namespace Shop {
    class Use {
        Tags.Label label = new Tags.Label(); // uses Label
        Shop.Tags.Box<int> box; // uses Box
        int count = Shop.Tags.Label.Count(2); // uses Label
        Other.Tags.Label theirs;
        System.Label.Part part;
    }
}
""",
    "Shop/Outcome.cs": """namespace Shop {
    public partial class Outcome { }
    class Pair { static Pair Make() => new Pair(); } // uses Pair
    class Pair<T> { static Pair<T> Make() => new Pair<T>(); }
    class Address { }
}
""",
    "Shop/Outcome.Of.cs": "namespace Shop { public class Outcome<T> { } }",
    "Shop/Outcomes.cs": """namespace Shop {
    class Customer {
        Address Address { get; } // uses Address
        Outcome Run() { return null; } // uses Outcome
        Outcome<int> Count() { return null; }
        Customer(Address given) { // uses Address
            Address = given;
            Keep(Address);
        }
        void Keep(Address kept) { } // uses Address
    }
}
""",
    "Other/Tags.cs": "namespace Other.Tags { public class Label { } }",
    # A type inside of another one is no type of the namespace.
    "Shop/Nested.cs": "namespace Shop.Tags { class Around { public class Label { } } }",
}


@pytest.mark.parametrize("name", ["Label", "Box", "Label.Step", "Outcome", "Address", "Pair"])
def test_a_namespace_before_a_type_decides_and_methods_are_named_without_a_call(
    tmp_path: Path, name: str
) -> None:
    for path, text in SPACES.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    places = {("Shop/Tags.cs", name), ("Shop/Outcome.cs", name)}
    one = next(e for e in graph.definitions if (e.path, e.qualified) in places)
    found = uses(calls, Sources(tmp_path, model.index), one)
    assert {(use.path, use.line) for use in found if use.certain} == marked(SPACES, name)


@pytest.mark.parametrize("title", CASES)
def test_types_lead_to_the_marked_types_and_members_and_no_others(
    tmp_path: Path, title: str
) -> None:
    files = {"Shop/Shop.cs": SHOP, "Tests/Use.cs": HEAD + CASES[title]}
    for path, text in files.items():
        write(tmp_path, path, text)
    model = CodeModel()
    scanned(tmp_path, model)
    graph = build_graph(model.index.all())
    calls = CallGraph(graph, CodeFacts(tmp_path, graph))
    asked = {"Book.Title", "Page.Title", "ShelfAttribute", "Options.Name"}
    asked |= {"Around.Inner"} if "Around" in CASES[title] else set()
    named = 0
    for name in asked:
        [one] = [each for each in graph.definitions if each.qualified == name]
        found = uses(calls, Sources(tmp_path, model.index), one)
        wanted = marked(files, name)
        assert {(use.path, use.line) for use in found if use.certain} == wanted, name
        named += len(wanted)
    assert named
