"""Which Rust type a name means where several modules define one."""

from __future__ import annotations

import re

from tree_sitter import Node

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.expressions import value
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.references import Reference, node_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition

_PATHS = frozenset(("scoped_identifier", "scoped_type_identifier"))
_MACRO_CALL = "macro_invocation"
_SELF = "Self"
_TRAIT = re.compile(r"\w+")
_BEHIND_A_DOT = frozenset(("field_identifier",))


def is_other_in_rust(calls: CallGraph, sources: Sources, one: Definition, line: Reference) -> bool:
    """Whether a word that may name a type or function certainly means another one."""
    node = node_of(sources, line)
    if node is None or one.symbol.kind in CONSTANTS:
        return False
    around = node.parent
    if line.path == one.path and around is not None and around.type == _MACRO_CALL:
        # A macro of the file itself hides those of other files.
        return False
    if node.type in _BEHIND_A_DOT and one.symbol.kind in FUNCTIONS and not one.symbol.parent:
        # Only a call can name a method, not a bare name.
        return True
    if _is_module(node):
        return one.symbol.kind != "module"
    path = node
    while path.parent is not None and path.parent.type in _PATHS:
        named = path.parent.child_by_field_name("name")
        if named is None or named.id != path.id:
            break
        path = path.parent
    scope = calls.layout.scope_around(line.path, line.start)
    found = calls.interpreter.evaluate(line.path, scope, value(path))
    meant = {each.one for each in found.meanings if each.one is not None and each.kind != "module"}
    if meant:
        return one not in meant
    homonyms = [
        each
        for each in calls.graph.by_name.get(one.symbol.name, ())
        if each != one and each.symbol.kind not in CONSTANTS and not each.symbol.parent
    ]
    # Without a path to the definition, a use is certain only if the name is unique.
    return bool(homonyms) and calls.layout.family(one.path) == "rust"


def is_of_other_type(
    calls: CallGraph, sources: Sources, holder: Definition, line: Reference
) -> bool | None:
    """Whether `T::NAME` names the constant of another type than `holder`; None where `T` is unknown."""
    node = node_of(sources, line)
    path = node.parent if node is not None else None
    head = path.child_by_field_name("path") if path is not None and path.type in _PATHS else None
    if head is None:
        return None
    scope = calls.layout.scope_around(line.path, line.start)
    if text_of(head) == _SELF:
        classes = calls.layout.classes_around(line.path, line.start)
        return holder.symbol.name not in classes
    found = calls.interpreter.evaluate(line.path, scope, value(head))
    meant = {each.one for each in found.meanings if each.one is not None and each.kind != "module"}
    if meant:
        return holder not in meant
    return None if _bounds(head) is None else holder.symbol.name not in (_bounds(head) or ())


def _bounds(head: Node) -> list[str] | None:
    """The trait bounds of a type parameter; None for anything else."""
    name = text_of(head)
    around = head.parent
    while around is not None:
        for each in around.named_children if name.isidentifier() else ():
            if each.type not in ("type_parameters", "where_clause"):
                continue
            for one in each.named_children:
                named = one.child_by_field_name("name") or one.child_by_field_name("left")
                if named is not None and text_of(named) == name:
                    return _TRAIT.findall(text_of(one.child_by_field_name("bounds")))
        around = around.parent
    return None


def _is_module(node: Node) -> bool:
    """Whether it is the name of a declared module, or the first segment of a path."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "mod_item":
        return True
    path = parent.child_by_field_name("path") if parent.type in _PATHS else None
    return path is not None and path.id == node.id and node.text is not None and node.text.islower()
