"""Uses of Java constants: the class around a bare name, or the type before the dot, determines the owner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from contextd_code.calls.call_facts import Expr
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.scope_layout import CONSTANTS
from contextd_code.symbols.references import Reference
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.symbols.symbols import WHOLE
from contextd_code.tree.word_lines import lines_naming

_BEFORE = re.compile(rb"(?:([\w$]+)\s*)?\.\s*\Z")
_OWN: dict[str, Expr] = {"this": ("self",), "super": ("super",)}
_REACH = 100
_SECONDS = 3.0


def is_constant_of_java(calls: CallGraph, one: Definition) -> bool:
    """Whether a definition is a constant of a Java type, which subtypes name as their own."""
    is_java = calls.layout.family(one.path) == "java"
    return is_java and bool(one.symbol.parent) and one.symbol.kind in CONSTANTS


def files_inheriting(calls: CallGraph, sources: Sources, one: Definition) -> Sequence[str]:
    """The Java files that contain the name of a constant, none for other definitions."""
    found: set[str] = set()
    if is_constant_of_java(calls, one):
        with suppress(OSError, TimeoutError):
            named = lines_naming(sources.root, [one.symbol.name], {".java"}, _SECONDS)
            found = {path for path, _ in named}
    return sorted(found.intersection(calls.graph.files))


def names_constant(
    calls: CallGraph, sources: Sources, one: Definition, line: Reference
) -> bool | None:
    """Whether a word means a constant; None where the expression before the dot is not a name."""
    data = sources.current(line.path).data
    before = _BEFORE.search(data[max(0, line.start - _REACH) : line.start])
    scope = calls.layout.scope_around(line.path, line.start)
    if before is None:
        return _by_itself(calls, one, line.path, scope)
    if before[1] is None:
        return None
    word = before[1].decode("utf-8", "replace")
    held = calls.interpreter.evaluate(line.path, scope, _OWN.get(word, ("name", word)))
    owners = [meant.one for meant in held.meanings if meant.one is not None]
    if not owners:
        return None
    return all(_is_declared(calls, one, owner) for owner in owners)


def _by_itself(calls: CallGraph, one: Definition, path: str, scope: int) -> bool:
    """Whether a bare name means the constant: the innermost class with a member of the name decides, then the
    static imports.
    """
    scopes = calls.layout.scopes(path)
    at = scope
    while at > 0:
        around = calls.layout.definition_of(path, at) if scopes[at].kind == "class" else None
        owner = _owner(calls, around, one.symbol.name) if around is not None else None
        if owner is not None:
            return owner == (one.path, one.qualified)
        at = scopes[at].parent
    return any(
        imported.target == one.path
        and any(
            inner == one.qualified or (local == WHOLE and inner == one.symbol.parent)
            for inner, local in imported.names
        )
        for imported in calls.graph.files[path].imports
    )


def _is_declared(calls: CallGraph, one: Definition, owner: Definition) -> bool:
    return _owner(calls, owner, one.symbol.name) == (one.path, one.qualified)


def _owner(calls: CallGraph, type_: Definition, name: str) -> tuple[str, str] | None:
    """The nearest declaration of a member among a type and its bases."""
    for above in calls.interpreter.lineage(type_):
        own = calls.layout.member(above, name)
        if own is not None:
            return own.path, own.qualified
    return None
