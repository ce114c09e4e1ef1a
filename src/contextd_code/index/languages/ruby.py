"""Definitions of Ruby, the files it requires, and the constants it names."""

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
    unquoted,
)
from contextd_code.values.source import Import

_QUERY = """
(class) @def
(module) @def
(method) @def
(singleton_method) @def
(assignment left: (constant) @constant)
(assignment left: (left_assignment_list (constant) @constant))
(call method: (identifier) @call)
(constant) @used
"""
_LOADS = frozenset(("require", "require_relative", "load", "autoload", "require_dependency"))
_ACCESSORS = frozenset(("attr_accessor", "attr_reader", "attr_writer"))
_DEFINERS = frozenset(("define_method", "alias_method", "scope"))
_HIDDEN = frozenset(("private", "protected"))
_CORE = frozenset(
    """Array BasicObject Class Comparable Date DateTime Dir ENV Enumerable File FileUtils Float Hash
    IO Integer JSON Kernel Logger Marshal Math Module Mutex NilClass Numeric Object Pathname Proc
    Process Rational Regexp RuntimeError Set Singleton StandardError String StringIO Struct Symbol
    Thread Time URI ArgumentError NotImplementedError KeyError TypeError NameError IndexError""".split()
)
"""Constants of Ruby itself, which are not dependencies."""

_NAME = re.compile(r"(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")
_PATH = re.compile(r"[\w./-]+")


def grammar() -> object:
    """The grammar of the wheel."""
    import tree_sitter_ruby  # noqa: PLC0415 – only for projects that have such files

    return tree_sitter_ruby.language()


def outline(root: Node, data: bytes, path: str) -> Outline:
    """Modules, classes, methods, accessors and constants.

    A constant that is used and not defined here becomes an import, because an autoloader would find
    its file.
    """
    found = captures(grammar, _QUERY, root)
    definitions = [_definition(node) for node in found.get("def", ())]
    constants = sorted(found.get("constant", ()), key=lambda node: node.start_byte)
    definitions += [_constant(node) for node in constants]
    imports: list[Import] = []
    for verb in found.get("call", ()):
        call, word = verb.parent, text_of(verb)
        if call is None:
            continue
        if word in _LOADS and call.child_by_field_name("receiver") is None:
            imports += _load(call, word)
        elif word in _ACCESSORS or word in _DEFINERS:
            definitions += _made(call, word)
    symbols = symbols_of([d for d in definitions if d.name], data)
    own = {".".join(filter(None, (s.parent, s.name))).replace(".", "::") for s in symbols}
    own |= {s.name for s in symbols if s.kind in ("class", "module", "constant")}
    imports += _constants(found.get("used", ()), own)
    imports.sort(key=lambda one: one.line)
    exports = tuple((s.name, "", s.name) for s in symbols if not s.parent and s.exported)
    return Outline(symbols, tuple(imports), tuple(dict.fromkeys(exports)))


def _definition(node: Node) -> LooseDefinition:
    name = node.child_by_field_name("name")
    last, within = name, ""
    if name is not None and name.type == "scope_resolution":
        last = name.child_by_field_name("name")
        within = text_of(name.child_by_field_name("scope")).replace("::", ".").strip(".")
    ends = [name, node.child_by_field_name("superclass"), node.child_by_field_name("parameters")]
    head = max((end.end_byte for end in ends if end is not None), default=0)
    kind = node.type
    if kind in ("method", "singleton_method"):
        inside = _type_around(node) is not None
        kind = "method" if inside else "function"
    exported = node.type in ("class", "module", "singleton_method") or not _hidden(node)
    return LooseDefinition(text_of(last), kind, node, head, exported, within)


def _type_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in ("class", "module", "singleton_class"):
        if around.type in ("method", "singleton_method", "program"):
            return None
        around = around.parent
    return around


def _hidden(node: Node) -> bool:
    """Whether `private` precedes a method, on its line or above."""
    around = node.parent
    if around is not None and around.type == "argument_list" and around.parent is not None:
        return text_of(around.parent.child_by_field_name("method")) in _HIDDEN
    before = node.prev_named_sibling
    for _ in range(500):
        if before is None:
            break
        if before.type == "identifier":
            word = text_of(before)
            if word in _HIDDEN or word == "public":
                return word in _HIDDEN
        before = before.prev_named_sibling
    return False


def _constant(node: Node) -> LooseDefinition:
    statement = node.parent
    while statement is not None and statement.type != "assignment":
        statement = statement.parent
    outer = statement if statement is not None else node
    right = outer.child_by_field_name("right")
    long = right is not None and right.end_byte - right.start_byte > 120
    head = right.start_byte if right is not None and long else 0
    return LooseDefinition(text_of(node), "constant", outer, head, True)


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else []


def _load(call: Node, word: str) -> Iterator[Import]:
    strings = [node for node in _arguments(call) if node.type == "string"]
    if strings:
        path = unquoted(strings[-1])
        if "#{" in path or not _PATH.fullmatch(path):
            return
        if word == "require_relative" and not path.startswith("."):
            path = f"./{path}"
        yield Import(specifier=path, line=line_of(call), names=(("*", ""),))


def _made(call: Node, word: str) -> Iterator[LooseDefinition]:
    """Methods defined by a call: `attr_reader :a, :b`, `define_method(:c) { … }`."""
    symbols = [text_of(node)[1:] for node in _arguments(call) if node.type == "simple_symbol"]
    kind = "property" if word in _ACCESSORS else "method"
    block = call.child_by_field_name("block")
    head = block.start_byte if block is not None else 0
    exported = not _hidden(call)
    for name in symbols if word in _ACCESSORS else symbols[:1]:
        yield LooseDefinition(name, kind, call, head, exported)


def _constants(nodes: list[Node] | tuple[()], own: set[str]) -> Iterator[Import]:
    seen: dict[str, int] = {}
    for node in sorted(nodes, key=lambda node: node.start_byte):
        around, whole = node.parent, node
        if around is not None and around.type == "scope_resolution":
            if around.child_by_field_name("name") != node:
                continue
            whole = around
            outer = whole.parent
            if outer is not None and outer.type == "scope_resolution":
                continue
        elif around is not None and around.type in ("class", "module"):
            continue
        name = "".join(text_of(whole).split())
        plain = name.lstrip(":")
        if _NAME.fullmatch(name) and plain not in own and plain not in _CORE:
            seen.setdefault(name, line_of(node))
    for name, line in seen.items():
        last = name.rsplit("::", 1)[-1]
        yield Import(specifier=name, line=line, names=((last, last),))
