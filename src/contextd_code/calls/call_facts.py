"""The call facts of one file, extracted without looking at other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from contextd_common.dataclass import dataclass

Expr = tuple[Any, ...]
"""A value or a type as a nested tuple, in the forms that resolving calls needs.

Names and members: `("name", x)`; `("type", n, x)` a C# type with n type parameters; `("attr", e,
x)`; `("field", e, x)` a member that is not a method; `("space", name)` a PHP namespace, the file's
own with None; `("module", "crate")` the beginning of a Rust path.

Calls: `("call", e)`; `("counted", e, n)` a call with n arguments; `("handed", callee, n, m)` the
value of parameter m of a function passed as argument n; `("function", (type, …))` a function type
by its parameters; `("signature", start)` a callable that is not a definition; `("defined", start)`
the function or class that begins at an offset.

Instances and types: `("new", type)` and `("typed", type)` an instance; `("of", type, (type, …))` a
generic type with arguments; `("bounds", (type, …))` a value that satisfies several types;
`("declared", type, m)` a declared type; `("known", interpretation)` a type parameter with a known
argument, never stored in a file.

Compound values: `("any", (e, …))` one of several; `("several", (e, …))` values returned together;
`("part", e, n)` one of those; `("item", e)` an element; `("object", ((name, e), …))` an object by
its properties; `("payload", type, x)` a field of a struct or variant bound by a pattern.

Others: `("guarded", callee)` the argument type that a type predicate asserts; `("guard", type)` the
return type of such a predicate; `("fixture", x)` a pytest fixture by name; `("given", e)` the value
a fixture provides; `("imported", x, line)` a name that an import inside a Python function binds; and the
constants below.
"""

SELF: Expr = ("self",)
SUPER: Expr = ("super",)
NOTHING: Expr = ("nothing",)
"""`None`, `null` and the like: never callable."""
IMPLICIT: Expr = ("implicit",)
"""The implicit receiver of a Java method call."""
OWN_OBJECT: Expr = ("own_object",)
"""The object that a function builds and returns: its members belong to the function."""
PARENT: Expr = ("parent",)
"""An instance of the class that the enclosing class extends, without interfaces and traits."""
RECEIVER: Expr = ("receiver",)
"""The receiver of a method that returns itself or another instance of its class."""
UNKNOWN: Expr = ("unknown",)
NARROWED = "?"
"""The prefix of a variable in the bindings of a block whose condition narrows its type."""
SLOT = "."
"""The prefix of a field in the bindings of a C file that assigns functions to it."""

ELEMENT = "[]"
"""The name in the bindings of a class of what its indexer returns."""

SiteKind = Literal["call", "use", "extends"]
UseKind = Literal["call", "use", "extends", "import"]


@dataclass(frozen=True, slots=True)
class Site:
    """A place that calls something, passes it as a value (`use`) or extends a class. `start` is the offset of
    the last name of `target`, `scope` the index of the enclosing scope.
    """

    kind: SiteKind
    target: Expr
    line: int
    start: int
    scope: int


@dataclass(slots=True)
class CodeScope:
    """A module, class, function or a block in one, by offsets. `bindings` are the values of its names, in a
    class also those of `self.x`, each with the index of the assigning scope; `<T>` is a type parameter,
    `<impl>` the type that a block implements, `=T` the target of a type alias. `bases` are those of a class,
    `returns` what a function returns: only its annotation where it has one. `parameters` are the types of its
    parameters, of which the last `optional` may be omitted. `<this>` is the extended type of an extension
    method, which is not one of its parameters. `is_call` marks a signature by which instances of the enclosing
    type are called.
    """

    kind: Literal["module", "class", "function", "block"]
    name: str
    start: int
    end: int
    parent: int
    bindings: dict[str, list[tuple[Expr, int]]] = field(
        default_factory=dict[str, list[tuple[Expr, int]]]
    )
    bases: list[Expr] = field(default_factory=list[Expr])
    returns: list[Expr] = field(default_factory=list[Expr])
    parameters: list[Expr] = field(default_factory=list[Expr])
    annotated: bool = False
    is_property: bool = False
    is_static: bool = False
    is_fixture: bool = False
    is_generator: bool = False
    is_call: bool = False
    is_variadic: bool = False
    optional: int = 0


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The scopes of a file, the module first, and its sites by their last name."""

    digest: str
    scopes: Sequence[CodeScope]
    by_name: Mapping[str, Sequence[Site]]

    @property
    def sites(self) -> list[Site]:
        """The sites in source order; sites with the same offset have the same name."""
        every = (site for some in self.by_name.values() for site in some)
        return sorted(every, key=lambda site: site.start)


def by_name(sites: Iterable[Site]) -> dict[str, list[Site]]:
    """Sites by their last name."""
    found: dict[str, list[Site]] = {}
    for site in sites:
        found.setdefault(str(site.target[-1]), []).append(site)
    return found
