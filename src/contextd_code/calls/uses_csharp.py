"""Uses of properties, fields and constants in C#: the type before the dot determines the owner."""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from tree_sitter import Node

from contextd_code.calls.call_facts import UNKNOWN, Expr
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.csharp_values import holder_of_member, qualified, type_of
from contextd_code.calls.interpretation import Interpretation
from contextd_code.calls.scope_layout import FUNCTIONS
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.references import Reference, named_nodes, node_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.tree.word_lines import lines_naming
from contextd_common.errors import ContextdError

_SECONDS = 3.0
_ACCESS = frozenset(("member_access_expression", "member_binding_expression"))
_CREATION = frozenset(("object_creation_expression",))
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PATTERNS = frozenset(("subpattern", "property_pattern_clause"))
_VALUE_PLACES = frozenset(
    "assignment_expression argument return_statement arrow_expression_clause binary_expression".split()
)
_TYPE_PLACES = frozenset(
    """generic_name type_argument_list base_list qualified_name nullable_type array_type typeof_expression
    using_directive type_parameter type_parameter_constraint explicit_interface_specifier
    primary_constructor_base_type attribute pointer_type ref_type alias_qualified_name""".split()
)
_DECLARED = (
    "_declaration",
    "_declarator",
    "parameter",
    "_statement",
    "_designation",
    "_pattern",
    "name_colon",
)


def is_member_of_csharp(calls: CallGraph, one: Definition) -> bool:
    """Whether a definition is a property, field, event or constant of a C# type."""
    if calls.layout.family(one.path) != "csharp" or not one.symbol.parent:
        return False
    return one.symbol.kind in _VALUES


_VALUES = frozenset(("property", "constant"))


def parts_of_holder(calls: CallGraph, one: Definition) -> set[str]:
    """The other files with a part of a definition's type."""
    found: set[str] = set()
    parent = one.symbol.parent
    while parent:
        holder = _holder(calls, one.path, parent)
        found |= {part.path for part in calls.layout.parts(holder)} if holder is not None else set()
        parent = parent.rpartition(".")[0]
    return found - {one.path}


def uses_of_member(
    calls: CallGraph,
    sources: Sources,
    one: Definition,
    until: float,
    among: Callable[[str], bool] | None = None,
) -> Iterator[tuple[Reference, bool]]:
    """Yield (line, whether it is certain) for each use of a non-function member, file by file until `until` of
    the monotonic clock.
    """
    name, holder = one.symbol.name, _holder(calls, one.path, one.symbol.parent)
    if holder is None:
        return
    suffix = posixpath.splitext(one.path)[1]
    found: set[str] = {one.path}
    with suppress(OSError, TimeoutError):
        found |= {path for path, _ in lines_naming(sources.root, [name], {suffix}, _SECONDS)}
    for path in sorted(found.intersection(calls.graph.files)):
        if among is not None and not among(path):
            continue
        if time.monotonic() > until:
            return
        with suppress(ContextdError):
            source = sources.current(path)
            is_near = holder.symbol.name.encode() in source.data
            for node, line in named_nodes(sources, source, name):
                certain = _meant(calls, one, holder, path, node)
                if certain or (certain is False and is_near):
                    yield line, certain


_ATTRIBUTE = "Attribute"
_TYPES = frozenset("class interface struct enum type record".split())


def is_type_of_csharp(calls: CallGraph, one: Definition) -> bool:
    """Whether a definition is a type of C#."""
    return calls.layout.family(one.path) == "csharp" and one.symbol.kind in _TYPES


def uses_of_type(
    calls: CallGraph,
    sources: Sources,
    one: Definition,
    until: float,
    among: Callable[[str], bool] | None = None,
) -> Iterator[Reference]:
    """Yield the lines that certainly name a type, each word judged where it stands: type arguments, casts, nested
    types, and attributes without their ending. Ends at `until` of the monotonic clock.
    """
    name = one.symbol.name
    short = name.removesuffix(_ATTRIBUTE)
    names = [name, short] if short not in ("", name) else [name]
    same = {one, *calls.layout.parts(one)}
    suffix = posixpath.splitext(one.path)[1]
    found: set[str] = {one.path}
    with suppress(OSError, TimeoutError):
        for each in names:
            found |= {path for path, _ in lines_naming(sources.root, [each], {suffix}, _SECONDS)}
    for path in sorted(found.intersection(calls.graph.files)):
        if among is not None and not among(path):
            continue
        if time.monotonic() > until:
            return
        with suppress(ContextdError):
            source = sources.current(path)
            key = one, path, source.file.digest
            lines = calls.lines_of_names.get(key)
            if lines is None:
                lines = calls.lines_of_names[key] = tuple(
                    (line, True)
                    for each in names
                    for node, line in named_nodes(sources, source, each)
                    if _names_type(calls, same, path, node, name)
                )
            yield from (line for line, _ in lines)


