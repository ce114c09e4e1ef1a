"""The possible meanings of an expression."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from contextd_code.calls.call_facts import Expr
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Meant:
    """A class, an instance of it, a function, the module at `path`, or a `signature`: a callable typed by the
    scope `at` of `path`, which is not a definition; or an `object` literal there, with its properties in
    `parts`; a function has there the type arguments of its call. `type_arguments` are those of a generic class,
    or of the class around a function.
    """

    kind: Literal["class", "instance", "function", "module", "signature", "object"]
    one: Definition | None = None
    path: str = ""
    at: int = -1
    type_arguments: tuple[Interpretation, ...] = ()
    parts: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The possible meanings of an expression. `whole` means that the list is complete. With `outside` the
    meaning is known and not part of the project. A `circle` only refers back to its start.
    """

    meanings: tuple[Meant, ...] = ()
    whole: bool = False
    outside: bool = False
    circle: bool = False


NOT_KNOWN = Interpretation()
OUTSIDE = Interpretation((), whole=False, outside=True)
NONE = Interpretation((), whole=True)
CIRCLE = Interpretation((), whole=True, circle=True)


def joined(found: Iterable[Interpretation]) -> Interpretation:
    """One of several interpretations."""
    every = list(found)
    if len(every) == 1 and not every[0].circle and not (every[0].outside and every[0].meanings):
        return every[0]
    every = [one for one in every if not one.circle] or every[:1]
    meanings = tuple(dict.fromkeys(one for each in every for one in each.meanings))
    return Interpretation(
        meanings,
        whole=all(each.whole for each in every) and bool(every),
        outside=not meanings and any(each.outside for each in every),
    )


def instances(found: Interpretation) -> Interpretation:
    """Instances of the given classes."""
    kinds = ("class", "instance", "object")
    some = [
        m if m.kind == "object" else Meant("instance", m.one, type_arguments=m.type_arguments)
        for m in found.meanings
        if m.kind in kinds
    ]
    return Interpretation(tuple(dict.fromkeys(some)), found.whole, found.outside, found.circle)
