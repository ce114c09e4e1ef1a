"""Uses of types, constants, macros and namespaces of C and C++.

An include binds no name: a word means the member of the innermost enclosing class or namespace, among the
definitions that the file includes directly or indirectly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf

from tree_sitter import Node

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.conditions_c import (
    is_alternative,
    is_defined_elsewhere,
    is_self_guarded,
)
from contextd_code.calls.extract_c import NAMESPACE, USING
from contextd_code.calls.linkage import MACRO, Linkage, are_for_systems
from contextd_code.calls.names_c import unaliased
from contextd_code.calls.scope_layout import CONSTANTS, FUNCTIONS
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.references import Reference, named_nodes, node_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.errors import ContextdError

_MEMBERS = frozenset(("field_identifier", "statement_identifier"))
"""Nodes that name a field or a label: never a type, a constant or a macro."""
_TYPES = frozenset(("type_identifier", "namespace_identifier"))
_PARAMETERS = frozenset(("parameter_declaration", "parameter_list", "function_declarator"))
_TAGGED = frozenset("struct_specifier union_specifier enum_specifier class_specifier".split())
_RECORDS = frozenset(("struct", "union", "enum", "class"))
_VALUED = {
    "field_expression": "argument",
    "subscript_expression": "argument",
    "update_expression": "argument",
    "assignment_expression": "left",
}
_TEXT = "preproc_arg"
_ALIAS = "type"
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
_KEYWORDS = frozenset(
    "inline const volatile restrict bool true false static_assert noexcept constexpr nullptr override".split()
)
_UNNAMED = frozenset(("typedef struct", "typedef union", "typedef enum", "typedef class"))
_EXTERN = "extern "


def uses_in_c(
    calls: CallGraph,
    sources: Sources,
    one: Definition,
    until: float = inf,
    among: Callable[[str], bool] | None = None,
) -> Iterator[tuple[Reference, bool]]:
    """(line, whether it is certain) of each use of a non-function definition, file by file. At `until`, by the
    monotonic clock, those found so far; the next call resumes there.
    """
    name = one.symbol.name
    # `TEST(cart, is_empty) {` looks like the definition of a function that is called as the macro is.
    kind = MACRO if one.symbol.kind == MACRO else ""
    own = {
        (each.path, line)
        for _, each in calls.layout.linkage.named(name)
        if each.qualified == one.qualified and (each.symbol.kind == MACRO or not kind)
        # `typedef struct { … } name;` has its name at the end.
        for line in (each.symbol.start_line, each.symbol.end_line)
        if line == each.symbol.start_line or each.symbol.kind == _ALIAS
    }
    is_open = is_open_in_c(calls, sources, one)
    for path in _candidates(calls, one):
        if among is not None and not among(path):
            continue
        if time.monotonic() > until:
            return
        with suppress(ContextdError):
            source = sources.current(path)
            key = one, path, source.file.digest
            found = calls.lines_of_names.get(key)
            if found is None:
                found = calls.lines_of_names[key] = tuple(
                    (line, certain and not is_open)
                    for node, line in named_nodes(sources, source, name, kind)
                    if (path, line.line) not in own
                    and (certain := _meant(calls, sources, one, path, node, line.start)) is not None
                )
            yield from found


def is_open_in_c(calls: CallGraph, sources: Sources, one: Definition) -> bool:
    """Whether the name of a definition may always mean another: the library's, another header's or a template's."""
    is_other = is_defined_elsewhere(sources, one) or _is_stand_in(calls, sources, one)
    return is_other or _is_specialised(one)


def _is_stand_in(calls: CallGraph, sources: Sources, one: Definition) -> bool:
    """Whether a macro only replaces a missing name: a keyword, or a macro of another header."""
    if one.symbol.kind != MACRO:
        return False
    if one.symbol.name in _KEYWORDS:
        return is_alternative(sources, one)
    others = {each.path for _, each in calls.layout.linkage.named(one.symbol.name)} - {one.path}
    return bool(others) and is_self_guarded(sources, one)


def is_part_of_name(sources: Sources, line: Reference) -> bool:
    """Whether a word is an argument of `TEST(cart, is_empty) {`, which names the generated test."""
    node = node_of(sources, line)
    if node is None or node.type not in _TYPES:
        return False
    around = node.parent
    while around is not None and around.type in _PARAMETERS:
        around = around.parent
    return around is not None and around.type == "function_definition"


