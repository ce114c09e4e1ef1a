from __future__ import annotations

import pytest

from support.code_repos import call_graph_of

PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/helpers.php": "<?php\nnamespace Shop;\nfunction priced(int $n): int { return $n; }\n",
    "lib/helpers.php": "<?php\nnamespace Other;\nfunction priced(int $n): int { return $n; }\n",
    "src/Shelf.php": """<?php
namespace Shop;
abstract class Shelf {
    public function __construct(protected ?Label $label = null) {}
    public function named(string $text): static { return $this; }
    abstract public function put(int $n): self;
    public function lift(): int { return 1; }
}
""",
    "src/Label.php": """<?php
namespace Shop;
class Label { public function show(): string { return ''; } public static function made(): self { return new self(); } }
""",
    "src/Counts.php": """<?php
namespace Shop;
trait Counts { public function lift(): int { return 2; } }
""",
    "src/Store.php": """<?php
namespace Shop;
class Store extends Shelf {
    use Counts;
    /** @var Label[] */
    private array $labels = [];
    public function put(int $n): self { return $this; }
    public function open(): ?Store { return new static(); }
    public function up(): void { parent::lift(); }
    public function counted(): void { $this->lift(); }
    public function promoted(): void { $this->label->show(); }
    public function walked(): void { foreach ($this->labels as $one) { $one->show(); } }
}
""",
    "src/Cart.php": """<?php
namespace App;
use Shop\\{Store as Shop, Label};
use function Shop\\priced;
class Cart {
    private $shop;
    public function __construct(Shop $shop) { $this->shop = $shop; }
    public function field(): void { $this->shop->put(1); }
    public function chained(): void { $this->shop->named('x')->open()?->put(2); }
    public function made(): void { (new Shop())->put(1); }
    public function fixed(): void { Label::made()->show(); }
    public function found($x): void { if ($x instanceof Label && $x->show()) { $x->show(); } }
    public function unknown($x): void { $x->put(1); }
    /** @param Label $x */
    public function told($x): void { $x->show(); }
    public function worth(): int { return priced(1); }
    public function own(): object { return new class extends Label { function it() { $this->show(); } }; }
    public function closed(Shop $s): void { array_map(fn (Label $l) => $l->show(), []); }
    public function either(bool $b, Shop $s, Label $l): void { $x = $b ? $s : $l; $x->show(); }
}
""",
    "src/Strange.php": """<?php
namespace App;
class Strange { public function put(int $n): void {} }
""",
}
CSHARP = {
    "a/Shelf.cs": """namespace Shop {
  public abstract class Shelf {
    protected Shelf(int size) { }
    public virtual int Put(int n) => n;
    public int Put(int n, int m = 0, params int[] rest) => n;
    public int Lift() { return 1; }
  }
  public interface IOpen { Store Open(); }
}
""",
    "a/Store.cs": """namespace Shop {
  public partial class Store : Shelf, IOpen {
    public Store(string name) : base(1) { }
    public Store() : this("x") { }
    public Label Label { get; set; }
    public static Store Made { get; } = new Store();
    public override int Put(int n) => base.Put(n);
    public Store Open() => this;
    public int Took() => 1;
    public enum Size { Small }
  }
}
""",
    "a/Store.Parts.cs": """namespace Shop {
  public partial class Store { public int Apart() { return Lift(); } public T Took<T>() => default; }
  public class Box { public int Plain() => 1; }
}
""",
    "a/BoxOf.cs": "namespace Shop { public class Box<T> { public T Held; public int Filled() => 1; } }\n",
    "a/Shelving.cs": """namespace Shop {
  public class Shelving { public Shelving(int n) { } public Shelving(System.Action<Label> how) { } }
}
""",
    "a/Label.cs": """namespace Shop {
  public class Label { public string Show() => ""; }
  public static class Labels {
    public static Label Bold(this Label label, int by) => label;
    public static string Loud(this string text) => text;
    public static string Loud<T>(this T text) => "";
    public static void With(this Store store, System.Action<Label> how) { }
  }
}
""",
    "b/Cart.cs": """using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Shop;
namespace App;
public class Cart {
  private readonly Store _store = new Store();
  void Field() { _store.Put(1); }
  void Inherited(Store s) { s.Put(1, 2, 3, 4); }
  void Property(Store s) { s.Label.Show(); }
  void Fixed() { Store.Made.Open().Apart(); }
  void Asked(Store s) { s?.Open()?.Lift(); }
  void Pattern(object o) { if (o is Label l && l.Show() != "") { l.Show(); } }
  void Stream(List<Label> all) { all.Where(x => x.Show() != "").ToList().ForEach(y => y.Show()); }
  void Extended(Label l) { l.Bold(1).Show(); }
  void Loudly(string s) { s.Loud(); }
  void Outside() { Texts.Loud(); Texts.Loud<int>(); }
  void Handed(Store s) { s.With(x => x.Show()); }
  void Built() { new Shelving(x => x.Show()); }
  void Filled(Box<Label> b) { b.Held.Show(); b.Filled(); }
  void Plain(Box b) { b.Plain(); }
  async Task<Label> Later() { return null; }
  async Task Awaited() { (await Later()).Show(); }
  void Typed(Store s) { s.Took<Label>(); }
  void Local() { int Inner(Label l) { return 1; } Inner(null); }
  void Unknown(dynamic d) { d.Put(1); }
  void Wrong(Store s) { s.Put("a", "b", new Label()); }
  void Many(Label l) { l.Show(1, 2, 3); }
  Label Show() { return new Label(); }
}
""",
}


