"""Which Rust type a name means where several modules define one."""

from __future__ import annotations

import posixpath
import re
from contextlib import suppress

from tree_sitter import Node

from contextd_code.calls.call_facts import Expr
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.expressions import value
from contextd_code.calls.rust_traits import is_of_trait
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.references import Reference, node_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.tree.word_lines import lines_naming

_SECONDS = 3.0
_PATHS = frozenset(("scoped_identifier", "scoped_type_identifier"))
_PRIMITIVE = "primitive_type"
_MACRO, _MACRO_CALL, _TOKENS = "macro", "macro_invocation", "token_tree"
_ALIAS, _TRAIT_KIND = "type", "trait"
_SELF = "Self"
_TRAIT = re.compile(r"\w+")
_BEHIND_A_DOT = frozenset(("field_identifier",))


def files_invoking(calls: CallGraph, sources: Sources, one: Definition) -> list[str]:
    """The other files that may invoke a macro by its bare name: those of its crate, in order of path."""
    if calls.layout.family(one.path) != "rust" or one.symbol.kind != _MACRO:
        return []
    crate = calls.layout.crate_of(one.path)
    found: set[str] = set()
    with suppress(OSError, TimeoutError):
        suffixes = {posixpath.splitext(one.path)[1]}
        found |= {
            path for path, _ in lines_naming(sources.root, [one.symbol.name], suffixes, _SECONDS)
        }
    return sorted(
        path
        for path in found.intersection(calls.graph.files) - {one.path}
        if calls.layout.crate_of(path) == crate
    )


def is_other_in_rust(calls: CallGraph, sources: Sources, one: Definition, line: Reference) -> bool:
    """Whether a word that may name a type or function certainly means another one."""
    node = node_of(sources, line)
    if node is None or one.symbol.kind in CONSTANTS:
        return False
    if node.type == _PRIMITIVE:
        # A parser of numbers may be called `u8`, but no type is.
        return True
    is_invoked = line.role != "import" and _is_invoked(node)
    if is_invoked and one.symbol.kind != _MACRO and not _is_procedural(sources, one):
        return True
    if not is_invoked and one.symbol.kind == _MACRO and line.role != "import":
        return True
    if one.symbol.kind == _MACRO:
        return _is_other_macro(calls, one, line)
    if node.type in _BEHIND_A_DOT and one.symbol.kind in FUNCTIONS and not one.symbol.parent:
        # Only a call can name a method, not a bare name.
        return True
    if _is_module(node):
        return one.symbol.kind != "module"
    path = _whole_path(node)
    scope = calls.layout.scope_around(line.path, line.start)
    found = calls.interpreter.evaluate(line.path, scope, value(path))
    meant = {each.one for each in found.meanings if each.one is not None and each.kind != "module"}
    if meant and one.symbol.kind == _ALIAS and path is node and one not in meant:
        return not _is_alias_of(calls, one, meant)
    if meant:
        return one not in meant
    homonyms = [
        each
        for each in calls.graph.by_name.get(one.symbol.name, ())
        if each != one
        and each.symbol.kind not in CONSTANTS
        and (one.symbol.parent or not each.symbol.parent)
    ]
    # Without a path to the definition, a use is certain only if the name is unique.
    return bool(homonyms) and calls.layout.family(one.path) == "rust"


def _whole_path(node: Node) -> Node:
    """The path that ends in a name, or the name itself."""
    path = node
    while path.parent is not None and path.parent.type in _PATHS:
        named = path.parent.child_by_field_name("name")
        if named is None or named.id != path.id:
            break
        path = path.parent
    return path


def _is_invoked(node: Node) -> bool:
    """Whether a name is that of an invoked macro, also between the tokens of another macro."""
    path = _whole_path(node)
    around, after = path.parent, path.next_sibling
    if around is None:
        return False
    if around.type == _TOKENS:
        then = after.next_sibling if after is not None and after.type == "!" else None
        return then is not None and then.type == _TOKENS
    return around.type == _MACRO_CALL and around.child_by_field_name("macro") == path


def _is_procedural(sources: Sources, one: Definition) -> bool:
    """Whether a function is a macro: `#[proc_macro] pub fn`."""
    data = sources.current(one.path).data
    return b"#[proc_macro]" in data[max(0, one.symbol.start - 200) : one.symbol.end]


def _is_other_macro(calls: CallGraph, one: Definition, line: Reference) -> bool:
    """Whether several macros of a crate have a name and the line is not in the file of this one."""
    if line.path == one.path:
        return False
    crate = calls.layout.crate_of(one.path)
    return any(
        each.path != one.path and each.symbol.kind == _MACRO
        for each in calls.graph.by_name.get(one.symbol.name, ())
        if calls.layout.crate_of(each.path) == crate
    )


def _is_alias_of(calls: CallGraph, one: Definition, meant: set[Definition]) -> bool:
    """Whether an alias, `type Row = Cells<u8>;`, is the only one of its name that stands for these types."""
    same = [
        each
        for each in calls.graph.by_name.get(one.symbol.name, ())
        if each.symbol.kind == _ALIAS and not each.symbol.parent and _aliased(calls, each) == meant
    ]
    return same == [one]


def _aliased(calls: CallGraph, one: Definition) -> set[Definition]:
    scope = calls.layout.scope_around(one.path, one.symbol.start)
    found = calls.interpreter.evaluate(one.path, scope, ("name", one.symbol.name))
    return {each.one for each in found.meanings if each.one is not None and each.kind != "module"}


def is_of_other_type(
    calls: CallGraph, sources: Sources, holder: Definition, line: Reference
) -> bool | None:
    """Whether `T::NAME` names the constant of another type than `holder`; None where `T` is unknown."""
    node = node_of(sources, line)
    path = node.parent if node is not None else None
    head = path.child_by_field_name("path") if path is not None and path.type in _PATHS else None
    if path is not None and path.type == _TOKENS:
        # Arguments of a macro have no tree: `T`, `::` and `NAME` follow each other.
        behind = node.prev_sibling if node is not None else None
        head = behind.prev_sibling if behind is not None and behind.type == "::" else None
    if head is None or node is None or head.id == node.id:
        # The name is itself the first part of a path.
        return None
    scope = calls.layout.scope_around(line.path, line.start)
    is_self = text_of(head) == _SELF
    if is_self and holder.symbol.name in calls.layout.classes_around(line.path, line.start):
        return False
    written: Expr = ("own_class",) if is_self else value(head)
    found = calls.interpreter.evaluate(line.path, scope, written)
    meant = {each.one for each in found.meanings if each.one is not None and each.kind != "module"}
    if found.meanings or is_self:
        # A module is no type.
        return not any(_has_member(calls, each, holder, line.name) for each in meant)
    return None if _bounds(head) is None else holder.symbol.name not in (_bounds(head) or ())


def _has_member(calls: CallGraph, one: Definition, holder: Definition, name: str) -> bool:
    """Whether a type has the members of `holder`: it is the type, or implements the trait and has no member of
    this name beside the trait.
    """
    if one == holder:
        return True
    if holder.symbol.kind != _TRAIT_KIND:
        return False
    own = calls.layout.member(one, name)
    if own is not None:
        return is_of_trait(calls.layout, own, holder.symbol.name)
    return holder in calls.interpreter.lineage(one)


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
