"""Definitions, imports and used names of Go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from contextd_code.index.languages.language import captures
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
    unquoted,
)
from contextd_code.values.definition_queries import WHOLE
from contextd_code.values.source import Import

_QUERY = """
(function_declaration) @function
(method_declaration) @method
(method_elem) @member
[(type_spec) (type_alias)] @type
(source_file [(const_declaration) (var_declaration)] @values)
(import_spec) @import
(selector_expression operand: (identifier)) @selected
(qualified_type) @selected
(identifier) @word
(type_identifier) @type_word
(qualified_type name: (type_identifier) @foreign)
(keyed_element key: (literal_element (identifier) @key))
(parameter_declaration name: (identifier) @bound)
(variadic_parameter_declaration name: (identifier) @bound)
(var_spec name: (identifier) @bound)
(const_spec name: (identifier) @bound)
(short_var_declaration left: (expression_list (identifier) @bound))
(range_clause left: (expression_list (identifier) @bound))
(receive_statement left: (expression_list (identifier) @bound))
(type_switch_statement alias: (expression_list (identifier) @bound))
(type_parameter_declaration name: (identifier) @bound)
"""
_SELECTED = re.compile(r"(\w+)\s*\.\s*(\w+)\Z")
_VERSION = re.compile(r"v\d+\Z")
_LONGEST_VALUE = 120
_PREDECLARED = frozenset(
    """any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32
    int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear
    close complex copy delete imag len make max min new panic print println real recover _
    init main""".split()
)
_BLOCKS = frozenset(
    """source_file block statement_list function_declaration method_declaration func_literal function_type
    method_elem for_statement if_statement expression_switch_statement type_switch_statement
    select_statement expression_case type_case default_case communication_case""".split()
)
_DECLARING = frozenset(
    """short_var_declaration var_spec const_spec parameter_list range_clause receive_statement""".split()
)

OWN = ""
"""The specifier for names a file uses from its own package, which Go needs no statement for."""


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_go  # noqa: PLC0415 – only for projects with Go in them

    return tree_sitter_go.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Functions, methods with their receiver as parent, types, and package-level constants and
    variables.

    An import lists the names used from the package. Names that must belong to the file's own
    package are listed under an import with an empty specifier.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [_function(node) for node in found.get("function", ())]
    definitions += [_method(node) for node in found.get("method", ())]
    definitions += [_member(node) for node in found.get("member", ())]
    definitions += [_type(node) for node in found.get("type", ())]
    for node in found.get("values", ()):
        definitions += _values(node)
    for definition in definitions:
        definition.exported = definition.name[:1].isupper()
    symbols = symbols_of([d for d in definitions if d.name and d.name != "_"], data)
    return Outline(symbols, _imports(found, {s.name for s in symbols if not s.parent}), ())


def _function(node: Node) -> LooseDefinition:
    return LooseDefinition(
        text_of(node.child_by_field_name("name")), "function", node, _start(node, "body")
    )


def _start(node: Node, field: str) -> int:
    inner = node.child_by_field_name(field)
    return inner.start_byte if inner is not None else 0


def _method(node: Node) -> LooseDefinition:
    receiver = node.child_by_field_name("receiver")
    name = text_of(node.child_by_field_name("name"))
    return LooseDefinition(name, "method", node, _start(node, "body"), within=_receiver(receiver))


def _receiver(node: Node | None) -> str:
    """The type's name in `(c *Cart[K])`."""
    waiting = [node] if node is not None else []
    while waiting:
        one = waiting.pop()
        if one.type == "type_identifier":
            return text_of(one)
        inner = one.child_by_field_name("type")
        waiting += [inner] if inner is not None else reversed(one.named_children)
    return ""


def _member(node: Node) -> LooseDefinition:
    return LooseDefinition(text_of(node.child_by_field_name("name")), "method", node)


def _type(node: Node) -> LooseDefinition:
    value = node.child_by_field_name("type")
    kind, head = "type", 0
    if value is not None and value.type in ("struct_type", "interface_type"):
        kind = value.type.removesuffix("_type")
        body = next((c for c in value.children if c.type in ("field_declaration_list", "{")), None)
        head = body.start_byte if body is not None else 0
    return LooseDefinition(text_of(node.child_by_field_name("name")), kind, _outer(node), head)


def _outer(spec: Node) -> Node:
    """The statement around a specification, unless it is a list in parentheses."""
    around = spec.parent
    if around is None or any(child.type == "(" for child in around.children):
        return spec
    return around