def _names_type(calls: CallGraph, same: set[Definition], path: str, node: Node, name: str) -> bool:
    """Whether a word certainly means one of the parts of a type."""
    space = _space_before(node)
    if space and text_of(node) == name and _in_space(calls, same, path, space):
        return True
    written = _written_type(node, name)
    if written == UNKNOWN:
        return False
    scope = calls.layout.scope_around(path, node.start_byte)
    held = calls.interpreter.evaluate(path, scope, written)
    meant = {m.one for m in held.meanings if m.kind == "class"}
    return held.whole and bool(meant) and meant <= same and len(held.meanings) == len(meant)


def is_other_in_csharp(
    calls: CallGraph, sources: Sources, one: Definition, line: Reference
) -> bool:
    """Whether the name of a type means a type with another number of type parameters, or the member of the class
    around it that bears the name of its type.
    """
    node = node_of(sources, line)
    around = node.parent if node is not None else None
    if node is None or around is None or not is_type_of_csharp(calls, one) or line.role == "import":
        return False
    given = 0
    if around.type == "generic_name":
        listed = around.named_children[-1]
        # `typeof(Box<,>)` names no arguments.
        given = 1 + sum(child.type == "," for child in listed.children)
    if calls.layout.of_arity(one, given) != one:
        return True
    if around.type not in _VALUE_PLACES or _is_type(around, node):
        return False
    scope = calls.layout.scope_around(line.path, line.start)
    held = calls.interpreter.evaluate(line.path, scope, ("own_class",))
    return any(
        m.one is not None and _member(calls, m.one, line.name)[0] is not None for m in held.meanings
    )


def _space_before(node: Node) -> str:
    """The dotted names before a type or an expression of one: `Shop.Tags` in `new Shop.Tags.Label()`."""
    whole = node.parent if node.parent is not None and node.parent.type == "generic_name" else node
    around = whole.parent
    if around is None or not _is_field(around, "name", whole):
        return ""
    before = around.child_by_field_name("qualifier") or around.child_by_field_name("expression")
    written = "".join(text_of(before).split()).removeprefix("global::")
    return written if _DOTTED.fullmatch(written) else ""


def _in_space(calls: CallGraph, same: set[Definition], path: str, space: str) -> bool:
    """Whether the only type that a namespace written in a file holds by that name is the one in question."""
    around = calls.layout.space(path)
    written = {space}
    while around:
        written.add(f"{around}.{space}")
        around = around.rpartition(".")[0]
    one = next(iter(same))
    named = {
        each
        for each in calls.graph.by_name.get(one.symbol.name, ())
        if each.symbol.kind in _TYPES
        and not each.symbol.parent
        and calls.layout.space(each.path) in written
    }
    return bool(named) and named <= same


def _written_type(node: Node, name: str) -> Expr:
    """The type that a word names where it stands, in the form of call facts; unknown where it names none."""
    around = node.parent
    outer = around
    while outer is not None and outer.type in ("qualified_name", "alias_qualified_name"):
        outer = outer.parent
    if around is None or outer is None:
        return UNKNOWN
    if outer.type == "attribute":
        is_last = around.type == "attribute" or _is_field(around, "name", node)
        return ("type", 0, name) if is_last else UNKNOWN
    if text_of(node) != name:
        return UNKNOWN
    whole = around if around.type == "generic_name" else node
    path = whole.parent
    if path is not None and path.type == "qualified_name" and _is_field(path, "name", whole):
        # `System.Resources` is no type that a file knows as `Resources`.
        return qualified(path)
    if around.type == "generic_name":
        return type_of(around)
    if around.type in _ACCESS:
        is_head = _is_field(around, "expression", node)
        return ("name", name) if is_head else UNKNOWN
    if around.type in _TYPE_PLACES or _is_type(around, node):
        return ("type", 0, name)
    return UNKNOWN


def _holder(calls: CallGraph, path: str, qualified: str) -> Definition | None:
    for symbol in calls.graph.files[path].symbols:
        each = Definition(path, symbol)
        if each.qualified == qualified and symbol.kind not in FUNCTIONS and symbol.kind != "module":
            return each
    return None


