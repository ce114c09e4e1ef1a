"""Definitions, imports and exports of Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from contextd_code.index.languages.language import captures, tree_of
from contextd_code.index.languages.outline import (
    LooseDefinition,
    Outline,
    line_of,
    symbols_of,
    text_of,
)
from contextd_code.index.languages.rust_macros import unwrapped
from contextd_code.index.languages.rust_paths import Segments, leaves, places_of, seen_from_file
from contextd_code.values.source import Import

_KINDS = {
    "function_item": "function",
    "function_signature_item": "function",
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "trait_item": "trait",
    "type_item": "type",
    "associated_type": "type",
    "const_item": "constant",
    "static_item": "variable",
    "macro_definition": "macro",
    "mod_item": "module",
}
_QUERY = "\n".join(f"({kind}) @def" for kind in _KINDS if kind != "mod_item") + (
    """
(mod_item) @module
(use_declaration) @use
(extern_crate_declaration) @use
(scoped_identifier) @path
(scoped_type_identifier) @path
(macro_invocation (token_tree) @tokens)
"""
)
_IN_USE = frozenset(
    """use_declaration scoped_use_list use_as_clause use_wildcard use_list scoped_identifier
    scoped_type_identifier visibility_modifier""".split()
)
_PATH = re.compile(r"(?:::)?((?:r#)?\w+(?:::(?:r#)?\w+)*)")
_TOKEN_PATH = re.compile(r"(?<![\w:.$])[a-z_]\w*(?:::\w+)+")
_QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
_STANDARD = frozenset(("std", "core", "alloc", "proc_macro"))
_LONGEST_VALUE = 120

Span = tuple[int, int, str]


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_rust  # noqa: PLC0415 – only for projects with Rust in them

    return tree_sitter_rust.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Items with their module, trait or implemented type as parent.

    Imports are `use`, `mod name;` and paths in code; `mod a::b` is the specifier of a module
    statement, with its inline modules. Items inside macros are found if the macro only wraps them;
    in the arguments of other macros only paths are.
    """
    plain = unwrapped(root, data, grammar)
    tree = tree_of(grammar, plain) if plain is not data else None
    found = captures(grammar, _QUERY, tree.root_node if tree is not None else root)
    definitions = [_definition(node) for node in found.get("def", ())]
    modules = sorted(found.get("module", ()), key=lambda node: node.start_byte)
    definitions += [_module(node) for node in modules if node.child_by_field_name("body")]
    symbols = symbols_of([d for d in definitions if d.name and d.name != "_"], data)
    inline = [
        (node.start_byte, node.end_byte, _named(node))
        for node in modules
        if node.child_by_field_name("body")
    ]
    # One name may be declared twice, under mutually exclusive conditions.
    declared = [
        ((*_nest(inline, node), _named(node)), node)
        for node in modules
        if not node.child_by_field_name("body")
    ]
    imports = [one for names, node in declared for one in _module_files(names, node)]
    children = dict(declared)
    uses = list(_uses(found.get("use", ()), inline))
    exports = {s.name: (s.name, "", s.name) for s in symbols if s.exported and not s.parent}
    for node, segments, local in uses:
        one = _use(node, segments, local, children)
        if one is None:
            continue
        imports.append(one)
        if any(child.type == "visibility_modifier" for child in node.children):
            name = segments[-1]
            key = f"* {one.specifier}" if name == "*" else local
            exports.setdefault(key, ("*" if name == "*" else local, one.specifier, name))
    imports += _paths(_written(found), inline, uses, children)
    imports.sort(key=lambda one: one.line)
    return Outline(symbols, tuple(imports), tuple(exports.values()))


def _named(node: Node) -> str:
    return text_of(node.child_by_field_name("name")).removeprefix("r#")


def _definition(node: Node) -> LooseDefinition:
    kind = _KINDS[node.type]
    within = ""
    holder = node.parent.parent if node.parent is not None else None
    inside = holder.type if holder is not None and node.parent is not None else ""
    if node.parent is None or node.parent.type != "declaration_list":
        inside = ""
    if inside in ("impl_item", "trait_item") and kind == "function":
        kind = "method"
    if inside == "impl_item" and holder is not None:
        within = _type_name(holder.child_by_field_name("type"))
    public = any(child.type == "visibility_modifier" for child in node.children)
    if kind == "macro":
        public = "macro_export" in _attributes(node)
    head = _head(node)
    return LooseDefinition(_named(node), kind, node, head, public or inside == "trait_item", within)


def _head(node: Node) -> int:
    body = node.child_by_field_name("body")
    if node.type == "macro_definition":
        body = next((child for child in node.named_children if child.type == "macro_rule"), None)
    value = node.child_by_field_name("value")
    if value is not None and value.end_byte - value.start_byte > _LONGEST_VALUE:
        body = value
    return body.start_byte if body is not None and node.type != "enum_item" else 0


