"""Edge: one place that refers to a definition."""

from __future__ import annotations

from contextd_code.calls.call_facts import UseKind
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """A place that calls `target`, names it, extends it or imports it. `caller` is the definition around the
    place, None at the top of a file. An edge that is not `certain` may mean another definition: one of
    `alternatives` where these are all, such as the overloads of a function.
    """

    path: str
    line: int
    kind: UseKind
    caller: Definition | None
    target: Definition
    certain: bool = True
    alternatives: tuple[Definition, ...] = ()
