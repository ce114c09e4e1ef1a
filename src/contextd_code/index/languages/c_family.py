"""Definitions and includes of C and C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
from contextd_common.dataclass import dataclass

_OPENED = frozenset(
    """translation_unit preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef
    linkage_specification declaration_list field_declaration_list template_declaration
    export_declaration ERROR""".split()
)
_TYPES = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_NAMED = {
    "preproc_def": "macro",
    "preproc_function_def": "macro",
    "alias_declaration": "type",
    "concept_definition": "type",
    "namespace_alias_definition": "module",
}
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(\w+)")
_PRIMITIVE = frozenset("void int long short char float double signed unsigned bool".split())
_STATEMENTS = frozenset("if else for while do switch case return throw goto sizeof".split())
"""What no definition is called: the grammar takes it for a name behind a macro that it does not know."""
_VALUES = frozenset(("declaration", "field_declaration", "function_definition", "type_definition"))
_WRAPPED = frozenset(("template_declaration", "export_declaration"))
_LEAVES = frozenset(
    """identifier field_identifier type_identifier destructor_name operator_name operator_cast
    qualified_identifier template_function namespace_identifier primitive_type""".split()
)


def c() -> object:
    """The grammar of C."""
    import tree_sitter_c  # noqa: PLC0415 – each wheel only for projects that have such files

    return tree_sitter_c.language()


def cpp() -> object:
    """The grammar of C++, which also reads the headers of C."""
    import tree_sitter_cpp  # noqa: PLC0415 – as above

    return tree_sitter_cpp.language()


def outline_with(load: Callable[[], object]) -> Callable[[Node, bytes, str], Outline]:
    """The outline function of one of the two grammars."""

    def outline(root: Node, data: bytes, path: str) -> Outline:
        found = captures(load, "(preproc_include path: (_) @path)", root)
        paths = sorted(found.get("path", ()), key=lambda node: node.start_byte)
        imports = tuple(one for one in map(_include, paths) if one is not None)
        definitions = [d for d in _definitions(root) if d.name]
        symbols = symbols_of(definitions, data)
        return Outline(tuple(one for one in symbols if not _is_of_library(one)), imports)

    return outline


def _is_of_library(symbol: Symbol) -> bool:
    """Whether it is the namespace `std` or one inside it: a project opens them and never defines them."""
    outermost = symbol.parent.partition(".")[0] or symbol.name.partition(".")[0]
    return symbol.kind == "module" and outermost == "std"


def _include(node: Node) -> Import | None:
    """The included file. A `<…>` keeps its brackets, because it is searched in other folders than
    `"…"`.
    """
    text = text_of(node).strip()
    if node.type == "string_literal":
        text = text[1:-1]
    elif node.type != "system_lib_string":
        return None
    return Import(specifier=text, line=line_of(node), names=(("*", ""),)) if text else None


@dataclass(frozen=True, slots=True)
class _Place:
    """The context of a declaration: its class, and whether the declared name is visible in other files."""

    member: bool = False
    seen: bool = True


def _definitions(root: Node) -> Iterator[LooseDefinition]:
    """Every declaration outside function bodies, in any order."""
    waiting: list[tuple[Node, _Place]] = [(root, _Place())]
    while waiting:
        node, place = waiting.pop()
        if node.type in _OPENED:
            waiting += _inside(node, place)
        elif node.type == "namespace_definition":
            name = node.child_by_field_name("name")
            body = node.child_by_field_name("body")
            if name is not None and body is not None:
                dotted = text_of(name).replace("::", ".")
                yield LooseDefinition(dotted, "module", node, body.start_byte, place.seen)
            if body is not None:
                waiting.append((body, _Place(seen=name is not None and place.seen)))
        elif node.type in _NAMED:
            yield _named(node, place)
        elif node.type in _TYPES:
            yield from _type(node, place, waiting)
        elif node.type in _VALUES:
            declared = node.child_by_field_name("type")
            if declared is not None and declared.type in _TYPES:
                yield from _type(declared, place, waiting)
            yield from _values(node, place)


def _inside(node: Node, place: _Place) -> Iterator[tuple[Node, _Place]]:
    seen = place.seen
    local = _locals(node) if node.type == "ERROR" else frozenset()
    for child in node.named_children:
        if child.type == "access_specifier":
            seen = text_of(child).startswith("public")
        if child.id not in local:
            yield child, _Place(place.member, seen)


def _locals(error: Node) -> frozenset[int]:
    """The declarations in a function that the grammar could not parse: their names are not the file's."""
    found: set[int] = set()
    is_head, depth = False, 0
    for child in error.children:
        if child.type == "function_declarator" or child.type == ";":
            is_head = child.type != ";"
        elif child.type == "{" and (is_head or depth):
            is_head, depth = False, depth + 1
        elif child.type == "}" and depth:
            depth -= 1
        elif child.type == "declaration" and depth:
            found.add(child.id)
    return frozenset(found)


