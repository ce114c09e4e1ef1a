"""Functions stored in C fields, and calls through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from contextd_code.calls.call_facts import SLOT, Expr
from contextd_code.calls.meaning import Interpreter
from contextd_code.calls.scope_layout import CodeLayout
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass

_MOST_FILES = 40
_MOST = 16
"""The most functions per field: with more, such as one per driver, a call is ambiguous."""


@dataclass
class FunctionFields:
    """Functions assigned to fields: `.open = my_open` and `ops->open = my_open`."""

    layout: CodeLayout
    interpreter: Interpreter
    _held: dict[str, tuple[Definition, ...]] = field(
        default_factory=dict[str, tuple[Definition, ...]]
    )

    def held(self, name: str) -> Sequence[Definition]:
        """The functions that a field of a name may hold; empty where there are too many."""
        known = self._held.get(name)
        if known is None:
            paths = self.layout.facts.filling(name)
            found = dict.fromkeys(self._put(paths, name)) if len(paths) <= _MOST_FILES else {}
            known = self._held[name] = tuple(found) if len(found) <= _MOST else ()
        return known

    def _put(self, paths: Sequence[str], name: str) -> Iterator[Definition]:
        for path in paths:
            scopes = self.layout.scopes(path)
            for one, scope in scopes[0].bindings.get(f"{SLOT}{name}", ()) if scopes else ():
                for meant in self.interpreter.evaluate(path, scope, one).meanings:
                    if meant.kind == "function" and meant.one is not None:
                        yield meant.one

    def fields_of(self, one: Definition) -> set[str]:
        """The names of the fields that a function is assigned to."""
        name: Expr = ("name", one.symbol.name)
        return {
            field_name[len(SLOT) :]
            for path in self.layout.facts.naming(one.symbol.name)
            for scopes in [self.layout.scopes(path)]
            for field_name, bound in (scopes[0].bindings.items() if scopes else ())
            if field_name.startswith(SLOT) and any(each == name for each, _ in bound)
            if any(_is(each, one) for each in self.held(field_name[len(SLOT) :]))
        }


def _is(one: Definition, other: Definition) -> bool:
    return (one.path, one.qualified) == (other.path, other.qualified)
