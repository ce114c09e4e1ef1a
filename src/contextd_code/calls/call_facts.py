"""The call facts of one file, extracted without looking at other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from contextd_code.dataclass import dataclass

Expr = tuple[Any, ...]
"""A value or a type as far as calls need it: `("name", x)`, `("type", n, x)` for a type of C# with n types
between its brackets, `("attr", e, x)`, `("field", e, x)` where it is no method, `("call", e)`,
`("new", type)` and `("typed", type)` for an instance, `("any", (e, …))` for one of several,
`("of", type, (type, …))` for a type with arguments, `("item", e)` for an element of something,
`("several", (e, …))` for what is returned together, `("part", e, n)` for one of those, `("defined", start)`
for the function or class that begins at an offset, `("fixture", x)` for a function that pytest finds by
name and `("given", e)` for what it hands on, `("counted", e, n)` for what is called with so many arguments, `("bounds", (type, …))` for what fulfils several types,
`("payload", type, x)` for a field of a struct or a variant that a pattern takes out, `("module", "crate")`
for what a path of Rust begins with, `("function", (type, …))` for the type of a function by its parameters,
`("handed", callee, n, m)` for what parameter m of a function gets that is argument n of a call, `("declared",
type, m)` where its type is written, `("guarded", callee)` for what a type predicate says of its argument,
`("object", ((name, e), …))` for an object by its
properties, `("guard", type)` for what such a predicate returns, `("known", interpretation)` for a type parameter that was
given, never in a file, `("signature", start)` for what is called and no definition, `("space", name)` for a
namespace of PHP, the file's own with None, and the constants below.
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