def _meant(
    calls: CallGraph, one: Definition, holder: Definition, path: str, node: Node
) -> bool | None:
    """Whether a word certainly means the member; None where it means something else."""
    around = node.parent
    if around is None:
        return None
    scope = calls.layout.scope_around(path, node.start_byte)
    if around.type in _ACCESS and _is_field(around, "name", node):
        held = calls.interpreter.evaluate(path, scope, holder_of_member(around))
        return _of_receiver(calls, one, holder, held)
    if around.type in _PATTERNS or (around.parent and around.parent.type in _PATTERNS):
        return False
    if around.type in _TYPE_PLACES or _is_type(around, node):
        return None
    if around.type == "assignment_expression" and _is_field(around, "left", node):
        listed = around.parent
        if listed is not None and listed.type == "initializer_expression":
            return _of_receiver(calls, one, holder, _created(calls, path, scope, listed))
    if around.type == "attribute_argument" or _is_declared(around, node):
        return None
    if around.type in ("anonymous_object_creation_expression", "argument") and _is_named(node):
        return None
    if calls.layout.binding_scope(path, node.start_byte, one.symbol.name) is not None:
        return None
    return _by_itself(calls, one, path, scope)


def _of_receiver(
    calls: CallGraph, one: Definition, holder: Definition, held: Interpretation
) -> bool | None:
    """Whether the receiver's member is the queried one."""
    if not held.meanings:
        return None if held.outside else False
    answers: set[bool | None] = set()
    for meaning in held.meanings:
        if meaning.one is None or meaning.kind not in ("class", "instance"):
            answers.add(None)
            continue
        own, above = _member(calls, meaning.one, one.symbol.name)
        if own is not None and (own.path, own.qualified) == (one.path, one.qualified):
            answers.add(True)
        elif above is not None and above in list(calls.interpreter.lineage(holder)):
            # The receiver is declared as a base class or interface.
            answers.add(False)
        else:
            answers.add(None)
    if answers == {True} and held.whole:
        return True
    return False if answers - {None} else None


def _member(
    calls: CallGraph, one: Definition, name: str
) -> tuple[Definition | None, Definition | None]:
    """(the member of a type or of its bases, the type that declares it)."""
    for above in calls.interpreter.lineage(one):
        own = calls.layout.member(above, name)
        if own is not None:
            return own, above
    return None, None


def _created(calls: CallGraph, path: str, scope: int, listed: Node) -> Interpretation:
    """The type whose members an initialiser in braces sets."""
    made = listed.parent
    written: Expr = ("unknown",)
    if made is not None and made.type in _CREATION:
        written = ("new", type_of(made.child_by_field_name("type")))
    return calls.interpreter.evaluate(path, scope, written)


def _by_itself(calls: CallGraph, one: Definition, path: str, scope: int) -> bool | None:
    """Whether a name without a dot means the member: the innermost class with a member of that name decides."""
    scopes = calls.layout.scopes(path)
    at = scope
    while at > 0:
        if scopes[at].kind == "class":
            around = calls.layout.definition_of(path, at)
            own = _member(calls, around, one.symbol.name)[0] if around is not None else None
            if own is not None:
                return True if (own.path, own.qualified) == (one.path, one.qualified) else None
        at = scopes[at].parent
    return True if _is_static_import(calls, one, path) else None


def _is_static_import(calls: CallGraph, one: Definition, path: str) -> bool:
    """Whether a file names the members of the definition's type without it: `using static T`."""
    return any(
        imported.target == one.path and (one.symbol.parent, "") in imported.names
        for imported in calls.graph.files[path].imports
    )


def _is_field(around: Node, field: str, node: Node) -> bool:
    found = around.child_by_field_name(field)
    return found is not None and found.id == node.id


def _is_type(around: Node, node: Node) -> bool:
    is_test = around.type in ("is_expression", "as_expression") and _is_field(around, "right", node)
    return is_test or any(_is_field(around, name, node) for name in ("type", "returns"))


def _is_declared(around: Node, node: Node) -> bool:
    is_first = bool(around.named_children) and around.named_children[0].id == node.id
    if around.type == "variable_declarator":
        return is_first
    return around.type.endswith(_DECLARED) and _is_field(around, "name", node)


def _is_named(node: Node) -> bool:
    """Whether it names an argument or a member of an anonymous object."""
    after = node.next_sibling
    return after is not None and text_of(after) in ("=", ":")
