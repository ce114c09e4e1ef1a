"""Definitions of C#, the namespaces a file uses, and the types it names."""

from __future__ import annotations

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

_KINDS = {
    "class_declaration": "class",
    "struct_declaration": "struct",
    "record_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "delegate_declaration": "type",
    "method_declaration": "method",
    "constructor_declaration": "method",
    "destructor_declaration": "method",
    "operator_declaration": "method",
    "conversion_operator_declaration": "method",
    "indexer_declaration": "property",
    "property_declaration": "property",
    "event_declaration": "property",
    "local_function_statement": "function",
}
_TYPES = frozenset(("class", "struct", "interface", "enum", "type"))
_FIELDS = ("field_declaration", "event_field_declaration")
_QUERY = (
    "\n".join(f"({kind}) @def" for kind in (*_KINDS, *_FIELDS))
    + """
(using_directive) @using
(namespace_declaration name: (_) @space)
(file_scoped_namespace_declaration name: (_) @space)
(type_parameter name: (identifier) @parameter)
(_ type: (identifier) @used)
(_ type: (qualified_name) @used)
(_ returns: (identifier) @used)
(_ returns: (qualified_name) @used)
(base_list [(identifier) (qualified_name)] @used)
(type_argument_list [(identifier) (qualified_name)] @used)
(generic_name . (identifier) @used)
(attribute name: (_) @used)
(member_access_expression expression: (identifier) @value)
(as_expression right: (identifier) @used)
(is_expression right: (identifier) @used)
(constant_pattern (identifier) @value)
(type_parameter_constraint (identifier) @used)
"""
)
_HIDDEN = frozenset(("private", "protected"))


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_c_sharp  # noqa: PLC0415 – only for projects that have such files

    return tree_sitter_c_sharp.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """The types and their members.

    A namespace is opened by a file, not defined, so it is not a symbol. One import without a
    specifier lists the types that the file uses; the resolver finds their namespaces.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [d for node in found.get("def", ()) for d in _declared(node) if d.name]
    symbols = symbols_of(definitions, data)
    spaces = sorted(found.get("space", ()), key=lambda node: node.start_byte)
    every = {s.name for s in symbols}
    # A property often has the name of its type; where a type is expected, members do not hide
    # it.
    types = {s.name for s in symbols if s.kind in _TYPES}
    types |= {text_of(node) for node in found.get("parameter", ())}
    places = [(node, types) for node in found.get("used", ())]
    places += [(node, types | every) for node in found.get("value", ())]
    used = dict.fromkeys(
        name
        for node, own in sorted(places, key=lambda place: place[0].start_byte)
        if (name := "".join(text_of(node).split())) and name not in own and name[:1].isupper()
    )
    imports = [one for node in found.get("using", ()) if (one := _using(node)) is not None]
    if used:
        line = line_of(spaces[0]) if spaces else 1
        imports.append(Import(specifier="", line=line, names=tuple((n, n) for n in used)))
    imports.sort(key=lambda one: one.line)
    exports = tuple((s.name, "", s.name) for s in symbols if not s.parent and s.exported)
    return Outline(symbols, tuple(imports), exports)


def _using(node: Node) -> Import | None:
    """`using A.B`, `using static A.T` and `using X = A.T`.

    The last two name a type; their local name differs from the specifier.
    """
    target = next((n for n in reversed(node.named_children) if n.type != "comment"), None)
    specifier = text_of(target).split("<")[0].replace("global::", "")
    specifier = "".join(specifier.split())
    alias = node.child_by_field_name("name")
    names: tuple[tuple[str, str], ...] = ()
    last = specifier.rsplit(".", 1)[-1]
    if alias is not None:
        local = text_of(alias)
        names = ((last, local if local != last else ""),)
    elif any(child.type == "static" for child in node.children):
        names = ((last, ""),)
    if not specifier:
        return None
    return Import(specifier=specifier, line=line_of(node), names=names)


def _declared(node: Node) -> Iterator[LooseDefinition]:
    words = {text_of(child) for child in node.named_children if child.type == "modifier"}
    around = _around(node)
    in_interface = around is not None and around.type == "interface_declaration"
    open_ = bool(words & {"public", "internal"}) or in_interface
    exported = open_ or (around is None and not words & _HIDDEN and "file" not in words)
    if node.type in _FIELDS:
        if node.type == "field_declaration" and "const" not in words:
            return
        kind = "constant" if "const" in words else "property"
        for declared in node.named_children:
            if declared.type == "variable_declaration":
                for one in declared.named_children:
                    if one.type == "variable_declarator":
                        name = text_of(one.child_by_field_name("name"))
                        yield LooseDefinition(name, kind, node, 0, exported)
        return
    body = node.child_by_field_name("body")
    if body is None:
        body = node.child_by_field_name("accessors") or node.child_by_field_name("value")
    kind = _KINDS[node.type]
    if node.type == "record_declaration" and any(n.type == "struct" for n in node.children):
        kind = "struct"
    exported = exported and kind != "function"
    head = body.start_byte if body is not None and kind != "enum" else 0
    yield LooseDefinition(_name(node), kind, node, head, exported)


def _name(node: Node) -> str:
    name = text_of(node.child_by_field_name("name"))
    if node.type == "destructor_declaration":
        return f"~{name}"
    if node.type == "indexer_declaration":
        return "this"
    if node.type == "operator_declaration":
        return f"operator {text_of(node.child_by_field_name('operator'))}"
    if node.type == "conversion_operator_declaration":
        return f"operator {text_of(node.child_by_field_name('type'))}"
    return name


def _around(node: Node) -> Node | None:
    """The enclosing type of a member."""
    body = node.parent
    around = body.parent if body is not None and body.type == "declaration_list" else None
    return around if around is not None and around.type in _KINDS else None
