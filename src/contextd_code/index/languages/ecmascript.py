"""Definitions of TypeScript and JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tree_sitter import Node

from contextd_code.index.languages.commonjs import AssignedExports, assigned_exports, with_assigned
from contextd_code.index.languages.ecmascript_modules import (
    CALLS,
    REQUIRE_CLAUSES,
    Modules,
    bound_names,
    modules_of,
)
from contextd_code.index.languages.language import captures
from contextd_code.index.languages.outline import LooseDefinition, Outline, symbols_of, text_of
from contextd_code.values.source import Symbol

_KINDS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "internal_module": "module",
    "module": "module",
    "method_definition": "method",
    "method_signature": "method",
    "abstract_method_signature": "method",
    "public_field_definition": "method",
    "field_definition": "method",
}
_FUNCTIONS = "[(arrow_function) (function_expression) (generator_function)]"
_CODE = f"""
(function_declaration) @def
(generator_function_declaration) @def
(class_declaration) @def
(method_definition) @def
(variable_declarator value: {_FUNCTIONS}) @variable
(program [(lexical_declaration (variable_declarator) @variable)
          (variable_declaration (variable_declarator) @variable)])
(export_statement declaration: [(lexical_declaration (variable_declarator) @variable)
                                (variable_declaration (variable_declarator) @variable)])
(program (export_statement value: (_)) @default)
"""
_SCRIPT = f"{_CODE}\n(field_definition value: {_FUNCTIONS}) @def\n{CALLS}"
_TYPED = f"""{_CODE}
(abstract_class_declaration) @def
(interface_declaration) @def
(type_alias_declaration) @def
(enum_declaration) @def
(internal_module) @def
(module) @def
(function_signature) @def
(abstract_method_signature) @def
(class_body (method_signature) @def)
(public_field_definition value: {_FUNCTIONS}) @def
(ambient_declaration [(lexical_declaration (variable_declarator) @variable)
                      (variable_declaration (variable_declarator) @variable)])
{CALLS}
{REQUIRE_CLAUSES}
"""
_WRAPPERS = frozenset(
    """export_statement ambient_declaration expression_statement lexical_declaration
    variable_declaration""".split()
)


def typescript() -> object:
    """The grammar of `.ts`."""
    import tree_sitter_typescript  # noqa: PLC0415 – 5 ms, for projects that have such files

    return tree_sitter_typescript.language_typescript()


def tsx() -> object:
    """The grammar of `.tsx`. With the grammar of `.ts` nearly every such file has errors."""
    import tree_sitter_typescript  # noqa: PLC0415 – as above

    return tree_sitter_typescript.language_tsx()


def javascript() -> object:
    """The grammar of `.js` and `.jsx`."""
    import tree_sitter_javascript  # noqa: PLC0415 – as above

    return tree_sitter_javascript.language()


def outline_with(load: Callable[[], object]) -> Callable[[Node, bytes, str], Outline]:
    """The outline function of one of the grammars."""
    query = _SCRIPT if load is javascript else _TYPED

    def outline(root: Node, data: bytes, path: str) -> Outline:
        found = captures(load, query, root)
        common = assigned_exports(root) if load is javascript else AssignedExports()
        modules = with_assigned(modules_of(root, found), common)
        definitions = [_declared(node) for node in found.get("def", ())] + common.definitions
        seen: set[int] = set()
        for node in found.get("variable", ()):
            if node.id not in seen:
                seen.add(node.id)
                definitions += _variables(node)
        definitions += [_default(node) for node in found.get("default", ()) if _anonymous(node)]
        symbols = symbols_of([d for d in definitions if d.name], data)
        return Outline(_marked(symbols, modules), modules.imports, modules.exports)

    return outline


def _outer(node: Node) -> Node:
    """The statement around a declaration, unless it contains several declarations."""
    around = node.parent
    while around is not None and around.type in _WRAPPERS:
        if sum(1 for child in around.named_children if child.type == node.type) > 1:
            break
        node, around = around, around.parent
    return node


def _declared(node: Node) -> LooseDefinition:
    name = text_of(node.child_by_field_name("name") or node.child_by_field_name("property"))
    body = node.child_by_field_name("body")
    if node.type in ("public_field_definition", "field_definition"):
        body = _function_body(node.child_by_field_name("value"))
    keep = node.type in ("type_alias_declaration", "enum_declaration")
    head = 0 if body is None or keep else body.start_byte
    outer = _outer(node) if node.type not in _IN_CLASS else node
    exported = outer.type == "export_statement"
    if name[:1] in ("'", '"'):
        name = name[1:-1]
    return LooseDefinition(name, _KINDS[node.type], outer, head, exported)


_IN_CLASS = frozenset(kind for kind, name in _KINDS.items() if name == "method")


def _function_body(value: Node | None) -> Node | None:
    return value.child_by_field_name("body") if value is not None else None


def _variables(node: Node) -> Iterator[LooseDefinition]:
    value = node.child_by_field_name("value")
    body = _function_body(value)
    function = value is not None and body is not None and value.type != "class"
    outer = _outer(node)
    exported = outer.type == "export_statement" or _exported_list(node)
    head = body.start_byte if body is not None else _value_head(value)
    for name in bound_names(node.child_by_field_name("name")):
        kind = "function" if function else "class" if body is not None else "constant"
        yield LooseDefinition(name, kind, outer, head, exported)


def _exported_list(node: Node) -> bool:
    around = node.parent.parent if node.parent is not None else None
    return around is not None and around.type == "export_statement"


def _value_head(value: Node | None) -> int:
    """Long values are not part of a signature; short ones explain the constant."""
    if value is None or value.end_byte - value.start_byte <= 120:
        return 0
    return value.start_byte


def _anonymous(node: Node) -> bool:
    value = node.child_by_field_name("value")
    return value is not None and value.type != "identifier"


def _default(node: Node) -> LooseDefinition:
    value = node.child_by_field_name("value")
    body = _function_body(value)
    kind = "constant"
    if value is not None and body is not None:
        kind = "class" if value.type == "class" else "function"
    return LooseDefinition(
        "default", kind, node, body.start_byte if body is not None else _value_head(value), True
    )


def _marked(symbols: tuple[Symbol, ...], modules: Modules) -> tuple[Symbol, ...]:
    """The symbols; names in a later `export { … }` count as exported."""
    names = {name for _, specifier, name in modules.exports if not specifier}
    return tuple(
        s if s.exported or s.parent or s.name not in names else replace(s, exported=True)
        for s in symbols
    )