def _candidates(calls: CallGraph, one: Definition) -> Iterator[str]:
    """The files that include a definition; then headers whose includers do, if the name is unique."""
    linkage = calls.layout.linkage
    named = [each for _, each in linkage.named(one.symbol.name)]
    is_alone = all(_same(linkage, each, one) for each in named)
    # A type may be declared in a header, and have its members in a file that is not included.
    is_shared = one.symbol.kind in ("module", *CONSTANTS)
    anchors = {
        each.path
        for each in named
        if is_alone or each == one or (is_shared and _same(linkage, each, one))
    }
    if one.symbol.parent:
        # The body of a class declares a static member, another file may define it.
        outer, _, last = one.symbol.parent.rpartition(".")
        anchors |= {each.path for home, each in linkage.named(last) if home == outer}
    code = [path for path in sorted(calls.graph.files) if calls.layout.family(path) == "c"]
    seeing = [path for path in code if anchors & linkage.included(path)]
    yield from seeing
    if is_alone:
        included = {inner for path in seeing for inner in linkage.included(path)}
        if not calls.graph.importers.get(one.path) and one.symbol.kind not in _RECORDS:
            included = set()
        # A generated or installed header may declare the name.
        blind = [
            path for path in code if not one.path.endswith(_SOURCES) and linkage.is_blind(path)
        ]
        yield from sorted(included.intersection(code).union(blind).difference(seeing))


def _meant(
    calls: CallGraph, sources: Sources, one: Definition, path: str, node: Node, start: int
) -> bool | None:
    """Whether a word certainly means the definition; None where it means something else."""
    symbol = one.symbol
    is_blank = node.type != _TEXT and node.end_byte - node.start_byte != len(symbol.name.encode())
    if is_blank and symbol.kind != MACRO:
        # Only words for the preprocessor are blanked before parsing, and the arguments of a few macros.
        return None
    is_member = node.type in _MEMBERS and not _is_base(calls, one, path, node, start)
    if is_member or (node.type in _TYPES and symbol.kind in CONSTANTS):
        return None
    if symbol.kind == "module" and node.type not in _TYPES and not _is_opened(node):
        return None
    others = [each for _, each in calls.layout.linkage.named(symbol.name)]
    is_type = symbol.kind not in CONSTANTS and symbol.kind != MACRO
    if (
        is_type
        and node.type not in (*_TYPES, *_MEMBERS)
        and any(_hides_type(each) for each in others)
    ):
        return None
    if not is_blank and node.type not in _TYPES and _is_local(calls, path, start, symbol.name):
        return None
    # `using Cart = other::Cart;` inside a function.
    if is_type and (_is_value(node) or _is_local(calls, path, start, f"={symbol.name}")):
        return None
    if _is_destructor(node) or _is_test_name(calls, node):
        return None
    if is_type and one.path.endswith(_SOURCES) and not _is_named_by_tag(node):
        seen = calls.layout.linkage.included(path)
        if not any(each.path in seen for each in others):
            # A header can only declare a type that a source file keeps for itself: `typedef struct cart cart_t;`.
            return None
    # A macro is expanded behind any qualifier.
    before = _qualifiers(node) if symbol.kind != MACRO else ()
    before = before or (_used(calls, path, start, symbol.name) if is_type else ())
    before = unaliased(calls.layout, path, calls.layout.scope_around(path, start), before)
    hits = _hits(calls, one, path, start, before)
    own = [each for each in hits if each.path == path]
    if own and not all(is_alternative(sources, each) for each in own):
        # A file's own definition takes precedence over an included one.
        hits = own
    if not any(_same(calls.layout.linkage, each, one) for each in hits):
        return None
    is_guess = not before and _is_elsewhere(calls, path, start, hits)
    known = {each.qualified for each in others if each.symbol.kind not in FUNCTIONS}
    return not (is_guess and len(known) > 1) and _is_one(hits)


def _used(calls: CallGraph, path: str, start: int, name: str) -> tuple[str, ...]:
    """The qualifiers that `using shop::Cart;` gives a name."""
    scopes = calls.layout.scopes(path)
    at = calls.layout.scope_around(path, start) if scopes else -1
    while at >= 0:
        for found, _ in scopes[at].bindings.get(name, ()):
            if found[0] == "scoped" and found[2] == name:
                return tuple(map(str, found[1]))
        at = scopes[at].parent
    return ()


def _is_elsewhere(calls: CallGraph, path: str, start: int, hits: Sequence[Definition]) -> bool:
    """Whether definitions are in namespaces that are not open around a word."""
    linkage = calls.layout.linkage
    around = set(_prefixes(calls, path, start))
    homes = {linkage.home(each) for each in hits} - around
    return bool(homes) and all(
        any(each.symbol.kind == "module" for each in calls.graph.by_name.get(last, ()))
        for last in (home.rpartition(".")[2] for home in homes)
    )


