"""The evaluator interface shared by the modules that resolve expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from contextd_code.calls.call_facts import Expr
from contextd_code.calls.interpretation import Interpretation
from contextd_code.symbols.symbol_graph import Definition


class Evaluator(Protocol):
    """Resolves expressions."""

    def evaluate(self, path: str, scope: int, expression: Expr, depth: int = 0) -> Interpretation:
        """The possible meanings of an expression in a scope."""
        ...

    def attribute(
        self, around: Interpretation, name: str, depth: int = 0, count: int | None = None
    ) -> Interpretation:
        """The member after a dot; with `count`, a method that takes this many arguments."""
        ...

    def member(self, holder: Definition, name: str, depth: int = 0) -> Interpretation:
        """A member of a class, its own or inherited; the value of a property."""
        ...

    def lineage(self, one: Definition, depth: int = 0) -> Iterator[Definition]:
        """A class and its bases, nearest first."""
        ...

    def bases(self, one: Definition, depth: int = 0) -> Iterator[Interpretation]:
        """The bases of a class, in order."""
        ...

    def own(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """The class around a scope, its instance, or its bases."""
        ...

    def constructed(self, path: str, scope: int, which: Expr, depth: int) -> Interpretation:
        """The class around a scope, or the one it extends."""
        ...

    def means(self, one: Definition, depth: int) -> Interpretation:
        """The meaning of a definition where it is named."""
        ...
