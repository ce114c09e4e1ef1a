"""Substitute type arguments for the type parameters of the enclosing class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd_code.calls.call_facts import CodeScope, Expr
from contextd_code.calls.interpretation import Interpretation
from contextd_code.calls.scope_layout import CodeLayout

Types = tuple[Interpretation, ...]


def with_arguments(
    layout: CodeLayout, path: str, scope: int, expression: Expr, types: Types
) -> Expr:
    """An expression in which the type parameters of the enclosing class are replaced by `types`, in their
    order. Type parameters of a function in between hide those of the class.
    """
    if not any(one.meanings for one in types):
        return expression
    scopes = layout.scopes(path)
    at, hidden = scope, set[str]()
    while at > 0 and scopes[at].kind != "class":
        hidden |= {name for name in scopes[at].bindings if name.startswith("<")}
        at = scopes[at].parent
    if at <= 0:
        return expression
    named = [one for one in scopes[at].bindings if one.startswith("<")]
    given = {
        name[1:-1]: one
        for name, one in zip(named, types, strict=False)
        if one.meanings and name not in hidden
    }
    return _replaced(expression, given) if given else expression


def type_parameters(scope: CodeScope) -> list[str]:
    """The names of the type parameters that a class or a function declares itself."""
    return [name[1:-1] for name in scope.bindings if name.startswith("<") and name != "<this>"]


def with_given(expression: Expr, parts: Sequence[tuple[str, Expr]]) -> Expr:
    """An expression of a function in which the type parameters are replaced by those that a call gave."""
    known = {name: one[1] for name, one in parts if one[0] == "known"}
    return _replaced(expression, known) if known else expression


def _replaced(expression: Expr, by_name: Mapping[str, Interpretation]) -> Expr:
    if expression and expression[0] in ("name", "type") and expression[-1] in by_name:
        return ("known", by_name[expression[-1]])
    return tuple(_replaced(one, by_name) if isinstance(one, tuple) else one for one in expression)
