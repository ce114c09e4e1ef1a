"""Definitions and imports of Swift. An import names a module rather than a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set

from tree_sitter import Node

from contextd_code.index.languages.language import Read, captures
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
)
from contextd_code.values.source import Import

_KINDS = {
    "protocol_declaration": "interface",
    "function_declaration": "function",
    "protocol_function_declaration": "method",
    "init_declaration": "method",
    "deinit_declaration": "method",
    "subscript_declaration": "method",
    "typealias_declaration": "type",
    "associatedtype_declaration": "type",
    "macro_declaration": "macro",
}
_QUERY = (
    "\n".join(f"({kind}) @def" for kind in _KINDS)
    + """
(class_declaration) @def
(source_file (property_declaration) @def)
(class_body (property_declaration) @def)
(enum_class_body (property_declaration) @def)
(protocol_property_declaration) @def
(import_declaration) @import
"""
)
_NAMELESS = {
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
}
_TYPE_BODIES = frozenset(("class_body", "enum_class_body", "protocol_body"))
_TYPE_KINDS = {"class": "class", "actor": "class", "struct": "struct", "enum": "enum"}


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_swift  # noqa: PLC0415 – only for projects that have such files

    return tree_sitter_swift.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Types, their members, and top-level definitions.

    An extension is a separate definition with the name of the extended type.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [d for node in found.get("def", ()) for d in _declared(node) if d.name]
    symbols = symbols_of(definitions, data)
    imports = tuple(
        Import(specifier=name, line=line_of(node), names=(("*", ""),))
        for node in sorted(found.get("import", ()), key=lambda node: node.start_byte)
        if (name := _module(node))
    )
    exports = tuple((s.name, "", s.name) for s in symbols if not s.parent and s.exported)
    return Outline(symbols, imports, tuple(dict.fromkeys(exports)))


def _module(node: Node) -> str:
    parts = next((n for n in node.named_children if n.type == "identifier"), None)
    return "".join(text_of(parts).split())


def _declared(node: Node) -> Iterator[LooseDefinition]:
    modifiers = next((n for n in node.named_children if n.type == "modifiers"), None)
    exported = not {"private", "fileprivate"} & set(text_of(modifiers).split())
    member = node.parent is not None and node.parent.type in _TYPE_BODIES
    body = node.child_by_field_name("body")
    head = body.start_byte if body is not None and node.type != "macro_declaration" else 0
    if node.type in ("property_declaration", "protocol_property_declaration"):
        yield from _property(node, member, exported)
        return
    name = text_of(node.child_by_field_name("name"))
    if node.type == "class_declaration":
        word = text_of(node.child_by_field_name("declaration_kind"))
        kind = _TYPE_KINDS.get(word, "extension")
        head = 0 if kind == "enum" else head
        name = name.split("<")[0]
    elif node.type == "macro_declaration":
        kind, name = "macro", text_of(node.named_children[0] if node.named_children else None)
    else:
        kind = _KINDS[node.type]
        name = _NAMELESS.get(node.type, name)
        kind = "method" if kind == "function" and member else kind
    yield LooseDefinition(name, kind, node, head, exported)


def _property(node: Node, member: bool, exported: bool) -> Iterator[LooseDefinition]:
    computed = node.child_by_field_name("computed_value")
    value = node.child_by_field_name("value")
    head = computed.start_byte if computed is not None else 0
    if not head and value is not None and value.end_byte - value.start_byte > 120:
        head = value.start_byte
    kind = "property" if member else "constant"
    for pattern in node.children_by_field_name("name"):
        waiting = [pattern] if pattern.type == "pattern" else []
        while waiting:
            one = waiting.pop()
            if one.type == "simple_identifier":
                yield LooseDefinition(text_of(one).strip("`"), kind, node, head, exported)
            else:
                waiting.extend(reversed(one.named_children))


class SwiftResolver:
    """Resolves nothing: imports name modules, and files of one module need no imports."""

    def __init__(self, paths: Collection[str], read: Read) -> None:
        pass

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports, unchanged."""
        return tuple(imports)
