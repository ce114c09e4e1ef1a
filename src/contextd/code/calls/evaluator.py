"""What the parts that say what expressions mean need of each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from contextd.code.calls.call_facts import Expr
from contextd.code.calls.interpretation import Interpretation
from contextd.code.symbols.symbol_graph import Definition


class Evaluator(Protocol):
    """Says what expressions mean."""

    def evaluate(self, path: str, scope: int, expression: Expr, depth: int = 0) -> Interpretation:
        """What an expression in a scope may mean."""
        ...

    def attribute(
        self, around: Interpretation, name: str, depth: int = 0, count: int | None = None
    ) -> Interpretation:
        """What is reached behind a dot; with `count` a method that takes so many arguments."""
        ...

    def member(self, holder: Definition, name: str, depth: int = 0) -> Interpretation:
        """A member of a class, its own or inherited; the value of a property."""
        ...

    def lineage(self, one: Definition, depth: int = 0) -> Iterator[Definition]:
        """A class and what it is built on, nearest first."""
        ...

    def bases(self, one: Definition, depth: int = 0) -> Iterator[Interpretation]:
        """What a class is built on, in its order."""
        ...

    def own(self, path: str, scope: int, which: str, depth: int) -> Interpretation:
        """The class around a scope, its instance, or what it is built on."""
        ...

    def constructed(self, path: str, scope: int, which: Expr, depth: int) -> Interpretation:
        """The class around a scope, or the one it extends."""
        ...

    def means(self, one: Definition, depth: int) -> Interpretation:
        """What a definition means where it is named."""
        ...