def _is_base(calls: CallGraph, one: Definition, path: str, node: Node, start: int) -> bool:
    """Whether a constructor initialises its base class by the alias that the class has for it: `: base(one) {`."""
    if one.symbol.kind != _ALIAS or node.parent is None or node.parent.type != "field_initializer":
        return False
    home = calls.layout.linkage.home(one)
    return bool(home) and home in set(_prefixes(calls, path, start))


def _is_opened(node: Node) -> bool:
    """Whether a word is the last name of `using namespace a::b;`."""
    here, around = node, node.parent
    while around is not None and around.type == "qualified_identifier":
        here, around = around, around.parent
    return (
        around is not None
        and around.type == "using_declaration"
        and here.end_byte == node.end_byte
        and any(one.type == "namespace" for one in around.children)
    )


def _is_local(calls: CallGraph, path: str, start: int, name: str) -> bool:
    """Whether a function or a block around a word binds it; what a namespace binds is the definition."""
    bound = calls.layout.binding_scope(path, start, name)
    return bound is not None and NAMESPACE not in bound.bindings


def _hides_type(one: Definition) -> bool:
    """Whether a function has the name of a type and is no constructor of it."""
    is_made = one.symbol.parent.rpartition(".")[2] == one.symbol.name
    return one.symbol.kind in FUNCTIONS and not is_made


def _is_value(node: Node) -> bool:
    """Whether a word stands before a dot, an arrow or a bracket, or is assigned: no type does."""
    around = node.parent
    if node.type != "identifier" or around is None:
        return False
    place = _VALUED.get(around.type)
    held = around.child_by_field_name(place) if place is not None else None
    return held is not None and held.id == node.id


def _is_destructor(node: Node) -> bool:
    """Whether a word names the destructor where it is declared: `~Cart() {`."""
    around = node.parent
    outer = around.parent if around is not None else None
    return (
        around is not None
        and around.type == "destructor_name"
        and outer is not None
        and outer.type == "function_declarator"
    )


def _is_named_by_tag(node: Node) -> bool:
    """Whether a word follows `struct`, `union` or `enum`."""
    return node.parent is not None and node.parent.type in _TAGGED


def _is_test_name(calls: CallGraph, node: Node) -> bool:
    """Whether a word is an argument of a macro that makes a function: `TEST(cart, is_empty) {`."""
    around = node.parent
    if around is None or around.type != "parameter_declaration" or len(around.named_children) > 1:
        return False
    made = around.parent.parent if around.parent is not None else None
    function = made.parent if made is not None else None
    if made is None or function is None or function.type != "function_definition":
        return False
    named = made.child_by_field_name("declarator")
    if function.child_by_field_name("type") is not None or named is None:
        return False
    return any(e.symbol.kind == MACRO for _, e in calls.layout.linkage.named(text_of(named)))


def _qualifiers(node: Node) -> tuple[str, ...]:
    """The qualifiers before a name and its colons, outermost first."""
    found: list[str] = []
    here, around = node, node.parent
    while around is not None and around.type in ("qualified_identifier", "template_type"):
        scope = around.child_by_field_name("scope")
        if around.type == "qualified_identifier" and scope is not None and scope.id != here.id:
            name = scope.child_by_field_name("name") or scope
            found.insert(0, text_of(name))
        here, around = around, around.parent
    return tuple(found)


def _hits(
    calls: CallGraph, one: Definition, path: str, start: int, before: Sequence[str]
) -> list[Definition]:
    """The definitions that a word may mean, from the innermost scope that has any."""
    linkage = calls.layout.linkage
    seen = linkage.included(path)
    named = [
        (home, each)
        for home, each in linkage.named(one.symbol.name)
        if each.symbol.kind not in FUNCTIONS and (each == one or not _is_specialised(each))
    ]
    near = [(home, each) for home, each in named if each.path in seen]
    while before and before[0] in linkage.opened_by_macros:
        # The parser sees no namespace where a macro opens it.
        before = before[1:]
    within = ".".join(before)
    hiding = _hiding(calls, one, path)
    for some in (near, named):
        for prefix in _prefixes(calls, path, start):
            wanted = f"{prefix}.{within}".strip(".")
            if wanted in hiding:
                return []
            if found := [each for home, each in some if home == wanted]:
                return found
        last = before[-1] if before else None
        # A base class, a namespace alias or a template may be in between.
        found = [
            each
            for home, each in some
            if last is None or (home and home.rpartition(".")[2] == last)
        ]
        if some is near and found:
            return found
    return []


