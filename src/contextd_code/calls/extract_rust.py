"""Extract Rust: `impl` blocks, patterns, closures and the arguments of macros."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node, Parser, Range

from contextd_code.calls.call_facts import SELF, UNKNOWN, Expr
from contextd_code.calls.expressions import item_of, typed, value
from contextd_code.calls.file_scope import FileReading
from contextd_code.index.languages.language import Language, captures, grammar
from contextd_code.index.languages.outline import text_of

_THROUGH = frozenset(
    """match_pattern ref_pattern mut_pattern reference_pattern remaining_field_pattern
    parenthesized_pattern captured_pattern or_pattern""".split()
)
"""Nodes around a pattern for the same value."""
_WHOLE = frozenset(("captured_pattern", "or_pattern"))
_TAKEN_OUT = frozenset(("Some", "Ok"))
"""Variants with one value of an option or a result."""
_MOST_MACROS = 2_000
"""The most macros parsed in one file: each is a parse of its own, and generated tables have tens of thousands."""
_SHORTEST_TOKENS = 5
"""Bytes of the shortest arguments with a call between them: `(f())`."""


def implementation(reading: FileReading, node: Node) -> None:
    """An `impl` block: members of a type that may be defined in another file."""
    type_ = value(node.child_by_field_name("type"))
    head = type_[1] if type_[0] == "of" else type_
    scope = reading.enter("class", str(head[-1]), node)
    reading.bind("<impl>", head)
    trait = node.child_by_field_name("trait")
    base = value(trait)
    if trait is not None and base != UNKNOWN:
        scope.bases.append(base)
        reading.site("extends", trait, base[1] if base[0] == "of" else base)


def variants(reading: FileReading, node: Node) -> None:
    """The variants of an enum with their fields, and the unnamed fields of a struct."""
    owner = reading.own_class()
    body = node.child_by_field_name("body")
    name = text_of(node.child_by_field_name("name"))
    if owner is not None and node.type.startswith("enum"):
        # `E::V(x)` makes an instance as a call of a class does.
        reading.bind(name, ("own_class",) if node.type == "enum_variant" else SELF, owner)
    if owner is None or body is None or node.type == "enum_constant":
        return
    prefix = f"{name}." if node.type == "enum_variant" else ""
    if body.type == "ordered_field_declaration_list":
        for number, one in enumerate(body.children_by_field_name("type")):
            reading.bind(f"{prefix}{number}", typed(one), owner)
    elif prefix:
        for one in body.named_children:
            if one.type == "field_declaration":
                name = text_of(one.child_by_field_name("name"))
                reading.bind(prefix + name, typed(one.child_by_field_name("type")), owner)


def bind_pattern(reading: FileReading, node: Node | None, found: Expr) -> None:
    """Bind the names of a pattern to the parts of the matched value."""
    if node is None:
        return
    kind = node.type
    if kind in ("identifier", "shorthand_field_identifier"):
        name = text_of(node)
        if not name[:1].isupper():
            reading.bind(name, found)
    elif kind == "tuple_struct_pattern":
        _tuple_struct(reading, node, found)
    elif kind == "struct_pattern":
        _struct(reading, node)
    elif kind in _THROUGH:
        inner = node.named_children if kind in _WHOLE else node.named_children[:1]
        for child in inner:
            bind_pattern(reading, child, found)
    elif kind in ("tuple_pattern", "slice_pattern"):
        for number, one in enumerate(_places(node)):
            part: Expr = ("part", found, number) if kind == "tuple_pattern" else ("item", found)
            bind_pattern(reading, one, part)


def _places(node: Node) -> list[Node]:
    """The patterns in a pattern, with `_`, which the grammar does not name but which takes a place."""
    return [one for one in node.children if one.is_named or one.type == "_"]


def _struct(reading: FileReading, node: Node) -> None:
    type_ = value(node.child_by_field_name("type"))
    for one in node.named_children:
        if one.type == "field_pattern":
            name = text_of(one.child_by_field_name("name"))
            inner = one.child_by_field_name("pattern") or one.child_by_field_name("name")
            bind_pattern(reading, inner, ("payload", type_, name))


def _tuple_struct(reading: FileReading, node: Node, found: Expr) -> None:
    type_ = node.child_by_field_name("type")
    written = value(type_)
    for number, one in enumerate(child for child in _places(node) if child != type_):
        if str(written[-1]) in _TAKEN_OUT:
            bind_pattern(reading, one, item_of(found))
        else:
            bind_pattern(reading, one, ("payload", written, str(number)))


def let(reading: FileReading, node: Node) -> None:
    """`let x: T = …`, and the `let` of an `if` or a `while`."""
    written = node.child_by_field_name("type")
    right = node.child_by_field_name("value")
    found = typed(written) if written is not None else value(right)
    bind_pattern(reading, node.child_by_field_name("pattern"), found)


def arm(reading: FileReading, node: Node) -> None:
    """One arm of a `match`, with names of its own."""
    reading.enter("block", "", node)
    around = node.parent.parent if node.parent is not None else None
    matched = value(around.child_by_field_name("value")) if around is not None else UNKNOWN
    bind_pattern(reading, node.child_by_field_name("pattern"), matched)


def walk(reading: FileReading, node: Node) -> None:
    """`for x in xs`."""
    reading.enter("block", "", node)
    walked = ("call", ("attr", value(node.child_by_field_name("value")), "iter"))
    bind_pattern(reading, node.child_by_field_name("pattern"), ("item", walked))


def macros(language: Language, query: str, data: bytes, root: Node) -> Iterator[tuple[Node, str]]:
    """Extract the arguments of a file's macros, which have no tree of their own."""
    waiting = _tokens(language, root)
    for _ in range(_MOST_MACROS):
        if not waiting:
            return
        node = waiting.pop()
        place = Range(node.start_point, node.end_point, node.start_byte, node.end_byte)
        inner = Parser(grammar(language.grammar), included_ranges=[place]).parse(data).root_node
        for name, listed in captures(language.grammar, query, inner).items():
            yield from ((one, name) for one in listed if not one.has_error or name == "call")
        waiting += _tokens(language, inner)


def _tokens(language: Language, root: Node) -> list[Node]:
    found = captures(language.grammar, "(macro_invocation (token_tree) @tokens)", root)
    return [
        one
        for one in found.get("tokens", ())
        if one.end_byte - one.start_byte >= _SHORTEST_TOKENS
        and any(child.type == "token_tree" for child in one.named_children)
    ]
