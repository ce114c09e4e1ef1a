"""Definitions, imports and exports of Python."""

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
from contextd_code.values.source import Import, Symbol

_QUERY = """
(function_definition) @def
(class_definition) @def
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @future
"""
_BLOCKS = frozenset(
    """if_statement elif_clause else_clause try_statement except_clause except_group_clause
    finally_clause with_statement block""".split()
)
_STRING = re.compile(r"""['"]([^'"]+)['"]""")


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_python  # noqa: PLC0415 – 5 ms, and only for projects with Python in them

    return tree_sitter_python.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Functions, classes, module constants and type aliases; imports at any depth."""
    found = captures(grammar, _QUERY, root)
    definitions = [_definition(node) for node in found.get("def", ())]
    public: list[str] | None = None
    for statement in _module_level(root):
        definitions += _constants(statement)
        listed = _all(statement)
        if listed is not None:
            public = (public or []) + listed
    for definition in definitions:
        name = definition.name
        definition.exported = name in public if public is not None else not name.startswith("_")
    symbols = symbols_of([d for d in definitions if d.name], data)
    nodes = sorted(found.get("import", ()), key=lambda node: node.start_byte)
    imports = tuple(one for node in nodes for one in _imports(node))
    return Outline(symbols, imports, _exports(path, symbols, imports, public))


def _definition(node: Node) -> LooseDefinition:
    body = node.child_by_field_name("body")
    # A comment between the colon and the first statement is not part of the signature.
    colon = next((child.end_byte for child in node.children if child.type == ":"), 0)
    head = colon or (body.start_byte if body is not None else 0)
    kind = "class" if node.type == "class_definition" else "function"
    parent = node.parent
    outer = parent if parent is not None and parent.type == "decorated_definition" else node
    around = outer.parent.parent if outer.parent is not None else None
    if kind == "function" and around is not None and around.type == "class_definition":
        kind = "method"
    return LooseDefinition(text_of(node.child_by_field_name("name")), kind, outer, head)


def _module_level(root: Node) -> Iterator[Node]:
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        if node.type in _BLOCKS:
            waiting.extend(reversed(node.named_children))
        else:
            yield node


def _constants(statement: Node) -> list[LooseDefinition]:
    if statement.type == "type_alias_statement":
        left = statement.child_by_field_name("left")
        name = text_of(left).split("[")[0]
        return [LooseDefinition(name, "type", statement)]
    if statement.type != "expression_statement":
        return []
    found: list[LooseDefinition] = []
    expression = statement.named_children[0] if statement.named_children else None
    while expression is not None and expression.type == "assignment":
        left = expression.child_by_field_name("left")
        found += [LooseDefinition(name, "constant", statement) for name in _names(left)]
        expression = expression.child_by_field_name("right")
    return found


def _names(target: Node | None) -> Iterator[str]:
    waiting = [target] if target is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield text_of(node)
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"):
            waiting.extend(reversed(node.named_children))


def _all(statement: Node) -> list[str] | None:
    if statement.type != "expression_statement" or not statement.named_children:
        return None
    expression = statement.named_children[0]
    if expression.type not in ("assignment", "augmented_assignment"):
        return None
    if text_of(expression.child_by_field_name("left")) != "__all__":
        return None
    return _STRING.findall(text_of(expression.child_by_field_name("right")))


def _imports(node: Node) -> Iterator[Import]:
    line = line_of(node)
    if node.type == "import_statement":
        for child in node.named_children:
            alias = child.child_by_field_name("alias")
            name = text_of(child.child_by_field_name("name") if alias is not None else child)
            name = "".join(name.split())
            # `import a.b` binds `a`; only `import a.b as c` gives the module itself a name.
            local = text_of(alias) if alias is not None else name if "." not in name else ""
            yield Import(specifier=name, line=line, names=(("*", local),))
        return
    specifier = "".join(text_of(node.child_by_field_name("module_name")).split())
    names: list[tuple[str, str]] = []
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias")
        name = text_of(child.child_by_field_name("name") if alias is not None else child)
        names.append((name, text_of(alias) if alias is not None else name))
    if any(child.type == "wildcard_import" for child in node.children):
        names.append(("*", "*"))
    yield Import(specifier=specifier, line=line, names=tuple(names))


def _exports(
    path: str,
    symbols: tuple[Symbol, ...],
    imports: tuple[Import, ...],
    public: list[str] | None,
) -> tuple[tuple[str, str, str], ...]:
    """The names that `from this import …` provides: `__all__`, or the public names.

    A package's `__init__` re-exports its imports; another module only those in `__all__`.
    """
    exports = {s.name: (s.name, "", s.name) for s in symbols if not s.parent and s.exported}
    package = path.rsplit("/", 1)[-1].startswith("__init__.")
    for one in imports:
        for name, local in one.names:
            if name == "*" and local == "*":
                exports.setdefault(f"* {one.specifier}", ("*", one.specifier, "*"))
                continue
            passed_on = local in public if public is not None else package and local[:1] != "_"
            if local and passed_on:
                exports.setdefault(local, (local, one.specifier, name))
    return tuple(exports.values())
