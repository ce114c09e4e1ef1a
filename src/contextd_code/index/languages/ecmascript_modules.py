"""Imports and exports of TypeScript and JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from contextd_code.index.languages.outline import line_of, text_of, unquoted
from contextd_code.values.source import Import
from contextd_common.dataclass import dataclass

CALLS = """
(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @call))
(call_expression function: (identifier) @_name (#eq? @_name "require")
  arguments: (arguments . [(string) (template_string)] @require))
(call_expression function: (member_expression object: (identifier) @_of property: (_) @_verb)
  (#any-of? @_of "require" "jest" "vi") (#any-of? @_verb "resolve" "mock" "doMock" "unmock"
  "requireActual" "importActual" "requireMock" "importMock")
  arguments: (arguments . [(string) (template_string)] @call))
"""
"""`import(…)` as an expression and as a type, `require(…)`, and the module calls of test runners.
"""

REQUIRE_CLAUSES = "(import_require_clause) @clause"

_DECLARATIONS = frozenset(
    """function_declaration generator_function_declaration function_signature class_declaration
    abstract_class_declaration interface_declaration type_alias_declaration enum_declaration
    internal_module module""".split()
)
_PATTERN_NAMES = ("identifier", "shorthand_property_identifier_pattern")
_SKIPPED = ("property_identifier", "type_annotation", "string", "number", "computed_property_name")


@dataclass(frozen=True, slots=True)
class Modules:
    """The imports, in source order, and the exports of one file."""

    imports: tuple[Import, ...]
    exports: tuple[tuple[str, str, str], ...]


def bound_names(pattern: Node | None) -> Iterator[str]:
    """The names that a binding pattern binds; for `{ a: b = c }` this is `b`."""
    waiting = [pattern] if pattern is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _PATTERN_NAMES:
            yield text_of(node)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            waiting.append(node.named_children[0])
        elif node.type not in _SKIPPED:
            waiting.extend(reversed(node.named_children))


def modules_of(root: Node, found: Mapping[str, Sequence[Node]]) -> Modules:
    """The module statements of the top level, ambient modules included, and captured calls."""
    imports: list[Import] = []
    exports: dict[tuple[str, str], tuple[str, str, str]] = {}
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        if node.type == "import_statement":
            imports += _import(node)
        elif node.type == "export_statement":
            for export in _export(node, imports):
                exports.setdefault(export[:2] if export[0] == "*" else (export[0], ""), export)
        elif node.type in ("ambient_declaration", "module"):
            waiting += reversed(_ambient(node, imports))
    for name in ("call", "require"):
        imports += [_call(node, name) for node in found.get(name, ())]
    imports.sort(key=lambda one: one.line)
    return Modules(tuple(one for one in imports if one.specifier), tuple(exports.values()))


def _ambient(node: Node, imports: list[Import]) -> list[Node]:
    """The contents of an ambient declaration. `declare module "x"` extends x, so it is an import."""
    if node.type == "ambient_declaration":
        return [child for child in node.named_children if child.type == "module"]
    name = node.child_by_field_name("name")
    if name is None or name.type != "string":
        return []
    imports.append(Import(specifier=unquoted(name), line=line_of(node)))
    body = node.child_by_field_name("body")
    inner = body.named_children if body is not None else []
    return [child for child in inner if child.type == "import_statement"]


def _import(node: Node) -> Iterator[Import]:
    source = node.child_by_field_name("source")
    names: list[tuple[str, str]] = []
    for child in node.named_children:
        if child.type == "import_require_clause":
            source = child.child_by_field_name("source")
            names.append(("*", text_of(child.named_children[0])))
        elif child.type == "import_clause":
            names += _clause(child)
    if source is not None:
        yield Import(specifier=unquoted(source), line=line_of(node), names=tuple(names))


def _clause(clause: Node) -> Iterator[tuple[str, str]]:
    for part in clause.named_children:
        if part.type == "identifier":
            yield "default", text_of(part)
        elif part.type == "namespace_import":
            yield "*", text_of(part.named_children[-1])
        elif part.type == "named_imports":
            for one in part.named_children:
                name = _name(one.child_by_field_name("name"))
                alias = one.child_by_field_name("alias")
                if name:
                    yield name, text_of(alias) if alias is not None else name


def _name(node: Node | None) -> str:
    return unquoted(node) if node is not None and node.type == "string" else text_of(node)


def _export(node: Node, imports: list[Import]) -> Iterator[tuple[str, str, str]]:
    source = node.child_by_field_name("source")
    specifier = unquoted(source) if source is not None else ""
    declaration = node.child_by_field_name("declaration")
    default = any(child.type == "default" for child in node.children)
    exports: list[tuple[str, str, str]] = []
    if declaration is not None:
        for name in _declared(declaration):
            exports.append(("default" if default else name, "", name))
    elif specifier:
        exports += _passed_on(node, specifier)
        names = tuple((name, "") for _, _, name in exports)
        imports.append(Import(specifier=specifier, line=line_of(node), names=names))
    else:
        exports += _listed(node, default)
    yield from exports


def _passed_on(node: Node, specifier: str) -> Iterator[tuple[str, str, str]]:
    named = False
    for child in node.named_children:
        if child.type == "namespace_export":
            named = True
            # `* as default`: the keyword is not a named node.
            yield _name(child.children[-1]), specifier, "*"
        elif child.type == "export_clause":
            named = True
            yield from ((alias, specifier, name) for alias, name in _specifiers(child))
    if not named:
        yield "*", specifier, "*"


def _listed(node: Node, default: bool) -> Iterator[tuple[str, str, str]]:
    for child in node.named_children:
        if child.type == "export_clause":
            yield from ((alias, "", name) for alias, name in _specifiers(child))
    value = node.child_by_field_name("value")
    if default:
        named = value is not None and value.type == "identifier"
        yield "default", "", text_of(value) if named else "default"
    elif any(child.type == "=" for child in node.children):
        last = node.named_children[-1] if node.named_children else None
        if last is not None and last.type == "identifier":
            yield "default", "", text_of(last)


def _specifiers(clause: Node) -> Iterator[tuple[str, str]]:
    for one in clause.named_children:
        if one.type == "export_specifier":
            name = _name(one.child_by_field_name("name"))
            alias = one.child_by_field_name("alias")
            yield (_name(alias) if alias is not None else name), name


def _declared(node: Node) -> Iterator[str]:
    if node.type in _DECLARATIONS:
        yield text_of(node.child_by_field_name("name"))
    elif node.type in ("lexical_declaration", "variable_declaration"):
        for child in node.named_children:
            if child.type == "variable_declarator":
                yield from bound_names(child.child_by_field_name("name"))
    else:
        for child in node.named_children:
            if child.type in _DECLARATIONS:
                yield text_of(child.child_by_field_name("name"))


def _call(node: Node, kind: str) -> Import:
    names: list[tuple[str, str]] = []
    if kind == "require":
        # Only checked for these, because finding a parent searches from the root.
        call = node.parent.parent if node.parent is not None else None
        holder = call.parent if call is not None else None
        if holder is not None and holder.type == "variable_declarator":
            names += _required(holder.child_by_field_name("name"))
    specifier = unquoted(node)
    # `./locales/${name}` names no single file.
    if node.type == "template_string" and "${" in specifier:
        specifier = ""
    return Import(specifier=specifier, line=line_of(node), names=tuple(names))


def _required(pattern: Node | None) -> Iterator[tuple[str, str]]:
    if pattern is None:
        return
    if pattern.type == "identifier":
        yield "*", text_of(pattern)
    for child in pattern.named_children if pattern.type == "object_pattern" else ():
        if child.type == "shorthand_property_identifier_pattern":
            yield text_of(child), text_of(child)
        elif child.type == "pair_pattern":
            local = text_of(child.child_by_field_name("value"))
            yield text_of(child.child_by_field_name("key")), local