def callees(root, files, path, name):
    calls = call_graph_of(root, files)
    one = next(each for each in calls.graph.by_name[name] if each.path == path)
    return {
        edge.target.qualified for edge in calls.callees(one) if edge.certain and edge.kind == "call"
    }


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("src/Cart.php", "field", {"Store.put"}),
        ("src/Cart.php", "chained", {"Shelf.named", "Store.open", "Store.put"}),
        ("src/Cart.php", "made", {"Store", "Shelf.__construct", "Store.put"}),
        ("src/Cart.php", "fixed", {"Label.made", "Label.show"}),
        ("src/Cart.php", "found", {"Label.show"}),
        ("src/Cart.php", "unknown", set()),
        ("src/Cart.php", "told", {"Label.show"}),
        ("src/Cart.php", "worth", {"priced"}),
        ("src/Cart.php", "closed", {"Label.show"}),
        ("src/Cart.php", "either", set()),
        ("src/Store.php", "up", {"Shelf.lift"}),
        ("src/Store.php", "counted", {"Counts.lift"}),
        ("src/Store.php", "promoted", {"Label.show"}),
        ("src/Store.php", "walked", {"Label.show"}),
    ],
)
def test_php_knows_fields_traits_parents_imports_and_what_comments_tell(
    tmp_path, path, name, expected
):
    assert callees(tmp_path, PHP, path, name) == expected


def test_php_knows_what_an_anonymous_class_inherits(tmp_path):
    assert "Label.show" in callees(tmp_path, PHP, "src/Cart.php", "own")


def test_a_function_of_php_is_the_one_of_the_namespace_that_is_named(tmp_path):
    calls = call_graph_of(tmp_path, PHP)
    ours, others = sorted(calls.graph.by_name["priced"], key=lambda one: one.path, reverse=True)
    assert [edge.caller.qualified for edge in calls.callers(ours)] == ["Cart.worth"]
    assert calls.callers(others) == ()


def test_a_method_of_php_whose_receiver_is_not_known_is_uncertain_for_all_of_its_name(tmp_path):
    calls = call_graph_of(tmp_path, PHP)
    put = next(one for one in calls.graph.by_name["put"] if one.path == "src/Store.php")
    callers = {edge.caller.qualified: edge.certain for edge in calls.callers(put)}
    assert callers == {"Cart.field": True, "Cart.chained": True, "Cart.made": True}


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("b/Cart.cs", "Field", {"Store.Put"}),
        ("b/Cart.cs", "Inherited", {"Shelf.Put"}),
        ("b/Cart.cs", "Property", {"Label.Show"}),
        ("b/Cart.cs", "Fixed", {"Store.Open", "Store.Apart"}),
        ("b/Cart.cs", "Asked", {"Store.Open", "Shelf.Lift"}),
        ("b/Cart.cs", "Pattern", {"Label.Show"}),
        ("b/Cart.cs", "Stream", {"Label.Show"}),
        ("b/Cart.cs", "Extended", {"Labels.Bold", "Label.Show"}),
        ("b/Cart.cs", "Loudly", {"Labels.Loud"}),
        ("b/Cart.cs", "Outside", set()),
        ("b/Cart.cs", "Handed", {"Labels.With", "Label.Show"}),
        ("b/Cart.cs", "Built", {"Shelving", "Shelving.Shelving", "Label.Show"}),
        ("b/Cart.cs", "Plain", {"Box.Plain"}),
        ("b/Cart.cs", "Filled", {"Label.Show", "Box.Filled"}),
        ("b/Cart.cs", "Awaited", {"Cart.Later", "Label.Show"}),
        ("b/Cart.cs", "Typed", {"Store.Took"}),
        ("b/Cart.cs", "Local", {"Cart.Local.Inner"}),
        ("b/Cart.cs", "Unknown", set()),
        ("b/Cart.cs", "Many", set()),
        ("a/Store.Parts.cs", "Apart", {"Shelf.Lift"}),
        ("a/Store.cs", "Put", {"Shelf.Put"}),
    ],
)
def test_csharp_knows_declared_types_parts_extensions_lambdas_and_numbers_of_arguments(
    tmp_path, path, name, expected
):
    assert callees(tmp_path, CSHARP, path, name) == expected


def test_a_constructor_of_csharp_calls_the_one_it_names_and_that_of_its_base(tmp_path):
    calls = call_graph_of(tmp_path, CSHARP)
    found = {
        edge.target.qualified for one in calls.graph.by_name["Store"] for edge in calls.callees(one)
    }
    assert {"Store.Store", "Shelf.Shelf"} <= found


def test_a_type_of_csharp_is_not_taken_for_the_member_that_is_called_like_it(tmp_path):
    assert "Label" in callees(tmp_path, CSHARP, "b/Cart.cs", "Show")