def _hiding(calls: CallGraph, one: Definition, path: str) -> set[str]:
    """The classes and namespaces in which a function hides a variable of its name."""
    if one.symbol.kind not in CONSTANTS:
        return set()
    linkage = calls.layout.linkage
    seen = linkage.included(path)
    named = linkage.named(one.symbol.name)
    known = {home for home, each in named if each.symbol.kind in FUNCTIONS and each.path in seen}
    return known - {home for home, each in named if each.symbol.kind in CONSTANTS}


def _prefixes(calls: CallGraph, path: str, start: int) -> Iterator[str]:
    """The classes and namespaces around a place, innermost first, then the used ones."""
    scopes = calls.layout.scopes(path)
    inside: list[str] = []
    used: list[str] = []
    # The facts of a file that could not be read have no scopes.
    at = calls.layout.scope_around(path, start) if scopes else -1
    chain: list[str] = []
    while at >= 0:
        here = scopes[at]
        if here.name and (here.kind == "class" or NAMESPACE in here.bindings):
            inside.insert(0, here.name)
        used += [_dotted(each) for each, _ in here.bindings.get(USING, ())]
        at = here.parent
    for number in range(len(inside), -1, -1):
        chain.append(".".join(inside[:number]))
    yield from chain
    yield from (f"{outer}.{name}".strip(".") for name in used for outer in chain)


def _dotted(found: tuple[object, ...]) -> str:
    if found[0] == "scoped" and isinstance(found[1], tuple):
        return ".".join(map(str, (*found[1], found[2])))
    return str(found[-1])


def _same(linkage: Linkage, one: Definition, other: Definition) -> bool:
    """Whether two definitions are one: alternatives by condition, a type and its alias, or a variable and its
    `extern` declaration.
    """
    if one.qualified != other.qualified:
        return False
    if one.path != other.path and _is_extern(one) + _is_extern(other) > 0:
        return _is_one_variable(linkage, one, other)
    is_namespace = "module" in (one.symbol.kind, other.symbol.kind)
    # Each of two files may have a name of its own for a type.
    kinds = {one.symbol.kind, other.symbol.kind}
    is_named = len(kinds) == 2 and _ALIAS in kinds and not kinds & {*CONSTANTS, MACRO}
    alias = one if one.symbol.kind == _ALIAS else other
    if is_named and one.path != other.path:
        # `typedef struct { … } name;` is no other name for a type, and a `.c` file shows its names to nobody else.
        sees = one.path in linkage.included(other.path) or other.path in linkage.included(one.path)
        is_open = not one.path.endswith(_SOURCES) or not other.path.endswith(_SOURCES)
        is_named = (sees or is_open) and alias.symbol.signature not in _UNNAMED
    return one.path == other.path or is_namespace or is_named


def _is_one_variable(linkage: Linkage, one: Definition, other: Definition) -> bool:
    """Whether one file declares the variable of another. Of several programs, each may define its own."""
    if not {one.symbol.kind, other.symbol.kind} <= CONSTANTS:
        return False
    if not (one.symbol.exported and other.symbol.exported):
        return False
    sees = one.path in linkage.included(other.path) or other.path in linkage.included(one.path)
    defined = {
        each.path
        for _, each in linkage.named(one.symbol.name)
        if each.qualified == one.qualified and each.symbol.exported and not _is_extern(each)
    }
    return sees or len(defined) <= 1


def _is_extern(one: Definition) -> bool:
    """Whether it declares a variable that another file may define."""
    return one.symbol.kind in CONSTANTS and one.symbol.signature.startswith(_EXTERN)


def _is_specialised(one: Definition) -> bool:
    """Whether it specialises a template, whose name means the template."""
    head = one.symbol.signature.partition(":")[0]
    return head.startswith("template") and f"{one.symbol.name}<" in head.replace(" <", "<")


def _is_one(hits: Sequence[Definition]) -> bool:
    """Whether several definitions are one thing, such as a type and its alias."""
    known = {e.qualified for e in hits if not _is_extern(e)}
    records = {
        ("", e.qualified) if _is_extern(e) else (e.path, e.qualified)
        for e in hits
        if e.symbol.kind not in (_ALIAS, "module") and not (_is_extern(e) and e.qualified in known)
    }
    aliases = {(e.path, e.qualified) for e in hits if e.symbol.kind == _ALIAS}
    is_one = len(records) <= 1 and len(aliases) <= 1
    return is_one or are_for_systems(_one_of_each_file(hits))


def _one_of_each_file(hits: Sequence[Definition]) -> list[Definition]:
    return list({one.path: one for one in hits}.values())
