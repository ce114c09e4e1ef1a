"""Definitions of PHP, the files it includes, and the classes it names."""

from __future__ import annotations

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
from contextd_code.values.source import Import
from contextd_common.dataclass import dataclass

_KINDS = {
    "function_definition": "function",
    "method_declaration": "method",
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
    "const_declaration": "constant",
}
_QUERY = (
    "\n".join(f"({kind}) @def" for kind in _KINDS)
    + """
(function_call_expression function: (name) @define)
(namespace_definition name: (namespace_name) @space)
(namespace_use_declaration) @use
(include_expression (_) @include)
(include_once_expression (_) @include)
(require_expression (_) @include)
(require_once_expression (_) @include)
(named_type [(name) (qualified_name)] @used)
(base_clause [(name) (qualified_name)] @used)
(class_interface_clause [(name) (qualified_name)] @used)
(use_declaration [(name) (qualified_name)] @used)
(object_creation_expression [(name) (qualified_name)] @used)
(scoped_call_expression scope: [(name) (qualified_name)] @used)
(class_constant_access_expression . [(name) (qualified_name)] @used)
(scoped_property_access_expression scope: [(name) (qualified_name)] @used)
(attribute [(name) (qualified_name)] @used)
(binary_expression operator: "instanceof" right: [(name) (qualified_name)] @used)
"""
)
_WORDS = frozenset(("self", "static", "parent", "mixed", "null", "true", "false"))


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_php  # noqa: PLC0415 – only for projects that have such files

    return tree_sitter_php.language_php()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Types, functions, methods and constants.

    Inside a namespace, every class that a file names without importing it is another import,
    because its name alone determines it.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [d for node in found.get("def", ()) for d in _declared(node)]
    definitions += [d for node in found.get("define", ()) for d in _defined(node)]
    symbols = symbols_of([d for d in definitions if d.name], data)
    imports = [one for node in found.get("include", ()) if (one := _include(node)) is not None]
    spaces = found.get("space", ())
    space = text_of(spaces[0]) if len(spaces) == 1 else ""
    uses = [use for node in found.get("use", ()) for use in _uses(node)]
    imports += [Import(specifier=u.name, line=u.line, names=((u.last, u.local),)) for u in uses]
    imported = {use.local: use.name for use in uses}
    own = {s.name for s in symbols if not s.parent}
    imports += _named(found, space, imported, own)
    imports.sort(key=lambda one: one.line)
    exports = tuple((s.name, "", s.name) for s in symbols if not s.parent)
    return Outline(symbols, tuple(imports), tuple(dict.fromkeys(exports)))


def _declared(node: Node) -> Iterator[LooseDefinition]:
    words = {text_of(n) for n in node.named_children if n.type == "visibility_modifier"}
    exported = not words & {"private", "protected"}
    body = node.child_by_field_name("body")
    kind = _KINDS[node.type]
    if kind == "constant":
        for one in node.named_children:
            if one.type == "const_element":
                name = next((text_of(n) for n in one.named_children if n.type == "name"), "")
                yield LooseDefinition(name, kind, node, _long(one), exported)
        return
    head = body.start_byte if body is not None else 0
    yield LooseDefinition(text_of(node.child_by_field_name("name")), kind, node, head, exported)


def _long(element: Node) -> int:
    value = element.named_children[-1]
    return value.start_byte if value.end_byte - value.start_byte > 120 else 0


def _defined(node: Node) -> Iterator[LooseDefinition]:
    call = node.parent
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if text_of(node).lower() != "define" or call is None or arguments is None:
        return
    first = arguments.named_children[0].named_children if arguments.named_children else []
    if first and first[0].type in ("string", "encapsed_string"):
        yield LooseDefinition(unquoted(first[0]), "constant", call, 0, True)


def _include(node: Node) -> Import | None:
    """A literal path. `__DIR__ . '/x'` is relative to the file's folder, as is `./x`."""
    strings = [node] if node.type in ("string", "encapsed_string") else []
    relative = False
    waiting = [node] if not strings else []
    while waiting:
        one = waiting.pop()
        if one.type in ("string", "encapsed_string"):
            strings.append(one)
        elif one.type == "name" and text_of(one) == "__DIR__":
            relative = True
        elif one.type == "function_call_expression" and "dirname" in text_of(one):
            relative = text_of(one).replace(" ", "") == "dirname(__FILE__)"
            if not relative:
                return None
        elif one.type in ("binary_expression", "parenthesized_expression"):
            waiting.extend(one.named_children)
        else:
            return None
    if len(strings) != 1 or "$" in unquoted(strings[0]):
        return None
    path = unquoted(strings[0])
    path = f"./{path.lstrip('/')}" if relative else path
    return Import(specifier=path, line=line_of(node), names=(("*", ""),)) if path else None


@dataclass(frozen=True, slots=True)
class _Use:
    name: str
    local: str
    line: int

    @property
    def last(self) -> str:
        return self.name.rsplit("\\", 1)[-1]


def _uses(node: Node) -> Iterator[_Use]:
    group = node.child_by_field_name("body")
    prefix = ""
    clauses: Sequence[Node] = node.named_children
    if group is not None:
        space = next((n for n in node.named_children if n.type == "namespace_name"), None)
        prefix = text_of(space).strip("\\") + "\\"
        clauses = group.named_children
    for clause in clauses:
        if clause.type != "namespace_use_clause":
            continue
        alias = clause.child_by_field_name("alias")
        name = prefix + text_of(clause.named_children[0]).strip("\\")
        yield _Use(name, text_of(alias) or name.rsplit("\\", 1)[-1], line_of(clause))


def _named(
    found: Mapping[str, Sequence[Node]], space: str, imported: Mapping[str, str], own: set[str]
) -> Iterator[Import]:
    """The classes named without a `use`: relative to the file's namespace, or in full."""
    seen: dict[str, tuple[int, str]] = {}
    for node in sorted(found.get("used", ()), key=lambda node: node.start_byte):
        written = "".join(text_of(node).split())
        first, _, rest = written.partition("\\")
        if not first:
            name = rest
        elif rest and first in imported:
            name = f"{imported[first]}\\{rest}"
        elif written.lower() in _WORDS or written in imported or written in own or not space:
            continue
        else:
            name = f"{space}\\{written}"
        if "\\" in name:
            seen.setdefault(name, (line_of(node), name.rsplit("\\", 1)[-1]))
    for name, (line, last) in seen.items():
        yield Import(specifier=name, line=line, names=((last, last),))
