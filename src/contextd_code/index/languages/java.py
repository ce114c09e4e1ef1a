"""Definitions, imports and used types of Java."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from contextd_code.index.languages.language import captures
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
)
from contextd_code.values.source import Import

_KINDS = {
    "class_declaration": "class",
    "record_declaration": "record",
    "enum_declaration": "enum",
    "interface_declaration": "interface",
    "annotation_type_declaration": "annotation",
    "method_declaration": "method",
    "constructor_declaration": "method",
    "compact_constructor_declaration": "method",
    "annotation_type_element_declaration": "method",
}
_QUERY = "\n".join(f"({kind}) @def" for kind in _KINDS) + (
    """
(field_declaration) @field
(constant_declaration) @field
(package_declaration (_) @package)
(import_declaration) @import
(type_identifier) @type
(scoped_type_identifier) @qualified
(field_access) @qualified
(method_invocation object: (identifier) @object)
(field_access object: (identifier) @object)
(method_reference . (identifier) @object)
(annotation name: (identifier) @object)
(marker_annotation name: (identifier) @object)
(switch_label (identifier) @object)
(type_parameter (type_identifier) @parameter)
(module_declaration (_) @module)
"""
)
_QUALIFIED = re.compile(r"((?:[a-z_]\w*\.)+)([A-Z]\w*)((?:\.[A-Z]\w*)*)\Z")
_LONGEST_VALUE = 120

OWN = ""
"""The specifier for types that a file names without an import: of its package, or of `.*` imports.
"""


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_java  # noqa: PLC0415 – only for projects with Java in them

    return tree_sitter_java.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Types with their enclosing types as parents, methods and constructors, and constant fields.

    Type names that no import binds are listed under one with an empty specifier.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [_definition(node) for node in found.get("def", ())]
    for node in found.get("field", ()):
        definitions += _fields(node)
    symbols = symbols_of([d for d in definitions if d.name], data)
    nodes = sorted(found.get("import", ()), key=lambda node: node.start_byte)
    imports = [_import(node) for node in nodes]
    types = {text_of(n.child_by_field_name("name")) for n in found.get("def", ()) if _is_type(n)}
    imports += _qualified(found.get("qualified", ()))
    imports += _used(found, types | {local for one in imports for _, local in one.names})
    return Outline(symbols, tuple(imports), ())


def _is_type(node: Node) -> bool:
    return _KINDS[node.type] != "method"


def _modifiers(node: Node) -> set[str]:
    found = next((child for child in node.children if child.type == "modifiers"), None)
    return {child.type for child in found.children} if found is not None else set()


def _definition(node: Node) -> LooseDefinition:
    body = node.child_by_field_name("body")
    return LooseDefinition(
        text_of(node.child_by_field_name("name")),
        _KINDS[node.type],
        node,
        body.start_byte if body is not None else 0,
        _exported(node),
    )


def _exported(node: Node) -> bool:
    """Whether other packages may use it; package-private definitions count as hidden."""
    around = node.parent
    if around is not None and around.type in ("interface_body", "annotation_type_body"):
        return "private" not in _modifiers(node)
    return bool(_modifiers(node) & {"public", "protected"})


def _fields(node: Node) -> Iterator[LooseDefinition]:
    constant = node.type == "constant_declaration" or {"static", "final"} <= _modifiers(node)
    several = len(node.children_by_field_name("declarator")) > 1
    for one in node.children_by_field_name("declarator") if constant else ():
        value = one.child_by_field_name("value")
        long = value is not None and value.end_byte - value.start_byte > _LONGEST_VALUE
        head = value.start_byte if value is not None and long else 0
        name = text_of(one.child_by_field_name("name"))
        yield LooseDefinition(name, "constant", one if several else node, head, _exported(node))


def _import(node: Node) -> Import:
    name = next(
        (c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None
    )
    path = "".join(text_of(name).split())
    static = any(child.type == "static" for child in node.children)
    if any(child.type == "asterisk" for child in node.children):
        # Members of a class, or types of a package; the resolver selects them.
        return Import(
            specifier=f"{'static ' if static else ''}{path}.*",
            line=line_of(node),
            names=(("*", "*"),) if static else (),
        )
    last = path.rsplit(".", 1)[-1]
    return Import(
        specifier=f"static {path}" if static else path, line=line_of(node), names=((last, last),)
    )


def _qualified(nodes: Sequence[Node]) -> Iterator[Import]:
    """Types that uses name with their package."""
    seen: set[str] = set()
    for node in nodes:
        match = _QUALIFIED.match("".join(text_of(node).split())) if node.child_count < 8 else None
        if match and match[0] not in seen:
            seen.add(match[0])
            last = match[0].rsplit(".", 1)[-1]
            yield Import(specifier=match[0], line=line_of(node), names=((last, ""),))


def _used(found: Mapping[str, Sequence[Node]], known: set[str]) -> Iterator[Import]:
    names: dict[str, None] = {}
    nodes = [*found.get("type", ()), *found.get("object", ())]
    for node in sorted(nodes, key=lambda node: node.start_byte):
        name = text_of(node)
        if name[:1].isupper():
            names[name] = None
    parameters = {text_of(node) for node in found.get("parameter", ())}
    left = [name for name in names if name not in known and name not in parameters]
    yield Import(
        specifier=OWN,
        line=line_of(found["package"][0]) if found.get("package") else 1,
        names=tuple((name, "") for name in left),
    )