def _type_name(node: Node | None) -> str:
    """The name of the type an `impl` is for: `Cart` of `&mut shop::Cart<T>`."""
    waiting = [node] if node is not None else []
    while waiting:
        one = waiting.pop()
        if one.type in ("type_identifier", "primitive_type"):
            return text_of(one)
        inner = one.child_by_field_name("name") or one.child_by_field_name("type")
        waiting += [inner] if inner is not None else reversed(one.named_children)
    return ""


def _attributes(node: Node) -> str:
    """The attributes right above an item."""
    texts: list[str] = []
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        texts.append(text_of(before) if before.type == "attribute_item" else "")
        before = before.prev_named_sibling
    return "\n".join(reversed(texts))


def _module(node: Node) -> LooseDefinition:
    body = node.child_by_field_name("body")
    public = any(child.type == "visibility_modifier" for child in node.children)
    return LooseDefinition(_named(node), "module", node, body.start_byte if body else 0, public)


def _nest(inline: Sequence[Span], node: Node) -> Segments:
    """The inline modules around a node, outermost first."""
    start, end = node.start_byte, node.end_byte
    return tuple(
        name for a, b, name in inline if a <= start and end <= b and (a, b) != (start, end)
    )


def _module_files(names: Segments, node: Node) -> Iterator[Import]:
    specifier = f"mod {'::'.join(names)}"
    for place in places_of(_attributes(node)) or ("",):
        yield Import(specifier=f'{specifier} "{place}"' if place else specifier, line=line_of(node))


def _uses(nodes: Sequence[Node], inline: Sequence[Span]) -> Iterator[tuple[Node, Segments, str]]:
    for node in sorted(nodes, key=lambda node: node.start_byte):
        if node.type == "extern_crate_declaration":
            name = text_of(node.child_by_field_name("name"))
            alias = text_of(node.child_by_field_name("alias"))
            yield node, (name,), alias or name
            continue
        nest = _nest(inline, node)
        for segments, local in leaves(text_of(node.child_by_field_name("argument"))):
            yield node, seen_from_file(segments, nest), local


def _use(
    node: Node, path: Segments, local: str, children: Mapping[Segments, Node]
) -> Import | None:
    """The import of one name; None for a module declaration of the file."""
    if path[0] == "self" and not _leads_out(path, children):
        return None
    if len(path) == 1 or path[-1] in ("super", "crate"):
        return Import(specifier="::".join(path), line=line_of(node), names=(("*", local),))
    names = (("*", "*") if path[-1] == "*" else (path[-1], local),)
    return Import(specifier="::".join(path[:-1]), line=line_of(node), names=names)


def _leads_out(path: Segments, children: Mapping[Segments, Node]) -> bool:
    return any(path[1 : length + 1] in children for length in range(1, len(path)))


def _written(found: Mapping[str, Sequence[Node]]) -> list[tuple[Node, str]]:
    """The paths in code, in source order: those of the tree, and likely ones in macro arguments,
    which have no tree.
    """
    written: list[tuple[Node, str]] = []
    for node in found.get("path", ()):
        match = _PATH.match(text_of(node))
        if match is not None and node.parent is not None and node.parent.type not in _IN_USE:
            written.append((node, match[1]))
    for node in found.get("tokens", ()):
        text = _QUOTED.sub(" ", text_of(node))
        written += [(node, match[0]) for match in _TOKEN_PATH.finditer(text)]
    return sorted(written, key=lambda one: one[0].start_byte)


def _paths(
    written: Sequence[tuple[Node, str]],
    inline: Sequence[Span],
    uses: Sequence[tuple[Node, Segments, str]],
    children: Mapping[Segments, Node],
) -> Iterator[Import]:
    """The paths in code that begin at a module; those that begin at a type are not needed here."""
    bound = {local: segments for _, segments, local in uses}
    seen: set[Segments] = set()
    for node, text in written:
        path = tuple(text.replace("r#", "").split("::"))
        first = path[0]
        if len(path) < 2 or first in _STANDARD or not (first.islower() or first in bound):
            continue
        nest = _nest(inline, node) if inline else ()
        if (*nest, first) in children:
            path = ("self", *nest, *path)
        elif first in bound:
            if not first.islower() or bound[first][-1] == "*":
                continue
            path = (*bound[first], *path[1:])
        else:
            path = seen_from_file(path, nest)
        if path in seen or path[0] in _STANDARD:
            continue
        seen.add(path)
        if path[0] != "self" or _leads_out(path, children):
            names = ((path[-1], ""),)
            yield Import(specifier="::".join(path[:-1]), line=line_of(node), names=names)