def _outer(node: Node) -> Node:
    around = node.parent
    while around is not None and around.type in _WRAPPED:
        node, around = around, around.parent
    return node


def _named(node: Node, place: _Place) -> LooseDefinition:
    name = text_of(node.child_by_field_name("name"))
    if _NAMED[node.type] == "macro" and (directive := _DEFINE.match(text_of(node))) is not None:
        # A comment in the text of a macro can mislead the grammar.
        name = directive[1]
    value = node.child_by_field_name("value")
    long = value is not None and value.end_byte - value.start_byte > 120
    head = value.start_byte if value is not None and long else 0
    return LooseDefinition(name, _NAMED[node.type], _outer(node), head, place.seen)


def _type(
    node: Node, place: _Place, waiting: list[tuple[Node, _Place]]
) -> Iterator[LooseDefinition]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        return
    kind = _TYPES[node.type]
    waiting.append((body, _Place(True, kind != "class")))
    if name is not None:
        plain, within = _qualified(name)
        statement = node.parent
        # Of `typedef struct a {} b` both names are bound by the whole statement.
        whole = statement is not None and statement.type in _VALUES
        outer = _outer(statement if whole and statement is not None else node)
        head = 0 if kind == "enum" else body.start_byte
        yield LooseDefinition(plain, kind, outer, head, place.seen, within)


def _values(node: Node, place: _Place) -> Iterator[LooseDefinition]:
    """Functions and variables of a declaration, and the names of a `typedef`."""
    body = node.child_by_field_name("body")
    static = not place.member and any(
        child.type == "storage_class_specifier" and text_of(child) == "static"
        for child in node.named_children
    )
    for declarator in node.children_by_field_name("declarator"):
        found = _innermost(declarator)
        if found is None:
            continue
        leaf, function = found
        name, within = _qualified(leaf)
        type_ = node.child_by_field_name("type")
        if _is_deduction_guide(node, declarator):
            continue
        if type_ is not None and _qualified(type_)[0] == "operator":
            # The grammar takes `Cart::operator Box<int>() {` for a function `Box<int>` of the type `Cart::operator`.
            name, within = f"operator {name}", _qualified(type_)[1]
        if name in _PRIMITIVE or name in _STATEMENTS:
            # The rest of `int WORD main(void)` with an unknown macro, and of `typedef
            # unsigned long(name)(int)`.
            continue
        member = place.member or bool(within)
        if node.type == "type_definition":
            kind = "type"
        elif function or leaf.type == "operator_cast":
            kind = "method" if member else "function"
        elif place.member:
            continue
        else:
            kind = "constant"
        inner = node.child_by_field_name("type")
        head = body.start_byte if body is not None else _value_head(declarator)
        if kind == "type" and inner is not None and inner.type in _TYPES:
            opened = inner.child_by_field_name("body")
            head = opened.start_byte if opened is not None and kind != "enum" else 0
        yield LooseDefinition(name, kind, _outer(node), head, place.seen and not static, within)


def _is_deduction_guide(node: Node, declarator: Node) -> bool:
    """Whether a declaration says which type arguments a constructor gives: `Cart(int) -> Cart<int>;`."""
    last = declarator.named_children[-1] if declarator.named_children else None
    return (
        node.child_by_field_name("type") is None
        and declarator.type == "function_declarator"
        and last is not None
        and last.type == "trailing_return_type"
    )


def _value_head(declarator: Node) -> int:
    value = declarator.child_by_field_name("value")
    if value is None or value.end_byte - value.start_byte <= 120:
        return 0
    return value.start_byte


def _innermost(node: Node) -> tuple[Node, bool] | None:
    """The name in a declarator, and whether it is a function: `int *f()` is, `int (*f)()` not."""
    function = False
    here: Node | None = node
    while here is not None and here.type not in _LEAVES:
        if here.type == "function_declarator":
            function = True
        elif here.type != "parenthesized_declarator" and here.type != "init_declarator":
            function = False
        inner = here.child_by_field_name("declarator")
        if inner is None:
            named = here.named_children
            inner = next((n for n in named if n.type in _LEAVES or "declarator" in n.type), None)
        here = inner
    return (here, function) if here is not None else None


def _qualified(node: Node) -> tuple[str, str]:
    """The last part of a name, and the parts before it without template arguments."""
    scopes: list[str] = []
    here: Node | None = node
    while here is not None and here.type == "qualified_identifier":
        scope = here.child_by_field_name("scope")
        # The grammar parses `API int_type f(void)` as `int_type::f`.
        if scope is not None and not any(one.is_missing for one in here.children):
            named = scope.child_by_field_name("name")
            scopes.append(text_of(named if named is not None else scope))
        here = here.child_by_field_name("name")
    if here is None:
        return "", ""
    name = text_of(here)
    if here.type == "operator_cast":
        name = name.split("(")[0]
    elif here.type in ("template_function", "template_type", "template_method"):
        name = text_of(here.child_by_field_name("name"))
    return " ".join(name.split()), ".".join(scopes)