def _values(node: Node) -> Iterator[LooseDefinition]:
    waiting = list(reversed(node.named_children))
    kind = "constant" if node.type == "const_declaration" else "variable"
    while waiting:
        spec = waiting.pop()
        if spec.type == "var_spec_list":
            waiting += reversed(spec.named_children)
            continue
        if spec.type not in ("const_spec", "var_spec"):
            continue
        value = spec.child_by_field_name("value")
        long = value is not None and value.end_byte - value.start_byte > _LONGEST_VALUE
        head = value.start_byte if value is not None and long else 0
        for name in spec.children_by_field_name("name"):
            if name.type == "identifier":
                yield LooseDefinition(text_of(name), kind, _outer(spec), head)


def _imports(found: Mapping[str, Sequence[Node]], defined: set[str]) -> tuple[Import, ...]:
    used: dict[str, dict[str, None]] = {}
    for node in found.get("selected", ()):
        match = _SELECTED.match(text_of(node))
        if match:
            used.setdefault(match[1], {})[match[2]] = None
    nodes = sorted(found.get("import", ()), key=lambda node: node.start_byte)
    imports = [_import(node, used) for node in nodes]
    local = {text_of(node.child_by_field_name("name")) for node in nodes}
    local |= {name for one in imports for name in package_names(one.specifier)}
    return (*(one for one in imports if one.specifier), *_own(found, local | defined))


def package_names(path: str) -> Iterator[str]:
    """Possible names of the package at an import path, likeliest first."""
    parts = path.split("/")
    last = parts.pop()
    if _VERSION.match(last) and parts:
        yield parts[-1]
    stem, _, version = last.rpartition(".")
    if stem and _VERSION.match(version):
        last = stem
    yield last
    yield last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    yield re.sub(r"\W", "", last)
    yield re.sub(r"\W", "_", last)
    yield re.split(r"[-.]", last)[-1]


def _import(node: Node, used: Mapping[str, Mapping[str, None]]) -> Import:
    path = unquoted(node.child_by_field_name("path"))
    name = node.child_by_field_name("name")
    # A guessed name is verified by its use in the file.
    spoken = [text_of(name)] if name is not None else package_names(path)
    local = next((one for one in spoken if one in used), "")
    names = tuple((one, "") for one in used.get(local, ()))
    if text_of(name) == ".":
        names = ((".", ""),)
    elif name is not None and text_of(name) != "_":
        # The package by its name in this file.
        names = (*names, (WHOLE, text_of(name)))
    return Import(specifier=path, line=line_of(node), names=names)


def _own(found: Mapping[str, Sequence[Node]], known: set[str]) -> Iterator[Import]:
    """The names that this file does not bind where it uses them: they belong to the package, or are built in."""
    bound: dict[str, list[tuple[int, int]]] = {}
    for node in found.get("bound", ()):
        bound.setdefault(text_of(node), []).append(_seen_in(node))
    no_use = {node.start_byte for node in found.get("bound", ())}
    no_use |= {node.start_byte for node in found.get("key", ()) if not _of_map(node)}
    words = [
        (text_of(node), node.start_byte)
        for node in found.get("word", ())
        if node.start_byte not in no_use
    ]
    types = Counter(text_of(node) for node in found.get("type_word", ()))
    types.subtract(text_of(node) for node in found.get("foreign", ()))
    parameters = {text_of(n) for n in found.get("bound", ()) if _is_type_parameter(n)}
    local = {text_of(n.child_by_field_name("name")) for n in found.get("type", ())}
    names = {
        name
        for name, at in words
        if not any(start <= at < end for start, end in bound.get(name, ()))
    }
    names |= {name for name, count in types.items() if count > 0} - parameters
    names -= _PREDECLARED | known | local
    if names:
        yield Import(specifier=OWN, line=1, names=tuple((name, "") for name in sorted(names)))


def _seen_in(name: Node) -> tuple[int, int]:
    """Where a declared variable is visible: from the end of its declaration to that of the block around it."""
    start, around = name.end_byte, name.parent
    while around is not None and around.type not in _BLOCKS:
        if around.type in _DECLARING:
            start = around.end_byte
        around = around.parent
    return start, around.end_byte if around is not None else start


def _is_type_parameter(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "type_parameter_declaration"


def _of_map(key: Node) -> bool:
    """Whether the key of a literal is a value; otherwise it is a field name."""
    around: Node | None = key
    for _ in range(4):
        around = around.parent if around is not None else None
    kind = around.child_by_field_name("type") if around is not None else None
    return kind is not None and kind.type not in (
        "type_identifier",
        "qualified_type",
        "struct_type",
        "generic_type",
    )
