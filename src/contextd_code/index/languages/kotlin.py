"""Definitions of Kotlin, its imports, and the types a file names."""

from __future__ import annotations

import re
from collections.abc import Iterator

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

_QUERY = """
(class_declaration) @def
(object_declaration) @def
(companion_object) @def
(function_declaration) @def
(secondary_constructor) @def
(type_alias) @def
(source_file (property_declaration) @def)
(class_body (property_declaration) @def)
(enum_class_body (property_declaration) @def)
(infix_expression (identifier) (identifier) @_word (identifier) @bare
  (#any-of? @_word "class" "object" "interface"))
(import) @import
(package_header) @package
(type_parameter (identifier) @parameter)
(user_type . (identifier) @used)
(call_expression . (identifier) @used)
(navigation_expression . (identifier) @used)
(callable_reference . (identifier) @used)
(call_expression . (identifier) @called)
(call_expression . (navigation_expression (identifier) @called .))
"""
_BODIES = frozenset(("class_body", "enum_class_body", "function_body", "block"))
_IN_TYPES = frozenset(("class_body", "enum_class_body"))


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_kotlin  # noqa: PLC0415 – only for projects that have such files

    return tree_sitter_kotlin.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Types, functions and properties.

    An import without a specifier lists the used types that the file's own package or a wildcard
    import may define.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [d for node in found.get("def", ()) for d in _declared(node) if d.name]
    definitions += [_bare(node) for node in found.get("bare", ())]
    symbols = symbols_of(definitions, data)
    imports = [one for node in found.get("import", ()) if (one := _import(node)) is not None]
    own = {s.name for s in symbols} | {text_of(node) for node in found.get("parameter", ())}
    own |= {local for one in imports for _, local in one.names}
    nodes = [*found.get("used", ()), *found.get("called", ())]
    nodes.sort(key=lambda node: node.start_byte)
    used = dict.fromkeys(text_of(node) for node in nodes)
    # A function of the same package needs no import either, nor does an extension function.
    called = {text_of(node) for node in found.get("called", ())}
    names = tuple((n, n) for n in used if (n[:1].isupper() or n in called) and n not in own)
    if names:
        packages = found.get("package", ())
        line = line_of(packages[0]) if packages else 1
        imports.append(Import(specifier="", line=line, names=names))
    imports.sort(key=lambda one: one.line)
    exports = tuple((s.name, "", s.name) for s in symbols if not s.parent and s.exported)
    return Outline(symbols, tuple(imports), exports)


def _import(node: Node) -> Import | None:
    whole = next((n for n in node.named_children if n.type == "qualified_identifier"), None)
    specifier = "".join(text_of(whole).split()).replace("`", "")
    if not specifier:
        return None
    line = line_of(node)
    if any(child.type == "*" for child in node.children):
        return Import(specifier=f"{specifier}.*", line=line)
    alias = next((text_of(n) for n in node.named_children if n.type == "identifier"), "")
    last = specifier.rsplit(".", 1)[-1]
    return Import(specifier=specifier, line=line, names=((last, alias or last),))


def _declared(node: Node) -> Iterator[LooseDefinition]:
    modifiers = next((n for n in node.named_children if n.type == "modifiers"), None)
    words = set(text_of(modifiers).split())
    exported = not words & {"private", "protected"}
    member = node.parent is not None and node.parent.type in _IN_TYPES
    body = next((n for n in node.named_children if n.type in _BODIES), None)
    head = body.start_byte if body is not None else 0
    name = text_of(node.child_by_field_name("name")).strip("`")
    match node.type:
        case "class_declaration":
            kind = "interface" if any(n.type == "interface" for n in node.children) else "class"
            if "enum" in words:
                kind, head = "enum", 0
        case "object_declaration":
            kind = "class"
        case "companion_object":
            kind, name = "class", name or "Companion"
        case "type_alias":
            kind, name = "type", text_of(node.child_by_field_name("type"))
        case "secondary_constructor":
            kind, name = "method", "constructor"
        case "property_declaration":
            yield from _property(node, member, exported)
            return
        case _:
            kind = "method" if member else "function"
    yield LooseDefinition(name, kind, node, head, exported)


def _bare(name: Node) -> LooseDefinition:
    """An annotated type without a body, which the grammar parses as `a infix b`."""
    statement = name.parent if name.parent is not None else name
    around = statement.parent
    if around is not None and around.type == "annotated_expression":
        statement = around
    exported = not re.search(r"\b(?:private|protected)\b", text_of(statement))
    return LooseDefinition(text_of(name), "class", statement, 0, exported)


def _property(node: Node, member: bool, exported: bool) -> Iterator[LooseDefinition]:
    head = 0
    for child in node.named_children:
        long = child.end_byte - child.start_byte > 120
        if child.type in ("getter", "setter") or (long and child.type.endswith("_expression")):
            head = head or child.start_byte
    for child in node.named_children:
        if child.type == "variable_declaration":
            declared = [child]
        elif child.type == "multi_variable_declaration":
            declared = list(child.named_children)
        else:
            continue
        for one in declared:
            name = next((text_of(n) for n in one.named_children if n.type == "identifier"), "")
            kind = "property" if member else "constant"
            yield LooseDefinition(name.strip("`"), kind, node, head, exported)
